package run

import (
	"github.com/rein-robotics/rein/agent/point"
	"github.com/rein-robotics/rein/model"
)

// Mind is who decides, as far as the step knows it.
type Mind struct {
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

func mindOf(set *Settings) Mind {
	return Mind{
		Component: set.Component, Model: set.model, Models: set.Models, SystemPrompt: set.SystemPrompt, specs: set.specs,
		MaxImages: set.MaxImages, ContextTokens: set.ContextTokens, PointForm: set.PointForm,
	}
}

// onMinded changes who decides. The conversation goes on in a new segment: a model's own blocks go to no other.
func (s *State) onMinded(e Minded) {
	before := s.mind
	s.mind = e.Mind
	s.mind.MaxImages, s.mind.ContextTokens = orDefault(s.mind.MaxImages, DefaultMaxImages), orDefault(s.mind.ContextTokens, DefaultContextTokens)
	s.mind.specs = s.set.specsFor(s.mind.PointForm)
	if s.mind.SystemPrompt = s.set.withGuides(e.Mind.SystemPrompt); e.Mind.SystemPrompt == "" {
		s.mind.SystemPrompt = before.SystemPrompt
	}
	s.talk.due = "the planner is " + s.mind.Component + " from here on"
	s.subsMinded(s.mind)
}

func orDefault(v, standard int) int {
	if v > 0 {
		return v
	}
	return standard
}

func (s *State) pointRules() point.Rules {
	r := s.set.Points
	r.Form = s.mind.PointForm
	return r
}

// onReset ends the run, if there is one, and forgets the conversation.
func (s *State) onReset(m Moment, e Reset) {
	s.void, s.voidBy = e.seq, e.By
	s.sayInterrupt(m, "reset", "reset by "+e.By)
	s.finish(m, finish{status: StatusCancelled, summary: "reset by " + e.By, by: e.By})
	s.talk.earlier, s.talk.forgets = nil, s.phase == ending
}
