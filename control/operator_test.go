package control_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
)

func TestTakeover(t *testing.T) {
	inBubble(t, "stops_the_agent", func(t *testing.T, r *rig) {
		r.ticks(1)
		got := r.seeded(t, "a1", target(10))
		r.mustStart("a1", tool("t", swing("left_arm"), "left_arm"))
		r.mustStart("a2", tool("u", swing("right_arm"), "right_arm"))
		if err := r.startAs(robot.OwnerOperator, "key", tool("jog", &script{}, "left_hand")); err != nil {
			t.Fatal(err)
		}
		r.ticks(10)
		if len(got) != 1 {
			t.Fatalf("tracks %v", got)
		}
		r.took()
		var stopped []string
		done := false
		r.AskTakeover("key w", func(ids []string, err error) {
			done, stopped = true, ids
			if err != nil {
				t.Errorf("Takeover() = %v", err)
			}
		})
		r.ticks(1)
		if g := r.Generation(); g != 2 {
			t.Errorf("generation %d at the input, want 2", g)
		}
		before := r.motions("a1") + r.motions("a2")
		r.ticks(60)
		if !done || !slices.Equal(stopped, []string{"a1", "a2"}) {
			t.Errorf("takeover done %v, stopped %v", done, stopped)
		}
		events := r.took()
		if took, ok := events[0].(control.OperatorTook); !ok || took.Input != "key w" || took.Generation != 2 {
			t.Errorf("the first event is %+v, want OperatorTook", events[0])
		}
		ends := 0
		for _, e := range events {
			if e, ok := e.(control.ActionEnded); ok {
				ends++
				if e.Cause != control.CauseOperator || e.Stop.Outcome != control.Still {
					t.Errorf("%s ended %+v", e.Action, e)
				}
			}
		}
		if ends != 2 || r.motions("a1")+r.motions("a2") != before {
			t.Errorf("%d ends, %d commands of the agent after the input", ends, r.motions("a1")+r.motions("a2")-before)
		}
		s := r.Snapshot()
		if len(s.Running) != 1 || s.Running[0].Action != "key" || len(s.Services) > 0 {
			t.Errorf("running %+v, services %v, want the operator's action alone", s.Running, s.Services)
		}
	})
	inBubble(t, "nothing_runs", func(t *testing.T, r *rig) {
		stopped, err := r.Takeover(context.Background(), "click")
		if err != nil || len(stopped) > 0 || r.Generation() != 2 {
			t.Errorf("Takeover() = %v, %v; generation %d", stopped, err, r.Generation())
		}
	})
}

func TestBumpStopsWhatWasDecidedBefore(t *testing.T) {
	inBubble(t, "cancel", func(t *testing.T, r *rig) {
		r.ticks(1)
		r.mustStart("a1", tool("t", swing("left_arm"), "left_arm"))
		if err := r.startAs(robot.OwnerOperator, "key", tool("jog", swing("right_arm"), "right_arm")); err != nil {
			t.Fatal(err)
		}
		r.ticks(10)
		if gen := bump(r); gen != 2 {
			t.Errorf("generation %d, want 2", gen)
		}
		n := r.motions("a1")
		if e := r.untilEnded("a1"); e.Cause != control.CauseCancel || r.motions("a1") != n {
			t.Errorf("ended %+v, %d commands more", e.End, r.motions("a1")-n)
		}
		if s := r.Snapshot(); len(s.Running) != 1 || s.Running[0].Action != "key" {
			t.Errorf("running %+v, want the operator's action", s.Running)
		}
	})
}

func TestEStop(t *testing.T) {
	inBubble(t, "stops_everybody", func(t *testing.T, r *rig) {
		r.ticks(1)
		r.mustStart("a1", tool("t", swing("left_arm"), "left_arm"))
		if err := r.startAs(robot.OwnerOperator, "key", tool("jog", swing("right_arm"), "right_arm")); err != nil {
			t.Fatal(err)
		}
		r.ticks(10)
		sent := len(r.robot.Issued())
		r.EStop("operator")
		if !r.Latched() {
			t.Error("not latched when EStop returned")
		}
		r.EStop("operator")
		r.ticks(60)
		for _, is := range r.robot.Issued()[sent:] {
			if !is.Command.Target.Hold {
				t.Errorf("command after the e-stop: %+v", is.Command)
			}
		}
		for _, id := range []string{"a1", "key"} {
			if e := r.ended(id); e.Cause != control.CauseSafety || e.Stop.Outcome != control.Still {
				t.Errorf("%s ended %+v", id, e)
			}
		}
		held := map[string]bool{}
		for _, is := range r.robot.Issued()[sent:] {
			held[is.Command.Target.Module] = true
		}
		if !held["left_arm"] || !held["right_arm"] || !held["left_hand"] {
			t.Errorf("held %v, want every module that moves", held)
		}
		if n := countKind(r.log.kinds(), "estop"); n != 1 || r.Generation() != 2 {
			t.Errorf("two presses: %d events, generation %d", n, r.Generation())
		}
		r.ClearEStop("operator")
		r.ticks(1)
		if r.Latched() || countKind(r.log.kinds(), "estop_cleared") != 1 {
			t.Errorf("latched %v after clear; log %v", r.Latched(), r.log.kinds())
		}
		r.mustStart("a2", tool("t", swing("left_arm"), "left_arm"))
	})
}

func TestEStopAtBadMoments(t *testing.T) {
	inBubble(t, "pressed_again_before_the_clear_is_carried_out", func(t *testing.T, r *rig) {
		r.EStop("operator")
		r.ticks(1)
		open := r.stall()
		r.ClearEStop("operator")
		r.EStop("operator")
		open()
		r.ticks(2)
		if !r.Latched() {
			t.Error("the clear opened a latch that was pressed after it")
		}
		r.ClearEStop("operator")
		r.ticks(1)
		if r.Latched() {
			t.Error("still latched")
		}
	})
	inBubble(t, "between_a_decision_and_its_command", func(t *testing.T, r *rig) {
		r.ticks(1)
		s := &script{onTick: func(b *skill.Body, n int) (bool, error) {
			if n == 5 {
				r.EStop("operator") // from another goroutine it might come at this very instant
			}
			b.Send(robot.Target{Module: "left_arm", Joints: slices.Clone(b.Readings.Arms["left_arm"].Targets)})
			return false, nil
		}}
		r.mustStart("a1", tool("t", s, "left_arm"))
		r.ticks(10)
		if n := r.motions("a1"); n != 5 {
			t.Errorf("%d commands, want the 5 before the e-stop", n)
		}
		if !slices.Contains(r.log.kinds(), "command_refused") {
			t.Error("the refused command is not in the log")
		}
	})
}

func countKind(kinds []string, kind string) (n int) {
	for _, k := range kinds {
		if k == kind {
			n++
		}
	}
	return n
}

// stall keeps the loop busy until open is called.
func (r *rig) stall() (open func()) {
	r.t.Helper()
	in, out := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- r.Between(context.Background(), func() { close(in); <-out })
	}()
	<-in
	return func() {
		close(out)
		<-done
	}
}

func TestStartWhileTheLoopIsLate(t *testing.T) {
	inBubble(t, "void_by_generation", func(t *testing.T, r *rig) {
		r.ticks(1)
		open := r.stall()
		r.AskTakeover("key w", func([]string, error) {})
		got := make(chan error, 1)
		go func() { got <- r.start("a1", tool("t", swing("left_arm"), "left_arm")) }() // decided under generation 1
		synctest.Wait()
		open()
		wantCode(t, "the start", <-got, control.CodeStaleGeneration)
		r.ticks(20)
		if n := r.motions("a1"); n > 0 {
			t.Errorf("%d commands", n)
		}
	})
	inBubble(t, "void_by_time", func(t *testing.T, r *rig) {
		r.ticks(1)
		open := r.stall()
		asked := time.Now()
		wantCode(t, "the start", r.start("a1", tool("t", swing("left_arm"), "left_arm")), control.CodeCannotStart)
		if d := time.Since(asked); d != time.Second {
			t.Errorf("gave up after %v, want 1 s", d)
		}
		open()
		r.ticks(20)
		if n := r.motions("a1"); n > 0 || len(r.Snapshot().Running) > 0 {
			t.Errorf("%d commands of a start that was refused", n)
		}
	})
	inBubble(t, "a_stop_is_carried_out_late", func(t *testing.T, r *rig) {
		r.ticks(1)
		r.mustStart("a1", tool("t", swing("left_arm"), "left_arm"))
		r.ticks(5)
		open := r.stall()
		_, err := r.StopAction(context.Background(), "a1", control.CausePlanner, "enough")
		wantCode(t, "the stop", err, control.CodeCannotStart)
		open()
		if e := r.untilEnded("a1"); e.Cause != control.CausePlanner {
			t.Errorf("ended %+v", e.End)
		}
	})
	inBubble(t, "whoever_asked_has_left", func(t *testing.T, r *rig) {
		open := r.stall()
		ctx, cancel := context.WithCancelCause(context.Background())
		got := make(chan error, 1)
		ran := false
		go func() { got <- r.Between(ctx, func() { ran = true }) }()
		synctest.Wait()
		why := errors.New("no longer wanted")
		cancel(why)
		if err := <-got; !errors.Is(err, why) {
			t.Errorf("Between() = %v, want %v", err, why)
		}
		open()
		r.ticks(1)
		if ran {
			t.Error("fn ran although Between said that it would not")
		}
	})
}

func TestRunEnds(t *testing.T) {
	t.Run("everything_held", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t)
			r.ticks(1)
			r.seeded(t, "a1", target(10))
			r.mustStart("a1", tool("t", swing("left_arm"), "left_arm"))
			r.ticks(10)
			if err := r.end(); err != nil {
				t.Errorf("Run() = %v", err)
			}
			if e := r.ended("a1"); e.Cause != control.CauseCancel || e.Stop.Outcome != control.Still {
				t.Errorf("a1 ended %+v", e)
			}
			last := map[string]bool{}
			for _, is := range r.robot.Issued() {
				last[is.Command.Target.Module] = is.Command.Target.Hold
			}
			if !last["left_arm"] || !last["left_hand"] || !last["right_arm"] {
				t.Errorf("held at the end: %v", last)
			}
			wantCode(t, "a start after the end", r.start("a2", tool("t", &script{}, "left_arm")), control.CodeCannotStart)
			if err := r.Run(context.Background()); err == nil {
				t.Error("Run ran twice")
			}
		})
	})
	t.Run("time_is_held_for_ever", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t)
			r.ticks(1)
			r.mustStart("a1", tool("t", swing("left_arm"), "left_arm"))
			r.ticks(10)
			r.cancel()
			if err := <-r.run; err != nil {
				t.Errorf("Run() = %v", err)
			}
			if e := r.ended("a1"); e.Stop.Outcome != control.Unconfirmed {
				t.Errorf("a1 ended %+v", e)
			}
		})
	})
}

func TestRobotFaultIsToldOnceAndTakenBack(t *testing.T) {
	inBubble(t, "fault", func(t *testing.T, r *rig) {
		r.ticks(1)
		r.robot.Break(errors.New("cable off"))
		r.ticks(5)
		r.robot.Mend()
		r.ticks(5)
		told := r.took()
		if len(told) != 2 {
			t.Fatalf("told %v, want fault and well", told)
		}
		fault, isFault := told[0].(control.RobotFault)
		_, isWell := told[1].(control.RobotWell)
		if !isFault || !isWell || fault.Err == nil {
			t.Errorf("told %+v", told)
		}
	})
}

func TestTimers(t *testing.T) {
	inBubble(t, "in_order", func(t *testing.T, r *rig) {
		r.SetTimer("b", 25*time.Millisecond)
		r.SetTimer("a", 25*time.Millisecond)
		r.SetTimer("early", 22*time.Millisecond)
		r.SetTimer("moved", 22*time.Millisecond)
		r.SetTimer("moved", 60*time.Millisecond)
		r.SetTimer("gone", 22*time.Millisecond)
		r.CancelTimer("gone")
		r.ticks(10)
		want := []control.Event{
			control.TimerFired{At: 30 * time.Millisecond, ID: "early"}, control.TimerFired{At: 30 * time.Millisecond, ID: "a"},
			control.TimerFired{At: 30 * time.Millisecond, ID: "b"}, control.TimerFired{At: 60 * time.Millisecond, ID: "moved"},
		}
		if got := r.took(); !slices.Equal(got, want) {
			t.Errorf("told %v, want %v", got, want)
		}
	})
}

func TestSnapshot(t *testing.T) {
	inBubble(t, "running", func(t *testing.T, r *rig) {
		r.ticks(1)
		tl := tool("t", swing("left_arm"), "left_arm")
		tl.New = func(skill.Call) (skill.Skill, error) { return &talker{}, nil }
		r.mustStart("a1", tl)
		r.ticks(20)
		s := r.Snapshot()
		if s.At != r.now() || s.Readings != r.robot.Readings() || s.Owner != robot.OwnerAgent || s.Generation != 1 || len(s.Running) != 1 {
			t.Fatalf("snapshot %+v", s)
		}
		a := s.Running[0]
		if a.Action != "a1" || a.Tool != "t" || a.Elapsed != 200*time.Millisecond || a.Doing != "tick 20" || !slices.Equal(a.Modules, []string{"left_arm"}) {
			t.Errorf("running %+v", a)
		}
	})
}

// talker is a skill that says what it is at.
type talker struct{ n int }

func (k *talker) Start(*skill.Body) error { return nil }

func (k *talker) Tick(*skill.Body) (bool, error) { k.n++; return false, nil }

func (k *talker) Doing() string { return "tick " + string(rune('0'+k.n/10)) + string(rune('0'+k.n%10)) }
