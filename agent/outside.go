package agent

import (
	"context"
	"errors"

	"github.com/rein-robotics/rein/agent/run"
)

// Inject tells the agent of an event. It does not block. An event that comes while no run is on, or after its end, is
// late; one that comes while the run is paused waits until it is resumed.
func (a *Agent) Inject(e run.Injection) error {
	if err := e.Check(); err != nil {
		return err
	}
	a.post(run.Injected{What: e})
	return nil
}

// Regenerate asks the planner for another reply to its last request, which is sent again unchanged; the reply that there
// was is taken back. It waits until the agent has decided on it. The error says why it is refused: the last reply changed
// something, or another round is under way. No hook of a plugin may wait for it.
func (a *Agent) Regenerate(ctx context.Context) error {
	answer := make(chan error, 1)
	a.mu.Lock()
	a.asked++
	ask := a.asked
	if a.asks == nil {
		a.asks = map[uint64]chan error{}
	}
	a.asks[ask] = answer
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.asks, ask)
	}()
	a.post(run.Regenerate{Ask: ask})
	select {
	case err := <-answer:
		return err
	case <-a.done:
		return errClosed
	case <-a.quit:
		return errClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (a *Agent) tell(e run.TellCaller) {
	a.mu.Lock()
	answer := a.asks[e.Ask]
	a.mu.Unlock()
	if answer == nil { // it waits no more
		return
	}
	var err error
	if e.Why != "" {
		err = errors.New("agent: regenerate: " + e.Why)
	}
	answer <- err
}
