package vision

import (
	"math"

	"gonum.org/v1/gonum/spatial/r3"

	"github.com/rein-robotics/rein/geom"
)

// Capsule is all points within R metres of the segment from A to B, world frame: a link of an arm.
type Capsule struct {
	A, B geom.Vec
	R    float64
}

// Capsules says of a world point whether it lies in one of the capsules: what Detect and NewHeightMap leave out.
func Capsules(cs []Capsule) func(geom.Vec) bool {
	return func(p geom.Vec) bool {
		for i := range cs {
			if cs[i].holds(p) {
				return true
			}
		}
		return false
	}
}

func (c *Capsule) holds(p geom.Vec) bool {
	d := r3.Sub(c.B, c.A)
	t := 0.0
	if l := r3.Dot(d, d); l > 0 {
		t = min(1, max(0, r3.Dot(r3.Sub(p, c.A), d)/l))
	}
	q := r3.Sub(p, r3.Add(c.A, r3.Scale(t, d)))
	return math.Sqrt(r3.Dot(q, q)) <= c.R
}
