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
// a run depends on it, and nothing that decides may see it. take is called on the caller's goroutine and then on that which
// advances the clock, and the world waits for it. A second Film replaces the first.
func (r *Robot) Film(every time.Duration, take func(at time.Duration, s *render.Scene)) (stop func()) {
	f := &filming{every: every, take: take}
	if show := r.beginFilm(f); show != nil {
		show()
	}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.film == f {
			r.film = nil
		}
	}
}

// beginFilm gives the first picture's delivery, nil when the robot is closed.
func (r *Robot) beginFilm(f *filming) (show func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	f.next = r.world.Time()
	r.film = f
	return f.look(r.world, r.light)
}

// look copies what there is to see when it is time, at the end of a period and under the robot's mu; show hands the copy
// over, without it.
func (f *filming) look(w *world.World, light render.Light) (show func()) {
	if f == nil || w.Time() < f.next {
		return nil
	}
	f.next += f.every
	s := &render.Scene{Light: light}
	w.Geometry(s)
	at := w.Time()
	return func() { f.take(at, s) }
}
