package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/rein-robotics/rein/config"
	"github.com/rein-robotics/rein/eval"
	"github.com/rein-robotics/rein/monitor/rule"
)

// Evaluation is what is measured on labelled ticks.
type Evaluation struct {
	Measure
	Models    []string // "provider:model", or a model of the configuration's provider; none = the configuration's
	Repeats   int      // at least 1
	Reasoning string   // effort; "" = the configuration's
	NoTarget  bool     // the target is not marked, whatever the configuration says
	MostFalse float64  // rate of false stops that floors are proposed for, 0 to 1
}

// Evaluate asks each model about each labelled tick as the robot would, prints the numbers and writes a report card for
// each.
func Evaluate(ctx context.Context, o Evaluation) error {
	if o.Repeats < 1 || o.Repeats > 100 {
		return usage(fmt.Errorf("--repeats %d: 1 to 100 is wanted", o.Repeats), "")
	}
	if !(o.MostFalse >= 0 && o.MostFalse <= 1) {
		return usage(fmt.Errorf("--max-false-stops %v: a rate from 0 to 1 is wanted", o.MostFalse), "")
	}
	m, err := o.open()
	if err != nil {
		return err
	}
	agents, err := o.agents(m)
	if err != nil {
		return err
	}
	ticks, err := o.labelled(m)
	if err != nil {
		return err
	}
	var list []eval.Result
	for i := range agents {
		r, err := o.one(ctx, m, &agents[i], ticks)
		if err != nil {
			return err
		}
		list = append(list, r)
	}
	return eval.Table(o.Out, m.question, list, o.MostFalse)
}

// labelled are the recorded ticks that have a label of the question.
func (o *Evaluation) labelled(m *measured) ([]eval.Tick, error) {
	var out []eval.Tick
	for _, t := range m.ticks {
		l, ok := m.book.Label(t.Key)
		if !ok {
			continue
		}
		if l.Tool != m.tool.Name || l.Question != m.question.Name || l.Label != eval.Unsure && !m.question.Has(l.Label) {
			return nil, usage(fmt.Errorf("%s %s tick %d is labelled %q of %s %s, which is no answer to %s %s", t.Episode, t.Action, t.Tick, l.Label, l.Tool, l.Question, m.tool.Name, m.question.Name),
				"label the tick again, or name other labels with --name")
		}
		out = append(out, t)
	}
	if lost := m.book.Len() - len(out); lost > 0 {
		o.say(fmt.Sprintf("%d labelled ticks are not among the recordings and are left out", lost))
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no recorded tick has a label in %s: label some with rein monitor label", m.evals)
	}
	return out, nil
}

// agents are the settings for each model.
func (o *Evaluation) agents(m *measured) ([]config.Agent, error) {
	base := *m.setup.agent
	names := o.Models
	if len(names) == 0 {
		names = []string{""}
	}
	var out []config.Agent
	for _, name := range names {
		a := base
		own := Options{MonitorURL: o.URL}
		if name != "" {
			provider, _, _ := strings.Cut(name, ":")
			if !slices.Contains(monitors(), provider) {
				if base.Monitor == nil {
					return nil, usage(fmt.Errorf("--model %s: the configuration has no monitor whose provider it could be of", name), "write provider:model")
				}
				name = base.Monitor.Provider + ":" + name
			}
			own.Monitor = name
			if err := monitorFlags(&a, &own); err != nil {
				return nil, err
			}
		}
		if a.Monitor == nil {
			return nil, usage(errors.New("the configuration has no monitor"), "name a model with --model provider:model")
		}
		if a.Monitor.Provider == config.ProviderRules {
			return nil, usage(errors.New("the monitor rules cannot be measured on recordings: it reads masks and depth, which the log does not keep for it"), "name a model with --model provider:model")
		}
		mon := *a.Monitor
		if o.Reasoning != "" {
			if mon.Provider == "openai_decisions" {
				return nil, usage(fmt.Errorf("--reasoning %s: %s takes none", o.Reasoning, mon.Provider), "")
			}
			mon.ReasoningEffort = o.Reasoning
		}
		if o.NoTarget {
			mon.MarkTarget = false
		}
		a.Monitor = &mon
		out = append(out, a)
	}
	return out, nil
}

// one measures one model and writes its card.
func (o *Evaluation) one(ctx context.Context, m *measured, a *config.Agent, ticks []eval.Tick) (eval.Result, error) {
	s := m.setup
	j, err := assessor(a, s.body, os.LookupEnv)
	if err != nil {
		return eval.Result{}, usage(err, "")
	}
	for _, n := range j.notes {
		o.say("monitor: " + n)
	}
	name := modelName(a.Monitor)
	plan := eval.Plan{
		Assessor: j, Ticks: ticks, Repeats: o.Repeats, Limit: seconds(a.Waits.MonitorS),
		Shower: &eval.Shower{
			Settings: shownTo(a.Monitor), Body: s.body, Questions: m.questions, About: m.tool.Spec.Description, Points: m.tool.Spec.ImagePoints, Book: m.book,
		},
		Label: func(k eval.Key) string { l, _ := m.book.Label(k); return l.Label },
		Progress: func(done, of int) {
			if done%20 == 0 || done == of {
				o.say(fmt.Sprintf("%s: %d of %d calls", name, done, of))
			}
		},
	}
	samples, err := plan.Ask(ctx)
	if err != nil {
		return eval.Result{}, withoutKeys(err, redactorOf(a))
	}
	set := eval.Settings{Rearm: rule.Again, MaxAge: seconds(a.Monitor.MaxAnswerAgeS)}
	if !a.Monitor.Rearm {
		set.Rearm = rule.Once
	}
	r := eval.Measure(name, m.question, m.questions, samples, set, o.MostFalse)
	path, err := eval.WriteCard(m.evals, eval.CardOf(subject(s, a, m.tool, m.question.Name, m.questions), r, o.Repeats))
	if err != nil {
		return eval.Result{}, err
	}
	o.say("report card: " + path)
	return r, nil
}
