package measure_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/eval/measure"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/monitor/question"
)

// progress is the question of the tests: a finish with a floor, a failure that must last.
var progress = question.Question{
	Name: "progress", Kind: question.Choice, Options: []question.Option{{Value: "approaching"}, {Value: "holding"}, {Value: "failed"}},
	When: []question.Rule{
		{Do: question.Finish, Value: "holding", Threshold: 0.8, Consecutive: 1},
		{Do: question.Fail, Value: "failed", Threshold: 0.8, Consecutive: 2, After: 2 * time.Second},
	},
}

// said is one line of the answers that the numbers below are counted from.
type said struct {
	action string
	tick   int // one a second
	label  string
	repeat int
	value  string // "" = no answer
	p      float64
}

func samples(list []said) []measure.Sample {
	var out []measure.Sample
	for _, x := range list {
		a := progress.No(question.Refused, "")
		if x.value != "" {
			a = progress.Chosen(x.value, x.p)
		}
		out = append(out, measure.Sample{
			Key: measure.Key{Episode: "s/000001", Action: x.action, Tick: x.tick}, At: time.Duration(x.tick) * time.Second,
			Label: x.label, Repeat: x.repeat, Answers: []question.Answer{a}, Latency: time.Duration(x.tick) * 100 * time.Millisecond, Usage: model.Usage{CostUSD: 0.25},
		})
	}
	return out
}

var answers = []said{
	{"a1", 1, "approaching", 0, "approaching", 0.9},
	{"a1", 2, "approaching", 0, "holding", 0.7}, // below the floor
	{"a1", 3, "holding", 0, "holding", 0.9},
	{"a1", 4, "unsure", 0, "holding", 0.9},
	{"a2", 1, "approaching", 0, "failed", 0.9}, // before after_s
	{"a2", 2, "approaching", 0, "failed", 0.9},
	{"a2", 3, "failed", 0, "failed", 0.85},
	{"a2", 4, "failed", 0, "", 0},
	{"a1", 1, "approaching", 1, "approaching", 0.9},
	{"a1", 2, "approaching", 1, "approaching", 0.6},
	{"a1", 3, "holding", 1, "holding", 0.95},
}

// By hand. Ticks: a1 1–4, a2 1–4 = 8, one of them unsure. Of the 7 scored, a2 4 has no answer; the other 6 are right by
// 1, ½ (one of two repeats), 1, 0, 0, 1 = 3½ of 6.
func TestScoreIsWhatAPersonCounts(t *testing.T) {
	s := measure.ScoreOf(progress, samples(answers))
	if s.Ticks != 8 || s.Unsure != 1 || s.Calls != 11 || s.Actions != 2 {
		t.Errorf("ticks, unsure, calls, actions: %d %d %d %d", s.Ticks, s.Unsure, s.Calls, s.Actions)
	}
	if d := cmp.Diff(map[question.Missing]int{question.Refused: 1}, s.Missing); d != "" {
		t.Error(d)
	}
	if s.Right.Yes != 3.5 || s.Right.N != 6 {
		t.Errorf("right %v of %d, want 3.5 of 6", s.Right.Yes, s.Right.N)
	}
	want := []measure.Row{
		{Label: "approaching", Counts: []int{3, 1, 2}},
		{Label: "holding", Counts: []int{0, 2, 0}},
		{Label: "failed", Counts: []int{0, 0, 1}, None: 1},
	}
	if d := cmp.Diff(want, s.Confusion); d != "" {
		t.Error(d)
	}
	if s.Usage.CostUSD != 2.75 {
		t.Errorf("cost %v, want 2.75", s.Usage.CostUSD)
	}
	if s.Disagree.Yes != 1 || s.Disagree.N != 3 {
		t.Errorf("repeats disagree on %v of %d ticks, want 1 of 3", s.Disagree.Yes, s.Disagree.N)
	}
	// Latencies in tenths of a second: 1 1 1 2 2 2 3 3 3 4 4; the 6th and the 11th.
	if s.Latency != (measure.Spread{N: 11, P50: 200 * time.Millisecond, P95: 400 * time.Millisecond, Max: 400 * time.Millisecond}) {
		t.Errorf("latency %+v", s.Latency)
	}
}

// By hand. Finish holding ≥ 0.8: met on the one holding tick; on none of the 5 others; of the two ticks that were answered
// "holding", a1 2 is below the floor with its one such answer, a1 3 with none of two. Fail counts from 2 s on: met on a2 3,
// and on a2 2 that is approaching, of the wrong ticks a1 2, a1 3 and a2 2.
func TestRulesConditionsTickByTick(t *testing.T) {
	s := measure.ScoreOf(progress, samples(answers))
	type counts struct{ met, metOf, wrong, wrongOf, below, belowOf float64 }
	want := []counts{{1, 1, 0, 5, 1, 2}, {1, 1, 1, 3, 0, 2}}
	for i, r := range s.Rules {
		got := counts{r.Met.Yes, float64(r.Met.N), r.Wrong.Yes, float64(r.Wrong.N), r.Below.Yes, float64(r.Below.N)}
		if got != want[i] {
			t.Errorf("%s: %v, want %v", r.Rule.Value, got, want[i])
		}
	}
}

// Wilson's interval, from its formula by hand: 0 of 10 ends at z²/(10+z²) = 0.2775; 5 of 10 is 0.2366 to 0.7634.
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		k         float64
		n         int
		low, high float64
	}{{0, 10, 0, 0.2775}, {10, 10, 0.7225, 1}, {5, 10, 0.2366, 0.7634}, {0, 0, 0, 1}} {
		s := measure.ShareOf(c.k, c.n)
		if math.Abs(s.Low-c.low) > 5e-5 || math.Abs(s.High-c.high) > 5e-5 {
			t.Errorf("%v of %d: %.4f to %.4f, want %.4f to %.4f", c.k, c.n, s.Low, s.High, c.low, c.high)
		}
	}
}

// By hand. a1: finish on tick 3, labelled holding, 0.3 s after its frame. a2: ticks 2 and 3 from 2 s on say failed: fail on
// tick 3, labelled failed.
func TestReplayThroughTheRules(t *testing.T) {
	got := measure.Replays("progress", []question.Question{progress}, samples(answers), measure.Settings{})
	type fired struct {
		action string
		repeat int
		tick   int
		label  string
		delay  time.Duration
	}
	var have []fired
	for _, r := range got {
		if r.Fired == nil || r.Fired.Right == nil || !*r.Fired.Right {
			t.Fatalf("%s: %+v", r.Action, r.Fired)
		}
		have = append(have, fired{r.Action, r.Repeat, r.Fired.Tick, r.Fired.Label, *r.Fired.Delay})
	}
	want := []fired{
		{"a1", 0, 3, "holding", 300 * time.Millisecond}, {"a2", 0, 3, "failed", 300 * time.Millisecond}, {"a1", 1, 3, "holding", 300 * time.Millisecond},
	}
	if d := cmp.Diff(want, have, cmp.AllowUnexported(fired{})); d != "" {
		t.Error(d)
	}
	for _, r := range measure.Replays("progress", []question.Question{progress}, samples(answers), measure.Settings{MaxAge: 200 * time.Millisecond}) {
		if f := r.Fired; f != nil && r.Action == "a1" {
			t.Errorf("an answer that is too old ended the action: %+v", f)
		}
	}
}

// By hand: with a floor of 0.7 a1 stops on the approaching tick 2 once in two repeats; from 0.9 on never.
func TestFloorForARateOfFalseStops(t *testing.T) {
	for _, c := range []struct{ most, floor float64 }{{0, 0.9}, {0.3, 0.7}} {
		p := measure.Propose(progress, samples(answers), measure.Settings{}, c.most)[0]
		if !p.Found || p.Floor != c.floor || p.Shown {
			t.Errorf("at most %v: %+v, want %v", c.most, p, c.floor)
		}
	}
}

// Gaps are ticks without a label between labelled ones: consecutive counts over them.
func TestGapsAreCounted(t *testing.T) {
	list := samples([]said{{"a1", 1, "approaching", 0, "approaching", 0.9}, {"a1", 4, "approaching", 0, "approaching", 0.9}})
	got := measure.Replays("progress", []question.Question{progress}, list, measure.Settings{})
	if len(got) != 1 || got[0].Ticks != 2 || got[0].Gaps != 2 {
		t.Errorf("got %+v, want 2 ticks with 2 between them", got)
	}
}

func TestSameSamplesSameNumbers(t *testing.T) {
	if d := cmp.Diff(measure.Of(criteria(), samples(answers)), measure.Of(criteria(), samples(answers))); d != "" {
		t.Error(d)
	}
}

// In a replay, too, an answer is as old as the oldest of its current pictures.
func TestReplayCountsTheAgeOfTheOldestPicture(t *testing.T) {
	q := question.Question{Name: "held", Kind: question.Predicate, When: []question.Rule{{Do: question.Finish, Value: "true", Threshold: 0.5, Consecutive: 1}}}
	for behind, fires := range map[time.Duration]bool{400 * time.Millisecond: true, 600 * time.Millisecond: false} {
		x := measure.Sample{
			Key: measure.Key{Action: "a1", Tick: 1}, At: time.Second, Behind: behind, Label: "true",
			Answers: []question.Answer{q.Is(0.9)}, Latency: 1500 * time.Millisecond,
		}
		got := measure.Replays("held", []question.Question{q}, []measure.Sample{x}, measure.Settings{MaxAge: 2 * time.Second})
		if len(got) != 1 || (got[0].Fired != nil) != fires {
			t.Errorf("%v behind: got %+v, want a firing: %t", behind, got, fires)
		}
	}
}
