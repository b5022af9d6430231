package detect

import (
	"math"
	"slices"

	"github.com/rein-robotics/rein/geom/plane"
)

// buttons finds low round caps on low housings, whether or not the colour set the two apart, and makes one part of each.
func (c *cloud) buttons(found []*part) []*part {
	gone := map[*part]bool{}
	for _, p := range found {
		if gone[p] || p.hollow != nil || p.drawer != nil || p.in != nil {
			continue
		}
		house := plane.Rect{}
		if q := housing(p, found); q != nil {
			gone[q] = true
			p.cap, house = slices.Clone(p.px), q.form.foot
			p.px = append(p.px, q.px...)
			p.on, p.form.base = nil, 0
		} else if house = c.capOn(p); p.cap == nil {
			continue
		}
		for _, r := range found { // faces of the housing that were seen apart
			if r != p && !gone[r] && r.on == nil && r.hollow == nil && r.drawer == nil && r.form.top < p.form.top+0.003 &&
				house.Grown(0.008).Inset(r.form.foot.C) > 0 {
				gone[r] = true
				p.px = append(p.px, r.px...)
			}
		}
		slices.Sort(p.px)
	}
	return slices.DeleteFunc(found, func(p *part) bool { return gone[p] })
}

// housing is the part under p when p can be the cap of a button on it.
func housing(p *part, found []*part) *part {
	for _, q := range found {
		cap := p.form
		cap.base = min(q.form.top, cap.top)
		if q != p && q.hollow == nil && q.drawer == nil && q.in == nil && q.form.top < p.form.top-0.003 && isCap(&cap, &q.form) {
			return q
		}
	}
	return nil
}

// isCap says whether p, which stands on q, can be the cap of a button.
func isCap(p, q *form) bool {
	return q.base == 0 && q.height() < 0.022 && p.flatTop() && p.round > 0 && p.round < discLimit+0.01 && p.slim() < 1.25 &&
		p.foot.C.Sub(q.foot.C).Norm() < 0.005 && p.height() < 0.8*p.foot.Width && p.foot.Length > 0.35*q.foot.Length
}

// capOn looks for a level round cap in the middle of a low part with a level step around it, and returns the footprint of
// its housing.
func (c *cloud) capOn(p *part) (house plane.Rect) {
	f := &p.form
	if f.top > 0.05 || f.foot.Length > 0.10 || f.slim() > 1.3 {
		return house
	}
	var upper, step []int32
	var zs []float64
	for _, k := range p.px {
		switch z := float64(c.z[k]); {
		case z > f.top-0.0045:
			upper = append(upper, k)
		case z < f.top-0.006:
			zs = append(zs, z)
		}
	}
	if len(upper) < 8 || len(zs) < 8 || meanAbove(c.sortedHeights(upper), 0, 1) < f.top-0.0018 {
		return house
	}
	level := plane.Quantile(zs, 0.6)
	for _, k := range p.px {
		if math.Abs(float64(c.z[k])-level) < 0.0025 {
			step = append(step, k)
		}
	}
	if level < 0.006 || level > 0.022 || 2*len(step) < len(zs) || c.area(step) < 0.3*c.area(upper) {
		return house
	}
	top, low := c.measure(upper, level), c.measure(step, 0)
	top.round = squareness(c.points(upper, -1))
	top.across, top.along = 0, 0
	if !isCap(&top, &low) {
		return house
	}
	top.base = 0
	p.form, p.cap = top, upper
	return low.foot
}
