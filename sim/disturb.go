package sim

import (
	"fmt"

	"github.com/rein-robotics/rein/geom"
)

// Disturb puts a free object somewhere else between two ticks, at rest, as a person's hand would: for drills and tests.
// pose is of its frame, whose origin is its centre.
func (w *World) Disturb(name string, pose geom.Pose) error {
	for i := range w.m.things {
		t := &w.m.things[i]
		if t.name != name {
			continue
		}
		if !t.object.Free() {
			return fmt.Errorf("disturbing %q: it is fixed", name)
		}
		if !pose.Finite() {
			return fmt.Errorf("disturbing %q: the pose is not finite", name)
		}
		return w.put(t.root, pose)
	}
	return fmt.Errorf("disturbing %q: the scene has no such object", name)
}

// put moves a free body. Setting the whole state wakes all bodies: what sleeps would not notice.
func (w *World) put(body int, pose geom.Pose) error {
	state, err := w.sim.State(nil)
	if err != nil {
		return err
	}
	if err := w.sim.SetState(state); err != nil {
		return err
	}
	q, v := w.sim.QPos()[w.qpos[body]:], w.sim.QVel()[w.qvel[body]:]
	p, r := pose.Pos, pose.Rot
	copy(q, []float64{p.X, p.Y, p.Z, r.Real, r.Imag, r.Jmag, r.Kmag})
	clear(v[:6])
	w.posesAt = 0
	return w.sim.Forward()
}
