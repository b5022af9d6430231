package openai

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"strings"
	"sync/atomic"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/wire"
)

// Chat is one model on the Chat Completions wire. It may be used from several goroutines.
type Chat struct {
	place
	service sdk.ChatCompletionService

	uncounted atomic.Bool // the server refuses stream_options
}

var _ model.Provider = (*Chat)(nil)

// NewChat checks the endpoint. Nothing is read from the environment and nothing is sent. client nil = one of its own.
func NewChat(e model.Endpoint, client *http.Client) (*Chat, error) {
	if len(e.NativeTools) > 0 {
		return nil, errors.New("native_tools: this wire has none; use openai_responses")
	}
	p, opts, err := open(ChatName, e, client)
	if err != nil {
		return nil, err
	}
	return &Chat{place: p, service: sdk.NewChatCompletionService(opts...)}, nil
}

// Stream asks once, and once more without stream_options if the server refuses that.
func (p *Chat) Stream(ctx context.Context, r model.Request, o model.Options) iter.Seq2[model.Part, error] {
	return func(yield func(model.Part, error) bool) {
		if err := model.Check(r, p.limits); err != nil {
			yield(nil, err)
			return
		}
		ctx, line := wire.Open(ctx, p.endpoint.Wait, yield)
		defer line.Close()
		counted := !p.uncounted.Load()
		err := p.ask(ctx, line, r, p.setup(o, counted))
		if counted && refusesOptions(err) {
			p.uncounted.Store(true)
			err = p.ask(ctx, line, r, p.setup(o, false))
		}
		if err != nil {
			line.Fail(err)
		}
	}
}

func refusesOptions(err error) bool {
	e, ok := errors.AsType[*model.Error](err)
	if !ok || (e.Status != 400 && e.Status != 422) {
		return false
	}
	return strings.Contains(e.Msg, "stream_options") || strings.Contains(e.Msg, "include_usage")
}

func (p *Chat) setup(o model.Options, counted bool) ChatSetup {
	s := ChatSetup{Model: p.endpoint.Model, Reasoning: p.reasoning, Echo: p.limits.Echo, Vendor: p.vendor, Counted: counted}
	if p.limits.Structured {
		s.Output = o.Output
	}
	return s
}

// ask hands on the parts of one stream. An error is given back and not yet told.
func (p *Chat) ask(ctx context.Context, line *wire.Line, r model.Request, s ChatSetup) error {
	body, err := ChatBody(r, s)
	if err != nil {
		return err
	}
	stream := p.service.NewStreaming(ctx, body, option.WithMiddleware(stripNullErrors, line.Middleware))
	defer func() { _ = stream.Close() }() // what it could say has been read or is not wanted
	return p.read(ctx, line, stream)
}

func (p *Chat) read(ctx context.Context, line *wire.Line, stream *ssestream.Stream[sdk.ChatCompletionChunk]) error {
	var a chatReply
	for stream.Next() {
		line.Event()
		for _, part := range a.chunk(stream.Current()) {
			if !line.Put(part) {
				return nil
			}
		}
		if a.failed {
			break
		}
		if a.finish != "" {
			line.Drain() // only the count of tokens can still come
		}
	}
	if a.counted && !line.Put(a.usage) {
		return nil
	}
	switch err := stream.Err(); {
	case a.failed:
		return wire.InStream(`{"type":"server_error","message":"the server stopped with finish_reason error"}`, p.endpoint)
	case a.finish != "":
		line.Put(model.End{Reason: a.reason()})
		return nil
	case err != nil:
		return p.fault(ctx, line, err)
	}
	return line.Cut(ctx)
}
