package run

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/rein-robotics/rein/agent/action"
	"github.com/rein-robotics/rein/agent/budget"
	"github.com/rein-robotics/rein/agent/job"
	"github.com/rein-robotics/rein/agent/ledger"
	"github.com/rein-robotics/rein/agent/plan"
	"github.com/rein-robotics/rein/agent/point"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/monitor/question"
	"github.com/rein-robotics/rein/skill"
)

// phase is where the run stands: exactly one of these.
type phase int

const (
	idle     phase = iota // no run
	inTurn                // a turn is open
	watching              // no turn is open; the queue and the actions go on
	waiting               // for the user
	paused                // by the operator or a fault; a message resumes
	ending                // the end is decided; actions are being stopped and the verdict awaited
	ended                 // over
)

func (p phase) String() string {
	return [...]string{"idle", "turn", "watching", "waiting", "paused", "ending", "ended"}[p]
}

// State is everything the agent knows. Step, Anew and Under change it; one goroutine uses it at a time.
type State struct {
	set     *Settings // fixed at creation
	planner Planner   // who decides

	phase      phase
	task       string
	run        string
	generation uint64 // that the agent's decisions are made under

	plan  plan.Plan
	book  *ledger.Ledger
	looks point.Looks
	acts  action.Table
	pool  *budget.Pool
	usage model.Usage

	turn    *turn               // nil = none is open
	starts  map[EffectID]*begin // calls on their way to an action, by the effect that they wait for
	halts   map[EffectID]*halt  // stops that are being measured
	peeks   map[EffectID]*peek  // looks that are under way
	calling EffectID            // the planner's call in flight; 0 = none
	runs    map[EffectID]*run   // functions under way, jobs too
	waits   map[EffectID]*wait  // calls that wait for a job

	questions map[EffectID]*inquiry // to the plugins

	subs   []*sub              // that work, in the order of their starts
	owner  map[EffectID]*State // of effects that are a sub-agent's
	boss   *State              // of a sub-agent: the run's own state; nil = this is it
	thread string              // of a sub-agent: the name of its calls in the log
	said   string              // of a sub-agent: the text of its last reply

	jobs    job.Table
	resting bool // the planner left it at the jobs that run: nothing but news wakes it

	verdict EffectID // being awaited; 0 = none

	void    uint64 // the last cancel: a task that was sent before it does not begin
	voidBy  string
	barred  uint64 // the last operator's input or e-stop: an older message resumes nothing
	news    news
	motions uint64        // grows when an action starts and when it ends: a picture between two equal values is true
	movedAt time.Duration // robot clock of the newest of them
	counts  counts
	ticked  time.Duration // robot clock of the last event
	alarm   time.Duration // robot clock, when the minutes will be used up
	beatAt  time.Duration // robot clock, of the next heartbeat; 0 = none is set
	repeats repeats
	end     *finish // how the run will end, once decided

	talk talk // what a new segment of the conversation needs

	outside []Injected // events that wait for a turn of their own, and those behind them; the most urgent first
	changed string     // tool of the last reply that changed something; "" = none did

	lastDecision string            // of the log, to leave out what did not change
	blind        map[string]string // cameras that show no live picture, and why
	glancing     bool              // a glance is under way, or its timer is set
	glanceID     EffectID          // of the glance under way

	watches map[string]*monitoring // by action that the monitor watches
	lost    map[EffectID]string    // looks under way that nobody waits for any more, by what they are called
	watched Looks                  // what they all came to
	affords affording              // of the monitor's calls
	rulings map[string][]ruling    // by action: the ends that rules and checks asked for
	later   []postponed            // calls of the planner that wait until an action has stopped

	checks  map[string]*checking // by action that is checked
	polling EffectID             // the check of one's own under way; 0 = none
	pollErr string               // what went wrong with it last, to tell it once

	effects int
	out     []Effect
}

// counts are numbers of the run.
type counts struct {
	looks, refused int
}

// repeats counts what goes wrong again and again.
type repeats struct {
	failures map[string]int // in a row, by tool
	code     string         // of the last refusal
	codes    int            // refusals of that code in a row, within a turn
	same     string         // tool and outcome of the last bad end or refusal
	sames    int
}

// finish is how the run ends.
type finish struct {
	status  string // succeeded is decided by the check; here: "", cancelled, stopped, budget, error
	claimed *bool
	summary string
	by      string
}

// news is what the planner has not been told yet.
type news struct {
	happened []view.Happening
	messages []string
	notices  []string
	wakes    []view.Wake // why it must be told; empty = it can wait for its next wake
	why      string      // in words, of the newest wake
	fresh    view.Wake   // of the event at hand; "" = it wakes nobody
	freshWhy string
	modules  []string // that a bad end or a flag concerned
}

func (n *news) wake(w view.Wake, why string) {
	n.fresh, n.freshWhy = w, why
	if slices.Contains(n.wakes, w) {
		n.why = why
		return
	}
	n.wakes, n.why = append(n.wakes, w), why
}

// halt is a stop that somebody waits for.
type halt struct {
	action string
	call   string // of stop_action, to be closed; "" = nobody asked
}

// peek is a look under way, and what it is for.
type peek struct {
	call call   // of observe, to be closed
	turn bool   // for the first request of the turn
	of   *begin // a patch for a point
}

// begin is one call on its way to an action.
type begin struct {
	action  string
	under   uint64 // the generation it was decided under
	void    bool   // nobody wants it any more: what comes back is given up
	halt    *halt  // of the stop_action that made it void; nil = something else did
	call    string // ledger id of the planner's call; "" = the queue's own
	step    int    // of the queue's own; -1 otherwise
	name    string
	args    json.RawMessage
	found   point.Found
	left    []int // indices into found.Check whose patch is still to be compared
	seedAt  time.Duration
	seeded  time.Duration
	area    *float64
	spec    toolSpec
	asks    []question.Question // of the monitor while it runs
	of      string              // the action that it follows; "" = none
	carries bool                // it goes on with the step of that action, which is done when it does not start
	ready   skill.Skill
}

// id gives the next effect a name.
func (s *State) id() EffectID {
	if s.boss != nil {
		id := s.boss.id()
		s.boss.owner[id] = s
		return id
	}
	s.effects++
	return EffectID(s.effects)
}

func (s *State) do(e Effect) {
	r := s.root()
	r.out = append(r.out, e)
}

func (s *State) log(e episode.Event) { s.do(LogEvent{What: e}) }

// Tag is the run and the generation that events of the log carry.
func (s *State) Tag() episode.Tag { return episode.Tag{Run: s.run, Generation: s.generation} }

// onTheirWay calls f with every call that has not become an action yet, in any order.
func (s *State) onTheirWay(f func(*begin)) {
	for _, b := range s.starts {
		f(b)
	}
	for _, p := range s.peeks {
		if p.of != nil {
			f(p.of)
		}
	}
	for _, q := range s.questions {
		if q.of != nil {
			f(q.of)
		}
	}
}

// moved notes that a motion began or ended.
func (s *State) moved(at time.Duration) {
	s.motions++
	s.movedAt = max(s.movedAt, at)
}

// Over says that the run takes no more calls.
func (s *State) Over() bool { return s.phase == ending || s.phase == ended || s.phase == idle }

// NewState is a state without a run. The settings are complete, and belong to the state from here on.
func NewState(set *Settings) *State {
	return &State{
		set: set, planner: plannerOf(set), starts: map[EffectID]*begin{}, halts: map[EffectID]*halt{}, peeks: map[EffectID]*peek{},
		runs: map[EffectID]*run{}, waits: map[EffectID]*wait{},
		checks: map[string]*checking{}, watches: map[string]*monitoring{}, lost: map[EffectID]string{}, rulings: map[string][]ruling{}, blind: map[string]string{},
		affords: affording{held: map[EffectID]budget.Call{}},
		repeats: repeats{failures: map[string]int{}}, pool: &budget.Pool{Limits: set.Budgets}, owner: map[EffectID]*State{},
	}
}

// Anew is the state of the next run; s is not used any more. No id is used twice, so nothing late can hurt.
func (s *State) Anew(run string, generation uint64) *State {
	next := NewState(s.set)
	next.Under(run, generation)
	next.void, next.voidBy = s.void, s.voidBy
	next.effects, next.acts, next.jobs, next.talk, next.planner = s.effects, s.acts.Anew(), s.jobs.Anew(), s.talk.anew(), s.planner
	next.lost = s.lost
	next.questions = s.questions // of a run that is over: plugins that are only told
	return next
}

// Free says that the next message begins a run.
func (s *State) Free() bool { return s.phase == idle || s.phase == ended }

// Fresh says that no run has begun yet.
func (s *State) Fresh() bool { return s.phase == idle }

// HasEnded says that the run is over and its result is given.
func (s *State) HasEnded() bool { return s.phase == ended }

// IsPaused says that the run waits for a message to go on.
func (s *State) IsPaused() bool { return s.phase == paused }

// ComesEarly says that a message came while a run is ending: it is the task of the next run. In a headless run there is no
// next one.
func (s *State) ComesEarly(e Message) bool {
	return s.phase == ending && e.seq >= s.void && !s.set.Headless
}

// Under sets the run and the generation that decisions are made under from here on.
func (s *State) Under(run string, generation uint64) { s.run, s.generation = run, generation }

// beginRun opens a run with its task.
func (s *State) beginRun(task string) {
	s.task, s.phase = task, watching
	s.book = ledger.New(s.planner.SystemPrompt, s.planner.specs)
	s.talk.begin()
	s.log(episode.RunStarted{Tag: s.Tag(), Task: task, Models: s.planner.Models, SystemPrompt: s.planner.SystemPrompt, Tools: s.planner.specs})
}
