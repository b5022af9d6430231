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
	seen []faceVeil
	net  net
}

func (s *finer) draw(img *image.RGBA) {
	r := s.k.region
	s.net.reset(s.k)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := s.k.regionRow(y)
		pix := img.Pix[img.PixOffset(r.Min.X, y):]
		us := s.k.u[r.Min.X-s.k.seen.Min.X:]
		v := s.k.v[y-s.k.seen.Min.Y]
		s.net.turn(y)
		base := along(s.k.rot.z, v, s.k.rot.y)
		for x := range row {
			h, px := &row[x], pix[4*x:4*x+4]
			switch {
			case s.edge(r.Min.X+x, y):
				s.put(px, s.many(r.Min.X+x, y))
			case h.body >= 0 && s.paints[h.body].matte && s.free(h.t, along(base, us[x], s.k.rot.x)):
				copy(px, s.paints[h.body].bytes[h.face][:])
			case h.body < 0:
				s.put(px, s.pixel(s.k, h, us[x], v))
			default:
				b, p := &s.k.bodies[h.body], &s.paints[h.body]
				d := b.ray(us[x], v)
				f := s.surface(b, p, h, d)
				s.put(px, p.shade(&f, d, s.between(r.Min.X+x, y)))
			}
		}
	}
}

// free says that nothing can darken what a ray of the world meets at t.
func (s *finer) free(t float64, d vec) bool {
	return len(s.dark.grid.at(s.dark.across(along(s.k.camera.Pose.Pos, t, d)))) == 0
}

// one is the light of one ray.
func (s *finer) one(h *hitPoint, u, v float64) rgb {
	if h.body < 0 {
		return s.pixel(s.k, h, u, v)
	}
	b, p := &s.k.bodies[h.body], &s.paints[h.body]
	d := b.ray(u, v)
	f := s.surface(b, p, h, d)
	return p.shade(&f, d, s.veil(b, h, &f))
}

// edge says whether something ends between a pixel and one of its four neighbours.
func (s *finer) edge(x, y int) bool {
	k := s.k
	w := k.seen.Dx()
	i := k.index(x, y)
	h := &k.hits[i]
	return (x > k.seen.Min.X && !h.same(&k.hits[i-1]) && s.differ(h, &k.hits[i-1])) ||
		(x+1 < k.seen.Max.X && !h.same(&k.hits[i+1]) && s.differ(h, &k.hits[i+1])) ||
		(y > k.seen.Min.Y && !h.same(&k.hits[i-w]) && s.differ(h, &k.hits[i-w])) ||
		(y+1 < k.seen.Max.Y && !h.same(&k.hits[i+w]) && s.differ(h, &k.hits[i+w]))
}

func (h *hitPoint) same(g *hitPoint) bool { return h.body == g.body && h.face == g.face }

func (s *finer) differ(a, b *hitPoint) bool {
	if a.body != b.body {
		return true
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
			if t, face := b.see(b.ray(u, v)); t < h.t {
				h = hitPoint{t: t, body: i, face: face}
			}
		}
		c := s.one(&h, u, v)
		sum = sum.plus(rgb{min(c.r, 1), min(c.g, 1), min(c.b, 1)})
	}
	return sum.times(1 / float64(len(corners)))
}
