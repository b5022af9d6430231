// Package openai speaks three wires through the vendor's SDK: Chat Completions, which many servers speak, Responses, and
// Decisions, which gives typed answers.
//
// Its one invariant: what a request says follows from the model.Request alone, so that each request of a segment
// extends the one before, and what a server sent beside its text and calls goes back as it came, or not at all.
package openai

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/wire"
)

// The providers' names in configuration and in opaque blocks.
const (
	ChatName      = "openai"
	ResponsesName = "openai_responses"
)

// place is what both wires share: the endpoint and what its model takes.
type place struct {
	endpoint  model.Endpoint
	limits    model.Limits
	known     bool
	reasoning model.Reasoning
	vendor    bool // it is the vendor's own server
}

// Limits is what the model can take; known is false when no row of the table names it.
func (p *place) Limits() (l model.Limits, known bool) { return p.limits, p.known }

// Notes say what of the configuration is not sent, and why.
func (p *place) Notes() []string { return p.reasoning.Notes }

// String names the provider and its model.
func (p *place) String() string { return p.endpoint.Provider + ":" + p.endpoint.Model }

// open checks the endpoint. The options are explicit: a client of the SDK would read the environment.
func open(name string, e model.Endpoint, client *http.Client) (place, []option.RequestOption, error) {
	e.Provider = name
	base, err := model.Versioned(e.BaseURL)
	if err != nil {
		return place{}, nil, err
	}
	limits, known := model.LimitsOf(name, e.Model)
	limits = limits.With(e.Limits)
	reasoning, err := model.ReasoningOf(e, limits)
	if err != nil {
		return place{}, nil, err
	}
	if client == nil {
		client = wire.Client()
	}
	opts := []option.RequestOption{option.WithEnvironmentProduction(), option.WithMaxRetries(0), option.WithHTTPClient(client)}
	if base != "" {
		opts = append(opts, option.WithBaseURL(base+"/"))
	}
	if e.Key != "" {
		opts = append(opts, option.WithAPIKey(e.Key))
	}
	return place{endpoint: e, limits: limits, known: known, reasoning: reasoning, vendor: vendors(base)}, opts, nil
}

func vendors(base string) bool {
	if base == "" {
		return true
	}
	u, err := url.Parse(base)
	return err == nil && u.Hostname() == "api.openai.com"
}

// fault turns what the SDK gives into the taxonomy.
func (p *place) fault(ctx context.Context, line *wire.Line, err error) error {
	if s, ok := errors.AsType[*ssestream.StreamError](err); ok && ctx.Err() == nil {
		return wire.InStream(string(s.Event.Data), p.endpoint)
	}
	return line.Broken(ctx, p.endpoint, err)
}

// decode is a JSON object as a map, for the SDK's parameters.
func decode(raw json.RawMessage) (map[string]any, error) {
	var o map[string]any
	if err := json.Unmarshal(raw, &o); err != nil {
		return nil, err
	}
	return o, nil
}
