package run

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/agent/hook"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
)

// These tests are about what plugins make of requests, texts and answers.

func TestAnAnswerCanBeRewritten(t *testing.T) {
	d := begun(t, plugged(hook.PostToolExecute))
	d.reply(asks("observe", `{}`), asks("reach", `{"how":7}`))
	d.lookAround()
	q := pop[AskPlugins](d)
	res := q.What.(hook.Result)
	if res.Call.Tool != "observe" || res.Images != 1 {
		t.Errorf("asked about %+v", res)
	}
	d.wants("") // a refusal is nobody's to change
	d.give(Hooked{ID: q.ID, Answer: hook.Answer{JSON: json.RawMessage(`{"seen":"less"}`), Withheld: true}})
	d.wants("callModel")
	if got := d.answer(1); got != `{"seen":"less"}` {
		t.Errorf("got %s", got)
	}
	msgs := pop[CallModel](d).View.Request.Messages
	if r := msgs[2].Blocks[0].Result; len(r.Images) != 0 || r.IsError {
		t.Errorf("got %+v", r)
	}
}

func TestTheAnswerOfAFunctionCanBeRewritten(t *testing.T) {
	d := begun(t, plugged(hook.PostToolExecute), functions(t))
	d.reply(asks("count", `{}`), asks("note", `{"of":"it"}`), asks("build", `{}`))
	for _, want := range []string{"count", "note", "build"} {
		if want != "build" {
			d.comesBack(`{"n":1}`)
		}
		q := pop[AskPlugins](d)
		if res := q.What.(hook.Result); res.Call.Tool != want {
			t.Errorf("asked about %+v", res)
		}
		d.give(Hooked{ID: q.ID, Answer: hook.Answer{JSON: json.RawMessage(`{"n":"` + want + `"}`)}})
	}
	for i, want := range []string{"count", "note", "build"} {
		if got := d.answer(i + 1); got != `{"n":"`+want+`"}` {
			t.Errorf("got %s, want that of %s", got, want)
		}
	}
}

// TestAnInterruptDuringAnAnswer: what happened stays true, so the planner is told that the action runs.
func TestAnInterruptDuringAnAnswer(t *testing.T) {
	d := begun(t, plugged(hook.PostToolExecute))
	d.reply(asks("reach", `{}`))
	d.takes()
	q := pop[AskPlugins](d)
	d.news(control.OperatorTook{Input: "key w", Generation: 2})
	d.give(Hooked{ID: q.ID, Answer: hook.Answer{JSON: json.RawMessage(`{"late":1}`)}})
	d.ends("a1", control.Stopped, control.CauseOperator)
	d.give(Message{Text: "go on"})
	d.lookAround()
	if got := d.answer(1); got != `{"action_id":"a1","status":"running"}` || d.lates() != 1 {
		t.Errorf("got %s, %d were late", got, d.lates())
	}
}

func (d *desk) texts(a string) {
	d.t.Helper()
	q := pop[AskPlugins](d)
	r := q.What.(hook.Reply)
	d.give(Hooked{ID: q.ID, Answer: hook.Answer{Text: a, Notes: []hook.Note{{Plugin: "p", At: hook.PostLLMCall, Effect: "rewrote " + r.Text}}}})
}

// TestATextIsRewrittenBeforeAnybodyHasIt: no request and no log of what the operator sees has the old one; calls stay.
func TestATextIsRewrittenBeforeAnybodyHasIt(t *testing.T) {
	d := begun(t, plugged(hook.PostLLMCall))
	d.reply(model.Text{Text: "The PIN is "}, model.Text{Text: "1234. "}, asks("observe", `{}`), model.Text{Text: "Looking."})
	d.lookAround()
	d.wants("askPlugins") // no further round before it
	d.texts("The PIN is ****.")
	msgs := pop[CallModel](d).View.Request.Messages
	if b := msgs[1].Blocks; len(b) != 2 || b[0].Text.Text != "The PIN is ****." || b[1].Call == nil {
		t.Errorf("got blocks %+v", b)
	}
	var said []string
	for _, e := range d.logged {
		if e, is := e.(episode.AgentMessage); is {
			said = append(said, e.Text)
		}
	}
	if !cmp.Equal(said, []string{"The PIN is ****."}) {
		t.Errorf("the operator sees %q", said)
	}
	if got := d.hookEvents(); !cmp.Equal(got, []string{"post_llm_call: rewrote The PIN is 1234. Looking."}) {
		t.Errorf("the log tells %q", got)
	}
}

// TestAnUnseenTextFollowsThePolicy: whether the reply was over or not when the interrupt came.
func TestAnUnseenTextFollowsThePolicy(t *testing.T) {
	for name, policy := range map[string]hook.Policy{"open": hook.Open, "closed": hook.Closed} {
		for _, over := range []string{"reply_is_over", "reply_is_not_over"} {
			t.Run(name+"_"+over, func(t *testing.T) {
				d := begun(t, plugIn(hook.Plugin{Name: "p", OnFault: policy, PostLLMCall: func(context.Context, hook.Reply) (string, error) { return "", nil }}))
				c := pop[CallModel](d)
				d.give(Part{ID: c.ID, What: model.Text{Text: "secret"}})
				if over == "reply_is_over" {
					d.give(Replied{ID: c.ID})
					d.wants("askPlugins")
				}
				d.news(control.OperatorTook{Input: "key w", Generation: 2})
				d.give(Message{Text: "go on"})
				d.pending = slices.DeleteFunc(d.pending, func(e Effect) bool { _, is := e.(AskPlugins); return is })
				d.lookAround()
				msgs := pop[CallModel](d).View.Request.Messages
				kept := msgs[1].Blocks[0].Text.Text == "secret"
				if kept != (policy == hook.Open) || msgs[1].Role != model.RoleAssistant {
					t.Errorf("the planner's text is %+v", msgs[1].Blocks[0].Text)
				}
			})
		}
	}
}

func (d *desk) befores(a hook.Answer) hook.Round {
	d.t.Helper()
	q := pop[AskPlugins](d)
	d.give(Hooked{ID: q.ID, Answer: a})
	return q.What.(hook.Round)
}

// TestTextBeforeARequest: it is added to the new message, and the past stays as it is.
func TestTextBeforeARequest(t *testing.T) {
	d := newDesk(t, plugged(hook.PreLLMCall))
	d.give(Message{Text: "do it"})
	d.lookAround()
	r := d.befores(hook.Answer{Add: []string{"Mind the cat."}})
	c := pop[CallModel](d)
	sent := c.View.Request.Messages[0].Blocks
	if last := sent[len(sent)-1]; last.Text == nil || last.Text.Text != "Mind the cat." {
		t.Errorf("got %+v", last)
	}
	if shown := r.Request.Messages[0].Blocks; !cmp.Equal(shown, sent[:len(sent)-1]) || !slices.Equal(r.Wakes, []string{"user_message"}) || r.Task != "do it" {
		t.Errorf("the plugin was shown %+v", r)
	}
	d.give(Part{ID: c.ID, What: asks("observe", `{}`)})
	d.give(Part{ID: c.ID, What: model.End{Reason: model.StopEndTurn}})
	d.give(Replied{ID: c.ID})
	d.lookAround()
	d.befores(hook.Answer{})
	if next := pop[CallModel](d).View.Request.Messages; !cmp.Equal(next[0].Blocks, sent) {
		t.Errorf("the past was changed: %+v", next[0].Blocks)
	}
}

// TestASystemPromptOfAPlugin: the request goes out in a new segment, with the same news, and so do those after it.
func TestASystemPromptOfAPlugin(t *testing.T) {
	d := newDesk(t, plugged(hook.PreLLMCall))
	d.give(Message{Text: "do it"})
	d.lookAround()
	d.befores(hook.Answer{})
	d.reply(asks("observe", `{}`))
	d.lookAround()
	d.befores(hook.Answer{System: "be brief", Add: []string{"Mind the cat."}})
	req := pop[CallModel](d).View.Request
	if req.System != "be brief" || len(req.Messages) != 1 {
		t.Fatalf("got prompt %q and %d messages", req.System, len(req.Messages))
	}
	var text strings.Builder
	for _, b := range req.Messages[0].Blocks {
		if b.Text != nil {
			text.WriteString(b.Text.Text + "\n")
		}
	}
	if !strings.Contains(text.String(), "Task: do it") || !strings.HasSuffix(text.String(), "Mind the cat.\n") {
		t.Errorf("told is\n%s", text.String())
	}
	var why []string
	for _, e := range d.logged {
		if c, is := e.(episode.ContextCheckpoint); is {
			why = append(why, c.Why)
		}
	}
	if !cmp.Equal(why, []string{"a plugin changed the system prompt"}) {
		t.Errorf("checkpoints: %q", why)
	}
}

// TestAVetoedRound: it is not asked, charged or left half open, and its news are told with the next one.
func TestAVetoedRound(t *testing.T) {
	veto := hook.Answer{Veto: "the office is closed", Notes: []hook.Note{{Plugin: "p", At: hook.PreLLMCall, Effect: "vetoed"}}}
	t.Run("nothing_runs", func(t *testing.T) {
		d := newDesk(t, plugged(hook.PreLLMCall))
		d.give(Message{Text: "do it"})
		d.lookAround()
		d.befores(veto)
		d.wants("")
		if d.s.phase != waiting || d.s.pool.Turns != 0 || len(d.hookEvents()) != 1 {
			t.Errorf("phase %s, %d rounds charged, log %v", d.s.phase, d.s.pool.Turns, d.hookEvents())
		}
		d.give(Message{Text: "and now?"})
		d.lookAround()
		d.befores(hook.Answer{})
		told := d.told()
		for _, want := range []string{"Task: do it", "The user says: and now?", "A round was not asked: the office is closed"} {
			if !strings.Contains(told, want) {
				t.Errorf("%q is not told:\n%s", want, told)
			}
		}
	})
	t.Run("within_a_turn", func(t *testing.T) {
		d := newDesk(t, plugged(hook.PreLLMCall))
		d.give(Message{Text: "do it"})
		d.lookAround()
		d.befores(hook.Answer{})
		d.reply(asks("observe", `{}`))
		d.lookAround()
		d.befores(veto)
		if open := d.s.book.OpenCalls(); d.s.phase != waiting || len(open) != 0 {
			t.Errorf("phase %s, open %v", d.s.phase, open)
		}
	})
	t.Run("headless", func(t *testing.T) {
		d := newDesk(t, plugged(hook.PreLLMCall), headless)
		d.give(Message{Text: "do it"})
		d.lookAround()
		d.befores(veto)
		d.give(Judged{ID: pop[Judge](d).ID})
		if d.result == nil || !strings.Contains(d.result.Summary, "the office is closed") || d.result.Claimed != nil {
			t.Errorf("got %+v", d.result)
		}
	})
}

func TestAnInterruptBeforeARequestLosesNothing(t *testing.T) {
	d := newDesk(t, plugged(hook.PreLLMCall))
	d.give(Message{Text: "do it"})
	d.lookAround()
	q := pop[AskPlugins](d)
	d.news(control.OperatorTook{Input: "key w", Generation: 2})
	d.give(Hooked{ID: q.ID})
	d.wants("")
	d.give(Message{Text: "go on"})
	d.lookAround()
	d.befores(hook.Answer{})
	if told := d.told(); !strings.Contains(told, "The user says: do it") || !strings.Contains(told, "The user says: go on") || d.lates() != 1 {
		t.Errorf("%d were late; told is\n%s", d.lates(), told)
	}
}
