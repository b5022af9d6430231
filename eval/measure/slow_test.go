package measure_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rein-robotics/rein/eval/measure"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/monitor/question"
)

// drawSamples are ticks of several actions, asked several times: answers of any value and certainty, missing ones, calls
// that ran into their limit or failed.
func drawSamples(t *rapid.T) []measure.Sample {
	repeats := rapid.IntRange(1, 3).Draw(t, "repeats")
	var out []measure.Sample
	for a := range rapid.IntRange(1, 3).Draw(t, "actions") {
		for n := range rapid.IntRange(1, 5).Draw(t, "ticks") {
			key, at := measure.Key{Episode: "s/1", Action: fmt.Sprint("a", a), Tick: n + 1}, time.Duration(n+1)*time.Second
			label := rapid.SampledFrom([]string{"approaching", "holding", "failed", measure.Unsure}).Draw(t, "label")
			for r := range repeats {
				s := measure.Sample{
					Key: key, At: at, Label: label, Repeat: r, Latency: time.Duration(rapid.IntRange(1, 9).Draw(t, "latency")) * time.Second,
					Usage: model.Usage{Input: rapid.IntRange(0, 9).Draw(t, "tokens"), CostUSD: 0.5},
				}
				switch rapid.IntRange(0, 7).Draw(t, "call") {
				case 0:
					s.Answers = []question.Answer{progress.No(question.Refused, "")}
				case 1:
					s.Err, s.Answers = "too slow", []question.Answer{progress.No(question.TimedOut, "")}
				case 2:
					s.Err, s.Answers = "no connection", []question.Answer{progress.No(question.Failed, "")}
				default:
					s.Answers = []question.Answer{progress.Chosen(
						rapid.SampledFrom([]string{"approaching", "holding", "failed"}).Draw(t, "value"),
						rapid.SampledFrom([]float64{0.5, 0.7, 0.8, 0.9}).Draw(t, "p"))}
				}
				out = append(out, s)
			}
		}
	}
	return out
}

// count is a share worked out slowly: of each tick that has counted answers, the part of them that is so; then over ticks.
type count struct{ Of, N float64 }

// slowly goes once through all samples for each tick. counts says which answers count, so which of them are so.
func slowly(samples []measure.Sample, counts, so func(s *measure.Sample, a question.Answer) bool) count {
	var out count
	done := map[measure.Key]bool{}
	for i := range samples {
		k := samples[i].Key
		if done[k] {
			continue
		}
		done[k] = true
		yes, all := 0.0, 0.0
		for j := range samples {
			s := &samples[j]
			if s.Key != k || s.Answers[0].Missing != "" || !counts(s, s.Answers[0]) {
				continue
			}
			all++
			if so(s, s.Answers[0]) {
				yes++
			}
		}
		if all > 0 {
			out.Of, out.N = out.Of+yes/all, out.N+1
		}
	}
	return out
}

func near(s measure.Share, c count) bool { return math.Abs(s.Yes-c.Of) < 1e-9 && float64(s.N) == c.N }

// TestScoreIsTheSlowCount: on any samples every number of a score is the one that a slow count, tick by tick, comes to.
func TestScoreIsTheSlowCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := drawSamples(t)
		got := measure.ScoreOf(progress, samples)
		sure := func(s *measure.Sample, _ question.Answer) bool { return s.Label != measure.Unsure }
		if want := slowly(samples, sure, func(s *measure.Sample, a question.Answer) bool { return a.Value == s.Label }); !near(got.Right, want) {
			t.Errorf("right %+v, want %+v", got.Right, want)
		}
		for i, r := range progress.When {
			meets := func(_ *measure.Sample, a question.Answer) bool { return a.Value == r.Value && a.P >= r.Threshold }
			counted := func(label func(string) bool) func(*measure.Sample, question.Answer) bool {
				return func(s *measure.Sample, _ question.Answer) bool {
					return s.Label != measure.Unsure && s.At >= r.After && label(s.Label)
				}
			}
			met := slowly(samples, counted(func(l string) bool { return l == r.Value }), meets)
			wrong := slowly(samples, counted(func(l string) bool { return l != r.Value }), meets)
			below := slowly(samples, func(s *measure.Sample, a question.Answer) bool {
				return a.Value == r.Value && s.Label != measure.Unsure && s.At >= r.After
			}, func(_ *measure.Sample, a question.Answer) bool { return a.P < r.Threshold })
			if x := got.Rules[i]; !near(x.Met, met) || !near(x.Wrong, wrong) || !near(x.Below, below) {
				t.Errorf("%s: got %+v, want %+v %+v %+v", r.Value, x, met, wrong, below)
			}
		}
		slowRest(t, samples, got)
	})
}

// slowRest counts what is no share of ticks.
func slowRest(t *rapid.T, samples []measure.Sample, got measure.Score) {
	confusion := map[string]int{}
	missing := map[question.Missing]int{}
	values := map[measure.Key]map[string]bool{}
	answered := map[measure.Key]int{}
	actions, unsure := map[string]bool{}, map[measure.Key]bool{}
	var waits []time.Duration
	tokens := 0
	for _, s := range samples {
		a := s.Answers[0]
		tokens += s.Usage.Input
		actions[s.Action] = true
		if a.Missing != question.Failed {
			waits = append(waits, s.Latency)
		}
		if a.Missing == "" {
			if values[s.Key] == nil {
				values[s.Key] = map[string]bool{}
			}
			values[s.Key][a.Value] = true
			answered[s.Key]++
		}
		switch {
		case s.Label == measure.Unsure:
			unsure[s.Key] = true
		case a.Missing != "":
			missing[a.Missing]++
			confusion[s.Label+">"]++
		default:
			confusion[s.Label+">"+a.Value]++
		}
	}
	disagree := count{}
	for k, n := range answered {
		if n > 1 {
			disagree.N++
			if len(values[k]) > 1 {
				disagree.Of++
			}
		}
	}
	for _, row := range got.Confusion {
		for i, v := range got.Values {
			if row.Counts[i] != confusion[row.Label+">"+v] {
				t.Errorf("%s answered with %s: %d, want %d", row.Label, v, row.Counts[i], confusion[row.Label+">"+v])
			}
		}
		if row.None != confusion[row.Label+">"] {
			t.Errorf("%s not answered: %d, want %d", row.Label, row.None, confusion[row.Label+">"])
		}
	}
	if d := cmp.Diff(missing, got.Missing); d != "" {
		t.Error(d)
	}
	if !near(got.Disagree, disagree) || got.Usage.Input != tokens || got.Usage.CostUSD != 0.5*float64(len(samples)) {
		t.Errorf("disagree %+v, want %+v; usage %+v, want %d", got.Disagree, disagree, got.Usage, tokens)
	}
	if got.Actions != len(actions) || got.Unsure != len(unsure) || got.Calls != len(samples) {
		t.Errorf("actions, unsure, calls: %d %d %d, want %d %d %d", got.Actions, got.Unsure, got.Calls, len(actions), len(unsure), len(samples))
	}
	for percent, x := range map[int]time.Duration{50: got.Latency.P50, 95: got.Latency.P95} {
		if got.Latency.N != len(waits) || len(waits) > 0 && x != rank(waits, percent) {
			t.Errorf("p%d of %v is %v", percent, waits, x)
		}
	}
}

// rank is the smallest value that at least so many percent do not exceed.
func rank(list []time.Duration, percent int) time.Duration {
	best := slices.Max(list)
	for _, x := range list {
		n := 0
		for _, y := range list {
			if y <= x {
				n++
			}
		}
		if 100*n >= percent*len(list) && x < best {
			best = x
		}
	}
	return best
}

// TestReplaysCountWhatTheySay: the sums over the actions are those of their replays, and a floor that is proposed keeps the
// rate when it is put into the rule.
func TestReplaysCountWhatTheySay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := drawSamples(t)
		most := rapid.SampledFrom([]float64{0, 0.2, 0.5}).Draw(t, "most")
		list := measure.Replays("progress", []question.Question{progress}, samples, measure.Settings{})
		repeats := 0
		for _, r := range list {
			repeats = max(repeats, r.Repeat+1)
		}
		right, wrong := 0.0, 0.0
		for _, r := range list {
			if r.Fired == nil || r.Fired.Right == nil {
				continue
			}
			if *r.Fired.Right {
				right++
			} else {
				wrong++
			}
		}
		got := measure.FirstsOf(progress, list)
		n := float64(len(list) / repeats)
		if !near(got.Right, count{right / float64(repeats), n}) || !near(got.Wrong, count{wrong / float64(repeats), n}) {
			t.Errorf("first rules %+v, want %v right and %v wrong of %v replays", got, right, wrong, len(list))
		}
		if missed := missedSlowly(progress, samples, list); !near(got.Missed, missed) {
			t.Errorf("missed %+v, want %v", got.Missed, missed)
		}
		for _, p := range measure.Propose(progress, samples, measure.Settings{}, most) {
			if !p.Found {
				continue
			}
			alone := progress
			alone.When = []question.Rule{p.Rule}
			alone.When[0].Threshold = p.Floor
			first := measure.FirstsOf(alone, measure.Replays("progress", []question.Question{alone}, samples, measure.Settings{}))
			stopped := 0.0
			for _, r := range measure.Replays("progress", []question.Question{alone}, samples, measure.Settings{}) {
				if r.Fired != nil && r.Fired.Label == p.Rule.Value {
					stopped++
				}
			}
			if want := (count{stopped / float64(repeats), missedSlowly(alone, samples, nil).N}); !near(p.True, want) {
				t.Errorf("right stops %+v, want %v", p.True, want)
			}
			if first.Wrong != p.False || first.Wrong.Rate() > most {
				t.Errorf("with the proposed floor %v: false stops %+v, said were %+v, at most %v", p.Floor, first.Wrong, p.False, most)
			}
		}
	})
}

// missedSlowly counts the actions that have a tick labelled with the value of a rule, and of them those in which nothing
// fired, each replay for its part.
func missedSlowly(q question.Question, samples []measure.Sample, list []measure.Replay) count {
	out := count{}
	done := map[string]bool{}
	for _, s := range samples {
		shows := slices.ContainsFunc(q.When, func(r question.Rule) bool { return r.Value == s.Label })
		if !shows || done[s.Action] {
			continue
		}
		done[s.Action] = true
		quiet, all := 0.0, 0.0
		for _, r := range list {
			if r.Action == s.Action {
				all++
				if r.Fired == nil {
					quiet++
				}
			}
		}
		out.N++
		if all > 0 {
			out.Of += quiet / all
		}
	}
	return out
}
