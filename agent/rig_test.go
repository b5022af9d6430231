package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/agent/budget"
	"github.com/rein-robotics/rein/agent/point"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/robot/robottest"
	"github.com/rein-robotics/rein/safety"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/vision"
)

// The modules of the rig's robot.
const (
	arm  = "arm"
	grip = "grip"
	cam  = "cam"
)

// rig is an agent on a fake robot in simulated time, with a planner that follows a script.
type rig struct {
	t       testing.TB
	robot   *robottest.Fake
	loop    *control.Controller
	agent   *agent.Agent
	planner *script
	log     *memory
	other   agent.Reasoner      // that decides after the input "mind"; nil = nobody
	heard   func(control.Event) // of the loop, on its goroutine, before the agent hears it; nil = nobody
	stop    func()              // ends loop and agent, once
}

// patience is every limit of the wall clock that a test is not about: the machine may be loaded.
const patience = time.Minute

// option changes the rig before it starts.
type option func(*agent.Config)

func interactive(c *agent.Config) { c.Settings.Headless = false }

func newRig(t testing.TB, rounds []round, opts ...option) *rig {
	t.Helper()
	f := robottest.NewFake(robottest.Options{Sets: []robottest.Set{{Arm: arm, Gripper: grip, Camera: cam}}})
	shield, err := safety.New(f.Description(), safety.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, robot: f, planner: &script{rounds: rounds}, log: &memory{}}
	r.loop, err = control.New(control.Config{
		Robot: f, Clock: f.Clock(), Shield: shield, Log: r.log, Waits: control.Waits{Command: patience, Frame: patience}, Trackers: onTarget, Sink: func(e control.Event) {
			if r.heard != nil {
				r.heard(e)
			}
			r.agent.Heard(e)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	cfg := agent.Config{
		Settings: run.Settings{
			Body: f.Description(), Tools: tools(), Cameras: []string{cam}, Headless: true, RetriesPerStep: 3,
			Budgets: budget.Limits{Turns: 30, Active: 10 * time.Minute}, Points: point.Rules{MaxAge: time.Minute},
		},
		Controller: r.loop, Robot: f, Clock: f.Clock(), Reasoner: r.planner, Log: r.log, Eyes: plainEyes{},
		Waits: agent.Waits{Command: patience, Frame: patience, Prepare: patience},
	}
	for _, o := range opts {
		o(&cfg)
	}
	r.agent, err = agent.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// run gives the task and waits for the result.
func (r *rig) run(task string) run.Result {
	r.t.Helper()
	release := r.robot.Clock().Hold("the test") // time begins with the task
	r.start()
	r.agent.Send(task)
	release()
	return r.result()
}

// start brings loop and agent to life until the test ends.
func (r *rig) start() {
	ctx, cancel := context.WithCancel(context.Background())
	var g sync.WaitGroup
	g.Go(func() {
		if err := r.loop.Run(ctx); err != nil {
			r.t.Error(err)
		}
	})
	g.Go(func() {
		if err := r.agent.Run(ctx); err != nil {
			r.t.Error(err)
		}
	})
	r.stop = sync.OnceFunc(func() {
		cancel()
		g.Wait()
	})
	r.t.Cleanup(r.stop)
}

// atRest checks that nothing moves.
func (r *rig) atRest() {
	r.t.Helper()
	if moving := r.robot.Moving(); len(moving) > 0 {
		r.t.Errorf("%v still moves", moving)
	}
}

// noHolds checks that nobody holds the clock.
func (r *rig) noHolds() {
	r.t.Helper()
	limit := time.Now().Add(5 * time.Second)
	for len(r.robot.Clock().Holders()) != 0 { // a hold outlives its answer by a moment
		if time.Now().After(limit) {
			r.t.Errorf("the clock is held by %v", r.robot.Clock().Holders())
			return
		}
		runtime.Gosched()
	}
}

// soon makes the agent lose patience at once with those who do not hear their cancel.
func soon(c *agent.Config) { c.Waits.Cancel = time.Millisecond }

func (r *rig) result() run.Result {
	r.t.Helper()
	select {
	case res := <-r.agent.Result():
		return res
	case <-time.After(20 * time.Second):
		r.t.Fatalf("no result; the clock is held by %v; log:\n%s", r.robot.Clock().Holders(), r.log)
	}
	return run.Result{}
}

// round is one reply of the planner.
type round func(v run.View) []model.Part

// says is a reply of fixed parts.
func says(parts ...model.Part) round {
	return func(run.View) []model.Part { return parts }
}

func call(name, args string) model.Call { return model.Call{Name: name, Args: json.RawMessage(args)} }

func finish(success bool) model.Call {
	return call("finish_task", fmt.Sprintf(`{"success":%t,"summary":"done"}`, success))
}

// broken is a reply that ends with an error.
type broken struct {
	model.Part

	err error
}

// script is a planner that replies by a list and keeps what it was shown.
type script struct {
	mu     sync.Mutex
	rounds []round
	seen   []run.View
}

func (*script) Name() string                                    { return "script@1" }
func (*script) Instant() bool                                   { return true }
func (*script) Begin(context.Context, agent.RunInfo) error      { return nil }
func (*script) End(context.Context, agent.RunInfo, *bool) error { return nil }
func (s *script) Deliberate(_ context.Context, v run.View) iter.Seq2[model.Part, error] {
	s.mu.Lock()
	n := len(s.seen)
	s.seen = append(s.seen, v)
	s.mu.Unlock()
	return func(yield func(model.Part, error) bool) {
		parts := []model.Part{finish(false)}
		if n < len(s.rounds) {
			parts = s.rounds[n](v)
		}
		for _, p := range parts {
			if b, is := p.(broken); is {
				yield(nil, b.err)
				return
			}
			if !yield(p, nil) {
				return
			}
		}
		if _, ended := parts[len(parts)-1].(model.End); !ended {
			yield(model.End{Reason: model.StopEndTurn}, nil)
		}
	}
}

func (s *script) views() []run.View {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// lastReport is the report of the newest user message of a view.
func lastReport(v run.View) view.Report {
	msgs := v.Request.Messages
	for _, b := range msgs[len(msgs)-1].Blocks {
		if b.Text != nil && b.Text.Data != nil {
			var r view.Report
			if err := json.Unmarshal(b.Text.Data, &r); err != nil {
				panic(err)
			}
			return r
		}
	}
	return view.Report{}
}

// lastResults are the answers of calls in the newest user message of a view.
func lastResults(v run.View) []string {
	var out []string
	msgs := v.Request.Messages
	for _, b := range msgs[len(msgs)-1].Blocks {
		if b.Result != nil {
			out = append(out, string(b.Result.JSON))
		}
	}
	return out
}

// memory is a recorder that keeps everything.
type memory struct {
	mu      sync.Mutex
	events  []episode.Event
	turns   []agent.Turn
	fails   error
	noShots error             // of every picture
	forgets bool              // it keeps nothing
	when    map[string]func() // by kind, called once with the first event of it, on the goroutine that logs it
}

func (m *memory) Append(e episode.Event) error {
	m.mu.Lock()
	if m.fails != nil {
		defer m.mu.Unlock()
		return m.fails
	}
	if !m.forgets {
		m.events = append(m.events, e)
	}
	then := m.when[e.Kind()]
	delete(m.when, e.Kind())
	m.mu.Unlock()
	if then != nil {
		then()
	}
	return nil
}

// on calls then with the next event of the kind.
func (m *memory) on(kind string, then func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.when[kind] = then
}

func (m *memory) Post(e episode.Event) { _ = m.Append(e) }

func (m *memory) Err() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.fails
}

func (m *memory) Episode() string { return "0001_test/000001" }

func (m *memory) SaveTurn(t agent.Turn) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.forgets {
		m.turns = append(m.turns, t)
	}
	return fmt.Sprintf("turns/%04d.json", len(m.turns)), nil
}

func (m *memory) SaveShot(agent.Shot) error { return m.noShots }

func (m *memory) breakDown(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fails = err
}

func (m *memory) String() string { return strings.Join(m.lines(), "\n") }

func (m *memory) lines() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []string
	for _, e := range m.events {
		raw, err := json.Marshal(e)
		if err != nil {
			panic(err)
		}
		out = append(out, e.Kind()+" "+string(raw))
	}
	return out
}

// kinds are the kinds of the events that the test is about, in order.
func (m *memory) kinds(of ...string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []string
	for _, e := range m.events {
		if slices.Contains(of, e.Kind()) {
			out = append(out, e.Kind())
		}
	}
	return out
}

func events[E episode.Event](m *memory) []E {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []E
	for _, e := range m.events {
		if e, ok := e.(E); ok {
			out = append(out, e)
		}
	}
	return out
}

// plainEyes sends a picture as it is.
type plainEyes struct{ notLive string }

func (plainEyes) Send(f *robot.Frame) (agent.Sent, error) {
	return agent.Sent{Media: "image/png", Data: []byte("picture"), Width: f.Intrinsics.Width, Height: f.Intrinsics.Height,
		Mapping: view.Mapping{Scale: [2]float64{1, 1}}}, nil
}

func (e plainEyes) Live(*robot.Frame) string { return e.notLive }

func (plainEyes) SeeMotion(*robot.Frame, *robot.Readings) {}

func (plainEyes) Glance(string, *robot.Readings) agent.Glance {
	return agent.Glance{Still: image.Rect(0, 0, 1<<10, 8)}
}

// tools are the skills of the rig: reach moves the arm a little, squeeze the gripper, pick points.
func tools() []*skill.Tool {
	return []*skill.Tool{
		{
			Name: "reach", Skill: "reach",
			Spec: skill.Spec{
				Description: "Moves the arm.", EndsByItself: true, MaxDuration: 2 * time.Second, Commands: []string{arm},
				Parameters: json.RawMessage(`{"type":"object","properties":{"how":{"type":"string"},"seconds":{"type":"number","minimum":0}}}`),
			},
			New: newJob(arm),
		},
		{
			Name: "squeeze", Skill: "squeeze",
			Spec: skill.Spec{
				Description: "Moves the gripper.", EndsByItself: true, MaxDuration: 2 * time.Second, Commands: []string{grip},
				Parameters: json.RawMessage(`{"type":"object","properties":{"how":{"type":"string"},"seconds":{"type":"number","minimum":0}}}`),
			},
			New: newJob(grip),
		},
		{
			Name: "pick", Skill: "pick",
			Spec: skill.Spec{
				Description: "Picks.", EndsByItself: true, MaxDuration: 2 * time.Second, Commands: []string{arm, grip}, Camera: cam,
				ImagePoints: []string{"point"},
				Parameters: json.RawMessage(`{"type":"object","properties":{"point":{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},` +
					`"how":{"type":"string"},"seconds":{"type":"number"}},"required":["point"]}`),
			},
			New: newJob(arm),
		},
	}
}

// job moves its module for a while and then ends as it was told.
type job struct {
	module  string
	how     string
	seconds float64
	from    time.Duration
}

func newJob(module string) func(skill.Call) (skill.Skill, error) {
	return func(c skill.Call) (skill.Skill, error) {
		j := &job{module: module, seconds: 0.5}
		var in struct {
			How     string   `json:"how"`
			Seconds *float64 `json:"seconds"`
		}
		if err := json.Unmarshal(c.Args, &in); err != nil {
			return nil, err
		}
		j.how = in.How
		if in.Seconds != nil {
			j.seconds = *in.Seconds
		}
		if j.how == "far" {
			return nil, &skill.Refusal{Code: "out_of_reach", Message: "it is too far away"}
		}
		return j, nil
	}
}

func (j *job) Start(b *skill.Body) error {
	j.from = b.Now
	return nil
}

func (j *job) Tick(b *skill.Body) (bool, error) {
	if j.module == arm {
		q := slices.Clone(b.Readings.Arms[arm].Targets)
		q[0] += 0.001
		b.Send(robot.Target{Module: arm, Joints: q})
	} else {
		a := b.Readings.Grippers[grip].TargetM - 0.0001
		b.Send(robot.Target{Module: grip, ApertureM: &a})
	}
	switch {
	case j.how == "forever", (b.Now - j.from).Seconds() < j.seconds:
		return false, nil
	case j.how == "fail":
		return false, skill.Failf("it slipped")
	}
	return true, nil
}

// onTarget is a tracker that sees its target where it was pointed at.
func onTarget(s skill.Service) (control.Tracker, error) { return fixedTrack(s.Seed.Pixel), nil }

type fixedTrack [2]float64

func (fixedTrack) Region() image.Rectangle { return image.Rectangle{} }

func (p fixedTrack) Update(f *robot.Frame) vision.Track {
	at := image.Pt(int(p[0]), int(p[1]))
	return vision.Track{Mask: &vision.Mask{Rect: image.Rectangle{Min: at, Max: at.Add(image.Pt(1, 1))}, Bits: []bool{true}}, Pixels: 1, At: f.At}
}
