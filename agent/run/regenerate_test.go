package run

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/agent/hook"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
)

// again asks for another reply and gives why it was refused, "" when it was not.
func (d *desk) again() string {
	d.t.Helper()
	d.give(Regenerate{Ask: 7})
	if len(d.callers) == 0 {
		d.t.Fatal("nobody is answered")
	}
	return d.callers[len(d.callers)-1].Why
}

func requestOf(d *desk) string {
	d.t.Helper()
	for _, e := range d.pending {
		if c, is := e.(CallModel); is {
			raw, err := json.Marshal(c.View.Request)
			if err != nil {
				d.t.Fatal(err)
			}
			return string(raw)
		}
	}
	d.t.Fatalf("no request waits; there are %s", d.kinds())
	return ""
}

// TestRegenerate: a reply that changed nothing is taken back, and the same request is sent.
func TestRegenerate(t *testing.T) {
	for name, parts := range map[string][]model.Part{
		"reading":  {asks("count", `{}`), asks("ask_user", `{"question":"which?"}`)},
		"question": {model.Text{Text: "Hm."}, asks("ask_user", `{"question":"which?"}`)},
		"look":     {asks("observe", `{}`), asks("ask_user", `{"question":"which?"}`)},
		"refusals": {asks("fly", `{}`), asks("reach", `{"how":7}`), asks("ask_user", `{"question":"which?"}`)},
	} {
		t.Run(name, func(t *testing.T) {
			d := begun(t, functions(t))
			first := requestOf(d)
			d.reply(parts...)
			if name == "look" {
				d.lookAround()
			}
			if name == "reading" {
				d.comesBack(`{}`)
			}
			if why := d.again(); why != "" {
				t.Fatal(why)
			}
			d.wants("callModel")
			if got := requestOf(d); got != first {
				t.Errorf("the request is another one: %s", cmp.Diff(first, got))
			}
			if d.s.pool.Turns != 2 {
				t.Errorf("%d rounds are charged", d.s.pool.Turns)
			}
			d.reply(asks("reach", `{}`)) // and all goes on
			d.takes()
			d.ends("a1", control.Failed, control.CauseSkill)
			d.lookAround()
			if got := pop[CallModel](d).View.Request.Messages; len(got) != 3 || got[1].Blocks[0].Call.Name != "reach" {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// TestRegenerateAfterText: without a reminder again, since the first one stands in the request.
func TestRegenerateAfterText(t *testing.T) {
	d := begun(t)
	d.reply(model.Text{Text: "I think"})
	second := requestOf(d)
	d.reply(model.Text{Text: "I still think"})
	if why := d.again(); why != "" {
		t.Fatal(why)
	}
	if got := requestOf(d); got != second {
		t.Errorf("the request is another one: %s", cmp.Diff(second, got))
	}
	d.reply(model.Text{Text: "Hm."})
	if d.wants(""); d.s.phase != waiting {
		t.Errorf("phase %s", d.s.phase)
	}
}

// TestOnlyTheLastReplyCounts: what an earlier one changed stays as it is.
func TestOnlyTheLastReplyCounts(t *testing.T) {
	d := begun(t)
	d.reply(asks("update_plan", `{"steps":[{"text":"look"}]}`))
	d.reply(asks("ask_user", `{"question":"which?"}`))
	if why := d.again(); why != "" {
		t.Error(why)
	}
}

// TestTheUserSeesWhatIsTakenBack: text and question.
func TestTheUserSeesWhatIsTakenBack(t *testing.T) {
	d := begun(t)
	d.reply(model.Text{Text: "Hm."}, asks("ask_user", `{"question":"which?","choices":["a","b"]}`))
	d.again()
	var got []string
	for _, e := range d.logged {
		if w, is := e.(episode.AgentMessageWithdrawn); is {
			got = append(got, w.What)
		}
	}
	if !cmp.Equal(got, []string{"Hm.", "which? (a / b)"}) {
		t.Errorf("withdrawn are %q", got)
	}
}

// TestRegenerateIsRefused: and nothing changes then.
func TestRegenerateIsRefused(t *testing.T) {
	plan := asks("update_plan", `{"steps":[{"text":"look"}]}`)
	ask := asks("ask_user", `{"question":"?"}`)
	for name, tc := range map[string]struct {
		do   func(d *desk)
		want string
	}{
		"no_run":          {func(d *desk) { d.give(Canceled{By: "x"}) }, "no run is on"},
		"in_a_turn":       {func(*desk) {}, "the planner is at it"},
		"paused":          {func(d *desk) { d.reply(ask); d.news(control.OperatorTook{Input: "key", Generation: 2}) }, "the run is paused"},
		"started":         {func(d *desk) { d.reply(asks("reach", `{}`)); d.takes() }, "reach was carried out"},
		"plan":            {func(d *desk) { d.reply(plan, ask) }, "update_plan was carried out"},
		"new_segment_due": {func(d *desk) { d.reply(ask); d.give(Prompted{Text: "be quick"}) }, "a new segment"},
		"stopped": {func(d *desk) {
			d.reply(asks("reach", `{}`))
			d.takes()
			d.give(Message{Text: "stop it"})
			d.lookAround()
			d.reply(asks("stop_action", `{"action_id":"a1","reason":"enough"}`), ask)
			d.stopped(control.Stopped, control.CausePlanner)
		}, "stop_action was carried out"},
		"function": {func(d *desk) {
			d.reply(asks("note", `{}`), ask)
			d.give(Ran{ID: pop[RunTool](d).ID, Err: errors.New("it broke on the way")})
		}, "note was carried out"},
		"job":          {func(d *desk) { d.reply(asks("survey", `{}`), ask) }, "survey was carried out"},
		"nothing_said": {func(d *desk) { d.reply(); d.reply() }, "no reply"},
	} {
		t.Run(name, func(t *testing.T) {
			d := begun(t, functions(t))
			tc.do(d)
			before := d.kinds()
			if why := d.again(); !strings.Contains(why, tc.want) {
				t.Errorf("got %q, want %q", why, tc.want)
			}
			d.wants(before)
		})
	}
}

func TestAPluginCanVetoButNotChangeARegeneration(t *testing.T) {
	d := newDesk(t, plugged(hook.PreLLMCall))
	d.give(Message{Text: "do it"})
	d.lookAround()
	d.befores(hook.Answer{})
	d.reply(asks("ask_user", `{"question":"which?"}`))
	d.again()
	if r := d.befores(hook.Answer{Veto: "enough"}); !r.Again {
		t.Errorf("asked about %+v", r)
	}
	if d.wants(""); d.s.phase != waiting {
		t.Errorf("phase %s", d.s.phase)
	}
	set, err := hook.New([]hook.Plugin{{Name: "p", PreLLMCall: func(context.Context, hook.Round) (hook.Before, error) {
		return hook.Before{Add: "more"}, nil
	}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var h hookHost
	defer h.Wait()
	if got := set.Run(t.Context(), &h, hook.Round{Again: true}); got.Add != nil || len(got.Notes) != 1 {
		t.Errorf("got %+v", got)
	}
}

// hookHost carries hooks that answer in time.
type hookHost struct{ sync.WaitGroup }

func (*hookHost) Late(string, hook.Point) {}
