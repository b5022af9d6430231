package geom_test

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/spatial/r3"
	"pgregory.net/rapid"

	"github.com/rein-robotics/rein/geom"
)

const tight = 1e-9

// apart is the distance and the turn between two poses.
func apart(a, b geom.Pose) (metres, radians float64) {
	return r3.Norm(r3.Sub(a.Pos, b.Pos)), geom.AngleOf(geom.MulRot(a.Rot, geom.InvRot(b.Rot)))
}

func checkPose(t interface {
	Helper()
	Fatalf(string, ...any)
}, got, want geom.Pose, tolerance float64) {
	t.Helper()
	if d, a := apart(got, want); !(d <= tolerance && a <= math.Max(tolerance, 1e-7)) {
		t.Fatalf("pose %v, want %v: off by %g m and %g rad", got, want, d, a)
	}
}

func TestZeroPoseIsStretchedForward(t *testing.T) {
	t.Parallel()
	tip := geom.DefaultArmShape().Chain().Tip(make([]float64, 6))
	want := geom.Vec{X: 0.03 + 0.18 + 0.18 + 0.12, Z: 0.15}
	if r3.Norm(r3.Sub(tip.Pos, want)) > tight {
		t.Errorf("tip at zero %v, want %v", tip.Pos, want)
	}
	if axis := tip.ToolAxis(); r3.Norm(r3.Sub(axis, geom.Vec{X: 1})) > tight {
		t.Errorf("tool axis at zero %v, want +x", axis)
	}
}

func TestJointSigns(t *testing.T) {
	t.Parallel()
	c := geom.DefaultArmShape().Chain()
	home := c.Tip(make([]float64, 6))
	for _, tc := range []struct {
		joint int
		moves geom.Vec // where the tip goes when the joint grows
	}{
		{geom.ShoulderPan, geom.Vec{Y: 1}},
		{geom.ShoulderLift, geom.Vec{Z: -1}},
		{geom.ElbowFlex, geom.Vec{Z: -1}},
		{geom.WristFlex, geom.Vec{Z: -1}},
		{geom.WristYaw, geom.Vec{Y: 1}},
	} {
		q := make([]float64, 6)
		q[tc.joint] = 0.1
		if d := r3.Dot(r3.Sub(c.Tip(q).Pos, home.Pos), tc.moves); d < 0.005 {
			t.Errorf("%s: tip moved %g m along %v, want forward", c.Joints[tc.joint].Name, d, tc.moves)
		}
	}
}

func TestDownAtYawZero(t *testing.T) {
	t.Parallel()
	m := geom.Mat(geom.Down(geom.Vec{}, 0).Rot)
	want := [9]float64{1, 0, 0, 0, -1, 0, 0, 0, -1}
	for i := range m {
		if math.Abs(m[i]-want[i]) > tight {
			t.Fatalf("tool-down at yaw 0 is %v, want %v", m, want)
		}
	}
}

// TestReachSweep: every pose of the annulus is graspable straight down at every yaw, with margins.
func TestReachSweep(t *testing.T) {
	t.Parallel()
	s := geom.DefaultArmShape()
	c := s.Chain()
	near := s.Home()
	for _, ring := range []struct{ z, inner, outer float64 }{{0.005, 0.15, 0.38}, {0.12, 0.15, 0.37}, {0.035, 0.12, 0.38}} {
		for mm := math.Round(ring.inner * 1000); mm <= ring.outer*1000; mm += 5 {
			for bearing := -100.0; bearing <= 100; bearing += 10 {
				sin, cos := math.Sincos(geom.Rad(bearing))
				tip := geom.Vec{X: mm / 1000 * cos, Y: mm / 1000 * sin, Z: ring.z}
				for yaw := 0.0; yaw < 180; yaw += 10 {
					q, err := s.ToolDown(tip, geom.Rad(yaw), near)
					if err != nil {
						t.Fatalf("%.3f m, z %.3f, bearing %.0f°, yaw %.0f°: %v", mm/1000, ring.z, bearing, yaw, err)
					}
					checkDown(t, c, q, tip, geom.Rad(yaw))
				}
			}
		}
	}
}

func checkDown(t *testing.T, c geom.Chain, q []float64, tip geom.Vec, yaw float64) {
	t.Helper()
	for i, j := range c.Joints {
		if margin := math.Min(q[i]-j.Lower, j.Upper-q[i]); margin < geom.Rad(5) {
			t.Fatalf("tip %v yaw %.2f: %s at %.0f° is %.1f° from its limit", tip, yaw, j.Name, geom.Deg(q[i]), geom.Deg(margin))
		}
	}
	if q[geom.WristYaw] > tight || q[geom.WristYaw] < -tight {
		t.Fatalf("tip %v: wrist_yaw %g, want 0", tip, q[geom.WristYaw])
	}
	got, want := c.Tip(q), geom.Down(tip, yaw)
	if r3.Dot(geom.Rotate(got.Rot, geom.Vec{Y: 1}), geom.Rotate(want.Rot, geom.Vec{Y: 1})) < 0 {
		want = want.Flipped()
	}
	checkPose(t, got, want, tight)
}

func TestClosedFormUndoesTip(t *testing.T) {
	t.Parallel()
	s := geom.DefaultArmShape()
	c := s.Chain()
	rapid.Check(t, func(t *rapid.T) {
		q := drawJoints(t, c)
		target := c.Tip(q)
		got, err := c.Solve(target, q)
		if err != nil {
			t.Skip("the drawn pose lies in what the closed form leaves out")
		}
		checkPose(t, c.Tip(got), target, tight)
		if !c.Within(got, 0) {
			t.Fatalf("answer %v leaves the limits", got)
		}
	})
}

func drawJoints(t *rapid.T, c geom.Chain) []float64 {
	q := make([]float64, len(c.Joints))
	for i, j := range c.Joints {
		q[i] = rapid.OneOf(rapid.Float64Range(j.Lower, j.Upper), rapid.SampledFrom([]float64{j.Lower, j.Upper})).Draw(t, j.Name)
	}
	return q
}

func TestClosedFormFindsTheSameJoints(t *testing.T) {
	t.Parallel()
	s := geom.DefaultArmShape()
	c := s.Chain()
	rapid.Check(t, func(t *rapid.T) {
		q := []float64{
			rapid.Float64Range(-1.9, 1.9).Draw(t, "pan"), rapid.Float64Range(-1.8, -0.2).Draw(t, "lift"),
			rapid.Float64Range(0.5, 2.4).Draw(t, "elbow"), rapid.Float64Range(-1, 2).Draw(t, "flex"),
			rapid.Float64Range(-1.3, 1.3).Draw(t, "yaw"), rapid.Float64Range(-2.7, 2.7).Draw(t, "roll"),
		}
		wrist, column := c.Links(q)[geom.WristFlex].Pos, geom.Segment{B: geom.Vec{Z: s.ShoulderUp}}
		if column.Distance(geom.Segment{A: wrist, B: c.Tip(q).Pos}) < 0.071 {
			t.Skip("the hand is at the arm's own column")
		}
		if wrist.X*math.Cos(q[0])+wrist.Y*math.Sin(q[0]) < 0.07 {
			t.Skip("too near to the pan axis")
		}
		got, err := c.Solve(c.Tip(q), q)
		if err != nil {
			t.Fatalf("solve: %v", err)
		}
		for i := range q {
			if math.Abs(got[i]-q[i]) > 1e-6 {
				t.Fatalf("joints %v, want %v", got, q)
			}
		}
	})
}

func TestDampedUndoesTip(t *testing.T) {
	t.Parallel()
	c := geom.DefaultArmShape().Chain()
	c.Shape = nil
	rapid.Check(t, func(t *rapid.T) {
		q := drawJoints(t, c)
		near := make([]float64, len(q))
		for i, j := range c.Joints {
			near[i] = geom.Clamp(q[i]+rapid.Float64Range(-0.3, 0.3).Draw(t, "off"), j.Lower, j.Upper)
		}
		target := c.Tip(q)
		got, err := c.Solve(target, near)
		if err != nil {
			t.Fatalf("solve from %v: %v", near, err)
		}
		checkPose(t, c.Tip(got), target, 1e-4)
		if !c.Within(got, 0) {
			t.Fatalf("answer %v leaves the limits", got)
		}
	})
}

// TestDampedFindsACornerOfTheLimits: four joints stand at a limit, and neither near nor the middle of the limits leads there.
func TestDampedFindsACornerOfTheLimits(t *testing.T) {
	t.Parallel()
	c := geom.DefaultArmShape().Chain()
	c.Shape = nil
	q := []float64{1.9198621771937625, 0.03125, 2.792526803190927, 2.125, 1.3962634015954636, -2.792526803190927}
	target := c.Tip(q)
	got, err := c.Solve(target, []float64{1.9198621771937625, 0.15625, 2.792526803190927, 1.825, 1.3962634015954636, -2.4925268031909273})
	if err != nil {
		t.Fatal(err)
	}
	checkPose(t, c.Tip(got), target, 1e-4)
}

func TestTiltPointsOutwards(t *testing.T) {
	t.Parallel()
	s := geom.DefaultArmShape()
	tip := geom.Vec{X: 0.2, Y: 0.3, Z: 0.03}
	q, err := s.Tilted(tip, 0.4, geom.Rad(20), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := s.Chain().Tip(q)
	axis := got.ToolAxis()
	out := math.Sin(geom.Rad(20)) / math.Hypot(tip.X, tip.Y)
	want := geom.Vec{X: tip.X * out, Y: tip.Y * out, Z: -math.Cos(geom.Rad(20))}
	if off := r3.Norm(r3.Sub(axis, want)); off > tight || r3.Norm(r3.Sub(got.Pos, tip)) > tight {
		t.Errorf("tool axis %v at %v, want %v at %v", axis, got.Pos, want, tip)
	}
}

func TestSolveRefuses(t *testing.T) {
	t.Parallel()
	s := geom.DefaultArmShape()
	roll := func(degrees float64) geom.Pose { // tool-down in front of the arm with this turn of the roll
		return geom.Down(geom.Vec{X: 0.25, Z: 0.05}, geom.Rad(-degrees))
	}
	for name, tc := range map[string]struct {
		target geom.Pose
		says   string // "" = it is reached
	}{
		"far":      {geom.Down(geom.Vec{X: 0.47, Z: 0.005}, 0), "0.47 m from the foot; the arm reaches 0.38 m at this height"},
		"near":     {geom.Down(geom.Vec{X: 0.08, Z: 0.005}, 0), "0.08 m from the foot is too near; at this height the arm needs 0.09 m"},
		"axis":     {geom.Down(geom.Vec{X: 0.03, Z: 0.25}, 0), "needs 0.06 m to turn"},
		"column":   {geom.DownTilted(geom.Vec{X: 0.05, Z: 0.03}, 0, geom.Rad(-35)), "from the arm's own column"},
		"behind":   {geom.Down(geom.Vec{X: -0.2, Y: 0.05, Z: 0.03}, 0), "166° to the side"},
		"high":     {geom.Down(geom.Vec{X: 0.2, Z: 0.6}, 0), "heights from"},
		"sideways": {geom.Pose{Pos: geom.Vec{X: 0.25, Y: 0.12, Z: 0.1}, Rot: geom.MulRot(geom.RotZ(-0.07), geom.RotX(-math.Pi/2))}, "wrist_yaw would need 86°"},
		"roll+155": {roll(155), ""}, "roll-155": {roll(-155), ""},
		"roll+170": {roll(170), "wrist_roll would need 170°"}, "roll-170": {roll(-170), "wrist_roll would need -170°"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := s.Solve(tc.target, nil)
			if tc.says == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("error %v, want %q", err, tc.says)
			}
		})
	}
}

// TestRollStaysNearWithinLimits: of two turns of the roll that are one pose, the one within the limits is taken, both
// ways round.
func TestRollStaysNearWithinLimits(t *testing.T) {
	t.Parallel()
	s := geom.DefaultArmShape()
	for _, sign := range []float64{1, -1} {
		near := s.Home()
		near[geom.WristRoll] = sign * geom.Rad(159)
		want := sign * geom.Rad(-15) // 165° or −15° are one grip; 165° is out of the limits
		q, err := s.ToolDown(geom.Vec{X: 0.25, Z: 0.05}, -want, near)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(q[geom.WristRoll]-want) > tight {
			t.Errorf("roll %g°, want %g°", geom.Deg(q[geom.WristRoll]), geom.Deg(want))
		}
		full, err := s.Solve(geom.Down(geom.Vec{X: 0.25, Z: 0.05}, sign*geom.Rad(150)), near)
		if err != nil || math.Abs(full[geom.WristRoll]+sign*geom.Rad(150)) > tight {
			t.Errorf("roll %v (%v), want %g°: the turn nearer to %g° is out of the limits", full, err, -sign*150, sign*159)
		}
	}
}
