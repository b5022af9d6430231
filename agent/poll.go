package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/rein-robotics/rein/monitor/question"
)

// CheckAction judges a running action by what no camera shows: a force sensor, a limit switch. nil = nothing is to be done.
// It is asked every control period, about one action at a time; a call that takes longer is waited for, and holds up
// nothing else.
type CheckAction func(ctx context.Context, c Checked) *Verdict

// Why a check of one's own has said nothing.
var (
	errCheckSlow = errors.New("the check gave no answer in time")
	errCheckHung = errors.New("the check is still at a call that was given up")
)

// poll asks the check of one's own about each action. One that does not come back is left to itself, and not asked again
// before it does.
func (a *Agent) poll(ctx context.Context, e pollCheck) event {
	select {
	case a.polls <- struct{}{}:
	default:
		return polled{id: e.id, err: errCheckHung}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, a.cfg.Waits.Check, errCheckSlow)
	defer cancel()
	var list []found
	heard, err := a.listen(ctx, func() error {
		defer func() { <-a.polls }()
		for _, c := range e.all {
			v := a.cfg.CheckAction(ctx, c)
			switch {
			case v == nil:
			case v.Do != question.Finish && v.Do != question.Fail && v.Do != question.Escalate:
				return fmt.Errorf("the check says %q of %s: finish, fail or escalate is wanted", v.Do, c.Action)
			default:
				list = append(list, found{action: c.Action, verdict: *v})
			}
		}
		return nil
	})
	if !heard {
		return polled{id: e.id, err: err}
	}
	return polled{id: e.id, found: list, err: err}
}
