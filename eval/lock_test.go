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
