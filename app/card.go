package app

import (
	"fmt"

	"github.com/rein-robotics/rein/config"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/eval"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/monitor/question"
	"github.com/rein-robotics/rein/skill"
)

// modelName is a monitor's model as tables and cards call it, with the effort that is sent to it, if any is.
func modelName(m *config.Monitor) string {
	name := m.Provider + ":" + m.Model
	if m.ReasoningEffort == "" {
		return name
	}
	limits, _ := model.LimitsOf(m.Provider, m.Model)
	reasoning, err := model.ReasoningOf(model.Endpoint{Model: m.Model, ReasoningEffort: m.ReasoningEffort}, limits)
	switch {
	case err != nil: // whoever makes the assessor tells
	case reasoning.Off:
		name += " none"
	case reasoning.Effort != "":
		name += " " + reasoning.Effort
	}
	return name
}

// redactorOf hides the keys that an agent's settings use.
func redactorOf(a *config.Agent) *episode.Redactor { return episode.NewRedactor(secrets(a)...) }

// subject is what a report card of a tool's question is about, with the settings of a.
func subject(s *setup, a *config.Agent, t *skill.Tool, name string, questions []question.Question) eval.Subject {
	shown := shownTo(a.Monitor)
	return eval.Subject{
		Tool: t.Name, Question: name, Model: modelName(a.Monitor), Cameras: eval.CamerasAs(monitorCameras(a, s.body), shown),
		Wording: eval.WordingOf(shown.System(a.Monitor.Instructions), t.Spec.Description, questions),
	}
}

// unmeasured tells of the rules that may end a skill and have too few labelled ticks behind them, one line a question. The
// settings are those of a run, flags included.
func (s *setup) unmeasured(dir string) []string {
	if s.agent == nil || s.agent.Monitor == nil || s.agent.Monitor.Provider == config.ProviderRules || s.agent.Monitor.MinLabelledTicks == 0 {
		return nil
	}
	var out []string
	for _, t := range s.tools {
		questions, err := question.Parse(t.Spec.Monitor)
		if err != nil { // the folder tells of it
			continue
		}
		for _, q := range questions {
			if !mayEnd(q) {
				continue
			}
			n, wrong := 0, ""
			card, err := eval.ReadCard(dir, subject(s, s.agent, t, q.Name, questions))
			switch {
			case err != nil:
				wrong = " (" + err.Error() + ")"
			case card != nil:
				n = card.Ticks
			}
			if least := s.agent.Monitor.MinLabelledTicks; n < least {
				out = append(out, fmt.Sprintf("%s: a rule of %s may end it, with %d labelled ticks behind it instead of %d, for these cameras, this model and this wording: measure it with rein monitor eval%s",
					t.Name, q.Name, n, least, wrong))
			}
		}
	}
	return out
}

func mayEnd(q question.Question) bool {
	for _, r := range q.When {
		if r.Do.Ends() {
			return true
		}
	}
	return false
}
