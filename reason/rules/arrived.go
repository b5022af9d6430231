package rules

import (
	"math"

	"github.com/rein-robotics/rein/reason/rules/language"
	"github.com/rein-robotics/rein/vision/detect"
)

func least(s [3]float64) float64 { return min(s[0], s[1], s[2]) }

// arrived says whether a thing is where the clause wants its objects.
func (p *planner) arrived(goal, i, dest int) bool {
	t := &p.seen.things[i]
	g := &p.memory.Goals[goal]
	if g.Place == nil { // the table
		return t.Inside < 0 && t.On < 0
	}
	if p.relation(goal) == language.On {
		return onto(t, g.Place, g.Items)
	}
	if m := g.Place; m.Out != nil && (dest < 0 || p.seen.things[dest].Kind != detect.Drawer) {
		return p.relation(goal) == language.In && m.overTray(t) // what lies in it may make it look like a block
	}
	if dest < 0 {
		return false
	}
	d := &p.seen.things[dest]
	hollow := d.Kind == detect.Box || d.Kind == detect.Mug
	switch r := p.relation(goal); r {
	case language.In:
		return (t.Inside == dest || hollow && covers(d, t.World, 0.006) || d.Kind == detect.Drawer && inTray(d, t)) && !heaped(d, t, g.Items)
	default:
		return t.Inside < 0 && t.On < 0 && beside(r, t, d)
	}
}

// heaped says whether a thing lies on others in a box so high that it is rather on the heap than in the box: however it
// lies, it does not touch the floor, and its middle is not below the rim.
func heaped(d, t *detect.Thing, items []mark) bool {
	best, cost := -1, math.Inf(1)
	for i := range items {
		if u := items[i].unlike(t); u < cost {
			best, cost = i, u
		}
	}
	if best < 0 || d.Kind != detect.Box {
		return false
	}
	top, size := t.World.Z+t.Height/2, items[best].Size
	return top-max(size[0], size[1], size[2]) > d.Base+0.016 && top-least(size)/2 > d.Base+d.Height-0.008
}

// onto says whether a thing stands on what the mark is of. What stands on something may hide it, or seem to be one tall
// thing with it, so it is the top of the upper one that is judged.
func onto(t *detect.Thing, below *mark, items []mark) bool {
	if apart(t.World, below.pos()) > max(0.015, below.Size[1]/2+0.006) {
		return false
	}
	thin := math.Inf(1)
	for i := range items {
		thin = min(thin, least(items[i].Size))
	}
	top := below.Base + below.Size[2]
	return t.World.Z+t.Height/2 > top+0.6*min(thin, 0.05)
}

// inTray says whether a thing stands over the tray of an open drawer.
func inTray(d, t *detect.Thing) bool {
	out := opens(d)
	x, y := t.World.X-d.World.X, t.World.Y-d.World.Y
	sin, cos := math.Sincos(d.Yaw)
	deep, half := d.Length/2, d.Width/2 // from its middle to the front, and half the front
	if math.Abs(out.X*cos+out.Y*sin) < 0.7 {
		deep, half = half, deep
	}
	u, v := x*out.X+y*out.Y, x*out.Y-y*out.X
	return u > 0 && u < deep+d.Opening && math.Abs(v) < half-0.008 && t.World.Z-t.Height/2 < d.Height-0.010 && (u < deep || t.Base < d.Height-0.010)
}

// overTray says whether a thing stands over the tray of an open drawer that was seen before and is not made out now.
func (m *mark) overTray(t *detect.Thing) bool {
	x, y := t.World.X-m.At[0], t.World.Y-m.At[1]
	u, v := x*m.Out[0]+y*m.Out[1], x*m.Out[1]-y*m.Out[0]
	deep, half := min(m.Size[0], m.Size[1])/2, max(m.Size[0], m.Size[1])/2
	return u > deep-0.02 && u < deep+standard-0.01 && math.Abs(v) < half-0.02 && t.World.Z-t.Height/2 < m.Size[2]-0.010
}

// relation is how a goal's things stand to its place. "To" is in what is hollow and else beside it; what is put on
// something open at the top lies in it.
func (p *planner) relation(goal int) language.Relation {
	c, g := p.clause(goal), &p.memory.Goals[goal]
	if c.Place == nil || g.Place == nil {
		return language.On
	}
	box := g.Place.Kind == string(detect.Box)
	mug := g.Place.Kind == string(detect.Mug)
	switch r := c.Place.Relation; {
	case r == language.To && (box || mug || g.Place.Kind == string(detect.Drawer)), r == language.On && (box || mug):
		return language.In
	case r == language.To:
		return language.Beside
	default:
		return r
	}
}

// beside says whether t stands next to d, on the side that is asked for.
func beside(r language.Relation, t, d *detect.Thing) bool {
	if apart(t.World, d.World) > max(nearby, (t.Length+d.Length)/2+sideRoom) {
		return false
	}
	x, y := t.World.X-d.World.X, t.World.Y-d.World.Y
	switch r {
	case language.LeftOf:
		return y > math.Abs(x)*0.6
	case language.RightOf:
		return -y > math.Abs(x)*0.6
	case language.Before:
		return -x > math.Abs(y)*0.6
	case language.Behind:
		return x > math.Abs(y)*0.6
	}
	return true
}
