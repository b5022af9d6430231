package app

import (
	"slices"
	"time"

	"github.com/rein-robotics/rein/agent/check"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/config"
	"github.com/rein-robotics/rein/monitor/question"
	"github.com/rein-robotics/rein/monitor/rule"
	"github.com/rein-robotics/rein/skill"
)

// monitorRules is how running actions are watched, nil when nobody does.
func monitorRules(a *config.Agent, o *Options) *run.MonitorRules {
	if a == nil || a.Monitor == nil || o.Monitor == "none" {
		return nil
	}
	m := a.Monitor
	r := &run.MonitorRules{
		Every: config.Seconds(m.PeriodS), KeepsFirst: m.History > 1 || m.Reference, MaxAge: config.Seconds(m.MaxAnswerAgeS), Rearm: rule.Again,
	}
	if !m.Rearm {
		r.Rearm = rule.Once
	}
	return r
}

// Defaults of declared checks.
const (
	stalledFor    = 5 * time.Second
	stalledWithin = 0.003 // m
	emptyFor      = 300 * time.Millisecond
	emptyBelow    = 0.001 // m
)

// checks are the declared checks of a configuration.
func checks(list []config.Tripwire) []check.Spec {
	var out []check.Spec
	for _, w := range list {
		s := check.Spec{
			Name: w.Name, Kind: check.Kind(w.Kind), Tools: w.Tools, Module: w.Module, Do: question.Do(w.Do), Then: w.Then,
			Within: millimetres(w.WithinMM, stalledWithin), Below: millimetres(w.BelowMM, emptyBelow),
		}
		switch s.Kind {
		case check.Stalled:
			s.For = stalledFor
		case check.Empty:
			s.For = emptyFor
		}
		if w.Above != nil {
			s.Above = *w.Above
		}
		if w.ForS != nil {
			s.For = config.Seconds(*w.ForS)
		}
		out = append(out, s)
	}
	return out
}

// millimetres are metres, or those of a key that was left out.
func millimetres(mm *float64, leftOut float64) float64 {
	if mm == nil {
		return leftOut
	}
	return *mm / 1000
}

// checkThens checks that what rules and checks start by themselves can be started without arguments.
func (s *setup) checkThens() error {
	byName := map[string]*skill.Tool{}
	for _, t := range s.tools {
		byName[t.Name] = t
	}
	err := s.folder.CheckThens(func(name string) error {
		if byName[name] == nil {
			return nil // the folder tells of it
		}
		return run.CanFollow(byName[name])
	})
	if err != nil {
		return usage(err, "")
	}
	return nil
}

// checkEnds checks that every action comes to an end: by itself, at its limit, or by a rule or check that finishes it.
func (s *setup) checkEnds(o *Options) error {
	if s.agent == nil {
		return nil
	}
	asked := s.agent.Monitor != nil && o.Monitor == "" || o.Monitor != "" && o.Monitor != "none"
	declared := checks(s.agent.Checks)
	var errs config.Errors
	for _, t := range s.tools {
		if t.Spec.EndsByItself || t.Spec.MaxDuration > 0 {
			continue
		}
		questions, err := question.Parse(t.Spec.Monitor)
		if err != nil {
			errs = append(errs, s.folder.ToolErrorf(t.Name, "%v", err))
			continue
		}
		finished := slices.ContainsFunc(questions, finishes) && asked ||
			slices.ContainsFunc(declared, func(c check.Spec) bool { return c.Judges(t.Name) && c.Do == question.Finish })
		if !finished {
			errs = append(errs, s.folder.ToolErrorf(t.Name, "it never ends: its skill does not end by itself, it has no max_duration_s, and no rule finishes it"))
		}
	}
	if err := errs.Err(); err != nil {
		return usage(err, "")
	}
	return nil
}

// monitorWarnings are what a person should know of the monitor before a run with these settings, flags included.
func (s *setup) monitorWarnings(o *Options) []string {
	if s.agent == nil || s.agent.Monitor == nil {
		return nil
	}
	asks := slices.ContainsFunc(s.tools, func(t *skill.Tool) bool {
		questions, err := question.Parse(t.Spec.Monitor)
		return t.Spec.Description != "" && (err != nil || len(questions) > 0) // the folder tells of an error
	})
	if !asks {
		return []string{"no tool asks a question, so it watches only for what the planner adds to a call with watch_for: see docs/writing-monitor-questions.md"}
	}
	return s.unmeasured(evalsOf(o.Conf))
}

// finishes says that a question has a rule that finishes an action.
func finishes(q question.Question) bool {
	return slices.ContainsFunc(q.When, func(r question.Rule) bool { return r.Do == question.Finish })
}
