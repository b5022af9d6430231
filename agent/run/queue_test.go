package run

import (
	"strings"
	"testing"
	"time"

	"github.com/rein-robotics/rein/control"
)

// pointing is a desk whose plan is a reach and then a pick with this point, and whose reach has just succeeded.
func pointing(t *testing.T, args string, change ...func(*Settings)) *desk {
	t.Helper()
	d := begun(t, change...)
	d.reply(asks("update_plan", `{"steps":[{"text":"one","tool":"reach"},{"text":"two","tool":"pick","args":`+args+`}]}`), asks("reach", `{}`))
	d.takes()
	d.ends("a1", control.Succeeded, control.CauseSkill)
	return d
}

func TestQueueChecksPointsAgainBeforeItStarts(t *testing.T) {
	tests := map[string]struct {
		args, code, woke string
		change           func(*Settings)
	}{
		"too_old":           {`{"point":[30,20],"observation_id":"o1.cam"}`, "point_too_old", "step needs look", func(s *Settings) { s.Points.MaxAge = time.Millisecond }},
		"outside":           {`{"point":[99,20],"observation_id":"o1.cam"}`, "point_outside_image", "step cannot start", nil},
		"unknown_look":      {`{"point":[30,20],"observation_id":"o7.cam"}`, "unknown_observation", "step cannot start", nil},
		"motions_used_up":   {`{"point":[30,20],"observation_id":"o1.cam"}`, "budget", "step cannot start", func(s *Settings) { s.Budgets.Motions = 1 }},
		"strict_points":     {`{"point":[30,20],"observation_id":"o1.cam"}`, "", "step needs look", func(s *Settings) { s.Points.Strict = true }},
		"no_point":          {`{}`, "", "step needs look", nil},
		"no_observation_id": {`{"point":[30,20]}`, "", "step needs look", nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			change := tc.change
			if change == nil {
				change = func(*Settings) {}
			}
			d := pointing(t, tc.args, change)
			d.lookAround() // the planner is woken, with a fresh look
			if got := strings.Join(d.codes(), " "); got != tc.code {
				t.Errorf("got refusals [%s], want [%s]", got, tc.code)
			}
			if !strings.Contains(d.told(), "Woken by: "+tc.woke) || !strings.Contains(d.told(), tc.code) {
				t.Errorf("woken so:\n%s", d.told())
			}
			if d.steps() != "done todo" {
				t.Errorf("got steps %s", d.steps())
			}
		})
	}
}

func TestQueueInADryRunSkipsAndWakes(t *testing.T) {
	d := begun(t, func(s *Settings) { s.DryRun = true })
	d.reply(asks("update_plan", `{"steps":[{"text":"one","tool":"reach"}]}`))
	d.reply()
	d.lookAround()
	if d.steps() != "skipped" || !strings.Contains(d.told(), "dry run") {
		t.Errorf("got steps %s; told:\n%s", d.steps(), d.told())
	}
}

func TestSkillCallAfterStopActionInOneReply(t *testing.T) {
	d := begun(t)
	d.reply(asks("reach", `{}`))
	d.takes()
	d.give(Message{Text: "the other way"})
	d.lookAround()
	d.reply(asks("stop_action", `{"action_id":"a1","reason":"the other way"}`), asks("reach", `{"how":"back"}`))
	d.wants("stop")
	d.stopped(control.Stopped, control.CausePlanner)
	if st := d.takes(); st.What.Action != "a2" {
		t.Errorf("got %s", st.What.Action)
	}
	if c := d.codes(); len(c) != 0 {
		t.Errorf("got refusals %v", c)
	}
	d.wants("") // a stop of the planner's own wakes nobody
}

func TestBadEndVoidsCallsDecidedOnAnOlderView(t *testing.T) {
	for _, other := range []string{"reach", "squeeze"} {
		t.Run(other, func(t *testing.T) {
			d := begun(t)
			d.reply(asks("reach", `{}`))
			d.takes()
			d.give(Message{Text: "and now"})
			d.lookAround()
			c := pop[CallModel](d)
			d.ends("a1", control.Failed, control.CauseSkill)
			d.give(Part{ID: c.ID, What: asks(other, `{"how":"on"}`)})
			stale := len(d.codes()) == 1 && d.codes()[0] == "stale_view"
			if want := other == "reach"; stale != want {
				t.Errorf("stale_view %t, want %t: %v", stale, want, d.codes())
			}
		})
	}
}

func TestMinutesCountOnlyWhileTheRunGoesOn(t *testing.T) {
	d := begun(t, func(s *Settings) { s.Budgets.Active = time.Minute })
	d.reply(asks("reach", `{}`))
	d.takes()
	d.at += 20 * time.Second
	d.news(control.OperatorTook{Input: "key w", Generation: 2})
	d.at += time.Hour // paused: costs nothing
	d.give(Message{Text: "go on"})
	d.lookAround()
	d.reply(asks("ask_user", `{"question":"which one?"}`))
	d.at += time.Hour // waiting for the user: costs nothing
	d.give(Message{Text: "the red one"})
	d.lookAround()
	if d.s.phase != inTurn || d.s.pool.Active > 25*time.Second {
		t.Errorf("got phase %s after %s", d.s.phase, d.s.pool.Active)
	}
	d.at += 45 * time.Second
	d.news(control.TimerFired{ID: minutesTimer})
	if d.s.end == nil || d.s.end.status != StatusBudget {
		t.Errorf("got %+v after %s", d.s.end, d.s.pool.Active)
	}
}

func TestMinutesWakeByThemselves(t *testing.T) {
	d := begun(t, func(s *Settings) { s.Budgets.Active = time.Minute })
	if n := len(d.timers); n != 1 || d.timers[0].At < 59*time.Second || d.timers[0].At > time.Minute+time.Second {
		t.Fatalf("got timers %v", d.timers)
	}
	d.news(control.OperatorTook{Input: "key w", Generation: 2})
	d.at += time.Hour
	d.give(Message{Text: "go on"})
	if n := len(d.timers); n != 2 || d.timers[1].At < time.Hour+59*time.Second {
		t.Errorf("got timers %v, want a new one after the pause", d.timers)
	}
}
