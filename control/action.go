package control

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
)

type phase int

const (
	running  phase = iota
	ending         // held; further ends are collected until the next tick
	stopping       // the end is recorded; the stop is being measured
)

// action is one started skill. It is owned by the loop's goroutine.
type action struct {
	id       string
	tool     *skill.Tool
	owner    robot.Owner
	gen      uint64
	skill    skill.Skill
	body     skill.Body
	started  time.Duration
	deadline time.Duration // robot clock; 0 = none

	phase   phase
	open    bool // Send counts only during a call of the skill
	out     []robot.Target
	clamped map[string]bool // modules whose last command was clamped
	doing   string

	ends    []End
	own     *End // the skill's own end
	decided time.Duration
	stop    stopMeasure
	result  ActionEnded
	waiters []func(Ended, error)
}

func (a *action) modules() []string { return a.tool.Spec.Commands }

func (a *action) send(t robot.Target) {
	if !a.open {
		return
	}
	for i := range a.out {
		if a.out[i].Module == t.Module {
			a.out[i] = t
			return
		}
	}
	a.out = append(a.out, t)
}

// newAction makes the run of a skill without starting it. Not on the loop's goroutine: a skill may plan its path here.
func (c *Controller) newAction(s Start) (a *action, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &Refused{Code: CodeCannotStart, Message: fmt.Sprintf("%s: its skill panicked: %v", s.Tool.Name, p)}
		}
	}()
	run := s.Skill
	if run == nil {
		if run, err = s.Tool.New(s.Call); err != nil {
			return nil, refusal(s.Tool.Name, err)
		}
	}
	a = &action{id: s.Action, tool: s.Tool, owner: s.Owner, gen: s.Generation, skill: run, clamped: map[string]bool{}}
	a.body = skill.Body{Period: c.cfg.Period, Description: c.desc, Track: c.track, Send: a.send}
	return a, nil
}

func refusal(tool string, err error) *Refused {
	if r, ok := errors.AsType[*skill.Refusal](err); ok {
		return &Refused{Code: r.Code, Message: r.Message, Hint: r.Hint}
	}
	return &Refused{Code: CodeCannotStart, Message: tool + ": " + err.Error()}
}

// judge says why something of this owner and generation may not begin now, or nil.
func (c *Controller) judge(owner robot.Owner, gen uint64) *Refused {
	switch {
	case c.over:
		return &Refused{Code: CodeCannotStart, Message: "the control loop is ending"}
	case c.latch.Load():
		return refusedEStop()
	case owner == robot.OwnerAgent && gen != c.gen.Load():
		return c.stale(gen)
	case c.fault != nil:
		return &Refused{Code: CodeCannotStart, Message: "the robot reports a fault: " + c.fault.Error()}
	case c.readings == nil:
		return &Refused{Code: CodeCannotStart, Message: "the robot has not reported anything yet"}
	case owner == robot.OwnerAgent && c.broken != nil:
		return &Refused{Code: CodeCannotStart, Message: "the log cannot be written: " + c.broken.Error(),
			Hint: "free the disk or switch recording off"}
	}
	return nil
}

func refusedEStop() *Refused {
	return &Refused{Code: CodeEStopped, Message: "the e-stop is latched", Hint: "the operator has to clear it"}
}

func (c *Controller) stale(gen uint64) *Refused {
	return &Refused{
		Code:    CodeStaleGeneration,
		Message: fmt.Sprintf("decided under generation %d, now it is %d: the operator or a cancel came between", gen, c.gen.Load()),
	}
}

// judgeModules says what keeps the modules of a new action from moving, or nil.
func (c *Controller) judgeModules(a *action) *Refused {
	if c.find(a.id) != nil || c.ended.get(a.id) != nil {
		return &Refused{Code: CodeCannotStart, Message: "the action id " + a.id + " was used before"}
	}
	for _, m := range a.modules() {
		if _, ok := c.gauges[m]; !ok {
			return &Refused{Code: CodeCannotStart, Message: "the robot has no module " + m + " that moves"}
		}
		by := c.holder(m)
		if by == nil || (by.phase != running && a.owner == robot.OwnerOperator) {
			continue
		}
		r := &Refused{Code: CodeModuleBusy, Message: fmt.Sprintf("%s is held by %s (action %s)", m, by.tool.Name, by.id)}
		if by.phase != running {
			r.Message += ", which is being stopped"
		}
		return r
	}
	if len(a.modules()) > 0 && a.owner != robot.OwnerOperator && c.unrest.any() {
		return &Refused{Code: CodeCannotStart, Message: "not seen at rest after the last stop: " + c.unrest.String(),
			Hint: "wait until the robot stands still; the operator was told"}
	}
	return nil
}

// holder is the live action that commands a module, or nil.
func (c *Controller) holder(module string) *action {
	for _, a := range c.live {
		if slices.Contains(a.modules(), module) {
			return a
		}
	}
	return nil
}

func (c *Controller) find(id string) *action {
	for _, a := range c.live {
		if a.id == id {
			return a
		}
	}
	return nil
}

// begin starts a on the loop's goroutine, or says why not.
func (c *Controller) begin(a *action, s *Start) *Refused {
	if r := c.judge(a.owner, a.gen); r != nil {
		return r
	}
	if r := c.judgeModules(a); r != nil {
		return r
	}
	a.started, a.body.Now, a.body.Readings = c.now, c.now, c.readings
	if err := a.callStart(); err != nil {
		return refusal(a.tool.Name, err)
	}
	if err := c.announce(a, s); err != nil {
		a.callStopped()
		if c.broken == nil {
			c.logFailed(err)
		}
		if a.owner == robot.OwnerAgent {
			return c.judge(a.owner, a.gen)
		}
	}
	if d := a.tool.Spec.MaxDuration; d > 0 {
		a.deadline = c.now + d
	}
	c.takeOver(a)
	c.live = append(c.live, a)
	c.owner, c.dirty = a.owner, true
	c.flush(a)
	return nil
}

// announce writes what is about to move into the log.
func (c *Controller) announce(a *action, s *Start) error {
	err := c.cfg.Log.Append(episode.SkillStarted{
		Tag: c.tag(), Skill: a.tool.Skill, Tool: a.tool.Name, Params: s.Call.Args, By: byOwner(a.owner),
	})
	for _, e := range s.Announce {
		if err == nil {
			err = c.cfg.Log.Append(e)
		}
	}
	return err
}

// takeOver ends the measurement of stops whose modules the new action moves.
func (c *Controller) takeOver(a *action) {
	for _, m := range a.modules() {
		if by := c.holder(m); by != nil {
			c.settleEnds(by)
			c.finish(by, TakenOver)
		}
	}
}

func (c *Controller) tag() episode.Tag { return episode.Tag{Generation: c.gen.Load()} }

func byOwner(o robot.Owner) episode.By {
	switch o {
	case robot.OwnerAgent:
		return episode.ByAgent
	case robot.OwnerOperator:
		return episode.ByOperator
	}
	return episode.ByHarness
}
