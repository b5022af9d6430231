package geom

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/spatial/r2"
)

// Vec2 is a point or a direction of a plane: metres on the table or pixels of an image.
type Vec2 = r2.Vec

// Rect is a rectangle turned in its plane.
type Rect struct {
	Center        Vec2
	Angle         float64 // of the long side against x, in (−π/2, π/2]
	Length, Width float64 // Length ≥ Width
}

// Corners are the rectangle's corners in turn.
func (r Rect) Corners() [4]Vec2 {
	sin, cos := math.Sincos(r.Angle)
	l, w := r2.Scale(r.Length/2, Vec2{X: cos, Y: sin}), r2.Scale(r.Width/2, Vec2{X: -sin, Y: cos})
	return [4]Vec2{
		r2.Add(r.Center, r2.Add(l, w)), r2.Add(r.Center, r2.Sub(w, l)),
		r2.Sub(r.Center, r2.Add(l, w)), r2.Add(r.Center, r2.Sub(l, w)),
	}
}

// ConvexHull is the convex hull of the points, counter-clockwise (x right, y up), without points on its sides. Fewer
// than three different points, or points of one line, give their ends. The input is not changed.
func ConvexHull(points []Vec2) []Vec2 {
	p := slices.Clone(points)
	slices.SortFunc(p, compareVec2)
	p = slices.Compact(p)
	if len(p) < 3 {
		return p
	}
	hull := make([]Vec2, 0, len(p)+1)
	for _, v := range p {
		hull = addToHull(hull, v, 0)
	}
	lower := len(hull) - 1
	for _, v := range slices.Backward(p[:len(p)-1]) {
		hull = addToHull(hull, v, lower)
	}
	return hull[:len(hull)-1]
}

func compareVec2(a, b Vec2) int {
	switch {
	case a.X < b.X || (a.X == b.X && a.Y < b.Y):
		return -1
	case a == b:
		return 0
	}
	return 1
}

// addToHull drops the points behind keep that v makes superfluous, then adds v.
func addToHull(hull []Vec2, v Vec2, keep int) []Vec2 {
	for len(hull)-keep >= 2 && cross2(hull[len(hull)-2], hull[len(hull)-1], v) <= 0 {
		hull = hull[:len(hull)-1]
	}
	return append(hull, v)
}

// cross2 is positive when a, b, c turn to the left.
func cross2(a, b, c Vec2) float64 { return r2.Cross(r2.Sub(b, a), r2.Sub(c, a)) }

// MinAreaRect is the smallest rectangle around the points. Its long side is the axis to grasp across. No points give the
// zero Rect; points of one line a Rect of no width.
func MinAreaRect(points []Vec2) Rect {
	hull := ConvexHull(points)
	switch len(hull) {
	case 0:
		return Rect{}
	case 1:
		return Rect{Center: hull[0]}
	}
	best, area := Rect{}, math.Inf(1)
	for i, a := range hull {
		side := r2.Sub(hull[(i+1)%len(hull)], a)
		r := boundAlong(hull, math.Atan2(side.Y, side.X))
		if s := r.Length * r.Width; s < area {
			best, area = r, s
		}
	}
	return best
}

// boundAlong is the rectangle around the points with one side along angle.
func boundAlong(points []Vec2, angle float64) Rect {
	sin, cos := math.Sincos(angle)
	loU, loV, hiU, hiV := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, p := range points {
		u, v := cos*p.X+sin*p.Y, cos*p.Y-sin*p.X
		loU, hiU, loV, hiV = math.Min(loU, u), math.Max(hiU, u), math.Min(loV, v), math.Max(hiV, v)
	}
	u, v := (loU+hiU)/2, (loV+hiV)/2
	r := Rect{Center: Vec2{X: cos*u - sin*v, Y: sin*u + cos*v}, Angle: angle, Length: hiU - loU, Width: hiV - loV}
	if r.Length < r.Width {
		r.Length, r.Width, r.Angle = r.Width, r.Length, r.Angle+math.Pi/2
	}
	r.Angle = WrapHalf(r.Angle)
	return r
}
