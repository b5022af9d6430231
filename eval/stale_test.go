package eval_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/eval"
	"github.com/rein-robotics/rein/eval/measure"
	"github.com/rein-robotics/rein/monitor/question"
)

// labelOf is a line of tick n.
func labelOf(n int, tool, question, label string) string {
	return fmt.Sprintf(`{"episode":"s/000001","action":"a1","tick":%d,"tool":%q,"question":%q,"frames":["images/a1m1_cam.image.jpg"],"label":%q}`+"\n", n, tool, question, label)
}

func key(n int) measure.Key { return measure.Key{Episode: "s/000001", Action: "a1", Tick: n} }

// A label of another tool or question, or one that the question cannot be answered with any more, labels nothing: labelling
// stands at that tick, it is said once with its place, a label that is given now counts for every reader, and the file keeps
// all its lines.
func TestAStaleLabelComesAgain(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		told []string // behind "<path>:"
	}{
		"another_tool":     {labelOf(1, "place_at", "progress", "holding"), []string{"1: a label of place_at progress, which does not count for pick_object progress"}},
		"another_question": {labelOf(1, "pick_object", "phase", "holding"), []string{"1: a label of pick_object phase, which does not count for pick_object progress"}},
		"a_lost_option":    {labelOf(1, "pick_object", "progress", "dropped"), []string{`1: labelled "dropped", which is no answer to pick_object progress: label it again`}},
		"another_kind":     {labelOf(1, "pick_object", "progress", "true"), []string{`1: labelled "true", which is no answer to pick_object progress: label it again`}},
		"several_of_each": {
			labelOf(3, "pick_object", "phase", "up") + labelOf(1, "pick_object", "progress", "dropped") + labelOf(3, "pick_object", "progress", "dropped") +
				labelOf(4, "place_at", "put", "down") + labelOf(5, "pick_object", "a", "b") + labelOf(6, "pick_object", "c", "d"),
			[]string{`2: labelled "dropped", which is no answer to pick_object progress: label it again (2 such lines)`, "1: a label of pick_object phase, which does not count for pick_object progress",
				"4: a label of place_at put, which does not count for pick_object progress", "5: a label of pick_object a, which does not count for pick_object progress",
				"6: a label of pick_object c, which does not count for pick_object progress"},
		},
		"after_a_good_one":          {labelOf(1, "pick_object", "progress", "holding") + labelOf(1, "pick_object", "progress", "dropped"), []string{`2: labelled "dropped", which is no answer to pick_object progress: label it again`}},
		"in_another_kind_of_letter": {labelOf(1, "pick_object", "progress", "Holding"), []string{`1: labelled "Holding", which is no answer to pick_object progress: label it again`}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "pick.jsonl")
			if err := os.WriteFile(path, []byte(c.file), 0o644); err != nil {
				t.Fatal(err)
			}
			b := open(t, dir)
			var want []string
			for _, told := range c.told {
				want = append(want, path+":"+told)
			}
			if d := cmp.Diff(want, b.NotCounted()); d != "" {
				t.Error(d)
			}
			s := eval.NewSheet(ticks(2), b)
			if s.Place() != 0 || b.Len() != 0 {
				t.Errorf("stands at %d with %d labels, want 0 and none", s.Place(), b.Len())
			}
			press(t, s, "1")
			for who, b := range map[string]*eval.Book{"writer": b, "reader": open(t, dir)} {
				if l, ok := b.Label(key(1)); !ok || l.Label != "approaching" || b.Len() != 1 || b.Stale(key(1)) != "" {
					t.Errorf("%s: %+v of %d labels, stale %q", who, l, b.Len(), b.Stale(key(1)))
				}
				if s := eval.NewSheet(ticks(2), b); s.Place() != 1 {
					t.Errorf("%s: stands at %d, want 1", who, s.Place())
				}
			}
			if data, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(data, []byte(c.file)) {
				t.Errorf("lines are gone (%v):\n%s", err, data)
			}
		})
	}
}

// Two questions may share a file of labels: each has its own, in whichever order they were given.
func TestTwoQuestionsShareAFile(t *testing.T) {
	dir := t.TempDir()
	held := question.Question{Name: "held", Kind: question.Predicate}
	other := func() *eval.Book {
		b, err := eval.OpenBook(dir, "pick", "pick_object", held)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	press(t, eval.NewSheet(ticks(2), open(t, dir)), "12")
	press(t, eval.NewSheet(ticks(2), other()), "2s")
	press(t, eval.NewSheet(ticks(2), open(t, dir)), "b3")
	for n, want := range map[int][2]string{1: {"approaching", "false"}, 2: {"failed", "unsure"}} {
		a, _ := open(t, dir).Label(key(n))
		b, _ := other().Label(key(n))
		if got := [2]string{a.Label, b.Label}; got != want {
			t.Errorf("tick %d is labelled %q, want %q", n, got, want)
		}
	}
}

// A label that would count for nothing is not written.
func TestNoStaleLabelIsWritten(t *testing.T) {
	dir := t.TempDir()
	b := open(t, dir)
	for _, l := range []eval.Label{
		{Key: key(1), Tool: "place_at", Question: "progress", Label: "holding"}, {Key: key(1), Tool: "pick_object", Question: "phase", Label: "holding"},
		{Key: key(1), Tool: "pick_object", Question: "progress", Label: "dropped"},
	} {
		if err := b.SetLabel(l); err == nil || !strings.Contains(err.Error(), "is no label of pick_object progress") {
			t.Errorf("%+v: %v", l, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "pick.jsonl")); err == nil {
		t.Error("something was written")
	}
}

// An option called unsure could not be told from a tick that a person was unsure of.
func TestAnOptionCalledUnsureIsRefused(t *testing.T) {
	q := progress
	q.Options = append([]question.Option{{Value: measure.Unsure}}, q.Options...)
	if _, err := eval.OpenBook(t.TempDir(), "pick", "pick_object", q); err == nil || !strings.Contains(err.Error(), "give the option another name") {
		t.Errorf("got %v", err)
	}
}
