package run

import (
	"fmt"

	"github.com/rein-robotics/rein/agent/action"
	"github.com/rein-robotics/rein/agent/plan"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/robot"
)

// decide lets the plan queue go on. It decides only between turns.
func (s *State) decide(m Moment) {
	if s.phase == ending {
		s.goOnEnding()
		return
	}
	if s.turn != nil || (s.phase != watching && s.phase != waiting) {
		return
	}
	alone := s.letIn(m)
	news := ""
	if len(s.news.wakes) > 0 {
		news = s.news.why
	}
	d := s.plan.Decide(plan.Situation{
		Asking: s.phase == waiting, News: news, Busy: len(s.acts.All()) > 0, Incomplete: s.incomplete,
	})
	switch d.Verb {
	case plan.Start:
		if !s.startStep(m, d.Step) {
			s.decide(m) // there is news: why it was not started
		}
	case plan.Wake:
		if d.Why != plan.ForNews && s.resting && s.jobs.Running() > 0 {
			return
		}
		if d.Why != plan.ForNews {
			s.news.wake(wakeOf(d.Why), d.Reason)
		}
		s.openTurn()
		if alone {
			s.keepApart()
		}
	case plan.Wait, plan.StartFollowUp:
	}
}

func wakeOf(w plan.Why) view.Wake {
	switch w {
	case plan.ForUnresolved:
		return view.WakeUnresolved
	case plan.ForPlanDone:
		return view.WakePlanDone
	case plan.ForNoTool:
		return view.WakeStepNoTool
	}
	return view.WakeStep
}

// startStep begins a step of the plan without the planner, false when it was turned away at once.
func (s *State) startStep(m Moment, i int) bool {
	st := s.plan.Steps()[i]
	b := &begin{under: s.generation, step: i, name: st.Tool, args: rawArgs(st.Args)}
	if r := s.admit(m, b); r != nil {
		s.turnedAway(m, b, *r)
	}
	return len(s.news.wakes) == 0
}

// nextStep is the index of the step that the queue could start by itself, -1 when there is none.
func (s *State) nextStep() int {
	for i, st := range s.plan.Steps() {
		switch st.State() {
		case plan.Failed, plan.Unconfirmed:
			return -1
		case plan.Todo:
			if st.Tool == "" || s.incomplete(st) != "" {
				return -1
			}
			return i
		}
	}
	return -1
}

// incomplete says why a step with a tool cannot be started without the planner, "" when it can.
func (s *State) incomplete(st plan.Step) string {
	spec := s.set.tools[st.Tool]
	switch {
	case spec == nil:
		return fmt.Sprintf("there is no tool %q", st.Tool)
	case st.NeedsLook:
		return "it wants a fresh image"
	}
	if err := spec.schema.Check(rawArgs(st.Args)); err != nil {
		if len(spec.Spec.ImagePoints) > 0 {
			return "it needs a point in a fresh image"
		}
		return "its arguments are not complete: " + err.Error()
	}
	if len(spec.Spec.ImagePoints) > 0 && (s.set.Points.Strict || !s.fixedCamera(spec.Spec.Camera)) {
		return "it needs a point in a fresh image"
	}
	return ""
}

func (s *State) fixedCamera(name string) bool {
	mod := s.set.Body.Module(name)
	return mod != nil && mod.Camera != nil && mod.Camera.Mount == robot.MountFixed
}

// onActionEnding ends the watching and the checks of an action whose end is settled: what they would still say is about an
// action that has ended, whoever ended it.
func (s *State) onActionEnding(e control.ActionEnding) {
	s.watchEnds(e.Action)
	delete(s.checks, e.Action)
}

// onActionEnded takes the end of an action, and goes on with what waited for it.
func (s *State) onActionEnded(m Moment, e control.ActionEnded) {
	s.actionEnded(m, e)
	s.goOnAfter(m, e.Action)
}

// actionEnded keeps the end of an action: step, log, news.
func (s *State) actionEnded(m Moment, e control.ActionEnded) {
	s.moved(e.At)
	a, ok := s.acts.End(e.Action)
	if !ok {
		return // not an action of the agent's: the operator's own
	}
	s.resting = false
	s.log(endedEvent(s.Tag(), e))
	s.tell(m, view.Happening{
		Kind: "action_ended", Action: a.ID, Tool: a.Tool, Args: a.Args, Step: a.Step,
		Outcome: string(e.Outcome), Cause: string(e.Cause), Reason: endReason(a, e), Answers: s.answersOn(m, a.ID),
	})
	s.watchEnds(a.ID)
	delete(s.watches, a.ID)
	delete(s.checks, a.ID)
	r, told := s.ruled(e)
	s.followUp(m, a, e, r)
	if e.Outcome == control.Succeeded {
		delete(s.repeats.failures, a.Tool)
		s.repeats.same, s.repeats.sames = "", 0
		s.followed(a, e)
		return
	}
	if e.Cause == control.CausePlanner { // it knows, and may go on at once
		return
	}
	s.countFailure(a, e)
	if told && e.Outcome == control.Failed { // it was woken when the rule fired
		return
	}
	s.news.modules = append(s.news.modules, a.Modules...)
	s.news.wake(view.WakeEnded, fmt.Sprintf("%s (%s) %s: %s", a.ID, a.Tool, e.Outcome, endReason(a, e)))
}

// countFailure keeps retries_per_step and the count of equal bad ends.
func (s *State) countFailure(a action.Action, e control.ActionEnded) {
	if e.Outcome == control.Failed {
		s.repeats.failures[a.Tool]++
	}
	s.noProgress(a.Tool + " " + string(e.Outcome) + " " + e.Reason)
}

// noProgress counts the same bad thing in a row. Looks and equal plans between change nothing.
func (s *State) noProgress(same string) {
	if s.repeats.same != same {
		s.repeats.same, s.repeats.sames = same, 0
	}
	s.repeats.sames++
	if s.repeats.sames >= badEndsMost && s.turn != nil {
		s.turn.stuck = s.repeats.words()
	}
}

func (r *repeats) words() string { return fmt.Sprintf("%d times in a row: %s", r.sames, r.same) }

// stepState is what becomes of the step of an action that ended.
func stepState(e control.End) plan.State {
	switch e.Outcome {
	case control.Succeeded:
		return plan.Done
	case control.Failed:
		return plan.Failed
	case control.Stopped:
		if e.Cause == control.CauseSafety || e.Cause == control.CauseRobot {
			return plan.Failed
		}
	}
	return plan.Unconfirmed
}

// endReason words the end as the planner is told it. A timeout is no failure.
func endReason(a action.Action, e control.ActionEnded) string {
	switch {
	case e.Outcome == control.TimedOut && a.Judged:
		return "ran its limit without the monitor confirming success; judge from the newest image whether it succeeded"
	case e.Outcome == control.TimedOut:
		return "ran its limit; judge from the newest image whether it succeeded"
	case e.SkillReason != "" && e.SkillReason != e.Reason:
		return e.Reason + "; the skill says: " + e.SkillReason
	}
	return e.Reason
}

func endedEvent(t episode.Tag, e control.ActionEnded) episode.ActionEnded {
	out := episode.ActionEnded{
		Tag: t, Action: e.Action, Tool: e.Tool, Outcome: string(e.Outcome), Cause: string(e.Cause), Reason: e.Reason,
		SkillReason: e.SkillReason, ElapsedS: e.Elapsed.Seconds(),
		Stop: &episode.Stop{SentS: e.Stop.SentS, StillS: e.Stop.StillS, Outcome: string(e.Stop.Outcome)},
	}
	for _, o := range e.Also {
		out.Also = append(out.Also, episode.AlsoEnd{Outcome: string(o.Outcome), Cause: string(o.Cause), Reason: o.Reason})
	}
	if e.Arrival != nil {
		out.Arrival = &episode.Arrival{How: e.Arrival.How, Residual: e.Arrival.Residual}
	}
	return out
}

// halt ends an action and waits for the measured outcome.
func (s *State) halt(h *halt, e control.End) {
	if a, ok := s.acts.Get(h.action); ok && a.Phase == action.Running {
		a.Ending = s.ticked
		s.watchEnds(a.ID)
		s.acts.Put(withPhase(a, action.Stopping))
	}
	id := s.id()
	s.halts[id] = h
	s.do(Stop{ID: id, Action: h.action, End: e})
}

func (s *State) onStopped(m Moment, e Stopped) {
	h, ok := s.halts[e.ID]
	delete(s.halts, e.ID)
	if !ok {
		s.late("stop", e.ID)
		return
	}
	if e.Err == nil {
		if _, open := s.acts.Get(h.action); open { // the news of its end is behind this answer in the inbox
			s.onActionEnded(m, e.Ended)
		}
	}
	if s.phase == ending {
		return
	}
	if h.call == "" {
		return
	}
	if e.Err != nil {
		s.refuse(m, call{id: h.call, name: toolStopAction}, refusalOf(e.Err))
		return
	}
	s.answer(m, call{id: h.call, name: toolStopAction}, map[string]any{
		"action_id": h.action, "outcome": e.Ended.Outcome, "cause": e.Ended.Cause, "reason": e.Ended.Reason,
		"stop": map[string]any{"outcome": e.Ended.Stop.Outcome, "sent_s": e.Ended.Stop.SentS, "still_s": e.Ended.Stop.StillS},
	})
}
