package agent

import (
	"github.com/rein-robotics/rein/agent/point"
	"github.com/rein-robotics/rein/model"
)

// mind is who decides, as far as the step knows it.
type mind struct {
	component string // name@version of the reasoner
	model     string // provider:model; "" = it is none
	models    map[string]string
	prompt    string
	specs     []model.ToolSpec
	images    int
	tokens    int
	form      model.Points
}

func mindOf(set *Settings) mind {
	return mind{
		component: set.Component, model: set.model, models: set.Models, prompt: set.SystemPrompt, specs: set.specs, images: set.MaxImages,
		tokens: set.ContextTokens, form: set.PointForm,
	}
}

// onMinded changes who decides. The conversation goes on in a new segment: a model's own blocks go to no other.
func (s *state) onMinded(e minded) {
	before := s.mind
	s.mind = e.mind
	s.mind.images, s.mind.tokens = orDefault(s.mind.images, DefaultMaxImages), orDefault(s.mind.tokens, DefaultContextTokens)
	s.mind.specs = s.set.specsFor(s.mind.form)
	if s.mind.prompt = s.set.withGuides(e.mind.prompt); e.mind.prompt == "" {
		s.mind.prompt = before.prompt
	}
	s.talk.due = "the planner is " + s.mind.component + " from here on"
	s.subsMinded(s.mind)
}

func orDefault(v, standard int) int {
	if v > 0 {
		return v
	}
	return standard
}

func (s *state) pointRules() point.Rules {
	r := s.set.Points
	r.Form = s.mind.form
	return r
}

// onReset ends the run, if there is one, and forgets the conversation.
func (s *state) onReset(m moment, e reset) {
	s.void, s.voidBy = e.seq, e.by
	s.sayInterrupt(m, "reset", "reset by "+e.by)
	s.finish(m, finish{status: StatusCancelled, summary: "reset by " + e.by, by: e.by})
	s.talk.earlier, s.talk.forgets = nil, s.phase == ending
}
