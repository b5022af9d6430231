package control

import (
	"slices"
	"time"

	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/robot"
)

// stopMeasure is a stop from the hold command to its outcome.
type stopMeasure struct {
	sent   time.Duration // robot clock
	unheld []string      // modules whose hold the robot did not take; tried again
	rest   rest
}

// rank is the contract's precedence of ends that come between the same two ticks.
func rank(c Cause) int {
	switch c {
	case CauseSafety:
		return 0
	case CauseRobot:
		return 1
	case CauseOperator, CauseCancel:
		return 2
	case CauseSkill:
		return 3
	case CauseCheck:
		return 4
	case CauseMonitor:
		return 5
	case CauseDeadline:
		return 6
	case CausePlanner:
		return 7
	}
	return 8
}

func byCause(c Cause) episode.By {
	switch c {
	case CauseOperator:
		return episode.ByOperator
	case CausePlanner, CauseMonitor, CauseCheck, CauseFollowUp, CauseCancel:
		return episode.ByAgent
	}
	return episode.ByHarness
}

// decide takes an end of an action. The first one holds its modules at once; those that come before the next tick are
// weighed against it; later ones change nothing.
func (c *Controller) decide(a *action, e End) {
	switch a.phase {
	case ending:
		if !slices.Contains(a.ends, e) {
			a.ends = append(a.ends, e)
		}
		return
	case stopping:
		return
	}
	a.phase, a.decided, c.dirty = ending, c.now, true
	a.ends = append(a.ends, e)
	if e.Cause == CauseSkill {
		own := e
		a.own = &own
	} else {
		a.callStopped()
		c.cfg.Log.Post(episode.SkillStop{Tag: c.tag(), Skill: a.tool.Skill, Reason: e.Reason, By: byCause(e.Cause)})
	}
	a.result.Arrival = a.callArrival()
	a.stop.sent = c.now
	if c.readings != nil {
		a.stop.rest.seq = c.readings.Seq // what was read before the hold says nothing
	}
	for _, m := range a.modules() {
		if c.hold(m) != nil {
			a.stop.unheld = append(a.stop.unheld, m)
		}
	}
}

// settleEnds records one of the collected ends; the others go to Also.
func (c *Controller) settleEnds(a *action) {
	if a.phase != ending {
		return
	}
	a.phase = stopping
	slices.SortStableFunc(a.ends, func(x, y End) int { return rank(x.Cause) - rank(y.Cause) })
	r := &a.result
	r.Action, r.Tool, r.End, r.Also = a.id, a.tool.Name, a.ends[0], a.ends[1:len(a.ends):len(a.ends)]
	r.Elapsed = a.decided - a.started
	status, reason := "stopped", r.Reason
	if a.own != nil {
		status, reason = "completed", a.own.Reason
		if a.own.Outcome == Failed {
			status = "failed"
			if r.Cause != CauseSkill {
				r.SkillReason = a.own.Reason
			}
		}
	}
	c.cfg.Log.Post(episode.SkillEnded{Tag: c.tag(), Skill: a.tool.Skill, Status: status, Reason: reason})
	c.cfg.Sink(ActionEnding{At: c.now, Action: a.id})
}

func (c *Controller) checkDeadlines() {
	for _, a := range c.live {
		if a.deadline == 0 || c.now < a.deadline || a.phase == stopping {
			continue
		}
		d := a.deadline - a.started
		a.deadline = 0
		c.decide(a, End{Outcome: TimedOut, Cause: CauseDeadline, Reason: "ran its limit of " + d.String()})
	}
}

// measure goes on with every stop that is being measured, and tells those that are done.
func (c *Controller) measure() {
	for i := 0; i < len(c.live); {
		a := c.live[i]
		c.settleEnds(a)
		if a.phase != stopping || !c.measureOne(a) {
			i++
		}
	}
	if c.unrest.any() {
		c.calm()
	}
}

// calm holds again and again what did not come to rest, until it is seen at rest.
func (c *Controller) calm() {
	u := &c.unrest
	if u.window.look(c.gauges, u.modules, c.readings) {
		u.modules, c.dirty = nil, true
		c.cfg.Sink(AtRest{At: c.now})
		return
	}
	if c.now < u.again {
		return
	}
	u.again = c.now + stillFor
	for _, m := range u.modules {
		if c.holder(m) == nil {
			_ = c.hold(m) // it comes again
		}
	}
}

// measureOne says whether the action has ended.
func (c *Controller) measureOne(a *action) bool {
	a.stop.unheld = slices.DeleteFunc(a.stop.unheld, func(m string) bool { return c.hold(m) == nil })
	switch full := a.stop.rest.look(c.gauges, a.modules(), c.readings); {
	case full && len(a.stop.unheld) == 0, len(a.modules()) == 0:
		c.finish(a, Still)
	case c.now-a.stop.sent < c.cfg.Waits.Stop:
		return false
	case a.stop.rest.last == inMotion:
		c.finish(a, Moving)
	default:
		c.finish(a, Unconfirmed)
	}
	return true
}

// finish takes the action out of the loop and tells its end, once.
func (c *Controller) finish(a *action, how StopOutcome) {
	c.live = slices.DeleteFunc(c.live, func(x *action) bool { return x == a })
	c.dirty = true
	r := &a.result
	r.At = c.now
	r.Stop = Stop{SentS: a.stop.sent.Seconds(), Outcome: how}
	if how == Still {
		r.Stop.StillS = a.stop.rest.since.Seconds()
		if len(a.modules()) == 0 {
			r.Stop.StillS = r.Stop.SentS
		}
	}
	r.Services = c.leaveServices(a.id, byCause(r.Cause))
	told := *r // a copy: what is remembered must not keep the skill, and all that it holds, alive
	c.ended.put(&told)
	if how == Moving || how == Unconfirmed {
		c.unrest.add(a.modules())
		c.cfg.Sink(NotAtRest{At: c.now, Modules: slices.Clone(c.unrest.modules)})
	}
	c.cfg.Sink(*r)
	for _, then := range a.waiters {
		then(*r, nil)
	}
	c.settleTakeovers()
}

// endAll decides the end of every action of an owner ("" = of everybody) and gives the ids of those that ran.
func (c *Controller) endAll(owner robot.Owner, e End) []string {
	var ids []string
	for _, a := range c.live {
		if owner != "" && a.owner != owner {
			continue
		}
		if a.phase == running {
			ids = append(ids, a.id)
		}
		c.decide(a, e)
	}
	return ids
}

// history keeps the newest ends, for those who stop what has ended.
type history struct {
	byID  map[string]*ActionEnded
	order []string
}

const keptEnds = 1024

func (h *history) get(id string) *ActionEnded { return h.byID[id] }

func (h *history) put(r *ActionEnded) {
	if len(h.order) == keptEnds {
		delete(h.byID, h.order[0])
		h.order = slices.Delete(h.order, 0, 1)
	}
	h.order = append(h.order, r.Action)
	h.byID[r.Action] = r
}
