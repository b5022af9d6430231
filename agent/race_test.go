package agent

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
		p := pop[prepare](d)
		f(t, d, func() { d.give(prepared{id: p.id}) })
	})
	t.Run("prepare_fails", func(t *testing.T) {
		d := begun(t)
		d.reply(asks("reach", `{}`))
		p := pop[prepare](d)
		f(t, d, func() { d.give(prepared{id: p.id, err: errors.New("no")}) })
	})
	t.Run("start", func(t *testing.T) {
		d := begun(t)
		d.reply(asks("reach", `{}`))
		d.give(prepared{id: pop[prepare](d).id})
		p := pop[start](d)
		f(t, d, func() { d.give(started{id: p.id}) })
	})
	t.Run("start_refused", func(t *testing.T) {
		d := begun(t)
		d.reply(asks("reach", `{}`))
		d.give(prepared{id: pop[prepare](d).id})
		p := pop[start](d)
		f(t, d, func() { d.give(started{id: p.id, err: &control.Refused{Code: control.CodeStaleGeneration}}) })
	})
	t.Run("patch", func(t *testing.T) {
		d := begun(t)
		d.s.motions++ // the robot has moved since the look
		d.reply(asks("pick", `{"point":[30,20],"observation_id":"o1.cam"}`))
		l := pop[look](d)
		f(t, d, func() { d.give(looked{id: l.id, err: errors.New("no picture")}) })
	})
	t.Run("seed", func(t *testing.T) {
		d := begun(t)
		d.reply(asks("pick", `{"point":[30,20],"observation_id":"o1.cam"}`))
		d.give(prepared{id: pop[prepare](d).id})
		p := pop[seed](d)
		f(t, d, func() { d.give(seeded{id: p.id}) })
	})
}

func TestCancelWhileACallIsOnItsWay(t *testing.T) {
	stages(t, func(t *testing.T, d *desk, answer func()) {
		d.give(canceled{by: "the test"})
		answer()
		if d.kinds() == "stop" { // it had started after all
			d.stopped(control.Stopped, control.CauseCancel)
		}
		d.give(judged{id: pop[judge](d).id})
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
		d.give(message{text: "go on"})
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
		if st := d.takes(); st.what.Generation != 2 {
			t.Errorf("got generation %d, want 2", st.what.Generation)
		}
	})
}

func TestRobotFaultAndMessageWhileACallIsOnItsWay(t *testing.T) {
	stages(t, func(t *testing.T, d *desk, answer func()) {
		d.news(control.RobotFault{Err: errors.New("hot")})
		d.give(message{text: "go on"})
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
	d.give(prepared{id: pop[prepare](d).id})
	st := pop[start](d)
	d.ends("a1", control.Failed, control.CauseSkill)
	d.give(started{id: st.id})
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
	d.give(message{text: "wait"})
	d.lookAround()
	return d
}

func TestStopActionOfAStartOnItsWay(t *testing.T) {
	t.Run("before_the_loop_has_it", func(t *testing.T) {
		d := queued(t)
		p := pop[prepare](d)
		d.reply(asks("stop_action", `{"action_id":"a2","reason":"wait"}`))
		d.wants("")
		d.give(prepared{id: p.id})
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
		d.give(prepared{id: pop[prepare](d).id})
		st := pop[start](d)
		d.reply(asks("stop_action", `{"action_id":"a2","reason":"wait"}`))
		d.give(started{id: st.id})
		d.stopped(control.Stopped, control.CausePlanner)
		d.wants("callModel")
		if a := d.answer(3); !strings.Contains(a, `"stop":`) || !strings.Contains(a, `"still"`) {
			t.Errorf("got %s", a)
		}
	})
}

func TestLateAnswersAreLoggedAndDropped(t *testing.T) {
	d := begun(t)
	c := pop[callModel](d)
	d.give(part{id: c.id, what: asks("reach", `{}`)})
	p := pop[prepare](d)
	d.give(canceled{by: "the test"})
	if len(d.cuts) != 1 || d.cuts[0] != c.id {
		t.Errorf("cancelled %v, want the call %d", d.cuts, c.id)
	}
	before := d.lates()
	d.give(part{id: c.id, what: model.Text{Text: "and then"}})
	d.give(part{id: c.id, what: asks("squeeze", `{}`)})
	d.give(replied{id: c.id})
	d.give(prepared{id: p.id})
	d.give(stopped{id: 999})
	d.give(started{id: 999})
	d.give(looked{id: 999})
	if got := d.lates() - before; got != 5 {
		t.Errorf("got %d late answers, want 5", got)
	}
	d.wants("judge")
}
