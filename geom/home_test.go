package geom_test

import (
	"math"
	"testing"

	"github.com/rein-robotics/rein/geom"
)

// bodyAt is the default arm with a gripper of usual size at q: four thick lines of the arm, then palm, fingers, camera.
type bodyAt struct {
	column, upper, fore geom.Capsule
	hand                []geom.Capsule // palm, two open fingers, the camera beside the tool
}

func newBody(c geom.Chain, q []float64) bodyAt {
	l := c.Links(q)
	tool := l[len(l)-1]
	in := func(a, b geom.Vec, r float64) geom.Capsule {
		return geom.Capsule{Segment: geom.Segment{A: tool.Apply(a), B: tool.Apply(b)}, Radius: r}
	}
	line := func(a, b geom.Vec, r float64) geom.Capsule {
		return geom.Capsule{Segment: geom.Segment{A: a, B: b}, Radius: r}
	}
	return bodyAt{
		column: line(geom.Vec{}, l[geom.ShoulderLift].Pos, 0.03),
		upper:  line(l[geom.ShoulderLift].Pos, l[geom.ElbowFlex].Pos, 0.02),
		fore:   line(l[geom.ElbowFlex].Pos, l[geom.WristFlex].Pos, 0.018),
		hand: []geom.Capsule{
			in(geom.Vec{Y: -0.035, Z: -0.065}, geom.Vec{Y: 0.035, Z: -0.065}, 0.015),
			in(geom.Vec{Y: -0.04, Z: -0.05}, geom.Vec{Y: -0.04}, 0.008),
			in(geom.Vec{Y: 0.04, Z: -0.05}, geom.Vec{Y: 0.04}, 0.008),
			in(geom.Vec{X: 0.05, Z: -0.07}, geom.Vec{X: 0.05, Z: -0.06}, 0.01),
		},
	}
}

func (b bodyAt) all() []geom.Capsule { return append([]geom.Capsule{b.upper, b.fore}, b.hand...) }

func frontCamera() geom.View {
	return geom.View{
		Intrinsics: geom.Pinhole(640, 480, geom.Rad(48)),
		Pose:       geom.LookAt(geom.Vec{X: 0.02, Z: 0.8}, geom.Vec{X: 0.25}, geom.Vec{X: 1}),
	}
}

func TestHomeIsFoldedAway(t *testing.T) {
	t.Parallel()
	s := geom.DefaultArmShape()
	c := s.Chain()
	q := s.Home()
	if !c.Within(q, -geom.Rad(5)) {
		t.Fatalf("home %v is within 5° of a limit", q)
	}
	body := newBody(c, q)
	for i, cap := range body.all() {
		if x := math.Max(cap.A.X, cap.B.X) + cap.Radius; x >= 0.08 {
			t.Errorf("part %d reaches x %.3f, want below 0.08", i, x)
		}
		if cap.Lowest() < 0.05 {
			t.Errorf("part %d is %.3f m above the table, want 0.05", i, cap.Lowest())
		}
	}
	checkSelfClear(t, body)
}

func checkSelfClear(t *testing.T, body bodyAt) {
	t.Helper()
	for i, h := range body.hand {
		for name, other := range map[string]geom.Capsule{"column": body.column, "upper arm": body.upper, "forearm": body.fore} {
			if free := h.Clearance(other); free < 0.003 {
				t.Errorf("hand part %d is %.3f m from the %s", i, free, name)
			}
		}
	}
	if free := body.column.Clearance(body.fore); free < 0.02 {
		t.Errorf("forearm is %.3f m from the column", free)
	}
}

// TestHomeHidesNothing: at home no point of the annulus in front of the arm is behind the arm for the front camera.
func TestHomeHidesNothing(t *testing.T) {
	t.Parallel()
	s := geom.DefaultArmShape()
	c := s.Chain()
	view := frontCamera()
	parts := newBody(c, s.Home()).all()
	for r := 0.15; r <= 0.38; r += 0.01 {
		for bearing := -65.0; bearing <= 65; bearing += 5 {
			sin, cos := math.Sincos(geom.Rad(bearing))
			p := geom.Vec{X: r * cos, Y: r * sin, Z: 0.01}
			if !view.Sees(p) {
				t.Fatalf("%v is not in the picture", p)
			}
			for i, part := range parts {
				if sight := (geom.Segment{A: view.Pose.Pos, B: p}); part.Distance(sight) < part.Radius {
					t.Errorf("part %d hides %v", i, p)
				}
			}
		}
	}
}

func TestHomeHoldingClearsTheShoulder(t *testing.T) {
	t.Parallel()
	s := geom.DefaultArmShape()
	c := s.Chain()
	q := s.HomeHolding()
	if !c.Within(q, -geom.Rad(5)) {
		t.Fatalf("home_holding %v is within 5° of a limit", q)
	}
	checkSelfClear(t, newBody(c, q))
	if tip := c.Tip(q).Pos; tip.Z < s.ShoulderUp+0.12 {
		t.Errorf("tip %v hangs lower than a hand over the shoulder", tip)
	}
}

// TestWayHome: the straight joint path from home to every hover pose stays clear of the arm itself and the table.
func TestWayHome(t *testing.T) {
	t.Parallel()
	s := geom.DefaultArmShape()
	c := s.Chain()
	for r := 0.15; r <= 0.37; r += 0.02 {
		for yaw := 0.0; yaw < 180; yaw += 30 {
			q, err := s.ToolDown(geom.Vec{X: r, Z: 0.1}, geom.Rad(yaw), s.Home())
			if err != nil {
				t.Fatal(err)
			}
			for _, home := range [][]float64{s.Home(), s.HomeHolding()} {
				path, err := c.JointPath(home, q)
				if err != nil {
					t.Fatal(err)
				}
				for _, at := range path.Joints {
					checkSelfClear(t, newBody(c, at))
				}
				if path.LowestTip() < 0.095 {
					t.Errorf("on the way home from %.2f m the tips sink to %.3f m", r, path.LowestTip())
				}
			}
		}
	}
}
