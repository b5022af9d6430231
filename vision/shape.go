package vision

import (
	"math"
)

// form is the measured shape of a set of pixels.
type form struct {
	foot   rect    // footprint
	base   float64 // height of what it rests on, metres above the table
	bottom float64 // the lowest height that was seen of it
	top    float64
	round  float64 // area of the hull of the top by the area of its rectangle: 0.79 a disc, 1 a rectangle
	flat   float64 // share of the footprint's middle that lies level with the top
	across float64 // how much the top falls off towards the long sides, by the width: 0 flat, 0.17 a cylinder
	along  float64 // the same towards the short sides
}

func (f form) height() float64 { return f.top - f.base }

// points are pixels in the table plane whose height is at least floor.
func (c *cloud) points(ks []int32, floor float64) []pt {
	lo := float32(floor)
	ps := make([]pt, 0, len(ks))
	for _, k := range ks {
		if c.z[k] >= lo {
			ps = append(ps, pt{float64(c.x[k]), float64(c.y[k])})
		}
	}
	return ps
}

// heights are the heights of pixels.
func (c *cloud) heights(ks []int32) []float64 {
	zs := make([]float64, len(ks))
	for i, k := range ks {
		zs[i] = float64(c.z[k])
	}
	return zs
}

// measure finds the form of a solid thing that rests on base.
func (c *cloud) measure(ks []int32, base float64) form {
	zs := c.heights(ks)
	f := form{base: base}
	f.top = quantile(zs, 0.96)
	if n := len(zs); n > 60 {
		f.top = meanAbove(zs, 0.9, 0.99)
	}
	f.bottom = zs[len(zs)/50]
	h := f.top - base
	upper := c.points(ks, f.top-max(0.6*h, 0.003))
	if len(upper) < 3 {
		upper = c.points(ks, -1)
	}
	pad := c.step * (c.f.Pose.Pos.Z - f.top) / max(0.05, c.f.Pose.Pos.Z) / 2
	f.foot = c.footprint(upper, pad)
	f.profile(c, ks)
	if f.flatTop() {
		if top := c.points(ks, f.top-max(0.0035, 0.1*h)); len(top) >= 5 {
			hl := hull(top)
			r := minRect(hl)
			if r.length > 0 && r.width > 0 {
				f.round = polygonArea(hl) / (r.length * r.width)
			}
			f.foot = c.footprint(top, pad)
		}
	}
	return f
}

// meanAbove is the mean of the sorted values between two quantiles.
func meanAbove(sorted []float64, from, to float64) float64 {
	i, j := int(from*float64(len(sorted))), int(to*float64(len(sorted)))
	s := 0.0
	for _, v := range sorted[i:j] {
		s += v
	}
	return s / float64(max(1, j-i))
}

// footprint is the rectangle around points; a long one is turned along their spread, which is surer than a narrow hull.
func (c *cloud) footprint(ps []pt, pad float64) rect {
	r := minRect(hull(ps))
	yaw := r.yaw
	if r.length > 2.2*r.width {
		yaw = principal(ps)
	}
	share := 0.004
	if len(ps) < 250 {
		share = 0
	}
	return trimmedAt(ps, yaw, share, pad)
}

// profile measures how the top falls off towards the sides.
func (f *form) profile(c *cloud, ks []int32) {
	h := f.height()
	var mid, side, end, level, inner sum
	for _, k := range ks {
		z := float64(c.z[k])
		if z < f.top-0.6*h-0.002 {
			continue
		}
		u, v := f.foot.local(pt{float64(c.x[k]), float64(c.y[k])})
		u, v = math.Abs(u)*2/f.foot.length, math.Abs(v)*2/f.foot.width
		if u < 0.85 && v < 0.85 {
			inner.add(1)
			if z > f.top-max(0.003, 0.08*h) {
				level.add(1)
			}
		}
		switch {
		case u < 0.5 && v < 0.35:
			mid.add(z)
		case u < 0.5 && v > 0.62 && v < 0.88:
			side.add(z)
		case v < 0.5 && u > 0.62 && u < 0.88:
			end.add(z)
		}
	}
	f.flat = float64(level.n) / float64(max(1, inner.n))
	if mid.n > 0 && side.n > 0 {
		f.across = (mid.mean() - side.mean()) / f.foot.width
	}
	if mid.n > 0 && end.n > 0 {
		f.along = (mid.mean() - end.mean()) / f.foot.length
	}
}

// sum is a running mean.
type sum struct {
	n int
	s float64
}

func (s *sum) add(v float64)   { s.n++; s.s += v }
func (s *sum) mean() float64   { return s.s / float64(max(1, s.n)) }
func (f form) curved() float64 { return max(0.055, 0.0005/max(f.foot.width, 0.001)) }

// flatTop says whether the top is a level face.
func (f form) flatTop() bool { return f.across < f.curved() && f.along < f.curved() }

// slim is length by width.
func (f form) slim() float64 { return f.foot.length / max(f.foot.width, 1e-4) }
