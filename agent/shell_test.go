package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/skill"
)

// planner is a reasoner of functions.
type planner struct {
	deliberate func(ctx context.Context, yield func(model.Part, error) bool)
	begin      func() error
	end        func(success *bool) error
	begins     atomic.Int32
	ends       atomic.Int32
}

func (*planner) Name() string { return "planner@1" }

func (p *planner) Begin(context.Context, agent.RunInfo) error {
	p.begins.Add(1)
	if p.begin != nil {
		return p.begin()
	}
	return nil
}

func (p *planner) End(_ context.Context, _ agent.RunInfo, ok *bool) error {
	p.ends.Add(1)
	if p.end != nil {
		return p.end(ok)
	}
	return nil
}

func (p *planner) Deliberate(ctx context.Context, _ run.View) iter.Seq2[model.Part, error] {
	return func(yield func(model.Part, error) bool) { p.deliberate(ctx, yield) }
}

// instant is a planner that takes no time: its effects are carried out one at a time.
type instant struct{ *planner }

func (instant) Instant() bool { return true }

func thinkWith(r agent.Reasoner) option { return func(c *agent.Config) { c.Reasoner = r } }

func TestFailingBrain(t *testing.T) {
	tests := map[string]*planner{
		"panics": {deliberate: func(context.Context, func(model.Part, error) bool) { panic("oh") }},
		"panics_after_a_call": {deliberate: func(_ context.Context, yield func(model.Part, error) bool) {
			yield(call("reach", `{"how":"forever"}`), nil)
			panic("oh")
		}},
		"fails":        {deliberate: func(_ context.Context, yield func(model.Part, error) bool) { yield(nil, errors.New("no credit")) }},
		"says_nothing": {deliberate: func(context.Context, func(model.Part, error) bool) {}},
		"is_cut":       {deliberate: func(_ context.Context, yield func(model.Part, error) bool) { yield(model.Text{Text: "I"}, nil) }},
		"begin_fails":  {begin: func() error { return errors.New("no key") }, deliberate: func(context.Context, func(model.Part, error) bool) { panic("not to be asked") }},
	}
	for name, p := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, nil, thinkWith(p))
			res := r.run("do it")
			if res.Status != run.StatusError || res.Claimed != nil {
				t.Errorf("got %+v", res)
			}
			if n := len(events[episode.ProviderError](r.log)); n != 1 {
				t.Errorf("got %d provider errors", n)
			}
			r.atRest()
		})
	}
}

func TestReasonerIsBracketedByBeginAndEnd(t *testing.T) {
	yes := true
	var told *bool
	p := &planner{end: func(ok *bool) error { told = ok; return errors.New("the memory is full") }}
	p.deliberate = func(_ context.Context, yield func(model.Part, error) bool) {
		if p.begins.Load() != 1 || p.ends.Load() != 0 {
			t.Errorf("asked after %d begins and %d ends", p.begins.Load(), p.ends.Load())
		}
		_ = yield(finish(true), nil) && yield(model.End{Reason: model.StopToolUse}, nil)
	}
	r := newRig(t, nil, thinkWith(p), func(c *agent.Config) { c.Judge = func(then func(*bool, error)) { then(&yes, nil) } })
	if res := r.run("do it"); res.Status != run.StatusSucceeded {
		t.Errorf("got %+v", res)
	}
	if p.ends.Load() != 1 || told == nil || !*told {
		t.Errorf("got %d ends, told %v", p.ends.Load(), told)
	}
}

// TestResultDoesNotWaitForAnEndThatHangs: whoever waits for the run hears of it, whatever the reasoner does afterwards.
func TestResultDoesNotWaitForAnEndThatHangs(t *testing.T) {
	gate := make(chan struct{})
	p := &planner{end: func(*bool) error { <-gate; return nil }}
	p.deliberate = func(_ context.Context, yield func(model.Part, error) bool) {
		_ = yield(finish(true), nil) && yield(model.End{Reason: model.StopToolUse}, nil)
	}
	r := newRig(t, nil, thinkWith(p), soon, func(c *agent.Config) { c.Waits.Prepare = time.Millisecond })
	r.start()
	t.Cleanup(func() { close(gate) })
	r.agent.Send("do it")
	if res := r.result(); res.Claimed == nil || !*res.Claimed {
		t.Errorf("got %+v", res)
	}
}

// A run may begin and end while the reasoner still hears the end of the one before: the results come in the order of the runs.
func TestResultsComeInTheOrderOfTheRuns(t *testing.T) {
	var r *rig
	second := make(chan struct{})
	p := &planner{}
	p.end = func(*bool) error {
		if p.ends.Load() == 2 {
			close(second)
			return nil
		}
		r.agent.Send("do it again")
		<-second
		for range 1000 { // the second result has time to come too early
			runtime.Gosched()
		}
		return nil
	}
	p.deliberate = func(_ context.Context, yield func(model.Part, error) bool) {
		_ = yield(finish(p.begins.Load() == 1), nil) && yield(model.End{Reason: model.StopToolUse}, nil)
	}
	r = newRig(t, nil, thinkWith(p))
	r.start()
	r.agent.Send("do it")
	for i, want := range []bool{true, false} {
		if res := r.result(); res.Claimed == nil || *res.Claimed != want {
			t.Errorf("result %d: got %+v, want a claim of %v", i+1, res, want)
		}
	}
}

// deaf is a planner that hears no cancel until free is called.
func deaf() (p *planner, asked <-chan struct{}, free func()) {
	gate, in := make(chan struct{}), make(chan struct{}, 8)
	p = &planner{deliberate: func(context.Context, func(model.Part, error) bool) {
		in <- struct{}{}
		<-gate
	}}
	return p, in, sync.OnceFunc(func() { close(gate) })
}

func TestCancelDoesNotWaitForADeafReasoner(t *testing.T) {
	for _, name := range []string{"streaming", "instant"} {
		t.Run(name, func(t *testing.T) {
			p, asked, free := deaf()
			var who agent.Reasoner = p
			if name == "instant" {
				who = instant{p}
			}
			r := newRig(t, nil, thinkWith(who), soon)
			r.start()
			t.Cleanup(free)
			r.agent.Send("do it")
			<-asked
			r.agent.Cancel("the test")
			if res := r.result(); res.Status != run.StatusCancelled {
				t.Errorf("got %+v", res)
			}
		})
	}
}

func TestReplyThatTakesTooLongIsCut(t *testing.T) {
	p, _, free := deaf()
	r := newRig(t, nil, thinkWith(p), soon, func(c *agent.Config) { c.Waits.Reply = time.Millisecond })
	r.start()
	t.Cleanup(free)
	r.agent.Send("do it")
	if res := r.result(); res.Status != run.StatusError {
		t.Errorf("got %+v", res)
	}
}

func TestSkillThatIsNeverReadyIsRefused(t *testing.T) {
	free := make(chan struct{})
	r := newRig(t, []round{says(call("hang", `{}`)), says(finish(false))}, func(c *agent.Config) {
		c.Waits.Prepare = time.Millisecond
		c.Settings.Tools = append(c.Settings.Tools, &skill.Tool{
			Name: "hang", Spec: skill.Spec{Description: "Hangs.", Commands: []string{arm}, Parameters: json.RawMessage(`{"type":"object"}`)},
			New: func(skill.Call) (skill.Skill, error) { <-free; return nil, nil },
		}, &skill.Tool{
			Name: "burst", Spec: skill.Spec{Description: "Panics.", Commands: []string{arm}, Parameters: json.RawMessage(`{"type":"object"}`)},
			New: func(skill.Call) (skill.Skill, error) { panic("oh") },
		})
		c.Reasoner.(*script).rounds[0] = says(call("hang", `{}`), call("burst", `{}`))
	})
	r.start()
	t.Cleanup(func() { close(free) })
	r.agent.Send("do it")
	r.result()
	ref := events[episode.Refused](r.log)
	if len(ref) != 2 || ref[0].Code != "cannot_start" || ref[1].Code != "cannot_start" {
		t.Errorf("got %+v", ref)
	}
}

func TestNoHoldIsLeft(t *testing.T) {
	r := newRig(t, []round{says(call("reach", `{"seconds":0.1}`)), says(finish(true))})
	r.run("do it")
	r.noHolds()
}

func TestClosedAgentHoldsNothing(t *testing.T) {
	asked := make(chan struct{}, 1)
	r := newRig(t, nil, thinkWith(&planner{deliberate: func(ctx context.Context, _ func(model.Part, error) bool) {
		asked <- struct{}{}
		<-ctx.Done()
	}}))
	r.start()
	r.agent.Send("do it")
	<-asked
	if err := r.agent.Close(); err != nil {
		t.Error(err)
	}
	r.agent.Send("again")
	r.agent.Cancel("the test")
	r.noHolds()
	if err := r.agent.Close(); err != nil {
		t.Error(err)
	}
}

func TestAgentThatNeverRanCanBeClosed(t *testing.T) {
	r := newRig(t, nil)
	r.agent.Send("do it")
	if err := r.agent.Close(); err != nil {
		t.Error(err)
	}
	r.noHolds()
}

func TestPictureThatCannotBeSavedEndsTheRun(t *testing.T) {
	r := newRig(t, []round{says(call("reach", `{}`))})
	r.log.noShots = errors.New("the disk is full")
	res := r.run("do it")
	if res.Status != run.StatusError || res.Actions != 0 || !strings.Contains(res.Summary, "the disk is full") {
		t.Errorf("got %+v", res)
	}
}

func TestJudgeThatPanicsGivesNoVerdict(t *testing.T) {
	r := newRig(t, []round{says(finish(true))}, func(c *agent.Config) { c.Judge = func(func(*bool, error)) { panic("oh") } })
	if res := r.run("do it"); res.Status != run.StatusError || res.Checked != nil {
		t.Errorf("got %+v", res)
	}
}

func TestJudgeThatNeverAnswersGivesNoVerdict(t *testing.T) {
	r := newRig(t, []round{says(finish(true))}, func(c *agent.Config) {
		c.Judge, c.Waits.Verdict = func(func(*bool, error)) {}, time.Millisecond
	})
	if res := r.run("do it"); res.Status != run.StatusError || res.Checked != nil {
		t.Errorf("got %+v", res)
	}
}

// An agent that is closed does not wait for ever for a reasoner that hears no cancel.
func TestCloseLeavesADeafReasonerBehind(t *testing.T) {
	p, asked, free := deaf()
	t.Cleanup(free)
	r := newRig(t, nil, thinkWith(p), soon, func(c *agent.Config) { c.Waits.Join = 10 * time.Millisecond })
	ctx, cancel := context.WithCancel(t.Context())
	ended, loop := make(chan error, 1), make(chan error, 1)
	go func() { loop <- r.loop.Run(ctx) }()
	go func() { ended <- r.agent.Run(ctx) }()
	r.agent.Send("do it")
	<-asked
	cancel()
	select {
	case err := <-ended:
		if err == nil || !strings.Contains(err.Error(), "left behind") {
			t.Errorf("got %v", err)
		}
	case <-time.After(patience):
		t.Error("the agent waits for a reasoner that does not hear it")
	}
	if err := <-loop; err != nil {
		t.Error(err)
	}
}

// A cancel that comes right behind its task, as a signal does while the program starts: the run is cancelled, however
// the inbox orders the two, and nothing moves.
func TestCancelBeforeTheTaskHasBegun(t *testing.T) {
	r := newRig(t, []round{says(call("reach", `{}`)), says(finish(true))})
	r.agent.Send("do it")
	r.agent.Cancel("a signal")
	r.start()
	if res := r.result(); res.Status != run.StatusCancelled || res.Actions != 0 || res.Turns != 0 {
		t.Errorf("got %+v", res)
	}
	r.agent.Send("do this instead") // a task after the cancel is another matter
	if res := r.result(); res.Actions != 1 {
		t.Errorf("got %+v", res)
	}
}

// A cancel raises the generation without the agent's goroutine: here that one is busy for ever with its log.
func TestCancelDoesNotNeedTheAgent(t *testing.T) {
	gate, busy := make(chan struct{}), make(chan struct{})
	r := newRig(t, []round{says(model.Text{Text: "on it"}, call("reach", `{"how":"forever"}`))})
	r.log.when = map[string]func(){"agent_message": func() {
		close(busy)
		<-gate
	}}
	r.start()
	r.agent.Send("do it")
	<-busy
	before := r.loop.Generation()
	r.agent.Cancel("the user")
	for limit := time.Now().Add(patience); r.loop.Generation() == before; runtime.Gosched() {
		if time.Now().After(limit) {
			t.Fatal("the generation waits for the agent")
		}
	}
	close(gate)
	r.result()
}

// A reply without end, of text or of calls, is cut off, and the planner is told.
func TestReplyWithoutEndIsCut(t *testing.T) {
	for _, what := range []string{"text", "calls"} {
		t.Run(what, func(t *testing.T) {
			rounds := 0
			p := &planner{deliberate: func(ctx context.Context, yield func(model.Part, error) bool) {
				if rounds++; rounds > 1 {
					_ = yield(finish(false), nil) && yield(model.End{Reason: model.StopToolUse}, nil)
					return
				}
				for i := 0; ; i++ {
					var part model.Part = model.Text{Text: "and so on "}
					if what == "calls" {
						part = call("observe", fmt.Sprintf(`{"reason":"look %d"}`, i))
					}
					if !yield(part, nil) {
						return
					}
				}
			}}
			r := newRig(t, nil, thinkWith(p))
			r.run("do it")
			turns := events[episode.PlannerTurn](r.log)
			if len(turns) != 2 || len(turns[0].Text) > 300<<10 || len(turns[0].Tools) > 64 {
				t.Fatalf("%d rounds, %d bytes, %d calls", len(turns), len(turns[0].Text), len(turns[0].Tools))
			}
			if req := r.log.turns[1].Request; !strings.Contains(encode(req.Messages[len(req.Messages)-1:]), "too long") {
				t.Error("the planner is not told")
			}
		})
	}
}
