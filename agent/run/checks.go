package run

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

// RunningAction is what a check of one's own is asked about. It is immutable.
type RunningAction struct {
	Action   string // changes with every action
	Tool     string
	Elapsed  time.Duration // since it started, robot clock
	Readings *robot.Readings
}

// Verdict is what a check says of an action.
type Verdict struct {
	Do     question.Do // finish, fail or escalate
	Reason string      // in words
	Then   string      // tool that is started without arguments once the action has stopped; "" = none
}

// checking is how a running action is checked.
type checking struct {
	declared []*check.Watch
	started  time.Duration
	told     map[Verdict]bool // of the check of one's own
}

// checkTimer is the name of the timer of the next look at the readings.
const checkTimer = "checks"

// PollCheck asks the check of one's own about the running actions: Polled.
type PollCheck struct {
	ID  EffectID
	All []RunningAction
}

// Polled brings the verdicts of the check of one's own, in the order in which it was asked; an action that is not among
// them has none.
type Polled struct {
	ID    EffectID
	Found []Found
	Err   error
}

// Found is a verdict on one action.
type Found struct {
	Action  string
	Verdict Verdict
}

func (PollCheck) effect() {}

func (Polled) Class() (inbox.Class, Stackable) { return inbox.Result, false }

// checkOver begins to check an action that has just started.
func (s *State) checkOver(m Moment, b *begin) {
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
func (s *State) nextCheck(m Moment) { s.do(SetTimer{Name: checkTimer, At: m.At + 1}) }

// onCheckTimer looks at the readings of every running action.
func (s *State) onCheckTimer(m Moment) {
	if s.Over() || m.World == nil {
		return
	}
	var ask []RunningAction
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
		ask = append(ask, RunningAction{Action: a.ID, Tool: a.Tool, Elapsed: m.At - c.started, Readings: m.World.Readings})
	}
	if len(ask) == 0 {
		return
	}
	s.nextCheck(m)
	if s.set.polls && s.polling == 0 {
		s.polling = s.id()
		s.do(PollCheck{ID: s.polling, All: ask})
	}
}

// onPolled takes what the check of one's own said. The same verdict on an action is taken once.
func (s *State) onPolled(m Moment, e Polled) {
	if e.ID != s.polling {
		s.late("check", e.ID)
		return
	}
	s.polling = 0
	if e.Err != nil && e.Err.Error() != s.pollErr {
		s.pollErr = e.Err.Error()
		s.log(episode.ProviderError{Tag: s.Tag(), Component: "check_agent_action", Class: s.pollErr, Attempt: 1})
	}
	for _, f := range e.Found {
		a, ok := s.acts.Get(f.Action)
		c := s.checks[f.Action]
		if !ok || c == nil || s.Over() || a.Phase != action.Running && a.Ending != m.At {
			s.late("check", e.ID)
			continue
		}
		if !c.told[f.Verdict] {
			c.told[f.Verdict] = true
			s.checked(m, a, f.Verdict)
		}
	}
}

// checked carries out the verdict of a check. The planner is told of it as trusted.
func (s *State) checked(m Moment, a action.Action, v Verdict) {
	s.log(episode.ControllerCheck{Tag: s.Tag(), Action: a.ID, Do: string(v.Do), Reason: v.Reason, Then: v.Then})
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
