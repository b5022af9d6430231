package agent

import (
	"github.com/rein-robotics/rein/agent/point"
	"github.com/rein-robotics/rein/model"
)

// Mind is who decides, and what that one takes.
type Mind struct {
	Reasoner      Reasoner
	Models        map[string]string // by duty, for the log
	SystemPrompt  string            // "" = as it was
	MaxImages     int               // of one request; 0 = DefaultMaxImages
	ContextTokens int               // of one request, its reply not counted; 0 = DefaultContextTokens
	PointForm     model.Points      // in which it gives points; "" = pixels
}

// mind is the step's side of a Mind.
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
	next := e.mind
	s.mind.component, s.mind.models, s.mind.form = next.Reasoner.Name(), next.Models, next.PointForm
	s.mind.model = modelOf(next.Reasoner)
	s.mind.images, s.mind.tokens = orDefault(next.MaxImages, DefaultMaxImages), orDefault(next.ContextTokens, DefaultContextTokens)
	s.mind.specs = s.set.specsFor(next.PointForm)
	if next.SystemPrompt != "" {
		s.mind.prompt = s.set.withGuides(next.SystemPrompt)
	}
	s.talk.due = "the planner is " + s.mind.component + " from here on"
	s.subsMinded(s.mind)
}

// modelOf is the model that a reasoner says it asks, "" when it asks none.
func modelOf(r Reasoner) string {
	if m, ok := r.(interface{ Model() string }); ok {
		return m.Model()
	}
	return ""
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
