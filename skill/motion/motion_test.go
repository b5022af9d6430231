package motion_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/skill/motion"
	"gonum.org/v1/gonum/spatial/r3"
	"pgregory.net/rapid"
)

func TestFollowEndsWhereItShould(t *testing.T) {
	s := newStand(t)
	over := geom.Vec{X: 0.22, Y: 0.08, Z: 0.12}
	q, err := s.arm.Down(over, 0.4, s.q())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.drive(t, &motion.Follow{Arm: s.arm, Plan: s.arm.To(q), Settle: 0.002}, 5*time.Second); err != nil {
		t.Fatal(err)
	}
	if d := r3.Norm(r3.Sub(s.tip(), over)); d > 0.002 {
		t.Errorf("%.1f mm from the end", d*1000)
	}
	low := geom.Down(geom.Vec{X: 0.22, Y: 0.08, Z: 0.004}, 0.4)
	if err := s.drive(t, &motion.Follow{Arm: s.arm, Plan: s.arm.Straight(low), Speed: 0.1, Settle: 0.001}, 5*time.Second); err != nil {
		t.Fatal(err)
	}
	if d := r3.Norm(r3.Sub(s.tip(), low.Pos)); d > 0.001 {
		t.Errorf("%.1f mm from the low end", d*1000)
	}
	if s.low < s.arm.MinTipZ-1e-6 {
		t.Errorf("commanded %.1f mm, below the least %.1f mm", s.low*1000, s.arm.MinTipZ*1000)
	}
}

func TestFollowTellsThatItIsBlocked(t *testing.T) {
	s := newStand(t)
	q, err := s.arm.Down(geom.Vec{X: 0.25, Z: 0.1}, 0, s.q())
	if err != nil {
		t.Fatal(err)
	}
	s.Stick("arm", geom.ShoulderLift)
	err = s.drive(t, &motion.Follow{Arm: s.arm, Plan: s.arm.To(q), Settle: 0.002}, 10*time.Second)
	failed, ok := errors.AsType[*skill.Failed](err)
	if !ok || !strings.HasPrefix(failed.Reason, "blocked, ") || !strings.HasSuffix(failed.Reason, " mm short") {
		t.Errorf("got %v, want blocked, … mm short", err)
	}
}

func TestJaw(t *testing.T) {
	tests := []struct {
		name   string
		object float64
		want   float64
	}{
		{"closes_on_nothing", 0, 0}, {"closes_on_an_object", 0.03, 0.03},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newStand(t)
			s.Grip("gripper", test.object)
			if err := s.drive(t, &motion.Jaw{Arm: s.arm, Open: 0, Force: 2}, 2*time.Second); err != nil {
				t.Fatal(err)
			}
			if got := s.arm.Aperture(s.Readings()); math.Abs(got-test.want) > 0.002 {
				t.Errorf("got %.1f mm, want %.1f mm", got*1000, test.want*1000)
			}
		})
	}
}

func TestBelowTheTableIsRefused(t *testing.T) {
	s := newStand(t)
	q, err := s.arm.Down(geom.Vec{X: 0.22, Z: 0.1}, 0, s.q())
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.arm.Line(q, geom.Down(geom.Vec{X: 0.22, Z: -0.01}, 0))
	if r, ok := errors.AsType[*skill.Refusal](err); !ok || r.Code != "out_of_reach" {
		t.Errorf("got %v, want out_of_reach", err)
	}
	for name, at := range map[string]geom.Vec{"far": {X: 0.6, Z: 0.05}, "near": {X: 0.02, Z: 0.02}, "outside": {X: 0.1, Y: 0.7, Z: 0.1}} {
		if _, err := s.arm.Down(at, 0, s.q()); err == nil {
			t.Errorf("%s: no refusal", name)
		}
	}
}

func TestSafeGoesUpFirst(t *testing.T) {
	s := newStand(t)
	low, err := s.arm.Down(geom.Vec{X: 0.17, Z: 0.003}, 0, s.q())
	if err != nil {
		t.Fatal(err)
	}
	far, err := s.arm.Down(geom.Vec{X: 0.36, Z: 0.003}, 0, low)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.arm.Safe(low, far)
	if err != nil {
		t.Fatal(err)
	}
	if z := p.LowestTip(); z < s.arm.MinTipZ-1e-4 {
		t.Errorf("the path comes down to %.1f mm", z*1000)
	}
}

func TestOffsetAndInTool(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		yaw := rapid.Float64Range(-4, 4).Draw(t, "yaw")
		p := geom.Vec{X: rapid.Float64Range(-1, 1).Draw(t, "x"), Y: rapid.Float64Range(-1, 1).Draw(t, "y")}
		tip := geom.Down(geom.Vec{X: 0.2, Y: 0.1, Z: 0.1}, yaw)
		want := r3.Sub(tip.Apply(p), tip.Pos)
		if d := r3.Norm(r3.Sub(motion.Offset(p, yaw), want)); d > 1e-12 {
			t.Errorf("Offset is %g from what the tool frame says", d)
		}
		if d := r3.Norm(r3.Sub(motion.InTool(want, yaw), p)); d > 1e-12 {
			t.Errorf("InTool is %g off", d)
		}
		if d := math.Abs(geom.WrapAngle(motion.YawOf(tip) - yaw)); d > 1e-9 {
			t.Errorf("YawOf is %g off", d)
		}
	})
}

func TestSequenceBeginsTheNextStepInTheSameTick(t *testing.T) {
	var order []string
	note := func(what string) motion.Step {
		return motion.Do(func(*skill.Body) error { order = append(order, what); return nil })
	}
	var s motion.Sequence
	s.Then(note("a"), motion.Named{Doing: "second", Step: motion.Do(func(*skill.Body) error {
		s.Next(note("b"))
		s.Then(note("d"))
		return nil
	})}, note("c"))
	done, err := s.Tick(&skill.Body{Readings: &robot.Readings{}})
	if got := strings.Join(order, ""); !done || err != nil || got != "abcd" {
		t.Errorf("got %v, %v, %q; want abcd in one tick", done, err, got)
	}
	if s.Doing() != "second" {
		t.Errorf("got %q", s.Doing())
	}
}
