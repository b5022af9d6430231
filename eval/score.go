package eval

import (
	"slices"
	"time"

	"github.com/rein-robotics/rein/monitor/question"
)

// Sample is the answers to one tick, asked once.
type Sample struct {
	Tick    *Tick
	Label   string // of the scored question, or Unsure
	Repeat  int    // from 0
	Answers []question.Answer
	Latency time.Duration // wall clock
	CostUSD float64
	Err     string // the whole call failed
}

// answer is the answer to a question; ok is false when it is missing.
func (s *Sample) answer(name string) (question.Answer, bool) {
	for _, a := range s.Answers {
		if a.Question == name {
			return a, a.Missing == ""
		}
	}
	return question.Answer{}, false
}

// Score is the numbers of one model on one question. Of a tick that was asked several times each answer counts for its
// part: no interval becomes narrower by asking again.
type Score struct {
	Ticks     int // that have a label, unsure ones included
	Unsure    int // of them; asked and replayed, not scored
	Calls     int
	Missing   int // answers to scored ticks that did not come
	Right     Share
	Confusion []Row    // in the order of the options
	Values    []string // the columns of Confusion
	Rules     []RuleScore
	Disagree  Share // ticks whose repeats do not all say the same, of those that were answered at least twice
	Latency   Spread
	CostUSD   float64
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
	Below Share // of the answers that are the rule's value, those that are less certain than its floor: counts of answers
}

// Spread is the middle and the upper end of a list of durations.
type Spread struct {
	N             int
	P50, P95, Max time.Duration
}

// SpreadOf takes the nearest rank: the smallest value that at least that share of the list does not exceed.
func SpreadOf(list []time.Duration) Spread {
	if len(list) == 0 {
		return Spread{}
	}
	s := slices.Sorted(slices.Values(list))
	rank := func(percent int) time.Duration { return s[(len(s)*percent+99)/100-1] }
	return Spread{N: len(s), P50: rank(50), P95: rank(95), Max: s[len(s)-1]}
}

// tally is a share that is counted tick by tick: the answers of one tick together weigh 1.
type tally struct{ yes, all map[Key]int }

func (t *tally) add(k Key, yes bool) {
	if t.all == nil {
		t.yes, t.all = map[Key]int{}, map[Key]int{}
	}
	t.all[k]++
	if yes {
		t.yes[k]++
	}
}

func (t *tally) share(order []Key) Share {
	sum := 0.0
	for _, k := range order { // in one order: floats add up to the same sum
		if n := t.all[k]; n > 0 {
			sum += float64(t.yes[k]) / float64(n)
		}
	}
	return ShareOf(sum, len(t.all))
}

// ScoreOf counts the samples of one model on question q.
func ScoreOf(q question.Question, samples []Sample) Score {
	s := Score{Calls: len(samples)}
	for _, o := range Options(q) {
		s.Values = append(s.Values, o.Value)
	}
	for _, v := range s.Values {
		s.Confusion = append(s.Confusion, Row{Label: v, Counts: make([]int, len(s.Values))})
	}
	keys := keysOf(samples)
	s.Ticks = len(keys)
	unsure := map[Key]bool{}
	var right tally
	var waits []time.Duration
	for i := range samples {
		x := &samples[i]
		s.CostUSD += x.CostUSD
		if x.Err == "" {
			waits = append(waits, x.Latency)
		}
		if x.Label == Unsure {
			unsure[x.Tick.Key] = true
			continue
		}
		a, ok := x.answer(q.Name)
		s.confuse(x.Label, a, ok)
		if !ok {
			s.Missing++
			continue
		}
		right.add(x.Tick.Key, a.Value == x.Label)
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
		if k := samples[i].Tick.Key; !seen[k] {
			seen[k] = true
			out = append(out, k)
		}
	}
	return out
}

func scoreRule(name string, r question.Rule, samples []Sample) RuleScore {
	var wrong, met tally
	below, said := 0, 0
	for i := range samples {
		x := &samples[i]
		a, ok := x.answer(name)
		if !ok || x.Label == Unsure || x.Tick.At < r.After {
			continue
		}
		if a.Value == r.Value {
			said++
			if a.Certainty() < r.Threshold {
				below++
			}
		}
		if x.Label == r.Value {
			met.add(x.Tick.Key, a.Meets(r))
		} else {
			wrong.add(x.Tick.Key, a.Meets(r))
		}
	}
	keys := keysOf(samples)
	return RuleScore{Rule: r, Wrong: wrong.share(keys), Met: met.share(keys), Below: ShareOf(float64(below), said)}
}

// disagreement counts the ticks whose answers are not all the same.
func disagreement(name string, samples []Sample) Share {
	values := map[Key][]string{}
	for i := range samples {
		if a, ok := samples[i].answer(name); ok {
			k := samples[i].Tick.Key
			values[k] = append(values[k], a.Value)
		}
	}
	differ, n := 0, 0
	for _, v := range values {
		if len(v) < 2 {
			continue
		}
		n++
		if slices.ContainsFunc(v, func(x string) bool { return x != v[0] }) {
			differ++
		}
	}
	return ShareOf(float64(differ), n)
}
