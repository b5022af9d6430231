package sim

import (
	"cmp"
	"math"
	"slices"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/sim/render"
)

// footprint is the convex outline of a thing seen from above, anticlockwise.
type footprint [][2]float64

// footprintOf is the outline of an object's bodies in the frame of its root.
func footprintOf(bodies []body) footprint {
	var points [][2]float64
	for i := range bodies {
		p := geom.Identity()
		if i > 0 {
			p = bodies[i].at
		}
		for j := range bodies[i].parts {
			points = appendOutline(points, &bodies[i].parts[j].prim, p)
		}
	}
	return hull(points)
}

// placed is the outline with its frame at pose, which stands upright.
func (f footprint) placed(pose geom.Pose) footprint {
	out := make(footprint, len(f))
	for i, p := range f {
		w := pose.Apply(geom.Vec{X: p[0], Y: p[1]})
		out[i] = [2]float64{w.X, w.Y}
	}
	return out
}

// appendOutline adds points whose hull, seen from above, is the prim's (round ones as polygons around it).
func appendOutline(points [][2]float64, p *prim, body geom.Pose) [][2]float64 {
	pose := body.Mul(p.at)
	add := func(v geom.Vec) {
		w := pose.Apply(v)
		points = append(points, [2]float64{w.X, w.Y})
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
			points = append(points, [2]float64{centre.X + p.size.X*c, centre.Y + p.size.X*s})
		}
	}
	return points
}

func sign(bit int) float64 { return float64(2*bit - 1) }

// hull is the convex hull, by Andrew's monotone chain.
func hull(points [][2]float64) footprint {
	slices.SortFunc(points, func(a, b [2]float64) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	var out footprint
	half := func(start int) {
		for _, p := range points {
			for len(out) >= start+2 && turn(out[len(out)-2], out[len(out)-1], p) <= 0 {
				out = out[:len(out)-1]
			}
			out = append(out, p)
		}
	}
	half(0)
	lower := len(out) - 1
	slices.Reverse(points)
	half(lower)
	return out[:len(out)-1]
}

// turn is positive when a, b, c turn left.
func turn(a, b, c [2]float64) float64 {
	return (b[0]-a[0])*(c[1]-a[1]) - (b[1]-a[1])*(c[0]-a[0])
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
		ex, ey := b[0]-a[0], b[1]-a[1]
		for _, p := range g {
			px, py := p[0]-a[0], p[1]-a[1]
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
