package sim

import (
	"gonum.org/v1/gonum/spatial/r3"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/sim/mujoco"
)

// ArrangeForTest places the objects of a scene for a seed.
func ArrangeForTest(s *Scene, seed uint64) error {
	_, err := s.arrange(seed)
	return err
}

// DocumentForTest is the engine's file of a scene without arms.
func DocumentForTest(s *Scene, seed uint64) (string, error) {
	placed, err := s.arrange(seed)
	if err != nil {
		return "", err
	}
	return newModel(s, placed, nil).document(), nil
}

// PushForTest makes a force in N act on an object, or on its moving part along its slide, until it is set again.
func (w *World) PushForTest(name string, x, y, z float64) {
	for i := range w.m.things {
		t := &w.m.things[i]
		if t.name != name {
			continue
		}
		if t.moving != t.root {
			w.sim.QfrcApplied()[w.qvel[t.moving]] = x
			return
		}
		id := w.sim.ID(mujoco.KindBody, w.m.bodies[t.root].name)
		copy(w.sim.XfrcApplied()[6*id:], []float64{x, y, z})
	}
}

// AsleepForTest says whether everything sleeps.
func (w *World) AsleepForTest() bool {
	for _, tree := range w.sim.TreeAsleep() {
		if tree < 0 {
			return false
		}
	}
	return true
}

// PoseErrorForTest is the largest difference between the poses computed here and the engine's for the same state.
func (w *World) PoseErrorForTest() (float64, error) {
	if err := w.sim.Forward(); err != nil {
		return 0, err
	}
	worst := 0.0
	for i, p := range w.place() {
		id := w.sim.ID(mujoco.KindBody, w.m.bodies[i].name)
		x, q := w.sim.XPos()[3*id:], w.sim.XQuat()[4*id:]
		other := geom.Pose{Pos: geom.Vec{X: x[0], Y: x[1], Z: x[2]}, Rot: geom.Rot{Real: q[0], Imag: q[1], Jmag: q[2], Kmag: q[3]}}
		d := p.Inv().Mul(other)
		worst = max(worst, r3.Norm(d.Pos), geom.AngleOf(d.Rot))
	}
	return worst, nil
}
