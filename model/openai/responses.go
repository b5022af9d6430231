package openai

import (
	"context"
	"iter"
	"net/http"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/responses"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/wire"
)

// Responses is one model on the Responses wire. It may be used from several goroutines.
type Responses struct {
	place
	service responses.ResponseService
}

var _ model.Provider = (*Responses)(nil)

// NewResponses checks the endpoint. Nothing is read from the environment and nothing is sent. client nil = one of its
// own.
func NewResponses(e model.Endpoint, client *http.Client) (*Responses, error) {
	p, opts, err := open(ResponsesName, e, client)
	if err != nil {
		return nil, err
	}
	return &Responses{place: p, service: responses.NewResponseService(opts...)}, nil
}

// Stream asks once.
func (p *Responses) Stream(ctx context.Context, r model.Request, o model.Options) iter.Seq2[model.Part, error] {
	return func(yield func(model.Part, error) bool) {
		if err := model.Check(r, p.limits); err != nil {
			yield(nil, err)
			return
		}
		body, err := ResponsesBody(r, p.setup(o))
		if err != nil {
			yield(nil, err)
			return
		}
		ctx, line := wire.Open(ctx, p.endpoint.Wait, yield)
		defer line.Close()
		stream := p.service.NewStreaming(ctx, body, option.WithMiddleware(stripNullErrors, line.Middleware))
		p.read(ctx, line, stream)
	}
}

func (p *Responses) setup(o model.Options) ResponsesSetup {
	s := ResponsesSetup{
		Model: p.endpoint.Model, Reasoning: p.reasoning, NativeTools: p.endpoint.NativeTools,
		Reasons: !p.known || p.limits.Thinking != model.ThinkingNone,
	}
	if p.limits.Structured {
		s.Output = o.Output
	}
	return s
}

// read hands on the parts of the stream.
func (p *Responses) read(ctx context.Context, line *wire.Line, stream *ssestream.Stream[responses.ResponseStreamEventUnion]) {
	defer func() { _ = stream.Close() }() // what it could say has been read or is not wanted
	var a responsesReply
	for !a.done && a.failed == "" && stream.Next() {
		line.Event()
		for _, part := range a.event(stream.Current()) {
			if !line.Put(part) {
				return
			}
		}
	}
	if a.counted && !line.Put(a.usage) {
		return
	}
	switch err := stream.Err(); {
	case a.failed != "":
		line.Fail(wire.InStream(a.failed, p.endpoint))
	case a.done:
		line.Put(model.End{Reason: a.reason()})
	case err != nil:
		line.Fail(p.fault(ctx, line, err))
	default:
		line.Fail(line.Cut(ctx))
	}
}
