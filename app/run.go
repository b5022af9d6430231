package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/agent/budget"
	"github.com/rein-robotics/rein/agent/point"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/config"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/robot"
	simrobot "github.com/rein-robotics/rein/robot/sim"
	"github.com/rein-robotics/rein/safety"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/vision"
	"github.com/rein-robotics/rein/vision/detect"
	"golang.org/x/sync/errgroup"
)

// Result is what a run came to, as `rein run --json` prints it.
type Result struct {
	Run       string  `json:"run"`
	Status    string  `json:"status"`
	Summary   string  `json:"summary"`
	Claimed   *bool   `json:"claimed"`
	Checked   *bool   `json:"checked"`
	Confirmed *bool   `json:"confirmed"`
	Turns     int     `json:"turns"`
	Actions   int     `json:"actions"`
	Refused   int     `json:"refused"`
	SimS      float64 `json:"sim_s"`
	WallS     float64 `json:"wall_s"`
	Usage     Usage   `json:"usage"`
	Episode   *string `json:"episode"`

	Film    string    `json:"-"` // file, "" when there is none
	Monitor run.Looks `json:"-"` // what the monitor's looks came to
}

// Usage counts tokens and money.
type Usage struct {
	InputTokens  int     `json:"input_tokens"`
	OutputTokens int     `json:"output_tokens"`
	CachedTokens int     `json:"cached_tokens"`
	CostUSD      float64 `json:"cost_usd"`
}

// stopWithin is how long a cancelled run may take to stop the robot and seal its episode.
const stopWithin = 5 * time.Second

// Run carries one task out. Cancelling ctx stops the robot, measured, and seals the episode.
func Run(ctx context.Context, task string, o Options) (Result, error) {
	began := time.Now()
	s, err := load(&o)
	if err != nil {
		return Result{}, err
	}
	if err := runnable(s, &o); err != nil {
		return Result{}, err
	}
	o.Progress = voice(o.Progress, s.redact)
	now := &simTime{}
	log, err := openLog(&o, s, now)
	if err != nil {
		return Result{}, err
	}
	told := narrate(context.WithoutCancel(ctx), log, o.Progress)
	live := &running{idled: make(chan control.ActionEnded, 1), o: &o, setup: s, log: log, task: task, now: now}
	res, err := live.run(ctx)
	err = errors.Join(err, log.Close())
	told()
	for _, line := range []string{monitorLine(res.Monitor), uncountedLine(s.agent, &o, res)} {
		if line != "" {
			o.say(line)
		}
	}
	res.WallS = time.Since(began).Seconds()
	return res, withoutKeys(err, s.redact)
}

// runnable refuses what this version cannot do.
func runnable(s *setup, o *Options) error {
	if s.folder.Controller.Agent == nil {
		return usage(fmt.Errorf("%s: there is no agent: block, so nobody can take the task", config.ControllerFile), "add an agent: block, or use another --conf")
	}
	if o.Time != "" && o.Time != "fast" && o.Time != "real" {
		return usage(fmt.Errorf("--time %s: there is fast and real", o.Time), "")
	}
	if err := checkNumbers(o); err != nil {
		return err
	}
	if err := filmable(o); err != nil {
		return err
	}
	err := checkModels(s, o)
	s.redact = episode.NewRedactor(secrets(s.agent)...)
	return withoutKeys(err, s.redact)
}

// running is one run and what it is made of.
type running struct {
	o     *Options
	setup *setup
	log   *episode.Log
	task  string
	now   *simTime
	story story // for the film

	robot   *simrobot.Robot
	checked bool // the scene has a task of these words
	loop    *control.Controller
	agent   *agent.Agent
	stand   func()                   // lets simulated time go on after the run; set by the last event of the run
	idled   chan control.ActionEnded // the end of the idle skill

	// For tests: what stands between the simulated robot and all above it, and before the reasoner; nil = nothing. And how
	// the monitor's model is reached; nil = over the network.
	body     func(robot.Robot) robot.Robot
	reasoner func(agent.Reasoner) agent.Reasoner
	client   *http.Client
}

func (r *running) run(ctx context.Context) (Result, error) {
	// The world outlives the wish to stop: a cancelled run is stopped, measured and judged in it.
	world, leave := context.WithCancel(context.WithoutCancel(ctx))
	defer leave()
	rob, eng, err := openRobot(ctx, r.setup, r.o)
	if err != nil {
		return beforeTheRun(ctx, err)
	}
	defer func() { _ = errors.Join(rob.Close(), eng.Close(world)) }() // nothing is lost by a late error here: the log is sealed
	r.robot = rob
	r.now.set(rob.Clock().Now)
	if r.checked, err = r.begin(); err != nil {
		return Result{}, err
	}
	seed := int64(r.o.Seed)
	if err := r.log.Begin(episode.Meta{Task: r.task, Seed: &seed, Scene: r.setup.scene.Name, Info: map[string]string{"planner": r.setup.agent.Planner.Provider, "time": r.timeName()}}); err != nil {
		return Result{}, err
	}
	if err := r.assemble(); err != nil {
		return Result{}, err
	}
	if ctx.Err() != nil {
		return r.result(run.Result{Status: run.StatusCancelled, Summary: neverBegan}), r.log.Seal(episode.Verdicts{Status: run.StatusCancelled})
	}
	shots := r.startFilm()
	var g errgroup.Group
	r.agent.Send(r.task) // before the world begins to go on: the event holds it
	g.Go(func() error { return r.loop.Run(world) })
	g.Go(func() error { return r.agent.Run(world) })
	res, ended := r.wait(ctx)
	if ended && ctx.Err() == nil { // after a signal nothing moves any more
		err = r.idle(world)
	}
	simS := rob.Clock().Now().Seconds()
	leave()
	err = errors.Join(err, r.agent.Close(), g.Wait())
	out := r.result(res)
	out.SimS = simS
	var filmErr error
	out.Film, filmErr = shots.close()
	err = errors.Join(err, filmErr, r.log.Seal(episode.Verdicts{Status: res.Status, Claimed: res.Claimed, Checked: res.Checked}))
	return out, err
}

// beforeTheRun is how it ends when nothing has begun: a wish to stop is no fault of the scene or of the engine.
func beforeTheRun(ctx context.Context, err error) (Result, error) {
	if ctx.Err() == nil {
		return Result{}, err
	}
	return Result{Status: run.StatusCancelled, Summary: neverBegan}, nil
}

// neverBegan is the summary of a run that was cancelled too early.
const neverBegan = "cancelled before anything began"

// begin notes how the world is before the run; checked says that the scene has a task of these words.
func (r *running) begin() (checked bool, err error) {
	err = r.robot.Begin(r.task)
	if errors.Is(err, simrobot.ErrNoTask) {
		return false, nil
	}
	return err == nil, err
}

// hear takes the events of the run as they are logged. After the last one simulated time stands still, so that what
// follows does not depend on how soon its goroutines notice.
func (r *running) hear(e episode.Event) {
	r.story.hear(r.setup.redact.Event(e))
	if _, over := e.(episode.RunEnded); over {
		r.stand = r.robot.Clock().Hold("the run has ended")
	}
}

func (r *running) timeName() string {
	if r.o.Time == "" {
		return "fast"
	}
	return r.o.Time
}

// wait gives the result. A cancelled ctx cancels the run, which then has a few seconds to end; ended says that it did.
func (r *running) wait(ctx context.Context) (res run.Result, ended bool) {
	select {
	case res := <-r.agent.Result():
		return res, true
	case <-ctx.Done():
	}
	r.agent.Cancel("a signal")
	late := time.NewTimer(stopWithin)
	defer late.Stop()
	select {
	case res := <-r.agent.Result():
		return res, true
	case <-late.C:
		return run.Result{Status: run.StatusCancelled, Summary: "cancelled; the robot did not come to rest in time"}, false
	}
}

// assemble makes control loop and agent.
func (r *running) assemble() error {
	cfg := r.setup.folder.Controller
	shield, err := safety.New(r.setup.body, safety.Options{Period: period(cfg)})
	if err != nil {
		return err
	}
	see := newEyes(cfg.Agent, r.setup.body, r.robot.Startup(), r.robot.Clock().Now)
	rec := recorder{Log: r.log, on: r.log.Episode() != "", begun: time.Now(), tell: r.hear}
	planner, err := r.planner()
	if err != nil {
		return err
	}
	body, reasoner := r.worn(planner.Reasoner)
	r.loop, err = control.New(control.Config{
		Robot: body, Clock: r.robot.Clock(), Shield: shield, Period: period(cfg), Log: rec, Trackers: newTracker,
		Marked: func(s skill.Service, t vision.Track) {
			see.mark(s.Name(), t)
			r.log.PostOverlay(overlayOf(s, t))
		},
		Waits: control.Waits{
			FirstTrack: config.Seconds(cfg.Agent.Waits.FirstTrackS), Stop: config.Seconds(cfg.Agent.Waits.StopS),
			Command: config.Seconds(cfg.Agent.Waits.CommandS), Frame: config.Seconds(cfg.Agent.Waits.FrameS),
		},
		Sink: r.heard,
	})
	if err != nil {
		return err
	}
	watcher, watches, err := r.watcher(body, see, rec)
	if err != nil {
		return err
	}
	r.agent, err = agent.New(agent.Config{
		Settings: r.settings(reasoner.Name(), watches, planner), Watcher: watcher, Controller: r.loop, Robot: body, Clock: r.robot.Clock(), Reasoner: reasoner, Log: rec,
		Eyes: see,
		Waits: agent.Waits{
			Frame: config.Seconds(cfg.Agent.Waits.FrameS), Command: config.Seconds(cfg.Agent.Waits.CommandS), Reply: replyLimit, Monitor: config.Seconds(cfg.Agent.Waits.MonitorS),
		},
		Judge: r.judge(), Plugins: r.o.Plugins, CheckAction: r.o.CheckAction,
	})
	return err
}

// worn are robot and reasoner with what a test puts before them.
func (r *running) worn(reasoner agent.Reasoner) (robot.Robot, agent.Reasoner) {
	var body robot.Robot = r.robot
	if r.body != nil {
		body = r.body(body)
	}
	if r.reasoner != nil {
		reasoner = r.reasoner(reasoner)
	}
	return body, reasoner
}

// judge asks the scene's check, nil when the task has none.
func (r *running) judge() func(then func(*bool, error)) {
	if !r.checked {
		return nil
	}
	return func(then func(*bool, error)) {
		r.robot.AskJudge(func(passed bool, err error) {
			if err != nil {
				then(nil, err)
				return
			}
			then(&passed, nil)
		})
	}
}

func newTracker(s skill.Service) (control.Tracker, error) {
	t, _ := detect.NewTracker(s.Seed.Frame, s.Seed.Pixel) // its first result is that of the first fresh frame
	return t, nil
}

// settings are the agent's. watches is the monitor's model, "" when there is none.
func (r *running) settings(component, watches string, m agent.Planner) run.Settings {
	a := r.setup.agent
	set := toolbox(r.setup, r.o)
	set.Body, set.SystemPrompt, set.Models = r.setup.body, m.SystemPrompt, map[string]string{"planner": component}
	set.Cameras, set.RetriesPerStep, set.DryRun, set.Headless = cameras(r.setup.body, a.Cameras), a.Budgets.RetriesPerStep, a.DryRun || r.o.DryRun, true
	set.Points = point.Rules{MaxAge: config.Seconds(a.MaxPointAgeS), Strict: a.StrictPoints}
	set.Budgets, set.MaxImages, set.ContextTokens, set.PointForm = budgets(&a.Budgets, r.o), m.MaxImages, m.ContextTokens, m.PointForm
	set.StateFields, set.Checks = stateFields(a), checks(a.Checks)
	if a.PlannerHeartbeatS != nil {
		set.Heartbeat = config.Seconds(*a.PlannerHeartbeatS)
	}
	if watches != "" {
		set.Models["monitor"], set.Monitor = watches, monitorRules(a, r.o)
	}
	return set
}

// cameras are the modules of the fields "module/image"; none = all cameras of the robot.
func cameras(d *robot.Description, fields []string) []string {
	var all, named []string
	for i := range d.Modules {
		if m := &d.Modules[i]; m.Camera != nil {
			all = append(all, m.Name)
			if slices.Contains(fields, m.Name+"/image") {
				named = append(named, m.Name)
			}
		}
	}
	if len(fields) == 0 {
		return all
	}
	return named
}

func budgets(b *config.Budgets, o *Options) budget.Limits {
	l := budget.Limits{Turns: b.MaxTurns, Active: time.Duration(b.MaxMinutes * float64(time.Minute))}
	if b.MaxCostUSD != nil {
		l.CostUSD = *b.MaxCostUSD
	}
	if b.MaxMotions != nil {
		l.Motions = *b.MaxMotions
	}
	if b.MaxTokens != nil {
		l.Tokens = *b.MaxTokens
	}
	if o.MaxTurns > 0 {
		l.Turns = o.MaxTurns
	}
	if o.MaxMinutes > 0 {
		l.Active = time.Duration(o.MaxMinutes * float64(time.Minute))
	}
	if o.MaxCost > 0 {
		l.CostUSD = o.MaxCost
	}
	return l
}

func (r *running) result(res run.Result) Result {
	out := Result{
		Run: res.Run, Status: res.Status, Summary: r.setup.redact.Text(res.Summary), Claimed: res.Claimed, Checked: res.Checked,
		Turns: res.Turns, Actions: res.Actions, Refused: res.Refused, Usage: usageOf(res.Usage),
		Monitor: res.Monitor,
	}
	out.Monitor.Why = r.setup.redact.Text(out.Monitor.Why)
	if id := r.log.Episode(); id != "" {
		out.Episode = &id
	}
	return out
}

func usageOf(u model.Usage) Usage {
	return Usage{InputTokens: u.Input, OutputTokens: u.Output, CachedTokens: u.CachedRead, CostUSD: u.CostUSD}
}
