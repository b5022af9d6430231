package run

import (
	"encoding/json"
	"image"
	"time"

	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/monitor/question"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/tool"
)

// Effect is what the step wants done. Each one with an id gives exactly one answer back. The set is closed: only this package
// adds to it.
type Effect interface{ effect() }

// Effects that the shell carries out at once, in order, without an answer.
type (
	// LogEvent writes one event.
	LogEvent struct{ What episode.Event }
	// SetTimer asks the control loop for a timer, in place of an earlier one of the same name.
	SetTimer struct {
		Name string
		At   time.Duration // robot clock
	}
	// CancelCall ends an effect in flight that can be ended: the planner's call, a question to the plugins, a function, a
	// rest. Its answer still comes.
	CancelCall struct{ ID EffectID }
	// Bump raises the generation: what was decided before is void.
	Bump struct{ Why string }
	// SaveTurn writes one planner call to the log.
	SaveTurn struct{ Turn TurnRecord }
	// Unseed stops the trackers of an action that did not start.
	Unseed struct{ Action string }
	// Unwatch ends the watching of an action.
	Unwatch struct{ Action string }
	// Say hands on what the planner says.
	Say struct{ What Saying }
	// EndRun hands the result to whoever waits for the run.
	EndRun struct {
		Result Result
		Task   string
		Tools  []model.ToolSpec
	}
)

// Effects with an answer.
type (
	// CallModel asks the reasoner for one reply: any number of Part, then Replied.
	CallModel struct {
		ID   EffectID
		Task string
		View View
	}
	// Look takes pictures: Looked.
	Look struct {
		ID      EffectID
		Number  int              // of the observation; 0 = a patch, which gets no number
		Cameras []string         // modules
		Region  *image.Rectangle // capture pixels; nil = whole captures, encoded for the planner
		Motions uint64           // how many motions had begun or ended when it was asked for
	}
	// Prepare makes a skill of a call: Prepared. It may take its time; nothing moves.
	Prepare struct {
		ID   EffectID
		Tool *skill.Tool
		Call skill.Call
	}
	// Seed starts the trackers of an action and waits for their first results: Seeded.
	Seed struct {
		ID   EffectID
		What control.ServiceStart
	}
	// Start hands a skill to the control loop: Started.
	Start struct {
		ID   EffectID
		What control.Start
	}
	// Stop ends an action and waits for the measured outcome: Stopped.
	Stop struct {
		ID     EffectID
		Action string
		End    control.End
	}
	// Glance finds out which cameras show live pictures: Glanced.
	Glance struct {
		ID      EffectID
		Cameras []string // modules
	}
	// MonitorTick has a watched action looked at and judged: Monitored.
	MonitorTick struct {
		ID        EffectID
		Number    int // of the look; 0 = it is only kept
		Of        Watched
		Questions []question.Question
	}
	// RunTool calls a function: Ran, or JobDone when it runs in the background.
	RunTool struct {
		ID         EffectID
		Tool       *tool.Tool
		Args       json.RawMessage
		Background bool
	}
	// Rest waits: Rested.
	Rest struct {
		ID   EffectID
		Wait time.Duration // wall clock
	}
	// Judge asks for the verdict on the task: Judged.
	Judge struct{ ID EffectID }
)

func (LogEvent) effect()    {}
func (SetTimer) effect()    {}
func (CancelCall) effect()  {}
func (Bump) effect()        {}
func (EndRun) effect()      {}
func (CallModel) effect()   {}
func (Say) effect()         {}
func (Look) effect()        {}
func (Glance) effect()      {}
func (Prepare) effect()     {}
func (Seed) effect()        {}
func (Unseed) effect()      {}
func (Start) effect()       {}
func (Stop) effect()        {}
func (Judge) effect()       {}
func (RunTool) effect()     {}
func (Rest) effect()        {}
func (MonitorTick) effect() {}
func (Unwatch) effect()     {}
func (SaveTurn) effect()    {}

// IDOf is the id of an effect that has an answer, 0 of the others.
func IDOf(e Effect) EffectID {
	switch e := e.(type) {
	case CallModel:
		return e.ID
	case Look:
		return e.ID
	case Prepare:
		return e.ID
	case Seed:
		return e.ID
	case Start:
		return e.ID
	case Stop:
		return e.ID
	case Judge:
		return e.ID
	case MonitorTick:
		return e.ID
	case PollCheck:
		return e.ID
	case Glance:
		return e.ID
	case AskPlugins:
		return e.ID
	case RunTool:
		return e.ID
	case Rest:
		return e.ID
	}
	return 0
}
