package app

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rein-robotics/rein/conf"
	"github.com/rein-robotics/rein/config"
	"github.com/rein-robotics/rein/eval"
	"github.com/rein-robotics/rein/internal/terminal"
	"github.com/rein-robotics/rein/monitor/question"
	"github.com/rein-robotics/rein/skill"
)

// Measure is what the measuring of a monitor question is told. Tool and Question may be left out where there is only one.
type Measure struct {
	Conf     string // as of Options
	Record   string // root of the recordings
	Evals    string // folder of labels and cards; "" = evals beside the configuration
	Tool     string
	Question string
	Name     string // of the labels' files; "" = <tool>_<question>

	Out io.Writer
	Say func(line string) // progress and warnings; nil = nobody reads
}

// measured is a question made ready to be labelled or measured.
type measured struct {
	setup     *setup
	tool      *skill.Tool
	questions []question.Question // all of the tool, as they are asked together
	question  question.Question
	evals     string // folder of labels, answers and cards
	book      *eval.Book
	ticks     []eval.Tick
}

func (m *Measure) say(line string) {
	if m.Say != nil {
		m.Say(terminal.Line(line))
	}
}

// evalsOf is the folder beside a configuration; that of an embedded one is in the current folder.
func evalsOf(name string) string {
	if name == "" || slices.Contains(conf.Names(), name) {
		return "evals"
	}
	return filepath.Join(filepath.Dir(filepath.Clean(name)), "evals")
}

// prepare reads the configuration and finds the question.
func (m *Measure) prepare() (*measured, error) {
	s, err := load(&Options{Conf: m.Conf})
	if err != nil {
		return nil, err
	}
	if s.agent == nil {
		return nil, usage(fmt.Errorf("%s: there is no agent: block, so nothing is watched", config.ControllerFile), "")
	}
	out := &measured{setup: s}
	return out, m.choose(out)
}

// open reads configuration, labels and recorded ticks.
func (m *Measure) open() (*measured, error) {
	out, err := m.prepare()
	if err != nil {
		return nil, err
	}
	if out.evals = m.Evals; out.evals == "" {
		out.evals = evalsOf(m.Conf)
	}
	name := m.Name
	if name == "" {
		name = out.tool.Name + "_" + out.question.Name
	}
	if out.book, err = eval.OpenBook(out.evals, name, out.tool.Name, out.question); err != nil {
		return nil, usage(err, "")
	}
	ticks, notes, err := eval.Ticks(recordings(m.Record), out.tool.Name)
	if err != nil {
		return nil, err
	}
	for _, t := range out.book.Torn() {
		m.say(t)
	}
	for _, n := range notes {
		m.say("left out from here on: " + n)
	}
	out.ticks = ticks
	return out, nil
}

// choose finds the tool and its question.
func (m *Measure) choose(out *measured) error {
	type pair struct {
		tool *skill.Tool
		all  []question.Question
		q    question.Question
	}
	var found []pair
	var known []string
	for _, t := range out.setup.tools {
		all, err := question.Parse(t.Spec.Monitor)
		if err != nil {
			return usage(out.setup.folder.ToolErrorf(t.Name, "%v", err), "")
		}
		for _, q := range all {
			known = append(known, t.Name+" "+q.Name)
			if (m.Tool == "" || m.Tool == t.Name) && (m.Question == "" || m.Question == q.Name) {
				found = append(found, pair{t, all, q})
			}
		}
	}
	switch {
	case len(known) == 0:
		return usage(errors.New("no tool of the configuration has monitor questions"), "docs/writing-monitor-questions.md says how they are written")
	case len(found) == 0:
		return usage(errors.New("there is no such question"), "tools and questions are: "+strings.Join(known, ", "))
	case len(found) > 1:
		return usage(errors.New("there are several questions: name one with --tool and --question"), "tools and questions are: "+strings.Join(known, ", "))
	}
	out.tool, out.questions, out.question = found[0].tool, found[0].all, found[0].q
	return nil
}
