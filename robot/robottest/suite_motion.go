package robottest

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
)

const (
	closeRad = 0.03 // a joint is where it was told to be
	closeM   = 0.005
	leave    = 5 * time.Second // for a small motion
	rest     = 2 * time.Second // for a stop
)

// goal is a small motion of one module and how to see it.
type goal struct {
	module *robot.Module
	step   func(period time.Duration) robot.Target // the next target on the way
	gap    func() float64                          // 1 = as far from the goal as a reading may be and count as there
}

// goalOf moves a module a little: a joint by 0.15 rad, a pose up by 3 cm, an aperture to its middle.
func (r *rig) goalOf(m *robot.Module) goal {
	switch {
	case m.Gripper != nil:
		mid := (m.Gripper.MinApertureM + m.Gripper.MaxApertureM) / 2
		return goal{m, func(time.Duration) robot.Target { return robot.Target{Module: m.Name, ApertureM: new(mid)} }, func() float64 {
			return math.Abs(r.Readings().Grippers[m.Name].ApertureM-mid) / closeM
		}}
	case m.Arm.TakesPose:
		to := r.Readings().Arms[m.Name].Tip
		to.Pos.Z += 0.03
		return goal{m, func(time.Duration) robot.Target { return robot.Target{Module: m.Name, Pose: &to} }, func() float64 {
			return apart(r.Readings().Arms[m.Name].Tip, to) / (2 * closeM)
		}}
	}
	q := slices.Clone(r.Readings().Arms[m.Name].Joints)
	j := m.Arm.Chain.Joints[0]
	to := q[0] + 0.15
	if to > j.Upper {
		to = q[0] - 0.15
	}
	return goal{m, func(period time.Duration) robot.Target {
		most := m.Arm.MaxSpeed[0] * period.Seconds() / 2
		q[0] += geom.Clamp(to-q[0], -most, most)
		return robot.Target{Module: m.Name, Joints: slices.Clone(q)}
	}, func() float64 { return math.Abs(r.Readings().Arms[m.Name].Joints[0]-to) / closeRad }}
}

func (r *rig) tick(t *testing.T) (period time.Duration) {
	t.Helper()
	before := r.clock.Now()
	r.period(t)
	return r.clock.Now() - before
}

func testRest(t *testing.T, r *rig) {
	r.run(t, 500*time.Millisecond)
	before := r.Readings()
	r.run(t, 500*time.Millisecond)
	for _, m := range r.movers() {
		if g := r.moved(m, before); g > 1 {
			t.Errorf("%s moved %.1f times the tolerance although nobody told it to", m.Name, g)
		}
		if !r.resting(m) {
			t.Errorf("%s is not below its still-speed: %+v %+v", m.Name, r.Readings().Arms[m.Name].Speeds, r.Readings().Grippers[m.Name].SpeedMS)
		}
	}
}

// moved is how far a module is from where it was, in tolerances.
func (r *rig) moved(m *robot.Module, before *robot.Readings) float64 {
	now := r.Readings()
	if m.Gripper != nil {
		return math.Abs(now.Grippers[m.Name].ApertureM-before.Grippers[m.Name].ApertureM) / closeM
	}
	if m.Arm.TakesPose {
		return apart(now.Arms[m.Name].Tip, before.Arms[m.Name].Tip) / closeM
	}
	most := 0.0
	for i, q := range now.Arms[m.Name].Joints {
		most = max(most, math.Abs(q-before.Arms[m.Name].Joints[i])/closeRad)
	}
	return most
}

// resting says whether every speed of a module is below the largest still-speed of its fields.
func (r *rig) resting(m *robot.Module) bool {
	now := r.Readings()
	for _, f := range m.Fields {
		limit := f.StillSpeed
		if f.Unit == "mm" {
			limit /= 1000
		}
		switch {
		case limit == 0:
		case m.Gripper != nil && math.Abs(now.Grippers[m.Name].SpeedMS) >= limit:
			return false
		case m.Arm != nil && (f.Unit == "m" || f.Unit == "mm") && now.Arms[m.Name].TipSpeed >= limit:
			return false
		case m.Arm != nil && f.Unit == "rad" && slices.ContainsFunc(now.Arms[m.Name].Speeds, func(v float64) bool { return math.Abs(v) >= limit }):
			return false
		}
	}
	return true
}

func testFollow(t *testing.T, r *rig) {
	r.period(t)
	for _, m := range r.movers() {
		g := r.goalOf(m)
		if g.gap() <= 1 {
			t.Fatalf("%s: the goal is no motion", m.Name)
		}
		period := 10 * time.Millisecond
		for end := r.clock.Now() + leave; g.gap() > 1; {
			if r.clock.Now() > end {
				t.Errorf("%s: still %.1f tolerances away after %v", m.Name, g.gap(), leave)
				break
			}
			r.do(t, g.step(period))
			period = r.tick(t)
		}
	}
}

func testHold(t *testing.T, r *rig) {
	r.period(t)
	for _, m := range r.movers() {
		g := r.goalOf(m)
		r.do(t, g.step(time.Second)) // all the way at once
		for range 3 {
			r.period(t)
		}
		r.do(t, robot.Target{Module: m.Name, Hold: true})
		r.stops(t, m)
		if g.gap() <= 1 {
			t.Errorf("%s went on to its target although it was held on the way", m.Name)
		}
		held := r.Readings()
		r.run(t, 500*time.Millisecond)
		if far := r.moved(m, held); far > 1 {
			t.Errorf("%s moved %.1f tolerances while it was held", m.Name, far)
		}
	}
}

// stops fails unless the module is at rest for 0.2 s within the contract's limit.
func (r *rig) stops(t *testing.T, m *robot.Module) {
	t.Helper()
	since := r.clock.Now()
	for end := r.clock.Now() + rest; r.clock.Now()-since < 200*time.Millisecond; {
		if r.clock.Now() > end {
			t.Errorf("%s did not come to rest within %v of a hold", m.Name, rest)
			return
		}
		r.period(t)
		if !r.resting(m) {
			since = r.clock.Now()
		}
	}
}

func testKeepsNothing(t *testing.T, r *rig) {
	r.period(t)
	for _, m := range r.movers() {
		before := r.Readings()
		target := r.goalOf(m).step(0)
		switch { // stay, then scribble over what was handed over
		case target.Joints != nil:
			copy(target.Joints, before.Arms[m.Name].Joints)
			r.do(t, target)
			target.Joints[0] += 0.5
		case target.Pose != nil:
			*target.Pose = before.Arms[m.Name].Tip
			r.do(t, target)
			target.Pose.Pos.Z += 0.2
		default:
			*target.ApertureM = before.Grippers[m.Name].ApertureM
			r.do(t, target)
			*target.ApertureM = (m.Gripper.MinApertureM + m.Gripper.MaxApertureM) / 2
		}
		r.run(t, 300*time.Millisecond)
		if far := r.moved(m, before); far > 1 {
			t.Errorf("%s followed what was written into a command after Do: %.1f tolerances", m.Name, far)
		}
	}
}

func testRefuses(t *testing.T, r *rig) {
	r.period(t)
	cases := map[string]robot.Target{"unknown_module": {Module: "no such module", Hold: true}, "no_module": {Hold: true}}
	for _, m := range r.movers() {
		cases["nothing_asked_of_"+m.Name] = robot.Target{Module: m.Name}
		if m.Arm != nil {
			cases["aperture_for_"+m.Name] = robot.Target{Module: m.Name, ApertureM: new(0.01)}
			cases["one_joint_for_"+m.Name] = robot.Target{Module: m.Name, Joints: []float64{0}}
		} else {
			cases["joints_for_"+m.Name] = robot.Target{Module: m.Name, Joints: []float64{0}}
		}
	}
	for i := range r.desc.Modules {
		if m := &r.desc.Modules[i]; m.Camera != nil {
			cases["hold_of_"+m.Name] = robot.Target{Module: m.Name, Hold: true}
		}
	}
	before := r.Readings()
	for name, target := range cases {
		if err := r.Do(robot.Command{Owner: robot.OwnerAgent, Generation: 1, IssuedAt: r.clock.Now(), Target: target}); err == nil {
			t.Errorf("%s: Do gave no error", name)
		}
	}
	r.run(t, 200*time.Millisecond)
	for _, m := range r.movers() {
		if far := r.moved(m, before); far > 1 {
			t.Errorf("%s moved %.1f tolerances by commands that were refused", m.Name, far)
		}
	}
	if err := r.Err(); err != nil {
		t.Errorf("Err() = %v after refused commands", err)
	}
}
