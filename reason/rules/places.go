package rules

import (
	"fmt"
	"math"
	"slices"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/reason/rules/language"
	"github.com/rein-robotics/rein/vision/detect"
)

// spot is a place to put something: what to point at.
type spot struct {
	pixel [2]float64
	at    geom.Vec
}

// places gives out places, each only once.
type places struct {
	taken []taken
	table *detect.HeightMap
}

type taken struct {
	at   geom.Vec
	room float64
}

// wall is how far inside a container's outside its free floor begins, metres.
const wall = 0.012

// inside is a place in a container that takes n things, spread so that what lies in one place does not change the
// picture of the next. Places with room come first; after a refusal the next one is taken.
func (p *planner) inside(dest, n, refused int) (spot, bool) {
	d := &p.seen.things[dest]
	all := p.spread(d, n)
	if len(all) < n || refused > 0 {
		for _, s := range d.Spots {
			if s.Name == detect.SpotInside {
				all = append(all, spot{s.Pixel, s.World})
			}
		}
	}
	if len(all) == 0 {
		return spot{}, false
	}
	room := func(s spot) float64 { return math.Round(min(p.roomAt(s.at, dest), 0.03) * 200) }
	slices.SortStableFunc(all, func(a, b spot) int { return int(room(b) - room(a)) })
	s := all[min(refused, len(all)-1)]
	p.places.taken = append(p.places.taken, taken{s.at, 0})
	return s, true
}

// tray is a place in an open drawer of which what the gripper holds hides so much that it looks like a block: the seen
// piece of floor nearest to the middle of the tray.
func (p *planner) tray(m *mark) (spot, bool) {
	best, off := spot{}, math.Inf(1)
	deep := min(m.Size[0], m.Size[1]) / 2
	for u := 0.015; u < standard-0.02; u += 0.005 {
		for v := -0.04; v <= 0.04; v += 0.005 {
			at := geom.Vec{X: m.At[0] + (deep+u)*m.Out[0] - v*m.Out[1], Y: m.At[1] + (deep+u)*m.Out[1] + v*m.Out[0], Z: 0.006}
			d := math.Hypot(u-standard/2, v)
			if d >= off {
				continue
			}
			if px, ok := p.seen.pixel(at); ok {
				best, off = spot{px, at}, d
			}
		}
	}
	return best, !math.IsInf(off, 1)
}

// roomAt is the distance of a place in a container from what lies in it and from the places given out.
func (p *planner) roomAt(at geom.Vec, dest int) float64 {
	r := math.Inf(1)
	for i := range p.seen.things {
		if t := &p.seen.things[i]; t.Inside == dest {
			r = min(r, apart(at, t.World)-t.Width/2)
		}
	}
	for _, t := range p.places.taken {
		r = min(r, apart(at, t.at))
	}
	return r
}

// spread lays n places out on the floor of a rectangular container: in rows along its longer side.
func (p *planner) spread(d *detect.Thing, n int) []spot {
	if d.Kind != detect.Box || d.Round {
		return nil
	}
	l, w := d.Length-2*wall, d.Width-2*wall
	rows := 1
	if n > 3 || l < 0.045*float64(n) {
		rows = max(1, min(3, int(w/0.045)))
	}
	cols := max(1, min((n+rows-1)/rows, int(l/0.04)))
	sin, cos := math.Sincos(d.Yaw)
	var out []spot
	for i := range rows * cols {
		u := (float64(i%cols)+0.5)/float64(cols)*l - l/2
		v := (float64(i/cols)+0.5)/float64(rows)*w - w/2
		at := geom.Vec{X: d.World.X + u*cos - v*sin, Y: d.World.Y + u*sin + v*cos}
		if s, ok := p.floor(d, at); ok {
			out = append(out, s)
		}
	}
	return out
}

// floor is the seen place of a container's floor at or near at.
func (p *planner) floor(d *detect.Thing, at geom.Vec) (spot, bool) {
	low := d.Base + 0.35*d.Height
	for _, s := range d.Spots {
		if s.Name == detect.SpotInside {
			low = s.World.Z
			break
		}
	}
	to := geom.Vec{X: d.World.X - at.X, Y: d.World.Y - at.Y}
	for _, share := range [...]float64{0, 0.15, 0.3} { // the near wall hides some of the floor: then nearer the middle
		q := geom.Vec{X: at.X + share*to.X, Y: at.Y + share*to.Y, Z: low}
		if px, ok := p.seen.pixel(q); ok {
			return spot{px, q}, true
		}
	}
	return spot{}, false
}

// onTop is the place on top of a thing.
func (p *planner) onTop(dest int) (spot, bool) {
	d := &p.seen.things[dest]
	if s, ok := d.Spot(detect.SpotTop); ok {
		return spot{s.Pixel, s.World}, true
	}
	if s, ok := d.Spot(detect.SpotInside); ok {
		return spot{s.Pixel, s.World}, true
	}
	return spot{d.Point, d.World}, true
}

// cannotPut says in words why an item cannot be had or cannot go to its place; "" = it may. What is held was had.
func (p *planner) cannotPut(it *item, dest int) string {
	who := "the " + p.named(it.mark)
	if !it.held {
		if why := p.reach.cannotPick(&p.seen.things[it.now]); why != "" {
			return who + " is " + why
		}
	}
	if dest >= 0 && p.relation(it.goal) == language.In && tight(it.mark, &p.seen.things[dest]) {
		return fmt.Sprintf("%s does not fit %s: it is %s long", who, p.where(it.goal), centimetres(max(it.mark.Size[0], it.mark.Size[1])))
	}
	return ""
}

// next is a free place of the table beside a thing, on the side asked for, with room for what is put there: close to it, or
// a little farther away where it is crowded.
func (p *planner) next(r language.Relation, dest int, m *mark) (spot, bool) {
	d := &p.seen.things[dest]
	need := max(m.Size[0], m.Size[1]) / 2
	most := max(nearby, need+d.Length/2+sideRoom) - 0.010 // where it counts as next to it, whatever the place strays
	for _, try := range [...]struct{ gap, room float64 }{{0.020, 0.012}, {0.035, 0.012}, {0.050, 0.012}, {0.015, 0.005}, {0.025, 0.005}} {
		var best spot
		cost := math.Inf(1)
		for k := range 24 {
			sin, cos := math.Sincos(2 * math.Pi * float64(k) / 24)
			lean := sideOf(r, cos, sin)
			if lean < 0.75 {
				continue
			}
			off := edge(d, sin, cos, need+try.gap)
			q := geom.Vec{X: d.World.X + off*cos, Y: d.World.Y + off*sin}
			s, ok := p.free(q, need+try.room, 0.010)
			if !ok || apart(s.at, d.World) > most {
				continue
			}
			if v := 0.05*(1-lean) + math.Abs(far(s.at)-0.26)*0.2 + apart(s.at, q); v < cost {
				best, cost = s, v
			}
		}
		if !math.IsInf(cost, 1) {
			p.places.taken = append(p.places.taken, taken{best.at, need})
			return best, true
		}
	}
	return spot{}, false
}

// edge is how far from the middle of a thing, in a direction, a place lies that is so far off its side.
func edge(d *detect.Thing, sin, cos, off float64) float64 {
	if d.Round {
		return max(d.Length, d.Width)/2 + off
	}
	s, c := math.Sincos(math.Atan2(sin, cos) - d.Yaw)
	return min((d.Length/2+off)/max(math.Abs(c), 1e-6), (d.Width/2+off)/max(math.Abs(s), 1e-6)) // nearer at a side than at a corner
}

// sideOf is how well a direction from a thing fits a relation, 1 = exactly.
func sideOf(r language.Relation, x, y float64) float64 {
	switch r {
	case language.LeftOf:
		return y
	case language.RightOf:
		return -y
	case language.Before:
		return -x
	case language.Behind:
		return x
	}
	return 1
}

// onTable is a free place of the table near a place.
func (p *planner) onTable(near geom.Vec, m *mark) (spot, bool) {
	need := max(m.Size[0], m.Size[1])/2 + 0.012
	tries := []geom.Vec{near, {X: 0.25}, {X: 0.24, Y: 0.10}, {X: 0.24, Y: -0.10}, {X: 0.30}, {X: 0.20, Y: 0.18}, {X: 0.20, Y: -0.18}}
	for _, q := range tries {
		if s, ok := p.free(q, need, 0.05); ok {
			p.places.taken = append(p.places.taken, taken{s.at, need})
			return s, true
		}
	}
	return spot{}, false
}

// free is a place of bare table within reach of the arm and at most stray from at.
func (p *planner) free(at geom.Vec, room, stray float64) (spot, bool) {
	if p.places.table == nil {
		p.places.table = detect.NewHeightMap(p.seen.frame, detect.Area{X0: 0.08, Y0: -0.42, X1: 0.44, Y1: 0.42}, 0.003, p.seen.hide)
	}
	q, ok := p.places.table.FreePlace(at, room, stray, 0)
	if !ok || far(q) > p.reach.most || far(q) < p.reach.least {
		return spot{}, false
	}
	if slices.ContainsFunc(p.places.taken, func(t taken) bool { return apart(t.at, q) < t.room+room }) {
		return spot{}, false
	}
	px, ok := p.seen.pixel(q)
	return spot{px, q}, ok
}
