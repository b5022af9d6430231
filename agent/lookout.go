package agent

import (
	"context"
	"fmt"
	"time"
)

// lookout is the watching of one action as the shell carries it out.
type lookout struct {
	cancel context.CancelCauseFunc // of the tick under way; owned by the loop
	busy   chan struct{}           // holds a token while the Watch is being called
	watch  Watch                   // owned by whoever has the token; nil before the first tick
}

// attend begins a tick. Only the loop calls it.
func (a *Agent) attend(ctx context.Context, e monitorTick, release func()) {
	l := a.lookouts[e.of.Action]
	if l == nil {
		l = &lookout{busy: make(chan struct{}, 1)}
		a.lookouts[e.of.Action] = l
	}
	ctx, l.cancel = context.WithCancelCause(ctx)
	cancel := l.cancel
	a.spawn(release, func() {
		from := time.Now()
		m := a.sight(ctx, l, e)
		cancel(nil)
		m.latency = time.Since(from)
		a.post(m)
	})
}

// unwatch ends the watching of an action: the call under way is cancelled, one in line is not begun any more.
func (a *Agent) unwatch(action string) {
	if l := a.lookouts[action]; l != nil {
		l.cancel(errUnwatched)
		delete(a.lookouts, action)
	}
	for i, e := range a.line {
		if t, is := e.(monitorTick); is && t.of.Action == action {
			a.post(monitored{id: t.id, err: errUnwatched})
			a.outOfLine(i)
			return
		}
	}
}

// sight takes the pictures of a tick and has them judged, within the limit of a monitor's call. A Watch that does not
// hear its cancel is left to itself until Run joins it; until it is back, the ticks after it have no answer.
func (a *Agent) sight(ctx context.Context, l *lookout, e monitorTick) monitored {
	ctx, cancel := context.WithTimeoutCause(ctx, a.cfg.Waits.Monitor, errMonitorSlow)
	defer cancel()
	select {
	case l.busy <- struct{}{}:
	default:
		return monitored{id: e.id, err: errMonitorHung}
	}
	var m monitored
	heard, err := a.listen(ctx, func() (err error) {
		defer func() { <-l.busy }()
		if l.watch == nil {
			l.watch = a.cfg.Watcher.Watch(e.of)
		}
		m, err = lookAndAsk(ctx, l.watch, e)
		return err
	})
	if !heard {
		return monitored{id: e.id, err: err}
	}
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	m.id, m.err = e.id, err
	return m
}

// lookAndAsk is one tick. A look that is only kept, that no question is due for, or that shows a camera which is not to be
// trusted is not judged.
func lookAndAsk(ctx context.Context, w Watch, e monitorTick) (monitored, error) {
	s, err := w.Look(ctx, e.number)
	if err != nil {
		return monitored{}, fmt.Errorf("no picture: %w", err)
	}
	m := monitored{sighting: s}
	questions := dueAt(e.questions, s, e.of.Started)
	if e.number == 0 || s.Kept || s.NotLive != "" || len(questions) == 0 {
		return m, nil
	}
	m.said, err = w.Ask(ctx, s, questions)
	return m, err
}
