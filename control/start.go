package control

import (
	"context"

	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/vision"
)

// Start asks for an action. Action is an id that was never used before.
type Start struct {
	Owner      robot.Owner
	Generation uint64
	Action     string
	Tool       *skill.Tool
	Call       skill.Call
	Skill      skill.Skill     // made of Tool and Call beforehand; nil = StartAction makes it
	Announce   []episode.Event // logged with skill_started, before the first command
}

// ServiceStart asks for the services of an action that is about to start.
type ServiceStart struct {
	Owner      robot.Owner
	Generation uint64
	Action     string
	Services   []skill.Service
}

// Refused says why something was not done. The codes are those of the contract.
type Refused struct {
	Code    string
	Message string
	Hint    string
}

func (r *Refused) Error() string { return r.Code + ": " + r.Message }

// The codes of a Refused beside those of a skill.Refusal (out_of_reach, cannot_start, bad_arguments).
const (
	CodeStaleGeneration = "stale_generation"
	CodeEStopped        = "estopped"
	CodeModuleBusy      = "module_busy"
	CodeCannotStart     = "cannot_start"
	CodeNoTarget        = "no_target"
	CodeUnknownAction   = "unknown_action"
)

// Tracks are a service's first results by field, "module/field".
type Tracks = map[string]vision.Track

// StartAction starts a skill between two ticks. Owner, generation, latch and modules are judged at that instant; the
// event skill_started is in the log before the first command. An error is a *Refused, and then nothing has moved.
// It waits for the loop at most Waits.Command. The skill is made on the caller's goroutine, and simulated time stands
// still meanwhile.
func (c *Controller) StartAction(ctx context.Context, s Start) error {
	defer c.cfg.Clock.Hold("start of " + s.Action)()
	if s.Tool == nil || s.Action == "" || (s.Skill == nil && s.Tool.New == nil) {
		return &Refused{Code: CodeCannotStart, Message: "a start needs a tool and an action id"}
	}
	if r := c.foresee(s.Owner, s.Generation); r != nil {
		return r
	}
	a, err := c.newAction(s)
	if err != nil {
		return err
	}
	_, err = between(ctx, c, func() (struct{}, error) {
		if r := c.begin(a, &s); r != nil {
			return struct{}{}, r
		}
		return struct{}{}, nil
	})
	return err
}

// foresee spares the work for what would be refused anyway; the loop judges again.
func (c *Controller) foresee(owner robot.Owner, gen uint64) *Refused {
	switch owner {
	case robot.OwnerAgent, robot.OwnerOperator, robot.OwnerHarness:
	default:
		return &Refused{Code: CodeCannotStart, Message: "nobody owns this start"}
	}
	if c.latch.Load() {
		return refusedEStop()
	}
	if owner == robot.OwnerAgent && gen != c.gen.Load() {
		return c.stale(gen)
	}
	return nil
}

// StartServices starts trackers for an action, or joins those that run on the same points, and waits for the first
// result of each. An error is a *Refused, and then none of them runs for the action.
func (c *Controller) StartServices(ctx context.Context, s ServiceStart) (Tracks, error) {
	return await(ctx, c, func(then func(Tracks, error)) { c.AskServices(s, then) })
}

// AskServices is StartServices without the wait: then is called once, as AskEnd's is, or before AskServices returns.
func (c *Controller) AskServices(s ServiceStart, then func(Tracks, error)) {
	if len(s.Services) == 0 {
		then(Tracks{}, nil)
		return
	}
	if r := c.foresee(s.Owner, s.Generation); r != nil {
		then(nil, r)
		return
	}
	free := c.cfg.Clock.Hold("seeding of trackers for " + s.Action)
	spawned := c.queue.spawn(func() {
		defer free()
		seeded, err := c.seedTrackers(s)
		c.ask("services for "+s.Action, &command{
			do: func(bool) {
				if err != nil {
					then(nil, err)
					return
				}
				c.beginServices(s, seeded, then)
			},
			late: func(err error) { then(nil, err) },
		})
	})
	if !spawned {
		free()
		then(nil, errOver())
	}
}

// StopServices takes an action's hold on its services away; those that nobody else reads stop. An action that ends
// leaves its services by itself.
func (c *Controller) StopServices(ctx context.Context, action string) error {
	return c.Between(ctx, func() { c.leaveServices(action, episode.ByAgent) })
}

// StopAction stops an action and waits for the measured outcome. It joins a stop that is running and tells the outcome
// of an ended one. A *Refused unknown_action when there was none with this id.
func (c *Controller) StopAction(ctx context.Context, action string, cause Cause, reason string) (Ended, error) {
	return c.EndAction(ctx, action, End{Outcome: Stopped, Cause: cause, Reason: reason})
}

// EndAction is StopAction with another outcome than stopped: a monitor's finish rule ends an action as succeeded.
func (c *Controller) EndAction(ctx context.Context, action string, e End) (Ended, error) {
	return await(ctx, c, func(then func(Ended, error)) { c.AskEnd(action, e, then) })
}

// AskEnd is EndAction without the wait. then is called once: on the loop's goroutine between two ticks, where it must
// not block and may take a hold of the clock before simulated time goes on; or, when the loop does not take the
// command in time, on a goroutine of its own with a *Refused: the action is still stopped as soon as the loop can.
func (c *Controller) AskEnd(action string, e End, then func(Ended, error)) {
	c.ask("stop of "+action, &command{
		must: true,
		do: func(late bool) {
			if late {
				then = func(Ended, error) {}
			}
			a := c.find(action)
			if a == nil {
				c.tellEnded(action, then)
				return
			}
			c.decide(a, e)
			a.waiters = append(a.waiters, then)
		},
		late: func(err error) { then(Ended{}, err) },
	})
}

func (c *Controller) tellEnded(action string, then func(Ended, error)) {
	if r := c.ended.get(action); r != nil {
		then(*r, nil)
		return
	}
	then(Ended{}, &Refused{Code: CodeUnknownAction, Message: "there is no action " + action})
}
