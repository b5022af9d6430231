package measure

import (
	"cmp"
	"slices"
	"time"

	"github.com/rein-robotics/rein/monitor/question"
	"github.com/rein-robotics/rein/monitor/rule"
)

// Settings is what of the robot's settings decides a replay.
type Settings struct {
	Rearm  rule.Rearm
	MaxAge time.Duration // an answer on a picture that is older when it comes does not end an action; 0 = no limit
}

// Replay is what the rules make of one action's answers.
type Replay struct {
	Episode, Action string
	Repeat          int      // from 0
	Ticks           int      // that have a label and were replayed
	Gaps            int      // ticks between the first and the last of them that have no label, and were not replayed
	Labels          []string // of the replayed ticks
	Fired           *Fired   // nil = no rule did
}

// Fired is the first rule to fire.
type Fired struct {
	Question string
	Rule     question.Rule
	Tick     int
	Label    string // of that tick
	// Right says that the tick shows what the rule fires on; nil = the tick is unsure, or the rule is of another question
	// than the labels are.
	Right *bool
	// Delay is from the first tick that has the rule's value as its label to when the answer that fired was there; nil = no
	// such tick. It is below 0 when the rule fired before.
	Delay *time.Duration
}

// Replays replays each action, and each repeat of it, through all rules of the questions; labelled is the question that
// the labels are of. Actions come in the order of their first sample.
func Replays(labelled string, questions []question.Question, samples []Sample, set Settings) []Replay {
	var out []Replay
	for _, row := range rows(samples) {
		r := Replay{Episode: row[0].Episode, Action: row[0].Action, Repeat: row[0].Repeat, Ticks: len(row)}
		r.Gaps = max(0, row[len(row)-1].Tick-row[0].Tick+1-len(row))
		for _, x := range row {
			r.Labels = append(r.Labels, x.Label)
		}
		engine := rule.New(questions, set.Rearm)
		for _, x := range row {
			old := set.MaxAge > 0 && x.Behind+x.Latency > set.MaxAge
			firings, ok := engine.Tick(rule.Tick{At: x.At, Old: old, Answers: x.Answers})
			if ok && len(firings) > 0 {
				r.Fired = fired(labelled, firings[0], x, row)
				break
			}
		}
		out = append(out, r)
	}
	return out
}

// rows are the samples by action and repeat, each in the order of time.
func rows(samples []Sample) [][]*Sample {
	type of struct {
		episode, action string
		repeat          int
	}
	var order []of
	by := map[of][]*Sample{}
	for i := range samples {
		x := &samples[i]
		k := of{x.Episode, x.Action, x.Repeat}
		if by[k] == nil {
			order = append(order, k)
		}
		by[k] = append(by[k], x)
	}
	out := make([][]*Sample, 0, len(order))
	for _, k := range order {
		row := by[k]
		slices.SortStableFunc(row, func(a, b *Sample) int { return cmp.Compare(a.At, b.At) })
		out = append(out, row)
	}
	return out
}

func fired(labelled string, f rule.Firing, x *Sample, row []*Sample) *Fired {
	out := &Fired{Question: f.Question.Name, Rule: f.Rule, Tick: x.Tick, Label: x.Label}
	if f.Question.Name != labelled {
		return out
	}
	if x.Label != Unsure {
		right := x.Label == f.Rule.Value
		out.Right = &right
	}
	for _, y := range row {
		if y.Label == f.Rule.Value {
			d := x.At + x.Latency - y.At
			out.Delay = &d
			break
		}
	}
	return out
}

// key names the action.
func (r *Replay) key() Key { return Key{Episode: r.Episode, Action: r.Action} }

// right says that the first rule fired on a tick that shows what it fires on; wrong that it shows something else.
func (r *Replay) right() bool { return r.Fired != nil && r.Fired.Right != nil && *r.Fired.Right }

func (r *Replay) wrong() bool { return r.Fired != nil && r.Fired.Right != nil && !*r.Fired.Right }

// Firsts is how the first rules to fire did, action by action; the repeats of one action together weigh 1.
type Firsts struct {
	Right  Share // fired on a right tick, of all actions
	Wrong  Share // fired on a wrong tick, of all actions
	Missed Share // no rule fired at all, of the actions with a tick that is labelled with the value of a rule that could
	// Delay is from the moment to the firing, where it fired on a right tick: of replays.
	Delay Spread
}

// FirstsOf counts the replays of question q.
func FirstsOf(q question.Question, list []Replay) Firsts {
	var right, wrong, missed tally
	var keys []Key
	var delays []time.Duration
	for i := range list {
		r := &list[i]
		keys = append(keys, r.key())
		right.add(r.key(), r.right())
		wrong.add(r.key(), r.wrong())
		if slices.ContainsFunc(q.When, func(x question.Rule) bool { return slices.Contains(r.Labels, x.Value) }) {
			missed.add(r.key(), r.Fired == nil)
		}
		if r.right() && r.Fired.Delay != nil {
			delays = append(delays, *r.Fired.Delay)
		}
	}
	keys = actionsOf(keys)
	return Firsts{Right: right.share(keys), Wrong: wrong.share(keys), Missed: missed.share(keys), Delay: SpreadOf(delays)}
}
