package agent

import (
	"fmt"

	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
)

// step takes one event and gives the effects that follow. It has no clock, no channel and no chance: the same events
// give the same effects.
func (s *state) step(m moment, e event) []effect {
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
func (s *state) react(m moment, e event) {
	switch e := e.(type) {
	case message:
		s.onMessage(m, e)
	case canceled:
		s.void, s.voidBy = e.seq, e.by
		s.sayInterrupt(m, "cancel", "cancelled by "+e.by)
		s.finish(m, finish{status: StatusCancelled, summary: "cancelled by " + e.by, by: e.by})
	case reset:
		s.onReset(m, e)
	case injected:
		s.onInjected(m, e)
	case regenerate:
		s.onRegenerate(m, e)
	case minded:
		s.onMinded(e)
	case prompted:
		s.mind.prompt, s.talk.due = s.set.withGuides(e.text), "the system prompt was changed"
	case logBroken:
		s.finish(m, finish{status: StatusError, summary: "the episode log cannot be written: " + e.err.Error(), by: "harness"})
	case happened:
		s.onHappened(m, e)
	case part:
		s.onPart(m, e)
	case replied:
		s.onReplied(m, e)
	case looked:
		s.onLooked(m, e)
	case prepared:
		s.onPrepared(m, e)
	case seeded:
		s.onSeeded(m, e)
	case started:
		s.onStarted(m, e)
	case stopped:
		s.onStopped(m, e)
	case judged:
		s.onJudged(e)
	case monitored:
		s.onMonitored(m, e)
	case polled:
		s.onPolled(m, e)
	case ran:
		s.onRan(m, e)
	case jobDone:
		s.onJobDone(m, e)
	case printed:
		s.onPrinted(e)
	case rested:
		s.onRested(m, e)
	case glanced:
		s.onGlanced(m, e)
	case hooked:
		s.onHooked(m, e)
	case hookLate:
		s.late("answer of the plugin "+e.plugin+" at "+string(e.point), e.id)
	default:
		panic(fmt.Sprintf("agent: event %T is not known", e))
	}
}

// tick brings the budget of minutes up to date.
func (s *state) tick(m moment) {
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
func (s *state) counting() bool { return s.phase == inTurn || s.phase == watching }

// minutesTimer is the name of the timer that ends the run when nothing else happens.
const minutesTimer = "max_minutes"

// setAlarm asks to be woken when the minutes are used up: also when nothing else happens.
func (s *state) setAlarm(m moment) {
	if !s.counting() || s.pool.Limits.Active <= 0 {
		return
	}
	if at := m.At + s.pool.Limits.Active - s.pool.Active; at != s.alarm {
		s.alarm = at
		s.do(setTimer{name: minutesTimer, at: at})
	}
}

func (s *state) outOfBudget(m moment, err error) {
	s.finish(m, finish{status: StatusBudget, summary: "the budget is used up: " + err.Error(), by: "budget"})
}

// late logs the answer of an effect that nobody waits for any more.
func (s *state) late(what string, id effectID) {
	s.log(episode.Late{Tag: s.tag(), What: what, ID: fmt.Sprintf("e%d", id)})
}

func (s *state) onMessage(m moment, e message) {
	begins := s.phase == idle
	if begins {
		s.beginRun(e.text)
	}
	s.log(episode.UserMessage{Tag: s.tag(), Text: e.text})
	if begins && e.seq < s.void {
		s.finish(m, finish{status: StatusCancelled, summary: "cancelled by " + s.voidBy, by: s.voidBy})
		return
	}
	s.talk.hear(e.text)
	switch s.phase {
	case ending, ended:
		return
	case paused:
		if e.seq < s.barred || m.World != nil && m.World.Latched { // it is told when a newer one resumes the run
			s.news.messages = append(s.news.messages, e.text)
			return
		}
		s.phase = watching
		s.log(episode.RunResumed{Tag: s.tag(), By: episode.ByOperator, Reason: "a message"})
	case waiting:
		s.phase = watching
	}
	s.repeats.same, s.repeats.sames = "", 0 // the user knows, and wants it to go on
	s.news.messages = append(s.news.messages, e.text)
	s.news.wake(view.WakeMessage, "the user wrote: "+e.text)
	s.endWaits(m, "", new("a message of the user"))
}

func (s *state) onHappened(m moment, h happened) {
	switch e := h.what.(type) {
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
func (s *state) tell(m moment, h view.Happening) {
	h.AtS = m.At.Seconds()
	s.talk.note(h.Line())
	s.news.happened = append(s.news.happened, h)
}

// interrupted pauses the run: the planner's call in flight is cancelled, what it opened is closed, the queue rests.
func (s *state) interrupted(m moment, w view.Wake, why string) {
	if s.phase == idle || s.over() {
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
	s.log(episode.RunPaused{Tag: s.tag(), By: pausedBy(w), Reason: why})
}

func pausedBy(w view.Wake) episode.By {
	if w == view.WakeOperator {
		return episode.ByOperator
	}
	return episode.ByHarness
}

// endHeadless ends a run that nobody can resume.
func (s *state) endHeadless(m moment, status, why string) {
	if s.set.Headless && !s.over() {
		s.finish(m, finish{status: status, summary: why, by: "harness"})
	}
}

// heartbeat is the name of the timer that wakes the planner while actions run.
const heartbeat = "heartbeat"

// beat sets the heartbeat's timer anew; it counts from the end of a turn.
func (s *state) beat(m moment) {
	if s.set.Heartbeat > 0 {
		s.beatAt = m.At + s.set.Heartbeat
		s.do(setTimer{name: heartbeat, at: m.At + s.set.Heartbeat})
	}
}

func (s *state) onTimer(m moment, e control.TimerFired) {
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

func (s *state) onHeartbeat() {
	if s.phase == watching && len(s.acts.All()) > 0 {
		s.news.wake(view.WakeHeartbeat, "nothing happened for "+s.set.Heartbeat.String())
	}
}
