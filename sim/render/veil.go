package render

// faceVeil is what one face sees of sky and lamp around one pixel.
type faceVeil struct {
	body, face int32
	veil
}

// veil is computed once for each face in a pixel.
func (s *finer) veil(b *body, h *hitPoint, f *surface) veil {
	for i := range s.seen {
		if w := &s.seen[i]; w.body == h.body && w.face == h.face {
			return w.veil
		}
	}
	at := add(b.pos, b.rot.mul(f.at))
	v := s.dark.at(at, b.rot.mul(f.normal), b.index)
	s.seen = append(s.seen, faceVeil{h.body, h.face, v})
	return v
}

// net holds the veils of the pixels whose column and row are even, of the two rows around the row at hand. Between them
// veils are interpolated where nothing ends and little changes: shadows are the dear part of a picture, and soft.
type net struct {
	top, bottom []knot
	y           int // row of top
	first       int // column of the first knot
}

// knot is the veil of one pixel, once it was asked for.
type knot struct {
	veil
	known bool
}

// calm is how much the veils around a pixel may differ and still be interpolated: two of the lamp's sixteen points.
const calm = 2.0 / samples

func (n *net) reset(k *caster) {
	n.first = k.seen.Min.X &^ 1
	size := k.seen.Dx()/2 + 2
	n.top, n.bottom = make([]knot, size), make([]knot, size)
	n.y = (k.region.Min.Y &^ 1) - 2
}

// turn moves the net down to row y.
func (n *net) turn(y int) {
	for n.y < y&^1 {
		n.top, n.bottom = n.bottom, n.top
		clear(n.bottom)
		n.y += 2
	}
}

// knot is the veil at an even column and row, which something hits.
func (s *finer) knot(x, y int) veil {
	row := s.net.top
	if y != s.net.y {
		row = s.net.bottom
	}
	k := &row[(x-s.net.first)/2]
	if !k.known {
		*k = knot{s.exact(x, y), true}
	}
	return k.veil
}

// exact is the veil of what pixel (x, y) sees.
func (s *finer) exact(x, y int) veil {
	h := s.k.hit(x, y)
	b := &s.k.bodies[h.body]
	f := s.surface(b, &s.paints[h.body], h, b.ray(s.k.u[x-s.k.seen.Min.X], s.k.v[y-s.k.seen.Min.Y]))
	return s.dark.at(add(b.pos, b.rot.mul(f.at)), b.rot.mul(f.normal), b.index)
}

// between is the veil of pixel (x, y): the mean of the knots around it, or its own where they are not alike.
func (s *finer) between(x, y int) veil {
	x0, y0 := x&^1, y&^1
	x1, y1 := x0+2*(x&1), y0+2*(y&1)
	seen := s.k.seen
	if x0 < seen.Min.X || y0 < seen.Min.Y || x1 >= seen.Max.X || y1 >= seen.Max.Y {
		return s.exact(x, y)
	}
	if x == x0 && y == y0 {
		return s.knot(x, y)
	}
	h := s.k.hit(x, y)
	if !h.same(s.k.hit(x0, y0)) || !h.same(s.k.hit(x1, y0)) || !h.same(s.k.hit(x0, y1)) || !h.same(s.k.hit(x1, y1)) {
		return s.exact(x, y)
	}
	a, b, c, d := s.knot(x0, y0), s.knot(x1, y0), s.knot(x0, y1), s.knot(x1, y1)
	if !alike(a.lit, b.lit, c.lit, d.lit) || !alike(a.open, b.open, c.open, d.open) {
		return s.exact(x, y)
	}
	return veil{open: (a.open + b.open + c.open + d.open) / 4, lit: (a.lit + b.lit + c.lit + d.lit) / 4}
}

func alike(a, b, c, d float64) bool {
	return max(a, b, c, d)-min(a, b, c, d) <= calm
}
