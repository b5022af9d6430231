package robottest

import (
	"math"
	"slices"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
)

const (
	armSpeed  = 2.0  // rad/s
	armAccel  = 10.0 // rad/s²
	gripSpeed = 0.2  // m/s
	gripAccel = 2.0  // m/s²
	gripOpen  = 0.07 // m
	gripForce = 10.0 // N
	stillRad  = 0.02 // rad/s
	stillM    = 0.002
)

// axis is one actuator.
type axis struct {
	pos, speed, target float64
	fastest, accel     float64
	way                float64 // +1 or -1: where it runs on to
}

// step moves the axis towards its target as its limits allow.
func (x *axis) step(dt float64) {
	gap := x.target - x.pos
	if math.Abs(gap) < x.accel*dt*dt && math.Abs(x.speed) <= x.accel*dt {
		x.pos, x.speed = x.target, 0
		return
	}
	want := math.Copysign(min(x.fastest, math.Sqrt(2*x.accel*math.Abs(gap)), math.Abs(gap)/dt), gap)
	x.speed += geom.Clamp(want-x.speed, -x.accel*dt, x.accel*dt)
	x.pos += x.speed * dt
}

// runOn goes on without end, back and forth between the limits.
func (x *axis) runOn(dt, lo, hi float64) {
	if x.way == 0 {
		x.way = math.Copysign(1, x.target-x.pos)
	}
	if x.pos+x.way*x.fastest*dt/4 > hi || x.pos+x.way*x.fastest*dt/4 < lo {
		x.way = -x.way
	}
	x.speed = x.way * x.fastest / 4
	x.pos += x.speed * dt
}

// brake aims where the axis comes to rest by itself.
func (x *axis) brake() {
	x.target = x.pos + x.speed*math.Abs(x.speed)/(2*x.accel)
}

type armServo struct {
	chain geom.Chain
	axes  []axis
	pos   []float64 // as read; of its own so that Tip needs no copy
	tip   geom.Pose
	tipV  float64
}

func newArmServo(chain geom.Chain, home []float64) *armServo {
	a := &armServo{chain: chain, pos: slices.Clone(home), tip: chain.Tip(home)}
	for _, q := range home {
		a.axes = append(a.axes, axis{pos: q, target: q, fastest: armSpeed, accel: armAccel})
	}
	return a
}

func (a *armServo) aim(t robot.Target) {
	for i := range a.axes {
		if t.Hold {
			a.axes[i].brake()
			continue
		}
		a.axes[i].target = t.Joints[i]
	}
}

func (a *armServo) step(dt float64, stuck []int, on bool) {
	for i := range a.axes {
		x := &a.axes[i]
		switch {
		case slices.Contains(stuck, i):
			x.speed = 0
		case on:
			x.runOn(dt, a.chain.Joints[i].Lower, a.chain.Joints[i].Upper)
		default:
			x.step(dt)
		}
		a.pos[i] = x.pos
	}
	was := a.tip
	a.tip = a.chain.Tip(a.pos)
	dx, dy, dz := a.tip.Pos.X-was.Pos.X, a.tip.Pos.Y-was.Pos.Y, a.tip.Pos.Z-was.Pos.Z
	a.tipV = math.Sqrt(dx*dx+dy*dy+dz*dz) / dt
}

func (a *armServo) fastest() float64 {
	most := 0.0
	for i := range a.axes {
		most = max(most, math.Abs(a.axes[i].speed))
	}
	return most
}

func (a *armServo) read() robot.ArmState {
	n := len(a.axes)
	all := make([]float64, 3*n)
	s := robot.ArmState{Joints: all[:n:n], Speeds: all[n : 2*n : 2*n], Targets: all[2*n:], Tip: a.tip, TipSpeed: a.tipV}
	for i := range a.axes {
		s.Joints[i], s.Speeds[i], s.Targets[i] = a.axes[i].pos, a.axes[i].speed, a.axes[i].target
	}
	return s
}

// gripServo closes until the object between its fingers, if there is one.
type gripServo struct {
	axis
	object float64 // width, m
	force  float64
}

func (g *gripServo) aim(t robot.Target) {
	switch {
	case !t.Hold:
		g.target = geom.Clamp(*t.ApertureM, 0, gripOpen)
	case g.pos > g.object || g.object == 0: // a grip is kept: its target stays behind the object
		g.brake()
	}
}

func (g *gripServo) step(dt float64, stuck []int, on bool) {
	switch {
	case len(stuck) > 0:
		g.speed = 0
	case on:
		g.runOn(dt, 0, gripOpen)
	default:
		g.axis.step(dt)
	}
	g.force = 0
	if g.pos < g.object {
		g.pos, g.speed = g.object, 0
	}
	if g.pos <= g.object && g.target < g.object {
		g.force = gripForce
	}
}

func (g *gripServo) fastest() float64 { return math.Abs(g.speed) }

func (g *gripServo) read() robot.GripperState {
	return robot.GripperState{ApertureM: g.pos, SpeedMS: g.speed, TargetM: g.target, ForceN: g.force}
}
