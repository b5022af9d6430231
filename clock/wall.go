package clock

import (
	"context"
	"sync"
	"time"
)

// Wall is the clock of hardware: wall time since it was made, in periods that begin on a fixed beat. A beat that was
// missed is left out, not made up for.
type Wall struct {
	start  time.Time
	period time.Duration

	mu    sync.Mutex
	beats int64 // number of the coming beat
	due   chan struct{}
	timer *time.Timer
}

// NewWall is a wall clock that starts now.
func NewWall(period time.Duration) *Wall {
	return &Wall{start: time.Now(), period: period, due: make(chan struct{}, 1)}
}

// Now is the wall time since the start, by the monotonic clock.
func (w *Wall) Now() time.Duration { return time.Since(w.start) }

// Simulated is false.
func (w *Wall) Simulated() bool { return false }

// Hold does nothing.
func (w *Wall) Hold(string) (release func()) { return func() {} }

// Due is ready at the next beat.
func (w *Wall) Due() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	wait := time.Duration(w.beats)*w.period - w.Now()
	if wait <= 0 {
		w.ring()
		return w.due
	}
	if w.timer == nil {
		w.timer = time.AfterFunc(wait, w.ring)
		return w.due
	}
	w.timer.Reset(wait)
	return w.due
}

func (w *Wall) ring() {
	select {
	case w.due <- struct{}{}:
	default:
	}
}

// Advance counts the beat; the world goes on by itself.
func (w *Wall) Advance(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-w.due:
	default:
	}
	w.beats = max(w.beats+1, int64(w.Now()/w.period))
	return ctx.Err()
}
