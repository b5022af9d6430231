package control

import "context"

// Generation is the current one; it begins at 1 and only grows.
func (c *Controller) Generation() uint64 { panic("being written") }

// Latched says that an e-stop is latched.
func (c *Controller) Latched() bool { panic("being written") }

// Bump raises the generation: what was decided before is void. Actions of the agent that run are stopped, cause cancel.
func (c *Controller) Bump(ctx context.Context, why string) (uint64, error) { panic("being written") }

// Takeover carries out the first half of an operator's input: the generation grows, the Sink hears OperatorTook, what
// the agent runs is stopped, measured, and its services too. It gives back the actions that it stopped. The caller then
// carries the input out and logs it; an operator's StartAction need not wait for Takeover to return.
func (c *Controller) Takeover(ctx context.Context, input string) (stopped []string, err error) {
	panic("being written")
}

// AskTakeover is Takeover without the wait: then is called once, as AskEnd's is.
func (c *Controller) AskTakeover(input string, then func([]string, error)) { panic("being written") }

// EStop latches at once, from any goroutine: no motion command of anybody passes from the return on, and the loop
// holds every module at its next chance.
func (c *Controller) EStop(by string) { panic("being written") }

// ClearEStop opens the latch.
func (c *Controller) ClearEStop(by string) { panic("being written") }
