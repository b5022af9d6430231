package sim

import (
	"math"

	"github.com/rein-robotics/rein/geom"
)

// checker is a check bound to a world's things. met says whether it holds now.
type checker interface {
	met(t *Trial) bool
	// concerned adds the things that the check names: true when no gripper may touch them while it is judged.
	concerned(things map[int]bool)
}

const (
	topTolerance = 0.005
	uprightAngle = 15 * math.Pi / 180
)

type insideCheck struct {
	objects   []int
	container int
}

func (c *insideCheck) met(t *Trial) bool {
	box := &t.w.m.things[c.container]
	frame := t.w.place()[box.moving].Inv()
	for _, o := range c.objects {
		p := frame.Apply(t.centre(o))
		in := box.inner
		if p.X < in.min.X || p.X > in.max.X || p.Y < in.min.Y || p.Y > in.max.Y || p.Z < in.min.Z || p.Z > in.max.Z {
			return false
		}
	}
	return true
}

func (c *insideCheck) concerned(things map[int]bool) {
	for _, o := range c.objects {
		things[o] = true
	}
	things[c.container] = true
}

type topCheck struct{ object, support int }

func (c *topCheck) met(t *Trial) bool {
	w := t.w
	of := func(thing int) func(int) bool {
		return func(b int) bool { return b < len(w.owner) && w.owner[b] == thing }
	}
	if !w.touch.between(of(c.object), of(c.support)) {
		return false
	}
	object, support := &w.m.things[c.object], &w.m.things[c.support]
	low := w.m.bodies[object.root].lowest(w.place()[object.root])
	pose := w.place()[support.root]
	top, axis := support.top.upwards(pose)
	if math.Abs(low-(pose.Pos.Z+top)) > topTolerance {
		return false
	}
	return support.top.under(pose.Inv().Apply(t.centre(c.object)), axis)
}

func (c *topCheck) concerned(things map[int]bool) { things[c.object], things[c.support] = true, true }

// upwards is how far the shape reaches above its centre, and which of its axes points up or down most.
func (f *face) upwards(pose geom.Pose) (height float64, axis int) {
	m := geom.Mat(pose.Rot)
	up := [3]float64{math.Abs(m[6]), math.Abs(m[7]), math.Abs(m[8])} // of the body's axes in the world
	for i := range up {
		if up[i] > up[axis] {
			axis = i
		}
	}
	if f.round {
		return math.Hypot(m[6], m[7])*f.half.X + up[2]*f.half.Z, axis
	}
	return up[0]*f.half.X + up[1]*f.half.Y + up[2]*f.half.Z, axis
}

// under says whether p, in the body's frame, is over the face that points along axis.
func (f *face) under(p geom.Vec, axis int) bool {
	x, y, z := math.Abs(p.X) <= f.half.X, math.Abs(p.Y) <= f.half.Y, math.Abs(p.Z) <= f.half.Z
	if f.round && axis == 2 {
		return math.Hypot(p.X, p.Y) <= f.half.X
	}
	return [3]bool{y && z, x && z, x && y}[axis]
}

type nearCheck struct {
	object  int
	x, y, r float64
}

func (c *nearCheck) met(t *Trial) bool {
	p := t.centre(c.object)
	return math.Hypot(p.X-c.x, p.Y-c.y) <= c.r
}

func (c *nearCheck) concerned(things map[int]bool) { things[c.object] = true }

type movedCheck struct {
	object  int
	dir     geom.Vec
	atLeast float64
}

func (c *movedCheck) met(t *Trial) bool {
	now, was := t.centre(c.object), t.start[c.object]
	return (now.X-was.X)*c.dir.X+(now.Y-was.Y)*c.dir.Y >= c.atLeast
}

func (c *movedCheck) concerned(things map[int]bool) { things[c.object] = true }

type openCheck struct {
	object  int
	atLeast float64
}

func (c *openCheck) met(t *Trial) bool             { return t.w.slide(&t.w.m.things[c.object]) >= c.atLeast }
func (c *openCheck) concerned(things map[int]bool) { things[c.object] = true }

type pressedCheck struct{ object int }

func (c *pressedCheck) met(t *Trial) bool             { return t.w.presses[c.object] > t.pressed[c.object] }
func (c *pressedCheck) concerned(things map[int]bool) { things[c.object] = true }

type uprightCheck struct{ object int }

func (c *uprightCheck) met(t *Trial) bool {
	thing := &t.w.m.things[c.object]
	if thing.axis == (geom.Vec{}) {
		return true
	}
	up := geom.Rotate(t.w.place()[thing.root].Rot, thing.axis).Z
	if !thing.oneWay {
		up = math.Abs(up)
	}
	return up >= math.Cos(uprightAngle)
}

func (c *uprightCheck) concerned(things map[int]bool) { things[c.object] = true }

type liftedCheck struct {
	object  int
	atLeast float64
}

func (c *liftedCheck) met(t *Trial) bool {
	return t.centre(c.object).Z-t.start[c.object].Z >= c.atLeast
}

func (c *liftedCheck) concerned(things map[int]bool) {
	if _, named := things[c.object]; !named {
		things[c.object] = false // it may be held
	}
}

type allCheck []checker

func (c allCheck) met(t *Trial) bool {
	for _, one := range c {
		if !one.met(t) {
			return false
		}
	}
	return true
}

func (c allCheck) concerned(things map[int]bool) { concern(c, things) }

type anyCheck []checker

func (c anyCheck) met(t *Trial) bool {
	for _, one := range c {
		if one.met(t) {
			return true
		}
	}
	return false
}

func (c anyCheck) concerned(things map[int]bool) { concern(c, things) }

func concern(checks []checker, things map[int]bool) {
	for _, one := range checks {
		one.concerned(things)
	}
}

type notCheck struct{ of checker }

func (c *notCheck) met(t *Trial) bool             { return !c.of.met(t) }
func (c *notCheck) concerned(things map[int]bool) { c.of.concerned(things) }
