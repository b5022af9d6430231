// Package check holds the controller checks: what the robot's own readings say for sure about a running action, such as that
// nothing moves any more.
//
// Its one invariant: a check judges readings only, by their own time; readings that stand still prove nothing.
package check

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/monitor/question"
	"github.com/rein-robotics/rein/robot"
)

// Kind is what a check looks for.
type Kind string

// The kinds. Stalled: arms and grippers have stayed where they are. Empty: a gripper that was open has closed on nothing,
// by its own feedback. Overload: a force or torque is over its limit.
const (
	Stalled  Kind = "stalled"
	Empty    Kind = "gripper_empty"
	Overload Kind = "overload"
)

// Spec is a declared check.
type Spec struct {
	Name   string
	Kind   Kind
	Tools  []string      // that it judges; none = all
	Module string        // that it reads; "" = those that the action commands
	For    time.Duration // so long it must hold, by the time of the readings
	Within float64       // of Stalled, metres; a turn counts with 10 rad/m
	Below  float64       // of Empty, metres between the fingers
	Above  float64       // of Overload: newtons of a gripper, newton metres of any joint of an arm
	Do     question.Do
	Then   string // tool that is started when the action has stopped; "" = none
}

// Judges says whether the check is one for the tool.
func (s Spec) Judges(tool string) bool { return len(s.Tools) == 0 || slices.Contains(s.Tools, tool) }

// turnPerMetre is how much of a turn counts like a metre: 0.03 rad as 3 mm.
const turnPerMetre = 10

// Watch is one check on one action. One goroutine owns it.
type Watch struct {
	Spec

	modules []string
	begun   bool
	since   time.Duration // of the readings from which on the condition has held
	held    bool
	opened  bool // Empty: the gripper has been open since the action began
	fired   bool
	anchor  map[string]robot.ArmState     // Stalled: where the arms were then
	grips   map[string]robot.GripperState // and the grippers
}

// New watches an action that commands these modules.
func New(s Spec, modules []string) *Watch {
	if s.Module != "" {
		modules = []string{s.Module}
	}
	return &Watch{Spec: s, modules: modules}
}

// See takes readings, and says in words what the check has found, once.
func (w *Watch) See(r *robot.Readings) (reason string, fires bool) {
	if r == nil || w.fired {
		return "", false
	}
	holds, why := w.holds(r)
	switch {
	case !holds:
		w.held = false
		return "", false
	case !w.held:
		w.held = true
		if w.Kind != Stalled { // it knows since when nothing has moved
			w.since = r.At
		}
	}
	if r.At-w.since < w.For {
		return "", false
	}
	w.fired = true
	return why, true
}

// holds says whether the condition is true of the readings.
func (w *Watch) holds(r *robot.Readings) (bool, string) {
	switch w.Kind {
	case Stalled:
		return w.stalled(r)
	case Empty:
		return w.empty(r)
	}
	return w.overloaded(r)
}

// stalled compares with the readings from which on nothing has moved farther than Within.
func (w *Watch) stalled(r *robot.Readings) (bool, string) {
	seen, moved := false, !w.begun
	for _, m := range w.modules {
		if a, ok := r.Arms[m]; ok {
			seen = true
			moved = moved || far(a.Tip, w.anchor[m].Tip) > w.Within
		}
		if g, ok := r.Grippers[m]; ok {
			seen = true
			moved = moved || math.Abs(g.ApertureM-w.grips[m].ApertureM) > w.Within
		}
	}
	if moved {
		w.begun, w.anchor, w.grips, w.since = true, r.Arms, r.Grippers, r.At
	}
	return seen, fmt.Sprintf("nothing of %s has moved by more than %.3g mm for %.3g s", strings.Join(w.modules, " and "), w.Within*1000, w.For.Seconds())
}

// far is how far apart two poses are, metres, with the turn between them.
func far(a, b geom.Pose) float64 {
	d := a.Inv().Mul(b)
	return max(math.Hypot(math.Hypot(d.Pos.X, d.Pos.Y), d.Pos.Z), geom.AngleOf(d.Rot)/turnPerMetre)
}

// empty is a gripper that is told to close, has done so as far as it goes, and was open before.
func (w *Watch) empty(r *robot.Readings) (bool, string) {
	for _, m := range w.modules {
		g, ok := r.Grippers[m]
		if !ok {
			continue
		}
		if g.ApertureM > w.Below {
			w.opened = true
			continue
		}
		if w.opened && g.TargetM <= w.Below {
			return true, fmt.Sprintf("%s has closed to %.3g mm: there is nothing between its fingers", m, g.ApertureM*1000)
		}
	}
	return false, ""
}

func (w *Watch) overloaded(r *robot.Readings) (bool, string) {
	for _, m := range w.modules {
		if g, ok := r.Grippers[m]; ok && math.Abs(g.ForceN) > w.Above {
			return true, fmt.Sprintf("%s presses with %.3g N, more than %.3g N", m, math.Abs(g.ForceN), w.Above)
		}
		for i, e := range r.Arms[m].Efforts {
			if math.Abs(e) > w.Above {
				return true, fmt.Sprintf("joint %d of %s turns with %.3g N·m, more than %.3g N·m", i+1, m, math.Abs(e), w.Above)
			}
		}
	}
	return false, ""
}
