package motion

import (
	"math"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/skill"
)

const (
	// touchResidual is how far the tips stay above the command when what they carry has touched down, metres.
	touchResidual = 0.003
	// touchSettle is the way over which the servos' own lag is measured before a residual counts, metres.
	touchSettle = 0.006
)

// Lower goes straight down to a height until something is touched: felt by the tips staying behind the command.
type Lower struct {
	Arm   *Arm
	Z     float64 // metres; the lowest the fingertips may come
	Speed float64 // m/s

	Touched bool // after it is done: something was felt

	follow *Follow
	from   float64
	lag    float64
	counts int
}

// Tick follows the line down.
func (l *Lower) Tick(b *skill.Body) (bool, error) {
	s, ok := l.Arm.State(b.Readings)
	if !ok {
		return false, skill.Failf("%s reports nothing", l.Arm.Name)
	}
	if l.follow == nil {
		l.from = s.Tip.Pos.Z
		to := s.Tip
		to.Pos.Z = math.Max(l.Z, l.Arm.MinTipZ)
		l.follow = &Follow{Arm: l.Arm, Speed: l.Speed, Watch: l.feel, Plan: func(from []float64) (*geom.Path, error) {
			at := l.Arm.Chain.Tip(from)
			at.Pos.Z = math.Max(l.Z, l.Arm.MinTipZ)
			return l.Arm.Line(from, at)
		}}
	}
	return l.follow.Tick(b)
}

// feel compares the tips with what was commanded.
func (l *Lower) feel(b *skill.Body) (bool, error) {
	if l.follow.q == nil || l.follow.passed == 0 {
		return false, nil
	}
	s, _ := l.Arm.State(b.Readings)
	residual := s.Tip.Pos.Z - l.Arm.Chain.Tip(l.follow.q).Pos.Z
	if l.from-s.Tip.Pos.Z < touchSettle && residual < 2*touchResidual {
		l.counts++
		l.lag += (math.Max(0, residual) - l.lag) / float64(l.counts)
		l.lag = math.Max(l.lag, residual*0.5)
		return false, nil
	}
	l.Touched = residual-l.lag > touchResidual
	return l.Touched, nil
}

// Rest commands the arm to stay where it is measured to be, taking the press off what was touched.
func (a *Arm) Rest() Step {
	return Do(func(b *skill.Body) error {
		s, ok := a.State(b.Readings)
		if !ok {
			return skill.Failf("%s reports nothing", a.Name)
		}
		b.Send(joints(a.Name, s.Joints))
		return nil
	})
}
