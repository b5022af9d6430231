// Package clocktest holds a clock for tests.
//
// Its one invariant: time moves only when the test says so.
package clocktest

import (
	"context"
	"sync"
	"time"

	"github.com/rein-robotics/rein/clock"
)

// Manual is a simulated clock without a world. A test that plays the control loop calls Advance; one that tests
// a control loop lets the loop do so.
type Manual struct {
	*clock.Simulated
	mu    sync.Mutex
	ticks func(now time.Duration)
}

// NewManual is a clock at time 0 with the given period. onTick, if any, is called at the end of every period.
func NewManual(period time.Duration, onTick func(now time.Duration)) *Manual {
	m := &Manual{ticks: onTick}
	m.Simulated = clock.NewSimulated(0, period, clock.Fast, func(context.Context) error {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.ticks != nil {
			m.ticks(m.Now() + period)
		}
		return nil
	})
	return m
}

// Run advances by d, as a control loop would: it waits before each period until nobody holds the clock.
func (m *Manual) Run(ctx context.Context, d time.Duration) error {
	for end := m.Now() + d; m.Now() < end; {
		select {
		case <-m.Due():
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := m.Advance(ctx); err != nil {
			return err
		}
	}
	return nil
}
