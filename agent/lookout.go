package agent

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/rein-robotics/rein/agent/run"
)

// lookout is the watching of one action as the shell carries it out.
type lookout struct {
	cancel context.CancelCauseFunc // of the tick under way; owned by the loop
	busy   chan struct{}           // holds a token while the Watch is being called
	watch  Watch                   // owned by whoever has the token; nil before the first tick
}

// attend begins a tick. Only the loop calls it.
func (a *Agent) attend(ctx context.Context, e run.MonitorTick, release func()) {
	l := a.lookouts[e.Of.Action]
	if l == nil {
		l = &lookout{busy: make(chan struct{}, 1)}
		a.lookouts[e.Of.Action] = l
	}
	ctx, l.cancel = context.WithCancelCause(ctx)
	cancel := l.cancel
	a.spawn(release, func() {
		from := time.Now()
		m := a.sight(ctx, l, e)
		cancel(nil)
		m.Latency = time.Since(from)
		a.post(m)
	})
}

// unwatch ends the watching of an action: the call under way is cancelled, one in line is not begun any more.
func (a *Agent) unwatch(action string) {
	if l := a.lookouts[action]; l != nil {
		l.cancel(run.ErrUnwatched)
		delete(a.lookouts, action)
	}
	for i, e := range a.line {
		if t, is := e.(run.MonitorTick); is && t.Of.Action == action {
			a.post(run.Monitored{ID: t.ID, Err: run.ErrUnwatched})
			a.outOfLine(i)
			return
		}
	}
}

// sight takes the pictures of a tick and has them judged, within the limit of a monitor's call. A Watch that does not
// hear its cancel is left to itself until Run joins it; until it is back, the ticks after it have no answer.
func (a *Agent) sight(ctx context.Context, l *lookout, e run.MonitorTick) run.Monitored {
	ctx, cancel := context.WithTimeoutCause(ctx, a.cfg.Waits.Monitor, run.ErrMonitorSlow)
	defer cancel()
	select {
	case l.busy <- struct{}{}:
	default:
		return run.Monitored{ID: e.ID, Err: run.ErrMonitorHung}
	}
	var m run.Monitored
	var asked atomic.Bool
	heard, err := a.listen(ctx, func() (err error) {
		defer func() { <-l.busy }()
		if l.watch == nil {
			l.watch = a.cfg.Watcher.Watch(e.Of)
		}
		m, err = lookAndAsk(ctx, l.watch, e, &asked)
		return err
	})
	if !heard {
		return run.Monitored{ID: e.ID, Asked: asked.Load(), Err: err}
	}
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	} else if errors.Is(err, context.DeadlineExceeded) { // a limit of the monitor's own
		err = fmt.Errorf("%w: %w", run.ErrMonitorSlow, err)
	}
	m.ID, m.Asked, m.Err = e.ID, asked.Load(), err
	return m
}

// lookAndAsk is one tick. A look that is only kept, that no question is due for, or that shows a camera which is not to be
// trusted is not judged; asked becomes true when it is about to be.
func lookAndAsk(ctx context.Context, w Watch, e run.MonitorTick, asked *atomic.Bool) (run.Monitored, error) {
	s, err := w.Look(ctx, e.Number)
	if err != nil {
		return run.Monitored{}, fmt.Errorf("no picture: %w", err)
	}
	m := run.Monitored{Sighting: s}
	questions := run.DueAt(e.Questions, s, e.Of.Started)
	if e.Number == 0 || s.Kept || s.NotLive != "" || len(questions) == 0 {
		return m, nil
	}
	asked.Store(true)
	m.Said, err = w.Ask(ctx, s, questions)
	return m, err
}
