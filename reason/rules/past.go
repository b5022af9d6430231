package rules

import (
	"slices"

	"github.com/rein-robotics/rein/reason/rules/language"
)

// past says whether a goal is behind: a later one that touches the same things has begun, and the newest image could not
// tell any more. Whether it was done is remembered then.
func (p *planner) past(goal int) bool {
	if !p.begun(goal+1) || p.clause(goal).Verb == language.Press {
		return false
	}
	g := &p.memory.Goals[goal]
	for later := goal + 1; later < len(p.memory.Goals); later++ {
		o := &p.memory.Goals[later]
		if o.Place != nil && g.Place != nil && p.relation(goal) == language.On && p.relation(later) == language.On && apart(o.Place.pos(), g.Place.pos()) < sameSpot {
			return true // something else stands on top by now
		}
		if o.Place != nil && g.Place != nil && o.Place.same(g.Place) && p.clause(later).Verb == language.Put {
			continue
		}
		if p.changes(o, g) {
			return true
		}
	}
	return false
}

// changes says whether a goal moves, opens or closes what another one is about.
func (p *planner) changes(later, g *goal) bool {
	for i := range later.Items {
		m := &later.Items[i]
		if g.Place != nil && apart(m.pos(), g.Place.pos()) < sameSpot {
			return true
		}
		if slices.ContainsFunc(g.Items, func(n mark) bool { return apart(m.pos(), n.pos()) < sameSpot }) {
			return true
		}
	}
	return false
}

// judged keeps what the newest image says of a goal: its items that were given up since from and lost, and whether all is
// done.
func (p *planner) judged(goal int, w *work, from marks) {
	g := &p.memory.Goals[goal]
	g.Gone = slices.Clone(w.blocked[from.blocked:])
	for _, n := range tally(w.lost[from.lost:]) {
		g.Gone = append(g.Gone, "I no longer see "+n)
	}
}

// marks are where a goal's part of the work begins.
type marks struct{ blocked, lost int }

// given is why something of a past goal was not done: what was given up when it could still be told, or else how the last
// try at each of its things ended.
func (p *planner) given(goal int) []string {
	g := &p.memory.Goals[goal]
	if g.Done || len(g.Gone) > 0 {
		return g.Gone
	}
	var out []string
	for k := range g.Items {
		var last outcome
		for _, o := range p.story.of(prefix(goal, k)) {
			_, what := cutStep(o.step)
			if what != "look" && what != "home" && !outside(o.code) {
				last = o
			}
		}
		if last.step != "" && !last.ok() {
			out = append(out, p.named(&g.Items[k])+": "+last.reason)
		}
	}
	return out
}

// waiting says whether something of a goal is still to be done and was not given up.
func (p *planner) waiting(goal int) bool {
	return !p.past(goal) && len(p.todo(goal)) > len(p.memory.Goals[goal].Gone)
}
