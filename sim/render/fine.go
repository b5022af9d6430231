package render

import (
	"image"
	"math"
)

// corners is where within a pixel the rays of a pixel on an edge go: eight places, no two in one row or column.
var corners = [8]point{
	{0.0625, 0.4375}, {0.1875, 0.8125}, {0.3125, 0.1875}, {0.4375, 0.6875},
	{0.5625, 0.3125}, {0.6875, 0.9375}, {0.8125, 0.0625}, {0.9375, 0.5625},
}

// finer draws with shadows, and with more rays where something ends.
type finer struct {
	*shader
	k    *caster
	dark *shadower
	near []int32 // bodies that may be seen in the pixel at hand
	seen []veil
}

// veil is what one face sees of sky and lamp around one pixel.
type veil struct {
	body, face int32
	open, lit  float64
}

func (s *finer) draw(img *image.RGBA) {
	r := s.k.region
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := s.k.regionRow(y)
		pix := img.Pix[img.PixOffset(r.Min.X, y):]
		for x := range row {
			var c rgb
			if s.edge(r.Min.X+x, y) {
				c = s.many(r.Min.X+x, y)
			} else {
				s.seen = s.seen[:0]
				c = s.one(&row[x], s.k.u[r.Min.X+x-s.k.seen.Min.X], s.k.v[y-s.k.seen.Min.Y])
			}
			s.put(pix[4*x:4*x+4], c)
		}
	}
}

// one is the light of one ray.
func (s *finer) one(h *hitPoint, u, v float64) rgb {
	if h.body < 0 {
		return s.pixel(s.k, h, u, v)
	}
	b, p := &s.k.bodies[h.body], &s.paints[h.body]
	d := b.ray(u, v)
	f := s.surface(b, p, h, d)
	open, lit := s.veil(b, h, &f)
	return s.shade(b, p, &f, d, open, lit)
}

// veil is computed once for each face in a pixel.
func (s *finer) veil(b *body, h *hitPoint, f *surface) (open, lit float64) {
	for i := range s.seen {
		if w := &s.seen[i]; w.body == h.body && w.face == h.face {
			return w.open, w.lit
		}
	}
	at := add(b.pos, b.rot.mul(f.at))
	open, lit = s.dark.at(at, b.rot.mul(f.normal), b.index)
	s.seen = append(s.seen, veil{h.body, h.face, open, lit})
	return open, lit
}

// edge says whether something ends between a pixel and one of its four neighbours.
func (s *finer) edge(x, y int) bool {
	k := s.k
	w := k.seen.Dx()
	i := (y-k.seen.Min.Y)*w + x - k.seen.Min.X
	h := &k.hits[i]
	return (x > k.seen.Min.X && s.differ(h, &k.hits[i-1])) ||
		(x+1 < k.seen.Max.X && s.differ(h, &k.hits[i+1])) ||
		(y > k.seen.Min.Y && s.differ(h, &k.hits[i-w])) ||
		(y+1 < k.seen.Max.Y && s.differ(h, &k.hits[i+w]))
}

func (s *finer) differ(a, b *hitPoint) bool {
	if a.body != b.body {
		return true
	}
	if a.body < 0 {
		return false
	}
	body := &s.k.bodies[a.body]
	if body.shape == Mesh && a.face != b.face {
		m := body.geom.Mesh
		return dot(m.tris[a.face].normal, m.tris[b.face].normal) < 0.9 || math.Abs(a.t-b.t) > 0.02*a.t
	}
	return a.face != b.face
}

// many is the mean light of several rays through one pixel.
func (s *finer) many(x, y int) rgb {
	s.near = s.near[:0]
	for i := range s.k.bodies {
		if c := s.k.bodies[i].span.at(y); int32(x) >= c.lo && int32(x) < c.hi {
			s.near = append(s.near, int32(i))
		}
	}
	s.seen = s.seen[:0]
	var sum rgb
	for _, at := range corners {
		u, v := s.k.uAt(float64(x)+at.x), s.k.vAt(float64(y)+at.y)
		h := hitPoint{t: miss, body: -1}
		for _, i := range s.near {
			b := &s.k.bodies[i]
			if t, face := b.hit(b.eye, b.ray(u, v), Near); t < h.t {
				h = hitPoint{t: t, body: i, face: face}
			}
		}
		c := s.one(&h, u, v)
		for j := range sum {
			sum[j] += min(c[j], 1)
		}
	}
	for j := range sum {
		sum[j] /= float64(len(corners))
	}
	return sum
}
