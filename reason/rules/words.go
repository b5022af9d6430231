package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rein-robotics/rein/reason/rules/language"
	"github.com/rein-robotics/rein/vision/detect"
)

// why is the reason for the steps, for the log.
func (p *planner) why(steps []step) string {
	last := len(p.story.events) - 1
	switch {
	case last < 0:
		return fmt.Sprintf("%s shows what the task needs; first: %s", p.seen.info.ID, steps[0].text)
	case p.story.events[last].ok():
		return "next: " + steps[0].text
	}
	o := p.story.events[last]
	return fmt.Sprintf("after %s (%s: %s): %s", o.tool, o.code, o.reason, steps[0].text)
}

// said is what people are told when the plan changes.
func (p *planner) said(w work) string {
	if len(p.story.events) == 0 {
		return sentence(p.seen.see()) + " " + p.intent(w)
	}
	last := p.story.events[len(p.story.events)-1]
	if last.ok() {
		return ""
	}
	return sentence(fmt.Sprintf("%s did not go as planned (%s): I look again and %s", last.tool, last.reason, w.steps[0].text))
}

// intent says in one sentence what is going to be done.
func (p *planner) intent(w work) string {
	n := 0
	for _, st := range w.steps {
		if st.tool != nil {
			n++
		}
	}
	if n == 1 {
		return sentence("I will " + w.steps[0].text)
	}
	return fmt.Sprintf("I will do it in %s, beginning with: %s.", counted(n, "step", "steps"), w.steps[0].text)
}

// summary is what was done, as the newest image that could tell showed it.
func (p *planner) summary() string {
	var out []string
	for g := range p.memory.Goals {
		out = append(out, p.told(g))
	}
	return strings.Join(out, " ")
}

// told is how a goal stands when it is done, as a sentence. What followed may have changed it again: then it was so.
func (p *planner) told(g int) string {
	goal := &p.memory.Goals[g]
	c := p.clause(g)
	past := p.past(g)
	who, many := p.items(goal)
	be := "is"
	switch {
	case past && many:
		be = "were"
	case past:
		be = "was"
	case many:
		be = "are"
	}
	s := ""
	switch c.Verb {
	case language.Put, language.Stack:
		s = fmt.Sprintf("%s now %s", be, p.where(g))
		if past {
			s = fmt.Sprintf("%s put %s", be, p.where(g))
		}
		if !p.moved(g) {
			s = fmt.Sprintf("%s %s already", be, p.where(g))
		}
	case language.Pick:
		s = be + " in the gripper"
	case language.Push:
		s = fmt.Sprintf("%s farther %s", be, c.Direction)
		if c.Direction == language.Closer {
			s = be + " closer"
		}
		if past {
			s = fmt.Sprintf("%s pushed %s", be, c.Direction)
		}
	case language.Open:
		s = be + " open"
	case language.Close:
		s = be + " closed"
	case language.Press:
		s = be + " pressed"
	}
	return sentence(who + " " + s)
}

// moved says whether anything was done for a goal.
func (p *planner) moved(goal int) bool {
	for _, o := range p.story.of(fmt.Sprintf("%d.", goal+1)) {
		if o.ok() {
			return true
		}
	}
	return false
}

// items is the things of a goal in words, and whether they are several: "the three batteries", "the red block and two
// batteries".
func (p *planner) items(g *goal) (who string, many bool) {
	if len(g.Items) == 0 {
		w := p.clauses[g.Clause].Objects
		if len(w) > 0 {
			return "every " + w[0].Name(false), false
		}
		return "everything", false
	}
	names := make([]string, len(g.Items))
	for i := range g.Items {
		names[i] = p.named(&g.Items[i])
	}
	if len(names) == 1 {
		return "the " + names[0], false
	}
	return list(tally(names)), true
}

// named is a thing in words. Batteries have their colours when the task tells things by them.
func (p *planner) named(m *mark) string {
	if m.Kind != string(detect.Battery) || m.Colour == "" {
		return m.name()
	}
	for i := range p.clauses {
		if slices.ContainsFunc(p.clauses[i].Objects, func(s language.Selector) bool { return len(s.Colours) > 0 }) {
			return m.Colour + " " + m.Kind
		}
	}
	return m.name()
}

// tally says how many there are of each: "the red block", "the two batteries".
func tally(names []string) []string {
	var order []string
	count := map[string]int{}
	for _, n := range names {
		if count[n] == 0 {
			order = append(order, n)
		}
		count[n]++
	}
	for i, n := range order {
		order[i] = "the " + n
		if count[n] > 1 {
			order[i] = "the " + counted(count[n], n, language.Plural(n))
		}
	}
	return order
}

// undone says what was not done and why, and what was.
func (p *planner) undone(w work) string {
	out := "I cannot finish the task."
	if len(p.memory.Goals) == 1 && !p.moved(0) {
		out = "I cannot do this."
	}
	told := map[string]bool{}
	for _, b := range w.blocked {
		if !told[b] {
			out += " " + sentence(b)
		}
		told[b] = true
	}
	if len(w.lost) > 0 {
		out += " " + sentence("I no longer see "+list(tally(w.lost)))
	}
	for g := range p.memory.Goals {
		if goal := &p.memory.Goals[g]; goal.Done || !goal.Later && p.past(g) && len(p.given(g)) == 0 {
			out += " " + p.told(g)
		}
	}
	return out
}
