package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rein-robotics/rein/config"
	"github.com/rein-robotics/rein/eval"
	"github.com/rein-robotics/rein/eval/measure"
	"github.com/rein-robotics/rein/eval/report"
	"github.com/rein-robotics/rein/model"
)

// Evaluation is what is measured on labelled ticks.
type Evaluation struct {
	Measure
	Beside    []string // further configurations that are measured on the labels of the first, Measure.Conf
	Models    []string // "provider:model", or a model of the configuration's provider; none = the configuration's
	Repeats   int      // at least 1
	Reasoning string   // effort; "" = the configuration's
	NoTarget  bool     // the target is not marked, whatever the configuration says
	Resume    bool     // what has been answered is not asked again
	URL       string   // root of the models' server, before /v1; "" = the configuration's
	MostFalse float64  // rate of false stops that floors are proposed for, 0 to 1
}

// Evaluate asks each model about each labelled tick as the robot would, prints the numbers and writes a report card for
// each. Each answer is kept as it comes.
func Evaluate(ctx context.Context, o Evaluation) error {
	if o.Repeats < 1 || o.Repeats > 100 {
		return usage(fmt.Errorf("--repeats %d: 1 to 100 is wanted", o.Repeats), "")
	}
	if !(o.MostFalse >= 0 && o.MostFalse <= 1) {
		return usage(fmt.Errorf("--max-false-stops %v: a rate from 0 to 1 is wanted", o.MostFalse), "")
	}
	if efforts := model.Efforts(); o.Reasoning != "" && !slices.Contains(efforts, o.Reasoning) {
		return usage(fmt.Errorf("--reasoning %s: there is no such effort%s", o.Reasoning, config.DidYouMean(o.Reasoning, efforts)), "write one of "+strings.Join(efforts, ", "))
	}
	m, err := o.open()
	if err != nil {
		return err
	}
	columns, err := o.columns(m)
	if err != nil {
		return err
	}
	ticks, err := o.labelledTicks(m)
	if err != nil {
		return err
	}
	kept := map[eval.Subject]*eval.Answers{}
	defer func() {
		for _, a := range kept {
			a.Close()
		}
	}()
	for i := range columns {
		if err := o.plan(ctx, &columns[i], ticks, kept); err != nil {
			return err
		}
	}
	var list []report.Column
	for i := range columns {
		r, err := o.measure(ctx, &columns[i])
		if err != nil {
			return err
		}
		list = append(list, r)
	}
	return report.Table(o.Out, list, o.MostFalse)
}

// labelled is the ticks that have a label, and the book that it stands in.
type labelled struct {
	ticks []eval.Tick
	book  *eval.Book
}

// labelledTicks are the recorded ticks that have a label of the question. None is an error.
func (o *Evaluation) labelledTicks(m *measured) (labelled, error) {
	out := labelled{book: m.book}
	for _, t := range m.ticks {
		if _, ok := m.book.Label(t.Key); !ok {
			if stale := m.book.Stale(t.Key); stale != "" {
				return out, usage(errors.New(stale), "rein monitor label asks for it again; or name other labels with --name")
			}
			continue
		}
		out.ticks = append(out.ticks, t)
	}
	if lost := m.book.Len() - len(out.ticks); lost > 0 {
		o.say(fmt.Sprintf("%d labelled ticks are not among the recordings and are left out", lost))
	}
	if lost := m.book.Len(); len(out.ticks) == 0 && lost > 0 {
		return out, fmt.Errorf("the %d labels of %s are of no tick that is recorded in %s: give the root of their recordings with --record", lost, m.book.Path(), o.Record)
	}
	if len(out.ticks) == 0 {
		for _, line := range m.book.NotCounted() {
			o.say(line)
		}
		return out, fmt.Errorf("no recorded tick has a label of %s %s in %s: label some with rein monitor label", m.tool.Name, m.question.Name, m.book.Path())
	}
	return out, nil
}

// measure asks one column's model and writes its card.
func (o *Evaluation) measure(ctx context.Context, c *column) (report.Column, error) {
	samples, err := c.plan.Ask(ctx)
	o.say(c.name + ": " + c.plan.Answers.Where())
	if err != nil {
		if c.plan.Answers.Any() {
			o.say("with --resume only the rest is asked")
		}
		return report.Column{}, withoutKeys(err, redactorOf(&c.agent))
	}
	r := measure.Of(c.criteria(o.MostFalse), samples)
	path, err := eval.WriteCard(c.evals, eval.CardOf(c.subject, r, o.Repeats))
	if err != nil {
		return report.Column{}, err
	}
	o.say(c.name + ": report card: " + path)
	return report.Column{Name: c.name, Result: r, LeftOut: c.plan.LeftOut(), Bare: c.plan.Bare()}, nil
}
