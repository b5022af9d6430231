package run

import (
	"fmt"

	"github.com/rein-robotics/rein/agent/job"
)

// OpenCalls are the planner's calls without an answer.
func (s *State) OpenCalls() []string {
	if s.book == nil {
		return nil
	}
	return s.book.OpenCalls()
}

// Leftovers names what the run still waits for: nothing, once it has ended.
func (s *State) Leftovers() (out []string) {
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
