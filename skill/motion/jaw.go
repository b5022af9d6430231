package motion

import (
	"math"
	"time"

	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
)

const (
	jawNear  = 0.0015                 // metres: the aperture is where it should be
	jawSlow  = 0.003                  // m/s: the jaws do not move
	jawStill = 120 * time.Millisecond // so long: they have closed on something
	jawBegin = 250 * time.Millisecond // jaws that have not begun to move by then will not
	jawLimit = 3 * time.Second
)

// Jaw moves the gripper to an aperture and is done when it is there or closed on something.
type Jaw struct {
	Arm   *Arm
	Open  float64 // metres
	Force float64 // N; 0 = the gripper's own limit

	begun  bool
	moved  bool
	since  time.Duration // when it was sent
	moving time.Duration // when it last moved
}

// Tick sends the aperture.
func (j *Jaw) Tick(b *skill.Body) (bool, error) {
	g, ok := b.Readings.Grippers[j.Arm.Gripper]
	if !ok {
		return false, skill.Failf("%s reports nothing", j.Arm.Gripper)
	}
	want := math.Max(j.Arm.MinOpen, math.Min(j.Open, j.Arm.MaxOpen))
	if !j.begun {
		j.begun, j.since, j.moving = true, b.Now, b.Now
	}
	b.Send(robot.Target{Module: j.Arm.Gripper, ApertureM: &want, ForceN: j.Force})
	if math.Abs(g.SpeedMS) > jawSlow {
		j.moved, j.moving = true, b.Now
	}
	switch {
	case math.Abs(g.ApertureM-want) <= jawNear && b.Now-j.moving >= b.Period:
		return true, nil
	case j.moved && b.Now-j.moving >= jawStill:
		return true, nil
	case !j.moved && b.Now-j.since >= jawBegin+jawStill:
		return true, nil
	case b.Now-j.since >= jawLimit:
		return true, nil
	}
	return false, nil
}

// Beside runs two steps at the same time; it is done when both are.
type Beside struct {
	A, B Step

	doneA, doneB bool
}

// Tick ticks those that are not done.
func (p *Beside) Tick(b *skill.Body) (bool, error) {
	var err error
	if !p.doneA {
		if p.doneA, err = p.A.Tick(b); err != nil {
			return false, err
		}
	}
	if !p.doneB {
		if p.doneB, err = p.B.Tick(b); err != nil {
			return false, err
		}
	}
	return p.doneA && p.doneB, nil
}

// Pause is a step that lets time go by.
func Pause(d time.Duration) Step {
	var until time.Duration
	return Wait(func(b *skill.Body) (bool, error) {
		if until == 0 {
			until = b.Now + d
		}
		return b.Now >= until, nil
	})
}
