package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/monitor/question"
)

// CheckAction judges a running action by what no camera shows: a force sensor, a limit switch. nil = nothing is to be done.
// It is asked every control period, about one action at a time; a call that takes longer is waited for, and holds up
// nothing else.
type CheckAction func(ctx context.Context, c run.RunningAction) *run.Verdict

// Why a check of one's own has said nothing.
var (
	errCheckSlow = errors.New("the check gave no answer in time")
	errCheckHung = errors.New("the check is still at a call that was given up")
)

// poll asks the check of one's own about each action. One that does not come back is left to itself, and not asked again
// before it does.
func (a *Agent) poll(ctx context.Context, e run.PollCheck) run.Event {
	select {
	case a.polls <- struct{}{}:
	default:
		return run.Polled{ID: e.ID, Err: errCheckHung}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, a.cfg.Waits.Check, errCheckSlow)
	defer cancel()
	var list []run.Found
	heard, err := a.listen(ctx, func() error {
		defer func() { <-a.polls }()
		for _, c := range e.All {
			v := a.cfg.CheckAction(ctx, c)
			switch {
			case v == nil:
			case v.Do != question.Finish && v.Do != question.Fail && v.Do != question.Escalate:
				return fmt.Errorf("the check says %q of %s: finish, fail or escalate is wanted", v.Do, c.Action)
			default:
				list = append(list, run.Found{Action: c.Action, Verdict: *v})
			}
		}
		return nil
	})
	if !heard {
		return run.Polled{ID: e.ID, Err: err}
	}
	return run.Polled{ID: e.ID, Found: list, Err: err}
}
