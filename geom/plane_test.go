package geom_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/spatial/r2"
	"pgregory.net/rapid"

	"github.com/rein-robotics/rein/geom"
)

func drawPoints(t *rapid.T, least int) []geom.Vec2 {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) geom.Vec2 {
		// a coarse lattice, so that equal points and points of one line are common
		return geom.Vec2{X: float64(rapid.IntRange(-8, 8).Draw(t, "x")), Y: float64(rapid.IntRange(-8, 8).Draw(t, "y"))}
	}), least, 40).Draw(t, "points")
}

func TestConvexHullHoldsEveryPoint(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		points := drawPoints(t, 0)
		hull := geom.ConvexHull(points)
		if len(hull) < 3 {
			return
		}
		for i, a := range hull {
			b, c := hull[(i+1)%len(hull)], hull[(i+2)%len(hull)]
			if r2.Cross(r2.Sub(b, a), r2.Sub(c, b)) <= 0 {
				t.Fatalf("hull %v does not turn left at %v", hull, b)
			}
			for _, p := range points {
				if r2.Cross(r2.Sub(b, a), r2.Sub(p, a)) < 0 {
					t.Fatalf("%v lies out of the hull %v", p, hull)
				}
			}
		}
	})
}

func TestConvexHullOfFewPoints(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		points []geom.Vec2
		want   int
	}{
		"none": {nil, 0}, "one": {[]geom.Vec2{{X: 1}}, 1}, "twice": {[]geom.Vec2{{X: 1}, {X: 1}}, 1},
		"line":   {[]geom.Vec2{{X: 0}, {X: 1}, {X: 2}, {X: 3}}, 2},
		"square": {[]geom.Vec2{{}, {X: 1}, {X: 1, Y: 1}, {Y: 1}, {X: 0.5, Y: 0.5}, {X: 0.5}}, 4},
	} {
		if got := geom.ConvexHull(tc.points); len(got) != tc.want {
			t.Errorf("%s: hull %v has %d corners, want %d", name, got, len(got), tc.want)
		}
	}
}

func TestMinAreaRectFindsATurnedRectangle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := geom.Rect{
			Center: geom.Vec2{X: rapid.Float64Range(-1, 1).Draw(t, "x"), Y: rapid.Float64Range(-1, 1).Draw(t, "y")},
			Angle:  rapid.Float64Range(-1.5, 1.5).Draw(t, "angle"), Length: rapid.Float64Range(0.5, 1).Draw(t, "length"), Width: rapid.Float64Range(0.05, 0.4).Draw(t, "width"),
		}
		corners := want.Corners()
		points := corners[:]
		for range 10 { // points within it change nothing
			points = append(points, r2.Add(want.Center, r2.Scale(rapid.Float64Range(-0.9, 0.9).Draw(t, "in"), r2.Sub(points[0], want.Center))))
		}
		got := geom.MinAreaRect(points)
		off := r2.Norm(r2.Sub(got.Center, want.Center)) + math.Abs(got.Length-want.Length) + math.Abs(got.Width-want.Width)
		if turn := geom.WrapHalf(got.Angle - want.Angle); off > 1e-9 || math.Abs(turn) > 1e-9 {
			t.Fatalf("rectangle %+v, want %+v", got, want)
		}
	})
}

func TestMinAreaRectHoldsEveryPoint(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		points := drawPoints(t, 1)
		r := geom.MinAreaRect(points)
		sin, cos := math.Sincos(r.Angle)
		for _, p := range points {
			d := r2.Sub(p, r.Center)
			if math.Abs(cos*d.X+sin*d.Y) > r.Length/2+1e-9 || math.Abs(cos*d.Y-sin*d.X) > r.Width/2+1e-9 {
				t.Fatalf("%v lies out of %+v", p, r)
			}
		}
	})
}

func TestWrap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Float64Range(-100, 100).Draw(t, "a")
		if w := geom.WrapAngle(a); !(w > -math.Pi && w <= math.Pi) || math.Abs(math.Sin(w)-math.Sin(a))+math.Abs(math.Cos(w)-math.Cos(a)) > 1e-9 {
			t.Fatalf("WrapAngle(%g) = %g", a, w)
		}
		if w := geom.WrapHalf(a); !(w > -math.Pi/2 && w <= math.Pi/2) || math.Abs(math.Sin(2*w)-math.Sin(2*a)) > 1e-9 {
			t.Fatalf("WrapHalf(%g) = %g", a, w)
		}
	})
	if got := geom.WrapAngle(-math.Pi); got != math.Pi {
		t.Errorf("WrapAngle(-π) = %g, want π", got)
	}
	if !math.IsNaN(geom.Clamp(math.NaN(), 0, 1)) {
		t.Error("Clamp made a number of NaN")
	}
}
