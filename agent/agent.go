package agent

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rein-robotics/rein/agent/hook"
	"github.com/rein-robotics/rein/agent/inbox"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/clock"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/robot"
)

// Recorder is the episode log as the agent needs it.
type Recorder interface {
	Append(e episode.Event) error
	// Episode is the id of the open episode, "" when nothing is recorded.
	Episode() string
	// SaveTurn writes one planner call and gives the name of its file, "turns/0001.json".
	SaveTurn(t Turn) (file string, err error)
	// SaveShot puts the pictures of an observation in place: as captured, its depth, and the copy as sent.
	SaveShot(s Shot) error
}

// Config is what an Agent stands on. Everything but Judge, Waits and Plugins is required.
type Config struct {
	Settings   run.Settings
	Controller *control.Controller
	Robot      robot.Robot
	Clock      clock.Clock
	Reasoner   Reasoner
	Log        Recorder
	Eyes       Eyes
	// Judge decides whether the task is done; nil = nobody can. It is called once, after the run has ended and everything
	// of it stands still, and must not block; then is called once with the verdict (nil = none), from any goroutine, and
	// may take a hold of the clock before simulated time goes on.
	Judge func(then func(success *bool, err error))
	Waits Waits
	// Say hears the planner's visible text as it comes, on the agent's goroutine: it must not block. With a plugin that
	// may rewrite a text it hears the final one. nil = nobody.
	Say func(run.Saying)
	// Plugins are asked at the points of package hook, in this order. Their hooks must not wait for the agent.
	Plugins []hook.Plugin
	// Watcher judges running actions through the cameras; required when the settings say how, else nil.
	Watcher Watcher
	// CheckAction is a check of one's own; nil = there is none.
	CheckAction CheckAction
}

// Waits are limits on the wall clock; zero fields have the contract's values.
type Waits struct {
	Frame   time.Duration // a fresh picture; 2 s
	Prepare time.Duration // a skill to be made ready; 20 s, since a busy machine must not change what a run does
	Command time.Duration // the control loop to take a command; 1 s
	Reply   time.Duration // a whole reply of the planner; 10 min
	Cancel  time.Duration // a reasoner or a skill to hear that it is cancelled; 1 s
	Join    time.Duration // whatever was cancelled at the end to end; 5 s
	Verdict time.Duration // the verdict on the task; 60 s
	Monitor time.Duration // a call of the monitor; 20 s
	Check   time.Duration // a round of the check of one's own; 1 s
	Tool    time.Duration // a function that has no limit of its own; 1 min
	Job     time.Duration // one in the background; 10 min
	Return  time.Duration // a function to come back after it was cancelled; 2 s
}

func (w Waits) withDefaults() Waits {
	set := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	set(&w.Frame, 2*time.Second)
	set(&w.Prepare, 20*time.Second)
	set(&w.Command, time.Second)
	set(&w.Reply, 10*time.Minute)
	set(&w.Cancel, time.Second)
	set(&w.Join, 5*time.Second)
	set(&w.Verdict, time.Minute)
	set(&w.Monitor, 20*time.Second)
	set(&w.Check, time.Second)
	set(&w.Tool, time.Minute)
	set(&w.Job, 10*time.Minute)
	set(&w.Return, 2*time.Second)
	return w
}

// Agent runs one task at a time. Run is called once; the other methods may be called from any goroutine.
type Agent struct {
	cfg   Config
	born  time.Time
	state *run.State // owned by the loop

	wake     chan struct{}                            // of the loop; one is enough
	quit     chan struct{}                            // closed by Close
	done     chan struct{}                            // closed when the loop has ended
	results  chan run.Result                          // of the runs
	given    chan struct{}                            // closed when the result of the last run has been given; nil = none has ended; owned by the loop
	calls    map[run.EffectID]context.CancelCauseFunc // effects in flight that can be cancelled; owned by the loop
	idle     map[run.EffectID]func()                  // holds of functions and rests in flight, which no stop waits for; owned by the loop
	lookouts map[string]*lookout                      // by watched action; owned by the loop
	polls    chan struct{}                            // holds a token while the check of one's own is being asked
	line     []run.Effect                             // effects that wait for the one in flight, when serial; owned by the loop
	tellings map[hook.Point][]run.AskPlugins          // to plugins that are only told, the first of each in flight; owned by the loop
	held     []func()                                 // holds of the clock of the effects in line; owned by the loop
	flying   run.EffectID                             // the effect in flight, when serial; owned by the loop
	begun    bool                                     // the reasoner knows of the run; owned by the loop
	later    []run.Event                              // messages that came while a run ended; owned by the loop
	watch    func(stepped)                            // hears every step, for tests that replay it; nil = nobody
	work     sync.WaitGroup                           // effects in flight
	quitOne  sync.Once
	ran      atomic.Bool // Run was called
	paused   atomic.Bool // as of the last step

	mu     sync.Mutex // guards the rest
	queue  inbox.Queue[letter]
	posted uint64                // how many events came
	asked  uint64                // how many callers wanted an answer
	asks   map[uint64]chan error // of those who wait for one
	deaf   bool                  // the loop has ended: nobody takes events any more
}

// letter is an event in the inbox with its hold of the clock.
type letter struct {
	event   run.Event
	release func()
}

// New makes an agent; Run brings it to life. An error names what the settings lack.
func New(cfg Config) (*Agent, error) {
	if cfg.Controller == nil || cfg.Robot == nil || cfg.Clock == nil || cfg.Reasoner == nil || cfg.Log == nil || cfg.Eyes == nil {
		return nil, errors.New("agent: Config lacks one of Controller, Robot, Clock, Reasoner, Log, Eyes")
	}
	if (cfg.Watcher == nil) != (cfg.Settings.Monitor == nil) {
		return nil, errors.New("agent: Config has one of Watcher and Settings.Monitor without the other")
	}
	cfg.Waits = cfg.Waits.withDefaults()
	who := cfg.Reasoner
	err := cfg.Settings.Complete(run.Surroundings{
		Component: who.Name(), Model: modelOf(who), Says: cfg.Say != nil, Polls: cfg.CheckAction != nil, Plugins: cfg.Plugins,
	})
	if err != nil {
		return nil, err
	}
	a := &Agent{
		cfg: cfg, born: time.Now(), wake: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{}),
		results: make(chan run.Result, 1), calls: map[run.EffectID]context.CancelCauseFunc{}, idle: map[run.EffectID]func(){},
		lookouts: map[string]*lookout{}, polls: make(chan struct{}, 1), tellings: map[hook.Point][]run.AskPlugins{},
	}
	a.state = run.NewState(&a.cfg.Settings)
	return a, nil
}

// Send hands the agent a message of the user. The first one is the task and begins the run.
func (a *Agent) Send(text string) { a.post(run.Message{Text: text}) }

// Cancel ends the run: what moves is stopped, measured, and the result is cancelled. The generation is raised in the
// control loop at once, however busy the agent is. A task that was sent before and has not begun is cancelled, too.
func (a *Agent) Cancel(by string) {
	a.cfg.Controller.AskBump("cancelled by "+by, func(uint64, error) {})
	a.post(run.Canceled{By: by})
}

// Reset ends the run like Cancel and forgets the conversation: the next run hears nothing of those before it.
func (a *Agent) Reset(by string) {
	a.cfg.Controller.AskBump("reset by "+by, func(uint64, error) {})
	a.post(run.Reset{By: by})
}

// Use lets another reasoner decide from the next round on, in a new segment of the conversation. A reply in flight is heard
// to its end.
func (a *Agent) Use(p Planner) { a.post(run.PlannerChanged{Planner: p.decides(), Who: p.Reasoner}) }

// UpdateSystemPrompt replaces the system prompt from the next round on, in a new segment of the conversation.
func (a *Agent) UpdateSystemPrompt(text string) { a.post(run.Prompted{Text: text}) }

// Paused says whether the run is paused: a message resumes it.
func (a *Agent) Paused() bool { return a.paused.Load() }

// Heard takes news of the control loop. It is the loop's Sink: it does not block, and the clock stands still, where it
// can, until the agent has dealt with it.
func (a *Agent) Heard(e control.Event) { a.post(run.Happened{What: e}) }

// Result gives the result of each run once, when it has ended, in the order of the runs.
func (a *Agent) Result() <-chan run.Result { return a.results }

// post puts events into the inbox, with nothing between them. It never blocks.
func (a *Agent) post(es ...run.Event) { a.postThen(nil, es...) }

// postThen is post; then is called when each of them has been dealt with; nil = nothing.
func (a *Agent) postThen(then func(), es ...run.Event) {
	holds := make([]func(), len(es))
	for i := range es {
		holds[i] = followed(a.cfg.Clock.Hold("event"), then)
	}
	a.mu.Lock()
	if a.deaf {
		a.mu.Unlock()
		for _, release := range holds {
			release()
		}
		return
	}
	var dropped []inbox.Item[letter]
	for i, e := range es {
		class, stack := e.Class()
		a.posted++
		dropped = append(dropped, a.queue.Put(inbox.Item[letter]{Class: class, Stackable: bool(stack), Event: letter{event: run.Stamp(e, a.posted), release: holds[i]}})...)
	}
	a.mu.Unlock()
	for _, d := range dropped {
		d.Event.release()
	}
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// followed is release and then; then may be nil.
func followed(release, then func()) func() {
	if then == nil {
		return release
	}
	return func() {
		release()
		then()
	}
}

// Close ends the loop, cancels what is in flight and waits for it. It stops no action: the control loop does that.
func (a *Agent) Close() error {
	a.quitOne.Do(func() { close(a.quit) })
	if !a.ran.Load() {
		a.drain()
		return nil
	}
	<-a.done
	return nil
}
