package vision

import (
	"math"
	"slices"

	"github.com/rein-robotics/rein/geom"
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
func vec(p pt, z float64) geom.Vec { return geom.Vec{X: p.x, Y: p.y, Z: z} }

// parts divides what stands out over the table into things. ceiling is the height, metres, above which nothing counts.
func (c *cloud) parts(ceiling float64) []*part {
	var found []*part
	for _, ks := range c.split(c.above(0, ceiling)) {
		found = append(found, &part{px: ks, form: c.measure(ks, 0)})
	}
	found = c.drawers(found)
	found = c.containers(found)
	c.stack(found)
	return c.buttons(found)
}

// split makes sets of pixels that lie together and have one colour.
func (c *cloud) split(set []bool) [][]int32 {
	var out [][]int32
	for _, ks := range c.components(set, c.near()) {
		if !c.bigEnough(ks) {
			continue
		}
		out = append(out, c.splitColours(ks)...)
	}
	return out
}

// splitColours divides linked pixels where the colour changes; pieces too small for a thing join the piece beside them.
func (c *cloud) splitColours(ks []int32) [][]int32 {
	if c.f.Color == nil {
		return [][]int32{ks}
	}
	set := make([]bool, len(c.state))
	for _, k := range ks {
		set[k] = true
	}
	label := make(map[int32]int, len(ks))
	var big [][]int32
	total := c.area(ks)
	for _, piece := range c.components(set, c.sameColour()) {
		if !c.bigEnough(piece) || c.area(piece) < min(0.04*total, 100e-6) {
			continue
		}
		for _, k := range piece {
			label[k] = len(big)
		}
		big = append(big, piece)
	}
	if len(big) < 2 {
		return [][]int32{ks}
	}
	return c.spread(big, label, set)
}

// spread gives the pixels of set that have no label to the nearest piece.
func (c *cloud) spread(big [][]int32, label map[int32]int, set []bool) [][]int32 {
	queue := slices.Concat(big...)
	for len(queue) > 0 {
		k := queue[0]
		queue = queue[1:]
		for _, q := range c.around(k) {
			if _, done := label[q]; set[q] && !done {
				label[q] = label[k]
				big[label[k]] = append(big[label[k]], q)
				queue = append(queue, q)
			}
		}
	}
	for i := range big {
		slices.Sort(big[i])
	}
	return big
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

// containers finds what is open at the top and what lies in it.
func (c *cloud) containers(found []*part) []*part {
	for _, p := range found {
		if p.drawer == nil {
			p.hollow = c.hollowOf(p.px, 0)
		}
	}
	var out []*part
	taken := map[*part]bool{}
	for _, p := range found {
		if p.hollow == nil || taken[p] {
			continue
		}
		for _, q := range found {
			if q == p || q.hollow != nil || q.drawer != nil || taken[q] {
				continue
			}
			if c.ownHandle(p, q) {
				taken[q] = true
				p.px = append(p.px, q.px...)
				p.hollow.handle = centreOf(c.points(q.px, -1))
				continue
			}
			if !p.hollow.holds(c, q) {
				continue
			}
			taken[q] = true
			if q.form = c.measure(q.px, p.hollow.floor); !q.form.solid() || c.standing(q.px, p.hollow.floor) < 0.5 {
				continue // a piece of the floor
			}
			q.in = p
			out = append(out, q)
		}
		out = append(out, c.empty(p, out)...)
	}
	for _, p := range found {
		if !taken[p] {
			out = append(out, p)
		}
	}
	return out
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

// holds says whether a part lies inside: its middle between the walls, and not on the floor itself.
func (h *hollow) holds(c *cloud, q *part) bool {
	m := centreOf(c.points(q.px, -1))
	return h.inside(m, 0)
}

// empty takes the things out of a container's own pixels and gives the container its floor. lying are things already
// known to be inside.
func (c *cloud) empty(p *part, lying []*part) []*part {
	h := p.hollow
	known := map[int32]bool{}
	for _, q := range lying {
		for _, k := range q.px {
			known[k] = true
		}
	}
	border := h.outer.corners()
	set := make([]bool, len(c.state))
	own := map[int32]bool{}
	for _, k := range p.px {
		own[k] = true
	}
	for _, k := range c.within(border, 0) {
		q := pt{float64(c.x[k]), float64(c.y[k])}
		if known[k] || h.round && q.sub(h.outer.c).norm() > h.outer.width/2 {
			continue
		}
		own[k] = true
		set[k] = h.inside(q, 0.0045) && float64(c.z[k]) > h.floor+0.0045
	}
	var out []*part
	for _, ks := range c.split(set) {
		f := c.measure(ks, h.floor)
		if !f.solid() || !c.reachesIn(h, ks) {
			continue
		}
		for _, k := range ks {
			delete(own, k)
		}
		out = append(out, &part{px: ks, form: f, in: p})
	}
	p.px = p.px[:0:0]
	for k := range own {
		p.px = append(p.px, k)
	}
	slices.Sort(p.px)
	return out
}

// reachesIn says whether pixels lie farther inside than a piece of wall would.
func (c *cloud) reachesIn(h *hollow, ks []int32) bool {
	n := 0
	for _, k := range ks {
		if h.inside(pt{float64(c.x[k]), float64(c.y[k])}, 0.008) {
			n++
		}
	}
	return n >= 4
}

// stack finds what stands on what: a part that was not seen below the top of another part under it.
func (c *cloud) stack(found []*part) {
	for _, p := range found {
		if p.in != nil || p.hollow != nil || p.drawer != nil {
			continue
		}
		for _, q := range found {
			if q == p || q.in != nil || q.hollow != nil {
				continue
			}
			top := q.form.top
			if math.Abs(p.form.bottom-top) < 0.006 && p.form.top > top+0.005 && q.form.foot.grown(0.004).inset(p.form.foot.c) > 0 {
				p.on = q
				p.form.base = top
			}
		}
	}
}
