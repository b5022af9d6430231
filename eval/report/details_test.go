package report_test

import (
	"strings"
	"testing"

	"github.com/rein-robotics/rein/eval/measure"
	"github.com/rein-robotics/rein/eval/report"
	"github.com/rein-robotics/rein/monitor/question"
)

// What a floor is worth stands beside it: what it does on actions that it was not chosen on, and whether these are enough.
func TestAProposalSaysWhatItIsWorth(t *testing.T) {
	stops := func(wrong, right float64, n int) measure.Stops {
		return measure.Stops{False: measure.ShareOf(wrong, n), True: measure.ShareOf(right, n)}
	}
	for name, c := range map[string]struct {
		of   measure.Proposal
		want string
	}{
		"never_answered": {measure.Proposal{}, "it was never answered"},
		"none":           {measure.Proposal{Answered: true, HeldOut: stops(1, 0, 4), NoFloor: 3}, "none: at every one more of them stop on a wrong tick"},
		"no_other_action": {
			measure.Proposal{Answered: true, Found: true, Floor: 0.9, Stops: stops(0, 1, 1), HeldOut: stops(0, 0, 1), NoFloor: 1},
			"0.9: false stops 0.0 % (0 of 1; 0.0–79.3), right stops 100.0 % (1 of 1; 20.7–100.0); there is no other action to try it on",
		},
		"too_few": {
			measure.Proposal{Answered: true, Found: true, Floor: 0.9, Stops: stops(0, 4, 4), HeldOut: stops(0, 4, 4)},
			"0.9: false stops 0.0 % (0 of 4; 0.0–49.0), right stops 100.0 % (4 of 4; 51.0–100.0)\n" +
				"    tried on each action without having seen it: false stops 0.0 % (0 of 4; 0.0–49.0), right stops 100.0 % (4 of 4; 51.0–100.0); too few actions to be sure",
		},
		"more_than_wanted": {
			measure.Proposal{Answered: true, Found: true, Floor: 0.85, Stops: stops(0, 1, 12), HeldOut: stops(1, 0, 12), NoFloor: 3},
			"tried on each action without having seen it: false stops 8.3 % (1 of 12; 1.5–35.4), right stops 0.0 % (0 of 12; 0.0–24.2), no floor for 3; MORE than wanted",
		},
		"sure": {
			measure.Proposal{Answered: true, Found: true, Floor: 0.85, Stops: stops(0, 80, 80), HeldOut: stops(0, 80, 80), Shown: true},
			"right stops 100.0 % (80 of 80; 95.4–100.0)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.of.Rule = question.Rule{Do: question.Finish, Value: "holding", Threshold: 0.8, Consecutive: 1}
			got := written(t, report.Column{Name: "m", Result: measure.Result{Proposals: []measure.Proposal{c.of}}})
			_, floors, _ := strings.Cut(got, "m: floors for false stops in at most 5 % of the actions\n  finish holding ≥ 0.8: ")
			if !strings.HasSuffix(floors, c.want+"\n") {
				t.Errorf("got %q, want %q at its end", floors, c.want)
			}
		})
	}
}

// A firing says what it was, and ticks that have no label between labelled ones are said: consecutive counts over them.
func TestReplaysInWords(t *testing.T) {
	wrong := false
	got := written(t, report.Column{Name: "m", Result: measure.Result{Replays: []measure.Replay{
		{Episode: "s/1", Action: "a1", Ticks: 2, Gaps: 2},
		{Episode: "s/1", Action: "a1", Repeat: 1, Ticks: 1, Fired: &measure.Fired{
			Question: "progress", Rule: question.Rule{Do: question.Fail, Value: "failed", Consecutive: 1}, Tick: 3, Label: "holding", Right: &wrong,
		}},
	}}})
	for _, want := range []string{
		"\n  s/1 a1: none in 2 ticks, 2 ticks in between have no label\n", "\n  s/1 a1 repeat 2: progress fail failed on tick 3, labelled holding, WRONG\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}
