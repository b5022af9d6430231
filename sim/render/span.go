package render

import (
	"cmp"
	"image"
	"math"
	"slices"

	"github.com/rein-robotics/rein/geom"
)

// span says, for each row from y0 on, between which columns a body may be seen. It covers every pixel that the body's
// bounding box touches, not only those whose centre it covers.
type span struct {
	y0  int
	row []interval
}

// interval is columns lo ≤ x < hi.
type interval struct{ lo, hi int32 }

// at is the columns of row y; empty outside.
func (s *span) at(y int) interval {
	if y < s.y0 || y >= s.y0+len(s.row) {
		return interval{}
	}
	return s.row[y-s.y0]
}

// slack is what rounding may shift an edge by, in pixels.
const slack = 1e-6

// point is a place on the image, in continuous pixels.
type point struct{ x, y float64 }

// spanner finds the spans of bodies. Its memory is reused from picture to picture.
type spanner struct {
	rows   []interval
	lo, hi []float64
	pts    []point
	hull   []point
}

// full is a span that covers the region.
func (k *spanner) full(region image.Rectangle) span {
	start := len(k.rows)
	for range region.Dy() {
		k.rows = append(k.rows, interval{int32(region.Min.X), int32(region.Max.X)})
	}
	return span{y0: region.Min.Y, row: k.rows[start:len(k.rows):len(k.rows)]}
}

// of is the span of a box given by centre and half extents in the body's frame.
func (k *spanner) of(b *body, in geom.Intrinsics, region image.Rectangle) span {
	centre, half, ok := b.box()
	if !ok {
		return k.full(region)
	}
	k.project(b, in, centre, half)
	if len(k.pts) == 0 {
		return span{}
	}
	k.convex()
	top, bottom := math.Inf(1), math.Inf(-1)
	for _, p := range k.hull {
		top, bottom = min(top, p.y), max(bottom, p.y)
	}
	y0 := int(math.Floor(max(top-slack, float64(region.Min.Y))))
	y1 := int(math.Floor(min(bottom+slack, float64(region.Max.Y-1)))) + 1
	if y0 >= y1 {
		return span{}
	}
	k.strips(y0, y1)
	start := len(k.rows)
	for i := range y1 - y0 {
		lo := math.Floor(max(k.lo[i]-slack, float64(region.Min.X)))
		hi := math.Floor(min(k.hi[i]+slack, float64(region.Max.X-1))) + 1
		if lo >= hi {
			lo, hi = 0, 0
		}
		k.rows = append(k.rows, interval{int32(lo), int32(hi)})
	}
	return span{y0: y0, row: k.rows[start:len(k.rows):len(k.rows)]}
}

// project puts into k.pts the image of the box's corners and, where the near plane cuts the box, of the cut.
func (k *spanner) project(b *body, in geom.Intrinsics, centre, half vec) {
	k.pts = k.pts[:0]
	var corner [8]vec
	for i := range corner {
		p := vec{X: centre.X - half.X, Y: centre.Y - half.Y, Z: centre.Z - half.Z}
		if i&1 != 0 {
			p.X = centre.X + half.X
		}
		if i&2 != 0 {
			p.Y = centre.Y + half.Y
		}
		if i&4 != 0 {
			p.Z = centre.Z + half.Z
		}
		corner[i] = b.cam.mulT(sub(p, b.eye))
	}
	const near = Near * 0.999 // a little more than is seen
	for i, p := range corner {
		if p.Z >= near {
			k.see(in, p)
		}
		for axis := 1; axis < 8; axis <<= 1 {
			q := corner[i^axis]
			if i&axis == 0 && (p.Z < near) != (q.Z < near) {
				cut := along(p, (near-p.Z)/(q.Z-p.Z), sub(q, p))
				cut.Z = near
				k.see(in, cut)
			}
		}
	}
}

func (k *spanner) see(in geom.Intrinsics, p vec) {
	k.pts = append(k.pts, point{x: in.Cx + float64(in.Fx*(p.X/p.Z)), y: in.Cy + float64(in.Fy*(p.Y/p.Z))})
}

// convex puts the convex hull of k.pts into k.hull (Andrew's monotone chain).
func (k *spanner) convex() {
	slices.SortFunc(k.pts, func(a, b point) int {
		if c := cmp.Compare(a.x, b.x); c != 0 {
			return c
		}
		return cmp.Compare(a.y, b.y)
	})
	h := k.hull[:0]
	for _, p := range k.pts {
		h = push(h, 0, p)
	}
	lower := len(h)
	for i := len(k.pts) - 2; i >= 0; i-- {
		h = push(h, lower-1, k.pts[i])
	}
	k.hull = h
}

func push(h []point, base int, p point) []point {
	for len(h) >= base+2 && turn(h[len(h)-2], h[len(h)-1], p) <= 0 {
		h = h[:len(h)-1]
	}
	return append(h, p)
}

func turn(a, b, c point) float64 {
	return float64((b.x-a.x)*(c.y-a.y)) - float64((b.y-a.y)*(c.x-a.x))
}

// strips finds how far the hull reaches left and right within each row of pixels y0 ≤ y < y1.
func (k *spanner) strips(y0, y1 int) {
	k.lo, k.hi = k.lo[:0], k.hi[:0]
	for range y1 - y0 {
		k.lo, k.hi = append(k.lo, math.Inf(1)), append(k.hi, math.Inf(-1))
	}
	for i, p := range k.hull {
		q := k.hull[(i+1)%len(k.hull)]
		if p.y > q.y {
			p, q = q, p
		}
		first := int(max(math.Floor(p.y-slack), float64(y0)))
		last := int(min(math.Floor(q.y+slack), float64(y1-1)))
		for y := first; y <= last; y++ {
			a, b := edgeAt(p, q, float64(y)), edgeAt(p, q, float64(y+1))
			k.lo[y-y0] = min(k.lo[y-y0], a, b)
			k.hi[y-y0] = max(k.hi[y-y0], a, b)
		}
	}
}

// edgeAt is x of the edge p–q (p above q) at height y, or of its nearer end.
func edgeAt(p, q point, y float64) float64 {
	switch {
	case y <= p.y:
		return p.x
	case y >= q.y:
		return q.x
	}
	return p.x + float64((q.x-p.x)*((y-p.y)/(q.y-p.y)))
}
