package geom

import (
	"math"

	"gonum.org/v1/gonum/spatial/r3"
)

// Segment is a straight piece between two points, metres.
type Segment struct{ A, B Vec }

// At is the point at the given share of the way from A to B.
func (s Segment) At(share float64) Vec { return Lerp(s.A, s.B, share) }

// Lerp is the point at the given share of the way from a to b.
func Lerp(a, b Vec, share float64) Vec { return r3.Add(a, r3.Scale(share, r3.Sub(b, a))) }

// Distance is the smallest distance between two segments; a segment may be a point.
func (s Segment) Distance(o Segment) float64 {
	d1, d2, r := r3.Sub(s.B, s.A), r3.Sub(o.B, o.A), r3.Sub(s.A, o.A)
	a, e, b := r3.Dot(d1, d1), r3.Dot(d2, d2), r3.Dot(d1, d2)
	c, f := r3.Dot(d1, r), r3.Dot(d2, r)
	var u float64
	if det := a*e - b*b; det > 1e-15 {
		u = Clamp((b*f-c*e)/det, 0, 1)
	}
	v := share(b*u+f, e)
	u = share(b*v-c, a) // the best on s for v; v stays the best for it but for the clamping
	v = share(b*u+f, e)
	return between(s.At(u), o.At(v))
}

// share is num/den within [0, 1], 0 for a segment without length.
func share(num, den float64) float64 {
	if den < 1e-15 {
		return 0
	}
	return Clamp(num/den, 0, 1)
}

// DistanceTo is the distance of p from the segment.
func (s Segment) DistanceTo(p Vec) float64 { return s.Distance(Segment{A: p, B: p}) }

// Capsule is all points within Radius of a segment.
type Capsule struct {
	Segment
	Radius float64
}

// Clearance is the free space between two capsules in metres, negative when they overlap.
func (c Capsule) Clearance(o Capsule) float64 { return c.Distance(o.Segment) - c.Radius - o.Radius }

// Lowest is the z of the capsule's lowest point.
func (c Capsule) Lowest() float64 { return math.Min(c.A.Z, c.B.Z) - c.Radius }

// Capsules is the arm's skeleton at q as capsules of one radius, from the first joint to the tool's origin; joints
// that share a place give no capsule.
func (c Chain) Capsules(q []float64, radius float64) []Capsule {
	links := c.Links(q)
	out := make([]Capsule, 0, len(links))
	for i := 1; i < len(links); i++ {
		if s := (Segment{A: links[i-1].Pos, B: links[i].Pos}); between(s.A, s.B) > 1e-9 {
			out = append(out, Capsule{Segment: s, Radius: radius})
		}
	}
	return out
}
