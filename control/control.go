package control

import (
	"context"
	"time"
)

// Controller is the control loop. All its methods may be called from any goroutine.
type Controller struct{ cfg Config }

// New makes a controller; Run brings it to life. An error names what Config lacks.
func New(cfg Config) (*Controller, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	cfg.Waits = cfg.Waits.withDefaults()
	return &Controller{cfg: cfg}, nil
}

// Run is the loop. It ends with ctx (nil) or with a clock that fails (its error); on return everything was stopped,
// every module is held, and every goroutine joined. It runs once.
func (c *Controller) Run(ctx context.Context) error { panic("being written") }

// Between runs fn on the loop's goroutine between two ticks and waits for it; fn must not block. It waits for the loop
// at most Waits.Command and then gives a *Refused cannot_start: fn will not run any more.
func (c *Controller) Between(ctx context.Context, fn func()) error { panic("being written") }

// SetTimer makes the loop tell TimerFired at a time of the robot clock. The same id again replaces the timer.
func (c *Controller) SetTimer(id string, at time.Duration) { panic("being written") }

// CancelTimer forgets a timer that has not fired.
func (c *Controller) CancelTimer(id string) { panic("being written") }
