package control

import (
	"slices"

	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/robot"
)

// tickSkills ticks what runs, in start order, and hands its targets down.
func (c *Controller) tickSkills() {
	for _, a := range c.live {
		if a.phase != running {
			continue
		}
		a.body.Now, a.body.Readings = c.now, c.readings
		done, err := a.callTick()
		switch {
		case err != nil:
			c.decide(a, End{Outcome: Failed, Cause: CauseSkill, Reason: err.Error()})
		case done:
			c.decide(a, End{Outcome: Succeeded, Cause: CauseSkill})
		default:
			c.flush(a)
		}
	}
}

// flush passes the targets of one call through gate and shield to the robot.
func (c *Controller) flush(a *action) {
	for i := range a.out {
		if a.phase != running {
			return
		}
		c.pass(a, a.out[i])
	}
}

func (c *Controller) pass(a *action, t robot.Target) {
	cmd := robot.Command{Owner: a.owner, Generation: c.gen.Load(), IssuedAt: c.now, Target: t}
	if a.owner == robot.OwnerAgent {
		cmd.Generation, cmd.Action = a.gen, a.id
	}
	switch {
	case c.latch.Load():
		c.refuse(a, cmd, End{Outcome: Stopped, Cause: CauseSafety, Reason: "the e-stop is latched"})
		return
	case cmd.Generation != c.gen.Load():
		c.refuse(a, cmd, End{Outcome: Stopped, Cause: CauseCancel, Reason: c.stale(cmd.Generation).Message})
		return
	case !slices.Contains(a.modules(), t.Module):
		c.refuse(a, cmd, End{Outcome: Stopped, Cause: CauseSafety, Reason: "it commanded " + t.Module + ", which it does not hold"})
		return
	}
	out, why, err := c.cfg.Shield.Check(cmd, c.readings, c.now)
	if err != nil {
		c.refuse(a, cmd, End{Outcome: Stopped, Cause: CauseSafety, Reason: err.Error()})
		return
	}
	if clamped := why != ""; clamped != a.clamped[t.Module] {
		a.clamped[t.Module] = clamped
		if clamped { // the first of a row tells
			c.logRefused(cmd, t.Module+": clamped: "+why)
		}
	}
	if err := c.cfg.Robot.Do(out); err != nil {
		c.refuse(a, cmd, End{Outcome: Stopped, Cause: CauseRobot, Reason: "the robot did not carry out a command: " + err.Error()})
	}
}

// refuse logs a command that did not go down and ends its action.
func (c *Controller) refuse(a *action, cmd robot.Command, e End) {
	c.logRefused(cmd, cmd.Target.Module+": "+e.Reason)
	c.decide(a, e)
}

func (c *Controller) logRefused(cmd robot.Command, what string) {
	c.cfg.Log.Post(episode.CommandRefused{
		Tag: episode.Tag{Generation: cmd.Generation}, Owner: string(cmd.Owner), Current: c.gen.Load(), What: what,
	})
}

// hold makes a module stay where it is. It asks neither latch nor generation: a robot must always be allowed to stop.
func (c *Controller) hold(module string) error {
	cmd, _, err := c.cfg.Shield.Check(robot.Command{
		Owner: robot.OwnerHarness, Generation: c.gen.Load(), IssuedAt: c.now, Target: robot.Target{Module: module, Hold: true},
	}, c.readings, c.now)
	if err != nil {
		return err
	}
	return c.cfg.Robot.Do(cmd)
}
