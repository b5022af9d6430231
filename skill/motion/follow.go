package motion

import (
	"fmt"
	"math"
	"time"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
	"gonum.org/v1/gonum/spatial/r3"
)

const (
	// lagLimit is how far the fingertips may be behind the command before the path waits for them, metres.
	lagLimit = 0.035
	// lagPatience is how long it waits before the arm counts as blocked.
	lagPatience = 600 * time.Millisecond
	// settleLimit is how long an end is given to settle.
	settleLimit = 500 * time.Millisecond
	// mostTrim bounds what is added to a command to bring the tips where they should be, metres.
	mostTrim = 0.006
)

// Planner makes a path from the joints where the arm is when the step begins.
type Planner func(from []float64) (*geom.Path, error)

// Follow leads the arm along a path.
type Follow struct {
	Arm   *Arm
	Plan  Planner
	Speed float64 // of the fingertips, m/s; 0 = as fast as the joints allow
	// Settle is how near the fingertips must come to the end, metres; 0 = do not wait. Small errors of the servos are
	// corrected; it goes on after half a second in any case.
	Settle float64
	// Watch, when set, is asked every tick; done ends the step where the arm is.
	Watch func(b *skill.Body) (done bool, err error)

	path    *geom.Path
	tr      *geom.Trajectory
	passed  time.Duration // along the trajectory
	last    time.Duration // robot clock of the tick before
	behind  time.Duration // how long the path has waited for the arm
	settled time.Duration // since the end of the trajectory
	trim    geom.Vec
	q       []float64
}

// Tick sends where the joints should be now.
func (f *Follow) Tick(b *skill.Body) (bool, error) {
	s, ok := f.Arm.State(b.Readings)
	if !ok {
		return false, skill.Failf("%s reports nothing", f.Arm.Name)
	}
	if f.tr == nil {
		if err := f.begin(b, s); err != nil {
			return false, err
		}
	}
	step := b.Now - f.last
	f.last = b.Now
	if f.Watch != nil {
		if done, err := f.Watch(b); err != nil || done {
			return done, err
		}
	}
	if err := f.pace(s, step); err != nil {
		return false, err
	}
	f.tr.At(f.passed, f.q)
	if f.passed < f.tr.Duration() {
		b.Send(joints(f.Arm.Name, f.q))
		return false, nil
	}
	return f.settle(b, s, step)
}

func (f *Follow) begin(b *skill.Body, s robot.ArmState) error {
	path, err := f.Plan(f.Arm.Start(s))
	if err != nil {
		return fail(err)
	}
	if f.tr, err = f.Arm.Timed(path, f.Speed); err != nil {
		return err
	}
	f.path, f.last, f.q = path, b.Now-b.Period, append([]float64(nil), f.tr.End()...)
	f.tr.At(0, f.q)
	return nil
}

// pace lets the path go on unless the arm is too far behind it.
func (f *Follow) pace(s robot.ArmState, step time.Duration) error {
	f.tr.At(f.passed, f.q)
	lag := r3.Norm(r3.Sub(f.Arm.Chain.Tip(f.q).Pos, s.Tip.Pos))
	if lag <= lagLimit {
		f.behind = 0
		f.passed += step
		return nil
	}
	f.behind += step
	if f.behind < lagPatience {
		return nil
	}
	left := r3.Norm(r3.Sub(f.path.Tips[len(f.path.Tips)-1].Pos, s.Tip.Pos))
	return skill.Failf("blocked, %.0f mm short", left*1000)
}

// Commanded is where the fingertips are told to be now; ok is false before the first tick.
func (f *Follow) Commanded() (tip geom.Pose, ok bool) {
	if f.q == nil {
		return tip, false
	}
	return f.Arm.Chain.Tip(f.q), true
}

// settle waits until the tips are at the end of the path, trimming the command by what they lack.
func (f *Follow) settle(b *skill.Body, s robot.ArmState, step time.Duration) (bool, error) {
	if f.Settle == 0 {
		b.Send(joints(f.Arm.Name, f.q))
		return true, nil
	}
	f.settled += step
	goal := f.path.Tips[len(f.path.Tips)-1]
	off := r3.Sub(goal.Pos, s.Tip.Pos)
	if r3.Norm(off) <= f.Settle && s.TipSpeed < 0.02 || f.settled > settleLimit {
		return true, nil
	}
	if s.TipSpeed < 0.03 {
		f.trim = limit(r3.Add(f.trim, r3.Scale(math.Min(1, 6*step.Seconds()), off)), mostTrim)
	}
	goal.Pos = r3.Add(goal.Pos, f.trim)
	goal.Pos.Z = math.Max(goal.Pos.Z, f.Arm.MinTipZ)
	goal.Rot = f.path.Tips[len(f.path.Tips)-1].Rot
	q, err := f.Arm.Chain.Solve(goal, f.q)
	if err != nil || far(q, f.q) {
		q = f.q
	}
	b.Send(joints(f.Arm.Name, q))
	return false, nil
}

func far(a, b []float64) bool {
	for i := range a {
		if math.Abs(a[i]-b[i]) > 0.2 {
			return true
		}
	}
	return false
}

func limit(v geom.Vec, most float64) geom.Vec {
	if n := r3.Norm(v); n > most {
		return r3.Scale(most/n, v)
	}
	return v
}

// fail turns a refusal into a failure: once the skill runs, a path that cannot be had ends it.
func fail(err error) error {
	if r, ok := err.(*skill.Refusal); ok {
		return skill.Failf("%s: %s", r.Code, r.Message)
	}
	return fmt.Errorf("plan a path: %w", err)
}

// To is a planner to fixed joints.
func (a *Arm) To(q []float64) Planner {
	return func(from []float64) (*geom.Path, error) { return a.Swing(from, q) }
}

// Straight is a planner on a straight line to a pose.
func (a *Arm) Straight(to geom.Pose) Planner {
	return func(from []float64) (*geom.Path, error) { return a.Line(from, to) }
}

// Move is a planner on a straight line by an offset in the world, the tool keeping its turn.
func (a *Arm) Move(by geom.Vec) Planner {
	return func(from []float64) (*geom.Path, error) {
		to := a.Chain.Tip(from)
		to.Pos = r3.Add(to.Pos, by)
		return a.Line(from, to)
	}
}

// Rise is a planner straight up, less where the arm cannot.
func (a *Arm) Rise(by float64) Planner {
	return func(from []float64) (*geom.Path, error) {
		p, err := a.Move(geom.Vec{Z: by})(from)
		for up := by - 0.01; err != nil && up > 0.015; up -= 0.01 {
			p, err = a.Move(geom.Vec{Z: up})(from)
		}
		return p, err
	}
}
