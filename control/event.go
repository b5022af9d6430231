package control

import (
	"time"

	"github.com/rein-robotics/rein/skill"
)

// Event is something that happened in the loop, as Config.Sink gets it. The set is closed: this file lists it.
type Event interface{ event() }

// Outcome is how an action ended.
type Outcome string

// The outcomes.
const (
	Succeeded Outcome = "succeeded"
	Failed    Outcome = "failed"
	Stopped   Outcome = "stopped"
	TimedOut  Outcome = "timed_out"
)

// Cause is what ended an action.
type Cause string

// The causes.
const (
	CauseSkill    Cause = "skill"
	CauseMonitor  Cause = "monitor"
	CauseCheck    Cause = "check"
	CauseDeadline Cause = "deadline"
	CausePlanner  Cause = "planner"
	CauseOperator Cause = "operator"
	CauseCancel   Cause = "cancel"
	CauseFollowUp Cause = "follow_up"
	CauseRobot    Cause = "robot"
	CauseSafety   Cause = "safety"
	CauseBudget   Cause = "budget"
)

// StopOutcome is what the measurement of a stop found.
type StopOutcome string

// The outcomes of a stop. Still: every actuator of the action below its still-speed for 0.2 s. Moving: at the limit one
// was above it. Unconfirmed: neither could be seen. TakenOver: an operator's start ended the measurement.
const (
	Still       StopOutcome = "still"
	Unconfirmed StopOutcome = "unconfirmed"
	Moving      StopOutcome = "moving"
	TakenOver   StopOutcome = "taken_over"
)

// End is one reason for an action to end.
type End struct {
	Outcome Outcome
	Cause   Cause
	Reason  string
}

// Stop is a measured stop; SentS and StillS are seconds of the robot clock. StillS is the first instant of the window of
// 0.2 s in which everything was still, 0 when there was none.
type Stop struct {
	SentS, StillS float64
	Outcome       StopOutcome
}

// ActionEnding is told when the recorded end of an action is settled: its modules are held, the stop is being measured.
// ActionEnded follows.
type ActionEnding struct {
	At     time.Duration // robot clock
	Action string
}

// ActionEnded is told after the stop was measured. It is immutable.
type ActionEnded struct {
	At     time.Duration // robot clock, of the telling
	Action string
	Tool   string
	End    // the recorded one

	SkillReason string // of a skill that failed by itself beside another recorded end, or that failed
	Also        []End  // the others that came between the same two ticks, in order of precedence
	Arrival     *skill.ArrivalReport
	Elapsed     time.Duration // from the start to the decision to end
	Stop        Stop
	Services    []string // "module/field" of the services that stopped with it
}

// Ended is the outcome that a stop waits for.
type Ended = ActionEnded

// TimerFired is told in the first tick at or after the timer's time.
type TimerFired struct {
	At time.Duration // robot clock
	ID string
}

// RobotFault says that the robot reports a fault; every action has been stopped and none can start until it is well.
type RobotFault struct {
	At  time.Duration
	Err error
}

// RobotWell says that the fault is gone.
type RobotWell struct{ At time.Duration }

// ServiceLost says that a tracker gives no results any more and was stopped; the actions that read it run on.
type ServiceLost struct {
	At            time.Duration
	Module, Field string
	Actions       []string
	Err           error
}

// OperatorTook is told at the instant of an operator's input, before anything is stopped: the run pauses.
type OperatorTook struct {
	At         time.Duration
	Input      string
	Generation uint64
}

// EStopped says that the e-stop is latched.
type EStopped struct {
	At         time.Duration
	By         string
	Generation uint64
	Stopped    []string // actions that it stopped
}

// EStopCleared says that the latch is open again.
type EStopCleared struct {
	At         time.Duration
	By         string
	Generation uint64
}

// NotAtRest says that a stop could not be confirmed: no motion is admitted until the modules are seen at rest.
type NotAtRest struct {
	At      time.Duration
	Modules []string
}

// AtRest takes NotAtRest back.
type AtRest struct{ At time.Duration }

// LogBroken says that the log cannot be written; the agent's actions have been stopped and none can start.
type LogBroken struct {
	At  time.Duration
	Err error
}

func (ActionEnding) event() {}
func (ActionEnded) event()  {}
func (TimerFired) event()   {}
func (RobotFault) event()   {}
func (RobotWell) event()    {}
func (ServiceLost) event()  {}
func (OperatorTook) event() {}
func (EStopped) event()     {}
func (EStopCleared) event() {}
func (NotAtRest) event()    {}
func (AtRest) event()       {}
func (LogBroken) event()    {}
