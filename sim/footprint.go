package sim

import (
	"math"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/geom/plane"
	"github.com/rein-robotics/rein/sim/render"
)

// footprint is the convex outline of a thing seen from above, anticlockwise.
type footprint []plane.Pt

// footprintOf is the outline of an object's bodies in the frame of its root.
func footprintOf(bodies []body) footprint {
	var points []plane.Pt
	for i := range bodies {
		p := geom.Identity()
		if i > 0 {
			p = bodies[i].at
		}
		for j := range bodies[i].parts {
			points = appendOutline(points, &bodies[i].parts[j].prim, p)
		}
	}
	return plane.Hull(points)
}

// placed is the outline with its frame at pose, which stands upright.
func (f footprint) placed(pose geom.Pose) footprint {
	out := make(footprint, len(f))
	for i, p := range f {
		w := pose.Apply(geom.Vec{X: p.X, Y: p.Y})
		out[i] = plane.Pt{X: w.X, Y: w.Y}
	}
	return out
}

// appendOutline adds points whose hull, seen from above, is the prim's (round ones as polygons around it).
func appendOutline(points []plane.Pt, p *prim, body geom.Pose) []plane.Pt {
	pose := body.Mul(p.at)
	add := func(v geom.Vec) {
		w := pose.Apply(v)
		points = append(points, plane.Pt{X: w.X, Y: w.Y})
	}
	if p.shape == render.Box {
		for i := range 8 {
			add(geom.Vec{X: sign(i&1) * p.size.X, Y: sign(i>>1&1) * p.size.Y, Z: sign(i>>2&1) * p.size.Z})
		}
		return points
	}
	if p.shape == render.Cylinder {
		for i := range 24 {
			s, c := math.Sincos(2 * math.Pi * float64(i) / 24)
			add(geom.Vec{X: p.size.X * c, Y: p.size.X * s, Z: p.size.Y})
			add(geom.Vec{X: p.size.X * c, Y: p.size.X * s, Z: -p.size.Y})
		}
		return points
	}
	for _, end := range [2]float64{-1, 1} { // a sphere, or the two ends of a capsule
		centre := pose.Apply(geom.Vec{Z: end * p.size.Y})
		for i := range 24 {
			s, c := math.Sincos(2 * math.Pi * float64(i) / 24)
			points = append(points, plane.Pt{X: centre.X + p.size.X*c, Y: centre.Y + p.size.X*s})
		}
	}
	return points
}

func sign(bit int) float64 { return float64(2*bit - 1) }

// turn is positive when a, b, c turn left.
func turn(a, b, c plane.Pt) float64 {
	return (b.X-a.X)*(c.Y-a.Y) - (b.Y-a.Y)*(c.X-a.X)
}

// gap is the distance of two outlines, 0 when they overlap.
func (f footprint) gap(g footprint) float64 {
	if f.overlaps(g) && g.overlaps(f) {
		return 0
	}
	return math.Sqrt(min(f.reach(g), g.reach(f)))
}

// overlaps says whether no edge of f separates the two.
func (f footprint) overlaps(g footprint) bool {
	for i := range f {
		a, b := f[i], f[(i+1)%len(f)]
		outside := true
		for _, p := range g {
			outside = outside && turn(a, b, p) < 0
		}
		if outside {
			return false
		}
	}
	return true
}

// reach is the least squared distance of a corner of g to an edge of f.
func (f footprint) reach(g footprint) float64 {
	best := math.Inf(1)
	for i := range f {
		a, b := f[i], f[(i+1)%len(f)]
		ex, ey := b.X-a.X, b.Y-a.Y
		for _, p := range g {
			px, py := p.X-a.X, p.Y-a.Y
			t := 0.0
			if n := ex*ex + ey*ey; n > 0 {
				t = geom.Clamp((px*ex+py*ey)/n, 0, 1)
			}
			dx, dy := px-t*ex, py-t*ey
			best = min(best, dx*dx+dy*dy)
		}
	}
	return best
}
