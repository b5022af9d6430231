package run

import (
	"fmt"
	"slices"

	"github.com/rein-robotics/rein/agent/action"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
)

// How a run ends.
const (
	StatusSucceeded = "succeeded" // says the check
	StatusFailed    = "failed"    // says the check
	StatusUnchecked = "unchecked" // the planner claims an end, and nobody checks
	StatusCancelled = "cancelled" // by the user, or a reset
	StatusStopped   = "stopped"   // by the operator or an emergency stop, where nobody is there to resume it
	StatusBudget    = "budget"    // a limit of the run was reached
	StatusError     = "error"     // something broke
)

// Result is what a run came to.
type Result struct {
	Run     string
	Status  string // one of the Status constants
	Summary string // in words
	Claimed *bool  // by the planner; nil = it claimed nothing
	Checked *bool  // by the task's check; nil = there is none
	Turns   int    // planner rounds
	Actions int    // started actions
	Refused int    // calls of the planner
	Usage   model.Usage
	Monitor Looks // zero without a monitor
}

// finish decides that the run ends, and how: what runs is stopped, measured, then the task is judged.
func (s *State) finish(m Moment, f finish) {
	if s.Over() {
		return
	}
	if s.boss != nil {
		s.handBack(m, f)
		return
	}
	s.dropTurn(m, "run_ended", "the run has ended")
	s.dropOutside()
	s.cancelJobs()
	s.end = &f
	s.phase = ending
	s.dropSubs(m, "the run has ended", func(*sub) bool { return true })
	cause := control.CauseBudget
	if f.status != StatusBudget { // a raised generation would end them as cancelled
		s.do(Bump{Why: "the run ends: " + f.by})
		cause = control.CauseCancel
	}
	for _, a := range slices.Clone(s.acts.All()) {
		if a.Phase == action.Starting {
			continue // its start is void now; its answer takes it out of the table
		}
		s.halt(&halt{action: a.ID}, control.End{Outcome: control.Stopped, Cause: cause, Reason: "the run ends"})
	}
	s.goOnEnding()
}

// goOnEnding asks for the verdict when everything that ran has been stopped.
func (s *State) goOnEnding() {
	open := len(s.halts) + len(s.runs)
	s.onTheirWay(func(*begin) { open++ })
	if s.phase != ending || s.verdict != 0 || open > 0 {
		return
	}
	if s.end.status == StatusBudget {
		s.do(Bump{Why: "the run ends: " + s.end.by})
	}
	s.verdict = s.id()
	s.do(Judge{ID: s.verdict})
}

func (s *State) onJudged(e Judged) {
	if e.ID != s.verdict || s.phase != ending {
		s.late("verdict", e.ID)
		return
	}
	s.phase = ended
	r := Result{
		Run: s.run, Status: s.end.status, Summary: s.end.summary, Claimed: s.end.claimed, Checked: e.Success,
		Turns: s.pool.Turns, Actions: s.pool.Motions, Refused: s.counts.refused, Usage: s.usage, Monitor: s.watched,
	}
	if e.Err != nil && r.Status == "" {
		r.Status, r.Summary = StatusError, fmt.Sprintf("%s (the check failed: %v)", r.Summary, e.Err)
	}
	if r.Status == "" {
		r.Status = statusOf(e.Success)
	}
	s.log(episode.RunEnded{Tag: s.Tag(), Status: r.Status, Summary: r.Summary, Claimed: r.Claimed, Checked: r.Checked, Usage: r.Usage})
	s.talk.over(s.task, r)
	s.do(EndRun{Result: r, Task: s.task, Tools: s.book.Tools()})
}

func statusOf(checked *bool) string {
	switch {
	case checked == nil:
		return StatusUnchecked
	case *checked:
		return StatusSucceeded
	}
	return StatusFailed
}
