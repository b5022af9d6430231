package detect

import (
	"math"
	"slices"

	"github.com/rein-robotics/rein/geom/plane"
)

// drawer is a case with a bar handle in front of one of its sides.
type drawer struct {
	box      plane.Rect // the case, from above
	top      float64    // height of the case
	face     plane.Pt   // middle of the side with the handle, table plane
	out      plane.Pt   // unit; the way it opens
	opening  float64    // metres that it stands open
	handle   plane.Pt   // middle of the bar
	handleZ  float64    // height of the bar's top
	handlePx []int32
	tray     *hollow // what is open of the inside; nil while it is closed
}

// drawers merges the parts of each drawer into one.
func (c *cloud) drawers(found []*part) []*part {
	for i := 0; i < len(found); i++ {
		d := c.drawerOf(found[i], found)
		if d == nil {
			continue
		}
		p := found[i]
		p.drawer = d
		reach := d.reach()
		var rest []*part
		for _, q := range found {
			if q == p || reach.Inset(q.form.foot.C) < 0.003 || c.loose(d, q) {
				rest = append(rest, q)
				continue
			}
			p.px = append(p.px, q.px...)
		}
		slices.Sort(p.px)
		if i = slices.Index(rest, p); i < 0 {
			return found
		}
		found = rest
	}
	return found
}

// loose says whether a part within the drawer's reach is a thing on its own: on top of the case, or lying in the tray.
func (c *cloud) loose(d *drawer, q *part) bool {
	if q.form.bottom > d.top-0.004 {
		return true
	}
	return d.tray != nil && d.tray.inner.Inset(centreOf(c.points(q.px, -1))) > 0.004 && c.standing(q.px, d.tray.floor) > 0.6 &&
		q.form.foot.Length < 0.85*d.sideLength()
}

// reach is the ground that case, tray and handle cover.
func (d *drawer) reach() plane.Rect {
	end := d.handle.Sub(d.face).Dot(d.out) + 0.012
	side := plane.Pt{X: -d.out.Y, Y: d.out.X}
	ps := slices.Clone(d.box.Corners())
	half := d.sideLength() / 2
	ps = append(ps, d.face.Add(d.out.Scale(end)).Add(side.Scale(half)), d.face.Add(d.out.Scale(end)).Sub(side.Scale(half)))
	return plane.BoundsAt(ps, math.Atan2(d.out.Y, d.out.X)).Grown(0.006)
}

// sideLength is the length of the side with the handle.
func (d *drawer) sideLength() float64 {
	a, _ := plane.Along(d.box.Yaw)
	if math.Abs(a.Dot(d.out)) > 0.7 {
		return d.box.Width
	}
	return d.box.Length
}

// drawerOf looks for a drawer whose case is (the largest piece of) the part.
func (c *cloud) drawerOf(p *part, found []*part) *drawer {
	box, top, ok := c.plateau(p.px)
	if !ok {
		return nil
	}
	a, b := plane.Along(box.Yaw)
	for i, n := range [...]plane.Pt{a, a.Scale(-1), b, b.Scale(-1)} {
		reach := box.Length / 2
		if i > 1 {
			reach = box.Width / 2
		}
		d := &drawer{box: box, top: top, face: box.C.Add(n.Scale(reach)), out: n}
		if d.face.Dot(n) > 0.3*d.face.Norm() {
			continue // this side looks away from the arm
		}
		if c.bar(d, found) {
			return d
		}
	}
	return nil
}

// plateau is the level top of a big thing: at least 50 mm wide and 30 mm high.
func (c *cloud) plateau(ks []int32) (r plane.Rect, top float64, ok bool) {
	zs := c.heights(ks)
	top = plane.Quantile(zs, 0.9)
	if top < 0.03 || c.area(ks) < 0.0025 {
		return r, 0, false
	}
	var level []int32
	for _, k := range ks {
		if math.Abs(float64(c.z[k])-top) < 0.004 {
			level = append(level, k)
		}
	}
	pieces := c.components(level, c.near())
	if len(pieces) == 0 {
		return r, 0, false
	}
	level = pieces[0]
	hl := plane.Hull(c.points(level, -1))
	r = plane.MinRect(hl)
	if r.Width < 0.05 || c.area(level) < 0.8*r.Length*r.Width || plane.PolygonArea(hl) < 0.88*r.Length*r.Width {
		return r, 0, false
	}
	r = plane.TrimmedAt(c.points(level, -1), r.Yaw, 0.004, c.step/2)
	return r, top, true
}

// barBin is the width of a step of the profile in front of a case.
const barBin = 0.002

// bar looks for a handle in front of the drawer's face: a thin raised bar with free table behind it.
func (c *cloud) bar(d *drawer, found []*part) bool {
	side := plane.Pt{X: -d.out.Y, Y: d.out.X}
	half := d.sideLength() / 2
	var profile [130]sum
	var front []int32
	for _, p := range found {
		for _, k := range p.px {
			q := plane.Pt{X: float64(c.x[k]), Y: float64(c.y[k])}.Sub(d.face)
			u, v := q.Dot(d.out), q.Dot(side)
			if u < 0.004 || u >= barBin*float64(len(profile)) || math.Abs(v) > half || float64(c.z[k]) > d.top+0.01 {
				continue
			}
			front = append(front, k)
			if math.Abs(v) < 0.012 && c.z[k] > 0.014 {
				profile[int(u/barBin)].add(float64(c.z[k]))
			}
		}
	}
	least := max(2, int(0.18*0.024*barBin/(c.step*c.step)))
	run := lastRun(profile[:], least)
	thick := float64(run.to-run.from) * barBin
	if run.to == 0 || run.top < 1.5*min(thick, 0.012) {
		return false
	}
	return c.takeBar(d, front, run)
}

// takeBar fills in handle, opening and tray from the run of the profile that looks like a bar.
func (c *cloud) takeBar(d *drawer, front []int32, run profileRun) bool {
	side := plane.Pt{X: -d.out.Y, Y: d.out.X}
	lo, hi := float64(run.from)*barBin-0.002, float64(run.to)*barBin+0.002
	var vs, us []float64
	for _, k := range front {
		q := plane.Pt{X: float64(c.x[k]), Y: float64(c.y[k])}.Sub(d.face)
		if u := q.Dot(d.out); u > lo && u < hi && c.z[k] > 0.010 {
			d.handlePx = append(d.handlePx, k)
			us, vs = append(us, u), append(vs, q.Dot(side))
		}
	}
	v0, v1 := plane.Span(vs, 0.02)
	if l := v1 - v0; l < 0.02 || l > min(0.12, 0.85*d.sideLength()) || l < 1.8*min(hi-lo, 0.012) || math.Abs(v0+v1) > 0.03 {
		return false
	}
	d.handleZ = plane.Quantile(c.heights(d.handlePx), 0.9)
	if d.handleZ > d.top+0.004 {
		return false
	}
	u0, u1 := plane.Span(us, 0.05)
	d.handle = d.face.Add(d.out.Scale((u0 + u1) / 2)).Add(side.Scale((v0 + v1) / 2))
	d.opening = max(0, float64(run.gapFrom)*barBin)
	if d.opening < 0.012 {
		d.opening = 0
		return true
	}
	c.openTray(d)
	return true
}

// openTray is the part of the tray that stands out of the case.
func (c *cloud) openTray(d *drawer) {
	if d.opening < 0.02 {
		return
	}
	const wall = 0.004
	half := d.sideLength()/2 - 2*wall
	ps := []plane.Pt{}
	side := plane.Pt{X: -d.out.Y, Y: d.out.X}
	for _, u := range [...]float64{0, d.opening - wall} {
		for _, v := range [...]float64{-half, half} {
			ps = append(ps, d.face.Add(d.out.Scale(u)).Add(side.Scale(v)))
		}
	}
	inner := plane.BoundsAt(ps, math.Atan2(d.out.Y, d.out.X))
	d.tray = &hollow{outer: inner.Grown(wall), inner: inner}
	ks := c.within(plane.Hull(inner.Corners()), 0.004, d.top)
	zs := c.heights(ks)
	d.tray.floor = plane.Quantile(zs, 0.25)
	d.tray.rim = d.top - 0.01
}

// sum is a running mean.
type sum struct {
	n int
	s float64
}

func (s *sum) add(v float64) { s.n++; s.s += v }

func (s *sum) mean() float64 { return s.s / float64(max(1, s.n)) }

// profileRun is the run of a profile that lies farthest out: bins [from, to), the empty gap before it, counted in bins,
// where that gap begins, and the greatest mean height of the run.
type profileRun struct {
	from, to, gap, gapFrom int
	top                    float64
}

// lastRun finds the thin, raised run farthest out that stands 10 to 45 mm from what lies before it. least is
// how many pixels make a step of the profile count.
func lastRun(profile []sum, least int) profileRun {
	var best profileRun
	end := 0 // of the run before
	for i := 0; i < len(profile); {
		if profile[i].n < least {
			i++
			continue
		}
		r, n := profileRun{from: i, gap: i - end, gapFrom: end}, 0
		for i < len(profile) && (profile[i].n >= least || i+1 < len(profile) && profile[i+1].n >= least) {
			if profile[i].n > 0 {
				r.top = max(r.top, profile[i].mean())
			}
			n += profile[i].n
			i++
		}
		if n < 4*least {
			continue // flying pixels
		}
		r.to, end = i, i
		gap, thick := float64(r.gap)*barBin, float64(r.to-r.from)*barBin
		if gap >= 0.010 && gap <= 0.045 && thick <= 0.024 && r.top > 0.018 {
			best = r
		}
	}
	return best
}
