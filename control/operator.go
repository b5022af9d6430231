package control

import (
	"context"
	"slices"

	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/robot"
)

// Generation is the current one; it begins at 1 and only grows.
func (c *Controller) Generation() uint64 { return c.gen.Load() }

// Latched says that an e-stop is latched.
func (c *Controller) Latched() bool { return c.latch.Load() }

// Bump raises the generation: what was decided before is void. Actions of the agent that run are stopped, cause cancel;
// Bump does not wait for their stops.
func (c *Controller) Bump(ctx context.Context, why string) (uint64, error) {
	return await(ctx, c, func(then func(uint64, error)) { c.AskBump(why, then) })
}

// AskBump is Bump without the wait: then is called once, as AskEnd's is.
func (c *Controller) AskBump(why string, then func(uint64, error)) {
	c.ask("raise of the generation", &command{
		must: true,
		do: func(late bool) {
			gen := c.raise(End{Outcome: Stopped, Cause: CauseCancel, Reason: why})
			if !late {
				then(gen, nil)
			}
		},
		late: func(err error) { then(0, err) },
	})
}

// raise makes a new generation and ends what the agent decided under older ones.
func (c *Controller) raise(e End) uint64 {
	gen := c.gen.Add(1)
	c.dirty = true
	c.endAll(robot.OwnerAgent, e)
	c.refuseWaiting(robot.OwnerAgent, &Refused{Code: CodeStaleGeneration, Message: e.Reason})
	c.leaveUnstarted(byCause(e.Cause))
	return gen
}

// takeover waits until what the agent ran has ended.
type takeover struct {
	open    []string // actions not yet ended
	stopped []string
	then    func([]string, error)
}

// Takeover carries out the first half of an operator's input: the generation grows, the Sink hears OperatorTook, what
// the agent runs is stopped, measured, and its services too. It gives back the actions that it stopped. The caller then
// carries the input out and logs it; an operator's StartAction need not wait for Takeover to return.
func (c *Controller) Takeover(ctx context.Context, input string) (stopped []string, err error) {
	return await(ctx, c, func(then func([]string, error)) { c.AskTakeover(input, then) })
}

// AskTakeover is Takeover without the wait: then is called once, as AskEnd's is.
func (c *Controller) AskTakeover(input string, then func([]string, error)) {
	c.ask("operator's input", &command{
		must: true,
		do: func(late bool) {
			t := &takeover{then: then}
			if late {
				t.then = func([]string, error) {}
			}
			c.carryTakeover(input, t)
		},
		late: func(err error) { then(nil, err) },
	})
}

func (c *Controller) carryTakeover(input string, t *takeover) {
	for _, a := range c.live {
		if a.owner != robot.OwnerAgent {
			continue
		}
		t.open = append(t.open, a.id)
		if a.phase == running {
			t.stopped = append(t.stopped, a.id)
		}
	}
	gen := c.gen.Load() + 1
	c.takeovers = append(c.takeovers, t)
	c.gen.Store(gen)
	c.cfg.Sink(OperatorTook{At: c.now, Input: input, Generation: gen})
	e := End{Outcome: Stopped, Cause: CauseOperator, Reason: "the operator took over: " + input}
	c.endAll(robot.OwnerAgent, e)
	c.refuseWaiting(robot.OwnerAgent, &Refused{Code: CodeStaleGeneration, Message: e.Reason})
	c.leaveUnstarted(episode.ByOperator)
	c.dirty = true
	c.settleTakeovers()
}

// settleTakeovers answers those whose actions have all ended.
func (c *Controller) settleTakeovers() {
	var done []*takeover
	c.takeovers = slices.DeleteFunc(c.takeovers, func(t *takeover) bool {
		t.open = slices.DeleteFunc(t.open, func(id string) bool { return c.find(id) == nil })
		if len(t.open) == 0 {
			done = append(done, t)
		}
		return len(t.open) == 0
	})
	for _, t := range done {
		t.then(t.stopped, nil)
	}
}

// EStop latches at once, from any goroutine: from its return on no motion command of anybody is begun, and the loop
// holds every module at its next chance.
func (c *Controller) EStop(by string) {
	c.estops.Add(1)
	c.latch.Store(true)
	c.ask("e-stop", &command{must: true, do: func(bool) { c.carryEStop(by) }})
}

func (c *Controller) carryEStop(by string) {
	c.estops.Add(-1)
	for _, m := range c.movers {
		_ = c.hold(m) // a hold that is not taken is tried again while the stop is measured, or the robot tells its fault
	}
	if c.stopped {
		return
	}
	c.stopped, c.dirty = true, true
	gen := c.gen.Add(1)
	e := End{Outcome: Stopped, Cause: CauseSafety, Reason: "e-stop by " + by}
	c.cfg.Log.Post(episode.Estop{Tag: c.tag(), By: episode.By(by)})
	ids := c.endAll("", e)
	c.refuseWaiting("", &Refused{Code: CodeEStopped, Message: e.Reason})
	c.leaveUnstarted(episode.ByHarness)
	c.cfg.Sink(EStopped{At: c.now, By: by, Generation: gen, Stopped: ids})
}

// ClearEStop opens the latch.
func (c *Controller) ClearEStop(by string) {
	c.ask("clearing of the e-stop", &command{must: true, do: func(bool) {
		if !c.stopped {
			return
		}
		c.stopped, c.dirty = false, true
		c.latch.Store(false)
		if c.estops.Load() > 0 { // another one was asked for meanwhile
			c.latch.Store(true)
		}
		c.cfg.Log.Post(episode.EstopCleared{Tag: c.tag(), By: episode.By(by)})
		c.cfg.Sink(EStopCleared{At: c.now, By: by, Generation: c.gen.Load()})
	}})
}
