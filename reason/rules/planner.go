package rules

import (
	"fmt"
	"strings"

	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/reason/rules/language"
	"github.com/rein-robotics/rein/vision/detect"
)

// Limits of patience.
const (
	badPicks   = 3 // failed or refused attempts at one thing
	badReaches = 3 // places out of reach that were tried for one thing
	badStarts  = 2 // refusals before the start, for one thing
	relooks    = 6 // points that were no longer true, for one thing
	rounds     = 4 // times one thing was taken and turned up outside again
)

// planner is everything one decision is made from.
type planner struct {
	story   *story
	tools   *tools
	clauses []language.Clause
	seen    *scene
	memory  memory
	reach   reach

	held   string // prefix of the steps of the item that the gripper holds; "" = nothing
	unsure bool   // whether it still holds it is not known
	places places
}

// item is one thing that is still to be seen to.
type item struct {
	goal, index int
	mark        *mark
	now         int  // index among the seen things; -1 = not seen
	held        bool // the gripper has it
	lost        bool // it is neither where it was nor where it should be
	part        float64
}

// prefix begins the ids of the steps of one item: "2.1.".
func prefix(goal, index int) string { return fmt.Sprintf("%d.%d.", goal+1, index+1) }

func (it *item) prefix() string { return prefix(it.goal, it.index) }

// strange is held when the gripper holds something that this run did not pick up.
const strange = "0.0."

// follow finds out from what happened what the gripper holds.
func (p *planner) follow() {
	for _, o := range p.story.events {
		of, what := cutStep(o.step)
		switch {
		case what == "pick" && o.ok():
			p.held, p.unsure = of, false
		case what == "pick" && !o.start && (o.code == "timed_out" || o.code == "stopped"):
			p.held, p.unsure = of, true
		case o.start && strings.Contains(o.reason, "holds something"):
			if p.unsure = false; p.held == "" {
				p.held = strange
			}
		case o.code == string(view.WakeOperator), o.code == string(view.WakeSafety):
			p.unsure = true
		case (what == "place" || what == "back") && (o.ok() || strings.Contains(o.reason, "holds nothing")):
			p.held, p.unsure = "", false
		case (what == "place" || what == "back") && !o.start:
			p.unsure = true
		}
	}
}

// cutStep takes a step's id apart: "2.1.pick" is "2.1." and "pick".
func cutStep(id string) (of, what string) {
	i := strings.LastIndexByte(id, '.')
	return id[:i+1], id[i+1:]
}

// outside are verdicts on a start that say nothing about the thing itself.
func outside(code string) bool {
	switch code {
	case "view_changed", "point_too_old", "stale_view", "module_busy", "action_running", "run_paused", "stale_generation":
		return true
	}
	return false
}

// blocked says why nothing more is tried with the item; "" = it is not given up.
func (p *planner) blocked(of string) string {
	count := map[string]int{}
	taken, last := 0, ""
	for _, o := range p.story.of(of) {
		_, what := cutStep(o.step)
		switch {
		case what == "back" || what == "look" || what == "home":
		case o.ok():
			if what == "pick" || what == "push" || what == "pull" {
				taken++
			}
		case outside(o.code):
			count["look"]++
			last = o.reason
		default:
			if o.start && o.turn == p.story.turns {
				count["now"]++
			}
			count["bad"]++
			count[what+" "+o.code]++
			last = o.reason
			if o.code == "cannot_start" && strings.Contains(o.reason, "holds") {
				count["bad"]--
				count[what+" "+o.code]--
			}
		}
	}
	switch {
	case count["bad"] >= badPicks, count["now"] >= badStarts, count["look"] >= relooks, count["place out_of_reach"] >= badReaches,
		count["pick out_of_reach"] > 0, count["push out_of_reach"] >= badReaches, count["pull out_of_reach"] > 0, count["press out_of_reach"] > 0,
		count["pick cannot_start"] >= badStarts, count["pick cannot_start"] > 0 && strings.Contains(last, "wide"), count["press cannot_start"] >= badStarts,
		count["place cannot_start"] >= badStarts && strings.Contains(last, "not fit"):
		return last
	case taken >= rounds:
		return fmt.Sprintf("it was tried %d times and did not stay", taken)
	}
	return ""
}

// begun says whether anything of the goal, or of a later one, was started.
func (p *planner) begun(goal int) bool {
	for g := goal; g < len(p.memory.Goals); g++ {
		for _, o := range p.story.of(fmt.Sprintf("%d.", g+1)) {
			if !o.start {
				return true
			}
		}
	}
	return false
}

// succeeded says whether a step of the item ended well.
func (p *planner) succeeded(of, what string) bool {
	for _, o := range p.story.of(of + what) {
		if o.ok() {
			return true
		}
	}
	return false
}

// clause is the goal's clause.
func (p *planner) clause(goal int) *language.Clause { return &p.clauses[p.memory.Goals[goal].Clause] }

// words are the selectors that the goal's items answer to.
func (p *planner) words(goal int) []*language.Selector {
	c := p.clause(goal)
	var out []*language.Selector
	for k := range c.Objects {
		if w := meant(p.clauses, &c.Objects[k], c.Verb); w != nil {
			out = append(out, w)
		}
	}
	return out
}

// fits says whether a seen thing answers to the goal's words.
func (p *planner) fits(goal int, t *detect.Thing) bool {
	for _, w := range p.words(goal) {
		if fits(w, t) {
			return true
		}
	}
	return false
}
