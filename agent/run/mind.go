package run

import (
	"github.com/rein-robotics/rein/agent/point"
	"github.com/rein-robotics/rein/model"
)

// Mind is who decides, as far as the step knows it.
type Mind struct {
	Component string // name@version of the reasoner
	Model     string // provider:model; "" = it is none
	Models    map[string]string
	Prompt    string
	specs     []model.ToolSpec
	Images    int
	Tokens    int
	Form      model.Points
}

func mindOf(set *Settings) Mind {
	return Mind{
		Component: set.Component, Model: set.model, Models: set.Models, Prompt: set.SystemPrompt, specs: set.specs, Images: set.MaxImages,
		Tokens: set.ContextTokens, Form: set.PointForm,
	}
}

// onMinded changes who decides. The conversation goes on in a new segment: a model's own blocks go to no other.
func (s *State) onMinded(e Minded) {
	before := s.mind
	s.mind = e.Mind
	s.mind.Images, s.mind.Tokens = orDefault(s.mind.Images, DefaultMaxImages), orDefault(s.mind.Tokens, DefaultContextTokens)
	s.mind.specs = s.set.specsFor(s.mind.Form)
	if s.mind.Prompt = s.set.withGuides(e.Mind.Prompt); e.Mind.Prompt == "" {
		s.mind.Prompt = before.Prompt
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
	r.Form = s.mind.Form
	return r
}

// onReset ends the run, if there is one, and forgets the conversation.
func (s *State) onReset(m Moment, e Reset) {
	s.void, s.voidBy = e.seq, e.By
	s.sayInterrupt(m, "reset", "reset by "+e.By)
	s.finish(m, finish{status: StatusCancelled, summary: "reset by " + e.By, by: e.By})
	s.talk.earlier, s.talk.forgets = nil, s.phase == ending
}
