package modeltest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/rein-robotics/rein/model"
)

// Maker makes the provider under test. Its endpoint has a model that no table knows unless a case says otherwise.
type Maker func(e model.Endpoint, client *http.Client) (model.Provider, error)

// Suite runs the contract against one wire.
type Suite struct {
	Wire Wire
	Make Maker
}

// TestProvider is the contract of every provider: contracts/providers.md, and each item of the list of what breaks
// harnesses on these wires that is not one wire's own.
func TestProvider(t *testing.T, s Suite) {
	t.Run("replies", s.replies)
	t.Run("framing", s.framing)
	t.Run("early_calls", s.earlyCalls)
	t.Run("cut_anywhere", s.cutAnywhere)
	t.Run("faults_in_stream", s.faultsInStream)
	t.Run("refusals", s.refusals)
	t.Run("dead_streams", s.deadStreams)
	t.Run("no_stream", s.noStream)
	t.Run("reader_stops", s.readerStops)
	t.Run("cancel", s.cancel)
	t.Run("nobody_there", s.nobodyThere)
	t.Run("keys", s.keys)
	t.Run("poisoned_environment", s.poisoned)
	t.Run("addresses", s.addresses)
	t.Run("conversation", s.conversation)
	t.Run("echo", s.echo)
	t.Run("limits", s.limits)
	t.Run("redirect", s.redirect)
}

// Result is what a Stream gave.
type Result struct {
	Text   string
	Calls  []model.Call
	Opaque []model.Opaque
	Usage  *model.Usage
	End    model.StopReason // "" = none
	Err    error
	Order  []string // the kinds of parts, in order
}

// Collect reads a whole stream.
func Collect(ctx context.Context, p model.Provider, r model.Request) Result {
	var out Result
	for part, err := range p.Stream(ctx, r, model.Options{}) {
		if err != nil {
			out.Err = err
			out.Order = append(out.Order, "error")
			continue
		}
		out.add(part)
	}
	return out
}

func (r *Result) add(part model.Part) {
	switch p := part.(type) {
	case model.Text:
		r.Text += p.Text
		r.Order = append(r.Order, "text")
	case model.Call:
		r.Calls = append(r.Calls, p)
		r.Order = append(r.Order, "call")
	case model.Opaque:
		r.Opaque = append(r.Opaque, p)
		r.Order = append(r.Order, "opaque")
	case model.Usage:
		r.Usage = &p
		r.Order = append(r.Order, "usage")
	case model.End:
		r.End = p.Reason
		r.Order = append(r.Order, "end")
	}
}

// Ask is a conversation of one user message.
func Ask(text string) model.Request {
	return model.Request{
		System: "You are a robot.",
		Tools: []model.ToolSpec{
			{Name: "observe", Description: "Look.", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)},
			{Name: "pick", Description: "Pick <it> & lift.", Parameters: json.RawMessage(`{"type":"object","properties":{"at":{"type":"array","items":{"type":"number"}}},"required":["at"]}`)},
		},
		Messages: []model.Message{{Role: model.RoleUser, Blocks: []model.Block{{Text: &model.TextBlock{Text: text}}}}},
	}
}

// provider makes the one under test against a server in memory.
func (s Suite) provider(t testing.TB, srv *Server) model.Provider {
	t.Helper()
	p, err := s.Make(model.Endpoint{Provider: s.Wire.Name, Model: "any", BaseURL: srv.URL, Key: Key, KeyEnv: "TEST_KEY"}, srv.Client())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// once asks once, in a bubble.
func (s Suite) once(t *testing.T, rules Rules, step Step) (Result, *Server) {
	t.Helper()
	var out Result
	var srv *Server
	synctest.Test(t, func(t *testing.T) {
		srv = New(t, s.Wire, rules, step)
		out = Collect(t.Context(), s.provider(t, srv), Ask("put it away"))
	})
	return out, srv
}

func call(id, name, args string) model.Call {
	return model.Call{ID: id, Name: name, Args: json.RawMessage(args)}
}

// unwrap is the error of a model, or a failure.
func unwrap(t *testing.T, err error) *model.Error {
	t.Helper()
	e, ok := errors.AsType[*model.Error](err)
	if !ok {
		t.Fatalf("got error %v, want a *model.Error", err)
	}
	return e
}
