package run

import (
	_ "embed" // the prompt
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/rein-robotics/rein/agent/budget"
	"github.com/rein-robotics/rein/agent/job"
	"github.com/rein-robotics/rein/agent/ledger"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/tool"
)

//go:embed sub.md
var subPrompt string

// SubAgents says how the planner may delegate tasks that need no motion.
type SubAgents struct {
	About      string // the robot, in words, for their prompt
	Turns      int    // rounds of one task at most; 0 = DefaultSubTurns
	Tokens     int    // of one task at most; 0 = as many as the run has left
	Background bool   // a task is a job: the planner goes on, and is woken when it has been done
}

// DefaultSubTurns is how many rounds a sub-agent has when nobody says.
const DefaultSubTurns = 10

type delegateInput struct {
	Task  string   `json:"task" jsonschema:"the task with all that must be known for it: whoever does it knows nothing else"`
	Tools []string `json:"tools,omitempty" jsonschema:"names of the tools that may be used; leave it out for all that only look and read"`
}

// sub is a sub-agent: the same step with a state of its own.
type sub struct {
	state *State
	call  call   // of the planner, open while it works; its id is "" for a job
	job   string // "" = it works while the planner waits
	under uint64 // the generation of its start: a higher one ends it
}

// subAnswer is what the planner gets back.
type subAnswer struct {
	Status job.State `json:"status"` // done, failed or interrupted
	Answer string    `json:"answer,omitempty"`
	Reason string    `json:"reason,omitempty"`
	Text   string    `json:"text_so_far,omitempty"` // when there is no answer
	Rounds int       `json:"rounds"`
	Usage  subUsage  `json:"usage"`
}

type subUsage struct {
	Input   int     `json:"input_tokens"`
	Output  int     `json:"output_tokens"`
	CostUSD float64 `json:"cost_usd,omitempty"`
}

// byAnswer and byHigher are what ends a sub-agent well, and what breaks into its work.
const (
	byAnswer = "answer"
	byHigher = "interrupt"
)

// delegate begins a task of a sub-agent.
func (s *State) delegate(m Moment, c call) {
	in, err := tool.Decode[delegateInput](s.set.builtin[toolDelegate], c.args)
	if err == nil && strings.TrimSpace(in.Task) == "" {
		err = &tool.InputError{Msg: "task must say what is to be done, got nothing"}
	}
	if err != nil {
		s.refuse(m, c, refusalOf(err))
		return
	}
	set, err := s.set.forSub(in.Tools)
	if err != nil {
		s.refuse(m, c, refusalOf(err))
		return
	}
	pool, err := s.pool.Share(budget.Limits{Turns: orDefault(s.set.SubAgents.Turns, DefaultSubTurns), Tokens: s.set.SubAgents.Tokens})
	if err != nil {
		s.refuse(m, c, skill.Refusal{Code: "budget", Message: err.Error()})
		return
	}
	s.accepted()
	one := &sub{state: NewState(set), under: s.generation}
	one.state.boss, one.state.pool, one.state.run, one.state.generation = s, pool, s.run, s.generation
	one.state.planner.Component, one.state.planner.Models, one.state.planner.PointForm = s.planner.Component, s.planner.Models, s.planner.PointForm
	one.state.planner.MaxImages, one.state.planner.ContextTokens = s.planner.MaxImages, s.planner.ContextTokens
	s.subs = append(s.subs, one)
	if s.set.SubAgents.Background {
		one.job = s.jobs.Begin(toolDelegate, c.args, m.At)
		one.state.thread, s.changed = one.job, c.name
		s.answer(m, c, map[string]any{"job": one.job, "status": job.Running})
	} else {
		one.call, one.state.thread = c, c.id
	}
	one.state.beginSub(m, in.Task)
	s.subEnded(m, one)
}

// beginSub asks for the first round of a sub-agent.
func (s *State) beginSub(m Moment, task string) {
	s.task, s.phase = task, inTurn
	s.book = ledger.New(s.planner.SystemPrompt, s.planner.specs)
	s.talk.begin()
	s.talk.opened = true
	wakes := []view.Wake{view.WakeDelegated}
	s.turn = &turn{wakes: wakes}
	rep := s.report(wakes)
	rep.Task, rep.Budget, rep.Why = task, s.budgetLeft(), "Answer in words when you know."
	if m.World != nil {
		rep.Readings = s.readings(m.World.Readings)
	}
	s.ask(m, wakes, rep, nil)
}

// forSub are the settings of a sub-agent that may use the named tools, nil = all that only look and read.
func (s *Settings) forSub(names []string) (*Settings, error) {
	out := &Settings{
		Body: s.Body, Cameras: s.Cameras, StateFields: s.StateFields, Points: s.Points, Headless: true, Guides: s.Guides,
		MaxImages: s.MaxImages, ContextTokens: s.ContextTokens, PointForm: s.PointForm, DryRun: s.DryRun,
		Component: s.Component, Models: s.Models, Plugins: s.Plugins, sub: true,
	}
	out.SystemPrompt = strings.ReplaceAll(strings.TrimSpace(subPrompt), "{point}", PointWords(s.PointForm))
	if about := strings.TrimSpace(s.SubAgents.About); about != "" {
		out.SystemPrompt += "\n\n## This robot\n\n" + about
	}
	if names != nil && !slices.Contains(names, toolObserve) {
		out.Cameras = nil
	}
	for _, f := range s.Functions {
		if !f.Background && (names == nil && f.Effect == tool.Reads || slices.Contains(names, f.Name)) {
			out.Functions = append(out.Functions, f)
		}
	}
	if err := out.compile(); err != nil {
		return nil, err
	}
	for _, n := range names {
		switch {
		case out.functions[n] != nil, out.builtin[n] != nil:
		case !slices.Contains(s.toolNames(), n):
			return nil, &tool.InputError{Msg: fmt.Sprintf("tools: there is no tool %q; a sub-agent may use %s", n, strings.Join(s.subTools(), ", "))}
		default:
			return nil, &skill.Refusal{Code: "not_allowed", Message: "a sub-agent may not use " + n, Hint: "it may use " + strings.Join(s.subTools(), ", ")}
		}
	}
	return out, nil
}

// subTools are the names of the tools that a sub-agent may be given.
func (s *Settings) subTools() []string {
	var out []string
	if len(s.Cameras) > 0 {
		out = append(out, toolObserve)
	}
	for _, f := range s.Functions {
		if !f.Background {
			out = append(out, f.Name)
		}
	}
	return out
}

// root is the state of the run.
func (s *State) root() *State {
	if s.boss != nil {
		return s.boss
	}
	return s
}

// toSub hands the answer of a sub-agent's effect to it; false when it is nobody's but the run's own.
func (s *State) toSub(m Moment, e Event) bool {
	id, last := effectOf(e)
	one := s.owner[id]
	if one == nil {
		return false
	}
	if last {
		delete(s.owner, id)
	}
	one.react(m, e)
	if i := slices.IndexFunc(s.subs, func(x *sub) bool { return x.state == one }); i >= 0 {
		s.subEnded(m, s.subs[i])
	}
	return true
}

// effectOf is the effect that an event comes from; last says that no more come from it.
func effectOf(e Event) (id EffectID, last bool) {
	switch e := e.(type) {
	case Part:
		return e.ID, false
	case Printed:
		return e.ID, false
	}
	return Answered(e)
}

// subEnded gives the planner what a sub-agent came to, when it has ended.
func (s *State) subEnded(m Moment, one *sub) {
	if one.state.phase != ended {
		return
	}
	s.subs = slices.DeleteFunc(s.subs, func(x *sub) bool { return x == one })
	v := one.state.handedBack()
	if v.Status == job.Failed {
		s.noProgress(toolDelegate + " failed: " + v.Reason)
	}
	if one.job == "" {
		s.answer(m, one.call, v)
		return
	}
	raw, err := json.Marshal(v)
	if err != nil { // words and numbers always encode
		panic("run: " + err.Error())
	}
	s.endJob(m, one.job, job.End{State: v.Status, Result: raw, Reason: v.Reason})
}

// dropSubs ends the sub-agents that are to end: their calls are closed with the text so far.
func (s *State) dropSubs(m Moment, why string, which func(*sub) bool) {
	for _, one := range slices.Clone(s.subs) {
		if !which(one) {
			continue
		}
		one.state.finish(m, finish{by: byHigher, summary: why})
		if one.job != "" {
			s.subEnded(m, one)
			continue
		}
		s.subs = slices.DeleteFunc(s.subs, func(x *sub) bool { return x == one })
		s.closeCall(one.call.id, one.state.handedBack(), nil)
	}
}

// whileThePlannerWaits says that a sub-agent's call is open.
func whileThePlannerWaits(one *sub) bool { return one.job == "" }

// handBack ends a sub-agent; what it still asks for comes late.
func (s *State) handBack(m Moment, f finish) {
	if s.turn != nil && s.turn.round.text() != "" && !s.turn.round.over {
		s.said = s.turn.round.text()
	}
	s.dropTurn(m, "run_ended", f.summary)
	s.end, s.phase = &f, ended
}

// handedBack is what a sub-agent that has ended came to.
func (s *State) handedBack() subAnswer {
	v := subAnswer{Rounds: s.pool.Turns, Usage: subUsage{Input: s.usage.Input, Output: s.usage.Output, CostUSD: s.usage.CostUSD}}
	switch s.end.by {
	case byAnswer:
		v.Status, v.Answer = job.Done, s.end.summary
	case byHigher:
		v.Status, v.Reason, v.Text = job.Interrupted, s.end.summary, s.said
	default:
		v.Status, v.Reason, v.Text = job.Failed, s.end.summary, s.said
	}
	return v
}

// subSays keeps the text of a sub-agent's reply: a job's is its output.
func (s *State) subSays(of *State, text string) {
	of.said = text
	for _, one := range s.subs {
		if one.state == of && one.job != "" {
			s.jobs.Print(one.job, text+"\n")
		}
	}
}

// subsPlanner changes who decides for the sub-agents, too.
func (s *State) subsPlanner(p Planner) {
	for _, one := range s.subs {
		o := &one.state.planner
		o.Component, o.Models, o.PointForm = p.Component, p.Models, p.PointForm
		o.MaxImages, o.ContextTokens = p.MaxImages, p.ContextTokens
		one.state.talk.due = "the planner is " + p.Component + " from here on"
	}
}

// subUsed counts what a sub-agent used for the run.
func (s *State) subUsed(u model.Usage) { s.usage = s.usage.Add(u) }
