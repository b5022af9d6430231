package run

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rein-robotics/rein/agent/budget"
	"github.com/rein-robotics/rein/agent/check"
	"github.com/rein-robotics/rein/agent/hook"
	"github.com/rein-robotics/rein/agent/point"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/monitor/question"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/tool"
)

// Settings is the configuration of an agent. It is fixed when the agent is made.
type Settings struct {
	Body  *robot.Description
	Tools []*skill.Tool // skill tools; those without a description are left off the planner's list

	// Functions are tools that are Go functions. They do not move the robot.
	Functions []*tool.Tool
	// Guides are written experience, by name on the planner's request.
	Guides []Guide
	// SubAgents lets the planner delegate; nil = it cannot.
	SubAgents *SubAgents

	SystemPrompt string
	Component    string            // name@version of the reasoner, for the log
	Models       map[string]string // by duty, for the log
	Cameras      []string          // modules whose images the planner sees
	StateFields  []string          // "module/field" readings that it sees; empty = all

	// MaxImages is how many images one request may hold; with more a new segment begins. 0 = DefaultMaxImages.
	MaxImages int
	// ContextTokens is how long a request may be, tokens, its reply not counted; 0 = DefaultContextTokens.
	ContextTokens int
	PointForm     model.Points // in which the planner gives points; "" = pixels

	Budgets        budget.Limits
	RetriesPerStep int
	Heartbeat      time.Duration // between wakes while actions run and nothing else happened, robot clock; 0 = none
	Points         point.Rules
	DryRun         bool          // nothing moves: a call that would start an action is answered with what it would do
	Headless       bool          // nobody answers: what would wait for the user ends the run
	Monitor        *MonitorRules // nil = nobody watches
	Checks         []check.Spec  // of running actions, by the robot's own readings
	Plugins        *hook.Set     // set by Complete; nil = there are none

	tools     map[string]*toolSpec    // that the planner may call
	polls     bool                    // there is a check of one's own
	all       map[string]*toolSpec    // those, and the tools without a description
	builtin   map[string]*tool.Schema // by tool, commands too
	functions map[string]*tool.Tool
	specs     []model.ToolSpec
	model     string // that the reasoner asks; "" = none
	says      bool   // somebody hears what the planner says
	sub       bool   // of a sub-agent
}

// Defaults of Settings.
const (
	DefaultMaxImages     = 40
	DefaultContextTokens = 180_000
)

// toolSpec is a skill tool with the schema that its calls are checked against.
type toolSpec struct {
	*skill.Tool

	schema    *tool.Schema
	questions []question.Question
}

// Surroundings is what an agent is made with beside its settings, as far as its decisions depend on it.
type Surroundings struct {
	Component string        // name@version of the reasoner
	Model     string        // that the reasoner asks; "" = none
	Says      bool          // somebody hears what the planner says
	Polls     bool          // there is a check of one's own
	Plugins   []hook.Plugin // in the order in which they are asked
}

// Complete makes the settings ready for NewState. An error names what they lack.
func (s *Settings) Complete(w Surroundings) error {
	s.Component, s.model, s.says, s.polls = w.Component, w.Model, w.Says, w.Polls
	return s.plugIn(w.Plugins)
}

// plugIn adds what plugins bring, and compiles.
func (s *Settings) plugIn(plugins []hook.Plugin) (err error) {
	moves := make([]string, 0, len(s.Tools))
	for _, t := range s.Tools {
		moves = append(moves, t.Name)
	}
	if s.Plugins, err = hook.New(plugins, moves); err != nil {
		return err
	}
	s.Functions = slices.Concat(s.Functions, hook.Tools(plugins))
	return s.compile()
}

// compile checks the tools and makes the list that the planner sees.
func (s *Settings) compile() error {
	s.MaxImages, s.ContextTokens = orDefault(s.MaxImages, DefaultMaxImages), orDefault(s.ContextTokens, DefaultContextTokens)
	s.tools, s.all, s.builtin = map[string]*toolSpec{}, map[string]*toolSpec{}, map[string]*tool.Schema{}
	for _, b := range s.builtins() {
		schema, err := b.schema()
		if err != nil {
			return fmt.Errorf("tool %s: %w", b.name, err)
		}
		s.builtin[b.name] = schema
		s.specs = append(s.specs, model.ToolSpec{Name: b.name, Description: b.description, Parameters: schema.JSON()})
	}
	for _, t := range s.Tools {
		if err := s.compileTool(t); err != nil {
			return fmt.Errorf("tool %s: %w", t.Name, err)
		}
	}
	if err := s.compileFunctions(); err != nil {
		return err
	}
	if err := s.compileGuides(); err != nil {
		return err
	}
	if err := s.checkThens(); err != nil {
		return err
	}
	return s.checkDeclared()
}

// builtins are the tools that come with the harness, in the order of the list.
func (s *Settings) builtins() []builtin {
	own := builtins()
	if s.sub {
		own = slices.DeleteFunc(own, func(b builtin) bool { return b.name != toolObserve || len(s.Cameras) == 0 })
	}
	return append(own, s.commands()...)
}

func (s *Settings) compileTool(t *skill.Tool) error {
	if s.builtin[t.Name] != nil || s.all[t.Name] != nil {
		return errors.New("there is another tool of this name")
	}
	params, err := plannerSchema(t.Spec, s.Monitor)
	if err != nil {
		return err
	}
	spec := &toolSpec{Tool: t}
	if spec.schema, err = tool.Compile(params); err != nil {
		return err
	}
	if spec.questions, err = question.Parse(t.Spec.Monitor); err != nil {
		return err
	}
	s.all[t.Name] = spec
	if t.Spec.Description != "" {
		s.tools[t.Name] = spec
		s.specs = append(s.specs, model.ToolSpec{Name: t.Name, Description: describe(t.Spec, s.PointForm), Parameters: params})
	}
	return nil
}

// specsFor is the planner's list, worded for its form of points.
func (s *Settings) specsFor(form model.Points) []model.ToolSpec {
	out := slices.Clone(s.specs)
	for i := range out {
		if t := s.tools[out[i].Name]; t != nil {
			out[i].Description = describe(t.Spec, form)
		}
	}
	return out
}

// ToolSpecs are the tools of s exactly as the planner receives them.
func ToolSpecs(s Settings) ([]model.ToolSpec, error) {
	if err := s.compile(); err != nil {
		return nil, err
	}
	return s.specs, nil
}

func (s *Settings) toolNames() []string {
	names := make([]string, len(s.specs))
	for i, t := range s.specs {
		names[i] = t.Name
	}
	return names
}

func (s *Settings) skillNames() []string {
	names := make([]string, 0, len(s.tools))
	for n := range s.tools {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}
