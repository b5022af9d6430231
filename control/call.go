package control

import (
	"fmt"

	"github.com/rein-robotics/rein/skill"
)

// The calls of a skill: whatever it does, a panic stays inside.

func (a *action) callStart() (err error) {
	a.out, a.open = a.out[:0], true
	defer func() {
		a.open = false
		if p := recover(); p != nil {
			err = fmt.Errorf("its skill panicked: %v", p)
		}
	}()
	return a.skill.Start(&a.body)
}

func (a *action) callTick() (done bool, err error) {
	a.out, a.open = a.out[:0], true
	defer func() {
		a.open = false
		if p := recover(); p != nil {
			done, err = false, skill.Failf("the skill panicked: %v", p)
		}
	}()
	return a.skill.Tick(&a.body)
}

// callStopped tells the skill that it was stopped from outside. A panic changes nothing: it is being stopped anyway.
func (a *action) callStopped() {
	s, ok := a.skill.(skill.Stopper)
	if !ok {
		return
	}
	defer func() { _ = recover() }()
	s.Stopped(&a.body)
}

func (a *action) callDoing() (doing string) {
	d, ok := a.skill.(skill.Doer)
	if !ok {
		return ""
	}
	defer func() {
		if recover() != nil {
			doing = ""
		}
	}()
	return d.Doing()
}

func (a *action) callArrival() (r *skill.ArrivalReport) {
	s, ok := a.skill.(skill.Arriver)
	if !ok {
		return nil
	}
	defer func() {
		if recover() != nil {
			r = nil
		}
	}()
	return s.Arrival()
}
