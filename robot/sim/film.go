package sim

import (
	"time"

	world "github.com/rein-robotics/rein/sim"
	"github.com/rein-robotics/rein/sim/render"
)

// filming is somebody who looks at the world from outside, at a rate.
type filming struct {
	every time.Duration
	next  time.Duration
	take  func(at time.Duration, s *render.Scene)
}

// Film hands take a copy of what there is to see, once at the call and from then on at the end of the period in which
// another `every` has gone by, until stop was called. The copy is take's to keep. It is no camera of the robot: nothing of
// a run depends on it, and nothing that decides may see it. take is called under the robot's lock and must not ask the
// robot for anything but its readings; the world waits for it. A second Film replaces the first.
func (r *Robot) Film(every time.Duration, take func(at time.Duration, s *render.Scene)) (stop func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return func() {}
	}
	f := &filming{every: every, next: r.world.Time(), take: take}
	r.film = f
	f.look(r.world, r.light)
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.film == f {
			r.film = nil
		}
	}
}

// look is called at the end of every period, under the robot's mu.
func (f *filming) look(w *world.World, light render.Light) {
	if f == nil || w.Time() < f.next {
		return
	}
	f.next += f.every
	s := &render.Scene{Light: light}
	w.Geometry(s)
	f.take(w.Time(), s)
}
