package motion

import (
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
)

// Step is one stretch of a skill. It is ticked until it is done; its first tick begins it.
type Step interface {
	Tick(b *skill.Body) (done bool, err error)
}

// Do is a step that takes no time.
type Do func(b *skill.Body) error

// Tick carries it out.
func (d Do) Tick(b *skill.Body) (bool, error) { return true, d(b) }

// Wait is a step that is done when it says so.
type Wait func(b *skill.Body) (bool, error)

// Tick asks.
func (w Wait) Tick(b *skill.Body) (bool, error) { return w(b) }

// Named is a step with words for people.
type Named struct {
	Step
	Doing string
}

// Sequence goes through steps one after the other. A step may push others in front of those that are left.
type Sequence struct {
	steps []Step
	doing string
}

// Then appends steps.
func (s *Sequence) Then(steps ...Step) { s.steps = append(s.steps, steps...) }

// Next puts steps in front of those that are left; called by the step that is ticked, they follow it.
func (s *Sequence) Next(steps ...Step) {
	s.steps = append(append([]Step{}, steps...), s.steps...)
}

// Doing is what the sequence is at, in words for people.
func (s *Sequence) Doing() string { return s.doing }

// Tick ticks the step that is due; when it is done the next one begins in the same tick.
func (s *Sequence) Tick(b *skill.Body) (bool, error) {
	for len(s.steps) > 0 {
		step := s.steps[0]
		if n, ok := step.(Named); ok {
			s.doing = n.Doing
		}
		s.steps = s.steps[1:]
		done, err := step.Tick(b)
		if err != nil {
			return false, err
		}
		if !done {
			s.steps = append([]Step{step}, s.steps...)
			return false, nil
		}
	}
	return true, nil
}

func joints(module string, q []float64) robot.Target {
	return robot.Target{Module: module, Joints: append([]float64(nil), q...)}
}
