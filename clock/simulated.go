package clock

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// Pace says how fast simulated time goes.
type Pace int

const (
	// Fast lets a period begin as soon as nobody holds the clock.
	Fast Pace = iota
	// Real lets a period begin when as much wall time has gone by; holds do nothing.
	Real
)

// catchUp is how far simulated time may fall behind the wall before it stops trying to catch up.
const catchUp = 100 * time.Millisecond

// Simulated is the clock of a simulated world: time is what the world has been stepped by.
//
// Fast is a barrier. Due is ready when, and only while, no hold is out: a hold taken before the loop has received from
// Due keeps the period from beginning, one taken later counts from the next period. Whoever wakes another goroutine
// takes the hold on its behalf before the wake, so that no period slips in between.
type Simulated struct {
	period time.Duration
	pace   Pace
	world  func(ctx context.Context) error
	now    atomic.Int64
	holds  Holds

	due   chan struct{} // holds one token while a period may begin
	armed bool          // Due was called for the coming period; guarded by holds.mu
	held  bool          // guarded by holds.mu

	start time.Time // wall time at which robot time 0 would have been; Real only
	timer *time.Timer
}

// NewSimulated is a clock that starts at now and advances a world by its function, one period a call.
func NewSimulated(now, period time.Duration, pace Pace, advance func(ctx context.Context) error) *Simulated {
	s := &Simulated{period: period, pace: pace, world: advance, due: make(chan struct{}, 1), start: time.Now().Add(-now)}
	s.now.Store(int64(now))
	s.holds.change = s.changed
	return s
}

// Now is the simulated time.
func (s *Simulated) Now() time.Duration { return time.Duration(s.now.Load()) }

// Simulated is true.
func (s *Simulated) Simulated() bool { return true }

// Hold keeps a fast clock where it is until release was called.
func (s *Simulated) Hold(what string) (release func()) {
	if s.pace == Real {
		return func() {}
	}
	return s.holds.Take(what)
}

// Holders names who holds the clock, for the message of a run that hangs.
func (s *Simulated) Holders() []string { return s.holds.Who() }

// Still says whether time stands still now: a fast clock that somebody holds.
func (s *Simulated) Still() bool {
	s.holds.mu.Lock()
	defer s.holds.mu.Unlock()
	return s.held
}

// changed is called under holds.mu.
func (s *Simulated) changed(held bool) {
	s.held = held
	switch {
	case held:
		s.take()
	case s.armed:
		s.give()
	}
}

func (s *Simulated) give() {
	select {
	case s.due <- struct{}{}:
	default:
	}
}

func (s *Simulated) take() {
	select {
	case <-s.due:
	default:
	}
}

// Due is ready when the next period may begin.
func (s *Simulated) Due() <-chan struct{} {
	s.holds.mu.Lock()
	defer s.holds.mu.Unlock()
	s.armed = true
	switch {
	case s.pace == Real:
		s.await()
	case !s.held:
		s.give()
	}
	return s.due
}

// await arms the timer of a real clock. A world that is slower than the wall runs late rather than in bursts.
func (s *Simulated) await() {
	wait := s.Now() - time.Since(s.start)
	if wait < -catchUp {
		s.start = s.start.Add(-wait)
		wait = 0
	}
	if wait <= 0 {
		s.give()
		return
	}
	if s.timer == nil {
		s.timer = time.AfterFunc(wait, s.give)
		return
	}
	s.timer.Reset(wait)
}

// Advance steps the world by one period. It begins even when a hold was taken after Due had been received from.
func (s *Simulated) Advance(ctx context.Context) error {
	s.holds.mu.Lock()
	s.armed = false
	s.take()
	s.holds.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("advancing simulated time: %w", err)
	}
	s.now.Add(int64(s.period)) // before: what the world tells at the end of the period is told at that time
	if err := s.world(ctx); err != nil {
		s.now.Add(-int64(s.period))
		return err
	}
	return nil
}
