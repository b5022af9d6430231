// Package anthropic speaks the Messages wire through the vendor's SDK.
//
// Its one invariant: what a request says follows from the model.Request alone, so that each request of a segment
// extends the one before, and a block of the provider goes back as it came.
package anthropic

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/wire"
)

// Name is the provider's name in configuration and in opaque blocks.
const Name = "anthropic"

// Provider is one model on this wire. It may be used from several goroutines.
type Provider struct {
	endpoint  model.Endpoint
	limits    model.Limits
	known     bool
	reasoning model.Reasoning
	messages  sdk.MessageService
}

var _ model.Provider = (*Provider)(nil)

// New checks the endpoint. Nothing is read from the environment and nothing is sent. client nil = one of its own.
func New(e model.Endpoint, client *http.Client) (*Provider, error) {
	e.Provider = Name
	root, err := model.Root(e.BaseURL)
	if err != nil {
		return nil, err
	}
	limits, known := model.LimitsOf(Name, e.Model)
	limits = limits.With(e.Limits)
	reasoning, err := model.ReasoningOf(e, limits)
	if err != nil {
		return nil, err
	}
	if client == nil {
		client = wire.Client()
	}
	opts := []option.RequestOption{
		option.WithoutEnvironmentDefaults(), option.WithEnvironmentProduction(), option.WithMaxRetries(0), option.WithHTTPClient(client),
	}
	if root != "" {
		opts = append(opts, option.WithBaseURL(root+"/"))
	}
	if e.Key != "" {
		opts = append(opts, option.WithAPIKey(e.Key))
	}
	return &Provider{endpoint: e, limits: limits, known: known, reasoning: reasoning, messages: sdk.NewMessageService(opts...)}, nil
}

// Limits is what the model can take; known is false when no row of the table names it.
func (p *Provider) Limits() (l model.Limits, known bool) { return p.limits, p.known }

// Notes say what of the configuration is not sent, and why.
func (p *Provider) Notes() []string { return p.reasoning.Notes }

// Stream asks once.
func (p *Provider) Stream(ctx context.Context, r model.Request, o model.Options) iter.Seq2[model.Part, error] {
	return func(yield func(model.Part, error) bool) {
		if err := model.Check(r, p.limits); err != nil {
			yield(nil, err)
			return
		}
		body, err := Body(r, p.setup(o))
		if err != nil {
			yield(nil, err)
			return
		}
		ctx, line := wire.Open(ctx, p.endpoint.Wait, yield)
		defer line.Close()
		stream := p.messages.NewStreaming(ctx, body, option.WithMiddleware(line.Middleware))
		p.read(ctx, line, stream)
	}
}

func (p *Provider) setup(o model.Options) Setup {
	s := Setup{Model: p.endpoint.Model, Reasoning: p.reasoning, NativeTools: p.endpoint.NativeTools}
	if p.limits.Structured {
		s.Output = o.Output
	}
	return s
}

// read hands on the parts of the stream.
func (p *Provider) read(ctx context.Context, line *wire.Line, stream *ssestream.Stream[sdk.MessageStreamEventUnion]) {
	defer func() { _ = stream.Close() }() // what it could say has been read or is not wanted
	var a reply
	for !a.done && stream.Next() {
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
	case a.done:
		line.Put(model.End{Reason: a.reason()})
	case err != nil:
		line.Fail(p.fault(ctx, line, err))
	default:
		line.Fail(line.Cut(ctx))
	}
}

// fault turns what the SDK gives into the taxonomy.
func (p *Provider) fault(ctx context.Context, line *wire.Line, err error) error {
	api, ok := errors.AsType[*sdk.Error](err)
	if ok && ctx.Err() == nil && api.StatusCode < 400 { // it came inside the stream
		return wire.InStream(api.RawJSON(), p.endpoint)
	}
	return line.Broken(ctx, p.endpoint, err)
}

// String names the provider and its model.
func (p *Provider) String() string { return fmt.Sprintf("%s:%s", Name, p.endpoint.Model) }
