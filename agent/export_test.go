package agent

import (
	"fmt"
	"reflect"

	"github.com/rein-robotics/rein/agent/job"
)

// OpenCalls are the planner's calls without an answer. Only after Close.
func OpenCalls(a *Agent) []string {
	if a.state.book == nil {
		return nil
	}
	return a.state.book.OpenCalls()
}

// Leftovers names what the state still waits for. Only after Close.
func Leftovers(a *Agent) (out []string) {
	s := a.state
	for _, x := range s.acts.All() {
		out = append(out, "action "+x.ID)
	}
	for id := range s.starts {
		out = append(out, fmt.Sprintf("start e%d", id))
	}
	for id := range s.halts {
		out = append(out, fmt.Sprintf("stop e%d", id))
	}
	for id, q := range s.questions {
		if !q.told() {
			out = append(out, fmt.Sprintf("question to the plugins e%d", id))
		}
	}
	for id, r := range s.runs {
		out = append(out, fmt.Sprintf("function e%d of %s", id, r.call.name))
	}
	for _, x := range s.subs {
		out = append(out, "sub-agent "+x.state.task)
	}
	for _, j := range s.jobs.All() {
		if j.State == job.Running {
			out = append(out, "job "+j.ID)
		}
	}
	return out
}

// PostRegenerate asks for another reply and waits for no answer, so that the agent's own goroutine may do it.
func PostRegenerate(a *Agent) { a.post(regenerate{}) }

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
	s := newState(&r.a.cfg.Settings)
	for i, x := range r.steps {
		if _, begins := x.event.(message); begins && x.first {
			s = s.anew(x.run, x.under)
		}
		s.run, s.generation = x.run, x.under
		got := s.step(x.at, x.event)
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
