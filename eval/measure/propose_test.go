package measure_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/rein-robotics/rein/eval/measure"
	"github.com/rein-robotics/rein/monitor/question"
)

func criteria() measure.Criteria {
	return measure.Criteria{Question: progress, All: []question.Question{progress}, MostFalse: 0.05}
}

// picks are actions of two ticks: approaching, answered as holding with that certainty, then holding with 0.9.
func picks(early ...float64) []said {
	var out []said
	for i, p := range early {
		a := fmt.Sprint("a", i+1)
		out = append(out, said{a, 1, "approaching", 0, "holding", p}, said{a, 2, "holding", 0, "holding", 0.9})
	}
	return out
}

// By hand, for no false stops at all. Where every early answer is less sure than the right ones, the floor is 0.9, with any
// one action held out, too: none stops falsely and all stop rightly. Where a4 is 0.95 sure early, no floor keeps it from
// stopping falsely: there is none, and none with a1, a2 or a3 held out. With a4 held out the floor is 0.9, and a4 stops
// falsely on it. One false stop in four allows 0.9; with a1, a2 or a3 held out it is one in three, and there is no floor.
func TestFloorsAreTriedOnActionsTheyHaveNotSeen(t *testing.T) {
	for name, c := range map[string]struct {
		early     []float64
		most      float64
		found     bool
		floor     float64
		wrong     float64 // all together
		heldWrong float64
		heldRight float64
		noFloor   int
	}{
		"all_alike":            {[]float64{0.6, 0.7, 0.6, 0.7}, 0, true, 0.9, 0, 0, 4, 0},
		"one_is_surer":         {[]float64{0.6, 0.7, 0.6, 0.85}, 0, true, 0.9, 0, 0, 4, 0},
		"one_is_surest":        {[]float64{0.6, 0.7, 0.6, 0.95}, 0, false, 0, 0, 1, 0, 3},
		"one_in_four_is_taken": {[]float64{0.6, 0.6, 0.6, 0.95}, 0.25, true, 0.9, 1, 1, 0, 3},
		"what_was_seen_was_met_and_what_was_not_was_not": {[]float64{0.6, 0.6, 0.92, 0.92}, 0.5, true, 0.9, 2, 2, 0, 2},
		"only_one": {[]float64{0.6}, 0, true, 0.9, 0, 0, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			list := samples(picks(c.early...))
			p := measure.Propose(progress, list, measure.Settings{}, c.most)[0]
			n := len(c.early)
			if p.Found != c.found || p.Floor != c.floor || p.Found && (p.False.Yes != c.wrong || p.False.N != n) {
				t.Errorf("found %v %v with %+v, want %v %v with %v of %d", p.Found, p.Floor, p.False, c.found, c.floor, c.wrong, n)
			}
			if h := p.HeldOut; h.False.Yes != c.heldWrong || h.True.Yes != c.heldRight || h.False.N != n || h.True.N != n || p.NoFloor != c.noFloor {
				t.Errorf("held out %+v, no floor for %d; want %v wrong, %v right, no floor for %d", h, p.NoFloor, c.heldWrong, c.heldRight, c.noFloor)
			}
		})
	}
}

// A floor may do on an unseen action what it did on none of those that it was chosen on.
func TestAFloorThatFailsOnTheUnseen(t *testing.T) {
	// At 0.8 a1 alone would stop falsely, and one in twelve is too many: the floor is 0.85. Without a1 it is 0.7.
	list := []said{{"a1", 1, "approaching", 0, "holding", 0.8}, {"a1", 2, "holding", 0, "holding", 0.85}}
	for i := range 11 {
		a := fmt.Sprint("b", i)
		list = append(list, said{a, 1, "approaching", 0, "holding", 0.6}, said{a, 2, "holding", 0, "holding", 0.7})
	}
	p := measure.Propose(progress, samples(list), measure.Settings{}, 0.05)[0]
	if p.Floor != 0.85 || p.False.Yes != 0 || p.True.Yes != 1 || p.HeldOut.False.Yes != 1 || p.Shown {
		t.Fatalf("got %+v", p)
	}
}

// Whether there are enough actions to be sure is judged on the unseen: four that stop falsely at 0.8 are too many of twelve for
// 0.3, so the floor is 0.9, with no false stop. But three of eleven are not, and each of the four fails on 0.8 when it is held out.
func TestSureIsWhatHoldsOnTheUnseen(t *testing.T) {
	list := picks(0.8, 0.8, 0.8, 0.8)
	for i := range 8 {
		a := fmt.Sprint("b", i)
		list = append(list, said{a, 1, "approaching", 0, "approaching", 0.9}, said{a, 2, "holding", 0, "holding", 0.9})
	}
	p := measure.Propose(progress, samples(list), measure.Settings{}, 0.3)[0]
	if p.Floor != 0.9 || p.False.Yes != 0 || p.False.High > 0.3 || p.HeldOut.False.Yes != 4 || p.Shown {
		t.Errorf("got %+v", p)
	}
}

// TestHeldOutIsTheSlowWay: each action is stopped by the floor that is proposed when its samples are taken out.
func TestHeldOutIsTheSlowWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := drawSamples(t)
		most := rapid.SampledFrom([]float64{0, 0.2, 0.5}).Draw(t, "most")
		var order []string
		seen := map[string]bool{}
		for _, s := range all {
			if !seen[s.Action] {
				seen[s.Action] = true
				order = append(order, s.Action)
			}
		}
		for i, got := range measure.Propose(progress, all, measure.Settings{}, most) {
			wrong, right, none := 0.0, 0.0, 0
			for _, action := range order {
				var own, rest []measure.Sample
				for _, s := range all {
					if s.Action == action {
						own = append(own, s)
					} else {
						rest = append(rest, s)
					}
				}
				p := measure.Propose(progress, rest, measure.Settings{}, most)[i]
				if !p.Found {
					none++
					continue
				}
				alone := progress
				alone.When = []question.Rule{p.Rule}
				alone.When[0].Threshold = p.Floor
				list := measure.Replays("progress", []question.Question{alone}, own, measure.Settings{})
				for _, r := range list {
					switch {
					case r.Fired == nil || r.Fired.Right == nil:
					case *r.Fired.Right:
						right += 1 / float64(len(list))
					default:
						wrong += 1 / float64(len(list))
					}
				}
			}
			if !near(got.HeldOut.False, count{wrong, float64(len(order))}) || !near(measure.Share{Yes: got.HeldOut.True.Yes, N: len(order)}, count{right, float64(len(order))}) || got.NoFloor != none {
				t.Errorf("held out %+v, no floor for %d; want %v wrong, %v right, no floor for %d", got.HeldOut, got.NoFloor, wrong, right, none)
			}
		}
	})
}

// Ticks of one action are alike: an interval that takes them for independent misses the truth half of the time and more. Here
// actions have two to twelve ticks each, and some are much more often right than others.
func TestIntervalsOfTicksThatAreAlike(t *testing.T) {
	const tries, truth = 250, 0.8
	for _, n := range []int{4, 10, 30} {
		for _, spread := range []float64{0, 0.15} { // of the rates of actions around the truth: 0, or between 0.65 and 0.95
			rng := rand.New(rand.NewPCG(1, uint64(n)))
			holds, naive := 0, 0
			for range tries {
				var list []said
				for a := range n {
					rate := truth + spread*(2*rng.Float64()-1)
					if spread > 0 && rng.Float64() < 0.5 { // some actions are seen wholly right or seldom so
						rate = []float64{1, 0.6}[rng.IntN(2)]
					}
					for k := range 2 + rng.IntN(11) {
						value := "holding"
						if rng.Float64() > rate {
							value = "failed"
						}
						list = append(list, said{fmt.Sprint("a", a), k + 1, "holding", 0, value, 0.9})
					}
				}
				right := measure.ScoreOf(progress, samples(list)).Right
				if right.Low <= truth && truth <= right.High {
					holds++
				}
				if x := measure.ShareOf(right.Yes, right.N); x.Low <= truth && truth <= x.High {
					naive++
				}
			}
			if holds < tries*94/100 {
				t.Errorf("%d actions, spread %v: the interval holds the truth in %d of %d tries (taken for independent: %d)", n, spread, holds, tries, naive)
			}
			if spread > 0 && n > 4 && naive > tries*93/100 {
				t.Errorf("%d actions: independent ticks do as well (%d of %d), so this test shows nothing", n, naive, tries)
			}
		}
	}
}

// By hand: a1 3 of 4, a2 1 of 2. The mean is 3 ticks, and with an action of 3 of 3 and one of 0 of 3 it is 7 of 12. Squares:
// (3−28/12)² + (1−14/12)² + (3−21/12)² + (21/12)² = 0.4444 + 0.0278 + 1.5625 + 3.0625 = 5.0972, over 12 × 7/12 × 5/12 =
// 2.9167 is 1.7476: the interval is that of 4 of 6/1.7476 = 3.4333 ticks. Single ticks are independent.
func TestAlikeByHand(t *testing.T) {
	list := []said{
		{"a1", 1, "holding", 0, "holding", 0.9}, {"a1", 2, "holding", 0, "holding", 0.9}, {"a1", 3, "holding", 0, "holding", 0.9}, {"a1", 4, "holding", 0, "failed", 0.9},
		{"a2", 1, "holding", 0, "holding", 0.9}, {"a2", 2, "holding", 0, "failed", 0.9},
	}
	got := measure.ScoreOf(progress, samples(list)).Right
	// Wilson of 2/3 with m = 3.4333: z²/m = 1.11889; middle (0.66667 + 0.55945)/2.11889 = 0.57866; half
	// 1.95996/2.11889 × √(0.22222/3.4333 + 1.11889/(4 × 3.4333)) = 0.92500 × √0.14620 = 0.35368.
	if got.Yes != 4 || got.N != 6 || fmt.Sprintf("%.4f %.4f", got.Low, got.High) != "0.2250 0.9323" {
		t.Errorf("got %+v", got)
	}
	single := measure.ScoreOf(progress, samples([]said{list[0], list[4], {"a3", 1, "holding", 0, "failed", 0.9}})).Right
	if single != measure.ShareOf(2, 3) {
		t.Errorf("single ticks: %+v, want %+v", single, measure.ShareOf(2, 3))
	}
}
