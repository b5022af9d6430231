package geom_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/spatial/r3"
	"pgregory.net/rapid"

	"github.com/rein-robotics/rein/geom"
)

func drawVec(t *rapid.T, name string, reach float64) geom.Vec {
	one := rapid.Float64Range(-reach, reach)
	return geom.Vec{X: one.Draw(t, name+".x"), Y: one.Draw(t, name+".y"), Z: one.Draw(t, name+".z")}
}

func TestPixelAndWorldUndoEachOther(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := geom.View{Intrinsics: geom.Pinhole(640, 480, geom.Rad(48)), Pose: geom.Pose{
			Pos: drawVec(t, "eye", 1), Rot: geom.AxisAngle(drawVec(t, "axis", 1), rapid.Float64Range(-3, 3).Draw(t, "turn")),
		}}
		p := drawVec(t, "p", 2)
		x, y, depth, ok := v.Pixel(p)
		if !ok || depth < 1e-3 {
			t.Skip("behind the camera")
		}
		if got := v.World(x, y, depth); r3.Norm(r3.Sub(got, p)) > 1e-9 {
			t.Fatalf("World of Pixel is %v, want %v", got, p)
		}
		start, dir := v.Ray(x, y)
		if off := (geom.Segment{A: start, B: r3.Add(start, r3.Scale(10, dir))}).DistanceTo(p); off > 1e-9 {
			t.Fatalf("the ray passes %g m beside the point", off)
		}
	})
}

func TestFrontCameraLooksDownTheTable(t *testing.T) {
	t.Parallel()
	v := frontCamera()
	x, y, _, ok := v.Pixel(geom.Vec{X: 0.25})
	if !ok || math.Abs(x-320) > 1e-9 || math.Abs(y-240) > 1e-9 {
		t.Errorf("its target is at (%g, %g), want the middle", x, y)
	}
	if lx, _, _, _ := v.Pixel(geom.Vec{X: 0.25, Y: 0.1}); lx >= 320 {
		t.Errorf("left of the arm is at x %g, want the left half", lx)
	}
	if _, fy, _, _ := v.Pixel(geom.Vec{X: 0.35}); fy >= 240 {
		t.Errorf("further away is at y %g, want the upper half", fy)
	}
	if v.Sees(geom.Vec{X: 0.25, Z: 2}) || v.Sees(geom.Vec{X: 3}) {
		t.Error("points behind it or beside its image are said to be seen")
	}
}

func TestSegmentDistanceIsTheSmallest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := geom.Segment{A: drawVec(t, "a", 1), B: drawVec(t, "b", 1)}
		b := geom.Segment{A: drawVec(t, "c", 1), B: drawVec(t, "d", 1)}
		switch rapid.IntRange(0, 3).Draw(t, "form") {
		case 0:
			b.B = r3.Add(b.A, r3.Sub(a.B, a.A)) // parallel
		case 1:
			b.B = b.A // a point
		}
		got := a.Distance(b)
		if back := b.Distance(a); math.Abs(got-back) > 1e-6 {
			t.Fatalf("distance %g one way, %g the other", got, back)
		}
		least := math.Inf(1)
		for i := range 21 {
			for k := range 21 {
				least = math.Min(least, r3.Norm(r3.Sub(a.At(float64(i)/20), b.At(float64(k)/20))))
			}
		}
		if got > least+1e-6 || got < least-0.2 {
			t.Fatalf("distance %g, the smallest of samples %g", got, least)
		}
	})
}

func TestCapsules(t *testing.T) {
	t.Parallel()
	c := geom.DefaultArmShape().Chain()
	parts := c.Capsules(make([]float64, 6), 0.02)
	if len(parts) != 5 { // shoulder, upper arm, forearm, wrist, tool; flex and yaw share a place
		t.Fatalf("%d capsules, want 5", len(parts))
	}
	if got := parts[0].Lowest(); math.Abs(got-0.13) > tight {
		t.Errorf("lowest %g, want 0.13", got)
	}
	above := geom.Capsule{Segment: geom.Segment{A: geom.Vec{X: 0.2, Z: 0.25}, B: geom.Vec{X: 0.2, Y: 1, Z: 0.25}}, Radius: 0.03}
	if got := parts[1].Clearance(above); math.Abs(got-0.05) > tight {
		t.Errorf("clearance %g, want 0.05", got)
	}
}
