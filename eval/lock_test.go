package eval_test

import (
	"strings"
	"testing"

	"github.com/rein-robotics/rein/eval"
)

// Two measurings of one subject at a time would put each other's answers aside: the second is refused, whatever its mode, and
// leaves the files as they are.
func TestOneSubjectIsMeasuredOnce(t *testing.T) {
	dir := t.TempDir()
	of := eval.Subject{Tool: "pick_object", Question: "progress", Model: "m"}
	first, err := eval.OpenAnswers(dir, of, nil, eval.Anew)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []eval.Mode{eval.Anew, eval.Resumed} {
		if _, err := eval.OpenAnswers(dir, of, nil, m); err == nil || !strings.Contains(err.Error(), "is being measured by another process") {
			t.Errorf("mode %d beside another: %v", m, err)
		}
	}
	other := of
	other.Model = "n"
	beside, err := eval.OpenAnswers(dir, other, nil, eval.Anew)
	if err != nil {
		t.Fatalf("another subject: %v", err)
	}
	beside.Close()
	first.Close()
	again, err := eval.OpenAnswers(dir, of, nil, eval.Resumed)
	if err != nil {
		t.Fatalf("after the first one: %v", err)
	}
	again.Close()
}

// Two labellers of one file at a time would do each other's work, and the later word would stand: the second is told so, and
// one that comes after the first sees what that one wrote.
func TestOneFileIsLabelledByOne(t *testing.T) {
	dir := t.TempDir()
	first, second := open(t, dir), open(t, dir)
	release, err := first.Claim()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := second.Claim(); err == nil || !strings.Contains(err.Error(), "another rein monitor label is at work on "+first.Path()) {
		t.Errorf("beside another: %v", err)
	}
	press(t, eval.NewSheet(ticks(1), first), "1")
	release()
	release, err = second.Claim()
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if got, ok := second.Label(ticks(1)[0].Key); !ok || got.Label != "approaching" {
		t.Errorf("the second sees %+v, %v", got, ok)
	}
}
