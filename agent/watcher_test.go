package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/monitor/question"
	"github.com/rein-robotics/rein/skill"
	"pgregory.net/rapid"
)

// oracle is a monitor that says what it is told to: by action and number of the tick.
type oracle struct {
	now     func() time.Duration
	say     func(ctx context.Context, action string, number int) (words string, err error)
	instant bool

	mu     sync.Mutex
	calls  map[string]int // of Ask, by action
	atOnce int            // most calls of one action at a time
	busy   map[string]int
}

// most is how many calls about one action there were at a time.
func (o *oracle) most() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.atOnce
}

func (o *oracle) Instant() bool { return o.instant }

func (o *oracle) Watch(w run.Watched) agent.Watch { return &gaze{o: o, of: w} }

type gaze struct {
	o      *oracle
	of     run.Watched
	number int
}

func (g *gaze) Look(_ context.Context, number int) (*run.Sighting, error) {
	g.number = number
	return &run.Sighting{At: g.o.now()}, nil
}

func (g *gaze) Ask(ctx context.Context, _ *run.Sighting, qs []question.Question) (run.Assessed, error) {
	o := g.o
	o.mu.Lock()
	if o.calls == nil {
		o.calls, o.busy = map[string]int{}, map[string]int{}
	}
	o.calls[g.of.Action]++
	o.busy[g.of.Action]++
	o.atOnce = max(o.atOnce, o.busy[g.of.Action])
	o.mu.Unlock()
	defer func() {
		o.mu.Lock()
		o.busy[g.of.Action]--
		o.mu.Unlock()
	}()
	words, err := o.say(ctx, g.of.Action, g.number)
	out := run.Assessed{Usage: model.Usage{Input: 10}}
	for _, q := range qs {
		a := q.No(question.Refused, "")
		for w := range strings.FieldsSeq(words) {
			if name, value, is := strings.Cut(w, "="); is && name == q.Name {
				a = answerOf(q, value)
			}
		}
		out.Answers = append(out.Answers, a)
	}
	return out, err
}

// answerOf reads "0.9" and "there:0.9".
func answerOf(q question.Question, value string) question.Answer {
	option, number, chosen := strings.Cut(value, ":")
	if !chosen {
		number = option
	}
	p, err := strconv.ParseFloat(number, 64)
	switch {
	case err != nil:
		return q.No(question.Invalid, err.Error())
	case chosen:
		return q.Chosen(option, p)
	}
	return q.Is(p)
}

// phases are the questions of reach in these tests.
const phases = `[{"name":"progress","type":"choice","instructions":"Which phase?","choices":{"going":"","there":"","lost":"","broken":""},"when":[
	{"do":"finish","value":"there","threshold":0.8,"then":"squeeze"},
	{"do":"escalate","value":"lost","threshold":0.8,"consecutive":2,"after_s":0.6},
	{"do":"fail","value":"broken","threshold":0.8}]}]`

// watchedBy makes the rig's reach a watched tool that runs until somebody ends it.
func watchedBy(o *oracle) option {
	return func(c *agent.Config) {
		o.now = c.Clock.Now
		c.Watcher = o
		c.Settings.Monitor = &run.MonitorRules{Every: 300 * time.Millisecond, MaxAge: 10 * time.Second}
		c.Settings.Tools[0].Spec.Monitor = json.RawMessage(phases)
		c.Waits.Monitor = patience
	}
}

// saying is a monitor that says the same on every tick from a number on.
func saying(from int, words string) func(context.Context, string, int) (string, error) {
	return func(_ context.Context, _ string, n int) (string, error) {
		if n < from {
			return "progress=going:0.9", nil
		}
		return words, nil
	}
}

func TestPickIsFinishedByItsFirstConfidentTick(t *testing.T) {
	o := &oracle{say: saying(3, "progress=there:0.95"), instant: true}
	r := newRig(t, []round{says(call("reach", `{"how":"forever"}`)), says(finish(true))}, watchedBy(o))
	res := r.run("do it")
	ends := events[episode.ActionEnded](r.log)
	if len(ends) != 2 || ends[0].Outcome != "succeeded" || ends[0].Cause != "monitor" || ends[1].Tool != "squeeze" || res.Turns != 2 {
		t.Fatalf("got %+v, %+v; log:\n%s", res, ends, r.log)
	}
	if e := ends[0].ElapsedS; e < 0.9 || e > 0.92 {
		t.Errorf("it ended after %v s, want the third tick, 0.9 s", e)
	}
	want := []string{"action_started", "monitor_answer", "monitor_answer", "monitor_answer", "monitor_rule", "action_ended", "action_started", "action_ended"}
	if diff := cmp.Diff(want, r.log.kinds("action_started", "monitor_answer", "monitor_rule", "action_ended")); diff != "" {
		t.Error(diff)
	}
	if rule := events[episode.MonitorRule](r.log)[0]; string(rule.Value) != `"there"` || rule.Then != "squeeze" || rule.Action != "a1" {
		t.Errorf("got %+v", rule)
	}
	if res.Usage.Input != 30 {
		t.Errorf("got %d tokens, want those of three ticks", res.Usage.Input)
	}
	r.atRest()
}

func TestTwoFailedTicksWakeOnce(t *testing.T) {
	o := &oracle{say: saying(1, "progress=lost:0.9"), instant: true}
	r := newRig(t, []round{
		says(call("reach", `{"how":"forever"}`)),
		says(call("stop_action", `{"action_id":"a1","reason":"it is lost"}`)),
		says(finish(false)),
	}, watchedBy(o))
	res := r.run("do it")
	answers := events[episode.MonitorAnswer](r.log)
	if rules := events[episode.MonitorRule](r.log); len(rules) != 1 || rules[0].Do != "escalate" || rules[0].Consecutive != 2 || len(answers) != 3 {
		t.Errorf("got %+v after %d answers; log:\n%s", rules, len(answers), r.log)
	}
	if rep := lastReport(r.planner.views()[1]); len(rep.Running) != 1 || len(rep.Running[0].Answers) != 1 || rep.Running[0].Answers[0].Value != "lost" {
		t.Errorf("the planner is shown %+v", rep.Running)
	}
	if res.Turns != 3 {
		t.Errorf("got %d rounds", res.Turns)
	}
}

// A monitor that hangs, that fails and that answers late delays neither a stop nor a deadline, and changes nothing but
// the log.
func TestMonitorThatIsNoHelp(t *testing.T) {
	free := make(chan struct{}) // closed when the test of the deaf one is over
	tests := map[string]struct {
		say     func(ctx context.Context, action string, n int) (string, error)
		missing string
	}{
		"never_answers": {func(ctx context.Context, _ string, _ int) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		}, "timeout"},
		"does_not_hear_its_cancel": {func(context.Context, string, int) (string, error) {
			<-free
			return "progress=broken:1", nil
		}, "timeout"},
		"has_a_limit_of_its_own": {func(context.Context, string, int) (string, error) {
			return "", fmt.Errorf("asking: %w", context.DeadlineExceeded)
		}, "timeout"},
		"fails":           {func(context.Context, string, int) (string, error) { return "", errors.New("no connection") }, "failed"},
		"refuses":         {saying(1, ""), "refused"},
		"talks_nonsense":  {saying(1, "progress=yes"), "invalid"},
		"panics":          {func(context.Context, string, int) (string, error) { panic("oh") }, "failed"},
		"is_never_sure":   {saying(1, "progress=broken:0.5"), ""},
		"is_just_content": {saying(1, "progress=going:1"), ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			o := &oracle{say: tc.say}
			opts := []option{watchedBy(o)}
			if name == "never_answers" || name == "does_not_hear_its_cancel" { // the others answer at once, on a loaded machine too
				opts = append(opts, soon, func(c *agent.Config) { c.Waits.Monitor = time.Millisecond })
			}
			r := newRig(t, []round{says(call("reach", `{"how":"forever"}`)), says(finish(true))}, opts...)
			r.run("do it")
			if name == "does_not_hear_its_cancel" {
				close(free)
			}
			ends := events[episode.ActionEnded](r.log)
			if len(ends) != 1 || ends[0].Outcome != "timed_out" || ends[0].ElapsedS > 2.02 || len(events[episode.MonitorRule](r.log)) != 0 {
				t.Errorf("got %+v; log:\n%s", ends, r.log)
			}
			answers := events[episode.MonitorAnswer](r.log)
			if len(answers) < 6 || len(answers) > 7 { // a tick every 0.3 s of two seconds, and while the stop is measured
				t.Errorf("got %d answers, want 6 or 7", len(answers))
			}
			for _, a := range answers {
				if a.Answers["progress"].Missing != tc.missing {
					t.Errorf("got %+v", a.Answers)
				}
			}
			if o.most() > 1 {
				t.Errorf("%d calls at a time", o.most())
			}
			r.atRest()
		})
	}
}

// The stop of an action does not wait for a call of its monitor, and the call hears that the action has ended.
func TestStopCancelsTheCall(t *testing.T) {
	asked, heard := make(chan struct{}), make(chan struct{})
	o := &oracle{say: func(ctx context.Context, _ string, _ int) (string, error) {
		close(asked)
		<-ctx.Done()
		close(heard)
		return "progress=broken:1", nil
	}}
	r := newRig(t, []round{says(call("reach", `{"how":"forever"}`)), says(finish(true))}, watchedBy(o), interactive)
	r.start()
	r.agent.Send("do it")
	<-asked
	r.loop.AskTakeover("key w", func([]string, error) {})
	<-heard
	r.agent.Send("go on")
	if res := r.result(); res.Claimed == nil {
		t.Errorf("got %+v", res)
	}
	if n := len(events[episode.MonitorRule](r.log)); n != 0 {
		t.Errorf("%d rules fired", n)
	}
}

// Several ends between the same two ticks: what the monitor asked for and the skill's own end are weighed by the loop.
func TestSkillsOwnEndBeforeTheMonitors(t *testing.T) {
	o := &oracle{say: saying(1, "progress=there:1"), instant: true}
	r := newRig(t, []round{says(call("reach", `{"how":"fail","seconds":0.3}`)), says(finish(true))}, watchedBy(o))
	r.run("do it")
	e := events[episode.ActionEnded](r.log)
	if len(e) != 1 || e[0].Outcome != "failed" || e[0].Cause != "skill" || len(e[0].Also) != 1 || e[0].Also[0].Cause != "monitor" {
		t.Errorf("got %+v; log:\n%s", e, r.log)
	}
}

// A deadline and a finish rule between the same two ticks: the rule stands before it, and its follow-up starts.
func TestMonitorBeforeTheDeadline(t *testing.T) {
	o := &oracle{say: saying(1, "progress=there:1"), instant: true}
	r := newRig(t, []round{says(call("reach", `{"how":"forever"}`)), says(finish(true))}, watchedBy(o), func(c *agent.Config) {
		c.Settings.Monitor.Every = 1990 * time.Millisecond // the tick before the deadline of reach
	})
	r.run("do it")
	e := events[episode.ActionEnded](r.log)
	if len(e) != 2 || e[0].Cause != string(control.CauseMonitor) || len(e[0].Also) != 1 || e[0].Also[0].Cause != "deadline" || e[1].Tool != "squeeze" {
		t.Errorf("got %+v; log:\n%s", e, r.log)
	}
}

// A tracker's first result needs robot time: what waits in line beside it, such as a look of the monitor at another action,
// must not hold the clock until it has come.
func TestTrackerBesideAWatchedAction(t *testing.T) {
	o := &oracle{say: saying(1, "progress=going:0.9"), instant: true}
	r := newRig(t, []round{says(call("reach", `{"how":"forever"}`), call("squeeze", `{}`)), says(model.Text{Text: "I see."}), says(finish(true))}, watchedBy(o), func(c *agent.Config) {
		c.Settings.Monitor.Every = 10 * time.Millisecond
		c.Settings.Tools[1].Services = func(skill.Call) []skill.Service {
			return []skill.Service{{Module: cam, Field: "target", Seed: skill.Point{Pixel: [2]float64{5, 5}}}}
		}
	})
	if res := r.run("do it"); res.Actions != 2 {
		t.Errorf("got %+v; log:\n%s", res, r.log)
	}
}

// sights are what a monitor may say, right and wrong, in drawn runs.
var sights = []string{
	"progress=going:0.9 grip=0.1", "progress=there:0.9", "progress=there:0.5", "progress=lost:0.9", "progress=lost:0.9 grip=0.9", "progress=broken:0.9",
	"grip=0.9", "grip=0.9", "", "progress=yes", "fail", "hang", "panic",
}

// gripQuestions are those of squeeze in drawn runs.
const gripQuestions = `[{"name":"grip","instructions":"Is it held?","when":[{"do":"finish","threshold":0.8,"consecutive":2,"then":"reach"},{"do":"escalate","value":false}]}]`

// watched gives a drawn run its monitor.
func (x *trial) watched(c *agent.Config) {
	if len(x.d.Sights) == 0 {
		return
	}
	x.oracle = &oracle{instant: x.d.Quick, say: func(ctx context.Context, action string, n int) (string, error) {
		words := x.d.Sights[(len(action)*31+int(action[len(action)-1])*7+n)%len(x.d.Sights)]
		switch words {
		case "fail":
			return "", errors.New("no connection")
		case "panic":
			panic("oh")
		case "hang":
			<-ctx.Done()
			return "", ctx.Err()
		}
		return words, nil
	}}
	watchedBy(x.oracle)(c)
	c.Waits.Monitor = 2 * time.Millisecond
	c.Settings.Monitor.KeepsFirst = x.d.Headless
	c.Settings.Tools[1].Spec.Monitor = json.RawMessage(gripQuestions)
}

// quickMonitor makes the run's monitor one that takes no time.
func (d *drawn) quickMonitor() {
	d.Quick = true
	for i := range d.Sights {
		d.Sights[i] = strings.Replace(d.Sights[i], "hang", "fail", 1)
	}
}

// checkMonitor: one call of an action at a time, every end by the monitor has its rule, and no answer or rule comes after
// the end of its action.
func checkMonitor(rt *rapid.T, x *trial) {
	if x.oracle == nil {
		return
	}
	if x.oracle.most() > 1 {
		rt.Fatalf("%d calls about one action at a time", x.oracle.most())
	}
	ended, ruled := map[string]bool{}, map[string]bool{}
	for _, e := range events[episode.Event](x.log) {
		about := ""
		switch e := e.(type) {
		case episode.MonitorFrame:
			about = e.Action
		case episode.MonitorAnswer:
			about = e.Action
		case episode.MonitorRule:
			about = e.Action
			ruled[e.Action] = ruled[e.Action] || e.Do != "escalate"
		case episode.ActionEnded:
			if e.Cause == "monitor" && !ruled[e.Action] {
				rt.Fatalf("%s was ended by the monitor without a rule; log:\n%s", e.Action, x.log)
			}
			ended[e.Action] = true
		}
		if ended[about] {
			rt.Fatalf("the monitor spoke of %s after its end; log:\n%s", about, x.log)
		}
	}
}
