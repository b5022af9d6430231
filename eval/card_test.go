package eval_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/eval"
	"github.com/rein-robotics/rein/eval/measure"
	"github.com/rein-robotics/rein/monitor/question"
)

// A card counts the ticks that stand behind its numbers: answered, and labelled with something. It is read as it was written,
// and of another subject there is none.
func TestCardCountsWhatWasAnswered(t *testing.T) {
	dir := t.TempDir()
	c := measure.Criteria{Question: progress, All: []question.Question{progress}, MostFalse: 0.05}
	of := eval.Subject{Tool: "pick_object", Question: "progress", Model: "m", Wording: eval.WordingOf("you watch", "grasps", c.All)}
	var samples []measure.Sample // of two actions, four ticks each; of one a person is unsure, and one was not answered
	for i := range 8 {
		x := measure.Sample{Key: measure.Key{Action: string("ab"[i/4]), Tick: i%4 + 1}, Label: "holding", Answers: []question.Answer{progress.Chosen("holding", 0.9)}}
		switch i {
		case 3:
			x.Label = measure.Unsure
		case 7:
			x.Answers = []question.Answer{progress.No(question.Refused, "")}
		}
		samples = append(samples, x)
	}
	want := eval.CardOf(of, measure.Of(c, samples), 1)
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
