package config

import (
	"cmp"
	"fmt"
	"slices"
)

// leastCloseUp is a side of a close-up, pixels, below which there is little to see.
const leastCloseUp = 16

// Warnings are what is allowed and has hardly been meant, each with file:line:column.
func (f *Folder) Warnings() []string {
	var errs Errors
	for _, name := range sortedKeys(f.Skills) {
		errs = append(errs, f.Skills[name].warnings(f.period())...)
	}
	var out []string
	for _, e := range append(errs, f.smallCloseUps()...) {
		out = append(out, e.Error())
	}
	return out
}

// period is the time between two ticks of the monitor, seconds; 0 without a monitor.
func (f *Folder) period() float64 {
	if a := f.Controller.Agent; a != nil && a.Monitor != nil {
		return a.Monitor.PeriodS
	}
	return 0
}

// smallCloseUps tells of regions with hardly any pixels.
func (f *Folder) smallCloseUps() Errors {
	a := f.Controller.Agent
	if a == nil || a.Monitor == nil {
		return nil
	}
	var errs Errors
	for _, m := range f.Robot.Modules {
		field := m.Name + "/" + ImageField
		r, ok := a.Monitor.CloseUps[field]
		if m.Camera == nil || !ok {
			continue
		}
		w, h := (r[2]-r[0])*float64(m.Camera.Size[0]), (r[3]-r[1])*float64(m.Camera.Size[1])
		if min(w, h) < leastCloseUp {
			errs = append(errs, f.controller.Errorf("agent.monitor.close_ups."+field, "choose a larger region", "the close-up has only %.0f × %.0f pixels", w, h))
		}
	}
	return errs
}

// warnings tell of rules that cannot do what they say. period is that of the monitor, seconds, 0 when there is none.
func (s *SkillFile) warnings(period float64) Errors {
	var errs Errors
	for i, q := range s.Questions {
		for j, r := range q.When {
			errs = append(errs, s.idle(i, j, period)...)
			if r.Do == "fail" && slices.ContainsFunc(q.When, func(o Rule) bool { return o.Do == "finish" && q.answer(o) == q.answer(r) }) {
				errs = append(errs, s.doc.Errorf(s.rule(i, j), "give each rule an answer of its own", "%v of %s both fails and finishes the action; in one tick fail comes first", q.answer(r), q.Name))
			}
		}
	}
	slices.SortStableFunc(errs, func(a, b Error) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column)) })
	return errs
}

// answer is the value that a rule counts.
func (q *Question) answer(r Rule) string {
	if r.Value == nil {
		return "true"
	}
	return fmt.Sprint(r.Value)
}

// idle tells of a rule whose numbers do nothing.
func (s *SkillFile) idle(i, j int, period float64) Errors {
	q, at := s.Questions[i], s.rule(i, j)
	r := q.When[j]
	var errs Errors
	if q.Type == "predicate" && r.Threshold > 0 && r.Threshold < 0.5 {
		errs = append(errs, s.doc.Errorf(at+".threshold", "write a threshold above 0.5, or none",
			"a threshold of %g does nothing: a predicate's answer is as certain as the larger of p and 1 − p, at least 0.5", r.Threshold))
	}
	if s.limit == nil || period == 0 {
		return errs
	}
	if first := r.AfterS + float64(r.Consecutive-1)*period; r.Consecutive > 1 && first >= *s.limit {
		errs = append(errs, s.doc.Errorf(at+".consecutive", "ask for fewer ticks, or a longer max_duration_s",
			"the rule hardly ever fires: %d ticks, one every %g s, last until %g s, and the action ends at %g s", r.Consecutive, period, first, *s.limit))
	}
	return errs
}
