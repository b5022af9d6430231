package control_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
)

func TestActionEnds(t *testing.T) {
	for _, c := range []struct {
		name   string
		tool   *skill.Tool
		do     func(r *rig) // after 10 ticks
		want   control.End
		status string // in the log
		by     string // of skill_stop in the log; "" = there must be none
	}{
		{"succeeds", tool("t", after(15, "left_arm", nil), "left_arm"), nil,
			control.End{Outcome: control.Succeeded, Cause: control.CauseSkill}, "completed", ""},
		{"fails", tool("t", after(15, "left_arm", skill.Failf("nothing held")), "left_arm"), nil,
			control.End{Outcome: control.Failed, Cause: control.CauseSkill, Reason: "nothing held"}, "failed", ""},
		{"panics", tool("t", &script{onTick: func(*skill.Body, int) (bool, error) { panic("ouch") }}, "left_arm"), nil,
			control.End{Outcome: control.Failed, Cause: control.CauseSkill, Reason: "the skill panicked: ouch"}, "failed", ""},
		{"deadline", limited(tool("t", swing("left_arm"), "left_arm"), 300*time.Millisecond), nil,
			control.End{Outcome: control.TimedOut, Cause: control.CauseDeadline, Reason: "ran its limit of 300ms"}, "stopped", "harness"},
		{"planner", tool("t", swing("left_arm"), "left_arm"), func(r *rig) {
			r.AskEnd("a1", control.End{Outcome: control.Stopped, Cause: control.CausePlanner, Reason: "enough"}, func(control.Ended, error) {})
		}, control.End{Outcome: control.Stopped, Cause: control.CausePlanner, Reason: "enough"}, "stopped", "agent"},
		{"finish_rule", tool("t", swing("left_arm"), "left_arm"), func(r *rig) {
			r.AskEnd("a1", control.End{Outcome: control.Succeeded, Cause: control.CauseMonitor, Reason: "holding"}, func(control.Ended, error) {})
		}, control.End{Outcome: control.Succeeded, Cause: control.CauseMonitor, Reason: "holding"}, "stopped", "agent"},
		{"foreign_module", tool("t", &script{onTick: func(b *skill.Body, _ int) (bool, error) {
			b.Send(robot.Target{Module: "right_arm", Joints: b.Readings.Arms["right_arm"].Targets})
			return false, nil
		}}, "left_arm"), nil, control.End{Outcome: control.Stopped, Cause: control.CauseSafety, Reason: "it commanded right_arm, which it does not hold"}, "stopped", "harness"},
		{"robot_refuses", tool("t", swing("left_arm"), "left_arm"), func(r *rig) { r.robot.Refuse("left_arm", errors.New("no")) },
			control.End{Outcome: control.Stopped, Cause: control.CauseRobot, Reason: "the robot did not carry out a command: no"}, "stopped", "harness"},
		{"robot_fault", tool("t", swing("left_arm"), "left_arm"), func(r *rig) { r.robot.Break(errors.New("cable off")) },
			control.End{Outcome: control.Stopped, Cause: control.CauseRobot, Reason: "the robot reports a fault: cable off"}, "stopped", "harness"},
	} {
		inBubble(t, c.name, func(t *testing.T, r *rig) {
			r.ticks(1)
			r.mustStart("a1", c.tool)
			r.ticks(10)
			if c.do != nil {
				c.do(r)
			}
			e := r.untilEnded("a1")
			if e.End != c.want || e.Tool != "t" || len(e.Also) > 0 {
				t.Errorf("ended %+v also %v, want %+v", e.End, e.Also, c.want)
			}
			var kinds []string
			for _, line := range r.log.all() {
				if strings.Contains(line, "skill_") {
					kinds = append(kinds, line)
				}
			}
			last := kinds[len(kinds)-1]
			if !strings.Contains(last, "skill_ended") || !strings.Contains(last, `"status":"`+c.status+`"`) {
				t.Errorf("the log ends with %s, want skill_ended %s", last, c.status)
			}
			if stop := kinds[len(kinds)-2]; c.by != "" && (!strings.Contains(stop, "skill_stop") || !strings.Contains(stop, `"by":"`+c.by+`"`)) {
				t.Errorf("before that %s, want skill_stop by %s", stop, c.by)
			} else if c.by == "" && len(kinds) != 2 {
				t.Errorf("log %v", kinds)
			}
		})
	}
}

func TestShieldsRefusalEndsTheAction(t *testing.T) {
	inBubble(t, "beyond_a_limit", func(t *testing.T, r *rig) {
		r.ticks(1)
		s := &script{onTick: func(b *skill.Body, _ int) (bool, error) {
			q := slices.Clone(b.Readings.Arms["left_arm"].Targets)
			q[0] = 40
			b.Send(robot.Target{Module: "left_arm", Joints: q})
			return false, nil
		}}
		r.mustStart("a1", tool("t", s, "left_arm"))
		if e := r.untilEnded("a1"); e.Cause != control.CauseSafety || e.Outcome != control.Stopped || !strings.Contains(e.Reason, "shield refuses") {
			t.Errorf("ended %+v", e.End)
		}
		if !slices.Contains(r.log.kinds(), "command_refused") {
			t.Errorf("log %v has no command_refused", r.log.kinds())
		}
		if n := r.motions("a1"); n != 0 {
			t.Errorf("%d commands reached the robot", n)
		}
	})
	inBubble(t, "clamped_is_told_once", func(t *testing.T, r *rig) {
		r.ticks(1)
		s := &script{onTick: func(b *skill.Body, n int) (bool, error) {
			q := slices.Clone(b.Readings.Arms["left_arm"].Targets)
			q[0] += 0.3
			b.Send(robot.Target{Module: "left_arm", Joints: q})
			return n == 5, nil
		}}
		r.mustStart("a1", tool("t", s, "left_arm"))
		if e := r.untilEnded("a1"); e.Outcome != control.Succeeded {
			t.Errorf("ended %+v", e.End)
		}
		if n := strings.Count(strings.Join(r.log.kinds(), " "), "command_refused"); n != 1 {
			t.Errorf("clamping was logged %d times, want once", n)
		}
	})
}

// TestEndsBetweenTheSameTwoTicks: one is recorded by precedence, the others go to Also.
func TestEndsBetweenTheSameTwoTicks(t *testing.T) {
	end := func(c control.Cause) control.End {
		o := control.Stopped
		if c == control.CauseMonitor {
			o = control.Succeeded
		}
		return control.End{Outcome: o, Cause: c, Reason: "by " + string(c)}
	}
	own := control.End{Outcome: control.Failed, Cause: control.CauseSkill, Reason: "slipped"}
	late := control.End{Outcome: control.TimedOut, Cause: control.CauseDeadline, Reason: "ran its limit of 200ms"}
	type row struct {
		name  string
		fails bool // the skill, in the tick before
		limit bool // the deadline, in the tick after
		asked []control.Cause
		want  []control.End // the recorded one, then also
	}
	for _, c := range []row{
		{"finish_rule_deadline_and_skill_end", true, true, []control.Cause{control.CauseMonitor}, []control.End{own, end(control.CauseMonitor), late}},
		{"finish_rule_and_deadline", false, true, []control.Cause{control.CauseMonitor}, []control.End{end(control.CauseMonitor), late}},
		{"planner_and_deadline", false, true, []control.Cause{control.CausePlanner}, []control.End{late, end(control.CausePlanner)}},
		{"skill_and_operator", true, false, []control.Cause{control.CauseOperator}, []control.End{end(control.CauseOperator), own}},
		{"check_before_monitor", false, false, []control.Cause{control.CauseMonitor, control.CauseCheck}, []control.End{end(control.CauseCheck), end(control.CauseMonitor)}},
		{"skill_end_check_and_rule", true, false, []control.Cause{control.CauseMonitor, control.CauseCheck},
			[]control.End{own, end(control.CauseCheck), end(control.CauseMonitor)}},
		{"safety_before_all", true, true, []control.Cause{control.CausePlanner, control.CauseCancel, control.CauseSafety},
			[]control.End{end(control.CauseSafety), end(control.CauseCancel), own, late, end(control.CausePlanner)}},
		{"the_same_twice", false, false, []control.Cause{control.CausePlanner, control.CausePlanner}, []control.End{end(control.CausePlanner)}},
	} {
		inBubble(t, c.name, func(t *testing.T, r *rig) {
			r.ticks(1)
			s := swing("left_arm")
			if c.fails {
				s = after(18, "left_arm", skill.Failf("slipped"))
			}
			tl := tool("t", s, "left_arm")
			if c.limit {
				tl.Spec.MaxDuration = 200 * time.Millisecond
			}
			r.mustStart("a1", tl)
			r.ticks(19)
			for _, cause := range c.asked {
				r.AskEnd("a1", end(cause), func(control.Ended, error) {})
			}
			got := r.untilEnded("a1")
			if all := append([]control.End{got.End}, got.Also...); !slices.Equal(all, c.want) {
				t.Errorf("recorded and also\n%v, want\n%v", all, c.want)
			}
			wantReason := ""
			if c.fails && got.Cause != control.CauseSkill {
				wantReason = "slipped"
			}
			if got.SkillReason != wantReason {
				t.Errorf("skill's reason %q, want %q", got.SkillReason, wantReason)
			}
		})
	}
}

func TestAnEndAfterTheNextTickChangesNothing(t *testing.T) {
	inBubble(t, "late", func(t *testing.T, r *rig) {
		r.ticks(1)
		r.mustStart("a1", tool("t", after(5, "left_arm", nil), "left_arm"))
		r.ticks(8)
		var joined control.Ended
		r.AskEnd("a1", control.End{Outcome: control.Stopped, Cause: control.CauseOperator}, func(e control.Ended, _ error) { joined = e })
		e := r.untilEnded("a1")
		if e.Cause != control.CauseSkill || len(e.Also) > 0 || joined.Action != "a1" || joined.End != e.End {
			t.Errorf("ended %+v also %v; the late stop was told %+v", e.End, e.Also, joined.End)
		}
	})
}

func TestStopsAreMeasured(t *testing.T) {
	inBubble(t, "still", func(t *testing.T, r *rig) {
		r.ticks(1)
		r.mustStart("a1", tool("t", swing("left_arm"), "left_arm"))
		r.ticks(30)
		asked := r.now()
		r.AskEnd("a1", control.End{Outcome: control.Stopped, Cause: control.CausePlanner}, func(control.Ended, error) {})
		var still time.Duration // first instant of rest, by the readings
		for still == 0 || r.now() < still+200*time.Millisecond {
			r.ticks(1)
			speed := r.robot.Readings().Arms["left_arm"]
			if moving := slices.ContainsFunc(speed.Speeds, func(v float64) bool { return v >= 0.02 || v <= -0.02 }) || speed.TipSpeed >= 0.005; moving {
				still = 0
			} else if still == 0 {
				still = r.now()
			}
		}
		e := r.ended("a1")
		if e.Stop != (control.Stop{SentS: asked.Seconds(), StillS: still.Seconds(), Outcome: control.Still}) || still <= asked {
			t.Errorf("stop %+v, want sent %v, still %v", e.Stop, asked.Seconds(), still.Seconds())
		}
		if e.At != still+200*time.Millisecond {
			t.Errorf("told at %v, want 0.2 s after rest began at %v", e.At, still)
		}
		if got := r.robot.Moving(); len(got) > 0 {
			t.Errorf("%v move after a stop that was measured still", got)
		}
		if e.Elapsed != asked-period {
			t.Errorf("elapsed %v, want %v", e.Elapsed, asked-period)
		}
	})
}

func TestStopsThatAreNotConfirmed(t *testing.T) {
	inBubble(t, "moving", func(t *testing.T, r *rig) {
		r.ticks(1)
		r.mustStart("a1", tool("t", swing("left_arm"), "left_arm"))
		r.ticks(10)
		r.robot.RunOn("left_arm")
		sent := r.now()
		r.AskEnd("a1", control.End{Outcome: control.Stopped, Cause: control.CausePlanner}, func(control.Ended, error) {})
		e := r.untilEnded("a1")
		if e.Stop.Outcome != control.Moving || e.Stop.StillS != 0 || e.At != sent+2*time.Second {
			t.Errorf("at %v %+v, want moving at %v", e.At, e.Stop, sent+2*time.Second)
		}
		r.expectBlocked(t)
	})
	inBubble(t, "unconfirmed", func(t *testing.T, r *rig) {
		r.ticks(1)
		r.mustStart("a1", tool("t", swing("left_arm"), "left_arm"))
		r.ticks(10)
		r.robot.Mute()
		r.AskEnd("a1", control.End{Outcome: control.Stopped, Cause: control.CausePlanner}, func(control.Ended, error) {})
		if e := r.untilEnded("a1"); e.Stop.Outcome != control.Unconfirmed {
			t.Errorf("stop %+v, want unconfirmed", e.Stop)
		}
		r.expectBlocked(t)
	})
	inBubble(t, "hold_not_taken", func(t *testing.T, r *rig) {
		r.ticks(1)
		r.mustStart("a1", tool("t", &script{}, "left_arm"))
		r.ticks(10)
		r.robot.Refuse("left_arm", errors.New("busy"))
		r.AskEnd("a1", control.End{Outcome: control.Stopped, Cause: control.CausePlanner}, func(control.Ended, error) {})
		r.ticks(30)
		if s := r.Snapshot(); len(s.Running) != 1 || !s.Running[0].Stopping {
			t.Errorf("running %+v, want a1 still being stopped", s.Running)
		}
		r.robot.Mend()
		if e := r.untilEnded("a1"); e.Stop.Outcome != control.Still {
			t.Errorf("stop %+v, want still once the hold was taken", e.Stop)
		}
	})
	inBubble(t, "taken_over", func(t *testing.T, r *rig) {
		r.ticks(1)
		r.mustStart("a1", tool("t", swing("left_arm"), "left_arm"))
		r.ticks(10)
		r.AskTakeover("key w", func([]string, error) {})
		if err := r.startAs(robot.OwnerOperator, "key", tool("jog", swing("left_arm"), "left_arm")); err != nil {
			t.Fatalf("the operator's start during a stop = %v", err)
		}
		if e := r.ended("a1"); e.Stop.Outcome != control.TakenOver || e.Cause != control.CauseOperator {
			t.Errorf("ended %+v", e)
		}
	})
}

// expectBlocked says that nothing starts until rest was seen for 0.2 s.
func (r *rig) expectBlocked(t *testing.T) {
	t.Helper()
	held := len(r.robot.Issued())
	if !slices.ContainsFunc(r.took(), func(e control.Event) bool { n, ok := e.(control.NotAtRest); return ok && len(n.Modules) > 0 }) {
		t.Error("nobody was told that the robot is not at rest")
	}
	wantCode(t, "start while not at rest", r.start("a2", tool("t", swing("right_arm"), "right_arm")), control.CodeCannotStart)
	r.ticks(25)
	if again := r.robot.Issued()[held:]; len(again) == 0 || !again[0].Command.Target.Hold || again[0].Command.Target.Module != "left_arm" {
		t.Errorf("what moves was not held again: %v", again)
	}
	r.robot.Mend()
	for range 400 {
		r.ticks(1)
		if len(r.Snapshot().NotAtRest) == 0 {
			break
		}
	}
	if !slices.ContainsFunc(r.took(), func(e control.Event) bool { _, ok := e.(control.AtRest); return ok }) {
		t.Error("nobody was told that the robot came to rest")
	}
	if err := r.start("a3", tool("t", swing("right_arm"), "right_arm")); err != nil {
		t.Errorf("start after rest was seen = %v", err)
	}
}

func TestStopActionWaitsJoinsAndRemembers(t *testing.T) {
	inBubble(t, "joins", func(t *testing.T, r *rig) {
		ctx := context.Background()
		r.ticks(1)
		r.mustStart("a1", tool("t", swing("left_arm"), "left_arm"))
		r.ticks(10)
		got := make(chan control.Ended, 2)
		for range 2 {
			go func() {
				e, err := r.StopAction(ctx, "a1", control.CausePlanner, "enough")
				if err != nil {
					t.Errorf("StopAction() = %v", err)
				}
				got <- e
			}()
		}
		r.untilEnded("a1")
		first, second := <-got, <-got
		if first.Stop.Outcome != control.Still || second.Stop != first.Stop {
			t.Errorf("two stops told %+v and %+v", first.Stop, second.Stop)
		}
		again, err := r.StopAction(ctx, "a1", control.CauseOperator, "")
		if err != nil || again.Stop != first.Stop || again.Cause != control.CausePlanner {
			t.Errorf("stopping what has ended = %+v, %v", again, err)
		}
		_, err = r.StopAction(ctx, "a7", control.CauseOperator, "")
		wantCode(t, "stopping what never was", err, control.CodeUnknownAction)
	})
	inBubble(t, "stops_although_the_asker_left", func(t *testing.T, r *rig) {
		r.ticks(1)
		r.mustStart("a1", tool("t", swing("left_arm"), "left_arm"))
		r.ticks(10)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := r.StopAction(ctx, "a1", control.CausePlanner, "enough"); err == nil {
			t.Error("StopAction with an ended context gave no error")
		}
		if e := r.untilEnded("a1"); e.Cause != control.CausePlanner {
			t.Errorf("ended %+v", e.End)
		}
	})
}

func TestDisjointModulesAreIndependent(t *testing.T) {
	inBubble(t, "one_fails", func(t *testing.T, r *rig) {
		r.ticks(1)
		r.mustStart("a1", tool("t", after(20, "left_arm", skill.Failf("slipped")), "left_arm"))
		r.mustStart("a2", tool("u", after(60, "right_arm", nil), "right_arm"))
		if e := r.untilEnded("a1"); e.Outcome != control.Failed || e.Stop.Outcome != control.Still {
			t.Errorf("a1 ended %+v", e)
		}
		if !slices.Contains(r.robot.Moving(), "right_arm") {
			t.Error("right_arm stopped with the other arm's action")
		}
		if e := r.untilEnded("a2"); e.Outcome != control.Succeeded {
			t.Errorf("a2 ended %+v", e)
		}
	})
}

func TestASkillThatMovesNothingEndsAtOnce(t *testing.T) {
	inBubble(t, "no_modules", func(t *testing.T, r *rig) {
		r.ticks(1)
		r.mustStart("a1", tool("t", &script{onTick: func(*skill.Body, int) (bool, error) { return true, nil }}))
		r.ticks(2)
		if e := r.ended("a1"); e.Stop.Outcome != control.Still {
			t.Errorf("ended %+v", e)
		}
	})
}

// arriver is a skill that says how its move ended.
type arriver struct{ script }

func (a *arriver) Arrival() *skill.ArrivalReport {
	return &skill.ArrivalReport{How: "stalled", Residual: map[string]float64{"left_arm/z": 0.084}}
}

func TestArrivalIsTold(t *testing.T) {
	inBubble(t, "stalled", func(t *testing.T, r *rig) {
		r.ticks(1)
		tl := tool("t", nil, "left_arm")
		tl.New = func(skill.Call) (skill.Skill, error) {
			return &arriver{script{onTick: func(*skill.Body, int) (bool, error) { return false, skill.Failf("blocked, 84 mm short") }}}, nil
		}
		r.mustStart("a1", tl)
		if e := r.untilEnded("a1"); e.Arrival == nil || e.Arrival.How != "stalled" || e.Arrival.Residual["left_arm/z"] != 0.084 {
			t.Errorf("arrival %+v", e.Arrival)
		}
	})
}

// TestRestBeforeTheHoldDoesNotCount: the window begins with what was read after the command went down.
func TestRestBeforeTheHoldDoesNotCount(t *testing.T) {
	inBubble(t, "at_rest_all_the_time", func(t *testing.T, r *rig) {
		r.ticks(1)
		r.mustStart("a1", limited(tool("t", &script{}, "left_arm"), 100*time.Millisecond))
		e := r.untilEnded("a1")
		if want := (control.Stop{SentS: 0.11, StillS: 0.12, Outcome: control.Still}); e.Stop != want {
			t.Errorf("stop %+v, want %+v", e.Stop, want)
		}
	})
}
