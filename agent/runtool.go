package agent

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/tool"
)

// runFunction calls a function tool and gives its one answer, also when it panics or does not hear its cancel.
func (a *Agent) runFunction(ctx context.Context, e run.RunTool) run.Event {
	limit := e.Tool.Limit
	if limit <= 0 {
		limit = a.cfg.Waits.Tool
		if e.Background {
			limit = a.cfg.Waits.Job
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, run.ErrToolTooLong)
	defer cancel()
	result, err := a.inTime(ctx, e)
	if e.Background {
		return run.JobDone{ID: e.ID, Result: result, Err: err}
	}
	return run.Ran{ID: e.ID, Result: result, Err: err}
}

// inTime runs the function on a goroutine of its own. One that does not hear its cancel is left to itself until Run
// joins it.
func (a *Agent) inTime(ctx context.Context, e run.RunTool) (json.RawMessage, error) {
	type outcome struct {
		result json.RawMessage
		err    error
	}
	var over atomic.Bool
	defer over.Store(true)
	out := tool.WithOutput(ctx, func(text string) {
		if !over.Load() {
			a.post(run.Printed{ID: e.ID, Text: text})
		}
	})
	got := make(chan outcome, 1)
	a.work.Go(func() {
		var o outcome
		o.err = guarded(func() error {
			v, err := e.Tool.Run(out, e.Args)
			if err != nil {
				return err
			}
			o.result, err = run.AsObject(v)
			return err
		})
		got <- o
	})
	select {
	case o := <-got:
		return o.result, o.err
	case <-ctx.Done():
	}
	late := time.NewTimer(a.cfg.Waits.Return)
	defer late.Stop()
	select {
	case o := <-got:
		if o.err != nil {
			o.err = context.Cause(ctx)
		}
		return o.result, o.err
	case <-late.C:
		return nil, run.ErrToolLost
	}
}

// rest waits on the wall clock, or until it is cancelled.
func (a *Agent) rest(ctx context.Context, e run.Rest) run.Event {
	t := time.NewTimer(e.Wait)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
	return run.Rested{ID: e.ID}
}

// untilAStop notes the hold of a function or a rest: it may take minutes, and no stop of the robot waits so long.
func (a *Agent) untilAStop(id run.EffectID, release func()) func() {
	a.idle[id] = release
	return release
}

// letTimeGo gives those holds back: something is being stopped, and that takes robot time.
func (a *Agent) letTimeGo() {
	for _, release := range a.idle {
		release()
	}
	clear(a.idle)
}
