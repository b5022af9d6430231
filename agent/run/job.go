package run

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rein-robotics/rein/agent/job"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/episode"
)

// wait is a call that waits for the end of a job.
type wait struct {
	call call // to be closed; its id is "" when it was, and only the clock's answer is still out
	job  string
}

// onPrinted keeps what a job puts out.
func (s *State) onPrinted(e Printed) {
	if r, ok := s.runs[e.ID]; ok && r.job != "" {
		s.jobs.Print(r.job, e.Text)
	}
}

// onJobDone ends a job whose function has come back.
func (s *State) onJobDone(m Moment, e JobDone) {
	r, ok := s.runs[e.ID]
	delete(s.runs, e.ID)
	if !ok {
		s.late("end of a job", e.ID)
		return
	}
	end := job.End{State: job.Done, Result: e.Result}
	if e.Err != nil {
		end = job.End{State: endState(e.Err), Reason: e.Err.Error()}
		if r.cancel != "" && end.State != job.Lost {
			end.State = r.cancel
		}
	}
	s.endJob(m, r.job, end)
}

// endJob notes the end of a job and tells it: to the call that waits for it, else to the planner when it is woken.
func (s *State) endJob(m Moment, id string, end job.End) {
	if !s.jobs.End(id, end, m.At) {
		return
	}
	j, _ := s.jobs.Get(id)
	s.log(episode.JobDone{Tag: s.Tag(), What: j.Tool + " " + string(j.State), ID: id})
	if s.Over() || s.endWaits(m, id, nil) {
		return
	}
	s.tell(m, view.Happening{Kind: "job_done", Action: id, Tool: j.Tool, Args: j.Args, Outcome: string(j.State), Reason: gist(j)})
	s.news.wake(view.WakeJob, fmt.Sprintf("%s (%s) ended: %s", id, j.Tool, strings.ReplaceAll(string(j.State), "_", " ")))
}

// gistSize is how much of a job's result is told with its end, bytes.
const gistSize = 600

// gist is what a job came to, as far as it goes on a line.
func gist(j job.Job) string {
	text := j.Reason
	if text == "" {
		text = string(j.Result)
	}
	if len(text) <= gistSize {
		return text
	}
	return strings.ToValidUTF8(text[:gistSize], "") + "… (" + toolReadJob + " has all of it)"
}

// jobView is a job as the planner is told of it.
type jobView struct {
	Job      string          `json:"job"`
	Tool     string          `json:"tool"`
	Args     json.RawMessage `json:"args,omitempty"`
	Status   job.State       `json:"status"`
	ElapsedS float64         `json:"elapsed_s"`
	Result   json.RawMessage `json:"result,omitempty"`
	Reason   string          `json:"reason,omitempty"`
	Output   *outputView     `json:"output,omitempty"`
	EndedBy  string          `json:"ended_by,omitempty"` // of a wait, when it was not the end of the job
}

// outputView is a part of what a job has put out.
type outputView struct {
	From  int      `json:"from"`  // number of the first line here, counted from 0
	Lines []string `json:"lines"` // without their ends
	Total int      `json:"total"` // lines so far
}

func viewOf(j job.Job, now time.Duration) jobView {
	return jobView{
		Job: j.ID, Tool: j.Tool, Args: j.Args, Status: j.State, ElapsedS: j.Elapsed(now).Seconds(), Result: j.Result, Reason: j.Reason,
	}
}

// waitFor holds the reply's next calls back until a job has ended or the time is over.
func (s *State) waitFor(m Moment, c call) {
	in, ok := input[waitInput](s, m, c)
	if !ok {
		return
	}
	j, err := s.jobOf(in.Job)
	if err != nil {
		s.refuse(m, c, refusalOf(err))
		return
	}
	s.accepted()
	v := viewOf(j, m.At)
	if j.State == job.Running && len(s.news.messages) > 0 {
		v.EndedBy = "a message of the user"
	}
	if j.State != job.Running || v.EndedBy != "" {
		s.answer(m, c, v)
		return
	}
	id := s.id()
	s.waits[id] = &wait{call: c, job: j.ID}
	s.do(Rest{ID: id, Wait: time.Duration(in.TimeoutS * float64(time.Second))})
}

// onRested ends a wait whose time is over.
func (s *State) onRested(m Moment, e Rested) {
	w, ok := s.waits[e.ID]
	delete(s.waits, e.ID)
	switch {
	case !ok:
		s.late("end of a wait", e.ID)
	case w.call.id != "":
		j, _ := s.jobs.Get(w.job)
		v := viewOf(j, m.At)
		v.EndedBy = "its time"
		s.answer(m, w.call, v)
	}
}

// endWaits answers the calls that wait for a job, all of them when id is "", and says whether there were any. by is
// what ended them, nil = the job's end.
func (s *State) endWaits(m Moment, id string, by *string) (were bool) {
	for _, e := range slices.Sorted(maps.Keys(s.waits)) {
		w := s.waits[e]
		if w.call.id == "" || id != "" && w.job != id {
			continue
		}
		were = true
		s.do(CancelCall{ID: e})
		call := w.call
		w.call.id = ""
		j, _ := s.jobs.Get(w.job)
		v := viewOf(j, m.At)
		if by != nil {
			v.EndedBy = *by
		}
		s.answer(m, call, v)
	}
	return were
}

// dropWaits forgets the calls that wait: they are answered otherwise.
func (s *State) dropWaits() {
	for _, e := range slices.Sorted(maps.Keys(s.waits)) {
		if w := s.waits[e]; w.call.id != "" {
			w.call.id = ""
			s.do(CancelCall{ID: e})
		}
	}
}

// cancelJobs asks the jobs to end; each still gives its one answer.
func (s *State) cancelJobs() {
	for _, id := range slices.Sorted(maps.Keys(s.runs)) {
		if r := s.runs[id]; r.job != "" {
			r.cancel = job.Cancelled
			s.do(CancelCall{ID: id})
		}
	}
}

// runningJobs are the jobs as the planner's view has them.
func (s *State) runningJobs(m Moment) (out []view.Job) {
	for _, j := range s.jobs.All() {
		if j.State == job.Running {
			out = append(out, view.Job{Job: j.ID, Tool: j.Tool, Args: j.Args, ElapsedS: j.Elapsed(m.At).Seconds()})
		}
	}
	return out
}
