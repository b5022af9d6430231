package vision

import (
	"math"
	"slices"
)

// pt is a point of the table plane, metres.
type pt struct{ x, y float64 }

func (p pt) sub(q pt) pt          { return pt{p.x - q.x, p.y - q.y} }
func (p pt) dot(q pt) float64     { return p.x*q.x + p.y*q.y }
func (p pt) cross(q pt) float64   { return p.x*q.y - p.y*q.x }
func (p pt) norm() float64        { return math.Hypot(p.x, p.y) }
func (p pt) add(q pt) pt          { return pt{p.x + q.x, p.y + q.y} }
func (p pt) scale(s float64) pt   { return pt{p.x * s, p.y * s} }
func along(yaw float64) (u, v pt) { s, c := math.Sincos(yaw); return pt{c, s}, pt{-s, c} }

// rect is a rectangle of the table plane; yaw is the direction of its length, in [-π/2, π/2).
type rect struct {
	c             pt
	yaw           float64
	length, width float64
}

// local is p in the rectangle's frame: along the length and across it.
func (r rect) local(p pt) (u, v float64) {
	a, b := along(r.yaw)
	d := p.sub(r.c)
	return d.dot(a), d.dot(b)
}

// outer is the point at (u, v) of the rectangle's frame.
func (r rect) outer(u, v float64) pt {
	a, b := along(r.yaw)
	return r.c.add(a.scale(u)).add(b.scale(v))
}

// inset is how far p lies inside the nearest side; negative outside.
func (r rect) inset(p pt) float64 {
	u, v := r.local(p)
	return min(r.length/2-math.Abs(u), r.width/2-math.Abs(v))
}

// grown is the rectangle with every side moved outwards by m.
func (r rect) grown(m float64) rect {
	r.length, r.width = max(0, r.length+2*m), max(0, r.width+2*m)
	return r
}

// corners are the four corners, anticlockwise.
func (r rect) corners() []pt {
	l, w := r.length/2, r.width/2
	return []pt{r.outer(l, w), r.outer(-l, w), r.outer(-l, -w), r.outer(l, -w)}
}

// wrapHalf brings an axis into [-π/2, π/2).
func wrapHalf(a float64) float64 {
	a = math.Mod(a+math.Pi/2, math.Pi)
	if a < 0 {
		a += math.Pi
	}
	return a - math.Pi/2
}

// outermost drops points that lie inside the octagon of the outermost ones: they are on no hull. It uses up ps.
func outermost(ps []pt) []pt {
	if len(ps) < 64 {
		return ps
	}
	var out [8]pt // anticlockwise
	best := [8]float64{}
	for n := range best {
		best[n] = math.Inf(-1)
	}
	for _, p := range ps {
		for n, v := range [...]float64{p.x, p.x + p.y, p.y, p.y - p.x, -p.x, -p.x - p.y, -p.y, p.x - p.y} {
			if v > best[n] {
				best[n], out[n] = v, p
			}
		}
	}
	g := polygonOf(out[:])
	if len(g.edges) < 3 {
		return ps
	}
	return slices.DeleteFunc(ps, func(p pt) bool { return g.holds(p, 0) })
}

// hull is the convex hull, anticlockwise, without its first point repeated. It uses up ps.
func hull(ps []pt) []pt {
	ps = outermost(ps)
	slices.SortFunc(ps, func(a, b pt) int {
		switch {
		case a.x < b.x || a.x == b.x && a.y < b.y:
			return -1
		case a == b:
			return 0
		}
		return 1
	})
	if len(ps) < 3 {
		return slices.Clone(ps)
	}
	half := func(seq func(int) pt) []pt {
		var out []pt
		for i := range ps {
			p := seq(i)
			for len(out) > 1 && out[len(out)-1].sub(out[len(out)-2]).cross(p.sub(out[len(out)-1])) <= 0 {
				out = out[:len(out)-1]
			}
			out = append(out, p)
		}
		return out[:len(out)-1]
	}
	lower := half(func(i int) pt { return ps[i] })
	return append(lower, half(func(i int) pt { return ps[len(ps)-1-i] })...)
}

// polygonArea is the area of an anticlockwise polygon.
func polygonArea(h []pt) float64 {
	a := 0.0
	for i := range h {
		a += h[i].cross(h[(i+1)%len(h)])
	}
	return a / 2
}

// polygon is a convex polygon, made ready for many questions.
type polygon struct {
	lo, hi pt
	edges  []edge
}

// edge is a side by a point on it and the unit normal inwards.
type edge struct{ p, n pt }

// polygonOf makes the polygon of an anticlockwise convex border.
func polygonOf(h []pt) *polygon {
	g := &polygon{lo: pt{math.Inf(1), math.Inf(1)}, hi: pt{math.Inf(-1), math.Inf(-1)}}
	for i, p := range h {
		g.lo, g.hi = pt{min(g.lo.x, p.x), min(g.lo.y, p.y)}, pt{max(g.hi.x, p.x), max(g.hi.y, p.y)}
		e := h[(i+1)%len(h)].sub(p)
		if n := e.norm(); n > 0 {
			g.edges = append(g.edges, edge{p: p, n: pt{-e.y / n, e.x / n}})
		}
	}
	return g
}

// holds says whether p lies inside by more than margin.
func (g *polygon) holds(p pt, margin float64) bool {
	if p.x < g.lo.x+margin || p.x > g.hi.x-margin || p.y < g.lo.y+margin || p.y > g.hi.y-margin {
		return false
	}
	for i := range g.edges {
		if p.sub(g.edges[i].p).dot(g.edges[i].n) <= margin {
			return false
		}
	}
	return true
}

// minRect is the smallest rectangle around a hull.
func minRect(h []pt) rect {
	if len(h) == 0 {
		return rect{}
	}
	best, area := rect{c: h[0]}, math.Inf(1)
	for i := range h {
		e := h[(i+1)%len(h)].sub(h[i])
		if len(h) > 2 && e.norm() < 1e-6 {
			continue
		}
		r := boundsAt(h, math.Atan2(e.y, e.x))
		if a := r.length * r.width; a < area {
			best, area = r, a
		}
	}
	return best
}

// boundsAt is the bounding rectangle of ps with one side along yaw.
func boundsAt(ps []pt, yaw float64) rect {
	a, b := along(yaw)
	u0, u1, v0, v1 := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, p := range ps {
		u, v := p.dot(a), p.dot(b)
		u0, u1, v0, v1 = min(u0, u), max(u1, u), min(v0, v), max(v1, v)
	}
	return rectOf(yaw, [2]float64{u0, u1}, [2]float64{v0, v1})
}

// rectOf is the rectangle with the given extents along yaw and across it, its length being the longer side.
func rectOf(yaw float64, u, v [2]float64) rect {
	a, b := along(yaw)
	r := rect{c: a.scale((u[0] + u[1]) / 2).add(b.scale((v[0] + v[1]) / 2)), yaw: yaw, length: u[1] - u[0], width: v[1] - v[0]}
	if r.width > r.length {
		r.length, r.width, r.yaw = r.width, r.length, r.yaw+math.Pi/2
	}
	r.yaw = wrapHalf(r.yaw)
	return r
}

// trimmedAt is boundsAt without the outermost share of points on each side, widened by pad on each side.
func trimmedAt(ps []pt, yaw, share, pad float64) rect {
	a, b := along(yaw)
	us, vs := make([]float64, len(ps)), make([]float64, len(ps))
	for i, p := range ps {
		us[i], vs[i] = p.dot(a), p.dot(b)
	}
	u0, u1 := span(us, share)
	v0, v1 := span(vs, share)
	return rectOf(yaw, [2]float64{u0 - pad, u1 + pad}, [2]float64{v0 - pad, v1 + pad})
}

// span is the share and 1-share quantile. It sorts vs.
func span(vs []float64, share float64) (lo, hi float64) {
	if len(vs) == 0 {
		return 0, 0
	}
	slices.Sort(vs)
	k := int(share * float64(len(vs)))
	return vs[k], vs[len(vs)-1-k]
}

// quantile is the q quantile of vs, 0 when there is none. It sorts vs.
func quantile(vs []float64, q float64) float64 {
	if len(vs) == 0 {
		return 0
	}
	slices.Sort(vs)
	return vs[min(len(vs)-1, int(q*float64(len(vs))))]
}

// principal is the direction of the largest spread of ps.
func principal(ps []pt) float64 {
	var m pt
	for _, p := range ps {
		m = m.add(p)
	}
	m = m.scale(1 / float64(max(1, len(ps))))
	var xx, xy, yy float64
	for _, p := range ps {
		d := p.sub(m)
		xx, xy, yy = xx+d.x*d.x, xy+d.x*d.y, yy+d.y*d.y
	}
	return math.Atan2(2*xy, xx-yy) / 2
}
