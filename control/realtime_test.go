package control_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/rein-robotics/rein/clock"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
)

// atRealPace runs a test with a rig whose time goes on by itself, in a bubble.
func atRealPace(t *testing.T, name string, waits control.Waits, test func(t *testing.T, r *rig)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRigAt(t, clock.Real, waits)
			test(t, r)
			if err := r.end(); err != nil {
				t.Errorf("Run() = %v", err)
			}
		})
	})
}

// TestRealTimeDoesNotWaitForPictures: a camera that stalls costs its own tracker, and no tick of anybody.
func TestRealTimeDoesNotWaitForPictures(t *testing.T) {
	atRealPace(t, "stalled_camera", control.Waits{}, func(t *testing.T, r *rig) {
		r.ticks(1)
		r.robot.Stall("front")
		got := r.ask(r.services("a1", target(10)))
		r.mustStart("a2", tool("t", swing("right_arm"), "right_arm"))
		began, before := r.now(), r.motions("a2")
		r.ticks(150)
		if n := r.motions("a2") - before; n < 148 {
			t.Errorf("%d commands in 150 ticks while a camera stalled", n)
		}
		if got.n != 0 {
			t.Fatalf("answered %+v while the picture is waited for", got)
		}
		r.ticks(60)
		wantCode(t, "StartServices()", got.err, control.CodeNoTarget)
		if d := got.at - began; d < 2*time.Second || d > 2*time.Second+5*period {
			t.Errorf("refused after %v, want 2 s", d)
		}
	})
	atRealPace(t, "first_result_has_a_limit", control.Waits{Frame: time.Minute}, func(t *testing.T, r *rig) {
		r.ticks(1)
		r.robot.Stall("front")
		began := r.now()
		got := r.ask(r.services("a1", target(10)))
		r.ticks(510)
		wantCode(t, "StartServices()", got.err, control.CodeNoTarget)
		if d := got.at - began; d < 5*time.Second || d > 5*time.Second+5*period {
			t.Errorf("refused after %v, want 5 s", d)
		}
		if s := r.Snapshot(); len(s.Services) > 0 {
			t.Errorf("services %v run on", s.Services)
		}
	})
	atRealPace(t, "tracks_come_a_period_later", control.Waits{}, func(t *testing.T, r *rig) {
		r.ticks(1)
		if tracks := r.seed(t, "a1", target(10)); len(tracks) != 1 {
			t.Fatalf("tracks %v", tracks)
		}
		ages := map[time.Duration]bool{}
		s := &script{onTick: func(b *skill.Body, _ int) (bool, error) {
			if tr, ok := b.Track("front/target"); ok {
				ages[b.Now-tr.At] = true
			}
			return false, nil
		}}
		r.mustStart("a1", tool("t", s, "left_arm"))
		r.ticks(50)
		e, err := r.StopAction(t.Context(), "a1", control.CausePlanner, "enough")
		if err != nil || e.Stop.Outcome != control.Still {
			t.Errorf("StopAction() = %+v, %v", e, err)
		}
		for age := range ages {
			if age > 130*time.Millisecond {
				t.Errorf("the skill saw a track that was %v old", age)
			}
		}
		if len(ages) < 5 {
			t.Errorf("ages seen %v", ages)
		}
	})
}

// seed is seeded where time goes on by itself.
func (r *rig) seed(t testing.TB, action string, s ...skill.Service) control.Tracks {
	t.Helper()
	tracks, err := r.StartServices(t.Context(), r.services(action, s...))
	if err != nil {
		t.Fatalf("StartServices() = %v", err)
	}
	return tracks
}

func TestOperatorWinsInRealTime(t *testing.T) {
	atRealPace(t, "takeover", control.Waits{}, func(t *testing.T, r *rig) {
		r.ticks(1)
		r.mustStart("a1", tool("t", swing("left_arm"), "left_arm"))
		r.ticks(20)
		stopped, err := r.Takeover(t.Context(), "key w")
		if err != nil || len(stopped) != 1 {
			t.Errorf("Takeover() = %v, %v", stopped, err)
		}
		if err := r.startAs(robot.OwnerOperator, "key", tool("jog", swing("left_arm"), "left_arm")); err != nil {
			t.Errorf("the operator's start = %v", err)
		}
	})
}
