// Package plan holds the plan queue: the steps of a run and the pure decision what follows when something ended.
//
// Its one invariant: a Plan is a value; every change gives a new Plan, and a step is running exactly while an action is
// bound to it.
package plan

import (
	"encoding/json"
	"fmt"
	"slices"
)

// MaxSteps is the longest plan that is taken.
const MaxSteps = 100

// State is what became of a step.
type State string

// The states. Running is derived: a step to which an action is bound.
const (
	Todo        State = "todo"
	Running     State = "running"
	Done        State = "done"
	Failed      State = "failed"
	Unconfirmed State = "unconfirmed"
	Skipped     State = "skipped"
)

// Step is one step of a plan.
type Step struct {
	ID        string
	Text      string
	Tool      string          // "" = the planner's own step
	Args      json.RawMessage // of the tool; nil = none yet
	NeedsLook bool            // the planner wants a fresh image before it

	resolved State  // todo, done, failed, unconfirmed or skipped
	action   string // bound action; "" = none
}

// State is the step's state, with running derived from the bound action.
func (s Step) State() State {
	switch {
	case s.action != "":
		return Running
	case s.resolved == "":
		return Todo
	}
	return s.resolved
}

// Action is the action bound to the step, "" when it is not running.
func (s Step) Action() string { return s.action }

// Plan is the queue of steps, resolved ones first as they came. The zero Plan is empty.
type Plan struct {
	steps []Step
	named int // how many ids s1, s2 … were given
}

// Steps are the steps in order. The caller must not change them.
func (p Plan) Steps() []Step { return p.steps }

// Change is what an update_plan call asks for.
type Change struct {
	Steps []Step   // the whole remaining plan
	Done  []string // ids of earlier steps that the planner judged finished
}

// Update replaces the remaining plan. It is all or nothing: an error names the step that is wrong. Steps that are
// neither listed nor done become skipped; a step whose action runs keeps it if the new plan has a step with its id, or
// else with its tool.
func (p Plan) Update(c Change) (Plan, error) {
	if len(c.Steps) > MaxSteps {
		return p, fmt.Errorf("steps: %d steps, at most %d are taken", len(c.Steps), MaxSteps)
	}
	done := make(map[string]bool, len(c.Done))
	for _, id := range c.Done {
		if p.index(id) < 0 {
			return p, fmt.Errorf("done: there is no step %q", id)
		}
		done[id] = true
	}
	next, err := p.withIDs(c.Steps, done)
	if err != nil {
		return p, err
	}
	listed := next.steps
	next.steps = nil
	for _, s := range p.steps {
		at := indexOf(listed, s.ID)
		if s.action != "" && at < 0 {
			at = firstWithTool(listed, s.Tool)
		}
		switch {
		case at >= 0 && s.action != "" && listed[at].action == "":
			listed[at].action = s.action
		case at >= 0 && listed[at].ID == s.ID:
		default:
			if done[s.ID] {
				s.resolved = Done
			}
			next.steps = append(next.steps, left(s))
		}
	}
	if old := len(next.steps) - MaxSteps; old > 0 {
		next.steps = next.steps[old:] // the oldest of those that are over
	}
	next.steps = append(next.steps, listed...)
	return next, nil
}

// withIDs gives ids to the new steps that have none and refuses ids that are used twice or marked done as well.
func (p Plan) withIDs(steps []Step, done map[string]bool) (Plan, error) {
	next := Plan{named: p.named, steps: slices.Clone(steps)}
	taken := map[string]bool{}
	for _, s := range p.steps {
		taken[s.ID] = true
	}
	seen := map[string]bool{}
	for i, s := range next.steps {
		if s.ID == "" {
			continue
		}
		if seen[s.ID] {
			return p, fmt.Errorf("steps[%d]: the id %q is used twice", i, s.ID)
		}
		if done[s.ID] {
			return p, fmt.Errorf("steps[%d]: %q is listed both as remaining and as done", i, s.ID)
		}
		seen[s.ID], taken[s.ID] = true, true
	}
	for i := range next.steps {
		next.steps[i].resolved, next.steps[i].action = Todo, ""
		for next.steps[i].ID == "" {
			next.named++
			if id := fmt.Sprintf("s%d", next.named); !taken[id] {
				next.steps[i].ID, taken[id] = id, true
			}
		}
	}
	return next, nil
}

// left is what an old step becomes when the new plan does not list it.
func left(s Step) Step {
	s.action = ""
	if s.resolved != Done {
		s.resolved = Skipped
	}
	return s
}

// Take binds an action that the planner started to the first unfinished step that names its tool and that no running
// action holds. The id is "" when no step does.
func (p Plan) Take(tool, action string) (Plan, string) {
	for i, s := range p.steps {
		if s.Tool == tool && unfinished(s) && s.action == "" {
			return p.Bind(i, action), s.ID
		}
	}
	return p, ""
}

// Bind binds an action to step i.
func (p Plan) Bind(i int, action string) Plan {
	p.steps = slices.Clone(p.steps)
	p.steps[i].action, p.steps[i].resolved = action, Todo
	return p
}

// Carry hands the step of one action to another: a follow-up carries its step on.
func (p Plan) Carry(from, to string) Plan {
	return p.change(from, func(s *Step) { s.action = to })
}

// Resolve ends the running of the action's step and gives it a state. Todo puts it back.
func (p Plan) Resolve(action string, to State) Plan {
	return p.change(action, func(s *Step) { s.action, s.resolved = "", to })
}

// Skip marks step i skipped.
func (p Plan) Skip(i int) Plan {
	p.steps = slices.Clone(p.steps)
	p.steps[i].resolved, p.steps[i].action = Skipped, ""
	return p
}

// StepOf is the id of the step that the action is bound to, "" when none is.
func (p Plan) StepOf(action string) string {
	for _, s := range p.steps {
		if action != "" && s.action == action {
			return s.ID
		}
	}
	return ""
}

func (p Plan) change(action string, f func(*Step)) Plan {
	p.steps = slices.Clone(p.steps)
	for i := range p.steps {
		if action != "" && p.steps[i].action == action {
			f(&p.steps[i])
		}
	}
	return p
}

func (p Plan) index(id string) int { return indexOf(p.steps, id) }

func indexOf(steps []Step, id string) int {
	return slices.IndexFunc(steps, func(s Step) bool { return s.ID == id })
}

func firstWithTool(steps []Step, tool string) int {
	return slices.IndexFunc(steps, func(s Step) bool { return tool != "" && s.Tool == tool && s.action == "" })
}

func unfinished(s Step) bool { return s.resolved != Done && s.resolved != Skipped }
