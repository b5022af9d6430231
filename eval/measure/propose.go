package measure

import (
	"maps"
	"slices"

	"github.com/rein-robotics/rein/monitor/question"
)

// Proposal is the lowest floor of an ending rule that keeps false stops within a rate.
type Proposal struct {
	Rule     question.Rule // as it is configured
	Answered bool          // some answer was its value
	Found    bool          // some floor keeps the rate
	Floor    float64
	Stops    // with that floor, on the very actions that it was chosen on
	// HeldOut is what such a floor does on an action that it was not chosen on: each action with the floor that is proposed
	// from all the others. With NoFloor of them no floor is, and nothing stops them.
	HeldOut Stops
	NoFloor int
	// Shown says that even the upper end of the interval of HeldOut.False is within the rate.
	Shown bool
}

// Stops is how a rule stops actions. Each repeat of an action counts for its part; an unsure tick is neither.
type Stops struct {
	False Share // on a tick whose label is another value, of all actions
	True  Share // on one that has the rule's value, of the actions that have such a tick
}

// Propose looks, for each rule of q that ends an action, among all certainties that were answered, for the lowest floor
// from which on the rate of false stops is at most most (0 to 1). It replays each rule alone.
func Propose(q question.Question, samples []Sample, set Settings, most float64) []Proposal {
	var out []Proposal
	for _, r := range q.When {
		if !r.Do.Ends() {
			continue
		}
		alone := q
		alone.When = []question.Rule{r}
		out = append(out, propose(trialsOf(alone, samples, set), r, most))
	}
	return out
}

func propose(all []trial, r question.Rule, most float64) Proposal {
	c := ladderOf(all)
	p := Proposal{Rule: r, Answered: len(c) > 0}
	p.Floor, p.Found = lowest(c, len(all), nil, most)
	p.Stops = stopsOf(all, func(t *trial) outcome { return t.at(p.Floor) })
	p.HeldOut = stopsOf(all, func(t *trial) outcome {
		floor, found := lowest(c, len(all)-1, t, most)
		if !found {
			p.NoFloor++
			return outcome{}
		}
		return t.at(floor)
	})
	p.Shown = p.HeldOut.False.High <= most
	return p
}

// rung is one floor: of how many actions it is a certainty, and how many stop on a wrong tick with it.
type rung struct {
	floor  float64
	owners int
	wrong  float64
}

// ladderOf are the floors of all actions, ascending.
func ladderOf(all []trial) []rung {
	owners := map[float64]int{}
	for i := range all {
		for _, f := range all[i].floors {
			owners[f]++
		}
	}
	var out []rung
	for _, f := range slices.Sorted(maps.Keys(owners)) {
		x := rung{floor: f, owners: owners[f]}
		for i := range all {
			x.wrong += all[i].at(f).wrong
		}
		out = append(out, x)
	}
	return out
}

// lowest is the lowest floor from which on the rate of false stops in n actions is at most most. One action may be left
// out, with its floors and its stops; nil = none is.
func lowest(ladder []rung, n int, except *trial, most float64) (floor float64, found bool) {
	const rounding = 1e-9
	for _, x := range slices.Backward(ladder) {
		if except != nil {
			if x.owners == 1 && except.has(x.floor) {
				continue
			}
			x.wrong -= except.at(x.floor).wrong
		}
		if x.wrong > most*float64(n)+rounding {
			break
		}
		floor, found = x.floor, true
	}
	return floor, found
}

// trial is one action, replayed with one rule at every floor that makes a difference to it.
type trial struct {
	floors   []float64 // the certainties of its answers, ascending
	outcomes []outcome // at each of them
	shows    bool      // some tick is labelled with the rule's value
}

// outcome is which part of an action's replays stopped on a wrong tick, and on a right one.
type outcome struct{ wrong, right float64 }

// at is the outcome with any floor: that of the next certainty, for no answer lies between; above all of them nothing stops.
func (t *trial) at(floor float64) outcome {
	i, _ := slices.BinarySearch(t.floors, floor)
	if i == len(t.floors) {
		return outcome{}
	}
	return t.outcomes[i]
}

func (t *trial) has(floor float64) bool {
	_, has := slices.BinarySearch(t.floors, floor)
	return has
}

// trialsOf are the actions in the order of their first sample. q has one rule.
func trialsOf(q question.Question, samples []Sample, set Settings) []trial {
	var order []Key
	by := map[Key][]Sample{}
	for _, s := range samples {
		k := s.ofAction()
		if by[k] == nil {
			order = append(order, k)
		}
		by[k] = append(by[k], s)
	}
	var out []trial
	for _, k := range order {
		t := trial{floors: certainties(q.Name, q.When[0].Value, by[k])}
		t.shows = slices.ContainsFunc(by[k], func(s Sample) bool { return s.Label == q.When[0].Value })
		for _, floor := range t.floors {
			rule := q.When[0]
			rule.Threshold = floor
			alone := q
			alone.When = []question.Rule{rule}
			t.outcomes = append(t.outcomes, outcomeOf(Replays(q.Name, []question.Question{alone}, by[k], set)))
		}
		out = append(out, t)
	}
	return out
}

func outcomeOf(list []Replay) outcome {
	var out outcome
	for i := range list {
		if list[i].wrong() {
			out.wrong++
		}
		if list[i].right() {
			out.right++
		}
	}
	n := float64(len(list))
	return outcome{out.wrong / n, out.right / n}
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

// stopsOf adds up what becomes of each action.
func stopsOf(all []trial, of func(*trial) outcome) Stops {
	wrong, right, shows := 0.0, 0.0, 0
	for i := range all {
		got := of(&all[i])
		wrong += got.wrong
		if all[i].shows {
			right += got.right
			shows++
		}
	}
	return Stops{False: ShareOf(wrong, len(all)), True: ShareOf(right, shows)}
}
