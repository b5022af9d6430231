package agent

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

// effect is what the step wants done. Each one with an id gives exactly one answer back. The set is closed: this file.
type effect interface{ effect() }

// Effects that the shell carries out at once, in order, without an answer.
type (
	// logEvent writes one event.
	logEvent struct{ what episode.Event }
	// setTimer asks for a timer of the robot clock.
	setTimer struct {
		name string
		at   time.Duration
	}
	// cancelCall ends an effect in flight that can be ended: the planner's call, a question to the plugins, a function, a
	// rest. Its answer still comes.
	cancelCall struct{ id effectID }
	// bump raises the generation: what was decided before is void.
	bump struct{ why string }
	// saveTurn writes one planner call to the log.
	saveTurn struct{ turn turnRecord }
	// unseed takes the trackers of an action that did not start away again.
	unseed struct{ action string }
	// unwatch ends the watching of an action.
	unwatch struct{ action string }
	// say hands on what the planner says.
	say struct{ what Saying }
	// endRun hands the result to whoever waits for the run.
	endRun struct {
		result Result
		task   string
		tools  []model.ToolSpec
	}
)

// Effects with an answer.
type (
	// callModel asks the reasoner for one reply: parts, then replied.
	callModel struct {
		id   effectID
		task string
		view View
	}
	// look takes pictures: looked.
	look struct {
		id      effectID
		number  int              // of the observation; 0 = a patch, which gets no number
		cameras []string         // modules
		region  *image.Rectangle // capture pixels; nil = whole captures, encoded for the planner
		motions uint64
	}
	// prepare makes a skill of a call: prepared. It may take its time; nothing moves.
	prepare struct {
		id   effectID
		tool *skill.Tool
		call skill.Call
	}
	// seed starts the trackers of an action and waits for their first results: seeded.
	seed struct {
		id   effectID
		what control.ServiceStart
	}
	// start hands a skill to the control loop: started.
	start struct {
		id   effectID
		what control.Start
	}
	// stop ends an action and waits for the measured outcome: stopped.
	stop struct {
		id     effectID
		action string
		end    control.End
	}
	// glance finds out which cameras show live pictures: glanced.
	glance struct {
		id      effectID
		cameras []string // modules
	}
	// monitorTick has a watched action looked at and judged: monitored.
	monitorTick struct {
		id        effectID
		number    int // of the look; 0 = it is only kept
		of        Watched
		questions []question.Question
	}
	// runTool calls a function: ran, or jobDone when it runs in the background.
	runTool struct {
		id         effectID
		tool       *tool.Tool
		args       json.RawMessage
		background bool
	}
	// rest waits on the wall clock: rested.
	rest struct {
		id   effectID
		wait time.Duration
	}
	// judge asks for the verdict on the task: judged.
	judge struct {
		id   effectID
		task string
	}
)

func (logEvent) effect()    {}
func (setTimer) effect()    {}
func (cancelCall) effect()  {}
func (bump) effect()        {}
func (endRun) effect()      {}
func (callModel) effect()   {}
func (say) effect()         {}
func (look) effect()        {}
func (glance) effect()      {}
func (prepare) effect()     {}
func (seed) effect()        {}
func (unseed) effect()      {}
func (start) effect()       {}
func (stop) effect()        {}
func (judge) effect()       {}
func (runTool) effect()     {}
func (rest) effect()        {}
func (monitorTick) effect() {}
func (unwatch) effect()     {}
func (saveTurn) effect()    {}

// idOf is the id of an effect that has an answer, 0 of the others.
func idOf(e effect) effectID {
	switch e := e.(type) {
	case callModel:
		return e.id
	case look:
		return e.id
	case prepare:
		return e.id
	case seed:
		return e.id
	case start:
		return e.id
	case stop:
		return e.id
	case judge:
		return e.id
	case monitorTick:
		return e.id
	case pollCheck:
		return e.id
	case glance:
		return e.id
	case askPlugins:
		return e.id
	case runTool:
		return e.id
	case rest:
		return e.id
	}
	return 0
}
