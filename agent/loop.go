package agent

import (
	"context"
	"errors"
	"time"

	"github.com/rein-robotics/rein/agent/inbox"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/episode"
)

// errClosed is why effects are cancelled when the agent is closed.
var errClosed = errors.New("agent: closed")

// Run is the agent's loop: take an event, step, carry the effects out. It ends with ctx or Close; on return every effect
// has ended, or the error says that one has not.
func (a *Agent) Run(ctx context.Context) (err error) {
	a.ran.Store(true)
	defer close(a.done)
	ctx, cancel := context.WithCancelCause(ctx)
	defer func() { err = a.join() }()
	defer cancel(errClosed)
	defer a.drain()
	for {
		l, ok := a.take()
		if !ok {
			a.nextInLine(ctx)
			select {
			case <-a.wake:
				continue
			case <-a.quit:
				return nil
			case <-ctx.Done():
				return nil
			}
		}
		a.handle(ctx, l)
		if ctx.Err() != nil {
			return nil
		}
	}
}

// join waits for what is in flight. What does not hear that it is cancelled is left behind, and said to be.
func (a *Agent) join() error {
	done := make(chan struct{})
	go func() {
		a.work.Wait()
		close(done)
	}()
	limit := time.NewTimer(a.cfg.Waits.Join)
	defer limit.Stop()
	select {
	case <-done:
		return nil
	case <-limit.C:
		return errLeftBehind
	}
}

func (a *Agent) take() (inbox.Item[letter], bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.queue.Next()
}

// handle steps one event and carries out what follows. The event's hold of the clock ends when all of it has begun.
func (a *Agent) handle(ctx context.Context, l inbox.Item[letter]) {
	defer l.Event.release()
	if ofTheLoop(l.Event.event) {
		a.inStep(ctx)
	}
	if a.tooEarly(l.Event.event) {
		return
	}
	m := run.Moment{At: a.cfg.Clock.Now(), Wall: time.Since(a.born), World: a.cfg.Controller.Snapshot()}
	if _, first := l.Event.event.(run.Message); first && a.state.Free() {
		a.newRun(m)
	}
	if e, is := l.Event.event.(run.PlannerChanged); is {
		a.cfg.Reasoner, a.begun = e.Who.(Reasoner), false
	}
	under := a.state.Tag()
	first := a.state.Fresh()
	effects := a.state.Step(m, l.Event.event)
	a.paused.Store(a.state.IsPaused())
	if a.watch != nil {
		a.watch(stepped{at: m, event: l.Event.event, under: under, first: first, effects: effects})
	}
	for _, e := range effects {
		a.carryOut(ctx, e)
	}
	a.landed(ctx, l.Event.event)
	if a.state.HasEnded() && len(a.later) > 0 {
		a.post(a.later...)
		a.later = nil
	}
}

// tooEarly keeps a message that comes while a run ends until it has ended: it is the task of the next one.
func (a *Agent) tooEarly(e run.Event) bool {
	m, is := e.(run.Message)
	if !is || !a.state.ComesEarly(m) {
		return false
	}
	a.later = append(a.later, e)
	return true
}

// inStep waits, when effects run one at a time, until the control loop has finished what it is at: the log then has one
// order, and not that of two goroutines.
func (a *Agent) inStep(ctx context.Context) {
	if !a.serial() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, a.cfg.Waits.Command)
	defer cancel()
	_ = a.cfg.Controller.Between(ctx, func() {}) // a loop that does not answer has nothing to wait for
}

// stepped is one step: the same events in the same order give the same effects.
type stepped struct {
	at      run.Moment
	event   run.Event
	under   episode.Tag // run and generation before it
	first   bool        // it found a state without a run
	effects []run.Effect
}

// newRun makes the state of a run ready; the step then takes its first message.
func (a *Agent) newRun(m run.Moment) {
	a.state = a.state.Anew(a.cfg.Log.Episode(), m.World.Generation)
	a.begun = false
}

// drain gives back the holds of everything that will not be dealt with any more.
func (a *Agent) drain() {
	a.mu.Lock()
	a.deaf = true
	a.mu.Unlock()
	for {
		l, ok := a.take()
		if !ok {
			break
		}
		l.Event.release()
	}
	for _, release := range a.held {
		release()
	}
	a.line, a.held = nil, nil
}

// serial says that effects run one at a time, so that a run depends on nothing but its seed: simulated time stands
// still meanwhile, so nothing is lost by it. A reasoner that takes wall time gets its calls dispatched while it streams.
func (a *Agent) serial() bool {
	i, ok := a.cfg.Reasoner.(interface{ Instant() bool })
	return a.cfg.Clock.Simulated() && ok && i.Instant()
}

// landed notes that an effect has given its answer.
func (a *Agent) landed(ctx context.Context, e run.Event) {
	id, last := run.Answered(e)
	if cancel := a.calls[id]; last && cancel != nil {
		cancel(nil)
		delete(a.calls, id)
		delete(a.idle, id)
	}
	if last {
		a.tellOn(ctx, id)
	}
	if !last || id != a.flying {
		return
	}
	a.flying = 0
}

// nextInLine lets the next effect in line go. It is called when everything that is known has been dealt with: else the
// answer of one effect could come before news that was there first, or after it, as the machine likes. An effect that
// waits for the robot lets the next one go: what is in line holds the time that the robot needs.
func (a *Agent) nextInLine(ctx context.Context) {
	for a.flying == 0 && len(a.line) > 0 {
		e, release := a.line[0], a.held[0]
		a.line, a.held = a.line[1:], a.held[1:]
		if _, robot := e.(run.Seed); !robot {
			a.flying = run.IDOf(e)
		}
		a.fly(ctx, e, release)
	}
}

// ofTheLoop says that the control loop told of the event in one of its ticks, and that more of the tick may follow.
func ofTheLoop(e run.Event) bool {
	switch e.(type) {
	case run.Happened, run.Seeded, run.Stopped:
		return true
	}
	return false
}

// Why a wait is given up.
var (
	errLeftBehind   = errors.New("agent: a reasoner, a skill or a plugin does not hear that it is cancelled: it was left behind")
	errNotReady     = errors.New("the skill was not ready in time")
	errNoVerdict    = errors.New("the check gave no verdict in time")
	errReplyTooLong = errors.New("the planner took too long for one reply")
)
