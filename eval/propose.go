package eval

import (
	"slices"

	"github.com/rein-robotics/rein/monitor/question"
)

// Proposal is the lowest floor of an ending rule that keeps false stops within a rate.
type Proposal struct {
	Rule     question.Rule // as it is configured
	Answered bool          // some answer was its value
	Found    bool          // some floor keeps the rate
	Floor    float64
	// False is how many actions stop on a tick whose label is another value. True is how many stop on one that has the
	// rule's value, of the actions that have such a tick. Each repeat counts for its part; an unsure tick is neither.
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
		floors := certainties(q.Name, r.Value, samples)
		p := Proposal{Rule: r, Answered: len(floors) > 0}
		for _, floor := range slices.Backward(floors) {
			alone := q
			alone.When = []question.Rule{r}
			alone.When[0].Threshold = floor
			bad, good := stops(alone, samples, set)
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

// stops replays a question that has one rule.
func stops(q question.Question, samples []Sample, set Settings) (bad, good Share) {
	var wrong, right tally
	var keys []Key
	for _, x := range Replays(q.Name, []question.Question{q}, samples, set) {
		keys = append(keys, x.key())
		wrong.add(x.key(), x.wrong())
		if slices.Contains(x.Labels, q.When[0].Value) {
			right.add(x.key(), x.right())
		}
	}
	keys = actionsOf(keys)
	return wrong.share(keys), right.share(keys)
}
