package geom_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/spatial/r3"
	"pgregory.net/rapid"

	"github.com/rein-robotics/rein/geom"
)

func mustDown(t interface {
	Helper()
	Fatal(...any)
}, tip geom.Vec, yaw float64) []float64 {
	t.Helper()
	q, err := geom.DefaultArmShape().ToolDown(tip, yaw, nil)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestLinePathIsStraightAndFine(t *testing.T) {
	t.Parallel()
	c := geom.DefaultArmShape().Chain()
	rapid.Check(t, func(t *rapid.T) {
		draw := func() (geom.Vec, float64) {
			r, b := rapid.Float64Range(0.2, 0.36).Draw(t, "r"), rapid.Float64Range(-0.5, 0.5).Draw(t, "bearing")
			tip := geom.Vec{X: r * math.Cos(b), Y: r * math.Sin(b), Z: rapid.Float64Range(0.005, 0.12).Draw(t, "z")}
			return tip, rapid.Float64Range(-4, 4).Draw(t, "yaw")
		}
		a, yawA := draw()
		b, yawB := draw()
		from, to := mustDown(t, a, yawA), geom.Down(b, yawB)
		p, err := c.LinePath(from, to, geom.LineOptions{Symmetric: true})
		if err != nil {
			t.Fatalf("from %v to %v: %v", a, b, err)
		}
		line := geom.Segment{A: a, B: b}
		for i := 1; i < len(p.Joints); i++ {
			tip := c.Tip(p.Joints[i])
			checkPose(t, tip, p.Tips[i], 1e-7)
			if off := line.DistanceTo(tip.Pos); off > 1e-6 {
				t.Fatalf("sample %d is %g m off the line", i, off)
			}
			if step := r3.Norm(r3.Sub(tip.Pos, p.Tips[i-1].Pos)); step > 0.005+1e-6 {
				t.Fatalf("sample %d is %g m from the one before", i, step)
			}
			if axis := tip.ToolAxis(); axis.Z > -1+1e-6 {
				t.Fatalf("sample %d is not tool-down: %v", i, axis)
			}
		}
		end := p.Tips[len(p.Tips)-1]
		if _, turn := apart(end, to); turn > math.Pi/2 {
			to = to.Flipped()
		}
		checkPose(t, end, to, 1e-6)
	})
}

func TestLinePathKeepsAnExactTarget(t *testing.T) {
	t.Parallel()
	s := geom.DefaultArmShape()
	c := s.Chain()
	from := mustDown(t, geom.Vec{X: 0.25, Z: 0.05}, 0)
	to := geom.DownTilted(geom.Vec{X: 0.3, Y: 0.1, Z: 0.04}, geom.Rad(60), geom.Rad(25))
	p, err := c.LinePath(from, to, geom.LineOptions{})
	if err != nil {
		t.Fatal(err)
	}
	checkPose(t, c.Tip(p.End()), to, 1e-7)
}

// TestLinePathTwistsTheOtherWay: with the roll at its limit, the way round that stays within the limits is taken.
func TestLinePathTwistsTheOtherWay(t *testing.T) {
	t.Parallel()
	c := geom.DefaultArmShape().Chain()
	from := mustDown(t, geom.Vec{X: 0.25, Z: 0.05}, 0)
	from[geom.WristRoll] = geom.Rad(150)
	to := c.Tip(from)
	to.Rot = geom.MulRot(geom.RotZ(geom.Rad(-40)), to.Rot) // a roll of 190°, which is −170°: out of the limits both ways
	if _, err := c.LinePath(from, to, geom.LineOptions{}); err == nil {
		t.Error("an exact target beyond the roll's limit was accepted")
	}
	p, err := c.LinePath(from, to, geom.LineOptions{Symmetric: true})
	if err != nil {
		t.Fatalf("symmetric: %v", err)
	}
	if got := geom.Deg(p.End()[geom.WristRoll]); math.Abs(got-10) > 1e-6 {
		t.Errorf("roll ends at %g°, want 10°", got)
	}
}

func TestPathsRefuseWithReasonAndPlace(t *testing.T) {
	t.Parallel()
	s := geom.DefaultArmShape()
	c := s.Chain()
	from := mustDown(t, geom.Vec{X: 0.25, Z: 0.02}, 0)
	right := mustDown(t, geom.Vec{X: 0.05, Y: -0.2, Z: 0.02}, 0)
	for name, tc := range map[string]struct {
		run  func() error
		says string
		x    float64 // where along x it was refused; 0 = not checked
	}{
		"too_far": {func() error { return line(c, from, geom.Down(geom.Vec{X: 0.47, Z: 0.02}, 0)) }, "the arm reaches 0.38 m", 0.39},
		"column":  {func() error { return line(c, right, geom.Down(geom.Vec{X: 0.05, Y: 0.2, Z: 0.02}, 0)) }, "too near", 0.05},
		"behind":  {func() error { return line(c, right, geom.Down(geom.Vec{X: -0.2, Y: -0.2, Z: 0.02}, 0)) }, "to the side", 0},
		"high":    {func() error { return line(c, from, geom.Down(geom.Vec{X: 0.25, Z: 0.6}, 0)) }, "m from the foot", 0.25},
		"nan":     {func() error { return line(c, from, geom.Down(geom.Vec{X: math.NaN()}, 0)) }, "not a finite pose", 0},
		"joint":   {func() error { _, err := c.JointPath(from, []float64{0, 0, 0, 0, 3, 0}); return err }, "wrist_yaw would need 172°", 0},
		"count":   {func() error { _, err := c.JointPath(from, from[:4]); return err }, "6 joints", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := tc.run()
			var reach *geom.ReachError
			if !errors.As(err, &reach) || !strings.Contains(reach.Reason, tc.says) {
				t.Fatalf("error %v, want a ReachError with %q", err, tc.says)
			}
			if tc.x != 0 && math.Abs(reach.At.X-tc.x) > 0.011 {
				t.Errorf("refused at %v, want x near %g", reach.At, tc.x)
			}
		})
	}
}

func line(c geom.Chain, from []float64, to geom.Pose) error {
	_, err := c.LinePath(from, to, geom.LineOptions{})
	return err
}

// other is a solver of a user: it knows one pose only.
type other struct{ asked int }

func (o *other) Solve(geom.Pose, []float64) ([]float64, error) {
	o.asked++
	return nil, errors.New("no licence")
}

func TestLinePathAsksTheGivenSolver(t *testing.T) {
	t.Parallel()
	c := geom.DefaultArmShape().Chain()
	o := &other{}
	_, err := c.LinePath(mustDown(t, geom.Vec{X: 0.25, Z: 0.02}, 0), geom.Down(geom.Vec{X: 0.3, Z: 0.02}, 0), geom.LineOptions{Solver: o})
	if err == nil || !strings.Contains(err.Error(), "no licence") || o.asked == 0 {
		t.Errorf("error %v after %d questions, want the solver's own", err, o.asked)
	}
}

// TestDampedLinePath: a chain without a closed form goes the same straight way.
func TestDampedLinePath(t *testing.T) {
	t.Parallel()
	c := geom.DefaultArmShape().Chain()
	c.Shape = nil
	from := mustDown(t, geom.Vec{X: 0.22, Y: -0.1, Z: 0.02}, 0.3)
	p, err := c.LinePath(from, geom.Down(geom.Vec{X: 0.3, Y: 0.1, Z: 0.08}, 0.9), geom.LineOptions{Symmetric: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range p.Joints {
		checkPose(t, c.Tip(q), p.Tips[i], 1e-4)
	}
}

func limits() geom.SpeedLimits {
	return geom.SpeedLimits{Joints: []float64{1.5, 1.5, 1.5, 1.5, 1.5, 1.5}, TipSpeed: 0.12}
}

func TestTrajectoryKeepsSpeedsAndPath(t *testing.T) {
	t.Parallel()
	s := geom.DefaultArmShape()
	c := s.Chain()
	rapid.Check(t, func(t *rapid.T) {
		a := mustDown(t, geom.Vec{X: rapid.Float64Range(0.16, 0.36).Draw(t, "x0"), Y: rapid.Float64Range(-0.1, 0.1).Draw(t, "y0"), Z: 0.02}, rapid.Float64Range(-2, 2).Draw(t, "yaw0"))
		to := geom.Down(geom.Vec{X: rapid.Float64Range(0.16, 0.34).Draw(t, "x1"), Y: rapid.Float64Range(-0.1, 0.1).Draw(t, "y1"), Z: 0.1}, rapid.Float64Range(-2, 2).Draw(t, "yaw1"))
		p, err := c.LinePath(a, to, geom.LineOptions{Symmetric: true})
		if err != nil {
			t.Skip(err)
		}
		tr, err := p.Timed(limits())
		if err != nil {
			t.Fatal(err)
		}
		checkMotion(t, c, tr, limits())
	})
}

// checkMotion walks a trajectory in steps of a control period and judges speeds, ends and smoothness.
func checkMotion(t interface {
	Helper()
	Fatalf(string, ...any)
}, c geom.Chain, tr *geom.Trajectory, l geom.SpeedLimits) {
	t.Helper()
	const dt = 0.01
	prev, now := make([]float64, 6), make([]float64, 6)
	tr.At(-time.Second, prev)
	lastSpeed := make([]float64, 6)
	for k := 1; ; k++ {
		at := time.Duration(float64(k) * dt * float64(time.Second))
		tr.At(at, now)
		for i := range now {
			v := (now[i] - prev[i]) / dt
			if math.Abs(v) > l.Joints[i]*(1+1e-6) {
				t.Fatalf("joint %d turns at %g rad/s at %v", i, v, at)
			}
			if jump := math.Abs(v - lastSpeed[i]); jump > 0.2*l.Joints[i] {
				t.Fatalf("joint %d changes its speed by %g rad/s within one period at %v", i, jump, at)
			}
			lastSpeed[i] = v
		}
		if v := r3.Norm(r3.Sub(c.Tip(now).Pos, c.Tip(prev).Pos)) / dt; l.TipSpeed > 0 && v > l.TipSpeed*1.02 {
			t.Fatalf("tip moves at %g m/s at %v", v, at)
		}
		copy(prev, now)
		if at > tr.Duration() {
			break
		}
	}
	for i, q := range tr.End() {
		if now[i] != q {
			t.Fatalf("ends at %v, want %v", now, tr.End())
		}
	}
}

func TestTrajectoryDuration(t *testing.T) {
	t.Parallel()
	c := geom.DefaultArmShape().Chain()
	zero := make([]float64, 6)
	at := func(pan float64) []float64 { q := append([]float64(nil), zero...); q[0] = pan; return q }
	for name, tc := range map[string]struct {
		pan  float64
		want float64 // seconds
	}{
		"long":    {1.5, 1 + 0.25},
		"short":   {0.015, 2 * math.Sqrt(0.01*0.25)},
		"nowhere": {0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := c.JointPath(zero, at(tc.pan))
			if err != nil {
				t.Fatal(err)
			}
			l := limits()
			l.TipSpeed = 0
			tr, err := p.Timed(l)
			if err != nil {
				t.Fatal(err)
			}
			if got := tr.Duration().Seconds(); math.Abs(got-tc.want) > 1e-6 {
				t.Errorf("duration %g s, want %g s", got, tc.want)
			}
			checkMotion(t, c, tr, l)
		})
	}
}

func TestTimedRefusesBadLimits(t *testing.T) {
	t.Parallel()
	c := geom.DefaultArmShape().Chain()
	p, err := c.JointPath(make([]float64, 6), make([]float64, 6))
	if err != nil {
		t.Fatal(err)
	}
	for name, speeds := range map[string][]float64{"few": {1, 1}, "zero": {1, 1, 1, 1, 1, 0}, "nan": {1, 1, 1, 1, 1, math.NaN()}} {
		if _, err := p.Timed(geom.SpeedLimits{Joints: speeds}); err == nil {
			t.Errorf("%s: speeds %v were accepted", name, speeds)
		}
	}
}

func TestAtDoesNotAllocate(t *testing.T) {
	c := geom.DefaultArmShape().Chain()
	p, err := c.JointPath(make([]float64, 6), mustDown(t, geom.Vec{X: 0.3, Z: 0.1}, 0))
	if err != nil {
		t.Fatal(err)
	}
	tr, err := p.Timed(limits())
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]float64, 6)
	if n := testing.AllocsPerRun(100, func() { tr.At(300*time.Millisecond, dst); c.Tip(dst) }); n != 0 {
		t.Errorf("%g allocations, want 0", n)
	}
}

func BenchmarkLinePath(b *testing.B) {
	c := geom.DefaultArmShape().Chain()
	from := mustDown(b, geom.Vec{X: 0.2, Y: -0.2, Z: 0.05}, 0)
	to := geom.Down(geom.Vec{X: 0.2, Y: 0.2, Z: 0.05}, 1)
	for b.Loop() {
		if _, err := c.LinePath(from, to, geom.LineOptions{Symmetric: true}); err != nil {
			b.Fatal(err)
		}
	}
}
