package control

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// timers are instants of the robot clock that somebody wants to be told of.
type timers struct {
	mu sync.Mutex // guards at
	at map[string]time.Duration

	due []TimerFired // owned by the loop, for reuse
}

// SetTimer makes the loop tell TimerFired in the first tick at or after a time of the robot clock; those that are due
// together are told by time, then id. The same id again replaces the timer.
func (c *Controller) SetTimer(id string, at time.Duration) {
	c.timers.mu.Lock()
	defer c.timers.mu.Unlock()
	c.timers.at[id] = at
}

// CancelTimer forgets a timer that has not fired.
func (c *Controller) CancelTimer(id string) {
	c.timers.mu.Lock()
	defer c.timers.mu.Unlock()
	delete(c.timers.at, id)
}

func (c *Controller) fireTimers() {
	for _, t := range c.timers.take(c.now) {
		c.cfg.Sink(TimerFired{At: c.now, ID: t.ID})
	}
}

// take removes the timers that are due, in order; the slice is valid until the next take.
func (t *timers) take(now time.Duration) []TimerFired {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.due = t.due[:0]
	for id, at := range t.at {
		if at <= now {
			t.due = append(t.due, TimerFired{At: at, ID: id})
			delete(t.at, id)
		}
	}
	slices.SortFunc(t.due, func(a, b TimerFired) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.ID, b.ID))
	})
	return t.due
}
