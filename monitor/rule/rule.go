// Package rule counts the ticks of a monitor and says which rule fires.
//
// Its one invariant: the same ticks give the same firings, in the robot and in a replay; it has no clock and no chance.
package rule

import (
	"slices"
	"time"

	"github.com/rein-robotics/rein/monitor/question"
)

// Tick is what was answered about one moment of an action.
type Tick struct {
	At      time.Duration // capture time of the newest frame, since the action started, robot clock
	Old     bool          // the answers came too late to end the action; they count, and may still wake the planner
	Answers []question.Answer
}

// Firing is a rule whose condition held for as many ticks in a row as it wants.
type Firing struct {
	Question question.Question
	Rule     question.Rule
	Answer   question.Answer // of the tick that it fired on
	Ticks    int             // in a row, this one included
}

// Rearm says whether a question that woke the planner may do so again.
type Rearm int

// A question is armed again after the condition of the rule that fired was false for as many ticks in a row as that rule
// needs to fire, or it wakes the planner once and no more.
const (
	Again Rearm = iota
	Once
)

// Engine counts for one action. One goroutine owns it.
type Engine struct {
	rearm   Rearm
	asked   []asked
	newest  time.Duration // capture time of the newest tick that was taken
	started bool          // a tick was taken
}

// asked is a question and how its rules stand.
type asked struct {
	question.Question

	rows  []row // of the rules
	spent int   // index of the rule that woke the planner; -1 = the question is armed
}

// row counts the ticks of one rule.
type row struct {
	held   int // in a row with the condition true
	absent int // in a row with the condition false
}

// New counts the rules of an action's questions.
func New(questions []question.Question, r Rearm) *Engine {
	e := &Engine{rearm: r}
	for _, q := range questions {
		e.asked = append(e.asked, asked{Question: q, rows: make([]row, len(q.When)), spent: -1})
	}
	return e
}

// Tick counts the answers of one tick and gives what fires: one rule that ends the action, fail before finish, then in
// the order of the questions and rules; or else the rules that wake the planner, one of a question, in that order. A tick
// whose frame is not newer than that of a tick before is not taken: ok is false and nothing changes.
func (e *Engine) Tick(t Tick) (firings []Firing, ok bool) {
	if e.started && t.At <= e.newest {
		return nil, false
	}
	e.started, e.newest = true, t.At
	var end *Firing
	for i := range e.asked {
		a, answered := answerTo(e.asked[i].Name, t.Answers)
		if !answered {
			continue
		}
		e.asked[i].count(a, t.At)
		if f, wakes := e.asked[i].wake(a, e.rearm); wakes {
			firings = append(firings, f)
		}
		if f, ends := e.asked[i].end(a); ends && !t.Old && (end == nil || f.Rule.Do == question.Fail && end.Rule.Do == question.Finish) {
			end = &f
		}
	}
	if end != nil {
		return []Firing{*end}, true
	}
	return firings, true
}

// answerTo finds the answer to a question; a missing one is no tick.
func answerTo(name string, answers []question.Answer) (question.Answer, bool) {
	i := slices.IndexFunc(answers, func(a question.Answer) bool { return a.Question == name })
	if i < 0 || answers[i].Missing != "" {
		return question.Answer{}, false
	}
	return answers[i], true
}

// count adds a tick to the rows of the rules that count already.
func (q *asked) count(a question.Answer, at time.Duration) {
	for j, r := range q.When {
		switch {
		case at < r.After:
		case a.Meets(r):
			q.rows[j] = row{held: q.rows[j].held + 1}
		default:
			q.rows[j] = row{absent: q.rows[j].absent + 1}
		}
	}
}

// full says that rule j has held for as long as it wants.
func (q *asked) full(j int) bool { return q.rows[j].held >= q.When[j].Consecutive }

func (q *asked) firing(j int, a question.Answer) Firing {
	return Firing{Question: q.Question, Rule: q.When[j], Answer: a, Ticks: q.rows[j].held}
}

// end is the rule of the question that ends the action: fail before finish.
func (q *asked) end(a question.Answer) (Firing, bool) {
	for _, do := range []question.Do{question.Fail, question.Finish} {
		for j, r := range q.When {
			if r.Do == do && q.full(j) {
				return q.firing(j, a), true
			}
		}
	}
	return Firing{}, false
}

// wake is the rule of the question that wakes the planner, once until it is armed again.
func (q *asked) wake(a question.Answer, r Rearm) (Firing, bool) {
	if s := q.spent; s >= 0 && r == Again && q.rows[s].absent >= q.When[s].Consecutive {
		q.spent = -1
	}
	if q.spent >= 0 {
		return Firing{}, false
	}
	for j, rule := range q.When {
		if rule.Do == question.Escalate && q.full(j) {
			q.spent = j
			return q.firing(j, a), true
		}
	}
	return Firing{}, false
}
