package ledger_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rein-robotics/rein/agent/ledger"
	"github.com/rein-robotics/rein/model"
)

func text(s string) model.Block { return model.Block{Text: &model.TextBlock{Text: s}} }

func answer(id string) model.ResultBlock {
	return model.ResultBlock{CallID: id, JSON: json.RawMessage(`{"of":"` + id + `"}`)}
}

// shape is the conversation in short: "user: text result(call_1) | assistant: text call(call_1 name {})".
func shape(r model.Request) (out []string) {
	for _, m := range r.Messages {
		var line strings.Builder
		line.WriteString(string(m.Role) + ":")
		for _, b := range m.Blocks {
			switch {
			case b.Text != nil:
				line.WriteString(" " + b.Text.Text)
			case b.Call != nil:
				line.WriteString(fmt.Sprintf(" call(%s %s %s)", b.Call.ID, b.Call.Name, b.Call.Args))
			case b.Result != nil:
				line.WriteString(fmt.Sprintf(" result(%s)", b.Result.CallID))
			case b.Opaque != nil:
				line.WriteString(fmt.Sprintf(" opaque(%s)", b.Opaque.Raw))
			case b.Image != nil:
				line.WriteString(fmt.Sprintf(" image(%s)", b.Image.ID))
			}
		}
		out = append(out, line.String())
	}
	return out
}

func request(t testing.TB, l *ledger.Ledger) model.Request {
	t.Helper()
	r, err := l.Request()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestConversation(t *testing.T) {
	l := ledger.New("be kind", []model.ToolSpec{{Name: "look"}})
	l.Say(text("task"))
	first := request(t, l)
	if first.System != "be kind" || len(first.Tools) != 1 || len(l.Tools()) != 1 {
		t.Errorf("got %+v", first)
	}
	l.BeginReply()
	l.Echo(model.Opaque{Provider: "p", Raw: json.RawMessage(`"thinking"`)})
	l.Text("I ")
	l.Text("look.")
	a := l.Open("look", json.RawMessage(`{"n":1}`))
	l.Text("And ")
	b := l.Open("reach", nil)
	l.EndReply()
	l.Say(text("news"))
	for _, id := range []string{b, a} { // answered in another order than they were called
		if err := l.Close(answer(id)); err != nil {
			t.Fatal(err)
		}
	}
	l.Say(text("more"))
	want := []string{
		"user: task",
		`assistant: opaque("thinking") I look. call(call_1 look {"n":1}) And  call(call_2 reach {})`,
		"user: result(call_1) result(call_2) news more",
	}
	if diff := cmp.Diff(shape(request(t, l)), want); diff != "" {
		t.Error(diff)
	}
}

func TestWithdraw(t *testing.T) {
	l := ledger.New("", nil)
	l.Say(text("task"))
	request(t, l)
	l.BeginReply()
	l.Echo(model.Opaque{Provider: "p", Raw: json.RawMessage(`"half"`)})
	l.Text("I lo")
	l.Withdraw()
	l.Withdraw()
	l.Text("I look")
	id := l.Open("look", nil)
	l.Withdraw()
	l.EndReply()
	if err := l.Close(answer(id)); err != nil {
		t.Fatal(err)
	}
	want := []string{"user: task", "assistant: I look call(call_1 look {})", "user: result(call_1)"}
	if diff := cmp.Diff(shape(request(t, l)), want); diff != "" {
		t.Error(diff)
	}
}

func TestFaultsOfTheCaller(t *testing.T) {
	l := ledger.New("", nil)
	l.Say(text("task"))
	request(t, l)
	l.BeginReply()
	if _, err := l.Request(); !errors.Is(err, ledger.ErrReplying) {
		t.Errorf("a half-written reply: got %v", err)
	}
	id := l.Open("look", nil)
	l.EndReply()
	if _, err := l.Request(); !errors.Is(err, ledger.ErrOpen) {
		t.Errorf("an open call: got %v", err)
	}
	if err := l.Close(answer("call_9")); !errors.Is(err, ledger.ErrNoCall) {
		t.Errorf("a call that nobody made: got %v", err)
	}
	if err := l.Close(answer(id)); err != nil {
		t.Error(err)
	}
	if err := l.Close(answer(id)); !errors.Is(err, ledger.ErrNoCall) {
		t.Errorf("closed twice: got %v", err)
	}
	request(t, l)
	if err := l.Close(answer(id)); !errors.Is(err, ledger.ErrNoCall) {
		t.Errorf("closed after it was sent: got %v", err)
	}
}

func TestCallMayBeAnsweredWhileTheReplyIsWritten(t *testing.T) {
	l := ledger.New("", nil)
	l.BeginReply()
	a := l.Open("look", nil)
	if err := l.Close(answer(a)); err != nil {
		t.Fatal(err)
	}
	b := l.Open("look", nil)
	if diff := cmp.Diff(l.OpenCalls(), []string{b}); diff != "" {
		t.Error(diff)
	}
}

func TestCutReplies(t *testing.T) {
	tests := map[string]struct {
		write func(l *ledger.Ledger)
		want  []string
	}{
		"nothing":    {func(*ledger.Ledger) {}, []string{"user: task", "user: more"}},
		"empty_text": {func(l *ledger.Ledger) { l.Text("") }, []string{"user: task", "user: more"}},
		"half_text":  {func(l *ledger.Ledger) { l.Text("I thi") }, []string{"user: task", "assistant: I thi", "user: more"}},
		"a_call": {func(l *ledger.Ledger) {
			l.Text("I")
			if err := l.Close(answer(l.Open("look", nil))); err != nil {
				panic(err)
			}
		}, []string{"user: task", "assistant: I call(call_1 look {})", "user: result(call_1) more"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			l := ledger.New("", nil)
			l.Say(text("task"))
			request(t, l)
			l.BeginReply()
			tc.write(l)
			l.EndReply()
			l.Say(text("more"))
			if diff := cmp.Diff(shape(request(t, l)), tc.want); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEchoOfArguments(t *testing.T) {
	for args, want := range map[string]string{
		``: `{}`, ` `: `{}`, `null`: `{}`, `[1]`: `{}`, `"x"`: `{}`, `{"a":`: `{}`, `hello`: `{}`, `{"a":[1e999]}`: `{}`,
		`{"a":"\ud800 x"}`: `{}`, `{"\uDC00":1}`: `{}`, `{"a":"\ud83d\ude00"}`: `{"a":"\ud83d\ude00"}`,
		`{"a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`: `{}`, `{"a":` + strings.Repeat("[", 30) + strings.Repeat("]", 30) + `}`: `{"a":` + strings.Repeat("[", 30) + strings.Repeat("]", 30) + `}`,
		`{}`: `{}`, `{"a": 1.0}`: `{"a": 1.0}`, `{"a":1,"a":2}`: `{"a":1,"a":2}`, "{\n}": "{\n}",
	} {
		l := ledger.New("", nil)
		l.BeginReply()
		id := l.Open("look", json.RawMessage(args))
		l.EndReply()
		if err := l.Close(answer(id)); err != nil {
			t.Fatal(err)
		}
		if got := string(request(t, l).Messages[0].Blocks[0].Call.Args); got != want {
			t.Errorf("%q is echoed as %q, want %q", args, got, want)
		}
	}
}

func TestRequestIsItsReadersOwn(t *testing.T) {
	l := ledger.New("", nil)
	l.Say(text("one"))
	request(t, l)
	l.Say(text("two"))
	request(t, l)
	l.Say(text("and")) // of three messages the ledger's own list has room for a fourth
	first := request(t, l)
	_ = append(first.Messages, model.Message{Role: model.RoleUser, Blocks: []model.Block{text("scribble")}})
	l.Say(text("three"))
	second := request(t, l)
	_ = append(first.Messages, model.Message{Role: model.RoleUser, Blocks: []model.Block{text("scribble")}})
	if diff := cmp.Diff(shape(second), []string{"user: one", "user: two", "user: and", "user: three"}); diff != "" {
		t.Error(diff)
	}
}

// TestRequestsExtendEachOther: whatever is said, called and answered, each request begins with the one before, word for
// word, and every call of a request has its one answer in it, in the order of the calls.
func TestRequestsExtendEachOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := ledger.New("system", []model.ToolSpec{{Name: "look"}})
		var before model.Request
		var kept []byte
		replying := false
		given := map[string]bool{}
		t.Repeat(map[string]func(*rapid.T){
			"say": func(t *rapid.T) { l.Say(text(rapid.StringMatching(`[a-z]{1,3}`).Draw(t, "news"))) },
			"begin": func(*rapid.T) {
				if !replying {
					l.BeginReply()
					replying = true
				}
			},
			"text": func(t *rapid.T) {
				if replying {
					l.Text(rapid.StringMatching(`[a-z]{0,3}`).Draw(t, "text"))
				}
			},
			"echo": func(*rapid.T) {
				if replying {
					l.Echo(model.Opaque{Provider: "p", Raw: json.RawMessage(`1`)})
				}
			},
			"open": func(t *rapid.T) {
				if !replying {
					return
				}
				id := l.Open("look", json.RawMessage(rapid.SampledFrom([]string{`{}`, ``, `{"a":1}`, `x`}).Draw(t, "args")))
				if given[id] {
					t.Fatalf("%s was given twice", id)
				}
				given[id] = true
			},
			"end": func(*rapid.T) {
				if replying {
					l.EndReply()
					replying = false
				}
			},
			"close": func(t *rapid.T) {
				open := l.OpenCalls()
				if len(open) == 0 {
					return
				}
				id := rapid.SampledFrom(open).Draw(t, "call")
				if err := l.Close(answer(id)); err != nil {
					t.Fatal(err)
				}
				if l.Close(answer(id)) == nil {
					t.Fatalf("%s was closed twice", id)
				}
			},
			"request": func(t *rapid.T) {
				open := l.OpenCalls()
				r, err := l.Request()
				if (err != nil) != (replying || len(open) > 0) {
					t.Fatalf("a request with replying %t and %d open calls: %v", replying, len(open), err)
				}
				if err != nil {
					return
				}
				if len(r.Messages) < len(before.Messages) {
					t.Fatal("a request is shorter than the one before")
				}
				head, merr := json.Marshal(r.Messages[:len(before.Messages)])
				if merr != nil {
					t.Fatal(merr)
				}
				if len(before.Messages) > 0 && string(head) != string(kept) {
					t.Fatalf("the past changed from %s to %s", kept, head)
				}
				before = r
				if kept, merr = json.Marshal(r.Messages); merr != nil {
					t.Fatal(merr)
				}
				paired(t, r)
			},
		})
	})
}

// paired checks that each call is answered once, in the user message that follows, in order.
func paired(t *rapid.T, r model.Request) {
	var calls, results []string
	for _, m := range r.Messages {
		if len(m.Blocks) == 0 {
			t.Fatal("an empty message")
		}
		for _, b := range m.Blocks {
			if b.Call != nil {
				calls = append(calls, b.Call.ID)
			}
			if b.Result != nil {
				results = append(results, b.Result.CallID)
			}
		}
	}
	if diff := cmp.Diff(calls, results); diff != "" {
		t.Fatalf("calls and results differ: %s", diff)
	}
}
