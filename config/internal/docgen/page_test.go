package main

import (
	"os"
	"strings"
	"testing"
)

func TestPageIsWritten(t *testing.T) {
	want, err := Page("../../..")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/configuration.md is not what the structs say; run go generate ./config")
	}
	for line := range strings.Lines(want) {
		if strings.HasPrefix(line, "| `") && strings.HasSuffix(line, "|  |\n") {
			t.Errorf("nobody says what this means: %s", line)
		}
	}
	for _, part := range []string{
		"| `max_turns` | whole number; at least 1 | 80 |", "| `planner_heartbeat_s` | number; more than 0; at most 1000000 | 20 |",
		"| `when` | ", "| `max_target_area` |", "| `joints_deg` |", "| `limits_deg` | 2 × number; required", "| `api_key_env` | text |",
	} {
		if !strings.Contains(want, part) {
			t.Errorf("the page does not hold %q", part)
		}
	}
}
