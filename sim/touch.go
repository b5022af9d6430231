package sim

import (
	"fmt"

	"github.com/rein-robotics/rein/sim/mujoco"
)

// touches remembers which bodies touch. The engine forgets the contacts of what sleeps, so a pair in which nothing is
// awake stays as it was. The table is the body after the last.
type touches struct {
	bodyOf   []int // by engine geom
	treeOf   []int // by body; -1 = does not move
	pairs    [][2]int
	contacts []mujoco.Contact
}

func (t *touches) bind(w *World) error {
	n := len(w.m.bodies)
	engineBody := map[int]int{0: n}
	t.treeOf = make([]int, n+1)
	t.treeOf[n] = -1
	for i := range w.m.bodies {
		id := w.sim.ID(mujoco.KindBody, w.m.bodies[i].name)
		if id < 0 {
			return fmt.Errorf("building the world: the engine lost body %s", w.m.bodies[i].name)
		}
		engineBody[id] = i
		t.treeOf[i] = int(w.sim.BodyTreeID()[id])
	}
	t.bodyOf = make([]int, w.sim.NGeom())
	for g, id := range w.sim.GeomBodyID() {
		t.bodyOf[g] = engineBody[int(id)]
	}
	return nil
}

// update takes the contacts of the last step.
func (t *touches) update(w *World) {
	asleep := w.sim.TreeAsleep()
	awake := func(body int) bool { tree := t.treeOf[body]; return tree >= 0 && asleep[tree] < 0 }
	kept := t.pairs[:0]
	for _, p := range t.pairs {
		if !awake(p[0]) && !awake(p[1]) {
			kept = append(kept, p)
		}
	}
	t.pairs = kept
	t.contacts = w.sim.Contacts(t.contacts[:0])
	for i := range t.contacts {
		a, b := t.bodyOf[t.contacts[i].Geom1], t.bodyOf[t.contacts[i].Geom2]
		if a != b && !t.have(a, b) {
			t.pairs = append(t.pairs, [2]int{a, b})
		}
	}
}

func (t *touches) have(a, b int) bool {
	for _, p := range t.pairs {
		if p == [2]int{a, b} || p == [2]int{b, a} {
			return true
		}
	}
	return false
}

// between says whether some body of one set touches one of the other.
func (t *touches) between(one, other func(body int) bool) bool {
	for _, p := range t.pairs {
		if one(p[0]) && other(p[1]) || one(p[1]) && other(p[0]) {
			return true
		}
	}
	return false
}
