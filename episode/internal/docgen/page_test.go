package main

import (
	"os"
	"strings"
	"testing"
)

func TestPageIsWritten(t *testing.T) {
	want, err := Page("../../events.go")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../../docs/episode-format.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/episode-format.md is not what the events say; run go generate ./episode")
	}
	for _, part := range []string{"| `action_ended` | `action`, `tool`, `outcome` (succeeded \\| failed", "| PlanItem |", "| `job_done` |"} {
		if !strings.Contains(want, part) {
			t.Errorf("the page does not hold %q", part)
		}
	}
}
