package run

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

// Event is what the step takes: something that happened, or the answer of an effect. The set is closed: only this package
// adds to it.
type Event interface {
	// Class is how urgent the event is among what waits in the inbox, and whether it may share a turn.
	Class() (inbox.Class, Stackable)
}

// Stackable says whether an event may share a turn with others that wait.
type Stackable bool

// Moment is what the shell knows when it takes an event. Time is a field: the step has no clock.
type Moment struct {
	At    time.Duration     // robot clock
	Wall  time.Duration     // wall clock since the agent was made; for latencies only
	World *control.Snapshot // of the control loop
}

// What happens by itself.
type (
	// Message is chat of the user. The first one is the task.
	Message struct {
		Text string
		seq  uint64
	}
	// Canceled ends the run by the user's wish.
	Canceled struct {
		By  string
		seq uint64
	}
	// Happened is news of the control loop.
	Happened struct {
		What control.Event
		seq  uint64
	}
	// Reset ends the run and forgets the conversation.
	Reset struct {
		By  string
		seq uint64
	}
	// PlannerChanged says who decides from the next round on.
	PlannerChanged struct {
		Planner Planner // an empty SystemPrompt leaves the one that there is
		Who     any     // the reasoner, for the shell
	}
	// Prompted replaces the system prompt from the next round on.
	Prompted struct{ Text string }
	// LogBroken says that the log cannot be written.
	LogBroken struct{ Err error }
)

// EffectID names one effect; its answer carries the same id.
type EffectID int

// Answers of effects.
type (
	// Part is one piece of the planner's reply.
	Part struct {
		ID   EffectID
		What model.Part
	}
	// Replied says that the reply is over. It is whole when its last Part was a model.End; a nil Err does not say so.
	Replied struct {
		ID      EffectID
		Err     error
		Latency time.Duration // wall clock
	}
	// Looked brings a fresh observation.
	Looked struct {
		ID       EffectID
		Shots    []Shot
		Readings *robot.Readings
		Err      error
	}
	// Prepared brings a skill that is ready to start, or why it cannot be.
	Prepared struct {
		ID    EffectID
		Skill skill.Skill
		Err   error
	}
	// Seeded brings the first results of the trackers of an action.
	Seeded struct {
		ID     EffectID
		Tracks control.Tracks
		Err    error
	}
	// Started says that the control loop took an action, or why not.
	Started struct {
		ID  EffectID
		Err error
	}
	// Stopped brings the measured end of an action.
	Stopped struct {
		ID    EffectID
		Ended control.Ended
		Err   error
	}
	// Glanced says which cameras are to be trusted, in the order asked.
	Glanced struct {
		ID    EffectID
		Found []Blindness
	}
	// Monitored brings what a tick of the monitor came to.
	Monitored struct {
		ID       EffectID
		Sighting *Sighting // nil = there was no picture
		Said     Assessed
		Asked    bool // somebody was asked about it
		Err      error
		Latency  time.Duration // wall clock
	}
	// Ran brings what a function came to: Result is a JSON object when Err is nil.
	Ran struct {
		ID     EffectID
		Result json.RawMessage
		Err    error
	}
	// JobDone is what Ran is, of a function in the background.
	JobDone struct {
		ID     EffectID
		Result json.RawMessage
		Err    error
	}
	// Printed is a piece of the output of a job that goes on.
	Printed struct {
		ID   EffectID
		Text string
	}
	// Rested says that a rest is over.
	Rested struct{ ID EffectID }
	// Judged brings the verdict on the task.
	Judged struct {
		ID      EffectID
		Success *bool // nil = nobody checks it
		Err     error
	}
)

// Shot is one picture of an observation, encoded once where it was taken.
type Shot struct {
	Look point.Look
	Sent model.ImageBlock // with grid and overlays; Data as it goes over a wire
}

func (Message) Class() (inbox.Class, Stackable)        { return inbox.User, true }
func (Canceled) Class() (inbox.Class, Stackable)       { return inbox.Operator, false }
func (Reset) Class() (inbox.Class, Stackable)          { return inbox.Operator, false }
func (PlannerChanged) Class() (inbox.Class, Stackable) { return inbox.Operator, false }
func (Prompted) Class() (inbox.Class, Stackable)       { return inbox.Operator, false }
func (LogBroken) Class() (inbox.Class, Stackable)      { return inbox.Safety, false }
func (Part) Class() (inbox.Class, Stackable)           { return inbox.Result, false }
func (Replied) Class() (inbox.Class, Stackable)        { return inbox.Result, false }
func (Looked) Class() (inbox.Class, Stackable)         { return inbox.Result, false }
func (Prepared) Class() (inbox.Class, Stackable)       { return inbox.Result, false }
func (Seeded) Class() (inbox.Class, Stackable)         { return inbox.Result, false }
func (Started) Class() (inbox.Class, Stackable)        { return inbox.Result, false }
func (Stopped) Class() (inbox.Class, Stackable)        { return inbox.Result, false }
func (Monitored) Class() (inbox.Class, Stackable)      { return inbox.Result, false }
func (Judged) Class() (inbox.Class, Stackable)         { return inbox.Result, false }
func (Ran) Class() (inbox.Class, Stackable)            { return inbox.Result, false }
func (JobDone) Class() (inbox.Class, Stackable)        { return inbox.Background, true }
func (Printed) Class() (inbox.Class, Stackable)        { return inbox.Result, false }
func (Rested) Class() (inbox.Class, Stackable)         { return inbox.Result, false }
func (Glanced) Class() (inbox.Class, Stackable)        { return inbox.Result, false }

// Stamp numbers what comes from outside in the order of its coming: a message resumes only what happened before it.
func Stamp(e Event, seq uint64) Event {
	switch e := e.(type) {
	case Message:
		e.seq = seq
		return e
	case Happened:
		e.seq = seq
		return e
	case Canceled:
		e.seq = seq
		return e
	case Reset:
		e.seq = seq
		return e
	}
	return e
}

// ErrInterrupted is why an effect that the step gives up is cancelled.
var ErrInterrupted = errors.New("the planner was interrupted")

// Answered is the effect whose last answer the event is; false = it is no such answer.
func Answered(e Event) (EffectID, bool) {
	switch e := e.(type) {
	case Replied:
		return e.ID, true
	case Looked:
		return e.ID, true
	case Prepared:
		return e.ID, true
	case Seeded:
		return e.ID, true
	case Started:
		return e.ID, true
	case Stopped:
		return e.ID, true
	case Judged:
		return e.ID, true
	case Monitored:
		return e.ID, true
	case Polled:
		return e.ID, true
	case Glanced:
		return e.ID, true
	case Hooked:
		return e.ID, true
	case Ran:
		return e.ID, true
	case JobDone:
		return e.ID, true
	case Rested:
		return e.ID, true
	}
	return 0, false
}

// Class of news depends on what it is.
func (h Happened) Class() (inbox.Class, Stackable) {
	switch e := h.What.(type) {
	case control.EStopped, control.EStopCleared, control.RobotFault, control.RobotWell, control.LogBroken:
		return inbox.Safety, false
	case control.OperatorTook:
		return inbox.Operator, false
	case control.ActionEnding:
		return inbox.Result, false
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
