package render

import (
	"math"
	"math/bits"
)

// occluder is a body that can stand between a surface and the lamp or the sky.
type occluder struct {
	body
	centre, half vec          // bounding box in the body's frame
	rays         [samples]vec // towards points of the lamp, in the body's frame
}

// reach is where an occluder can darken anything, in the world. It stands apart so that many are looked through fast.
type reach struct {
	index  int     // of the geom in the scene
	mid    vec     // of the bounding box
	far2   float64 // square of the distance from mid beyond which the body takes no light of the sky
	top    float64 // how far towards the lamp the body goes, from the world's origin
	lo, hi point   // bounding box across the light
}

// shadower finds how much of the lamp and of the sky a surface sees. Bodies that the camera does not see count too.
type shadower struct {
	occluders []occluder
	reaches   []reach      // of the occluders
	dirs      [samples]vec // towards points of the lamp, in the world
	dir, a, b vec          // towards the lamp's middle, and two directions across
	tan       float64      // of half the lamp's angle
	grid      grid
}

// samples is the number of rays towards the lamp. The first probes of them decide alone when they agree.
const (
	samples = 16
	probes  = 6
)

// disc is a spiral over the unit disc, its outermost turn and its middle first.
var disc = [samples]point{
	{-0.126487, -0.976090}, {-0.547507, 0.778772}, {0.897134, -0.197232}, {-0.764746, -0.443186},
	{0.253730, 0.808932}, {0.176777, 0.000000}, {-0.225772, 0.206826}, {0.034558, -0.393771},
	{0.284571, 0.371173}, {-0.522223, -0.092374}, {0.494695, -0.314685}, {-0.165466, 0.615525},
	{-0.315561, -0.607594}, {0.684642, 0.250030}, {-0.712256, 0.294009}, {0.343354, -0.733729},
}

// skyReach is how far, in metres, a body takes light of the sky from what stands beside it.
const skyReach = 0.06

func (s *shadower) prepare(sc *Scene, sh *shader) {
	s.dir = sh.dir
	s.tan = min(max(sh.light.Spread, 0), 0.5)
	s.a = unit(cross(s.dir, vec{X: 1}))
	if math.Abs(s.dir.X) > 0.9 {
		s.a = unit(cross(s.dir, vec{Y: 1}))
	}
	s.b = cross(s.dir, s.a)
	for i, p := range disc {
		s.dirs[i] = unit(along(along(s.dir, s.tan*p.x, s.a), s.tan*p.y, s.b))
	}
	s.occluders, s.reaches = s.occluders[:0], s.reaches[:0]
	for i := range sc.Geoms {
		g := &sc.Geoms[i]
		var o occluder
		o.index = i
		if g.Shape == Plane || !g.finite() || !o.prepare(g, vec{}, mat{}) {
			continue
		}
		s.reaches = append(s.reaches, s.bound(&o))
		s.occluders = append(s.occluders, o)
	}
	s.grid.build(s, floorAlong(sc, s))
}

func (s *shadower) bound(o *occluder) reach {
	o.centre, o.half, _ = o.box()
	for i, d := range s.dirs {
		o.rays[i] = o.rot.mulT(d)
	}
	far := skyReach + math.Sqrt(dot(o.half, o.half))
	w := reach{index: o.index, mid: add(o.pos, o.rot.mul(o.centre)), far2: far * far}
	extent := func(d vec) (float64, float64) {
		l := o.rot.mulT(d)
		r := float64(o.half.X*math.Abs(l.X)) + float64(o.half.Y*math.Abs(l.Y)) + float64(o.half.Z*math.Abs(l.Z))
		m := dot(w.mid, d)
		return m - r, m + r
	}
	_, w.top = extent(s.dir)
	w.lo.x, w.hi.x = extent(s.a)
	w.lo.y, w.hi.y = extent(s.b)
	return w
}

// floorAlong is how far away from the lamp shadows can fall: to the farthest body, and to the planes below each.
func floorAlong(sc *Scene, s *shadower) float64 {
	low := 0.0
	for i := range s.occluders {
		o, mid := &s.occluders[i], s.reaches[i].mid
		low = min(low, dot(mid, s.dir)-math.Sqrt(dot(o.half, o.half)))
		for j := range sc.Geoms {
			g := &sc.Geoms[j]
			if g.Shape != Plane || !g.finite() {
				continue
			}
			up := matOf(g.Pose.Rot).z
			if slope := dot(up, s.dir); slope > 0.1 {
				low = min(low, dot(mid, s.dir)-dot(sub(mid, g.Pose.Pos), up)/slope)
			}
		}
	}
	return low
}

// place is a point of a surface as the lamp sees it.
type place struct {
	across point
	level  float64 // along the light
	facing bool    // the lamp
}

func (s *shadower) across(p vec) point { return point{dot(p, s.a), dot(p, s.b)} }

// at is the share of the sky and of the lamp that the surface point p of geom self sees; n is its unit normal, both in
// the world.
func (s *shadower) at(p, n vec, self int) veil {
	across := s.across(p)
	near := s.grid.at(across)
	if len(near) == 0 {
		return veil{1, 1}
	}
	at := place{across: across, level: dot(p, s.dir), facing: dot(n, s.dir) > 0}
	dim := 0.0
	var dark uint32
	for _, i := range near {
		w := &s.reaches[i]
		crowds := w.index != self && w.near(p)
		shades := at.facing && dark != allDark && w.shades(&at, s.tan)
		if !crowds && !shades {
			continue
		}
		o := &s.occluders[i]
		if w.index == self && o.shape != Mesh {
			continue
		}
		q := o.rot.mulT(sub(p, o.pos))
		if crowds {
			c := o.crowd(sub(q, o.centre), o.rot.mulT(n))
			c *= c
			dim += float64(c * c)
		}
		if shades {
			dark |= o.dark(q, w.index == self)
		}
	}
	return veil{
		open: max(1-math.Sqrt(math.Sqrt(dim)), 0.15),
		lit:  float64(samples-bits.OnesCount32(dark)) / samples,
	}
}

// near says whether the body can take light of the sky from p.
func (w *reach) near(p vec) bool {
	off := sub(p, w.mid)
	return dot(off, off) < w.far2
}

// shades says whether the body can stand before the lamp, seen from a place.
func (w *reach) shades(p *place, tan float64) bool {
	high := w.top - p.level
	if high <= 0 {
		return false
	}
	m := float64(high * tan)
	return p.across.x > w.lo.x-m && p.across.x < w.hi.x+m && p.across.y > w.lo.y-m && p.across.y < w.hi.y+m
}

// dark is which points of the lamp the body hides from q.
func (o *occluder) dark(q vec, self bool) (hidden uint32) {
	tmin := 1e-7
	if self {
		tmin = 1e-4 // a mesh may shade itself, but not where the ray begins
	}
	for i := range o.rays {
		if i == probes && (hidden == 0 || hidden == 1<<probes-1) {
			break
		}
		if t, _ := o.hit(q, o.rays[i], tmin); t < miss {
			hidden |= 1 << i
		}
	}
	if hidden == 1<<probes-1 {
		return allDark
	}
	return hidden
}

const allDark = 1<<samples - 1

// crowd is how much of the sky the body takes from a surface at q, from the box's middle, with normal n: about a half in
// a corner, nothing where the body is below the surface or farther than it is high.
func (o *occluder) crowd(q, n vec) float64 {
	h := o.half
	away := vec{
		X: max(math.Abs(q.X)-h.X, 0),
		Y: max(math.Abs(q.Y)-h.Y, 0),
		Z: max(math.Abs(q.Z)-h.Z, 0),
	}
	d2 := dot(away, away)
	if d2 >= skyReach*skyReach {
		return 0
	}
	high := float64(h.X*math.Abs(n.X)) + float64(h.Y*math.Abs(n.Y)) + float64(h.Z*math.Abs(n.Z)) - dot(q, n)
	reach := min(skyReach, 1.5*high)
	if high < 1e-4 || d2 >= reach*reach {
		return 0
	}
	d := math.Sqrt(d2)
	fall := 1 - d/reach
	return 0.45 * fall * fall * (high / (high + d))
}
