package sim

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"time"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/sim/mujoco"
)

// Options say what a world is made of.
type Options struct {
	Scene  *Scene
	Seed   uint64        // 0 = everything as written
	Arms   []Arm         // commands name them by index
	Period time.Duration // of a tick; 0 = 10 ms
}

// World is a scene with its arms in the physics engine. It belongs to one goroutine at a time; the caller closes it.
type World struct {
	scene  *Scene
	m      *model
	sim    *mujoco.Sim
	steps  int // engine steps a tick
	ticks  uint64
	period time.Duration

	qpos, qvel []int // by body: where its joint's values begin; -1 = none
	poses      []geom.Pose
	posesAt    uint64 // tick + 1 for which poses hold
	owner      []int  // by body: its thing, -1 for an arm's
	seen       []int  // by body: its ID in pictures
	arms       []armDrive
	servos     []servo
	touch      touches
	presses    []uint64 // by thing: ticks in which a button was down, counted
}

// NewWorld arranges the scene for the seed, loads it into the engine and puts the arms into their home pose. Nothing has
// moved yet; things settle within half a second of ticks. Errors of the scene say what to change.
func NewWorld(ctx context.Context, e *mujoco.Engine, o Options) (*World, error) {
	if o.Period == 0 {
		o.Period = 10 * time.Millisecond
	}
	if o.Period < timestep || o.Period%timestep != 0 {
		return nil, fmt.Errorf("building the world: a control period of %v is not a multiple of %v; choose 2, 4, 10 or 20 ms", o.Period, timestep)
	}
	for i := range o.Arms {
		if err := o.Arms[i].check(); err != nil {
			return nil, fmt.Errorf("building the world: arm %d: %w", i, err)
		}
	}
	placed, err := o.Scene.arrange(o.Seed)
	if err != nil {
		return nil, err
	}
	m := newModel(o.Scene, placed, o.Arms)
	s, err := e.Load(ctx, oneFile(m.document()), documentName)
	if err != nil {
		return nil, fmt.Errorf("loading scene %q into the physics engine: %w", o.Scene.Name, err)
	}
	w := &World{
		scene: o.Scene, m: m, sim: s, steps: int(o.Period / timestep), period: o.Period,
		presses: make([]uint64, len(m.things)), owner: m.tree(), seen: make([]int, len(m.bodies)),
	}
	for i, t := range w.owner {
		w.seen[i] = idArm
		if t >= 0 {
			w.seen[i] = m.things[t].seen
		}
	}
	if err := errors.Join(w.bind(), w.begin()); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return w, nil
}

func (a *Arm) check() error {
	switch n := len(a.Chain.Joints); {
	case n == 0:
		return errors.New("it has no joints")
	case len(a.Home) != n || len(a.MaxSpeed) != n:
		return fmt.Errorf("it has %d joints, but %d home angles and %d speeds", n, len(a.Home), len(a.MaxSpeed))
	case !a.Chain.Within(a.Home, 1e-6):
		return errors.New("its home pose leaves the joint limits")
	case !(a.LinkRadius > 0):
		return errors.New("its link radius is not positive")
	}
	return nil
}

// bind finds everything in the engine by name.
func (w *World) bind() error {
	n := len(w.m.bodies)
	w.qpos, w.qvel, w.poses = make([]int, n), make([]int, n), make([]geom.Pose, n)
	for i := range w.m.bodies {
		w.qpos[i], w.qvel[i] = -1, -1
		if w.m.bodies[i].joint.kind == jointNone {
			continue
		}
		id := w.sim.ID(mujoco.KindJoint, "j"+w.m.bodies[i].name)
		if id < 0 {
			return fmt.Errorf("building the world: the engine lost joint %s", w.m.bodies[i].name)
		}
		w.qpos[i], w.qvel[i] = int(w.sim.JntQposAdr()[id]), int(w.sim.JntDofAdr()[id])
	}
	if err := w.bindServos(); err != nil {
		return err
	}
	return w.touch.bind(w)
}

// begin puts the arms into their home pose.
func (w *World) begin() error {
	q := w.sim.QPos()
	for i := range w.arms {
		a := &w.arms[i]
		for j, b := range w.m.limbs[i].joints {
			q[w.qpos[b]] = a.arm.Home[j]
			w.servos[a.first+j].jump(a.arm.Home[j])
		}
	}
	w.writeServos(0)
	return w.sim.Forward()
}

// Close frees the engine's memory.
func (w *World) Close() error { return w.sim.Close() }

// Scene is what the world was made from.
func (w *World) Scene() *Scene { return w.scene }

// Ticks is the number of ticks since the world was made.
func (w *World) Ticks() uint64 { return w.ticks }

// Time is the simulated time since the world was made.
func (w *World) Time() time.Duration { return time.Duration(w.ticks) * w.period }

// Tick lets the world go on by one period. An error means that the physics cannot go on.
func (w *World) Tick() error {
	if err := w.drive(); err != nil {
		return err
	}
	w.ticks++
	w.gauge()
	w.touch.update(w)
	for i := range w.m.things {
		if t := &w.m.things[i]; t.press > 0 && w.slide(t) >= t.press {
			w.presses[i]++
		}
	}
	return nil
}

// drive steps the engine through one period; the servos' references move with every step.
func (w *World) drive() error {
	if !w.servosMoving() {
		return w.sim.Step(w.steps)
	}
	for range w.steps {
		w.writeServos(timestep.Seconds())
		if err := w.sim.Step(1); err != nil {
			return err
		}
	}
	return nil
}

// slide is how far a thing's moving part has slid, in metres.
func (w *World) slide(t *thing) float64 {
	at := w.qpos[t.moving]
	if t.moving == t.root || at < 0 {
		return 0
	}
	return w.sim.QPos()[at]
}

// place computes the pose of every body for the present state, exactly: the engine's own lag one step behind.
func (w *World) place() []geom.Pose {
	if w.posesAt == w.ticks+1 {
		return w.poses
	}
	q := w.sim.QPos()
	for i := range w.m.bodies {
		b := &w.m.bodies[i]
		frame := b.at
		if b.joint.kind == jointFree {
			w.poses[i] = freePose(q[w.qpos[i]:])
			continue
		}
		if b.parent >= 0 {
			frame = w.poses[b.parent].Mul(frame)
		}
		switch b.joint.kind {
		case jointSlide:
			v, a := q[w.qpos[i]], b.joint.axis
			frame.Pos = frame.Apply(geom.Vec{X: v * a.X, Y: v * a.Y, Z: v * a.Z})
		case jointHinge:
			frame.Rot = geom.MulRot(frame.Rot, geom.AxisAngle(b.joint.axis, q[w.qpos[i]]))
		}
		w.poses[i] = frame
	}
	w.posesAt = w.ticks + 1
	return w.poses
}

// freePose reads a free joint; the engine keeps its quaternion of unit length but for rounding.
func freePose(q []float64) geom.Pose {
	n := math.Sqrt(q[3]*q[3] + q[4]*q[4] + q[5]*q[5] + q[6]*q[6])
	return geom.Pose{
		Pos: geom.Vec{X: q[0], Y: q[1], Z: q[2]},
		Rot: geom.Rot{Real: q[3] / n, Imag: q[4] / n, Jmag: q[5] / n, Kmag: q[6] / n},
	}
}

const documentName = "world.xml"

// oneFile is a file system with the engine's document in it.
type oneFile string

func (f oneFile) Open(name string) (fs.File, error) {
	if name != documentName {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return newOpenFile(string(f)), nil
}
