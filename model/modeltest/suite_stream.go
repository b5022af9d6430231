package modeltest

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/model"
)

func long() string { return strings.Repeat("Größe 🤖 ", 20_000) }

// replies: what a reply says is what the parts say.
func (s Suite) replies(t *testing.T) {
	usage := model.Usage{Input: 120, Output: 30, CachedRead: 80}
	tests := map[string]struct {
		reply Reply
		want  model.StopReason
		calls []model.Call // nil = those of the reply
	}{
		"text":        {reply: Reply{Text: "It is done."}, want: model.StopEndTurn},
		"nothing":     {reply: Reply{}, want: model.StopEndTurn},
		"one_call":    {reply: Reply{Calls: []model.Call{call("a", "pick", `{"at":[1,2]}`)}}, want: model.StopToolUse},
		"text_calls":  {reply: Reply{Text: "I look. ", Calls: []model.Call{call("a", "observe", `{}`), call("b", "pick", `{"at": [1, 2]}`)}}, want: model.StopToolUse},
		"no_args":     {reply: Reply{Calls: []model.Call{call("a", "observe", "")}}, want: model.StopToolUse, calls: []model.Call{call("a", "observe", "{}")}},
		"unicode":     {reply: Reply{Text: "Größe 🤖 ok", Calls: []model.Call{call("a", "pick", `{"what":"Größe 🤖","n":1}`)}}, want: model.StopToolUse},
		"huge":        {reply: Reply{Calls: []model.Call{call("a", "pick", `{"what":"`+long()+`"}`)}}, want: model.StopToolUse},
		"no_object":   {reply: Reply{Calls: []model.Call{call("a", "pick", `[1]`), call("b", "observe", `{}`)}}, want: model.StopToolUse},
		"no_json":     {reply: Reply{Calls: []model.Call{call("a", "pick", `{"at": [1,`)}}, want: model.StopToolUse},
		"half_call":   {reply: Reply{Calls: []model.Call{call("a", "observe", `{}`), call("b", "pick", `{"at": [1,`)}, Stop: model.StopMaxTokens}, want: model.StopMaxTokens, calls: []model.Call{call("a", "observe", "{}")}},
		"token_limit": {reply: Reply{Text: "I am not f", Stop: model.StopMaxTokens}, want: model.StopMaxTokens},
		"refusal":     {reply: Reply{Text: "No.", Stop: model.StopRefusal}, want: model.StopRefusal},
		"same_id":     {reply: Reply{Calls: []model.Call{call("a", "observe", `{}`), call("a", "pick", `{"at":[1,2]}`)}}, want: model.StopToolUse},
		"no_id":       {reply: Reply{Calls: []model.Call{call("", "observe", `{}`), call("", "pick", `{"at":[1,2]}`)}}, want: model.StopToolUse},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			tc.reply.Usage = usage
			got, _ := s.once(t, Rules{}, Step{Reply: tc.reply})
			if got.Err != nil {
				t.Fatal(got.Err)
			}
			want := tc.calls
			if want == nil {
				want = tc.reply.Calls
			}
			if diff := cmp.Diff(got.Calls, want); diff != "" {
				t.Errorf("calls: %s", diff)
			}
			if got.Text != tc.reply.Text || got.End != tc.want {
				t.Errorf("got text %q, end %q; want %q, %q", got.Text, got.End, tc.reply.Text, tc.want)
			}
			if got.Usage == nil || *got.Usage != usage {
				t.Errorf("got usage %+v, want %+v", got.Usage, usage)
			}
			if n := len(got.Order); n < 2 || got.Order[n-1] != "end" || got.Order[n-2] != "usage" {
				t.Errorf("the usage and the end do not come last: %v", got.Order)
			}
		})
	}
}

// framing: how the bytes come says nothing.
func (s Suite) framing(t *testing.T) {
	reply := Reply{Text: "Größe 🤖 gefunden.", Calls: []model.Call{call("a", "observe", `{}`), call("b", "pick", `{"what":"Größe 🤖"}`)}}
	steps := map[string]Step{
		"crlf": {CRLF: true}, "pings": {Pings: true}, "crlf_pings_cut": {CRLF: true, Pings: true, Chunk: 1},
	}
	for _, n := range []int{1, 2, 3, 7, 1000} {
		steps[fmt.Sprintf("chunks_of_%d", n)] = Step{Chunk: n}
	}
	for name, step := range steps {
		t.Run(name, func(t *testing.T) {
			step.Reply = reply
			got, _ := s.once(t, Rules{}, step)
			if got.Err != nil || got.Text != reply.Text || got.End != model.StopToolUse {
				t.Errorf("got %q, %q, %v", got.Text, got.End, got.Err)
			}
			if diff := cmp.Diff(got.Calls, reply.Calls); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// earlyCalls: a call is handed on the moment that it is complete, while the stream goes on.
func (s Suite) earlyCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reply := Reply{Calls: []model.Call{call("a", "observe", `{"n":1}`), call("b", "pick", `{"at":[1,2]}`)}}
		events := s.Wire.events(reply)
		first := 0
		for events[first].Done < 1 {
			first++
		}
		got := make(chan struct{})
		srv := New(t, s.Wire, Rules{}, Step{Reply: reply, Before: func(next int) {
			if next == first+1 {
				<-got
			}
		}})
		n := 0
		for part, err := range s.provider(t, srv).Stream(t.Context(), Ask("go"), model.Options{}) {
			if err != nil {
				t.Fatal(err)
			}
			if c, ok := part.(model.Call); ok {
				if n++; n == 1 {
					if c.Name != "observe" {
						t.Errorf("got %s first", c.Name)
					}
					close(got)
				}
			}
		}
		if n != 2 {
			t.Errorf("got %d calls, want 2", n)
		}
	})
}

// cutAnywhere: a stream that ends before it said so is no reply, wherever it ends and however politely.
func (s Suite) cutAnywhere(t *testing.T) {
	reply := Reply{Text: "Yes.", Calls: []model.Call{call("a", "observe", `{"n":1}`), call("b", "pick", `{"at":[1,2]}`)}}
	events := s.Wire.events(reply)
	complete := s.complete(events)
	for _, fault := range []Fault{CleanEOF, Abort} {
		for at := range complete {
			t.Run(fmt.Sprintf("%d_%d", fault, at), func(t *testing.T) {
				got, _ := s.once(t, Rules{}, Step{Reply: reply, Fault: fault, At: at})
				if got.End != "" || got.Err == nil {
					t.Fatalf("got end %q, error %v; want a cut reply", got.End, got.Err)
				}
				if e := unwrap(t, got.Err); e.Class != model.DeadStream || !e.Retryable {
					t.Errorf("got %v, retryable %v", e, e.Retryable)
				}
				done := 0
				if at > 0 {
					done = events[at-1].Done
				}
				if len(got.Calls) > done {
					t.Errorf("got calls %v; only %d were complete", got.Calls, done)
				}
			})
		}
	}
}

// complete is the number of events after which the wire has said that the reply is complete.
func (s Suite) complete(events []Event) int {
	for i, e := range events {
		if s.Wire.final(e) {
			return i + 1
		}
	}
	return len(events)
}

// faultsInStream: an error inside a stream is told by its type; its status says nothing.
func (s Suite) faultsInStream(t *testing.T) {
	tests := map[string]struct {
		class model.Class
		again bool
	}{
		"overloaded_error":      {model.Overloaded, true},
		"api_error":             {model.ServerFault, true},
		"server_error":          {model.ServerFault, true},
		"rate_limit_error":      {model.RateLimit, true},
		"rate_limit_exceeded":   {model.RateLimit, true},
		"timeout_error":         {model.Timeout, true},
		"invalid_request_error": {model.BadRequest, false},
		"insufficient_quota":    {model.Quota, false},
		"authentication_error":  {model.Auth, false},
	}
	reply := Reply{Text: "I lo", Calls: []model.Call{call("a", "observe", "{}")}}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for _, at := range []int{0, 2} {
				got, _ := s.once(t, Rules{}, Step{Reply: reply, Fault: ErrorInStream, At: at, Error: name})
				if e := unwrap(t, got.Err); e.Class != tc.class || e.Retryable != tc.again || got.End != "" {
					t.Errorf("at %d: got %v, retryable %v, end %q", at, e, e.Retryable, got.End)
				}
			}
		})
	}
	t.Run("malformed", func(t *testing.T) {
		got, _ := s.once(t, Rules{}, Step{Reply: reply, Fault: Malformed, At: 2})
		if e := unwrap(t, got.Err); e.Class != model.DeadStream || !e.Retryable {
			t.Errorf("got %v", e)
		}
	})
}
