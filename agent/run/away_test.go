package run

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rein-robotics/rein/agent/inbox"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
)

// While the planner is away its actions go on under their deadlines and the monitor; the queue rests, and the user who
// brings the planner back has it told what happened.
func TestActionsGoOnWhileThePlannerIsAway(t *testing.T) {
	d := watchedDesk(t)
	d.reply(asks("update_plan", `{"steps":[{"text":"one","tool":"reach"},{"text":"two","tool":"squeeze"}]}`), asks("reach", `{}`))
	a := d.takes().What.Action
	d.give(Message{Text: "how is it going?"})
	d.lookAround()
	d.give(Replied{ID: pop[CallModel](d).ID, Err: errors.New("connection refused")})
	if d.s.phase != paused {
		t.Fatalf("phase %s", d.s.phase)
	}
	d.wants("") // nothing is stopped
	d.says(d.tick(a), "progress=there:0.9")
	if e := d.halted(); e.Outcome != control.Succeeded || e.Cause != control.CauseMonitor {
		t.Errorf("got %+v", e)
	}
	d.still(d.halted(), control.Still)
	d.wants("") // neither the next step nor what follows is begun without a planner
	if got := d.steps(); got != "done todo" {
		t.Errorf("got steps %q", got)
	}
	d.give(Message{Text: "go on"})
	d.lookAround()
	for _, want := range []string{"connection refused", "action ended a1", "go on"} {
		if told := d.told(); !strings.Contains(told, want) {
			t.Errorf("the view lacks %q:\n%s", want, told)
		}
	}
}

// A user waits for no planner: what is written while it is away brings it back at once.
func TestMessageBringsThePlannerBack(t *testing.T) {
	d := begun(t)
	d.give(Replied{ID: pop[CallModel](d).ID, Err: &model.Error{Class: model.Quota}})
	p := of[episode.RunPaused](d)
	if len(p) != 1 || p[0].By != episode.ByHarness || p[0].Reason == "" {
		t.Errorf("got %+v", p)
	}
	d.give(Message{Text: "I have paid"})
	d.lookAround()
	d.wants("callModel")
}

// Words without a call while something runs end the turn; nobody is reminded.
func TestWordsAloneWhileSomethingRuns(t *testing.T) {
	d := begun(t)
	d.reply(asks("reach", `{}`))
	d.takes()
	d.give(Message{Text: "how is it going?"})
	d.lookAround()
	d.reply(model.Text{Text: "It is on its way."})
	d.wants("")
	if d.s.phase != watching {
		t.Errorf("phase %s", d.s.phase)
	}
}

// The end of the minutes ends a call in flight, too.
func TestMinutesEndACallInFlight(t *testing.T) {
	d := begun(t, func(s *Settings) { s.Budgets.Active = time.Minute })
	c := pop[CallModel](d)
	d.at += time.Minute
	d.news(control.TimerFired{ID: minutesTimer})
	if !slices.Equal(d.cuts, []EffectID{c.ID}) {
		t.Errorf("cut %v, want %v", d.cuts, c.ID)
	}
	d.give(Judged{ID: pop[Judge](d).ID})
	if d.result == nil || d.result.Status != StatusBudget {
		t.Errorf("got %+v", d.result)
	}
}

// The claim is refused in each phase of an action's life.
func TestFinishTaskInEachPhaseOfAnAction(t *testing.T) {
	claim := asks("finish_task", `{"success":true,"summary":"x"}`)
	phases := map[string]func(d *desk){
		"starting": func(d *desk) {
			d.reply(asks("update_plan", `{"steps":[{"text":"one","tool":"reach"}]}`))
			d.reply()
			d.wants("prepare")
		},
		"running":  func(d *desk) { d.starts("reach", `{}`) },
		"stopping": func(d *desk) { d.says(d.tick(d.starts("reach", `{}`)), "progress=there:1"); d.wants("stop") },
		"following_up": func(d *desk) {
			d.says(d.tick(d.starts("reach", `{}`)), "progress=there:1")
			d.still(d.halted(), control.Still)
			d.wants("prepare")
		},
	}
	for name, bring := range phases {
		t.Run(name, func(t *testing.T) {
			d := watchedDesk(t)
			bring(d)
			d.give(Message{Text: "is it done?"})
			d.lookAround()
			d.reply(claim)
			if got := d.codes(); !slices.Equal(got, []string{"action_running"}) || d.s.Over() {
				t.Errorf("got %v in phase %s", got, d.s.phase)
			}
		})
	}
}

// A key and a message both wait: the key comes out first whatever came first, and only a message that was written after
// it resumes.
func TestKeyAndMessageBothWaiting(t *testing.T) {
	key := Happened{What: control.OperatorTook{Input: "key w", Generation: 2}}
	word := Message{Text: "to the left"}
	tests := map[string]struct {
		came    []Event
		resumes bool
	}{
		"message_then_key":         {[]Event{word, key}, false},
		"key_then_message":         {[]Event{key, word}, true},
		"message_key_then_message": {[]Event{Message{Text: "wait"}, key, word}, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d := begun(t)
			d.waiting(tc.came...)
			if got := d.s.phase != paused; got != tc.resumes {
				t.Fatalf("phase %s", d.s.phase)
			}
			if !tc.resumes {
				d.give(Message{Text: "go on"})
			}
			pop[CallModel](d) // of the round that the key has cut
			d.lookAround()
			if told := d.told(); !strings.Contains(told, "key w") || !strings.Contains(told, "to the left") {
				t.Errorf("key and message are not both told:\n%s", told)
			}
		})
	}
}

// waiting gives events that all wait in the inbox: in its order, with the numbers of their coming.
func (d *desk) waiting(came ...Event) {
	d.t.Helper()
	type numbered struct {
		seq uint64
		e   Event
	}
	var q inbox.Queue[numbered]
	first := d.seq
	for i, e := range came {
		class, stack := e.Class()
		q.Put(inbox.Item[numbered]{Class: class, Stackable: bool(stack), Event: numbered{first + uint64(i), e}})
	}
	for it, ok := q.Next(); ok; it, ok = q.Next() {
		d.seq = it.Event.seq // give counts on from here
		d.give(it.Event.e)
	}
	d.seq = first + uint64(len(came))
}
