package plane_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/geom/plane"
)

const near = 1e-9

// points draws points of a square of at most 2 m; hundreds, so that those deep inside are dropped before the hull is made.
// Some squares are smaller than any measure here, and on a coarse lattice equal points and points of one line are common.
func points(t *rapid.T) []plane.Pt {
	side := math.Pow(10, rapid.Float64Range(-12, 0).Draw(t, "log10 side"))
	c := rapid.Float64Range(-1, 1)
	if rapid.Bool().Draw(t, "lattice") {
		c = rapid.Map(rapid.IntRange(-4, 4), func(i int) float64 { return float64(i) / 4 })
	}
	point := rapid.Custom(func(t *rapid.T) plane.Pt { return plane.Pt{X: c.Draw(t, "x"), Y: c.Draw(t, "y")}.Scale(side) })
	n := rapid.SampledFrom([]int{1, 2, 3, 4, 10, 64, 300}).Draw(t, "n")
	return rapid.SliceOfN(point, n, n).Draw(t, "points")
}

func TestHullAndRectanglesHoldEveryPoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ps := points(t)
		hull := plane.Hull(slices.Clone(ps))
		yaw := rapid.Float64Range(-4, 4).Draw(t, "yaw")
		least, bounds := plane.MinRect(hull), plane.BoundsAt(ps, yaw)
		far := 0.0 // from the first point to any: rounding grows with it
		for _, p := range ps {
			far = max(far, p.Sub(ps[0]).Norm(), p.Norm())
		}
		for _, p := range ps {
			for i, a := range hull {
				b := hull[(i+1)%len(hull)]
				if d := area(a, b, p); d < -near*far*far {
					t.Fatalf("%v lies outside the side from %v to %v", p, a, b)
				}
			}
			if least.Inset(p) < -near*far || bounds.Inset(p) < -near*far {
				t.Fatalf("%v lies outside %+v or %+v", p, least, bounds)
			}
		}
		if least.Length*least.Width > bounds.Length*bounds.Width+near*far*far {
			t.Fatalf("%+v is larger than %+v", least, bounds)
		}
	})
}

// area is twice that of the triangle, positive when a, b, c turn to the left.
func area(a, b, c plane.Pt) float64 {
	u, v := b.Sub(a), c.Sub(a)
	return u.X*v.Y - u.Y*v.X
}

func TestHullTurnsLeftAtEveryCorner(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.IntRange(-8, 8) // whole numbers: their areas are exact
		hull := plane.Hull(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) plane.Pt {
			return plane.Pt{X: float64(c.Draw(t, "x")), Y: float64(c.Draw(t, "y"))}
		}), 0, 100).Draw(t, "points"))
		if len(hull) < 3 {
			return
		}
		for i, a := range hull {
			if b, c := hull[(i+1)%len(hull)], hull[(i+2)%len(hull)]; area(a, b, c) <= 0 {
				t.Fatalf("hull %v does not turn left at %v", hull, b)
			}
		}
	})
}

func TestHullOfFewPoints(t *testing.T) {
	for name, tc := range map[string]struct {
		points []plane.Pt
		want   int
		rect   plane.Rect
	}{
		"none":   {nil, 0, plane.Rect{}},
		"one":    {[]plane.Pt{{X: 1}}, 1, plane.Rect{C: plane.Pt{X: 1}}},
		"twice":  {[]plane.Pt{{X: 1}, {X: 1}}, 1, plane.Rect{C: plane.Pt{X: 1}}},
		"line":   {[]plane.Pt{{X: 0}, {X: 1}, {X: 2}, {X: 3}}, 2, plane.Rect{C: plane.Pt{X: 1.5}, Length: 3}},
		"square": {[]plane.Pt{{}, {X: 1}, {X: 1, Y: 1}, {Y: 1}, {X: 0.5, Y: 0.5}, {X: 0.5}}, 4, plane.Rect{C: plane.Pt{X: 0.5, Y: 0.5}, Length: 1, Width: 1}},
	} {
		hull := plane.Hull(slices.Clone(tc.points))
		if len(hull) != tc.want {
			t.Errorf("%s: hull %v has %d corners, want %d", name, hull, len(hull), tc.want)
		}
		if got := plane.MinRect(hull); got != tc.rect {
			t.Errorf("%s: rectangle %+v, want %+v", name, got, tc.rect)
		}
	}
}

func TestARectangleIsFoundFromItsCorners(t *testing.T) {
	for _, want := range []plane.Rect{
		{C: plane.Pt{X: 0.2, Y: -0.1}, Yaw: 0.4, Length: 0.3, Width: 0.1},
		{C: plane.Pt{X: -1, Y: 2}, Yaw: -math.Pi / 2, Length: 0.3, Width: 0.1},
	} {
		corners := want.Corners()
		got := plane.MinRect(plane.Hull(slices.Clone(corners)))
		d := got.C.Sub(want.C).Norm() + math.Abs(geom.WrapHalf(got.Yaw-want.Yaw)) + math.Abs(got.Length-want.Length) + math.Abs(got.Width-want.Width)
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
