package plane_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/rein-robotics/rein/geom/plane"
)

const near = 1e-9

// points draws points of a square of 2 m; hundreds, so that those deep inside are dropped before the hull is made.
func points(t *rapid.T) []plane.Pt {
	c := rapid.Float64Range(-1, 1)
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) plane.Pt { return plane.Pt{X: c.Draw(t, "x"), Y: c.Draw(t, "y")} }), 3, 300).Draw(t, "points")
}

func TestHullAndRectanglesHoldEveryPoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ps := points(t)
		hull := plane.Hull(slices.Clone(ps))
		yaw := rapid.Float64Range(-4, 4).Draw(t, "yaw")
		least, bounds := plane.MinRect(hull), plane.BoundsAt(ps, yaw)
		for _, p := range ps {
			for i, a := range hull {
				b := hull[(i+1)%len(hull)]
				u, v := b.Sub(a), p.Sub(a)
				if u.X*v.Y-u.Y*v.X < -near {
					t.Fatalf("%v lies outside the side from %v to %v", p, a, b)
				}
			}
			if least.Inset(p) < -near || bounds.Inset(p) < -near {
				t.Fatalf("%v lies outside %+v or %+v", p, least, bounds)
			}
		}
		if least.Length*least.Width > bounds.Length*bounds.Width+near {
			t.Fatalf("%+v is larger than %+v", least, bounds)
		}
	})
}

func TestARectangleIsFoundFromItsCorners(t *testing.T) {
	for _, want := range []plane.Rect{
		{C: plane.Pt{X: 0.2, Y: -0.1}, Yaw: 0.4, Length: 0.3, Width: 0.1},
		{C: plane.Pt{X: -1, Y: 2}, Yaw: -math.Pi / 2, Length: 0.3, Width: 0.1},
	} {
		corners := want.Corners()
		got := plane.MinRect(plane.Hull(slices.Clone(corners)))
		d := got.C.Sub(want.C).Norm() + math.Abs(plane.WrapHalf(got.Yaw-want.Yaw)) + math.Abs(got.Length-want.Length) + math.Abs(got.Width-want.Width)
		if d > near {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if area := plane.PolygonArea(corners); math.Abs(area-0.03) > near {
			t.Errorf("area %g, want 0.03", area)
		}
		if u, v := got.Local(got.Outer(0.1, -0.02)); math.Abs(u-0.1)+math.Abs(v+0.02) > near {
			t.Errorf("(0.1, -0.02) comes back as (%g, %g)", u, v)
		}
	}
}

func TestOutliersAreTrimmed(t *testing.T) {
	ps := []plane.Pt{{X: 50, Y: 50}, {X: -50, Y: -50}}
	for i := range 98 {
		ps = append(ps, plane.Pt{X: float64(i) / 97, Y: float64(i%10) / 90})
	}
	r := plane.TrimmedAt(ps, 0, 0.02, 0.01)
	if r.Length > 1.03 || r.Length < 0.9 || r.Width > 0.13 || r.Width < 0.1 {
		t.Errorf("got %+v of points over 1 m × 0.1 m", r)
	}
}
