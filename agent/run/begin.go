package run

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rein-robotics/rein/agent/action"
	"github.com/rein-robotics/rein/agent/plan"
	"github.com/rein-robotics/rein/agent/point"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
)

// callSkill begins a skill tool that the planner called.
func (s *State) callSkill(m Moment, c call) {
	if id := s.beingFailed(c.name); id != "" {
		s.later = append(s.later, postponed{until: id, call: c})
		return
	}
	b := &begin{call: c.id, under: s.generation, step: -1, name: c.name, args: c.args}
	if r := s.admit(m, b); r != nil {
		s.refuse(m, c, *r)
	}
}

// admit makes every check that needs nothing from outside, and sends the call on its way. What it refuses, the caller
// tells.
func (s *State) admit(m Moment, b *begin) *skill.Refusal {
	if r := s.vet(m, b); r != nil {
		return r
	}
	if err := s.pool.Motion(); err != nil {
		return &skill.Refusal{Code: "budget", Message: err.Error()}
	}
	b.action = s.acts.NextID()
	s.take(b, m.At)
	s.bindStep(b)
	if !s.askStart(b) {
		s.goOn(m, b)
	}
	return nil
}

// vet checks a call as far as nothing from outside is needed, and finds its points.
func (s *State) vet(m Moment, b *begin) *skill.Refusal {
	spec := s.set.tools[b.name]
	if b.of != "" {
		spec = s.set.all[b.name]
	}
	if spec == nil {
		return &skill.Refusal{Code: "unknown_tool", Message: fmt.Sprintf("there is no tool %q", b.name), Hint: "known are " + strings.Join(s.set.toolNames(), ", ")}
	}
	b.spec, b.found = *spec, point.Found{}
	if err := spec.schema.Check(b.args); err != nil {
		r := refusalOf(err)
		return &r
	}
	if s.turn != nil && b.call != "" && s.staleFor(spec.Spec.Commands) {
		return &skill.Refusal{Code: "stale_view", Message: "something happened after the view that this was decided on", Hint: "the next message tells what"}
	}
	if a, module, held := s.acts.Holder(spec.Spec.Commands); held {
		return &skill.Refusal{Code: "module_busy", Message: fmt.Sprintf("%s is held by %s (%s)", module, a.ID, a.Tool), Hint: "wait until it has ended, or stop it"}
	}
	if r := s.blinded(spec.Spec); r != nil {
		return r
	}
	if len(spec.Spec.ImagePoints) > 0 {
		found, r := point.Resolve(&s.looks, point.Request{Spec: spec.Spec, Args: b.args}, s.pointRules(), point.Now{At: m.At, Motions: s.motions, Moving: s.moving(m)})
		if r != nil {
			return r
		}
		b.found = found
	}
	if err := s.askFor(b); err != nil {
		return &skill.Refusal{Code: "bad_arguments", Message: err.Error()}
	}
	return nil
}

// take gives the call its modules, under the id that it has.
func (s *State) take(b *begin, began time.Duration) {
	s.acts.Begin(action.Action{
		ID: b.action, Tool: b.name, Args: b.args, Phase: action.Starting, Modules: b.spec.Spec.Commands, Began: began,
		Follows: b.of, Step: s.plan.StepOf(b.action), Judged: s.set.Monitor != nil && len(b.spec.questions) > 0,
	})
	b.left = nil
	for i := range b.found.Check {
		b.left = append(b.left, i)
	}
}

// moving says that something on the robot is in motion, whoever decided on it.
func (s *State) moving(m Moment) bool {
	return m.World != nil && len(m.World.Running) > 0 ||
		slices.ContainsFunc(s.acts.All(), func(a action.Action) bool { return a.Phase != action.Starting })
}

// staleFor says that a bad end or a flag that the planner has not been told concerns one of the modules.
func (s *State) staleFor(modules []string) bool {
	return slices.ContainsFunc(s.news.modules, func(n string) bool { return slices.Contains(modules, n) })
}

// bindStep ties the action to its plan step, so that the plan shows it running.
func (s *State) bindStep(b *begin) {
	if b.step >= 0 {
		s.plan = s.plan.Bind(b.step, b.action)
	} else if b.call != "" {
		s.plan, _ = s.plan.Take(b.name, b.action)
	} else if b.carries {
		s.plan = s.plan.Carry(b.of, b.action)
	}
	a, _ := s.acts.Get(b.action)
	a.Step = s.plan.StepOf(b.action)
	s.acts.Put(a)
}

// goOn takes the next stage of a start: patches, then the skill, then its trackers, then the control loop.
func (s *State) goOn(m Moment, b *begin) {
	if len(b.left) > 0 {
		p := b.found.Check[b.left[0]]
		region := point.Patch(p)
		id := s.id()
		s.peeks[id] = &peek{of: b}
		s.do(Look{ID: id, Cameras: []string{p.Frame.Camera}, Region: &region})
		return
	}
	if s.set.DryRun {
		s.dryRun(m, b)
		return
	}
	id := s.id()
	s.starts[id] = b
	s.do(Prepare{ID: id, Tool: b.spec.Tool, Call: s.skillCall(m, b)})
}

func (s *State) skillCall(m Moment, b *begin) skill.Call {
	var now *robot.Readings
	if m.World != nil {
		now = m.World.Readings
	}
	return skill.Call{Args: ownArgs(b.args), Points: b.found.Points, Now: now}
}

// dryRun answers a call that would have started.
func (s *State) dryRun(m Moment, b *begin) {
	s.drop(b)
	s.pool.ReturnMotion()
	s.accepted()
	would := map[string]any{"status": "dry_run", "would_start": map[string]any{"tool": b.name, "args": b.args}}
	if b.call != "" {
		s.plan = s.plan.Resolve(b.action, plan.Todo)
		s.answer(m, b.asCall(), would)
		return
	}
	s.plan = s.plan.Resolve(b.action, plan.Skipped)
	s.tell(m, view.Happening{Kind: "dry_run", Tool: b.name, Args: b.args})
	s.news.wake(view.WakeStep, "a dry run starts nothing: step skipped")
}

// drop takes an action that has not started out of the table.
func (s *State) drop(b *begin) { s.acts.End(b.action) }

// staleAfter is how old the newest picture of a live camera may be; frameLag is how much older than the last motion, which
// it is asked about.
const (
	staleAfter = time.Second
	frameLag   = 200 * time.Millisecond
)

// onPatch compares the newest picture around a point with what the planner saw.
func (s *State) onPatch(m Moment, b *begin, e Looked) {
	if !s.alive(b) {
		s.abandon(m, b, "patch", e.ID)
		return
	}
	if e.Err != nil {
		s.reject(m, b, skill.Refusal{Code: "cannot_start", Message: "no fresh picture of the point: " + e.Err.Error()})
		return
	}
	if len(e.Shots) == 0 {
		s.reject(m, b, skill.Refusal{Code: "cannot_start", Message: "no fresh picture of the point"})
		return
	}
	p := b.found.Check[b.left[0]]
	b.left = b.left[1:]
	if f := e.Shots[0].Look.Frame; m.At-f.At > staleAfter || f.At < s.movedAt-frameLag {
		s.reject(m, b, skill.Refusal{Code: "camera_not_live", Message: fmt.Sprintf("the newest picture of %s is %.1f s old", f.Camera, (m.At - f.At).Seconds())})
		return
	}
	if r := point.Unchanged(p, e.Shots[0].Look.Frame, s.set.Body, e.Readings); r != nil {
		s.reject(m, b, *r)
		return
	}
	s.goOn(m, b)
}

// alive says that the start is still wanted.
func (s *State) alive(b *begin) bool {
	a, ok := s.acts.Get(b.action)
	return ok && a.Phase == action.Starting && !b.void && !s.Over()
}

func (s *State) onPrepared(m Moment, e Prepared) {
	b, ok := s.starts[e.ID]
	delete(s.starts, e.ID)
	if !ok || !s.alive(b) {
		s.abandon(m, b, "prepared skill", e.ID)
		return
	}
	if e.Err != nil {
		s.reject(m, b, refusalOf(e.Err))
		return
	}
	b.ready = e.Skill
	var services []skill.Service
	if f := b.spec.Services; f != nil {
		services = f(s.skillCall(m, b))
	}
	if len(services) == 0 {
		s.launch(m, b)
		return
	}
	b.seedAt = m.At
	id := s.id()
	s.starts[id] = b
	s.do(Seed{ID: id, What: control.ServiceStart{Owner: robot.OwnerAgent, Generation: b.under, Action: b.action, Services: services}})
}

func (s *State) onSeeded(m Moment, e Seeded) {
	b, ok := s.starts[e.ID]
	delete(s.starts, e.ID)
	if !ok || !s.alive(b) {
		if ok && e.Err == nil {
			s.do(Unseed{Action: b.action})
		}
		s.abandon(m, b, "tracker's first result", e.ID)
		return
	}
	if e.Err != nil {
		s.reject(m, b, refusalOf(e.Err))
		return
	}
	b.seeded = m.At
	if r := s.checkTargets(b, e.Tracks); r != nil {
		s.do(Unseed{Action: b.action})
		s.reject(m, b, *r)
		return
	}
	s.launch(m, b)
}

// checkTargets judges the first masks of the trackers against the tool's max_target_area.
func (s *State) checkTargets(b *begin, tracks control.Tracks) *skill.Refusal {
	limit := b.spec.Spec.MaxTargetArea
	if limit == 0 {
		return nil
	}
	for _, sv := range b.spec.Services(skill.Call{Args: b.args, Points: b.found.Points}) {
		t := tracks[sv.Name()]
		b.area = &t.Area
		if r := point.Target(t, sv.Seed, limit); r != nil {
			if r.Code == "target_rejected" {
				s.log(episode.TargetRejected{Tag: s.Tag(), Tool: b.name, TargetArea: t.Area, Limit: limit, Observation: sv.Seed.Observation})
			}
			return r
		}
	}
	return nil
}

// launch hands the skill to the control loop.
func (s *State) launch(m Moment, b *begin) {
	if r := s.blinded(b.spec.Spec); r != nil { // found out while the skill was made ready
		s.do(Unseed{Action: b.action})
		s.reject(m, b, *r)
		return
	}
	id := s.id()
	s.starts[id] = b
	a, _ := s.acts.Get(b.action)
	announce := []episode.Event{episode.ActionStarted{
		Tag: s.Tag(), Action: b.action, Tool: b.name, Args: b.args, Step: a.Step,
		TrackerS: (b.seeded - b.seedAt).Seconds(), StartS: (m.At - a.Began).Seconds(), TargetArea: b.area,
	}}
	if b.call == "" && !b.carries && (b.of == "" || b.step >= 0) {
		announce = append(announce, episode.PlanStep{Tag: s.Tag(), Step: a.Step, Tool: b.name, Args: b.args, Action: b.action})
	}
	s.do(Start{ID: id, What: control.Start{
		Owner: robot.OwnerAgent, Generation: b.under, Action: b.action, Tool: b.spec.Tool, Call: s.skillCall(m, b),
		Skill: b.ready, Announce: announce,
	}})
}

func (s *State) onStarted(m Moment, e Started) {
	b, ok := s.starts[e.ID]
	delete(s.starts, e.ID)
	if !ok {
		s.late("start", e.ID)
		return
	}
	if e.Err != nil {
		if r := refusalOf(e.Err); s.alive(b) {
			s.reject(m, b, r)
		} else {
			s.abandon(m, b, "start", e.ID)
		}
		return
	}
	s.moved(m.At)
	a, known := s.acts.Get(b.action)
	switch {
	case !known && !b.void && !s.Over(): // it has ended already: its end overtook this answer
	case !s.alive(b): // it started after all: the generation it had was still the current one
		s.takeBack(b)
		return
	default:
		s.acts.Put(withPhase(a, action.Running))
		s.watchOver(m, b)
		s.checkOver(m, b)
	}
	s.accepted()
	if b.call == "" {
		s.tell(m, view.Happening{Kind: b.kind(), Step: a.Step, Action: b.action, Tool: b.name, Args: b.args})
		return
	}
	s.turn.started = true
	s.answer(m, b.asCall(), map[string]any{"action_id": b.action, "status": "running"})
}

// takeBack stops an action that started although nobody wants it any more.
func (s *State) takeBack(b *begin) {
	if a, known := s.acts.Get(b.action); known {
		s.acts.Put(withPhase(a, action.Stopping))
	}
	h, e := &halt{action: b.action}, control.End{Outcome: control.Stopped, Cause: control.CauseCancel, Reason: "the run was interrupted while it started"}
	if b.halt != nil {
		h, e.Cause, e.Reason = b.halt, control.CausePlanner, "it was to be stopped while it started"
	}
	if s.end != nil && s.end.status == StatusBudget {
		e.Cause = control.CauseBudget
	}
	s.halt(h, e)
}

func withPhase(a action.Action, p action.Phase) action.Action {
	a.Phase = p
	return a
}

// reject refuses a call that was on its way: the planner's is answered, the queue's wakes the planner.
func (s *State) reject(m Moment, b *begin, r skill.Refusal) {
	s.drop(b)
	s.pool.ReturnMotion()
	s.plan = s.plan.Resolve(b.action, b.unstarted())
	if b.call != "" {
		s.refuse(m, b.asCall(), r)
		return
	}
	s.turnedAway(m, b, r)
}

// turnedAway wakes the planner for a step that the queue could not start.
func (s *State) turnedAway(m Moment, b *begin, r skill.Refusal) {
	s.noteRefusal(b.name, r)
	s.tell(m, view.Happening{Kind: "refused", Tool: b.name, Args: b.args, Outcome: r.Code, Reason: r.Message})
	w := view.WakeStepStart
	if r.Code == "view_changed" || r.Code == "point_too_old" {
		w = view.WakeStep
	}
	s.news.wake(w, fmt.Sprintf("%s was not started: %s", b.what(), r.Message))
}

// abandon forgets a start that nobody wants any more. Its answer is late, unless a stop_action waits for it.
func (s *State) abandon(m Moment, b *begin, what string, id EffectID) {
	to := b.unstarted()
	if b != nil && b.halt != nil {
		to = plan.Unconfirmed
	} else {
		s.late(what, id)
	}
	if b == nil {
		return
	}
	if _, ok := s.acts.End(b.action); ok {
		s.plan = s.plan.Resolve(b.action, to)
		s.pool.ReturnMotion()
	}
	if b.halt != nil && b.halt.call != "" {
		s.answer(m, call{id: b.halt.call, name: toolStopAction}, map[string]any{
			"action_id": b.action, "outcome": control.Stopped, "cause": control.CausePlanner, "reason": "it had not started yet",
		})
	}
}

// asCall is the planner's call that the start is of.
func (b *begin) asCall() call { return call{id: b.call, name: b.name, args: b.args} }

// rawArgs is the arguments of a step, {} when it has none.
func rawArgs(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("{}")
	}
	return raw
}
