package run

import (
	"github.com/rein-robotics/rein/agent/point"
	"github.com/rein-robotics/rein/model"
)

// Planner is who decides, as far as the step knows it.
type Planner struct {
	Component string // name@version of the reasoner
	Model     string // provider:model that it asks; "" = none

	// These are as in Settings.
	Models        map[string]string
	SystemPrompt  string
	MaxImages     int
	ContextTokens int
	PointForm     model.Points

	specs []model.ToolSpec
}

func plannerOf(set *Settings) Planner {
	return Planner{
		Component: set.Component, Model: set.model, Models: set.Models, SystemPrompt: set.SystemPrompt, specs: set.specs,
		MaxImages: set.MaxImages, ContextTokens: set.ContextTokens, PointForm: set.PointForm,
	}
}

// onPlannerChanged changes who decides. The conversation goes on in a new segment: a model's own blocks go to no other.
func (s *State) onPlannerChanged(e PlannerChanged) {
	before := s.planner
	s.planner = e.Planner
	s.planner.MaxImages, s.planner.ContextTokens = orDefault(s.planner.MaxImages, DefaultMaxImages), orDefault(s.planner.ContextTokens, DefaultContextTokens)
	s.planner.specs = s.set.specsFor(s.planner.PointForm)
	if s.planner.SystemPrompt = s.set.withGuides(e.Planner.SystemPrompt); e.Planner.SystemPrompt == "" {
		s.planner.SystemPrompt = before.SystemPrompt
	}
	s.talk.due = "the planner is " + s.planner.Component + " from here on"
	s.subsPlanner(s.planner)
}

func orDefault(v, standard int) int {
	if v > 0 {
		return v
	}
	return standard
}

func (s *State) pointRules() point.Rules {
	r := s.set.Points
	r.Form = s.planner.PointForm
	return r
}

// onReset ends the run, if there is one, and forgets the conversation.
func (s *State) onReset(m Moment, e Reset) {
	s.void, s.voidBy = e.seq, e.By
	s.sayInterrupt(m, "reset", "reset by "+e.By)
	s.finish(m, finish{status: StatusCancelled, summary: "reset by " + e.By, by: e.By})
	s.talk.earlier, s.talk.forgets = nil, s.phase == ending
}
