package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/rein-robotics/rein/conf"
	"github.com/rein-robotics/rein/config"
	"github.com/rein-robotics/rein/eval"
	"github.com/rein-robotics/rein/eval/measure"
	"github.com/rein-robotics/rein/monitor/question"
	"github.com/rein-robotics/rein/monitor/rule"
)

// column is one model with one configuration: what a column of the table is measured with.
type column struct {
	*measured // of its configuration; labels and ticks are those of the first

	name    string // of the column
	conf    string // as it was named
	agent   config.Agent
	subject eval.Subject
	plan    *eval.Plan
}

// columns are the models of each configuration, the first one's first.
func (o *Evaluation) columns(first *measured) ([]column, error) {
	all := []column{{measured: first, conf: o.Conf}}
	for _, name := range o.Beside {
		own := o.Measure
		own.Conf, own.Tool, own.Question = name, first.tool.Name, first.question.Name
		m, err := own.prepare()
		if err != nil {
			return nil, fmt.Errorf("--conf %s beside --conf %s: %w", name, confName(o.Conf), err)
		}
		if a, b := answersOf(first.question), answersOf(m.question); a != b {
			return nil, usage(fmt.Errorf("--conf %s and --conf %s: %s of %s is answered with %s in the one and with %s in the other", confName(o.Conf), name, m.question.Name, m.tool.Name, a, b),
				"what is set side by side has the same answers: only wording, cameras and rules may differ")
		}
		if m.evals = o.Evals; m.evals == "" {
			m.evals = evalsOf(name)
		}
		all = append(all, column{measured: m, conf: name})
	}
	models := o.Models
	if len(models) == 0 {
		models = []string{""}
	}
	var out []column
	for _, c := range all {
		for _, model := range models {
			a, err := o.agent(&c, model)
			if err != nil {
				return nil, fmt.Errorf("--conf %s: %w", confName(c.conf), err)
			}
			c.agent, c.name = a, modelName(a.Monitor)
			if len(all) > 1 {
				c.name = confName(c.conf) + " " + c.name
			}
			c.subject = subject(c.setup, &a, c.tool, c.question.Name, c.questions)
			out = append(out, c)
		}
	}
	return out, nil
}

// confName is a configuration's name in messages.
func confName(name string) string {
	if name == "" {
		return conf.Default
	}
	return name
}

// answersOf are what a question may be answered with, in words.
func answersOf(q question.Question) string {
	var out []string
	for _, x := range q.Choices() {
		out = append(out, x.Value)
	}
	slices.Sort(out)
	return string(q.Kind) + " " + strings.Join(out, ", ")
}

// agent are the settings of a configuration for one model; "" = the configuration's.
func (o *Evaluation) agent(c *column, name string) (config.Agent, error) {
	a := *c.setup.agent
	if name != "" {
		provider, _, named := strings.Cut(name, ":")
		switch known := slices.Contains(monitors(), provider); {
		case named && !known:
			return a, usage(fmt.Errorf("--model %s: there is no provider %q%s", name, provider, config.DidYouMean(provider, monitors()[1:])),
				"providers are "+strings.Join(monitors()[1:], ", ")+"; a model with a colon in its name is written with its provider: openai:"+name)
		case !known:
			if a.Monitor == nil {
				return a, usage(fmt.Errorf("--model %s: the configuration has no monitor whose provider it could be of", name), "write provider:model")
			}
			name = a.Monitor.Provider + ":" + name
		}
	} else if a.Monitor == nil {
		return a, usage(errors.New("the configuration has no monitor"), "name a model with --model provider:model")
	}
	if err := monitorFlags(&a, &Options{Monitor: name, MonitorURL: o.URL}); err != nil {
		return a, err
	}
	if a.Monitor.Provider == config.ProviderRules {
		return a, usage(errors.New("the monitor rules cannot be measured on recordings: it reads masks and depth, which the log does not keep for it"),
			"name a model with --model provider:model; what rules answered on the robot are the monitor_answer lines of the episode's log")
	}
	mon := *a.Monitor
	if o.Reasoning != "" {
		if mon.Provider == "openai_decisions" {
			return a, usage(fmt.Errorf("--reasoning %s: %s takes none", o.Reasoning, mon.Provider), "")
		}
		mon.ReasoningEffort = o.Reasoning
	}
	if o.NoTarget {
		mon.MarkTarget = false
	}
	a.Monitor = &mon
	return a, nil
}

// criteria is what the answers of a column are counted by.
func (c *column) criteria(most float64) measure.Criteria {
	set := measure.Settings{Rearm: rule.Again, MaxAge: config.Seconds(c.agent.Monitor.MaxAnswerAgeS)}
	if !c.agent.Monitor.Rearm {
		set.Rearm = rule.Once
	}
	return measure.Criteria{Question: c.question, All: c.questions, Settings: set, MostFalse: most}
}

// plan makes ready what a column asks. Two columns with one subject share their answers: they differ in rules, and the
// model is asked once.
func (o *Evaluation) plan(ctx context.Context, c *column, of labelled, kept map[eval.Subject]*eval.Answers) error {
	j, err := assessor(&c.agent, c.setup.body, os.LookupEnv, nil)
	if err != nil {
		return usage(fmt.Errorf("--conf %s: %w", confName(c.conf), err), "")
	}
	for _, n := range j.notes {
		o.say("monitor: " + n)
	}
	answers := kept[c.subject]
	if answers == nil {
		if answers, err = o.answers(c); err != nil {
			return err
		}
		kept[c.subject] = answers
	}
	cameras := monitorCameras(&c.agent, c.setup.body)
	if err := recorded(cameras, of.ticks); err != nil {
		return usage(fmt.Errorf("--conf %s: %w", confName(c.conf), err), "")
	}
	c.plan = &eval.Plan{
		Assessor: j, Ticks: of.ticks, Repeats: o.Repeats, Limit: config.Seconds(c.agent.Waits.MonitorS), Answers: answers,
		Shower: &eval.Shower{
			Settings: shownTo(c.agent.Monitor), Cameras: cameras, Tracked: c.tool.Tracked(), Body: c.setup.body, Questions: c.questions,
			About: c.tool.Spec.Description, Points: c.tool.Spec.ImagePoints, Book: of.book,
		},
		Label: func(k measure.Key) string { l, _ := of.book.Label(k); return l.Label },
		Clean: redactorOf(&c.agent).Text,
		Progress: func(done, of int) {
			if done%20 == 0 || done == of {
				o.say(fmt.Sprintf("%s: %d of %d calls", c.name, done, of))
			}
		},
		Say: func(line string) { o.say(c.name + ": " + line) },
	}
	if err := c.plan.Prepare(ctx); err != nil && ctx.Err() == nil {
		return fmt.Errorf("--conf %s: %w", confName(c.conf), err)
	}
	return context.Cause(ctx)
}

// answers opens the file of what a column's model has answered.
func (o *Evaluation) answers(c *column) (*eval.Answers, error) {
	mode := eval.Anew
	if o.Resume {
		mode = eval.Resumed
	}
	a, err := eval.OpenAnswers(c.evals, c.subject, c.questions, mode)
	if err != nil {
		return nil, usage(err, "")
	}
	if t := a.Torn(); t != "" {
		o.say(t)
	}
	return a, nil
}

// recorded refuses cameras that no tick has a picture of.
func recorded(cameras []string, ticks []eval.Tick) error {
	for _, c := range cameras {
		has := slices.ContainsFunc(ticks, func(t eval.Tick) bool {
			return slices.ContainsFunc(t.Pictures, func(p eval.Picture) bool { return p.Camera == c })
		})
		if !has {
			return fmt.Errorf("it shows %s, and no labelled tick has a picture of it", c)
		}
	}
	return nil
}
