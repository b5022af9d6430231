package plane

import (
	"math"
	"slices"

	"github.com/rein-robotics/rein/geom"
)

// Pt is a point of the plane, or a vector in it, metres.
type Pt struct{ X, Y float64 }

// Add is p + q.
func (p Pt) Add(q Pt) Pt { return Pt{p.X + q.X, p.Y + q.Y} }

// Sub is p - q.
func (p Pt) Sub(q Pt) Pt { return Pt{p.X - q.X, p.Y - q.Y} }

// Scale is p times s.
func (p Pt) Scale(s float64) Pt { return Pt{p.X * s, p.Y * s} }

// Dot is the scalar product.
func (p Pt) Dot(q Pt) float64 { return p.X*q.X + p.Y*q.Y }

// Norm is the length of p.
func (p Pt) Norm() float64 { return math.Hypot(p.X, p.Y) }

// cross is the area that p and q span, positive when q is anticlockwise of p.
func (p Pt) cross(q Pt) float64 { return p.X*q.Y - p.Y*q.X }

// Along is the unit vector u in the direction of yaw (radians, anticlockwise from x), and v a quarter turn on.
func Along(yaw float64) (u, v Pt) {
	s, c := math.Sincos(yaw)
	return Pt{c, s}, Pt{-s, c}
}

// Rect is a turned rectangle.
type Rect struct {
	C             Pt      // centre
	Yaw           float64 // direction of Length, radians, (−π/2, π/2]
	Length, Width float64 // metres; what makes a Rect here gives Length ≥ Width
}

// Local is p in the rectangle's frame: along the length and across it, from its centre.
func (r Rect) Local(p Pt) (u, v float64) {
	a, b := Along(r.Yaw)
	d := p.Sub(r.C)
	return d.Dot(a), d.Dot(b)
}

// Outer is the point at (u, v) of the rectangle's frame.
func (r Rect) Outer(u, v float64) Pt {
	a, b := Along(r.Yaw)
	return r.C.Add(a.Scale(u)).Add(b.Scale(v))
}

// Inset is how far p lies inside the nearest side, metres; negative outside.
func (r Rect) Inset(p Pt) float64 {
	u, v := r.Local(p)
	return min(r.Length/2-math.Abs(u), r.Width/2-math.Abs(v))
}

// Grown is the rectangle with every side moved outwards by m metres; a negative m shrinks it, to nothing at most.
func (r Rect) Grown(m float64) Rect {
	r.Length, r.Width = max(0, r.Length+2*m), max(0, r.Width+2*m)
	return r
}

// Corners are the four corners, anticlockwise.
func (r Rect) Corners() []Pt {
	l, w := r.Length/2, r.Width/2
	return []Pt{r.Outer(l, w), r.Outer(-l, w), r.Outer(-l, -w), r.Outer(l, -w)}
}

// outermost drops points that lie inside the octagon of the outermost ones: they are on no hull. It uses up ps.
func outermost(ps []Pt) []Pt {
	if len(ps) < 64 {
		return ps
	}
	var out [8]Pt // anticlockwise
	best := [8]float64{}
	for n := range best {
		best[n] = math.Inf(-1)
	}
	for _, p := range ps {
		for n, v := range [...]float64{p.X, p.X + p.Y, p.Y, p.Y - p.X, -p.X, -p.X - p.Y, -p.Y, p.X - p.Y} {
			if v > best[n] {
				best[n], out[n] = v, p
			}
		}
	}
	g := PolygonOf(out[:])
	if len(g.edges) < 3 {
		return ps
	}
	return slices.DeleteFunc(ps, func(p Pt) bool { return g.Holds(p, 0) })
}

// Hull is the convex hull, anticlockwise, without points on its sides. Fewer than three different points, or points of
// one line, give their ends. It uses up ps.
func Hull(ps []Pt) []Pt {
	ps = outermost(ps)
	slices.SortFunc(ps, func(a, b Pt) int {
		switch {
		case a.X < b.X || a.X == b.X && a.Y < b.Y:
			return -1
		case a == b:
			return 0
		}
		return 1
	})
	ps = slices.Compact(ps)
	if len(ps) < 3 {
		return slices.Clone(ps)
	}
	half := func(seq func(int) Pt) []Pt {
		var out []Pt
		for i := range ps {
			p := seq(i)
			for len(out) > 1 && out[len(out)-1].Sub(out[len(out)-2]).cross(p.Sub(out[len(out)-1])) <= 0 {
				out = out[:len(out)-1]
			}
			out = append(out, p)
		}
		return out[:len(out)-1]
	}
	lower := half(func(i int) Pt { return ps[i] })
	return append(lower, half(func(i int) Pt { return ps[len(ps)-1-i] })...)
}

// PolygonArea is the area of an anticlockwise polygon, square metres.
func PolygonArea(h []Pt) float64 {
	a := 0.0
	for i := range h {
		a += h[i].cross(h[(i+1)%len(h)])
	}
	return a / 2
}

// Polygon is a convex polygon, made ready for many questions. It is immutable.
type Polygon struct {
	lo, hi Pt
	edges  []edge
}

// edge is a side by a point on it and the unit normal inwards.
type edge struct{ p, n Pt }

// PolygonOf makes the polygon of an anticlockwise convex border.
func PolygonOf(h []Pt) *Polygon {
	g := &Polygon{lo: Pt{math.Inf(1), math.Inf(1)}, hi: Pt{math.Inf(-1), math.Inf(-1)}}
	for i, p := range h {
		g.lo, g.hi = Pt{min(g.lo.X, p.X), min(g.lo.Y, p.Y)}, Pt{max(g.hi.X, p.X), max(g.hi.Y, p.Y)}
		e := h[(i+1)%len(h)].Sub(p)
		if n := e.Norm(); n > 0 {
			g.edges = append(g.edges, edge{p: p, n: Pt{-e.Y / n, e.X / n}})
		}
	}
	return g
}

// Holds says whether p lies inside by more than margin metres.
func (g *Polygon) Holds(p Pt, margin float64) bool {
	if p.X < g.lo.X+margin || p.X > g.hi.X-margin || p.Y < g.lo.Y+margin || p.Y > g.hi.Y-margin {
		return false
	}
	for i := range g.edges {
		if p.Sub(g.edges[i].p).Dot(g.edges[i].n) <= margin {
			return false
		}
	}
	return true
}

// MinRect is the rectangle of the least area around a hull; of an empty one, the zero Rect.
func MinRect(h []Pt) Rect {
	if len(h) == 0 {
		return Rect{}
	}
	best, area := Rect{C: h[0]}, math.Inf(1)
	for i := range h {
		e := h[(i+1)%len(h)].Sub(h[i])
		r := BoundsAt(h, math.Atan2(e.Y, e.X))
		if a := r.Length * r.Width; a < area {
			best, area = r, a
		}
	}
	return best
}

// BoundsAt is the bounding rectangle of ps with one side along yaw. ps must not be empty.
func BoundsAt(ps []Pt, yaw float64) Rect {
	a, b := Along(yaw)
	u0, u1, v0, v1 := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, p := range ps {
		u, v := p.Dot(a), p.Dot(b)
		u0, u1, v0, v1 = min(u0, u), max(u1, u), min(v0, v), max(v1, v)
	}
	return rectOf(yaw, [2]float64{u0, u1}, [2]float64{v0, v1})
}

// rectOf is the rectangle with the given extents along yaw and across it, its length being the longer side.
func rectOf(yaw float64, u, v [2]float64) Rect {
	a, b := Along(yaw)
	r := Rect{C: a.Scale((u[0] + u[1]) / 2).Add(b.Scale((v[0] + v[1]) / 2)), Yaw: yaw, Length: u[1] - u[0], Width: v[1] - v[0]}
	if r.Width > r.Length {
		r.Length, r.Width, r.Yaw = r.Width, r.Length, r.Yaw+math.Pi/2
	}
	r.Yaw = geom.WrapHalf(r.Yaw)
	return r
}

// TrimmedAt is BoundsAt without the outermost share (0 to 0.5) of points on each side, widened by pad metres on each side.
func TrimmedAt(ps []Pt, yaw, share, pad float64) Rect {
	a, b := Along(yaw)
	us, vs := make([]float64, len(ps)), make([]float64, len(ps))
	for i, p := range ps {
		us[i], vs[i] = p.Dot(a), p.Dot(b)
	}
	u0, u1 := Span(us, share)
	v0, v1 := Span(vs, share)
	return rectOf(yaw, [2]float64{u0 - pad, u1 + pad}, [2]float64{v0 - pad, v1 + pad})
}

// Span is the share and the 1-share quantile, share from 0 to below 0.5; 0, 0 of nothing. It sorts vs.
func Span(vs []float64, share float64) (lo, hi float64) {
	if len(vs) == 0 {
		return 0, 0
	}
	slices.Sort(vs)
	k := int(share * float64(len(vs)))
	return vs[k], vs[len(vs)-1-k]
}

// Quantile is the q quantile of vs, q from 0 to 1; 0 of nothing. It sorts vs.
func Quantile(vs []float64, q float64) float64 {
	if len(vs) == 0 {
		return 0
	}
	slices.Sort(vs)
	return vs[min(len(vs)-1, int(q*float64(len(vs))))]
}

// Principal is the direction in which ps spread most, radians.
func Principal(ps []Pt) float64 {
	var m Pt
	for _, p := range ps {
		m = m.Add(p)
	}
	m = m.Scale(1 / float64(max(1, len(ps))))
	var xx, xy, yy float64
	for _, p := range ps {
		d := p.Sub(m)
		xx, xy, yy = xx+d.X*d.X, xy+d.X*d.Y, yy+d.Y*d.Y
	}
	return math.Atan2(2*xy, xx-yy) / 2
}
