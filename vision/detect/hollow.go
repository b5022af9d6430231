package detect

import (
	"image"
	"math"
	"slices"

	"github.com/rein-robotics/rein/geom/plane"
)

// hollow is the inside of something that is open at the top.
type hollow struct {
	rim    float64    // height of the rim above the table
	floor  float64    // height of the inside's floor
	outer  plane.Rect // outside of the walls; a square for a round one
	inner  plane.Rect // between the walls; the inscribed square's bounding box for a round one
	round  bool
	handle plane.Pt // of a round one: where its handle stands out; zero when it has none
}

// inside says whether p lies between the walls by at least margin.
func (h *hollow) inside(p plane.Pt, margin float64) bool {
	if h.round {
		return p.Sub(h.inner.C).Norm() < h.inner.Width/2-margin
	}
	return h.inner.Inset(p) > margin
}

// hollowOf looks for an inside that is open at the top in the pixels of one thing; nil when it is solid.
func (c *cloud) hollowOf(ks []int32, base float64) *hollow {
	all := plane.Hull(c.points(ks, base+standsOut))
	box := plane.MinRect(all)
	if box.Width < 0.025 {
		return nil
	}
	rim := c.rimHeight(ks, all)
	if rim-base < 0.012 {
		return nil
	}
	deep := min(0.010+0.05*(rim-base), 0.5*(rim-base))
	ins := c.within(all, max(0.004, 0.06*box.Width), rim)
	low, covered := c.lowInside(ins, rim-deep)
	if len(low) < 6 || covered < 0.3 || !c.surrounded(ks, rim, base) {
		return nil
	}
	h := &hollow{rim: rim}
	c.fitWalls(h, ks)
	h.floor = max(base, plane.Quantile(c.heights(c.innerOnly(h, low)), 0.3))
	return h
}

// rimHeight is the height that most of the border has: the middle, over all directions, of the highest point near the hull.
func (c *cloud) rimHeight(ks []int32, border []plane.Pt) float64 {
	const bins = 48
	m, g := centreOf(border), plane.PolygonOf(border)
	var top [bins]float64
	for _, k := range ks {
		p := plane.Pt{X: float64(c.x[k]), Y: float64(c.y[k])}
		if g.Holds(p, 0.008) {
			continue
		}
		d := p.Sub(m)
		b := int((math.Atan2(d.Y, d.X)/math.Pi + 1) / 2 * bins)
		top[min(max(b, 0), bins-1)] = max(top[min(max(b, 0), bins-1)], float64(c.z[k]))
	}
	tops := slices.DeleteFunc(top[:], func(z float64) bool { return z == 0 })
	return plane.Quantile(tops, 0.5)
}

func centreOf(ps []plane.Pt) plane.Pt {
	var m plane.Pt
	for _, p := range ps {
		m = m.Add(p)
	}
	return m.Scale(1 / float64(max(1, len(ps))))
}

// within are the seen pixels, up to the height top, that lie inside the convex polygon by more than margin.
func (c *cloud) within(border []plane.Pt, margin, top float64) []int32 {
	var out []int32
	g, lid := plane.PolygonOf(border), float32(top+0.02)
	win := c.windowOf(border, top+0.02)
	for y := win.Min.Y; y < win.Max.Y; y++ {
		for x := win.Min.X; x < win.Max.X; x++ {
			k := (y-c.rect.Min.Y)*c.w + x - c.rect.Min.X
			if c.state[k] == pixelSeen && c.z[k] < lid && g.Holds(plane.Pt{X: float64(c.x[k]), Y: float64(c.y[k])}, margin) {
				out = append(out, int32(k))
			}
		}
	}
	return out
}

// windowOf is the part of the cloud where a column over the polygon can be seen, from the table up to top.
func (c *cloud) windowOf(border []plane.Pt, top float64) image.Rectangle {
	r := image.Rectangle{}
	for _, p := range border {
		for _, z := range [...]float64{0, min(top, c.f.Pose.Pos.Z-0.05)} {
			if u, v, ok := c.project(vec(p, z)); ok && math.Abs(u) < 1e6 && math.Abs(v) < 1e6 {
				q := image.Pt(int(math.Floor(u)), int(math.Floor(v)))
				r = r.Union(image.Rectangle{Min: q.Sub(image.Pt(1, 1)), Max: q.Add(image.Pt(2, 2))})
			}
		}
	}
	return r.Intersect(c.rect)
}

// lowInside are the pixels below z, and their share of all by area.
func (c *cloud) lowInside(ks []int32, z float64) (low []int32, share float64) {
	for _, k := range ks {
		if float64(c.z[k]) < z {
			low = append(low, k)
		}
	}
	if len(ks) == 0 {
		return nil, 0
	}
	return low, c.area(low) / c.area(ks)
}

// surrounded says whether high pixels of ks lie around a middle without any in nearly all directions.
func (c *cloud) surrounded(ks []int32, rim, base float64) bool {
	const bins = 36
	border := plane.MinRect(plane.Hull(c.points(ks, rim-max(0.004, 0.08*(rim-base)))))
	m, z := border.C, rim-0.3*(rim-base)
	var far [bins]float64
	var middle []int32
	for _, k := range ks {
		if float64(c.z[k]) <= z {
			continue
		}
		d := plane.Pt{X: float64(c.x[k]), Y: float64(c.y[k])}.Sub(m)
		if d.Norm() < 0.2*border.Width {
			middle = append(middle, k)
		}
		b := min(max(int((math.Atan2(d.Y, d.X)/math.Pi+1)/2*bins), 0), bins-1)
		far[b] = max(far[b], d.Norm())
	}
	if c.area(middle) > 0.5*math.Pi*0.04*border.Width*border.Width {
		return false // solid
	}
	ok := 0
	for _, d := range far {
		if d > 0 {
			ok++
		}
	}
	return ok >= bins*9/10
}

// fitWalls finds the walls from the pixels of the rim.
func (c *cloud) fitWalls(h *hollow, ks []int32) {
	rim := c.points(ks, h.rim-max(0.005, 0.06*h.rim))
	hl := plane.Hull(slices.Clone(rim))
	box := plane.MinRect(hl)
	pad := c.step / 2 * 0.9
	box = plane.TrimmedAt(rim, box.Yaw, 0.003, pad)
	centre, radius := circle(hl)
	var offCircle, offRect []float64
	for _, p := range hl {
		offCircle = append(offCircle, math.Abs(p.Sub(centre).Norm()-radius))
	}
	for _, p := range rim {
		offRect = append(offRect, math.Abs(box.Inset(p)))
	}
	wall := min(max(plane.Quantile(offRect, 0.75)*1.2, 0.0025), 0.012)
	area := plane.PolygonArea(hl) / max(1e-9, (box.Length-2*pad)*(box.Width-2*pad))
	if area < 0.88 && plane.Quantile(offCircle, 0.75) < 0.06*radius+0.001 {
		h.round = true
		d := 2 * (radius + pad)
		h.outer = plane.Rect{C: centre, Length: d, Width: d}
		h.inner = h.outer.Grown(-0.004)
		h.handle = c.handleOf(ks, centre, d/2)
		return
	}
	h.outer, h.inner = box, box.Grown(-wall)
}

// circle is the circle through points by least squares (Kåsa), once more without the points that fit worst.
func circle(ps []plane.Pt) (centre plane.Pt, radius float64) {
	for range 2 {
		m := centreOf(ps)
		var sxx, sxy, syy, sx, sy, n, sxz, syz, sz float64
		for _, p := range ps {
			q := p.Sub(m)
			z := q.Dot(q)
			sxx, sxy, syy = sxx+q.X*q.X, sxy+q.X*q.Y, syy+q.Y*q.Y
			sx, sy, n = sx+q.X, sy+q.Y, n+1
			sxz, syz, sz = sxz+q.X*z, syz+q.Y*z, sz+z
		}
		det := sxx*syy - sxy*sxy
		if n < 3 || math.Abs(det) < 1e-18 {
			return m, 0
		}
		a, b := (sxz*syy-syz*sxy)/(2*det), (syz*sxx-sxz*sxy)/(2*det)
		centre = m.Add(plane.Pt{X: a, Y: b})
		radius = math.Sqrt(max(0, sz/n+a*a+b*b))
		var kept []plane.Pt
		for _, p := range ps {
			if math.Abs(p.Sub(centre).Norm()-radius) < 0.08*radius+0.0015 {
				kept = append(kept, p)
			}
		}
		if len(kept) < 6 {
			break
		}
		ps = kept
	}
	return centre, radius
}

// handleOf is the middle of what stands out sideways of a round wall; the zero point when nothing does.
func (c *cloud) handleOf(ks []int32, centre plane.Pt, radius float64) plane.Pt {
	var out []plane.Pt
	for _, k := range ks {
		p := plane.Pt{X: float64(c.x[k]), Y: float64(c.y[k])}
		if p.Sub(centre).Norm() > radius+0.006 {
			out = append(out, p)
		}
	}
	if len(out) < 5 {
		return plane.Pt{}
	}
	return centreOf(out)
}

// ownHandle says whether a part is the handle of the mug p, seen apart because the rim hides where it is fixed, and
// remembers it.
func (c *cloud) ownHandle(p, q *part) bool {
	h := p.hollow
	if !h.round || q.form.top > h.rim-0.004 || c.area(q.px) > 0.3*c.area(p.px) || c.f.Color == nil {
		return false
	}
	r := h.outer.Width / 2
	for _, m := range c.points(q.px, -1) {
		if d := m.Sub(h.outer.C).Norm(); d < 0.8*r || d > 1.75*r+0.008 {
			return false
		}
	}
	if !c.alike(p.px, q.px) {
		return false
	}
	h.handle = centreOf(c.points(q.px, -1))
	return true
}

// innerOnly are the pixels between the walls.
func (c *cloud) innerOnly(h *hollow, ks []int32) []int32 {
	var out []int32
	for _, k := range ks {
		if h.inside(plane.Pt{X: float64(c.x[k]), Y: float64(c.y[k])}, 0.003) {
			out = append(out, k)
		}
	}
	return out
}
