package run

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/agent/inbox"
	"github.com/rein-robotics/rein/agent/job"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
)

func TestJobIsAnsweredAtOnceAndWakesAtItsEnd(t *testing.T) {
	for _, name := range []string{"survey", "build"} {
		t.Run(name, func(t *testing.T) {
			d := begun(t, functions(t))
			d.reply(asks(name, `{"of":"x"}`))
			if got := d.results(); len(got) != 1 || got[0] != `{"job":"j1","status":"running"}` {
				t.Fatalf("got %v", got)
			}
			d.reply() // nothing to do but to wait for it
			d.wants("runTool")
			if d.s.phase != watching {
				t.Fatalf("got phase %s", d.s.phase)
			}
			d.comesBack(`{"n":7}`)
			d.lookAround()
			told := d.told()
			for _, w := range []string{"job done j1", name, "done", `{"n":7}`, "Woken by: job done"} {
				if !strings.Contains(told, w) {
					t.Errorf("%q is not told:\n%s", w, told)
				}
			}
			if got := of[episode.JobDone](d); len(got) != 1 || got[0].ID != "j1" || got[0].What != name+" done" {
				t.Errorf("logged %+v", got)
			}
		})
	}
}

func TestHowAJobEnds(t *testing.T) {
	tests := map[string]struct {
		err   error
		state job.State
	}{
		"well":     {nil, job.Done},
		"failure":  {errors.New("no paper"), job.Failed},
		"deadline": {ErrToolTooLong, job.TimedOut},
		"deaf":     {ErrToolLost, job.Lost},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d := begun(t, functions(t))
			d.reply(asks("survey", `{}`))
			d.give(JobDone{ID: pop[RunTool](d).ID, Result: json.RawMessage(`{}`), Err: tc.err})
			if j, _ := d.s.jobs.Get("j1"); j.State != tc.state {
				t.Errorf("got %s, want %s", j.State, tc.state)
			}
			d.reply(asks("jobs", `{}`))
			if got := d.results(); len(got) != 1 || !strings.Contains(got[0], `"status":"`+string(tc.state)+`"`) {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestEndsOfJobsFoldIntoOneTurn(t *testing.T) {
	d := begun(t, functions(t))
	d.reply(asks("survey", `{"of":"a"}`), asks("build", `{"of":"b"}`))
	d.reply()
	d.comesBack(`{}`) // opens the turn: its look is under way
	d.comesBack(`{}`)
	d.lookAround()
	if told := d.told(); !strings.Contains(told, "job done j1") || !strings.Contains(told, "job done j2") {
		t.Errorf("told:\n%s", told)
	}
	d.wants("callModel")
}

func TestEndOfAJobIsABackgroundEvent(t *testing.T) {
	if class, stack := (JobDone{}).Class(); class != inbox.Background || !stack {
		t.Errorf("got %d, %t", class, stack)
	}
}

// TestQueueGoesOnBesideAJob: a running job does not hold the plan's next complete step back, and what cannot go on
// without the planner waits for the job when the planner has left it at that.
func TestQueueGoesOnBesideAJob(t *testing.T) {
	d := begun(t, functions(t))
	d.reply(asks("survey", `{}`), asks("update_plan", `{"steps":[{"text":"one","tool":"reach"},{"text":"judge"}]}`))
	d.reply()
	d.wants("runTool prepare")
	d.takes()
	d.ends("a1", control.Succeeded, control.CauseSkill)
	d.wants("runTool look") // the next step needs the planner, job or not
	d.lookAround()
	d.reply() // it leaves it at the job
	d.wants("runTool")
	d.give(Happened{What: control.TimerFired{ID: "other"}})
	d.wants("runTool")
	d.comesBack(`{}`)
	d.wants("look")
}

func TestRunningJobsAreInTheView(t *testing.T) {
	d := begun(t, functions(t))
	d.reply(asks("survey", `{"of":"x"}`))
	d.reply()
	d.give(Message{Text: "how far?"})
	d.lookAround()
	if told := d.told(); !strings.Contains(told, `Job: j1 → survey {"of":"x"}, running for`) {
		t.Errorf("told:\n%s", told)
	}
}

// TestInterruptsDoNotKillJobs: a job that ends in a pause waits for the resume.
func TestInterruptsDoNotKillJobs(t *testing.T) {
	tests := map[string]func(d *desk){
		"takeover": takeover,
		"estop":    func(d *desk) { d.news(control.EStopped{By: "operator", Generation: 2}) },
		"fault":    func(d *desk) { d.news(control.RobotFault{Err: errors.New("hot")}) },
	}
	for name, interrupt := range tests {
		t.Run(name, func(t *testing.T) {
			d := begun(t, functions(t))
			d.reply(asks("survey", `{}`))
			d.reply()
			interrupt(d)
			if len(d.cuts) != 0 {
				t.Errorf("cancelled %v", d.cuts)
			}
			d.comesBack(`{"n":7}`)
			d.wants("")
			if got := of[episode.JobDone](d); len(got) != 1 {
				t.Errorf("logged %+v", got)
			}
			d.give(Message{Text: "go on"})
			d.lookAround()
			if told := d.told(); !strings.Contains(told, "job done j1") {
				t.Errorf("told:\n%s", told)
			}
		})
	}
}

// TestEndOfTheRunKillsJobs: they are cancelled, the verdict waits for their ends, and nobody is woken.
func TestEndOfTheRunKillsJobs(t *testing.T) {
	tests := map[string]func(d *desk){
		"finish_task": func(d *desk) { d.reply(finishes()) },
		"cancel":      func(d *desk) { d.give(Canceled{By: "the user"}) },
		"log_broken":  func(d *desk) { d.give(LogBroken{Err: errors.New("full")}) },
		"budget":      func(d *desk) { d.at += 2 * time.Hour; d.give(Rested{}) },
	}
	for name, finish := range tests {
		t.Run(name, func(t *testing.T) {
			d := begun(t, functions(t))
			d.reply(asks("survey", `{}`), asks("build", `{}`))
			finish(d)
			one, two := pop[RunTool](d), pop[RunTool](d)
			if diff := cmp.Diff([]EffectID{one.ID, two.ID}, d.cuts[len(d.cuts)-2:]); diff != "" {
				t.Errorf("cancelled: %s", diff)
			}
			d.give(JobDone{ID: two.ID, Err: ErrToolLost})
			if strings.Contains(d.kinds(), "judge") {
				t.Fatal("the verdict was asked for while a job was running")
			}
			d.give(JobDone{ID: one.ID, Err: ErrInterrupted})
			d.give(Judged{ID: pop[Judge](d).ID})
			if d.result == nil {
				t.Fatal("the run did not end")
			}
			var got []string
			for _, e := range of[episode.JobDone](d) {
				got = append(got, e.ID+" "+e.What)
			}
			if diff := cmp.Diff([]string{"j2 build lost", "j1 survey cancelled"}, got); diff != "" {
				t.Error(diff)
			}
			d.pending = nil
			d.give(JobDone{ID: one.ID})
			if d.wants(""); d.lates() == 0 {
				t.Error("an end after the end is not logged as late")
			}
		})
	}
}

func TestJobThatEndsBesideAFinish(t *testing.T) {
	d := begun(t, functions(t))
	d.reply(asks("survey", `{}`))
	end := d.stream(finishes())
	d.comesBack(`{}`) // before the reply is over
	end()
	d.give(Judged{ID: pop[Judge](d).ID})
	if d.wants(""); d.result == nil || len(of[episode.JobDone](d)) != 1 {
		t.Errorf("got %+v, logged %+v", d.result, of[episode.JobDone](d))
	}
}

func TestJobsOfARunAreNotKnownInTheNext(t *testing.T) {
	d := begun(t, functions(t))
	d.reply(asks("survey", `{}`))
	d.comesBack(`{}`)
	d.reply(finishes())
	d.give(Judged{ID: pop[Judge](d).ID})
	next := d.s.Anew("", 0)
	if n := len(next.jobs.All()); n != 0 {
		t.Errorf("the next run has %d jobs", n)
	}
	if id := next.jobs.Begin("survey", nil, 0); id != "j2" {
		t.Errorf("its first job is %s", id)
	}
}

func TestWait(t *testing.T) {
	d := begun(t, functions(t))
	d.reply(asks("survey", `{}`))
	end := d.stream(asks("wait", `{"job":"j1","timeout_s":30}`), asks("reach", `{}`), asks("observe", `{}`))
	end()
	if r := pop[Rest](d); r.Wait != 30*time.Second {
		t.Errorf("waits for %v", r.Wait)
	}
	d.wants("runTool look") // the motion comes after the wait; what reads does not
	d.lookAround()
	d.comesBack(`{"n":7}`)
	d.wants("prepare")
	d.takes()
	d.ends("a1", control.Succeeded, control.CauseSkill)
	d.lookAround()
	if got := d.answer(2); !strings.Contains(got, `"status":"done"`) || !strings.Contains(got, `{"n":7}`) {
		t.Errorf("got %s", got)
	}
	if told := d.told(); strings.Contains(told, "job done") {
		t.Errorf("what the wait brought is told twice:\n%s", told)
	}
}

func TestWhatEndsAWait(t *testing.T) {
	tests := map[string]struct {
		end  func(d *desk, r Rest)
		want []string
	}{
		"the_job":      {func(d *desk, _ Rest) { d.comesBack(`{}`) }, []string{`"status":"done"`}},
		"its_time":     {func(d *desk, r Rest) { d.give(Rested{ID: r.ID}) }, []string{`"status":"running"`, "its time"}},
		"the_user":     {func(d *desk, _ Rest) { d.give(Message{Text: "stop that"}) }, []string{`"status":"running"`, "message of the user"}},
		"not_at_rest":  {func(d *desk, _ Rest) { d.news(control.NotAtRest{Modules: []string{"arm"}}) }, []string{`"status":"running"`, "did not come to rest"}},
		"the_operator": {func(d *desk, _ Rest) { takeover(d); d.give(Message{Text: "go on"}); d.lookAround() }, []string{"run_paused", "operator"}},
		"an_estop": {func(d *desk, _ Rest) {
			d.news(control.EStopped{By: "operator", Generation: 2})
			d.give(Message{Text: "go on"})
			d.lookAround()
		}, []string{"run_paused", "emergency stop"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d := begun(t, functions(t))
			d.reply(asks("survey", `{}`))
			d.reply(asks("wait", `{"job":"j1","timeout_s":60}`))
			r := pop[Rest](d)
			tc.end(d, r)
			for _, w := range tc.want {
				if got := d.answer(2); !strings.Contains(got, w) {
					t.Errorf("got %s, want %q in it", got, w)
				}
			}
			if name != "its_time" {
				if diff := cmp.Diff([]EffectID{r.ID}, d.cuts); diff != "" {
					t.Errorf("the clock's wait is not cancelled: %s", diff)
				}
				d.give(Rested{ID: r.ID})
			}
			if d.lates() != 0 {
				t.Error("the cancelled wait is logged as late")
			}
		})
	}
}

func TestWaitThatIsAnsweredAtOnce(t *testing.T) {
	tests := map[string]struct {
		before func(d *desk)
		args   string
		want   []string
	}{
		"for_an_ended_job":     {func(d *desk) { d.comesBack(`{"n":7}`) }, `{"job":"j1","timeout_s":10}`, []string{`"status":"done"`, `{"n":7}`}},
		"with_a_message_there": {func(d *desk) { d.give(Message{Text: "hey"}) }, `{"job":"j1","timeout_s":10}`, []string{`"status":"running"`, "message of the user"}},
		"for_an_action":        {func(*desk) {}, `{"job":"a1","timeout_s":10}`, []string{"not_allowed", "you will be woken"}},
		"for_nothing":          {func(*desk) {}, `{"job":"j9","timeout_s":10}`, []string{"unknown_job", "there are j1"}},
		"for_too_long":         {func(*desk) {}, `{"job":"j1","timeout_s":61}`, []string{"bad_arguments", "timeout_s must be at most 60"}},
		"for_less_than_none":   {func(*desk) {}, `{"job":"j1","timeout_s":-1}`, []string{"bad_arguments", "timeout_s"}},
		"without_a_limit":      {func(*desk) {}, `{"job":"j1"}`, []string{"bad_arguments", "timeout_s is missing"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d := begun(t, functions(t))
			d.reply(asks("survey", `{}`), asks("reach", `{}`))
			d.takes()
			d.ends("a1", control.Succeeded, control.CauseSkill)
			d.lookAround()
			c := pop[CallModel](d)
			tc.before(d)
			d.pending = append(d.pending, c)
			d.reply(asks("wait", tc.args))
			for _, w := range tc.want {
				if got := d.answer(3); !strings.Contains(got, w) {
					t.Errorf("got %s, want %q in it", got, w)
				}
			}
			if strings.Contains(d.kinds(), "rest") {
				t.Error("it waits")
			}
		})
	}
}

func TestTwoWaitsForOneJob(t *testing.T) {
	d := begun(t, functions(t))
	d.reply(asks("survey", `{}`))
	d.reply(asks("wait", `{"job":"j1","timeout_s":1}`), asks("wait", `{"job":"j1","timeout_s":1}`))
	d.give(Rested{ID: pop[Rest](d).ID})
	pop[Rest](d) // the second begins when the first is over
	d.comesBack(`{}`)
	if a, b := d.answer(2), d.answer(3); !strings.Contains(a, "its time") || !strings.Contains(b, `"done"`) {
		t.Errorf("got %s and %s", a, b)
	}
}

func TestReadJob(t *testing.T) {
	tests := map[string]struct {
		args string
		want string
	}{
		"all":            {`{"job":"j1"}`, `"output":{"from":0,"lines":["one","two","thr"],"total":3}`},
		"some":           {`{"job":"j1","offset":1,"lines":1}`, `"output":{"from":1,"lines":["two"],"total":3}`},
		"behind_the_end": {`{"job":"j1","offset":9}`, `"output":{"from":3,"lines":[],"total":3}`},
		"none_there":     {`{"job":"j2"}`, `"error":"unknown_job"`},
		"an_action":      {`{"job":"a1"}`, `"error":"unknown_job"`}, // no action has been started
		"before_all":     {`{"job":"j1","offset":-1}`, `"error":"bad_arguments"`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d := begun(t, functions(t))
			d.reply(asks("survey", `{}`))
			r := pop[RunTool](d)
			d.give(Printed{ID: r.ID, Text: "one\ntw"})
			d.give(Printed{ID: r.ID, Text: "o\nthr"})
			d.reply(asks("read_job", tc.args))
			if got := d.results(); len(got) != 1 || !strings.Contains(got[0], tc.want) {
				t.Errorf("got %v, want %s in it", got, tc.want)
			}
			d.give(JobDone{ID: r.ID, Result: json.RawMessage(`{"n":7}`)})
			d.give(Printed{ID: r.ID, Text: "too late"})
			d.reply(asks("read_job", `{"job":"j1"}`))
			if got := d.results(); !strings.Contains(got[0], `"result":{"n":7}`) || strings.Contains(got[0], "late") {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestCommandsAreUnknownWhereNothingCanUseThem(t *testing.T) {
	for _, name := range []string{"wait", "jobs", "read_job", "info", "skill", "delegate"} {
		d := begun(t)
		d.reply(asks(name, `{}`))
		if got := strings.Join(d.codes(), " "); got != "unknown_tool" {
			t.Errorf("%s: got [%s]", name, got)
		}
	}
}

func TestGistOfALongResult(t *testing.T) {
	d := begun(t, functions(t))
	d.reply(asks("survey", `{}`))
	d.reply()
	d.comesBack(`{"text":"` + strings.Repeat("ä", 2000) + `"}`)
	d.lookAround()
	if told := d.told(); len(told) > 3000 || !strings.Contains(told, "read_job has all of it") {
		t.Errorf("told %d bytes:\n%s", len(told), told)
	}
}

func TestEndOfAJobWakesAlsoWhileAQuestionWaits(t *testing.T) {
	d := begun(t, functions(t))
	d.reply(asks("survey", `{}`), asks("ask_user", `{"question":"which?"}`))
	if d.s.phase != waiting {
		t.Fatalf("got phase %s", d.s.phase)
	}
	d.comesBack(`{}`)
	d.lookAround()
	if told := d.told(); !strings.Contains(told, "job done j1") {
		t.Errorf("told:\n%s", told)
	}
}
