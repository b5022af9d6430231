package agent

import (
	"context"
	"iter"

	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/model"
)

// Reasoner is whatever decides in a round: rules, a model, a graph.
type Reasoner interface {
	// Name is "name@version", for the log.
	Name() string
	// Begin is called once before the first round of a run.
	Begin(ctx context.Context, r RunInfo) error
	// Deliberate streams the parts of one reply; the last one is a model.End, or the reply counts as cut. The agent
	// stops reading, and cancels ctx, when the run is paused or ended.
	Deliberate(ctx context.Context, v run.View) iter.Seq2[model.Part, error]
	// End is called once after the run; success is the task's verdict, nil when nobody checked.
	End(ctx context.Context, r RunInfo, success *bool) error
}

// RunInfo names the run.
type RunInfo struct {
	Run   string // id of its episode; "" = nothing is recorded
	Task  string
	Tools []model.ToolSpec // as the planner has them
}

// A Reasoner with a method Model() string names the model that it asks; its decisions are logged with it.
//
// A Reasoner with a method Instant() bool that gives true takes no time worth counting: in simulated time its effects
// are carried out one at a time, so that a run depends on nothing but its seed.

// Planner is who decides, and what that one takes.
type Planner struct {
	Reasoner      Reasoner
	Models        map[string]string // by duty, for the log
	SystemPrompt  string            // "" = as it was
	MaxImages     int               // of one request; 0 = run.DefaultMaxImages
	ContextTokens int               // of one request, its reply not counted; 0 = run.DefaultContextTokens
	PointForm     model.Points      // in which it gives points; "" = pixels
}

// decides is the step's side of it.
func (p *Planner) decides() run.Planner {
	return run.Planner{
		Component: p.Reasoner.Name(), Model: modelOf(p.Reasoner), Models: p.Models, SystemPrompt: p.SystemPrompt,
		MaxImages: p.MaxImages, ContextTokens: p.ContextTokens, PointForm: p.PointForm,
	}
}

// modelOf is the model that a reasoner says it asks, "" when it asks none.
func modelOf(r Reasoner) string {
	if m, ok := r.(interface{ Model() string }); ok {
		return m.Model()
	}
	return ""
}
