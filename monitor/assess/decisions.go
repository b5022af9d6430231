package assess

import (
	"context"

	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/monitor"
	"github.com/rein-robotics/rein/monitor/question"
)

// Decisions is an assessor on a model that gives typed answers. It may be used from several goroutines.
type Decisions struct {
	Config

	decider model.Decider
}

var _ monitor.Assessor = (*Decisions)(nil)

// NewDecisions makes an assessor of a model that gives typed answers.
func NewDecisions(d model.Decider, c Config) *Decisions { return &Decisions{Config: c, decider: d} }

// Name is the model's.
func (a *Decisions) Name() string { return a.Config.Name }

// Assess asks once.
func (a *Decisions) Assess(ctx context.Context, t monitor.Tick) (run.Assessed, error) {
	if len(t.Questions) == 0 {
		return run.Assessed{}, nil
	}
	i := model.Inquiry{System: a.System, Blocks: a.shown(t)}
	for _, q := range t.Questions {
		i.Questions = append(i.Questions, typed(q))
	}
	d, err := a.decider.Decide(ctx, i)
	out := run.Assessed{Usage: a.spent(d.Usage)}
	if err != nil {
		return out, err
	}
	for i, q := range t.Questions {
		out.Answers = append(out.Answers, answerOf(q, d.Answers[i]))
	}
	return out, nil
}

// typed is a question as the wire of typed answers asks it.
func typed(q question.Question) model.Question {
	out := model.Question{Name: q.Name, Instructions: q.Instructions}
	for _, o := range q.Options {
		out.Choices = append(out.Choices, model.Choice{Value: o.Value, Description: o.Looks})
	}
	return out
}

// answerOf takes the probability of the chosen value, and keeps the confidence beside it.
func answerOf(q question.Question, d model.Decision) question.Answer {
	switch {
	case d.Refused:
		return q.No(question.Refused, d.Missing)
	case d.Missing != "":
		return q.No(question.Invalid, d.Missing)
	case q.Kind == question.Predicate:
		return q.Is(d.P)
	}
	out := q.Chosen(d.Value, d.P)
	if out.Missing == "" {
		out.Confidence = d.Confidence
	}
	return out
}
