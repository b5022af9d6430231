package control

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/rein-robotics/rein/robot"
)

// gauge tells whether one module is at rest, by the still-speeds of its fields.
type gauge struct {
	module string
	joints []float64 // rad/s for each joint; 0 = the description does not say
	tip    float64   // m/s of the fingertips; 0 = it does not say
	grip   float64   // m/s of the aperture; 0 = it does not say
}

func gaugeOf(m *robot.Module) gauge {
	g := gauge{module: m.Name}
	if m.Arm != nil {
		g.joints = make([]float64, len(m.Arm.Chain.Joints))
	}
	for _, f := range m.Fields {
		if f.StillSpeed <= 0 {
			continue
		}
		v := f.StillSpeed
		if f.Unit == "mm" {
			v /= 1000
		}
		switch {
		case m.Gripper != nil:
			g.grip = least(g.grip, v)
		case f.Unit == "m" || f.Unit == "mm":
			g.tip = least(g.tip, v)
		default:
			g.setJoint(m.Arm, f, v)
		}
	}
	return g
}

// setJoint gives a field's still-speed to the joint of its name, or to every joint when there is none.
func (g *gauge) setJoint(arm *robot.Arm, f robot.Field, v float64) {
	if arm == nil {
		return
	}
	for i, j := range arm.Chain.Joints {
		if j.Name == f.Name {
			g.joints[i] = v
			return
		}
	}
	for i := range g.joints {
		g.joints[i] = least(g.joints[i], v)
	}
}

func least(a, b float64) float64 {
	if a == 0 {
		return b
	}
	return min(a, b)
}

type restState int

const (
	unseen restState = iota // nothing says whether it moves
	atRest
	inMotion
)

// state reads whether the module is at rest.
func (g *gauge) state(r *robot.Readings) restState {
	if r == nil {
		return unseen
	}
	seen := false
	below := func(speed, limit float64) bool {
		if limit == 0 {
			return true
		}
		seen = true
		return math.Abs(speed) < limit // false for NaN
	}
	if s, ok := r.Grippers[g.module]; ok && !below(s.SpeedMS, g.grip) {
		return inMotion
	}
	if s, ok := r.Arms[g.module]; ok {
		if !below(s.TipSpeed, g.tip) {
			return inMotion
		}
		for i, v := range s.Speeds {
			if i < len(g.joints) && !below(v, g.joints[i]) {
				return inMotion
			}
		}
	}
	if !seen {
		return unseen
	}
	return atRest
}

// rest looks for a window of stillFor in which modules were all at rest.
type rest struct {
	since time.Duration // first instant of the window
	in    bool
	seq   uint64 // of the readings last looked at
	last  restState
}

// look takes one snapshot; true once the window is full. A snapshot that was seen before says nothing.
func (w *rest) look(gauges map[string]gauge, modules []string, r *robot.Readings) bool {
	if r == nil || r.Seq == w.seq {
		w.last = unseen
		return false
	}
	w.seq, w.last = r.Seq, atRest
	for _, m := range modules {
		g := gauges[m]
		if s := g.state(r); s == inMotion || (s == unseen && w.last == atRest) {
			w.last = s
		}
	}
	if w.last != atRest {
		w.in = false
		return false
	}
	if !w.in {
		w.in, w.since = true, r.At
	}
	return r.At-w.since >= stillFor
}

// unrest are the modules whose stop was not confirmed.
type unrest struct {
	modules []string
	window  rest
	again   time.Duration // robot clock of the next hold
}

func (u *unrest) any() bool      { return len(u.modules) > 0 }
func (u *unrest) String() string { return strings.Join(u.modules, ", ") }

func (u *unrest) add(modules []string) {
	for _, m := range modules {
		if !slices.Contains(u.modules, m) {
			u.modules = append(u.modules, m)
		}
	}
	u.window = rest{}
}
