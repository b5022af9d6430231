package agent

import (
	"fmt"
	"slices"
	"time"

	"github.com/rein-robotics/rein/agent/action"
	"github.com/rein-robotics/rein/agent/check"
	"github.com/rein-robotics/rein/agent/inbox"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/monitor/question"
	"github.com/rein-robotics/rein/robot"
)

// Checked is a running action as a check of one's own is asked about it. It is immutable.
type Checked struct {
	Action   string // changes with every action
	Tool     string
	Elapsed  time.Duration // since it started, robot clock
	Readings *robot.Readings
}

// Verdict is what a check says of an action: finish, fail or escalate, why in words, and a tool that is started without
// arguments once the action has stopped ("" = none).
type Verdict struct {
	Do     question.Do
	Reason string
	Then   string
}

// checking is how a running action is checked.
type checking struct {
	declared []*check.Watch
	started  time.Duration
	told     map[Verdict]bool // of the check of one's own
}

// checkTimer is the name of the timer of the next look at the readings.
const checkTimer = "checks"

// pollCheck asks the check of one's own about the running actions: polled.
type pollCheck struct {
	id  effectID
	all []Checked
}

// polled is what it says, by action in the order asked; the others have no verdict.
type polled struct {
	id    effectID
	found []found
	err   error
}

// found is a verdict on one action.
type found struct {
	action  string
	verdict Verdict
}

func (pollCheck) effect() {}

func (polled) class() (inbox.Class, stackable) { return inbox.Result, false }

// checkOver begins to check an action that has just started.
func (s *state) checkOver(m moment, b *begin) {
	c := &checking{started: m.At, told: map[Verdict]bool{}}
	for _, spec := range s.set.Checks {
		if spec.Judges(b.name) {
			c.declared = append(c.declared, check.New(spec, b.spec.Spec.Commands))
		}
	}
	if len(c.declared) == 0 && !s.set.polls {
		return
	}
	s.checks[b.action] = c
	s.nextCheck(m)
}

// nextCheck asks to be woken in the next control period.
func (s *state) nextCheck(m moment) { s.do(setTimer{name: checkTimer, at: m.At + 1}) }

// onCheckTimer looks at the readings of every running action.
func (s *state) onCheckTimer(m moment) {
	if s.over() || m.World == nil {
		return
	}
	var ask []Checked
	for _, a := range slices.Clone(s.acts.All()) {
		c := s.checks[a.ID]
		if c == nil || a.Phase != action.Running {
			continue
		}
		for _, w := range c.declared {
			if reason, fires := w.See(m.World.Readings); fires {
				s.checked(m, a, Verdict{Do: w.Do, Reason: w.Name + ": " + reason, Then: w.Then})
			}
		}
		ask = append(ask, Checked{Action: a.ID, Tool: a.Tool, Elapsed: m.At - c.started, Readings: m.World.Readings})
	}
	if len(ask) == 0 {
		return
	}
	s.nextCheck(m)
	if s.set.polls && s.polling == 0 {
		s.polling = s.id()
		s.do(pollCheck{id: s.polling, all: ask})
	}
}

// onPolled takes what the check of one's own said. The same verdict on an action is taken once.
func (s *state) onPolled(m moment, e polled) {
	if e.id != s.polling {
		s.late("check", e.id)
		return
	}
	s.polling = 0
	if e.err != nil && e.err.Error() != s.pollErr {
		s.pollErr = e.err.Error()
		s.log(episode.ProviderError{Tag: s.tag(), Component: "check_agent_action", Class: s.pollErr, Attempt: 1})
	}
	for _, f := range e.found {
		a, ok := s.acts.Get(f.action)
		c := s.checks[f.action]
		if !ok || c == nil || s.over() || a.Phase != action.Running && a.Ending != m.At {
			s.late("check", e.id)
			continue
		}
		if !c.told[f.verdict] {
			c.told[f.verdict] = true
			s.checked(m, a, f.verdict)
		}
	}
}

// checked carries out the verdict of a check. The planner is told of it as trusted.
func (s *state) checked(m moment, a action.Action, v Verdict) {
	s.log(episode.ControllerCheck{Tag: s.tag(), Action: a.ID, Do: string(v.Do), Reason: v.Reason, Then: v.Then})
	s.judgeAction(m, a, verdictOn{do: v.Do, cause: control.CauseCheck, wake: view.WakeCheck, reason: v.Reason, then: v.Then})
}

// checkDeclared says which of the declared checks cannot be.
func (s *Settings) checkDeclared() error {
	for _, c := range s.Checks {
		if c.Do != question.Finish && c.Do != question.Fail && c.Do != question.Escalate {
			return fmt.Errorf("check %s: do is finish, fail or escalate, not %q", c.Name, c.Do)
		}
		if c.Then == "" {
			continue
		}
		if err := s.checkThen(c.Then); err != nil {
			return fmt.Errorf("check %s: %w", c.Name, err)
		}
	}
	return nil
}
