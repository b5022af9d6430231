package measure

import (
	"slices"
	"time"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/monitor/question"
)

// Score is the numbers of one model on one question. Of a tick that was asked several times each answer counts for its
// part: no interval becomes narrower by asking again.
type Score struct {
	Ticks     int // that have a label, unsure ones included
	Unsure    int // of them; asked and replayed, not scored
	Actions   int // that the ticks are of
	Calls     int
	Missing   map[question.Missing]int // answers to scored ticks that did not come, by why
	Right     Share
	Confusion []Row    // in the order of the options
	Values    []string // the columns of Confusion
	Rules     []RuleScore
	Disagree  Share       // ticks whose repeats do not all say the same, of those that were answered at least twice
	Latency   Spread      // of calls that did not go wrong; one that ran into its limit counts with the limit
	Usage     model.Usage // of all calls
}

// Row is how often a label was answered with each value.
type Row struct {
	Label  string
	Counts []int // by Score.Values
	None   int   // no answer came
}

// RuleScore is how one rule's condition did, tick by tick. Ticks before the rule's after_s are not counted.
type RuleScore struct {
	Rule  question.Rule
	Wrong Share // met, of the answered ticks whose label is another value
	Met   Share // met, of the answered ticks whose label is the value
	Below Share // less certain than the floor, of the answers that are the rule's value
}

// ScoreOf counts the samples of one model on question q.
func ScoreOf(q question.Question, samples []Sample) Score {
	s := Score{Calls: len(samples), Missing: map[question.Missing]int{}}
	for _, o := range q.Choices() {
		s.Values = append(s.Values, o.Value)
	}
	for _, v := range s.Values {
		s.Confusion = append(s.Confusion, Row{Label: v, Counts: make([]int, len(s.Values))})
	}
	keys := keysOf(samples)
	s.Ticks, s.Actions = len(keys), len(actionsOf(keys))
	unsure := map[Key]bool{}
	var right tally
	var waits []time.Duration
	for i := range samples {
		x := &samples[i]
		s.Usage = s.Usage.Add(x.Usage)
		if !x.Broken() {
			waits = append(waits, x.Latency)
		}
		if x.Label == Unsure {
			unsure[x.Key] = true
			continue
		}
		a, ok := x.answer(q.Name)
		s.confuse(x.Label, a, ok)
		if !ok {
			s.Missing[a.Missing]++
			continue
		}
		right.add(x.Key, a.Value == x.Label)
	}
	s.Unsure, s.Right, s.Latency = len(unsure), right.share(keys), SpreadOf(waits)
	for _, r := range q.When {
		s.Rules = append(s.Rules, scoreRule(q.Name, r, samples))
	}
	s.Disagree = disagreement(q.Name, samples)
	return s
}

func (s *Score) confuse(label string, a question.Answer, answered bool) {
	i := slices.Index(s.Values, label)
	if i < 0 {
		return
	}
	if !answered {
		s.Confusion[i].None++
		return
	}
	s.Confusion[i].Counts[slices.Index(s.Values, a.Value)]++
}

// keysOf are the ticks in the order in which they first come.
func keysOf(samples []Sample) []Key {
	var out []Key
	seen := map[Key]bool{}
	for i := range samples {
		if k := samples[i].Key; !seen[k] {
			seen[k] = true
			out = append(out, k)
		}
	}
	return out
}

// actionsOf are the actions that ticks are of, in their order.
func actionsOf(keys []Key) []Key {
	var out []Key
	seen := map[Key]bool{}
	for _, k := range keys {
		if k = k.ofAction(); !seen[k] {
			seen[k] = true
			out = append(out, k)
		}
	}
	return out
}

func scoreRule(name string, r question.Rule, samples []Sample) RuleScore {
	var wrong, met, below tally
	for i := range samples {
		x := &samples[i]
		a, ok := x.answer(name)
		if !ok || x.Label == Unsure || x.At < r.After {
			continue
		}
		if a.Value == r.Value {
			below.add(x.Key, a.Certainty() < r.Threshold)
		}
		if x.Label == r.Value {
			met.add(x.Key, a.Meets(r))
		} else {
			wrong.add(x.Key, a.Meets(r))
		}
	}
	keys := keysOf(samples)
	return RuleScore{Rule: r, Wrong: wrong.share(keys), Met: met.share(keys), Below: below.share(keys)}
}

// disagreement counts the ticks whose answers are not all the same.
func disagreement(name string, samples []Sample) Share {
	values := map[Key][]string{}
	for i := range samples {
		if a, ok := samples[i].answer(name); ok {
			k := samples[i].Key
			values[k] = append(values[k], a.Value)
		}
	}
	var differ tally
	for k, v := range values {
		if len(v) > 1 {
			differ.add(k, slices.ContainsFunc(v, func(x string) bool { return x != v[0] }))
		}
	}
	return differ.share(keysOf(samples))
}
