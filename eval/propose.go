package eval

import (
	"slices"

	"github.com/rein-robotics/rein/monitor/question"
)

// Proposal is the lowest floor of an ending rule that keeps false stops within a rate.
type Proposal struct {
	Rule  question.Rule // as it is configured
	Found bool          // some floor keeps the rate
	Floor float64
	// Of the actions (each repeat for its part): stopped on a tick whose label is another value, and stopped on one that
	// has the rule's value. An unsure tick is neither.
	False, True Share
	// Shown says that even the upper end of the interval of False is within the rate: the count is enough to say so.
	Shown bool
}

// Propose looks, for each rule of q that ends an action, among all certainties that were answered, for the lowest floor
// from which on the rate of false stops is at most most (0 to 1). It replays each rule alone.
func Propose(q question.Question, samples []Sample, set Settings, most float64) []Proposal {
	var out []Proposal
	for _, r := range q.When {
		if !r.Do.Ends() {
			continue
		}
		p := Proposal{Rule: r}
		floors := certainties(q.Name, r.Value, samples)
		for _, floor := range slices.Backward(floors) {
			bad, good := stops(q, r, floor, samples, set)
			if bad.Rate() > most {
				break
			}
			p.Found, p.Floor, p.False, p.True, p.Shown = true, floor, bad, good, bad.High <= most
		}
		out = append(out, p)
	}
	return out
}

// certainties are the floors that make a difference, ascending.
func certainties(name, value string, samples []Sample) []float64 {
	var out []float64
	for i := range samples {
		if a, ok := samples[i].answer(name); ok && a.Value == value {
			out = append(out, a.Certainty())
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// stops replays one rule with another floor.
func stops(q question.Question, r question.Rule, floor float64, samples []Sample, set Settings) (bad, good Share) {
	r.Threshold = floor
	q.When = []question.Rule{r}
	var wrong, right tally
	var order []Key
	for _, x := range Replays(q.Name, []question.Question{q}, samples, set) {
		k := Key{Episode: x.Episode, Action: x.Action}
		judged := x.Fired != nil && x.Fired.Right != nil
		wrong.add(k, judged && !*x.Fired.Right)
		right.add(k, judged && *x.Fired.Right)
		if !slices.Contains(order, k) {
			order = append(order, k)
		}
	}
	return wrong.share(order), right.share(order)
}
