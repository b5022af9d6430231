package run

import (
	"fmt"
	"slices"

	"github.com/rein-robotics/rein/agent/action"
	"github.com/rein-robotics/rein/agent/plan"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/monitor/question"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/tool"
)

// checkThen says why a tool cannot be a follow-up: it is started without arguments.
func (s *Settings) checkThen(name string) error {
	spec := s.all[name]
	if spec == nil {
		return fmt.Errorf("then names no tool: %q", name)
	}
	return spec.canFollow()
}

func (t *toolSpec) canFollow() error {
	switch {
	case len(t.Spec.ImagePoints) > 0:
		return fmt.Errorf("then: %s needs a point in an image, and a follow-up is started without arguments", t.Name)
	case t.schema.Check(rawArgs(nil)) != nil:
		return fmt.Errorf("then: %s has required parameters, and a follow-up is started without arguments", t.Name)
	}
	return nil
}

// CanFollow says why a tool cannot follow an action that a rule or a check has stopped ("then"); nil = it can.
func CanFollow(t *skill.Tool) error {
	params, err := plannerSchema(t.Spec, nil)
	if err != nil {
		return err
	}
	schema, err := tool.Compile(params)
	if err != nil {
		return err
	}
	return (&toolSpec{Tool: t, schema: schema}).canFollow()
}

// checkThens checks every then of the tools' questions.
func (s *Settings) checkThens() error {
	for _, t := range s.Tools {
		for _, then := range question.Thens(s.all[t.Name].questions) {
			if err := s.checkThen(then); err != nil {
				return fmt.Errorf("tool %s: %w", t.Name, err)
			}
		}
	}
	return nil
}

// ruled finds the rule or check whose end was the recorded one: only that may start a follow-up. It forgets the others.
func (s *State) ruled(e control.ActionEnded) (r ruling, told bool) {
	all := s.rulings[e.Action]
	delete(s.rulings, e.Action)
	told = failedBefore(all)
	if i := slices.IndexFunc(all, func(r ruling) bool { return r.end == e.End }); i >= 0 {
		return all[i], told
	}
	return ruling{}, told
}

// followUp starts what follows on an action that a rule or a check ended, and gives what becomes of the action's step:
// after a finish the follow-up carries it on, or takes the next step when that names its tool.
func (s *State) followUp(m Moment, a action.Action, e control.ActionEnded, r ruling) {
	d := s.plan.Decide(plan.Situation{
		Over: s.Over() || s.phase == paused || e.Stop.Outcome != control.Still || a.Follows != "", FollowUp: r.then,
		Busy: true, // nothing else is asked here
	})
	b := &begin{under: s.generation, step: -1, name: r.then, args: rawArgs(nil), of: a.ID}
	if d.Verb == plan.StartFollowUp && e.Outcome == control.Succeeded {
		b.step = s.nextNaming(a.ID, r.then)
		b.carries = b.step < 0 && s.plan.StepOf(a.ID) != ""
	}
	if !b.carries {
		s.plan = s.plan.Resolve(a.ID, stepState(e.End))
	}
	if d.Verb != plan.StartFollowUp {
		if r.then != "" {
			s.tell(m, view.Happening{Kind: "follow_up_not_started", Action: a.ID, Tool: r.then, Reason: s.noFollowUp(a, e)})
		}
		return
	}
	if no := s.admit(m, b); no != nil {
		s.plan = s.plan.Resolve(a.ID, plan.Done) // only of a step that was to be carried on
		s.turnedAway(m, b, *no)
	}
}

// noFollowUp says why nothing follows on an action.
func (s *State) noFollowUp(a action.Action, e control.ActionEnded) string {
	switch {
	case e.Stop.Outcome != control.Still:
		return "the robot was not seen to stand still"
	case a.Follows != "":
		return "it is a follow-up itself"
	}
	return "the run does not go on"
}

// nextNaming is the index of the next step when it names the tool, -1 when it does not. The step of the action itself
// is not the next one.
func (s *State) nextNaming(of, tool string) int {
	for i, st := range s.plan.Steps() {
		if st.Action() == of || st.State() != plan.Todo {
			continue
		}
		if st.Tool == tool {
			return i
		}
		return -1
	}
	return -1
}

// followed wakes the planner for the end of a follow-up, however it ended.
func (s *State) followed(a action.Action, e control.ActionEnded) {
	if a.Follows != "" && e.Outcome == control.Succeeded {
		s.news.wake(view.WakeEnded, fmt.Sprintf("%s (%s), which followed on %s, has succeeded", a.ID, a.Tool, a.Follows))
	}
}

// kind is how the planner is told that the harness started it.
func (b *begin) kind() string {
	if b.of != "" {
		return "follow_up"
	}
	return "plan_step"
}

// what words it for the planner when it did not start.
func (b *begin) what() string {
	if b.of != "" {
		return fmt.Sprintf("the follow-up (%s) of %s", b.name, b.of)
	}
	return fmt.Sprintf("the next step (%s)", b.name)
}

// unstarted is what becomes of its step when it does not start. A step that a follow-up carries on is done by then.
func (b *begin) unstarted() plan.State {
	if b != nil && b.carries {
		return plan.Done
	}
	return plan.Todo
}

// postponed is a call of the planner that waits until an action has stopped.
type postponed struct {
	until string
	call  call
}

// beingFailed is the action, being stopped as failed, that holds a module of the tool; "" = none. The planner was woken
// for its failure and may answer at once: its call waits for the measured stop, as one behind stop_action does.
func (s *State) beingFailed(name string) string {
	spec := s.set.tools[name]
	if spec == nil {
		return ""
	}
	a, _, held := s.acts.Holder(spec.Spec.Commands)
	if !held || a.Phase != action.Stopping || !failedBefore(s.rulings[a.ID]) {
		return ""
	}
	return a.ID
}

// goOnAfter begins the call that waited for the end of an action: there is one at most, since calls of a reply wait for
// the one before.
func (s *State) goOnAfter(m Moment, ended string) {
	waiting := s.later
	s.later = nil
	for _, p := range waiting {
		if p.until != ended {
			s.later = append(s.later, p)
			continue
		}
		s.callSkill(m, p.call)
	}
}
