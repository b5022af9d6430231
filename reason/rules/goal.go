package rules

import (
	"math"
	"slices"

	"github.com/rein-robotics/rein/reason/rules/language"
	"github.com/rein-robotics/rein/vision/detect"
)

// hollow are the kinds that things are put into; solid those that something can be put to.
var (
	hollow = []string{string(detect.Box), string(detect.Drawer), string(detect.Mug)}
	solid  = append([]string{string(detect.Block), string(detect.Battery), string(detect.Can), string(detect.Ball), string(detect.Other)}, hollow...)
)

// binder ties clauses to what one image shows.
type binder struct {
	clauses []language.Clause
	seen    *scene
	goals   []goal
}

// bind ties every clause to things. What an earlier clause must bring to light first is left for later.
func bind(clauses []language.Clause, s *scene) ([]goal, error) {
	b := &binder{clauses: clauses, seen: s}
	opens := false
	for i := range clauses {
		c := &clauses[i]
		if c.Verb == language.Stack {
			if err := b.tower(i); err != nil {
				return nil, err
			}
			continue
		}
		g, err := b.goal(i)
		if err != nil {
			if !opens {
				return nil, err
			}
			g = goal{Clause: i, Later: true}
		}
		opens = opens || c.Verb == language.Open
		b.goals = append(b.goals, g)
	}
	raised(clauses, b.goals)
	return b.goals, nil
}

// goal ties one clause.
func (b *binder) goal(i int) (goal, error) {
	c := &b.clauses[i]
	g := goal{Clause: i}
	place := -1
	if c.Place != nil && !c.Place.Of.Table {
		var err error
		if place, err = b.one(&c.Place.Of, i, nil); err != nil {
			return g, err
		}
		m := markOf(&b.seen.things[place])
		g.Place = &m
		if err := holds(c.Place.Relation, &b.seen.things[place]); err != nil {
			return g, err
		}
	}
	from := -1
	if c.From != nil {
		var err error
		if from, err = b.one(c.From, i, nil); err != nil {
			return g, err
		}
	}
	used := map[int]bool{}
	for k := range c.Objects {
		err := b.objects(&g, &c.Objects[k], binding{clause: i, place: place, from: from, used: used})
		if err != nil {
			return g, err
		}
	}
	b.alike(&g, place)
	return g, nil
}

// alike notes what could be taken for an item of a goal later, and is none.
func (b *binder) alike(g *goal, place int) {
	for i := range b.seen.things {
		t := &b.seen.things[i]
		here := func(m mark) bool { return apart(m.pos(), t.World) < 1e-3 }
		like := func(m mark) bool { return m.unlike(t) < 1 }
		if i != place && !slices.ContainsFunc(g.Items, here) && !slices.ContainsFunc(g.Rest, here) && slices.ContainsFunc(g.Items, like) {
			g.Alike = append(g.Alike, markOf(t))
		}
	}
}

// binding is what the objects of a clause are chosen under.
type binding struct {
	clause, place, from int
	used                map[int]bool
}

// objects ties one selector of a clause's objects.
func (b *binder) objects(g *goal, sel *language.Selector, by binding) error {
	c := &b.clauses[by.clause]
	words := meant(b.clauses, sel, c.Verb)
	if words == nil {
		return &language.Unknown{Words: sel.Noun, Want: "say what is meant"}
	}
	if sel.Back != nil {
		if items, ok := b.before(sel, c.Verb); ok {
			g.Items = append(g.Items, items...)
			return nil
		}
	}
	there := func(i int) bool {
		return c.Place != nil && c.Place.Relation == language.In && b.seen.things[i].Inside == by.place && by.place >= 0
	}
	ok := func(i int) bool {
		return i != by.place && !by.used[i] && (by.from < 0 || b.seen.things[i].Inside == by.from)
	}
	chosen, err := b.seen.choose(words, func(i int) bool { return ok(i) && !there(i) })
	if err != nil {
		if already, e := b.seen.choose(words, ok); e != nil || len(already) == 0 {
			return err
		}
		// all of them are where they should be
	}
	for i := range b.seen.things {
		t := &b.seen.things[i]
		switch {
		case slices.Contains(chosen, i):
			by.used[i] = true
		case fits(words, t) && i != by.place && !there(i):
			g.Rest = append(g.Rest, markOf(t))
		}
	}
	for _, i := range chosen {
		g.Items = append(g.Items, markOf(&b.seen.things[i]))
	}
	return nil
}

// before is what an earlier clause was tied to.
func (b *binder) before(sel *language.Selector, verb language.Verb) ([]mark, bool) {
	for i := range b.goals {
		g := &b.goals[i]
		if g.Clause != sel.Back.Clause {
			continue
		}
		works := verb == language.Open || verb == language.Close
		if (sel.Back.Place || works) && g.Place != nil {
			return []mark{*g.Place}, true
		}
		if len(g.Items) > 0 {
			return slices.Clone(g.Items), true
		}
	}
	return nil, false
}

// one ties a selector that means a single thing.
func (b *binder) one(sel *language.Selector, clause int, among func(int) bool) (int, error) {
	words := meant(b.clauses, sel, language.Put)
	if words == nil {
		return -1, &language.Unknown{Words: sel.Noun, Want: "say what is meant"}
	}
	if sel.Back != nil {
		if items, ok := b.before(sel, language.Put); ok {
			if i := b.seen.again(&items[0]); i >= 0 {
				return i, nil
			}
		}
	}
	single := *words
	single.Count = 1
	if single.Any { // "the blue one": what it can be said of a place
		single.Any, single.Kinds = false, solid
		if r := b.clauses[clause].Place; r == nil || r.Relation == language.In {
			single.Kinds = hollow
		}
	}
	found, err := b.seen.choose(&single, among)
	if err != nil {
		return -1, err
	}
	return found[0], nil
}

// holds refuses a relation that the thing cannot have.
func holds(r language.Relation, t *detect.Thing) error {
	if r == language.In && !slices.Contains(hollow, string(t.Kind)) {
		return unseenf("Nothing can be put in the %s: it is not open at the top.", name(t))
	}
	return nil
}

// tower ties "stack the blocks": the biggest stands below, each next one on the one before.
func (b *binder) tower(i int) error {
	g := goal{Clause: i}
	used := map[int]bool{}
	for k := range b.clauses[i].Objects {
		if err := b.objects(&g, &b.clauses[i].Objects[k], binding{clause: i, place: -1, from: -1, used: used}); err != nil {
			return err
		}
	}
	if len(g.Items) < 2 {
		return unseenf("I see only one %s, which cannot be stacked on another; %s.", b.clauses[i].Objects[0].Name(false), b.seen.see())
	}
	slices.SortStableFunc(g.Items, func(a, c mark) int {
		switch va, vc := a.Size[0]*a.Size[1], c.Size[0]*c.Size[1]; {
		case va > vc+1e-5:
			return -1
		case va < vc-1e-5:
			return 1
		}
		return 0
	})
	for k := 1; k < len(g.Items); k++ {
		below := g.Items[k-1]
		rest := append(slices.Clone(g.Rest), g.Items[:k]...)
		b.goals = append(b.goals, goal{Clause: i, Items: g.Items[k : k+1], Rest: append(rest, g.Items[k+1:]...), Place: &below})
	}
	return nil
}

// raised moves the places that an earlier goal lifts onto something to where they will be then.
func raised(clauses []language.Clause, goals []goal) {
	for i := range goals {
		g := &goals[i]
		for k := i - 1; k >= 0 && g.Place != nil; k-- {
			o := &goals[k]
			c := &clauses[o.Clause]
			on := c.Verb == language.Stack || c.Verb == language.Put && c.Place != nil && c.Place.Relation == language.On
			if o.Place == nil || len(o.Items) != 1 || !on || !o.Items[0].same(g.Place) {
				continue
			}
			top := *g.Place
			base := o.Place.Base + o.Place.Size[2]
			top.At = [3]float64{o.Place.At[0], o.Place.At[1], math.Round((base+top.Size[2]/2)*1e4) / 1e4}
			top.Base = math.Round(base*1e4) / 1e4
			g.Place = &top
			break
		}
	}
}

// again finds a marked thing in another image: where it was, or else what looks like it; -1 = it is not seen.
func (s *scene) again(m *mark) int {
	best, cost := -1, 2.0
	for i := range s.things {
		t := &s.things[i]
		d := apart(t.World, m.pos())
		if d > 0.030 || !m.sameSort(t) {
			continue
		}
		if v := d/0.030 + m.faded(t) + math.Abs(t.Base+t.Height-m.Base-m.Size[2])/0.02; v < cost {
			best, cost = i, v
		}
	}
	if best >= 0 {
		return best
	}
	cost = 1
	for i := range s.things {
		t := &s.things[i]
		if u := m.unlike(t); u < cost && string(t.Kind) == m.Kind {
			best, cost = i, u
		}
	}
	return best
}

// sameSort says whether a thing seen at the mark's place can be it: an open drawer is longer, a full box is still a box.
func (m *mark) sameSort(t *detect.Thing) bool {
	return string(t.Kind) == m.Kind && m.faded(t) < 1 || m.unlike(t) < 1
}
