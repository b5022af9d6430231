package control

import (
	"context"

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
// It waits for the loop at most Waits.Command.
func (c *Controller) StartAction(ctx context.Context, s Start) error { panic("being written") }

// StartServices starts trackers for an action, or joins those that run on the same points, and waits for the first
// result of each. An error is a *Refused, and then none of them runs for the action.
func (c *Controller) StartServices(ctx context.Context, s ServiceStart) (Tracks, error) {
	panic("being written")
}

// AskServices is StartServices without the wait: then is called once, as AskEnd's is.
func (c *Controller) AskServices(s ServiceStart, then func(Tracks, error)) { panic("being written") }

// StopServices takes an action's hold on its services away; those that nobody else reads stop.
func (c *Controller) StopServices(ctx context.Context, action string) error { panic("being written") }

// StopAction stops an action and waits for the measured outcome. It joins a stop that is running and tells the outcome
// of an ended one. A *Refused unknown_action when there was none with this id.
func (c *Controller) StopAction(ctx context.Context, action string, cause Cause, reason string) (Ended, error) {
	panic("being written")
}

// EndAction is StopAction with another outcome than stopped: a monitor's finish rule ends an action as succeeded.
func (c *Controller) EndAction(ctx context.Context, action string, e End) (Ended, error) {
	panic("being written")
}

// AskEnd is EndAction without the wait. then is called once: on the loop's goroutine between two ticks, where it must
// not block and may take a hold of the clock before simulated time goes on; or, when the loop does not take the
// command in time, on a goroutine of its own with a *Refused.
func (c *Controller) AskEnd(action string, e End, then func(Ended, error)) { panic("being written") }
