package run

import (
	"fmt"

	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
)

// Step takes one event and gives the effects that follow. It has no clock, no channel and no chance: the same events
// give the same effects.
func (s *State) Step(m Moment, e Event) []Effect {
	s.out = nil
	s.tick(m)
	if !s.toSub(m, e) {
		s.react(m, e)
	}
	s.decide(m)
	s.sayEvent(m)
	s.setAlarm(m)
	s.watchCameras(m)
	if s.phase == watching && s.beatAt > 0 && m.At > s.beatAt { // it was dropped beside news that woke nobody
		s.beat(m)
	}
	return s.out
}

// react takes an event of the run, or of a sub-agent.
func (s *State) react(m Moment, e Event) {
	switch e := e.(type) {
	case Message:
		s.onMessage(m, e)
	case Canceled:
		s.void, s.voidBy = e.seq, e.By
		s.sayInterrupt(m, "cancel", "cancelled by "+e.By)
		s.finish(m, finish{status: StatusCancelled, summary: "cancelled by " + e.By, by: e.By})
	case Reset:
		s.onReset(m, e)
	case Injected:
		s.onInjected(m, e)
	case Regenerate:
		s.onRegenerate(m, e)
	case PlannerChanged:
		s.onPlannerChanged(e)
	case Prompted:
		s.planner.SystemPrompt, s.talk.due = s.set.withGuides(e.Text), "the system prompt was changed"
	case LogBroken:
		s.finish(m, finish{status: StatusError, summary: "the episode log cannot be written: " + e.Err.Error(), by: "harness"})
	case Happened:
		s.onHappened(m, e)
	case Part:
		s.onPart(m, e)
	case Replied:
		s.onReplied(m, e)
	case Looked:
		s.onLooked(m, e)
	case Prepared:
		s.onPrepared(m, e)
	case Seeded:
		s.onSeeded(m, e)
	case Started:
		s.onStarted(m, e)
	case Stopped:
		s.onStopped(m, e)
	case Judged:
		s.onJudged(e)
	case Monitored:
		s.onMonitored(m, e)
	case Polled:
		s.onPolled(m, e)
	case Ran:
		s.onRan(m, e)
	case JobDone:
		s.onJobDone(m, e)
	case Printed:
		s.onPrinted(e)
	case Rested:
		s.onRested(m, e)
	case Glanced:
		s.onGlanced(m, e)
	case Hooked:
		s.onHooked(m, e)
	case HookLate:
		s.late("answer of the plugin "+e.Plugin+" at "+string(e.Point), e.ID)
	default:
		panic(fmt.Sprintf("run: event %T is not known", e))
	}
}

// tick brings the budget of minutes up to date.
func (s *State) tick(m Moment) {
	since := s.ticked
	s.ticked = m.At
	if !s.counting() {
		return
	}
	s.pool.Active += m.At - since
	if err := s.pool.Over(); err != nil {
		s.outOfBudget(m, err)
	}
}

// counting says that the minutes run: neither paused nor waiting for the user.
func (s *State) counting() bool { return s.phase == inTurn || s.phase == watching }

// minutesTimer is the name of the timer that ends the run when nothing else happens.
const minutesTimer = "max_minutes"

// setAlarm asks to be woken when the minutes are used up: also when nothing else happens.
func (s *State) setAlarm(m Moment) {
	if !s.counting() || s.pool.Limits.Active <= 0 {
		return
	}
	if at := m.At + s.pool.Limits.Active - s.pool.Active; at != s.alarm {
		s.alarm = at
		s.do(SetTimer{Name: minutesTimer, At: at})
	}
}

func (s *State) outOfBudget(m Moment, err error) {
	s.finish(m, finish{status: StatusBudget, summary: "the budget is used up: " + err.Error(), by: "budget"})
}

// late logs the answer of an effect that nobody waits for any more.
func (s *State) late(what string, id EffectID) {
	s.log(episode.Late{Tag: s.Tag(), What: what, ID: fmt.Sprintf("e%d", id)})
}

func (s *State) onMessage(m Moment, e Message) {
	begins := s.phase == idle
	if begins {
		s.beginRun(e.Text)
	}
	s.log(episode.UserMessage{Tag: s.Tag(), Text: e.Text})
	if begins && e.seq < s.void {
		s.finish(m, finish{status: StatusCancelled, summary: "cancelled by " + s.voidBy, by: s.voidBy})
		return
	}
	s.talk.hear(e.Text)
	switch s.phase {
	case ending, ended:
		return
	case paused:
		if e.seq < s.barred || m.World != nil && m.World.Latched { // it is told when a newer one resumes the run
			s.news.messages = append(s.news.messages, e.Text)
			return
		}
		s.phase = watching
		s.log(episode.RunResumed{Tag: s.Tag(), By: episode.ByOperator, Reason: "a message"})
	case waiting:
		s.phase = watching
	}
	s.repeats.same, s.repeats.sames = "", 0 // the user knows, and wants it to go on
	s.news.messages = append(s.news.messages, e.Text)
	s.news.wake(view.WakeMessage, "the user wrote: "+e.Text)
	s.endWaits(m, "", new("a message of the user"))
}

func (s *State) onHappened(m Moment, h Happened) {
	switch e := h.What.(type) {
	case control.ActionEnding:
		s.onActionEnding(e)
	case control.ActionEnded:
		s.onActionEnded(m, e)
	case control.EStopped:
		s.generation, s.barred = e.Generation, h.seq
		s.sayInterrupt(m, "estop", "by "+e.By)
		s.interrupted(m, view.WakeSafety, "an emergency stop by "+e.By)
		s.endHeadless(m, StatusStopped, "stopped by an emergency stop")
	case control.EStopCleared:
		s.generation, s.barred = e.Generation, h.seq
		s.tell(m, view.Happening{Kind: "estop_cleared", Cause: e.By})
	case control.OperatorTook:
		s.generation, s.barred = e.Generation, h.seq
		s.moved(m.At) // the operator's hand may move anything
		s.sayInterrupt(m, "takeover", e.Input)
		s.interrupted(m, view.WakeOperator, "the operator took over: "+e.Input)
		s.endHeadless(m, StatusStopped, "stopped by the operator: "+e.Input)
	case control.RobotFault:
		s.sayInterrupt(m, "fault", e.Err.Error())
		s.interrupted(m, view.WakeSafety, "the robot reports a fault: "+e.Err.Error())
		s.endHeadless(m, StatusError, "the robot reports a fault: "+e.Err.Error())
	case control.LogBroken:
		s.finish(m, finish{status: StatusError, summary: "the episode log cannot be written: " + e.Err.Error(), by: "harness"})
	case control.NotAtRest:
		s.tell(m, view.Happening{Kind: "not_at_rest", Reason: fmt.Sprintf("%v did not come to rest: no motion is admitted until they are", e.Modules)})
		s.news.wake(view.WakeSafety, "the robot did not come to rest")
		s.endWaits(m, "", new("the robot did not come to rest"))
	case control.ServiceLost:
		s.tell(m, view.Happening{Kind: "service_lost", Reason: fmt.Sprintf("the tracker on %s/%s gives no results any more: %v", e.Module, e.Field, e.Err)})
	case control.TimerFired:
		s.onTimer(m, e)
	case control.RobotWell, control.AtRest:
	}
}

// tell keeps a fact for the planner's next message.
func (s *State) tell(m Moment, h view.Happening) {
	h.AtS = m.At.Seconds()
	s.talk.note(h.Line())
	s.news.happened = append(s.news.happened, h)
}

// interrupted pauses the run: the planner's call in flight is cancelled, what it opened is closed, the queue rests.
func (s *State) interrupted(m Moment, w view.Wake, why string) {
	if s.phase == idle || s.Over() {
		return
	}
	s.dropTurn(m, "run_paused", why)
	s.onTheirWay(func(b *begin) { b.void = true })
	if w != view.WakeNotice { // every action is being stopped
		s.watchesEnd()
	}
	again := s.phase == paused
	s.phase = paused
	s.dropSubs(m, why, func(one *sub) bool { return one.under < s.generation })
	s.tell(m, view.Happening{Kind: string(w), Reason: why})
	s.news.wake(w, why)
	if again {
		return
	}
	s.log(episode.RunPaused{Tag: s.Tag(), By: pausedBy(w), Reason: why})
}

func pausedBy(w view.Wake) episode.By {
	if w == view.WakeOperator {
		return episode.ByOperator
	}
	return episode.ByHarness
}

// endHeadless ends a run that nobody can resume.
func (s *State) endHeadless(m Moment, status, why string) {
	if s.set.Headless && !s.Over() {
		s.finish(m, finish{status: status, summary: why, by: "harness"})
	}
}

// heartbeat is the name of the timer that wakes the planner while actions run.
const heartbeat = "heartbeat"

// beat sets the heartbeat's timer anew; it counts from the end of a turn.
func (s *State) beat(m Moment) {
	if s.set.Heartbeat > 0 {
		s.beatAt = m.At + s.set.Heartbeat
		s.do(SetTimer{Name: heartbeat, At: m.At + s.set.Heartbeat})
	}
}

func (s *State) onTimer(m Moment, e control.TimerFired) {
	switch e.ID {
	case heartbeat:
		s.onHeartbeat()
	case glanceTimer:
		s.glance()
	case checkTimer:
		s.onCheckTimer(m)
	default:
		s.onMonitorTimer(m, e.ID)
	}
}

func (s *State) onHeartbeat() {
	if s.phase == watching && len(s.acts.All()) > 0 {
		s.news.wake(view.WakeHeartbeat, "nothing happened for "+s.set.Heartbeat.String())
	}
}
