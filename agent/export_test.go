package agent

import (
	"fmt"
	"reflect"

	"github.com/rein-robotics/rein/agent/run"
)

// OpenCalls are the planner's calls without an answer. Only after Close.
func OpenCalls(a *Agent) []string { return a.state.OpenCalls() }

// Leftovers names what the state still waits for. Only after Close.
func Leftovers(a *Agent) []string { return a.state.Leftovers() }

// PostRegenerate asks for another reply and waits for no answer, so that the agent's own goroutine may do it.
func PostRegenerate(a *Agent) { a.post(run.Regenerate{}) }

// Recording is everything that an agent stepped.
type Recording struct {
	a     *Agent
	steps []stepped
}

// Record keeps every step of a. Before Run.
func Record(a *Agent) *Recording {
	r := &Recording{a: a}
	a.watch = func(s stepped) { r.steps = append(r.steps, s) }
	return r
}

// Len is how many steps were kept.
func (r *Recording) Len() int { return len(r.steps) }

// Replay steps the same events through a new state and says where it does something else. Only after Close.
func (r *Recording) Replay() error {
	s := run.NewState(&r.a.cfg.Settings)
	for i, x := range r.steps {
		if _, begins := x.event.(run.Message); begins && x.first {
			s = s.Anew(x.under.Run, x.under.Generation)
		}
		s.Under(x.under.Run, x.under.Generation)
		got := s.Step(x.at, x.event)
		if len(got) != len(x.effects) {
			return fmt.Errorf("step %d (%T): got %d effects, want %d: %v, %v", i, x.event, len(got), len(x.effects), got, x.effects)
		}
		for k := range got {
			if !reflect.DeepEqual(got[k], x.effects[k]) {
				return fmt.Errorf("step %d (%T), effect %d: got %+v, want %+v", i, x.event, k, got[k], x.effects[k])
			}
		}
	}
	return nil
}
