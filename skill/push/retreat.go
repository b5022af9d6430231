package push

import (
	"errors"
	"math"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/skill/motion"
)

const (
	letGo  = 0.012 // metres back along the stroke when it is blocked: what is pressed on lets go
	little = 0.002 // metres: a shorter stroke has no direction
)

// run is one stroke. One that is blocked draws back and goes home before it fails: an arm left pressing on something
// creeps along it, never comes to rest and stands before the camera.
type run struct {
	seq    motion.Sequence
	stroke *stroke
	scene  *scene
	failed error // why it is drawing back; nil = it is not
}

// Start has nothing to do: all was planned before.
func (r *run) Start(*skill.Body) error { return nil }

// Tick goes on with the steps.
func (r *run) Tick(b *skill.Body) (bool, error) {
	done, err := r.seq.Tick(b)
	switch {
	case err == nil && !done:
		return false, nil
	case r.failed != nil:
		return false, r.failed // however the way back went
	case err == nil:
		return true, nil
	}
	if _, ok := errors.AsType[*skill.Failed](err); !ok {
		return false, err
	}
	r.failed = err
	back := r.back()
	r.seq = motion.Sequence{}
	r.seq.Then(back...)
	return false, nil
}

// Doing says what the skill is at.
func (r *run) Doing() string { return r.seq.Doing() }

// back are the steps of a stroke that failed: off what it pressed on, and away.
func (r *run) back() []motion.Step {
	s, k := r.scene, r.stroke
	x, y := k.start.X-k.end.X, k.start.Y-k.end.Y
	long := math.Hypot(x, y)
	if r.seq.Doing() != k.doing || long < little {
		return s.away()
	}
	off := geom.Vec{X: x / long * letGo, Y: y / long * letGo}
	return append([]motion.Step{
		motion.Named{Doing: "drawing back", Step: &motion.Follow{Arm: s.arm, Plan: s.arm.Move(off), Speed: k.speed}},
	}, s.away()...)
}
