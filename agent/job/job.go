// Package job keeps the agent's table of jobs: calls of tools that run in the background, from their start to their end.
//
// Its one invariant: a job ends once, and what comes after its end changes nothing; an id is never used again.
package job

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// State is where a job is in its life. All but Running are ends.
type State string

// The states.
const (
	Running     State = "running"
	Done        State = "done"
	Failed      State = "failed"
	TimedOut    State = "timed_out"
	Cancelled   State = "cancelled"   // by the end of the run
	Interrupted State = "interrupted" // by a takeover or an emergency stop; the text so far is kept
	Lost        State = "lost"        // it did not hear that it was cancelled; what it did is not known
)

// Limits of what is kept.
const (
	MaxLines    = 2000 // of output; older ones are forgotten
	MaxLineSize = 4096 // bytes; the rest of a longer line is forgotten
	MaxEnded    = 100  // jobs; the ones that ended first are forgotten
)

// Job is one call in the background. It is a value.
type Job struct {
	ID     string
	Tool   string
	Args   json.RawMessage
	Began  time.Duration // robot clock
	Ended  time.Duration // robot clock; 0 while it runs
	State  State
	Result json.RawMessage // an object; nil when there is none
	Reason string          // why it did not end well; "" otherwise

	out output
}

// output is text by lines. The last one may still grow.
type output struct {
	dropped int // lines forgotten
	lines   []string
	open    bool // the last line has not ended
}

// End says how a job ended.
type End struct {
	State  State
	Result json.RawMessage
	Reason string
}

// Table holds the jobs of a run in the order they were begun. The zero Table is empty.
type Table struct {
	given int
	list  []*Job
}

// Anew is an empty table that gives no id of t again.
func (t *Table) Anew() Table { return Table{given: t.given} }

// Begin puts a job into the table and gives its id.
func (t *Table) Begin(tool string, args json.RawMessage, at time.Duration) (id string) {
	t.given++
	id = fmt.Sprintf("j%d", t.given)
	t.list = append(t.list, &Job{ID: id, Tool: tool, Args: args, Began: at, State: Running})
	return id
}

// Print adds text to the output of a job; false when it has ended or there is none of this id.
func (t *Table) Print(id, text string) bool {
	j := t.find(id)
	if j == nil || j.State != Running {
		return false
	}
	j.out.add(strings.ToValidUTF8(text, "�"))
	return true
}

// End ends a job; false when it has ended before or there is none of this id.
func (t *Table) End(id string, e End, at time.Duration) bool {
	j := t.find(id)
	if j == nil || j.State != Running || e.State == Running {
		return false
	}
	j.State, j.Result, j.Reason, j.Ended = e.State, e.Result, e.Reason, at
	t.forget()
	return true
}

// forget drops the oldest ends beyond what is kept.
func (t *Table) forget() {
	ended := 0
	for _, j := range t.list {
		if j.State != Running {
			ended++
		}
	}
	t.list = slices.DeleteFunc(t.list, func(j *Job) bool {
		if ended <= MaxEnded || j.State == Running {
			return false
		}
		ended--
		return true
	})
}

// Get finds a job by id.
func (t *Table) Get(id string) (Job, bool) {
	if j := t.find(id); j != nil {
		return *j, true
	}
	return Job{}, false
}

// All are the jobs in the order they were begun.
func (t *Table) All() []Job {
	out := make([]Job, len(t.list))
	for i, j := range t.list {
		out[i] = *j
	}
	return out
}

// Running is how many jobs have not ended.
func (t *Table) Running() (n int) {
	for _, j := range t.list {
		if j.State == Running {
			n++
		}
	}
	return n
}

func (t *Table) find(id string) *Job {
	if i := slices.IndexFunc(t.list, func(j *Job) bool { return j.ID == id }); i >= 0 {
		return t.list[i]
	}
	return nil
}

// Lines are up to n lines of the output from line offset on, counted from 0, and the first line that stands there: an
// older one may have been forgotten. total is how many lines there were in all.
func (j Job) Lines(offset, n int) (lines []string, from, total int) {
	total = j.out.dropped + len(j.out.lines)
	from = min(max(offset, j.out.dropped), total)
	to := min(from+max(n, 0), total)
	return slices.Clone(j.out.lines[from-j.out.dropped : to-j.out.dropped]), from, total
}

// Elapsed is how long the job has run, at the robot clock's now.
func (j Job) Elapsed(now time.Duration) time.Duration {
	if j.State != Running {
		now = j.Ended
	}
	return now - j.Began
}

func (o *output) add(text string) {
	for piece := range strings.SplitAfterSeq(text, "\n") {
		if piece == "" {
			continue
		}
		line, whole := strings.CutSuffix(piece, "\n")
		if o.open {
			last := len(o.lines) - 1
			o.lines[last] = short(o.lines[last] + line)
		} else {
			o.lines = append(o.lines, short(line))
		}
		o.open = !whole
	}
	if more := len(o.lines) - MaxLines; more > 0 {
		o.dropped += more
		o.lines = slices.Delete(o.lines, 0, more)
	}
}

// short cuts a line that is too long at the end of a character.
func short(s string) string {
	if len(s) <= MaxLineSize {
		return s
	}
	return strings.ToValidUTF8(s[:MaxLineSize], "")
}
