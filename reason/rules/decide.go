package rules

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/reason/rules/language"
)

const (
	refusedMost = 4    // refusals in one turn before the planner gives up
	badMost     = 40   // bad outcomes in a run before it does
	homeMost    = 0.14 // metres of the fingertips from the foot: farther out the arm may hide things from a fixed camera
)

// decide is the whole planner: from what a round is shown to what it does.
func decide(v run.View) reply {
	s := read(v)
	clauses, err := s.clauses()
	if err != nil {
		return unclear(s, err)
	}
	if r, done := s.waits(); done {
		return r
	}
	if r, done := s.hopeless(); done {
		return r
	}
	p := &planner{story: s, tools: toolsOf(v.Request.Tools), clauses: clauses, reach: reachOf(v.Request.System)}
	p.memory, _ = recall(s.plan, s.task)
	p.follow()
	if r, done := p.open(v); done {
		return r
	}
	return p.goOn()
}

// unclear ends a run whose task was not understood; what runs is stopped first.
func unclear(s *story, err error) reply {
	if rs := s.running(); len(rs) > 0 {
		return stopAll(rs, "the new task was not understood")
	}
	return failed("the sentence is not understood: "+err.Error(), err.Error())
}

// waits answers a round in which something is still under way.
func (s *story) waits() (reply, bool) {
	rs := s.running()
	if len(rs) == 0 {
		return reply{}, false
	}
	for _, m := range s.first.Messages {
		if !goesOn(m) {
			return stopAll(rs, "the user wrote: "+m), true
		}
	}
	return reply{why: rs[0].Tool + " is under way", text: "I wait until " + rs[0].Tool + " has ended."}, true
}

func stopAll(rs []view.Running, why string) reply {
	r := reply{why: why}
	for _, a := range rs {
		r.calls = append(r.calls, call{toolStop, map[string]any{"action_id": a.Action, "reason": why}})
	}
	return r
}

// hopeless ends a run in which going on makes no sense.
func (s *story) hopeless() (reply, bool) {
	bad, last := 0, outcome{}
	for _, o := range s.events {
		code := o.code
		if o.turn != s.turns && !o.ok() {
			code = "" // of an earlier turn: it counts, and decides nothing
		}
		switch code {
		case "camera_not_live", "not_allowed", "estopped", "unknown_tool", "budget":
			return failed(o.code, sentence("I stop: "+o.reason)), true
		case "dry_run":
			return failed("a dry run", "This was a dry run: "+o.tool+" would have been started, and nothing was moved."), true
		case "succeeded":
			continue
		}
		bad++
		last = o
	}
	inTurn := 0
	for i := len(s.events) - 1; i >= 0 && s.events[i].start && s.events[i].turn == s.turns; i-- {
		inTurn++
	}
	if bad >= badMost || inTurn >= refusedMost {
		return failed("it goes on failing", sentence(fmt.Sprintf("I give up: %s was refused or failed again and again: %s", last.tool, last.reason))), true
	}
	return reply{}, false
}

// open looks: it finds the newest image of the camera that points are read from, and ties the task to it. done is true
// when the round ends here.
func (p *planner) open(v run.View) (r reply, done bool) {
	camera := p.tools.camera()
	if camera == "" {
		return failed("there is no tool that takes a point", "I have no tool that acts at a point of an image."), true
	}
	observe := []call{{toolObserve, map[string]any{"cameras": []string{camera}}}}
	info, ok := p.story.newest(camera)
	switch {
	case !ok && p.story.observed == 0:
		return reply{why: "there is no image of " + camera + " in this turn", calls: observe}, true
	case p.story.overtaken():
		return reply{why: "the point was refused: the world may have changed since " + info.ID, calls: observe}, true
	}
	frame := v.Frames[info.ID]
	switch {
	case !ok || frame == nil || frame.Color == nil:
		return failed("no image", "I cannot see: there is no image of "+camera+"."), true
	case info.NotLive != "":
		return failed("not live", fmt.Sprintf("I cannot see: %s shows no live picture (%s). Nothing was moved after that.", camera, info.NotLive)), true
	case frame.Depth == nil:
		return failed("no depth", "I cannot judge what I see: "+camera+" measures no depth."), true
	}
	if !info.Fixed && !p.atLook() {
		return p.goLook(), true
	}
	if info.Fixed && p.inTheWay() {
		if last, stuck := p.stuck(); stuck {
			return failed("the arm stays in the picture", "I cannot tell how things are: the arm stands in the picture and does not go away"+because(last)), true
		}
		return p.goHome(), true
	}
	p.seen = look(info, frame, p.held != "")
	if err := p.tie(); err != nil {
		return p.cannot(err), true
	}
	return reply{}, false
}

// tie connects the task to what is seen: all of it at the first look, later what could not be seen then.
func (p *planner) tie() error {
	if len(p.memory.Goals) == 0 {
		if len(p.seen.things) == 0 {
			return unseenf("I see nothing on the table.")
		}
		goals, err := bind(p.clauses, p.seen)
		p.memory.Goals = goals
		return err
	}
	for i := range p.memory.Goals {
		if !p.memory.Goals[i].Later {
			if p.waiting(i) {
				return nil
			}
			continue
		}
		b := &binder{clauses: p.clauses, seen: p.seen, goals: p.memory.Goals[:i:i]}
		g, err := b.goal(p.memory.Goals[i].Clause)
		if err != nil {
			return err
		}
		p.memory.Goals[i] = g
		return nil
	}
	return nil
}

// cannot ends the run because of what is seen or not understood.
func (p *planner) cannot(err error) reply {
	if _, ok := errors.AsType[*language.Unknown](err); ok {
		return failed("a word means nothing here", err.Error())
	}
	return failed("the task does not fit what is seen", err.Error())
}

// goOn plans what is left, starts it, or ends the run.
func (p *planner) goOn() reply {
	w, err := p.plan()
	if err != nil {
		return p.cannot(err)
	}
	if len(w.steps) == 0 {
		return p.end(w)
	}
	return p.begin(w)
}

// end claims what the newest image shows.
func (p *planner) end(w work) reply {
	switch {
	case len(w.blocked) > 0:
		return failed("something was given up", p.undone(w))
	case len(w.lost) > 0:
		return failed("something is out of sight", sentence("I no longer see "+list(tally(w.lost))+"; "+p.seen.see()))
	}
	return finished(true, "the newest image shows everything done", p.summary())
}

// begin writes the plan when it is not the one that stands, and starts its first step.
func (p *planner) begin(w work) reply {
	steps := p.looked(w.steps)
	steps = append(steps, p.check())
	wires := make([]wire, len(steps))
	for i := range steps {
		wires[i] = steps[i].wired(p.seen)
	}
	r := reply{why: p.why(steps)}
	if !same(p.story.left(), wires) {
		r.calls = append(r.calls, call{toolPlan, map[string]any{"steps": wires}})
		r.text = p.said(w)
	}
	first := &steps[0]
	if first.points() && first.pixel == nil {
		return failed("the first step cannot be pointed at", sentence("I do not see where to "+first.text))
	}
	if first.tool != nil {
		r.calls = append(r.calls, first.call(p.seen))
	}
	return r
}

// check is the plan's last step: the planner's own.
func (p *planner) check() step {
	return step{id: checkStep, text: "check the result in a fresh image", args: map[string]any{"task": p.memory.Task, "goals": p.memory.Goals}}
}

// looked puts the look pose before every point that a carried camera must see; with a fixed camera nothing is added.
func (p *planner) looked(steps []step) []step {
	if p.seen == nil || p.seen.info.Fixed {
		return steps
	}
	pose := p.lookPose()
	var out []step
	for i, st := range steps {
		if st.points() && i > 0 && pose != "" {
			out = append(out, step{id: st.id + ".look", text: "look at the table", tool: p.tools.pose, args: map[string]any{"pose": pose}})
		}
		out = append(out, st)
	}
	if pose != "" {
		out = append(out, step{id: checkStep + ".look", text: "look at the table", tool: p.tools.pose, args: map[string]any{"pose": pose}})
	}
	return out
}

// lookPose is the pose from which a carried camera sees the table; "" = none is offered.
func (p *planner) lookPose() string { return p.tools.poseLike("look") }

// atLook says whether the arm stands where a carried camera sees the table.
func (p *planner) atLook() bool {
	pose := p.lookPose()
	if pose == "" {
		return true
	}
	o, ok := p.story.lastAction()
	return ok && o.ok() && o.tool == p.tools.pose.name && strings.Contains(string(o.args), `"`+pose+`"`)
}

// goLook moves a carried camera to where it sees the table, and comes back to the plan then.
func (p *planner) goLook() reply {
	if last, stuck := p.stuck(); stuck {
		return failed("the look pose is not reached", "I cannot see the table: the arm does not reach the pose from which its camera looks"+because(last))
	}
	st := step{id: "look", text: "look at the table", tool: p.tools.pose, args: map[string]any{"pose": p.lookPose()}}
	return p.detour(st, "the camera must see the table first")
}

// stuck says whether moving out of the way or to the look failed again and again, and why it did the last time.
func (p *planner) stuck() (last string, stuck bool) {
	n := 0
	for i := len(p.story.events) - 1; i >= 0; i-- {
		o := p.story.events[i]
		if p.tools.pose == nil || o.tool != p.tools.pose.name || o.ok() {
			break
		}
		if n++; n == 1 {
			last = o.reason
		}
	}
	return last, n >= badPicks
}

// because ends a sentence with a reason.
func because(reason string) string {
	if reason == "" {
		return "."
	}
	return sentence(": " + reason)
}

// inTheWay says whether the arm may hide things from a fixed camera.
func (p *planner) inTheWay() bool {
	if p.tools.poseLike("home") == "" {
		return false
	}
	x, okX := p.story.readings["x"]
	y, okY := p.story.readings["y"]
	if okX && okY {
		return x*x+y*y > homeMost*homeMost
	}
	o, ran := p.story.lastAction()
	return ran && !o.ok()
}

// goHome moves the arm out of the picture, and comes back to the plan then.
func (p *planner) goHome() reply {
	pose := p.tools.poseLike("home")
	if h := p.tools.poseLike("home_holding"); h != "" && p.held != "" {
		pose = h
	}
	st := step{id: "home", text: "move the arm out of the picture", tool: p.tools.pose, args: map[string]any{"pose": pose}}
	return p.detour(st, "the arm may hide something")
}

// detour starts a step before the rest of the plan, which is thought over when it has ended.
func (p *planner) detour(st step, why string) reply {
	wires := []wire{st.wired(nil)}
	wait := true
	for _, old := range p.story.left() {
		if old.ID == checkStep || old.Tool != "" && p.tools.pose != nil && old.Tool == p.tools.pose.name && wait {
			continue
		}
		w := wire{ID: old.ID, Text: old.Text, Tool: old.Tool, NeedsLook: wait}
		if json.Unmarshal(old.Args, &w.Args) != nil {
			w.Args = nil
		}
		wait = false
		wires = append(wires, w)
	}
	if len(p.memory.Goals) == 0 {
		wires = wires[:1]
		for i := range p.clauses {
			wires = append(wires, wire{ID: fmt.Sprintf("%d", i+1), Text: p.clauses[i].Text, NeedsLook: true})
		}
	}
	c := p.check()
	wires = append(wires, c.wired(nil))
	return reply{why: why, calls: []call{{toolPlan, map[string]any{"steps": wires}}, st.call(nil)}}
}
