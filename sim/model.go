package sim

import "strconv"

// model is a scene with its arms as bodies: what the engine's file is written from and what poses are computed by.
// Things come first, in the order of arrange, then the arms.
type model struct {
	bodies []body
	things []thing // by index in Scene.Objects
	limbs  []limb
}

func newModel(s *Scene, placed []arranged, arms []Arm) *model {
	m := &model{things: make([]thing, len(s.Objects))}
	for i := range placed {
		m.addThing(&placed[i])
	}
	for i := range arms {
		m.addArm(&arms[i])
	}
	for i := range m.bodies {
		m.bodies[i].name = "b" + strconv.Itoa(i)
	}
	return m
}

func (m *model) addThing(a *arranged) {
	base := len(m.bodies)
	t := a.built.thing
	t.root, t.moving, t.seen = base, base+a.built.thing.moving, a.object+1
	for i := range a.built.bodies {
		b := a.built.bodies[i]
		if i == 0 {
			b.at = a.pose
		} else {
			b.parent += base
		}
		m.bodies = append(m.bodies, b)
	}
	m.things[a.object] = t
}

// tree says which thing each body belongs to, -1 for the arms'.
func (m *model) tree() []int {
	owner := make([]int, len(m.bodies))
	for i := range owner {
		owner[i] = -1
	}
	for i := range m.things {
		owner[m.things[i].root] = i
	}
	for i := range m.bodies {
		if p := m.bodies[i].parent; p >= 0 && owner[p] >= 0 {
			owner[i] = owner[p]
		}
	}
	return owner
}
