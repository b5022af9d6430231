// Package rules is the offline planner: a Reasoner that needs no model. It reads the task as a sentence, finds things by
// sight in the images that the harness sends, plans with the tools that it is offered, and checks the result in a fresh
// image before it claims anything.
//
// Its one invariant: a decision is a pure function of the View. It keeps nothing between two rounds; what it must
// remember it writes into its own plan.
package rules

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/model"
)

// Name is the component's name in the log.
const Name = "rules@1"

// Reasoner is the offline planner. It is safe for use by several goroutines.
type Reasoner struct{}

// New makes an offline planner.
func New() *Reasoner { return &Reasoner{} }

// Name is "rules@1".
func (*Reasoner) Name() string { return Name }

// Instant says that a decision takes no time worth counting.
func (*Reasoner) Instant() bool { return true }

// Begin has nothing to prepare.
func (*Reasoner) Begin(context.Context, agent.RunInfo) error { return nil }

// End has nothing to keep.
func (*Reasoner) End(context.Context, agent.RunInfo, *bool) error { return nil }

// Deliberate decides one round and streams the reply.
func (*Reasoner) Deliberate(ctx context.Context, v run.View) iter.Seq2[model.Part, error] {
	return func(yield func(model.Part, error) bool) {
		for _, p := range decide(v).parts() {
			if ctx.Err() != nil || !yield(p, nil) {
				return
			}
		}
	}
}

// reply is what one round says and calls.
type reply struct {
	why   string // for the log
	text  string // for people; "" = nothing
	calls []call
}

// call is one call with its arguments as Go values.
type call struct {
	name string
	args any
}

// parts are the reply as it is streamed.
func (r reply) parts() []model.Part {
	out := []model.Part{model.Rationale{Text: r.why}}
	if r.text != "" {
		out = append(out, model.Text{Text: r.text})
	}
	for i, c := range r.calls {
		args, err := json.Marshal(c.args)
		if err != nil { // the arguments are made of numbers and words
			panic("rules: " + err.Error())
		}
		out = append(out, model.Call{ID: fmt.Sprintf("r%d", i+1), Name: c.name, Args: args})
	}
	end := model.StopToolUse
	if len(r.calls) == 0 {
		end = model.StopEndTurn
	}
	return append(out, model.End{Reason: end})
}

// The harness's own tools, as the contract names them.
const (
	toolPlan    = "update_plan"
	toolObserve = "observe"
	toolStop    = "stop_action"
	toolFinish  = "finish_task"
)

// finished ends the run with a claim.
func finished(success bool, why, summary string) reply {
	return reply{why: why, calls: []call{{toolFinish, map[string]any{"success": success, "summary": summary}}}}
}

// failed ends the run in plain words.
func failed(why, summary string) reply { return finished(false, why, summary) }
