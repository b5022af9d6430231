package agent

import (
	"context"
	"iter"
	"time"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/robot"
)

// Reasoner is whatever decides in a round: rules, a model, a graph.
type Reasoner interface {
	// Name is "name@version", for the log.
	Name() string
	// Begin is called once before the first round of a run.
	Begin(ctx context.Context, r RunInfo) error
	// Deliberate streams the parts of one reply; the last one is a model.End, or the reply counts as cut. The agent
	// stops reading, and cancels ctx, when the run is paused or ended.
	Deliberate(ctx context.Context, v View) iter.Seq2[model.Part, error]
	// End is called once after the run; success is the task's verdict, nil when nobody checked.
	End(ctx context.Context, r RunInfo, success *bool) error
}

// RunInfo names the run.
type RunInfo struct {
	Run   string
	Task  string
	Tools []model.ToolSpec
}

// View is what one round is decided on. It is immutable.
type View struct {
	// Request is the whole conversation of the segment. User messages written by the harness carry a view.Report as
	// the Data of their first text block; the result of observe is a view.Observed.
	Request model.Request
	// Frames are the raw pictures, with depth where the camera has it, behind the images of Request that a point may
	// still be read from, by image id.
	// A reasoner that is a program may look at them; it learns nothing that the camera did not see.
	Frames map[string]*robot.Frame
	// Left is what is left of the run's minutes, robot clock; 0 = there is no limit. Waits beyond it are not begun.
	Left time.Duration
}

// A Reasoner with a method Model() string names the model that it asks; its decisions are logged with it.
//
// A Reasoner with a method Instant() bool that gives true takes no time worth counting: in simulated time its effects
// are carried out one at a time, so that a run depends on nothing but its seed.
