package eval_test

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/eval"
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

func samples(list []said) []eval.Sample {
	var out []eval.Sample
	for _, x := range list {
		a := progress.No(question.Refused, "")
		if x.value != "" {
			a = progress.Chosen(x.value, x.p)
		}
		t := &eval.Tick{Key: eval.Key{Episode: "s/000001", Action: x.action, Tick: x.tick}, At: time.Duration(x.tick) * time.Second}
		out = append(out, eval.Sample{
			Tick: t, Label: x.label, Repeat: x.repeat, Answers: []question.Answer{a}, Latency: time.Duration(x.tick) * 100 * time.Millisecond, Usage: model.Usage{CostUSD: 0.25},
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
	s := eval.ScoreOf(progress, samples(answers))
	if s.Ticks != 8 || s.Unsure != 1 || s.Calls != 11 || s.Actions != 2 {
		t.Errorf("ticks, unsure, calls, actions: %d %d %d %d", s.Ticks, s.Unsure, s.Calls, s.Actions)
	}
	if d := cmp.Diff(map[question.Missing]int{question.Refused: 1}, s.Missing); d != "" {
		t.Error(d)
	}
	if s.Right.Yes != 3.5 || s.Right.N != 6 {
		t.Errorf("right %v of %d, want 3.5 of 6", s.Right.Yes, s.Right.N)
	}
	want := []eval.Row{
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
	if s.Latency != (eval.Spread{N: 11, P50: 200 * time.Millisecond, P95: 400 * time.Millisecond, Max: 400 * time.Millisecond}) {
		t.Errorf("latency %+v", s.Latency)
	}
}

// By hand. Finish holding ≥ 0.8: met on the one holding tick; on none of the 5 others; of the two ticks that were answered
// "holding", a1 2 is below the floor with its one such answer, a1 3 with none of two. Fail counts from 2 s on: met on a2 3,
// and on a2 2 that is approaching, of the wrong ticks a1 2, a1 3 and a2 2.
func TestRulesConditionsTickByTick(t *testing.T) {
	s := eval.ScoreOf(progress, samples(answers))
	type counts struct{ met, metOf, wrong, wrongOf, below, belowOf float64 }
	want := []counts{{1, 1, 0, 5, 1, 2}, {1, 1, 1, 3, 0, 2}}
	for i, r := range s.Rules {
		got := counts{r.Met.Yes, float64(r.Met.N), r.Wrong.Yes, float64(r.Wrong.N), r.Below.Yes, float64(r.Below.N)}
		if got != want[i] {
			t.Errorf("%s: %v, want %v", eval.RuleName(r.Rule), got, want[i])
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
		s := eval.ShareOf(c.k, c.n)
		if math.Abs(s.Low-c.low) > 5e-5 || math.Abs(s.High-c.high) > 5e-5 {
			t.Errorf("%v of %d: %.4f to %.4f, want %.4f to %.4f", c.k, c.n, s.Low, s.High, c.low, c.high)
		}
	}
}

// By hand. a1: finish on tick 3, labelled holding, 0.3 s after its frame. a2: ticks 2 and 3 from 2 s on say failed: fail on
// tick 3, labelled failed.
func TestReplayThroughTheRules(t *testing.T) {
	got := eval.Replays("progress", []question.Question{progress}, samples(answers), eval.Settings{})
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
	for _, r := range eval.Replays("progress", []question.Question{progress}, samples(answers), eval.Settings{MaxAge: 200 * time.Millisecond}) {
		if f := r.Fired; f != nil && r.Action == "a1" {
			t.Errorf("an answer that is too old ended the action: %+v", f)
		}
	}
}

// By hand: with a floor of 0.7 a1 stops on the approaching tick 2 once in two repeats; from 0.9 on never.
func TestFloorForARateOfFalseStops(t *testing.T) {
	for _, c := range []struct{ most, floor float64 }{{0, 0.9}, {0.3, 0.7}} {
		p := eval.Propose(progress, samples(answers), eval.Settings{}, c.most)[0]
		if !p.Found || p.Floor != c.floor || p.Shown {
			t.Errorf("at most %v: %+v, want %v", c.most, p, c.floor)
		}
	}
}

// A card counts the ticks that stand behind its numbers: answered, and labelled with something. It is read as it was written,
// and of another subject there is none.
func TestCardCountsWhatWasAnswered(t *testing.T) {
	dir := t.TempDir()
	c := eval.Criteria{Question: progress, All: []question.Question{progress}, MostFalse: 0.05}
	of := eval.Subject{Tool: "pick_object", Question: "progress", Model: "m", Wording: eval.WordingOf("you watch", "grasps", c.All)}
	want := eval.CardOf(of, eval.Measure("m", c, samples(answers)), 2)
	if want.Ticks != 6 || want.Actions != 2 || len(want.Rules) != 2 {
		t.Errorf("%d ticks, %d actions, %d rules, want 6 of 8 ticks, 2, 2", want.Ticks, want.Actions, len(want.Rules))
	}
	if _, err := eval.WriteCard(dir, want); err != nil {
		t.Fatal(err)
	}
	got, err := eval.ReadCard(dir, of)
	if err != nil || got == nil {
		t.Fatal(got, err)
	}
	if d := cmp.Diff(want, *got); d != "" {
		t.Error(d)
	}
	for _, wording := range []string{
		eval.WordingOf("you look", "grasps", c.All), eval.WordingOf("you watch", "grips", c.All), eval.WordingOf("you watch", "grasps", nil),
	} {
		of.Wording = wording
		if got, err := eval.ReadCard(dir, of); got != nil || err != nil {
			t.Errorf("a card of another wording: %+v, %v", got, err)
		}
	}
}

func TestSameSamplesSameTable(t *testing.T) {
	var out [2]bytes.Buffer
	for i := range out {
		c := eval.Criteria{Question: progress, All: []question.Question{progress}, MostFalse: 0.05}
		r := eval.Measure("m", c, samples(answers))
		if err := eval.Table(&out[i], []eval.Result{r, r}, 0.05); err != nil {
			t.Fatal(err)
		}
	}
	if out[0].String() != out[1].String() || !strings.Contains(out[0].String(), "58.3 % (3.5 of 6;") {
		t.Errorf("two tables:\n%s\n%s", out[0].String(), out[1].String())
	}
}
