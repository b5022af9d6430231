// Package clock holds the robot clock and the barrier that makes simulated time stand still while somebody thinks.
//
// Its one invariant: in simulated time no control period begins while a hold is out, so thinking costs no robot time.
package clock

import (
	"context"
	"time"
)

// Clock is the robot clock. The control loop drives it; everybody else only reads it and holds it.
type Clock interface {
	// Now is the robot clock: time since the robot started, simulated or wall. Any goroutine may ask.
	Now() time.Duration
	// Due is ready when the next control period may begin. Only the control loop waits on it, anew for each period.
	Due() <-chan struct{}
	// Advance lets the world go on by one control period. Only the control loop calls it, after Due was ready.
	Advance(ctx context.Context) error
	// Hold keeps simulated time where it is until the returned function was called (once; more calls do nothing).
	// On a wall clock it does nothing. what names the holder, for the message of a run that hangs.
	Hold(what string) (release func())
	// Simulated says that Now is simulated time.
	Simulated() bool
}
