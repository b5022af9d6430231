package detect

import (
	"slices"

	"github.com/rein-robotics/rein/geom/plane"
)

// ridges are how far below its top, by its height, a heap of lying cylinders is cut so that each shows a ridge of its own.
func ridges() [4]float64 { return [4]float64{0.35, 0.25, 0.18, 0.12} }

// heaps divides parts that are no single thing into lying cylinders that touch, where all of the pieces turn out to be such.
func (c *cloud) heaps(found []*part) []*part {
	var out []*part
	for _, p := range found {
		if pieces := c.cylinders(p); pieces != nil {
			out = append(out, pieces...)
			continue
		}
		out = append(out, p)
	}
	return out
}

// cylinders are the lying cylinders that a part is made of; nil when it is one thing, or none of these.
func (c *cloud) cylinders(p *part) []*part {
	if p.hollow != nil || p.drawer != nil || p.cap != nil || p.form.height() > 0.045 || p.form.height() < 0.007 {
		return nil
	}
	if k, _ := classify(&p.form); k == Battery || k == Ball {
		return nil
	}
	smooth := c.smoothed(p.px)
	for _, cut := range ridges() {
		var upper []int32
		for i, k := range p.px {
			if float64(smooth[i]) > p.form.top-max(cut*p.form.height(), 0.0012) {
				upper = append(upper, k)
			}
		}
		if pieces := c.allBatteries(p, c.components(upper, c.near())); pieces != nil {
			return pieces
		}
	}
	return c.allBatteries(p, c.halves(p))
}

// smoothed are the mean heights over the 3 × 3 pixels of the set around each.
func (c *cloud) smoothed(ks []int32) []float32 {
	w := c.window(ks)
	out := make([]float32, len(ks))
	for i, k := range ks {
		l := w.local(k)
		x := l % w.w
		n, s := float32(0), float32(0)
		for _, d := range [...]int{-w.w - 1, -w.w, -w.w + 1, -1, 0, 1, w.w - 1, w.w, w.w + 1} {
			m := l + d
			if m < 0 || m >= len(w.has) || !w.has[m] || m%w.w < x-1 || m%w.w > x+1 {
				continue
			}
			n, s = n+1, s+c.z[w.global(m)]
		}
		out[i] = s / n
	}
	return out
}

// allBatteries spreads the seeds over the part; nil unless there are at least two and every piece is a lying cylinder.
func (c *cloud) allBatteries(p *part, seeds [][]int32) []*part {
	seeds = slices.DeleteFunc(slices.Clone(seeds), func(ks []int32) bool { return !c.bigEnough(ks) })
	if len(seeds) < 2 {
		return nil
	}
	w := c.window(p.px)
	label := make([]int32, len(w.has))
	for n, ks := range seeds {
		for _, k := range ks {
			label[w.local(k)] = int32(n + 1)
		}
	}
	w.spread(label)
	var out []*part
	for _, ks := range w.lists(label) {
		f := c.measure(ks, p.form.base)
		if k, _ := classify(&f); k != Battery || f.flatTop() {
			return nil
		}
		out = append(out, &part{px: ks, form: f, in: p.in, on: p.on})
	}
	return out
}

// halves are the two ends of a part that is too long for one battery: two that lie in line.
func (c *cloud) halves(p *part) [][]int32 {
	if s := p.form.slim(); s < 5.5 || s > 11 || p.form.flatTop() {
		return nil
	}
	var a, b []int32
	for _, k := range p.px {
		if u, _ := p.form.foot.Local(plane.Pt{X: float64(c.x[k]), Y: float64(c.y[k])}); u < 0 {
			a = append(a, k)
		} else {
			b = append(b, k)
		}
	}
	return [][]int32{a, b}
}
