package detect

import (
	"maps"
	"math"
	"slices"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/geom/plane"
)

// part is a set of pixels that belong to one thing.
type part struct {
	px     []int32
	form   form
	hollow *hollow
	drawer *drawer
	cap    []int32 // of a button with a housing: the pixels of its cap
	in, on *part   // the container it lies in; what it stands on
}

// vec lifts a point of the table plane to height z.
func vec(p plane.Pt, z float64) geom.Vec { return geom.Vec{X: p.X, Y: p.Y, Z: z} }

// parts divides what stands out over the table into things. ceiling is the height, metres, above which nothing counts.
func (c *cloud) parts(ceiling float64) []*part {
	var found []*part
	for _, ks := range c.split(c.above(0, ceiling)) {
		if f := c.measure(ks, 0); f.solid() && !c.scattered(ks) {
			found = append(found, &part{px: ks, form: f})
		}
	}
	found = c.drawers(c.joinSides(found))
	found = c.containers(found)
	found = c.mend(c.stack(found))
	return c.heaps(c.buttons(found))
}

// scattered says whether a few pixels at heights of their own are all there is: flying ones.
func (c *cloud) scattered(ks []int32) bool {
	if len(ks) > 14 {
		return false
	}
	lo, hi := plane.Span(c.heights(ks), 0.15)
	return hi-lo > 0.010
}

// joinSides joins to each thing the upright faces of its own that a gloss on its top makes look like another colour: thin
// pieces at its border that reach as high as it.
func (c *cloud) joinSides(found []*part) []*part {
	gone := map[*part]bool{}
	for _, r := range found {
		if r.form.foot.Width > 0.012 || r.form.top < 0.012 {
			continue
		}
		for _, p := range found {
			if p == r || gone[p] || len(p.px) < len(r.px) || math.Abs(p.form.top-r.form.top) > 0.004 || p.form.foot.Width < 0.012 {
				continue
			}
			if d := p.form.foot.Inset(r.form.foot.C); d > -0.008 && d < 0.008 && c.alike(p.px, r.px) {
				gone[r] = true
				p.px = slices.Sorted(slices.Values(append(slices.Clone(p.px), r.px...)))
				p.form = c.measure(p.px, p.form.base)
				break
			}
		}
	}
	return slices.DeleteFunc(found, func(p *part) bool { return gone[p] })
}

// around are the pixels beside k.
func (c *cloud) around(k int32) []int32 {
	w, i := int32(c.w), k%int32(c.w)
	out := make([]int32, 0, 4)
	if i > 0 {
		out = append(out, k-1)
	}
	if i < w-1 {
		out = append(out, k+1)
	}
	if k >= w {
		out = append(out, k-w)
	}
	if int(k+w) < len(c.state) {
		out = append(out, k+w)
	}
	return out
}

// open is what is open of a part's inside, nil when nothing is.
func (p *part) open() *hollow {
	if p.drawer != nil {
		return p.drawer.tray
	}
	return p.hollow
}

// containers finds what is open at the top and what lies in it.
func (c *cloud) containers(found []*part) []*part {
	taken := map[*part]bool{}
	for _, p := range found {
		if p.drawer == nil && !taken[p] {
			c.openUp(p, found, taken)
		}
	}
	var out []*part
	for _, p := range found {
		if p.open() == nil || taken[p] {
			continue
		}
		var lying []*part
		for _, q := range found {
			if q == p || q.drawer != nil || taken[q] {
				continue
			}
			switch {
			case c.belongs(p, q):
				p.px = append(p.px, q.px...)
				taken[q] = true
			case p.open().holds(c, q):
				if q.hollow != nil && (!q.hollow.round || q.hollow.rim < p.open().rim) {
					q.hollow = nil // a heap of things
				}
				q.in = p
				lying = append(lying, q)
				taken[q] = true
			}
		}
		out = append(out, lying...)
		out = append(out, c.empty(p, lying)...)
	}
	for _, p := range found {
		if !taken[p] {
			out = append(out, p)
		}
	}
	return out
}

// openUp looks whether a part is hollow, if need be together with a wall that is seen apart from it because its rim is
// too thin for the camera.
func (c *cloud) openUp(p *part, found []*part, taken map[*part]bool) {
	if p.hollow = c.hollowOf(p.px, 0); p.hollow != nil || p.form.foot.Width < 0.04 {
		return
	}
	var walls []*part
	px := p.px
	for _, q := range found {
		f := &q.form
		if q == p || taken[q] || q.drawer != nil || f.foot.Width > 0.014 || f.foot.Length < 3*f.foot.Width || f.top < 0.02 ||
			math.Abs(f.top-p.form.top) > 0.006 || p.form.foot.Grown(0.014).Inset(f.foot.C) < 0 || !c.alike(p.px, q.px) {
			continue
		}
		walls = append(walls, q)
		px = append(slices.Clone(px), q.px...)
	}
	if len(walls) == 0 {
		return
	}
	if p.hollow = c.hollowOf(px, 0); p.hollow == nil {
		return
	}
	p.px = slices.Sorted(slices.Values(px))
	for _, q := range walls {
		taken[q] = true
	}
}

// belongs says whether a part is a piece of the container p itself: a mug's handle, a piece of wall or of the floor.
func (c *cloud) belongs(p, q *part) bool {
	h := p.open()
	if p.hollow != nil && c.ownHandle(p, q) {
		return true
	}
	m := centreOf(c.points(q.px, -1))
	if h.holds(c, q) {
		q.form = c.measure(q.px, h.floor)
		return !q.form.solid() || c.standing(q.px, h.floor) < 0.5
	}
	return q.form.top < h.rim+0.004 && h.outer.Grown(0.004).Inset(m) > 0 && min(q.form.foot.Width, q.form.foot.Length/3) < 0.012 &&
		c.alike(p.px, q.px)
}

// alike says whether two sets of pixels can be of one colour.
func (c *cloud) alike(a, b []int32) bool {
	return c.f.Color == nil || newTones().same(c.medianBytes(a), c.medianBytes(b))
}

// standing is the share of pixels that stand out over base.
func (c *cloud) standing(ks []int32, base float64) float64 {
	n := 0
	for _, k := range ks {
		if float64(c.z[k]) > base+0.0045 {
			n++
		}
	}
	return float64(n) / float64(max(1, len(ks)))
}

// holds says whether a part lies inside: its middle is between the walls.
func (h *hollow) holds(c *cloud, q *part) bool {
	return h.inside(centreOf(c.points(q.px, -1)), 0)
}

// empty takes the things out of a container's own pixels and gives the container its floor. lying are things already
// known to be inside.
func (c *cloud) empty(p *part, lying []*part) []*part {
	h := p.open()
	column := c.within(h.outer.Corners(), 0, h.ceiling())
	known := c.window(column)
	for l := range known.has {
		known.has[l] = false
	}
	for _, q := range lying {
		known.add(q.px)
	}
	own := map[int32]bool{}
	for _, k := range p.px {
		own[k] = true
	}
	var high []int32
	for _, k := range column {
		q := plane.Pt{X: float64(c.x[k]), Y: float64(c.y[k])}
		if known.has[known.local(k)] || h.round && q.Sub(h.outer.C).Norm() > h.outer.Width/2 {
			continue
		}
		own[k] = true
		if h.inside(q, 0.0045) && float64(c.z[k]) > h.floor+0.0045 && float64(c.z[k]) < h.ceiling() {
			high = append(high, k)
		}
	}
	var out []*part
	for _, ks := range c.split(high) {
		f := c.measure(ks, h.floor)
		if !f.solid() || !c.reachesIn(h, ks) {
			continue
		}
		for _, k := range ks {
			delete(own, k)
		}
		out = append(out, &part{px: ks, form: f, in: p})
	}
	p.px = slices.Sorted(maps.Keys(own))
	if p.hollow == nil || h.round {
		return out
	}
	return append(out, c.outside(p)...)
}

// outside takes the things of a box's colour that stand close to its walls out of the box's pixels.
func (c *cloud) outside(p *part) []*part {
	var beyond []int32
	for _, k := range p.px {
		if p.hollow.outer.Inset(plane.Pt{X: float64(c.x[k]), Y: float64(c.y[k])}) < -0.0035 && c.z[k] > standsOut {
			beyond = append(beyond, k)
		}
	}
	var out []*part
	for _, ks := range c.split(beyond) {
		if f := c.measure(ks, 0); f.solid() && f.foot.Width > 0.007 && -p.hollow.outer.Inset(f.foot.C) > 0.006 {
			out = append(out, &part{px: ks, form: f})
			p.px = slices.DeleteFunc(p.px, func(k int32) bool { _, in := slices.BinarySearch(ks, k); return in })
		}
	}
	return out
}

// ceiling is the height above which nothing is taken for a container's content that its own pixels hold.
func (h *hollow) ceiling() float64 { return h.rim + 0.08 }

// reachesIn says whether pixels lie farther inside than a piece of wall would.
func (c *cloud) reachesIn(h *hollow, ks []int32) bool {
	n := 0
	for _, k := range ks {
		if h.inside(plane.Pt{X: float64(c.x[k]), Y: float64(c.y[k])}, 0.008) {
			n++
		}
	}
	return n >= 4
}

// stack finds what stands on what: a part that was not seen below the top of another part under it.
func (c *cloud) stack(found []*part) []*part {
	for _, p := range found {
		if p.in != nil || p.hollow != nil || p.drawer != nil {
			continue
		}
		for _, q := range found {
			if q == p || q.in != nil || q.hollow != nil {
				continue
			}
			top := q.form.top
			if math.Abs(p.form.bottom-top) < 0.006 && p.form.top > top+0.005 && q.form.foot.Grown(0.004).Inset(p.form.foot.C) > 0 {
				p.on = q
				p.form.base = top
			}
		}
	}
	return found
}

// mend joins to a support the pieces of its top that what stands on it cuts off from sight.
func (c *cloud) mend(found []*part) []*part {
	gone := map[*part]bool{}
	for _, p := range found {
		q := p.on
		if q == nil || q.drawer != nil {
			continue
		}
		view := c.maskOf(p.px).Rect.Inset(-2)
		for _, r := range found {
			if r == p || r == q || gone[r] || r.on != nil || r.in != nil || math.Abs(r.form.top-q.form.top) > 0.004 ||
				r.form.bottom < q.form.top-0.008 || !c.maskOf(r.px).Rect.Overlaps(view) || !c.alike(q.px, r.px) {
				continue
			}
			gone[r] = true
			q.px = append(q.px, r.px...)
			slices.Sort(q.px)
			q.form = c.measure(q.px, q.form.base)
		}
	}
	return slices.DeleteFunc(found, func(p *part) bool { return gone[p] })
}
