package detect

import (
	"math"
	"slices"

	"github.com/rein-robotics/rein/geom/plane"
)

// form is the measured shape of a set of pixels.
type form struct {
	foot   plane.Rect // footprint
	base   float64    // height of what it rests on, metres above the table
	bottom float64    // the lowest height that was seen of it
	top    float64
	round  float64 // how square the top is: about 0.77 a disc, 1 a rectangle; 0 unknown
	flat   float64 // share of the footprint's middle that lies level with the top
	across float64 // how much the top falls off towards the long sides, by the width: 0 flat, 0.17 a cylinder
	along  float64 // the same towards the short sides
	pixels float64 // of the width
}

func (f form) height() float64 { return f.top - f.base }

// points are pixels in the table plane whose height is at least floor.
func (c *cloud) points(ks []int32, floor float64) []plane.Pt {
	lo := float32(floor)
	ps := make([]plane.Pt, 0, len(ks))
	for _, k := range ks {
		if c.z[k] >= lo {
			ps = append(ps, plane.Pt{X: float64(c.x[k]), Y: float64(c.y[k])})
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

// sortedHeights are the heights of pixels, the least first.
func (c *cloud) sortedHeights(ks []int32) []float64 {
	zs := c.heights(ks)
	slices.Sort(zs)
	return zs
}

// measure finds the form of a solid thing that rests on base.
func (c *cloud) measure(ks []int32, base float64) form {
	zs := c.heights(ks)
	f := form{base: base}
	f.top = plane.Quantile(zs, 0.96)
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
	if cut := 0.5*f.foot.Width + 0.002; h > 1.3*f.foot.Width {
		if ps := c.points(ks, f.top-cut); len(ps) >= 5 {
			f.foot = c.footprint(ps, pad)
		}
	}
	f.profile(c, ks)
	if f.flatTop() {
		if top := c.points(ks, f.top-max(0.0035, 0.1*h)); len(top) >= 5 {
			f.round = squareness(top)
			f.foot = c.footprint(top, pad)
		}
	}
	f.pixels = f.foot.Width / c.step
	return f
}

// discLimit divides round tops from square ones; it was fitted to tops of 10 to 60 mm seen at two resolutions.
const discLimit = 0.872

// squareness is the share that the hull of points fills of its rectangle, made surer by how far out the points lie: of a
// disc the fourth moment by the square of the second is 1.33, of a square 1.4.
func squareness(ps []plane.Pt) float64 {
	m := centreOf(ps)
	var s2, s4 float64
	for _, p := range ps {
		d := p.Sub(m)
		q := d.Dot(d)
		s2, s4 = s2+q, s4+q*q
	}
	hl := plane.Hull(slices.Clone(ps))
	r := plane.MinRect(hl)
	if s2 <= 0 || r.Length <= 0 || r.Width <= 0 {
		return 0
	}
	return plane.PolygonArea(hl)/(r.Length*r.Width) + 0.8*(float64(len(ps))*s4/(s2*s2)-1.37)
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
func (c *cloud) footprint(ps []plane.Pt, pad float64) plane.Rect {
	r := plane.MinRect(plane.Hull(slices.Clone(ps)))
	yaw := r.Yaw
	if r.Length > 2.2*r.Width {
		yaw = plane.Principal(ps)
	}
	share := 0.012
	if len(ps) < 80 {
		share = 0
	}
	return plane.TrimmedAt(ps, yaw, share, pad)
}

// profile measures how the top falls off towards the sides. The faces below the top's border count little: the heights
// are those of the upper part of each zone.
func (f *form) profile(c *cloud, ks []int32) {
	var mid, side, end []float64
	var level, inner int
	depth := min(0.6*f.height(), 0.4*f.foot.Width) + 0.002
	for _, k := range ks {
		z := float64(c.z[k])
		if z < f.top-depth {
			continue
		}
		u, v := f.foot.Local(plane.Pt{X: float64(c.x[k]), Y: float64(c.y[k])})
		u, v = math.Abs(u)*2/f.foot.Length, math.Abs(v)*2/f.foot.Width
		if u < 0.85 && v < 0.85 {
			inner++
			if z > f.top-max(0.003, 0.08*f.height()) {
				level++
			}
		}
		switch {
		case u < 0.5 && v < 0.35:
			mid = append(mid, z)
		case u < 0.5 && v > 0.62 && v < 0.88:
			side = append(side, z)
		case v < 0.5 && u > 0.62 && u < 0.88:
			end = append(end, z)
		}
	}
	f.flat = float64(level) / float64(max(1, inner))
	if len(mid) > 0 && len(side) > 0 {
		f.across = (upperMean(mid) - upperMean(side)) / f.foot.Width
	}
	if len(mid) > 0 && len(end) > 0 {
		f.along = (upperMean(mid) - upperMean(end)) / f.foot.Length
	}
}

// upperMean is the mean of the upper part of vs. It sorts vs.
func upperMean(vs []float64) float64 {
	slices.Sort(vs)
	if len(vs) < 4 {
		return vs[len(vs)-1]
	}
	return meanAbove(vs, 0.4, 0.9)
}

func (f form) curved() float64 { return max(0.055, 0.0005/max(f.foot.Width, 0.001)) }

// flatTop says whether the top is a level face. Nothing round that lies on the ground is much higher than long.
func (f form) flatTop() bool {
	return f.across < f.curved() && f.along < f.curved() || f.height() > 1.35*f.foot.Length
}

// slim is length by width.
func (f form) slim() float64 { return f.foot.Length / max(f.foot.Width, 1e-4) }

// solid says whether the form is more than noise on the ground it rests on.
func (f form) solid() bool { return f.height() >= 0.006 && f.foot.Width >= 0.005 }
