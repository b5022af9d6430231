package control_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/robot/robottest"
	"github.com/rein-robotics/rein/skill"
)

// inBubble runs a test with a rig in a bubble of its own, so that waits on the wall cost nothing, and checks that the
// loop leaves nothing behind.
func inBubble(t *testing.T, name string, test func(t *testing.T, r *rig)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t)
			test(t, r)
			if err := r.end(); err != nil {
				t.Errorf("Run() = %v", err)
			}
		})
	})
}

// refusal is a start that must not be carried out.
type refusal struct {
	name    string
	code    string
	says    string
	prepare func(r *rig)
	start   func(r *rig) error
}

func refusals() []refusal {
	swinging := func(r *rig) error { return r.start("a9", tool("swing", swing("left_arm"), "left_arm")) }
	withNew := func(fn func(skill.Call) (skill.Skill, error)) func(*rig) error {
		return func(r *rig) error {
			tl := tool("made", &script{}, "left_arm")
			tl.New = fn
			return r.start("a9", tl)
		}
	}
	return []refusal{
		{"older_generation", control.CodeStaleGeneration, "generation 1", func(r *rig) { bump(r) }, func(r *rig) error {
			return r.StartAction(context.Background(), control.Start{Owner: robot.OwnerAgent, Generation: 1, Action: "a9", Tool: tool("swing", swing("left_arm"), "left_arm")})
		}},
		{"estop", control.CodeEStopped, "", func(r *rig) { r.EStop("operator") }, swinging},
		{"estop_of_the_operator", control.CodeEStopped, "", func(r *rig) { r.EStop("operator") }, func(r *rig) error {
			return r.startAs(robot.OwnerOperator, "a9", tool("swing", swing("left_arm"), "left_arm"))
		}},
		{"module_busy", control.CodeModuleBusy, "left_arm is held by wave (action a1)", func(r *rig) {
			r.mustStart("a1", tool("wave", swing("left_arm"), "left_arm"))
		}, swinging},
		{"module_being_stopped", control.CodeModuleBusy, "being stopped", func(r *rig) {
			r.mustStart("a1", tool("wave", swing("left_arm"), "left_arm"))
			r.ticks(20)
			r.AskEnd("a1", control.End{Outcome: control.Stopped, Cause: control.CausePlanner}, func(control.Ended, error) {})
			r.ticks(2)
		}, swinging},
		{"no_such_module", control.CodeCannotStart, "third_arm", nil, func(r *rig) error {
			return r.start("a9", tool("swing", swing("left_arm"), "third_arm"))
		}},
		{"nobody_owns_it", control.CodeCannotStart, "", nil, func(r *rig) error { return r.startAs("", "a9", tool("swing", swing("left_arm"), "left_arm")) }},
		{"no_tool", control.CodeCannotStart, "", nil, func(r *rig) error { return r.start("a9", nil) }},
		{"skill_refuses", "out_of_reach", "too far", nil, withNew(func(skill.Call) (skill.Skill, error) {
			return nil, &skill.Refusal{Code: "out_of_reach", Message: "too far"}
		})},
		{"skill_cannot", control.CodeCannotStart, "no such pose", nil, withNew(func(skill.Call) (skill.Skill, error) { return nil, errors.New("no such pose") })},
		{"making_panics", control.CodeCannotStart, "panicked: oh", nil, withNew(func(skill.Call) (skill.Skill, error) { panic("oh") })},
		{"start_refuses", "out_of_reach", "moved away", nil, func(r *rig) error {
			return r.start("a9", tool("swing", &script{onStart: func(*skill.Body) error { return &skill.Refusal{Code: "out_of_reach", Message: "moved away"} }}, "left_arm"))
		}},
		{"start_panics", control.CodeCannotStart, "panicked: ah", nil, func(r *rig) error {
			return r.start("a9", tool("swing", &script{onStart: func(*skill.Body) error { panic("ah") }}, "left_arm"))
		}},
		{"id_used_before", control.CodeCannotStart, "used before", func(r *rig) {
			r.mustStart("a9", tool("nothing", &script{onTick: func(*skill.Body, int) (bool, error) { return true, nil }}))
			r.ticks(3)
		}, swinging},
		{"robot_fault", control.CodeCannotStart, "cable", func(r *rig) {
			r.robot.Break(errors.New("cable off"))
			r.ticks(1)
		}, swinging},
		{"log_broken", control.CodeCannotStart, "disk full", func(r *rig) { r.log.fail(errors.New("disk full")) }, swinging},
	}
}

func TestStartIsRefused(t *testing.T) {
	for _, c := range refusals() {
		inBubble(t, c.name, func(t *testing.T, r *rig) {
			r.ticks(1)
			if c.prepare != nil {
				c.prepare(r)
			}
			logged := len(r.log.all())
			got := wantCode(t, "StartAction()", c.start(r), c.code)
			if !strings.Contains(got.Message, c.says) {
				t.Errorf("message %q does not say %q", got.Message, c.says)
			}
			r.ticks(30)
			if n := r.motions("a9"); n != 0 {
				t.Errorf("a refused start sent %d commands", n)
			}
			if lines := r.log.all()[logged:]; slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, "skill_started") }) {
				t.Errorf("a refused start is in the log: %q", lines)
			}
		})
	}
}

func bump(r *rig) uint64 {
	r.t.Helper()
	gen, err := r.Bump(context.Background(), "test")
	if err != nil {
		r.t.Fatalf("Bump() = %v", err)
	}
	return gen
}

func TestLogIsAheadOfTheFirstCommand(t *testing.T) {
	inBubble(t, "start", func(t *testing.T, r *rig) {
		var at []int // lines in the log when commands went down
		r.robot.Watch(func(robottest.Issued) { at = append(at, len(r.log.all())) })
		r.ticks(1)
		s := swing("left_arm")
		s.onStart = func(b *skill.Body) error {
			b.Send(robot.Target{Module: "left_arm", Joints: slices.Clone(b.Readings.Arms["left_arm"].Joints)})
			return nil
		}
		r.mustStart("a1", tool("swing", s, "left_arm"))
		if len(at) != 1 || at[0] != 1 {
			t.Errorf("commands of the start went down with %v lines in the log, want one command after one line", at)
		}
		if kinds := r.log.kinds(); !slices.Equal(kinds, []string{"skill_started"}) {
			t.Errorf("log %v", kinds)
		}
	})
}

func TestALogThatBreaksStopsTheAgentOnly(t *testing.T) {
	inBubble(t, "stop", func(t *testing.T, r *rig) {
		r.ticks(1)
		r.mustStart("a1", tool("swing", swing("left_arm"), "left_arm"))
		if err := r.startAs(robot.OwnerOperator, "key", tool("jog", swing("right_arm"), "right_arm")); err != nil {
			t.Fatal(err)
		}
		r.ticks(10)
		r.log.fail(errors.New("disk full"))
		r.ticks(1)
		n := r.motions("a1")
		r.ticks(60)
		if e := r.ended("a1"); e.Cause != control.CauseSafety || !strings.Contains(e.Reason, "disk full") || e.Stop.Outcome != control.Still {
			t.Errorf("a1 ended %+v", e)
		}
		if more := r.motions("a1"); more != n {
			t.Errorf("%d commands after the log broke", more-n)
		}
		if s := r.Snapshot(); len(s.Running) != 1 || s.Running[0].Action != "key" {
			t.Errorf("running %+v, want the operator's alone", s.Running)
		}
	})
}

func TestFirstCommandLeavesInTheNextTick(t *testing.T) {
	inBubble(t, "start", func(t *testing.T, r *rig) {
		r.ticks(5)
		r.mustStart("a1", tool("swing", swing("left_arm"), "left_arm"))
		r.ticks(1)
		if n := r.motions("a1"); n != 1 {
			t.Errorf("%d commands one tick after the start, want 1", n)
		}
	})
}
