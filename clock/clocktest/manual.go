// Package clocktest holds a clock for tests.
//
// Its one invariant: time moves only when the test, or the control loop under test, advances it.
package clocktest

import (
	"context"
	"time"

	"github.com/rein-robotics/rein/clock"
)

// Manual is a fast simulated clock without a world. A test that plays the control loop calls Advance or Run; one that
// tests a control loop lets the loop do so.
type Manual struct{ *base }

type base = clock.Simulated

// NewManual is a clock at time 0 with the given period. onTick, if any, is called in every Advance with the time at the
// period's end, which Now is by then.
func NewManual(period time.Duration, onTick func(now time.Duration)) *Manual {
	var m Manual
	m.base = clock.NewSimulated(0, period, clock.Fast, func(context.Context) error {
		if onTick != nil {
			onTick(m.Now())
		}
		return nil
	})
	return &m
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
