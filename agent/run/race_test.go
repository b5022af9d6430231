package run

import (
	"errors"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/model"
)

// These tests put answers at moments that goroutines hit rarely.

// stages are the ways of a call to the robot: each brings a desk to where the named effect waits.
func stages(t *testing.T, f func(t *testing.T, d *desk, answer func())) {
	t.Helper()
	t.Run("prepare", func(t *testing.T) {
		d := begun(t)
		d.reply(asks("reach", `{}`))
		p := pop[Prepare](d)
		f(t, d, func() { d.give(Prepared{ID: p.ID}) })
	})
	t.Run("prepare_fails", func(t *testing.T) {
		d := begun(t)
		d.reply(asks("reach", `{}`))
		p := pop[Prepare](d)
		f(t, d, func() { d.give(Prepared{ID: p.ID, Err: errors.New("no")}) })
	})
	t.Run("start", func(t *testing.T) {
		d := begun(t)
		d.reply(asks("reach", `{}`))
		d.give(Prepared{ID: pop[Prepare](d).ID})
		p := pop[Start](d)
		f(t, d, func() { d.give(Started{ID: p.ID}) })
	})
	t.Run("start_refused", func(t *testing.T) {
		d := begun(t)
		d.reply(asks("reach", `{}`))
		d.give(Prepared{ID: pop[Prepare](d).ID})
		p := pop[Start](d)
		f(t, d, func() { d.give(Started{ID: p.ID, Err: &control.Refused{Code: control.CodeStaleGeneration}}) })
	})
	t.Run("patch", func(t *testing.T) {
		d := begun(t)
		d.s.motions++ // the robot has moved since the look
		d.reply(asks("pick", `{"point":[30,20],"observation_id":"o1.cam"}`))
		l := pop[Look](d)
		f(t, d, func() { d.give(Looked{ID: l.ID, Err: errors.New("no picture")}) })
	})
	t.Run("seed", func(t *testing.T) {
		d := begun(t)
		d.reply(asks("pick", `{"point":[30,20],"observation_id":"o1.cam"}`))
		d.give(Prepared{ID: pop[Prepare](d).ID})
		p := pop[Seed](d)
		f(t, d, func() { d.give(Seeded{ID: p.ID}) })
	})
}

func TestCancelWhileACallIsOnItsWay(t *testing.T) {
	stages(t, func(t *testing.T, d *desk, answer func()) {
		d.give(Canceled{By: "the test"})
		answer()
		if d.kinds() == "stop" { // it had started after all
			d.stopped(control.Stopped, control.CauseCancel)
		}
		d.give(Judged{ID: pop[Judge](d).ID})
		if d.result == nil || d.result.Status != StatusCancelled {
			t.Fatalf("got %+v, want a cancelled run", d.result)
		}
		d.wants("")
		if n := len(d.s.acts.All()); n != 0 {
			t.Errorf("%d actions are left", n)
		}
	})
}

func TestTakeoverAndMessageWhileACallIsOnItsWay(t *testing.T) {
	stages(t, func(t *testing.T, d *desk, answer func()) {
		d.news(control.OperatorTook{Input: "key w", Generation: 2})
		d.give(Message{Text: "go on"})
		d.lookAround()
		d.wants("callModel")
		if a := d.answer(1); !strings.Contains(a, "run_paused") {
			t.Errorf("the call was answered %s", a)
		}
		answer()
		switch d.kinds() {
		case "callModel":
		case "callModel stop": // it had started: it is joined, never used
			d.stopped(control.Stopped, control.CauseOperator)
		default:
			t.Fatalf("what was decided before the takeover goes on: %s", d.kinds())
		}
		if n := len(d.s.acts.All()); n != 0 {
			t.Errorf("%d actions hold modules: %+v", n, d.s.acts.All())
		}
		d.reply(asks("reach", `{"how":"anew"}`))
		if d.kinds() == "callModel" { // the end of what had started was news
			d.reply(asks("reach", `{"how":"anew"}`))
		}
		if st := d.takes(); st.What.Generation != 2 {
			t.Errorf("got generation %d, want 2", st.What.Generation)
		}
	})
}

func TestRobotFaultAndMessageWhileACallIsOnItsWay(t *testing.T) {
	stages(t, func(t *testing.T, d *desk, answer func()) {
		d.news(control.RobotFault{Err: errors.New("hot")})
		d.give(Message{Text: "go on"})
		d.lookAround()
		answer()
		if k := d.kinds(); k == "callModel stop" {
			d.stopped(control.Stopped, control.CauseRobot)
		} else if k != "callModel" {
			t.Fatalf("what was decided before the fault goes on: %s", k)
		}
		if n := len(d.s.acts.All()); n != 0 {
			t.Errorf("%d actions hold modules", n)
		}
	})
}

func TestEndThatOvertakesItsStart(t *testing.T) {
	d := begun(t)
	d.reply(asks("reach", `{}`))
	d.give(Prepared{ID: pop[Prepare](d).ID})
	st := pop[Start](d)
	d.ends("a1", control.Failed, control.CauseSkill)
	d.give(Started{ID: st.ID})
	d.lookAround()
	if a := d.answer(1); !strings.Contains(a, `"action_id":"a1"`) {
		t.Errorf("the call was answered %s", a)
	}
	if !strings.Contains(d.told(), "failed") {
		t.Errorf("the end is not told:\n%s", d.told())
	}
}

// queued is a desk whose queue has begun step 2 by itself while nobody has answered it yet, and whose planner was woken
// by a message meanwhile.
func queued(t *testing.T) *desk {
	d := begun(t)
	d.reply(asks("update_plan", `{"steps":[{"text":"one","tool":"reach"},{"text":"two","tool":"squeeze"}]}`), asks("reach", `{}`))
	d.takes()
	d.ends("a1", control.Succeeded, control.CauseSkill)
	d.wants("prepare")
	d.give(Message{Text: "wait"})
	d.lookAround()
	return d
}

func TestStopActionOfAStartOnItsWay(t *testing.T) {
	t.Run("before_the_loop_has_it", func(t *testing.T) {
		d := queued(t)
		p := pop[Prepare](d)
		d.reply(asks("stop_action", `{"action_id":"a2","reason":"wait"}`))
		d.wants("")
		d.give(Prepared{ID: p.ID})
		d.wants("callModel")
		if a := d.answer(3); !strings.Contains(a, `"outcome":"stopped"`) {
			t.Errorf("got %s", a)
		}
		if d.steps() != "done unconfirmed" {
			t.Errorf("got steps %s", d.steps())
		}
	})
	t.Run("when_the_loop_took_it", func(t *testing.T) {
		d := queued(t)
		d.give(Prepared{ID: pop[Prepare](d).ID})
		st := pop[Start](d)
		d.reply(asks("stop_action", `{"action_id":"a2","reason":"wait"}`))
		d.give(Started{ID: st.ID})
		d.stopped(control.Stopped, control.CausePlanner)
		d.wants("callModel")
		if a := d.answer(3); !strings.Contains(a, `"stop":`) || !strings.Contains(a, `"still"`) {
			t.Errorf("got %s", a)
		}
	})
}

func TestLateAnswersAreLoggedAndDropped(t *testing.T) {
	d := begun(t)
	c := pop[CallModel](d)
	d.give(Part{ID: c.ID, What: asks("reach", `{}`)})
	p := pop[Prepare](d)
	d.give(Canceled{By: "the test"})
	if len(d.cuts) != 1 || d.cuts[0] != c.ID {
		t.Errorf("cancelled %v, want the call %d", d.cuts, c.ID)
	}
	before := d.lates()
	d.give(Part{ID: c.ID, What: model.Text{Text: "and then"}})
	d.give(Part{ID: c.ID, What: asks("squeeze", `{}`)})
	d.give(Replied{ID: c.ID})
	d.give(Prepared{ID: p.ID})
	d.give(Stopped{ID: 999})
	d.give(Started{ID: 999})
	d.give(Looked{ID: 999})
	if got := d.lates() - before; got != 5 {
		t.Errorf("got %d late answers, want 5", got)
	}
	d.wants("judge")
}
