package rules

import (
	"math"
	"slices"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/reason/rules/language"
	"github.com/rein-robotics/rein/vision/detect"
)

const (
	sameSpot                 = 0.025 // metres that a thing may seem to have moved without having moved
	nearby                   = 0.12  // metres between the middles of small things that stand next to each other
	sideRoom                 = 0.07  // metres that the middles of big ones may be farther apart than their half lengths
	openEnough, closedEnough = 0.05, 0.02
	pushShare                = 0.65 // of the way asked for that counts as pushed
)

// standard is how far things are pushed or drawers pulled when nothing is said, metres.
const standard = 0.10

// todo are the items of a goal that the newest image does not show done.
func (p *planner) todo(goal int) []item {
	g := &p.memory.Goals[goal]
	if g.Later {
		return nil
	}
	switch c := p.clause(goal); c.Verb {
	case language.Open, language.Close:
		return p.drawers(goal)
	case language.Press:
		var out []item
		for k := range g.Items {
			if !p.succeeded(prefix(goal, k), "press") {
				out = append(out, p.item(goal, k))
			}
		}
		return out
	case language.Pick:
		return p.lifted(goal)
	case language.Push:
		return p.pushed(goal)
	}
	return p.put(goal)
}

// item is item k of a goal as the newest image shows it.
func (p *planner) item(goal, k int) item {
	m := &p.memory.Goals[goal].Items[k]
	it := item{goal: goal, index: k, mark: m, now: p.seen.again(m)}
	it.lost = it.now < 0
	return it
}

// drawers are the drawers that do not yet stand as the clause wants.
func (p *planner) drawers(goal int) []item {
	c := p.clause(goal)
	var out []item
	for k := range p.memory.Goals[goal].Items {
		it := p.item(goal, k)
		if c.Verb == language.Close && it.now >= 0 && !telling(&p.seen.things[it.now]) {
			it.now, it.lost = -1, true // hidden by something: an opening that is not seen is not closed
		}
		if it.now >= 0 {
			it.part = p.seen.things[it.now].Opening
			want := openEnough
			if c.Distance > 0 {
				want = pushShare * c.Distance
			}
			if c.Verb == language.Open && it.part >= want || c.Verb == language.Close && it.part < closedEnough {
				continue
			}
		}
		out = append(out, it)
	}
	return out
}

// telling says whether a drawer is seen with its handle, by which it shows how far it stands open.
func telling(t *detect.Thing) bool {
	_, ok := t.Spot(detect.SpotHandle)
	return ok && t.Kind == detect.Drawer
}

// lifted are the things that the gripper does not hold yet.
func (p *planner) lifted(goal int) []item {
	var out []item
	for k := range p.memory.Goals[goal].Items {
		it := p.item(goal, k)
		there := it.now >= 0 && apart(p.seen.things[it.now].World, it.mark.pos()) < sameSpot
		if p.held == it.prefix() && !p.unsure && !there {
			continue
		}
		out = append(out, it)
	}
	return out
}

// along is the way of a direction in the world.
func along(d language.Direction) geom.Vec {
	switch d {
	case language.Left:
		return geom.Vec{Y: 1}
	case language.Right:
		return geom.Vec{Y: -1}
	case language.Away:
		return geom.Vec{X: 1}
	}
	return geom.Vec{X: -1}
}

// pushed are the things that have not moved far enough; part is how far they have.
func (p *planner) pushed(goal int) []item {
	c, g := p.clause(goal), &p.memory.Goals[goal]
	want := c.Distance
	if want == 0 {
		want = standard
	}
	at := p.match(goal, nil)
	var out []item
	for k := range g.Items {
		it := item{goal: goal, index: k, mark: &g.Items[k], now: at[k]}
		if it.now < 0 {
			it.lost = true
			out = append(out, it)
			continue
		}
		d := along(c.Direction)
		w := p.seen.things[it.now].World
		it.part = (w.X-it.mark.At[0])*d.X + (w.Y-it.mark.At[1])*d.Y
		if it.part < pushShare*want {
			out = append(out, it)
		}
	}
	return out
}

// put are the things that are not yet where the clause wants them.
func (p *planner) put(goal int) []item {
	c, g := p.clause(goal), &p.memory.Goals[goal]
	dest := -1
	if g.Place != nil {
		dest = p.seen.again(g.Place)
	}
	there := func(i int) bool { return p.arrived(goal, i, dest) }
	at := p.match(goal, func(i int) bool { return i != dest && !there(i) })
	if countOf(c) == language.All {
		at = p.grown(goal, at, func(i int) bool { return i != dest && !there(i) })
		g = &p.memory.Goals[goal]
	}
	var out []item
	for k := range g.Items {
		it := item{goal: goal, index: k, mark: &g.Items[k], now: at[k]}
		switch {
		case p.held == it.prefix() && (!p.unsure || it.now < 0):
			it.held = true
		case it.now >= 0:
		case p.fallen(&it, dest, at):
		case p.placed(goal, k, dest):
			continue
		default:
			it.lost = true
		}
		out = append(out, it)
	}
	return p.ordered(out)
}

// fallen finds an item that was let go in its place and turned up outside looking like something else; at are the things
// that the items are known to be.
func (p *planner) fallen(it *item, dest int, at []int) bool {
	if p.relation(it.goal) == language.In && p.succeeded(it.prefix(), "place") {
		if i := p.elsewhere(it.goal, it.index, dest); !slices.Contains(at, i) {
			it.now = i
		}
	}
	return it.now >= 0
}

// countOf is All when the clause means every thing that its words fit.
func countOf(c *language.Clause) int {
	if c.Verb == language.Stack {
		return 1
	}
	for k := range c.Objects {
		if c.Objects[k].Count == language.All && c.Objects[k].Back == nil {
			return language.All
		}
	}
	return 1
}

// placed judges an item that is no longer outside. One that was let go there is there when something is
// seen inside; one that was not must be seen there beside those that were.
func (p *planner) placed(goal, k, dest int) bool {
	m := &p.memory.Goals[goal].Items[k]
	in, own := p.relation(goal) == language.In, p.succeeded(prefix(goal, k), "place")
	any, alike := 0, 0
	for i := range p.seen.things {
		if t := &p.seen.things[i]; i != dest && p.arrived(goal, i, dest) {
			any++
			if p.fits(goal, t) || m.unlike(t) < 1 {
				alike++
			}
		}
	}
	switch {
	case own && in:
		plain := dest >= 0 && string(p.seen.things[dest].Kind) == p.memory.Goals[goal].Place.Kind
		return alike > 0 || plain && any > 0 || p.deep(goal, dest)
	case own || !in:
		return alike > 0
	}
	for other := range p.memory.Goals[goal].Items {
		if p.succeeded(prefix(goal, other), "place") {
			alike--
		}
	}
	return alike > 0
}

// deep says whether what lies in the place may be out of sight although the place is seen: in a mug.
func (p *planner) deep(goal, dest int) bool {
	return dest >= 0 && p.seen.things[dest].Kind == detect.Mug && p.memory.Goals[goal].Place.Kind == string(detect.Mug)
}

// elsewhere is a thing that looks like one that was let go at its place, and is seen where its goal does not want it: it
// fell beside and may pass for another kind. -1 = there is none.
func (p *planner) elsewhere(goal, k, dest int) int {
	g := &p.memory.Goals[goal]
	m := &g.Items[k]
	best, cost := -1, 1.0
	for i := range p.seen.things {
		t := &p.seen.things[i]
		there := func(o mark) bool { return apart(o.pos(), t.World) < sameSpot }
		if i == dest || p.arrived(goal, i, dest) || slices.ContainsFunc(g.Rest, there) || slices.ContainsFunc(g.Alike, there) {
			continue
		}
		if u := m.unlike(t); u < cost && !p.another(goal, t, u) {
			best, cost = i, u
		}
	}
	return best
}

// another says whether a thing looks more like one of another goal, or like one of the same goal that was not let go yet.
func (p *planner) another(goal int, t *detect.Thing, unlike float64) bool {
	for g := range p.memory.Goals {
		for k := range p.memory.Goals[g].Items {
			o := &p.memory.Goals[g].Items[k]
			if (g != goal || !p.succeeded(prefix(g, k), "place")) && o.Kind == string(t.Kind) && o.unlike(t) <= unlike {
				return true
			}
		}
	}
	return false
}

// match finds for each item of a goal the seen thing that it is: first those that did not move, then what is left over.
// among says which things may be meant; nil = all. -1 = none.
func (p *planner) match(goal int, among func(int) bool) []int {
	g := &p.memory.Goals[goal]
	at := make([]int, len(g.Items))
	free := p.candidates(goal, among)
	for k := range g.Items {
		at[k] = take(&free, p.seen.things, &g.Items[k], sameSpot)
		if at[k] < 0 { // it may pass for another kind this time
			at[k] = p.still(&g.Items[k], among)
		}
	}
	for k := range g.Rest {
		take(&free, p.seen.things, &g.Rest[k], sameSpot)
	}
	for k := range g.Items {
		if at[k] < 0 && p.succeeded(prefix(goal, k), "place") && len(g.Rest) > 0 {
			continue // more likely one of the others was touched
		}
		if at[k] < 0 {
			at[k] = take(&free, p.seen.things, &g.Items[k], math.Inf(1))
		}
	}
	return at
}

// still is a thing that looks as the mark did and stands where it was, whatever kind it seems to be; -1 = none.
func (p *planner) still(m *mark, among func(int) bool) int {
	for i := range p.seen.things {
		t := &p.seen.things[i]
		if (among == nil || among(i)) && apart(t.World, m.pos()) < sameSpot && m.unlike(t) < 1 {
			return i
		}
	}
	return -1
}

// candidates are the seen things that answer to the goal's words.
func (p *planner) candidates(goal int, among func(int) bool) []int {
	var out []int
	for i := range p.seen.things {
		if (among == nil || among(i)) && p.fits(goal, &p.seen.things[i]) {
			out = append(out, i)
		}
	}
	return out
}

// take takes the thing nearest to the mark out of free, one that looks like it before others; -1 = none within reach.
func take(free *[]int, things []detect.Thing, m *mark, within float64) int {
	best, cost := -1, math.Inf(1)
	for _, i := range *free {
		d := apart(things[i].World, m.pos())
		if d > within {
			continue
		}
		if v := d + 0.1*m.unlike(&things[i]); v < cost {
			best, cost = i, v
		}
	}
	if best >= 0 {
		*free = slices.DeleteFunc(*free, func(i int) bool { return i == best })
	}
	return best
}

// grown adds things to a goal that means all of them, when more are seen than at the first look.
func (p *planner) grown(goal int, at []int, among func(int) bool) []int {
	for _, i := range p.candidates(goal, among) {
		if slices.Contains(at, i) {
			continue
		}
		t := &p.seen.things[i]
		if slices.ContainsFunc(p.memory.Goals[goal].Rest, func(m mark) bool { return apart(m.pos(), t.World) < sameSpot }) {
			continue
		}
		p.memory.Goals[goal].Items = append(slices.Clip(p.memory.Goals[goal].Items), markOf(t))
		at = append(at, i)
	}
	return at
}

// ordered puts what is held first, then what has been tried less, then what stands on others, then what has the most
// room around it.
func (p *planner) ordered(items []item) []item {
	key := func(it *item) [3]float64 {
		if it.held {
			return [3]float64{-1, 0, 0}
		}
		k := [3]float64{0, 0, 0}
		for _, o := range p.story.of(it.prefix()) {
			if !o.ok() && !outside(o.code) {
				k[0]++
			}
		}
		if it.now >= 0 {
			if p.seen.things[it.now].On >= 0 {
				k[1] = -1
			}
			k[2] = -math.Round(p.room(it.now)*200) / 200
		}
		return k
	}
	slices.SortStableFunc(items, func(a, b item) int {
		ka, kb := key(&a), key(&b)
		return slices.Compare(ka[:], kb[:])
	})
	return items
}

// room is the distance to the nearest other thing, at most 60 mm.
func (p *planner) room(i int) float64 {
	t := &p.seen.things[i]
	r := 0.06
	for k := range p.seen.things {
		if o := &p.seen.things[k]; k != i {
			r = min(r, apart(t.World, o.World)-(t.Width+o.Width)/2)
		}
	}
	return r
}
