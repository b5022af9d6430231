package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/robot/robottest"
	"pgregory.net/rapid"
)

// pieces are what a planner may say, right and wrong. %o is the id of the newest image.
var pieces = []string{
	`reach {}`, `reach {"seconds":0.1}`, `reach {"how":"fail","seconds":0.1}`, `reach {"how":"forever"}`, `reach {"how":"far"}`,
	`squeeze {"seconds":0.2}`, `squeeze {"how":"fail","seconds":0}`, `squeeze {"how":"forever"}`,
	`pick {"point":[30,20],"observation_id":"%o","seconds":0.3}`, `pick {"point":[30,20],"observation_id":"o1.cam"}`, `pick {"point":[3000,20],"observation_id":"%o"}`,
	`observe {}`, `observe {"cameras":["eye"]}`, `fly {}`, `reach {"how":`, `reach {"how":7}`,
	`stop_action {"action_id":"a1","reason":"enough"}`, `stop_action {"action_id":"a2","reason":"enough"}`, `stop_action {"action_id":"a77","reason":"enough"}`,
	`update_plan {"steps":[{"text":"one","tool":"reach","args":{"seconds":0.1}},{"text":"two","tool":"squeeze","args":{"seconds":0.1}},{"text":"look"}]}`,
	`update_plan {"steps":[{"text":"one","tool":"pick","args":{"point":[30,20],"observation_id":"%o"}},{"text":"two","tool":"squeeze","args":{"how":"fail"}}]}`,
	`reach {"how":"forever","watch_for":[{"question":"is it gone?"}]}`, `squeeze {"watch_for":[{"question":"","do":"fail"}]}`,
	`update_plan {"steps":[{"text":"one","tool":"reach","args":{"how":"forever"}},{"text":"two","tool":"squeeze","args":{}}]}`,
	`update_plan {"steps":[]}`, `update_plan {"steps":[{"text":"x","tool":"fly"}]}`,
	`ask_user {"question":"which one?"}`, `finish_task {"success":true,"summary":"done"}`, `finish_task {"success":"yes"}`,
	`count {}`, `note {}`, `note {"x":1}`, `oops {}`, `survey {}`, `build {}`, `linger {}`, `linger {}`, `jobs {}`, `read_job {"job":"j1","offset":1}`,
	`wait {"job":"j1","timeout_s":0.001}`, `wait {"job":"j2","timeout_s":60}`, `wait {"job":"a1","timeout_s":1}`,
	`delegate {"task":"one"}`, `delegate {"task":"two"}`, `delegate {"task":"three","tools":["reach"]}`,
	`text I think`, `text `, `wait`, `cut`, `limit`, `panic`, `refuse`, `full`, `large`, `on`,
}

// inputs are what happens from outside.
var inputs = []string{"message", "takeover", "estop", "clear", "cancel", "fault", "well", "reset", "prompt", "mind", "inject", "inject alone", "regenerate"}

// drawn is one random run.
type drawn struct {
	Rounds   [][]string
	Inputs   []timed
	Headless bool
	Instant  bool
	Motions  int
	Jobs     bool     // sub-agents work in the background
	Images   int      // of one request
	Sights   []string // what the monitor says; none = nobody watches
	Quick    bool     // the monitor says that it takes no time
	Checked  int      // which checks there are
}

type timed struct {
	AtMS int    // robot clock
	On   string // kind of a log event whose first one it follows instead
	What string
}

func draw(t *rapid.T) drawn {
	d := drawn{Headless: rapid.Bool().Draw(t, "headless"), Instant: rapid.Bool().Draw(t, "instant"), Motions: rapid.IntRange(0, 6).Draw(t, "motions")}
	d.Images = rapid.IntRange(1, 6).Draw(t, "images")
	d.Jobs = rapid.Bool().Draw(t, "jobs")
	d.Rounds = rapid.SliceOfN(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 4), 1, 8).Draw(t, "rounds")
	d.Sights = rapid.SliceOfN(rapid.SampledFrom(sights), 0, 6).Draw(t, "sights")
	d.Quick = rapid.Bool().Draw(t, "quick")
	d.Checked = rapid.IntRange(0, 3).Draw(t, "checked")
	n := rapid.IntRange(0, 4).Draw(t, "inputs")
	for range n {
		in := timed{AtMS: rapid.IntRange(0, 3000).Draw(t, "at"), What: rapid.SampledFrom(inputs).Draw(t, "what")}
		if rapid.Bool().Draw(t, "on an event") {
			in.On = rapid.SampledFrom([]string{"run_started", "planner_turn", "action_started", "skill_started", "skill_stop", "plan_updated", "action_ended", "run_paused", "run_resumed", "refused", "decision", "job_done", "monitor_answer", "monitor_rule"}).Draw(t, "on")
		}
		d.Inputs = append(d.Inputs, in)
	}
	return d
}

// erratic is a planner that says the pieces.
type erratic struct {
	rounds [][]string

	mu   sync.Mutex
	seen []run.View
}

func (*erratic) Name() string                                    { return "erratic@1" }
func (*erratic) Begin(context.Context, agent.RunInfo) error      { return nil }
func (*erratic) End(context.Context, agent.RunInfo, *bool) error { return nil }

func (e *erratic) Deliberate(ctx context.Context, v run.View) iter.Seq2[model.Part, error] {
	e.mu.Lock()
	n := len(e.seen)
	e.seen = append(e.seen, v)
	e.mu.Unlock()
	said := []string{`finish_task {"success":false,"summary":"nothing more"}`}
	if n < len(e.rounds) {
		said = e.rounds[n]
	}
	return func(yield func(model.Part, error) bool) {
		end := model.StopEndTurn
		for _, p := range said {
			name, args, _ := strings.Cut(strings.ReplaceAll(p, "%o", newest(v)), " ")
			switch name {
			case "panic":
				panic("oh")
			case "cut":
				return
			case "wait":
				<-ctx.Done()
				yield(nil, context.Cause(ctx))
				return
			case "limit":
				end = model.StopMaxTokens
			case "refuse":
				end = model.StopRefusal
			case "full":
				end = model.StopContext
			case "on":
				end = model.StopPause
			case "large":
				yield(nil, &model.Error{Class: model.TooLarge})
				return
			case "text":
				if !yield(model.Text{Text: args}, nil) {
					return
				}
			default:
				if !yield(model.Call{Name: name, Args: json.RawMessage(args)}, nil) {
					return
				}
			}
		}
		yield(model.End{Reason: end}, nil)
	}
}

// newest is the id of the newest image of a view.
func newest(v run.View) (id string) {
	for _, m := range v.Request.Messages {
		for _, b := range m.Blocks {
			if b.Image != nil {
				id = b.Image.ID
			}
			if b.Result != nil && len(b.Result.Images) > 0 {
				id = b.Result.Images[0].ID
			}
		}
	}
	return id
}

// hasty is an erratic planner that says that it takes no time.
type hasty struct{ *erratic }

func (hasty) Instant() bool { return true }

// TestAnythingMayHappen: whatever the planner says and whatever comes from outside, and whenever: every call is closed
// once, every action ends once, no command of an older generation reaches the robot, the run ends, nothing moves after
// it, no hold of the clock is left, requests only grow, and the same events give the same effects.
func TestAnythingMayHappen(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		x := newTrial(t, draw(rt))
		rec := agent.Record(x.agent)
		x.play(rt)
		if len(x.stale) > 0 {
			rt.Fatalf("commands of an older generation, or under the latch: %+v", x.stale)
		}
		checkCalls(rt, x.rig, x.planner)
		checkActions(rt, x.rig)
		checkJobs(rt, x.rig, x.planner)
		checkMonitor(rt, x)
		if err := rec.Replay(); err != nil {
			rt.Fatalf("of %d steps: %v", rec.Len(), err)
		}
	})
}

// TestSameRunTwice: with a planner that takes no time a run depends on nothing but what was drawn.
func TestSameRunTwice(t *testing.T) {
	latency := regexp.MustCompile(`"latency_s":[^,]*,`)
	rapid.Check(t, func(rt *rapid.T) {
		d := draw(rt)
		d.Instant, d.Inputs = true, nil
		d.quickMonitor()
		for _, r := range d.Rounds {
			for i := range r {
				r[i] = strings.Replace(r[i], "wait", "cut", 1) // what waits for the wall clock is as fast as the machine
			}
		}
		var logs [2]string
		for i := range logs {
			x := newTrial(t, d, func(c *agent.Config) { c.Waits.Reply, c.Waits.Monitor, c.Waits.Check = patience, patience, patience })
			x.play(rt)
			logs[i] = latency.ReplaceAllString(x.log.String(), "")
		}
		if logs[0] != logs[1] {
			rt.Fatalf("two runs differ: %s", cmp.Diff(strings.Split(logs[0], "\n"), strings.Split(logs[1], "\n")))
		}
	})
}

// trial is one drawn run on a rig of its own.
type trial struct {
	*rig
	d       drawn
	planner *erratic
	oracle  *oracle            // nil = nobody watches
	stale   []robottest.Issued // commands of an older generation, or under the latch
	before  int                // commands issued when all must be over
	stuck   bool               // the run did not end by itself
	closing atomic.Bool        // the test ends: nothing more comes from outside
	over    chan struct{}
}

// longest is how long a run may take that nobody but its planner ends.
const longest = time.Minute

func newTrial(t *testing.T, d drawn, opts ...option) *trial {
	x := &trial{d: d, planner: &erratic{rounds: d.Rounds}, over: make(chan struct{})}
	var other agent.Reasoner
	x.rig = newRig(t, nil, append([]option{soon, func(c *agent.Config) {
		c.Settings.Headless, c.Settings.Budgets.Motions = d.Headless, d.Motions
		c.Settings.MaxImages = d.Images
		c.Reasoner = x.planner
		if d.Instant {
			c.Reasoner = hasty{x.planner}
		}
		c.Waits.Reply = 5 * time.Millisecond
		x.watched(c)
		x.checked(c)
		c.Settings.Functions = trialFunctions(t)
		c.Settings.SubAgents = &run.SubAgents{Turns: 3, Background: d.Jobs}
		other = c.Reasoner
	}}, opts...)...)
	x.other = other
	x.robot.Watch(func(is robottest.Issued) { // on the loop's goroutine
		c := is.Command
		if !c.Target.Hold && c.Owner == robot.OwnerAgent && (c.Generation != x.loop.Generation() || x.loop.Latched()) {
			x.stale = append(x.stale, is)
		}
	})
	x.log.when = map[string]func(){}
	for i, in := range d.Inputs {
		if in.On != "" {
			x.log.when[in.On] = func() { x.input(in.What) }
			continue
		}
		x.loop.SetTimer(fmt.Sprintf("test %d", i), time.Duration(in.AtMS)*time.Millisecond)
	}
	end := 15 * time.Second
	if d.Headless {
		end = longest
	}
	x.loop.SetTimer("test end", end)
	x.heard = x.onTimer
	return x
}

func (x *trial) onTimer(e control.Event) {
	f, is := e.(control.TimerFired)
	if !is || !strings.HasPrefix(f.ID, "test ") {
		return
	}
	switch f.ID {
	case "test end":
		x.stuck = f.At >= longest && len(events[episode.RunEnded](x.log)) == 0 // else a result has brought this forward
		if x.closing.Swap(true) {                                              // it was brought forward when it had begun already
			return
		}
		x.agent.Cancel("the end of the test")
		x.loop.SetTimer("test once more", f.At+3*time.Second) // a stop is measured within 2 s
		x.loop.SetTimer("test calm", f.At+6*time.Second)
		x.loop.SetTimer("test over", f.At+7*time.Second)
	case "test once more":
		x.agent.Cancel("the end of the test") // a message that waited behind the first cancel began another run
	case "test calm":
		x.before = len(x.robot.Issued())
	case "test over":
		close(x.over)
	default:
		var i int
		if _, err := fmt.Sscanf(f.ID, "test %d", &i); err != nil {
			panic(err)
		}
		x.input(x.d.Inputs[i].What)
	}
}

// input carries out an input, until the test ends.
func (x *trial) input(what string) {
	if !x.closing.Load() {
		x.happen(what)
	}
}

// play lets the run happen, to the end and to the end of the agent.
func (x *trial) play(rt *rapid.T) {
	release := x.robot.Clock().Hold("the test") // until there is a task
	x.start()
	defer x.stop()
	var g sync.WaitGroup
	g.Go(x.takeResults)
	x.agent.Send("do it")
	release()
	select {
	case <-x.over:
	case <-time.After(patience):
		rt.Fatalf("the clock is held by %v; log:\n%s", x.robot.Clock().Holders(), x.log)
	}
	g.Wait()
	if x.stuck {
		rt.Fatalf("the run did not end by itself; log:\n%s", x.log)
	}
	for _, is := range x.robot.Issued()[x.before:] {
		if !is.Command.Target.Hold {
			rt.Fatalf("after the end of the run came %+v", is)
		}
	}
	if moving := x.robot.Moving(); len(moving) > 0 {
		rt.Fatalf("%v still moves", moving)
	}
	if err := x.agent.Close(); err != nil {
		rt.Fatal(err)
	}
	x.noHolds()
}

func (x *trial) takeResults() {
	taken := 0
	for {
		select {
		case <-x.agent.Result():
			taken++
			if x.d.Headless && !x.closing.Load() { // nothing is to be waited for but late inputs
				x.loop.SetTimer("test end", 4*time.Second)
			}
		case <-x.over:
			for ; taken < len(events[episode.RunEnded](x.log)); taken++ {
				<-x.agent.Result()
			}
			return
		}
	}
}

// happen carries out an input. It may be called from any goroutine.
func (r *rig) happen(what string) {
	switch what {
	case "message":
		r.agent.Send("go on")
	case "takeover":
		r.loop.AskTakeover("key w", func([]string, error) {})
	case "estop":
		r.loop.EStop("operator")
	case "clear":
		r.loop.ClearEStop("operator")
	case "cancel":
		r.agent.Cancel("the test")
	case "reset":
		r.agent.Reset("the test")
	case "prompt":
		r.agent.UpdateSystemPrompt("be quick")
	case "mind":
		if r.other != nil {
			r.agent.Use(agent.Planner{Reasoner: r.other, MaxImages: 2})
		}
	case "inject", "inject alone":
		if err := r.agent.Inject(run.Injection{Text: "the door bell rang", Alone: what == "inject alone"}); err != nil {
			panic(err)
		}
	case "regenerate":
		agent.PostRegenerate(r.agent)
	case "fault":
		r.robot.Break(errors.New("hot"))
		r.robot.Break(nil) // seen by a tick or not
	case "well":
		r.robot.Break(nil)
	}
}

func checkCalls(rt *rapid.T, r *rig, p *erratic) {
	if open := agent.OpenCalls(r.agent); len(open) > 0 {
		rt.Fatalf("calls %v are open; log:\n%s", open, r.log)
	}
	if left := agent.Leftovers(r.agent); len(left) > 0 {
		rt.Fatalf("left over: %v; log:\n%s", left, r.log)
	}
	var before []model.Message
	for i, v := range p.seen {
		if ofSub(v) {
			continue
		}
		now := v.Request.Messages
		if len(now) == 1 { // a run begins
			checkPairs(rt, before)
			before = nil
		}
		if len(now) < len(before) {
			rt.Fatalf("request %d has %d messages after %d", i, len(now), len(before))
		}
		a, b := encode(before), encode(now[:len(before)])
		if a != b && len(before) > 0 {
			rt.Fatalf("request %d changed the past", i)
		}
		before = now
	}
	checkPairs(rt, before)
	checkSubCalls(rt, p)
}

// checkPairs: each call has its one result, in order.
func checkPairs(rt *rapid.T, msgs []model.Message) {
	var calls, results []string
	for _, m := range msgs {
		for _, b := range m.Blocks {
			if b.Call != nil {
				calls = append(calls, b.Call.ID)
			}
			if b.Result != nil {
				results = append(results, b.Result.CallID)
			}
		}
	}
	if !slices.Equal(calls, results) {
		rt.Fatalf("calls %v have results %v", calls, results)
	}
}

func encode(m []model.Message) string {
	raw, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func checkActions(rt *rapid.T, r *rig) {
	began, ended := map[string]int{}, map[string]int{}
	for _, e := range events[episode.ActionStarted](r.log) {
		began[e.Action]++
	}
	for _, e := range events[episode.ActionEnded](r.log) {
		ended[e.Action]++
	}
	for id, n := range began {
		if n != 1 || ended[id] != 1 {
			rt.Fatalf("%s began %d times and ended %d times; log:\n%s", id, n, ended[id], r.log)
		}
	}
	for id := range ended {
		if began[id] != 1 {
			rt.Fatalf("%s ended and never began", id)
		}
	}
	if a, b := len(events[episode.RunStarted](r.log)), len(events[episode.RunEnded](r.log)); a != b {
		rt.Fatalf("%d runs began and %d ended; log:\n%s", a, b, r.log)
	}
}
