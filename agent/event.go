package agent

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/rein-robotics/rein/agent/inbox"
	"github.com/rein-robotics/rein/agent/point"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
)

// event is what the step takes: something that happened, or the answer of an effect. The set is closed: this file.
type event interface {
	class() (inbox.Class, stackable)
}

// stackable says whether an event may share a turn with others that wait.
type stackable bool

// moment is what the shell knows when it takes an event. Time is a field: the step has no clock.
type moment struct {
	At    time.Duration     // robot clock
	Wall  time.Duration     // wall clock since the agent was made; for latencies only
	World *control.Snapshot // of the control loop
}

// What happens by itself.
type (
	// message is chat of the user. The first one is the task.
	message struct {
		text string
		seq  uint64
	}
	// canceled ends the run by the user's wish.
	canceled struct {
		by  string
		seq uint64
	}
	// happened is news of the control loop.
	happened struct {
		what control.Event
		seq  uint64
	}
	// reset ends the run and forgets the conversation.
	reset struct {
		by  string
		seq uint64
	}
	// minded says who decides from the next round on.
	minded struct {
		mind mind // as it was asked for: what it leaves open stays
		who  any  // the reasoner, for the shell
	}
	// prompted replaces the system prompt from the next round on.
	prompted struct{ text string }
	// logBroken says that the log cannot be written.
	logBroken struct{ err error }
)

// effectID names one effect; its answer carries the same id.
type effectID int

// Answers of effects.
type (
	// part is one piece of the planner's reply.
	part struct {
		id   effectID
		what model.Part
	}
	// replied says that the reply is over; err nil does not mean that it is whole: a model.End does.
	replied struct {
		id      effectID
		err     error
		latency time.Duration // wall clock
	}
	// looked brings a fresh observation.
	looked struct {
		id       effectID
		shots    []shot
		readings *robot.Readings
		err      error
	}
	// prepared brings a skill that is ready to start, or why it cannot be.
	prepared struct {
		id    effectID
		skill skill.Skill
		err   error
	}
	// seeded brings the first results of the trackers of an action.
	seeded struct {
		id     effectID
		tracks control.Tracks
		err    error
	}
	// started says that the control loop took an action, or why not.
	started struct {
		id  effectID
		err error
	}
	// stopped brings the measured end of an action.
	stopped struct {
		id    effectID
		ended control.Ended
		err   error
	}
	// glanced says which cameras are to be trusted, in the order asked.
	glanced struct {
		id    effectID
		found []blindness
	}
	// monitored brings what a tick of the monitor came to.
	monitored struct {
		id       effectID
		sighting *Sighting // nil = there was no picture
		said     Assessed
		err      error
		latency  time.Duration // wall clock
	}
	// ran brings what a function came to; result is a JSON object when err is nil.
	ran struct {
		id     effectID
		result json.RawMessage
		err    error
	}
	// jobDone is ran of a function in the background.
	jobDone struct {
		id     effectID
		result json.RawMessage
		err    error
	}
	// printed is a piece of the output of a job that goes on.
	printed struct {
		id   effectID
		text string
	}
	// rested says that a rest is over.
	rested struct{ id effectID }
	// judged brings the verdict on the task; nil = nobody checks it.
	judged struct {
		id      effectID
		success *bool
		err     error
	}
)

// shot is one picture of an observation, encoded once where it was taken.
type shot struct {
	look point.Look
	sent model.ImageBlock // with grid and overlays; Data as it goes over a wire
}

func (message) class() (inbox.Class, stackable)   { return inbox.User, true }
func (canceled) class() (inbox.Class, stackable)  { return inbox.Operator, false }
func (reset) class() (inbox.Class, stackable)     { return inbox.Operator, false }
func (minded) class() (inbox.Class, stackable)    { return inbox.Operator, false }
func (prompted) class() (inbox.Class, stackable)  { return inbox.Operator, false }
func (logBroken) class() (inbox.Class, stackable) { return inbox.Safety, false }
func (part) class() (inbox.Class, stackable)      { return inbox.Result, false }
func (replied) class() (inbox.Class, stackable)   { return inbox.Result, false }
func (looked) class() (inbox.Class, stackable)    { return inbox.Result, false }
func (prepared) class() (inbox.Class, stackable)  { return inbox.Result, false }
func (seeded) class() (inbox.Class, stackable)    { return inbox.Result, false }
func (started) class() (inbox.Class, stackable)   { return inbox.Result, false }
func (stopped) class() (inbox.Class, stackable)   { return inbox.Result, false }
func (monitored) class() (inbox.Class, stackable) { return inbox.Result, false }
func (judged) class() (inbox.Class, stackable)    { return inbox.Result, false }
func (ran) class() (inbox.Class, stackable)       { return inbox.Result, false }
func (jobDone) class() (inbox.Class, stackable)   { return inbox.Background, true }
func (printed) class() (inbox.Class, stackable)   { return inbox.Result, false }
func (rested) class() (inbox.Class, stackable)    { return inbox.Result, false }
func (glanced) class() (inbox.Class, stackable)   { return inbox.Result, false }

// stamp numbers what comes from outside in the order of its coming: a message resumes only what happened before it.
func stamp(e event, seq uint64) event {
	switch e := e.(type) {
	case message:
		e.seq = seq
		return e
	case happened:
		e.seq = seq
		return e
	case canceled:
		e.seq = seq
		return e
	case reset:
		e.seq = seq
		return e
	}
	return e
}

// errInterrupted is why an effect is cancelled that the step gives up.
var errInterrupted = errors.New("the planner was interrupted")

// answered is the effect that an event is the last answer of.
func answered(e event) (effectID, bool) {
	switch e := e.(type) {
	case replied:
		return e.id, true
	case looked:
		return e.id, true
	case prepared:
		return e.id, true
	case seeded:
		return e.id, true
	case started:
		return e.id, true
	case stopped:
		return e.id, true
	case judged:
		return e.id, true
	case monitored:
		return e.id, true
	case polled:
		return e.id, true
	case glanced:
		return e.id, true
	case hooked:
		return e.id, true
	case ran:
		return e.id, true
	case jobDone:
		return e.id, true
	case rested:
		return e.id, true
	}
	return 0, false
}

// class of news depends on what it is.
func (h happened) class() (inbox.Class, stackable) {
	switch e := h.what.(type) {
	case control.EStopped, control.EStopCleared, control.RobotFault, control.RobotWell, control.LogBroken:
		return inbox.Safety, false
	case control.OperatorTook:
		return inbox.Operator, false
	case control.ActionEnded:
		if e.Outcome == control.Succeeded {
			return inbox.Good, true
		}
		return inbox.Bad, true
	case control.TimerFired:
		if e.ID != heartbeat {
			return inbox.Result, false
		}
		return inbox.Heartbeat, true
	}
	return inbox.Bad, true
}
