package hook_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/agent/hook"
	"github.com/rein-robotics/rein/model"
)

// host joins what the hooks started, and keeps who was late.
type host struct {
	sync.WaitGroup

	mu   sync.Mutex
	late []string
}

func (h *host) Late(plugin string, at hook.Point) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.late = append(h.late, plugin+" "+string(at))
}

func set(t *testing.T, plugins ...hook.Plugin) *hook.Set {
	t.Helper()
	s, err := hook.New(plugins, []string{"reach"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func about(tool string) hook.AskCall {
	return hook.AskCall{At: hook.PreToolExecute, Call: hook.Call{Tool: tool, Args: json.RawMessage(`{"n":1}`)}}
}

func effects(a hook.Answer) string {
	var out []string
	for _, n := range a.Notes {
		out = append(out, n.Plugin+": "+n.Effect)
	}
	return strings.Join(out, "; ")
}

func TestNamesAreChecked(t *testing.T) {
	for name, tc := range map[string]struct {
		plugins []hook.Plugin
		want    string
	}{
		"none":     {[]hook.Plugin{{}}, "has no name"},
		"twice":    {[]hook.Plugin{{Name: "a"}, {Name: "b"}, {Name: "a"}}, "plugin a: there is another plugin"},
		"deadline": {[]hook.Plugin{{Name: "a", Deadline: -1}}, "deadline is negative"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := hook.New(tc.plugins, nil)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func TestNobodyIsAskedWherePluginsHaveNoHook(t *testing.T) {
	none, err := hook.New(nil, nil)
	if err != nil || none.Has(hook.PreLLMCall) {
		t.Errorf("without plugins: %v, %v", none.Has(hook.PreLLMCall), err)
	}
	s := set(t, hook.Plugin{Name: "a", OnEvent: func(context.Context, hook.Event) error { return nil }})
	for _, at := range []hook.Point{hook.PreLLMCall, hook.PostLLMCall, hook.PreToolDispatch, hook.PreToolExecute, hook.PostToolExecute, hook.OnInterrupt} {
		if s.Has(at) {
			t.Errorf("somebody is asked at %s", at)
		}
	}
	if !s.Has(hook.OnEvent) {
		t.Error("nobody is asked at on_event")
	}
}

// wrap is a plugin that leaves its name in whatever passes.
func wrap(name string) hook.Plugin {
	return hook.Plugin{
		Name: name,
		PreLLMCall: func(context.Context, hook.Round) (hook.Before, error) {
			return hook.Before{Add: name}, nil
		},
		PostLLMCall: func(_ context.Context, r hook.Reply) (string, error) { return r.Text + name, nil },
		PreToolDispatch: func(_ context.Context, c hook.Call) (hook.Ruling, error) {
			return hook.Ruling{Tool: c.Tool + name}, nil
		},
		PreToolExecute: func(_ context.Context, c hook.Call) (hook.Ruling, error) {
			return hook.Ruling{Tool: c.Tool + name}, nil
		},
		PostToolExecute: func(_ context.Context, r hook.Result) (json.RawMessage, error) {
			var o struct{ By string }
			if err := json.Unmarshal(r.JSON, &o); err != nil {
				return nil, err
			}
			return fmt.Appendf(nil, `{"by":%q}`, o.By+name), nil
		},
	}
}

// TestOnion: what stands before a thing goes inwards, what stands after it outwards.
func TestOnion(t *testing.T) {
	s, h := set(t, wrap("a"), wrap("b"), wrap("c")), &host{}
	defer h.Wait()
	for _, tc := range []struct {
		name string
		ask  hook.Ask
		got  func(hook.Answer) string
		want string
	}{
		{"pre_llm_call", hook.Round{}, func(a hook.Answer) string { return strings.Join(a.Add, "") }, "abc"},
		{"pre_tool_dispatch", hook.AskCall{At: hook.PreToolDispatch}, func(a hook.Answer) string { return a.Call.Tool }, "abc"},
		{"pre_tool_execute", hook.AskCall{At: hook.PreToolExecute}, func(a hook.Answer) string { return a.Call.Tool }, "abc"},
		{"post_llm_call", hook.Reply{}, func(a hook.Answer) string { return a.Text }, "cba"},
		{"post_tool_execute", hook.Result{JSON: json.RawMessage(`{}`)}, func(a hook.Answer) string { return string(a.JSON) }, `{"by":"cba"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := s.Run(t.Context(), h, tc.ask)
			if got := tc.got(a); got != tc.want || len(a.Notes) != 3 {
				t.Errorf("got %s with %d notes, want %s with 3", got, len(a.Notes), tc.want)
			}
		})
	}
}

func TestAPluginThatChangesNothingLeavesNoNote(t *testing.T) {
	same := hook.Plugin{
		Name:            "same",
		PreLLMCall:      func(context.Context, hook.Round) (hook.Before, error) { return hook.Before{}, nil },
		PostLLMCall:     func(_ context.Context, r hook.Reply) (string, error) { return r.Text, nil },
		PreToolExecute:  func(_ context.Context, c hook.Call) (hook.Ruling, error) { return hook.Ruling{Args: c.Args}, nil },
		PostToolExecute: func(_ context.Context, r hook.Result) (json.RawMessage, error) { return r.JSON, nil },
	}
	s, h := set(t, same), &host{}
	defer h.Wait()
	for _, a := range []hook.Ask{hook.Round{}, hook.Reply{Text: "x"}, about("reach"), hook.Result{JSON: json.RawMessage(`{}`)}} {
		if got := s.Run(t.Context(), h, a); len(got.Notes) != 0 || got.Veto != "" {
			t.Errorf("%T: got %+v", a, got)
		}
	}
}

func TestAVetoEndsTheQuestion(t *testing.T) {
	asked := false
	s, h := set(t,
		hook.Plugin{Name: "no", PreToolExecute: func(context.Context, hook.Call) (hook.Ruling, error) {
			return hook.Ruling{Veto: "not on a Sunday"}, nil
		}},
		hook.Plugin{Name: "next", PreToolExecute: func(context.Context, hook.Call) (hook.Ruling, error) {
			asked = true
			return hook.Ruling{}, nil
		}}), &host{}
	a := s.Run(t.Context(), h, about("reach"))
	h.Wait()
	if a.Veto != "not on a Sunday" || asked {
		t.Errorf("got veto %q; the next one was asked: %v", a.Veto, asked)
	}
	if n := a.Notes[0]; string(n.Before) != `{"tool":"reach","args":{"n":1}}` || n.Effect != "vetoed: not on a Sunday" {
		t.Errorf("got %+v", n)
	}
}

// faults are the ways in which a hook can go wrong.
var faults = map[string]func(context.Context) error{
	"error": func(context.Context) error { return errors.New("out of order") },
	"panic": func(context.Context) error { panic("oh") },
	"hang": func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	},
	"deaf": func(context.Context) error {
		<-time.After(time.Hour) // of a bubble
		return nil
	},
}

func broken(name string, on hook.Policy, f func(context.Context) error) hook.Plugin {
	return hook.Plugin{
		Name: name, OnFault: on, Deadline: 50 * time.Millisecond,
		PreLLMCall:      func(ctx context.Context, _ hook.Round) (hook.Before, error) { return hook.Before{}, f(ctx) },
		PostLLMCall:     func(ctx context.Context, _ hook.Reply) (string, error) { return "", f(ctx) },
		PreToolDispatch: func(ctx context.Context, _ hook.Call) (hook.Ruling, error) { return hook.Ruling{}, f(ctx) },
		PreToolExecute:  func(ctx context.Context, _ hook.Call) (hook.Ruling, error) { return hook.Ruling{}, f(ctx) },
		PostToolExecute: func(ctx context.Context, _ hook.Result) (json.RawMessage, error) { return nil, f(ctx) },
		OnEvent:         func(ctx context.Context, _ hook.Event) error { return f(ctx) },
		OnInterrupt:     func(ctx context.Context, _ hook.Interrupt) error { return f(ctx) },
	}
}

// TestFaults: whatever goes wrong is told within the deadline, and follows the policy; what guards motion fails closed.
func TestFaults(t *testing.T) {
	questions := []struct {
		name   string
		ask    hook.Ask
		always bool // it fails closed, whatever is declared
	}{
		{"round", hook.Round{}, false},
		{"reply", hook.Reply{Text: "secret"}, false},
		{"motion", about("reach"), true},
		{"motion dispatched", hook.AskCall{At: hook.PreToolDispatch, Call: hook.Call{Tool: "reach"}}, true},
		{"no motion", about("update_plan"), false},
		{"result", hook.Result{JSON: json.RawMessage(`{"secret":1}`), Images: 2}, false},
	}
	for name, f := range faults {
		for _, q := range questions {
			for _, policy := range []hook.Policy{hook.Open, hook.Closed} {
				t.Run(fmt.Sprintf("%s/%s/%d", name, strings.ReplaceAll(q.name, " ", "_"), policy), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						h := &host{}
						from := time.Now()
						a := set(t, broken("bad", policy, f)).Run(t.Context(), h, q.ask)
						if took := time.Since(from); took > 50*time.Millisecond {
							t.Errorf("it took %v", took)
						}
						h.Wait()
						checkFault(t, q.ask, a, policy == hook.Closed || q.always)
						if late := len(h.late) == 1; late != (name == "deaf") {
							t.Errorf("late were %v", h.late)
						}
					})
				})
			}
		}
	}
}

func checkFault(t *testing.T, ask hook.Ask, a hook.Answer, closed bool) {
	t.Helper()
	if len(a.Notes) != 1 || !strings.HasPrefix(a.Notes[0].Effect, "failed") {
		t.Fatalf("it is not told: %s", effects(a))
	}
	got := false
	switch ask.(type) {
	case hook.Round, hook.AskCall:
		got = a.Veto != ""
	case hook.Reply:
		got = !strings.Contains(a.Text, "secret")
	case hook.Result:
		got = !strings.Contains(string(a.JSON), "secret")
		if a.Withheld != got {
			t.Errorf("withheld is %v", a.Withheld)
		}
	}
	if got != closed {
		t.Errorf("closed is %v, want %v: %+v", got, closed, a)
	}
}

// TestNonsense: what is no JSON object is a fault.
func TestNonsense(t *testing.T) {
	for _, raw := range []string{`7`, `null`, `{"a":`, `[]`, ``} {
		p := hook.Plugin{
			Name:            "bad",
			PreToolExecute:  func(context.Context, hook.Call) (hook.Ruling, error) { return hook.Ruling{Args: []byte(raw)}, nil },
			PostToolExecute: func(context.Context, hook.Result) (json.RawMessage, error) { return []byte(raw), nil },
		}
		s, h := set(t, p), &host{}
		if a := s.Run(t.Context(), h, about("reach")); a.Veto == "" {
			t.Errorf("arguments %q passed: %+v", raw, a)
		}
		if a := s.Run(t.Context(), h, hook.Result{JSON: json.RawMessage(`{}`)}); string(a.JSON) != `{}` || len(a.Notes) != 1 {
			t.Errorf("answer %q passed: %+v", raw, a)
		}
		h.Wait()
	}
}

// TestACallRenamedToMotionIsGuarded: what counts is what the call has become.
func TestACallRenamedToMotionIsGuarded(t *testing.T) {
	rename := hook.Plugin{Name: "rename", PreToolDispatch: func(context.Context, hook.Call) (hook.Ruling, error) {
		return hook.Ruling{Tool: "reach"}, nil
	}}
	h := &host{}
	a := set(t, rename, broken("bad", hook.Open, faults["error"])).Run(t.Context(), h, hook.AskCall{At: hook.PreToolDispatch, Call: hook.Call{Tool: "observe"}})
	h.Wait()
	if a.Veto == "" {
		t.Errorf("it passed: %+v", a)
	}
}

// TestAHookCannotChangeWhatItIsGiven: neither what was checked nor what is told.
func TestAHookCannotChangeWhatItIsGiven(t *testing.T) {
	p := hook.Plugin{
		Name: "scribbler",
		PreToolExecute: func(_ context.Context, c hook.Call) (hook.Ruling, error) {
			copy(c.Args, `{"n":9}`)
			return hook.Ruling{}, nil
		},
		PostToolExecute: func(_ context.Context, r hook.Result) (json.RawMessage, error) {
			copy(r.JSON, `{"n":9}`)
			return nil, nil
		},
		PostLLMCall: func(_ context.Context, r hook.Reply) (string, error) {
			copy(r.Calls[0].Args, `{"n":9}`)
			return r.Text, nil
		},
		PreLLMCall: func(_ context.Context, r hook.Round) (hook.Before, error) {
			copy(r.Request.Tools[0].Parameters, `{"n":9}`)
			for i := range r.Request.Messages {
				r.Request.Messages[i].Role = "nobody"
				for k, b := range r.Request.Messages[i].Blocks {
					scribble(b)
					r.Request.Messages[i].Blocks[k] = model.Block{}
				}
			}
			return hook.Before{}, nil
		},
	}
	s, h := set(t, p), &host{}
	defer h.Wait()
	req := func() model.Request {
		return model.Request{Tools: []model.ToolSpec{{Parameters: json.RawMessage(`{"n":1}`)}}, Messages: []model.Message{{Role: "user", Blocks: []model.Block{
			{Text: &model.TextBlock{Text: "a", Data: json.RawMessage(`{"n":1}`)}}, {Image: &model.ImageBlock{ID: "o1"}},
			{Call: &model.CallBlock{Args: json.RawMessage(`{"n":1}`)}}, {Opaque: &model.OpaqueBlock{Raw: json.RawMessage(`{"n":1}`)}},
			{Result: &model.ResultBlock{JSON: json.RawMessage(`{"n":1}`), Images: []model.ImageBlock{{ID: "o1"}}}},
		}}}}
	}
	given := req()
	s.Run(t.Context(), h, hook.Round{Request: given})
	if d := cmp.Diff(req(), given); d != "" {
		t.Errorf("the request was changed: %s", d)
	}
	calls := []model.CallBlock{{Args: json.RawMessage(`{"n":1}`)}}
	s.Run(t.Context(), h, hook.Reply{Text: "a", Calls: calls})
	if string(calls[0].Args) != `{"n":1}` {
		t.Errorf("got calls %s", calls[0].Args)
	}
	if a := s.Run(t.Context(), h, about("reach")); string(a.Call.Args) != `{"n":1}` {
		t.Errorf("got arguments %s", a.Call.Args)
	}
	if a := s.Run(t.Context(), h, hook.Result{JSON: json.RawMessage(`{"n":1}`)}); string(a.JSON) != `{"n":1}` {
		t.Errorf("got answer %s", a.JSON)
	}
}

func scribble(b model.Block) {
	switch {
	case b.Text != nil:
		b.Text.Text = "b"
		copy(b.Text.Data, `{"n":9}`)
	case b.Image != nil:
		b.Image.ID = "o9"
	case b.Call != nil:
		copy(b.Call.Args, `{"n":9}`)
	case b.Opaque != nil:
		copy(b.Opaque.Raw, `{"n":9}`)
	case b.Result != nil:
		copy(b.Result.JSON, `{"n":9}`)
		b.Result.Images[0].ID = "o9"
	}
}

// TestACancelReachesTheHook: the one being asked is cut off, those after it are not asked.
func TestACancelReachesTheHook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []string
		ask := func(name string) hook.Plugin {
			return broken(name, hook.Closed, func(ctx context.Context) error {
				asked = append(asked, name)
				<-ctx.Done()
				return context.Cause(ctx)
			})
		}
		s, h := set(t, ask("a"), ask("b")), &host{}
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Millisecond, func() { cancel(errors.New("a takeover")) })
		from := time.Now()
		a := s.Run(ctx, h, hook.Result{JSON: json.RawMessage(`{}`)})
		took := time.Since(from)
		h.Wait()
		if took != time.Millisecond || !slices.Equal(asked, []string{"b"}) || !a.Withheld {
			t.Errorf("it took %v, asked were %v, got %s", took, asked, effects(a))
		}
	})
}

func TestArgumentsThatAreNoJSONAreQuotedInTheLog(t *testing.T) {
	s, h := set(t, hook.Plugin{Name: "no", PreToolDispatch: func(context.Context, hook.Call) (hook.Ruling, error) {
		return hook.Ruling{Veto: "no"}, nil
	}}), &host{}
	defer h.Wait()
	for args, want := range map[string]string{`{"how":`: `{"tool":"reach","args":"{\"how\":"}`, ``: `{"tool":"reach","args":{}}`} {
		a := s.Run(t.Context(), h, hook.AskCall{At: hook.PreToolDispatch, Call: hook.Call{Tool: "reach", Args: json.RawMessage(args)}})
		if got := string(a.Notes[0].Before); got != want {
			t.Errorf("%q: got %s, want %s", args, got, want)
		}
	}
}
