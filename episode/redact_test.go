package episode_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/episode"
)

func TestRedactor(t *testing.T) {
	t.Parallel()
	r := episode.NewRedactor("my-secret-key", "short", "")
	for text, want := range map[string]string{
		"the key my-secret-key, twice my-secret-key":              "the key [redacted], twice [redacted]",
		"short words and xylophones stay":                         "short words and xylophones stay",
		"sk-abcdefghijklmnop1234 and Bearer abcdefghijklmnopqrst": "[redacted] and [redacted]",
	} {
		if got := r.Text(text); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	var none *episode.Redactor
	if got := none.Text("my-secret-key sk-abcdefghijklmnop1234"); got != "my-secret-key [redacted]" {
		t.Errorf("got %q", got)
	}
	plan := episode.PlanUpdated{Steps: []episode.PlanItem{{ID: "s1", Text: "use my-secret-key"}}}
	want := episode.PlanUpdated{Steps: []episode.PlanItem{{ID: "s1", Text: "use [redacted]"}}}
	if d := cmp.Diff(episode.Event(want), r.Event(plan)); d != "" {
		t.Error(d)
	}
	clean := episode.ActionStarted{Action: "a1", Args: json.RawMessage(`{"x": 1}`)}
	if d := cmp.Diff(episode.Event(clean), r.Event(clean)); d != "" {
		t.Errorf("an event without a key has changed: %s", d)
	}
}

// Who follows a log sees no key either, recorded or not.
func TestFollowersSeeNoKey(t *testing.T) {
	t.Parallel()
	opt := episode.Options{Redact: episode.NewRedactor("my-secret-key")}
	for name, l := range map[string]*episode.Log{"off": episode.Off(opt), "on": open(t, opt)} {
		if name == "on" {
			begin(t, l, "put my-secret-key away")
		}
		if err := l.Append(episode.AgentMessage{Text: "it is my-secret-key"}); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		seen := 0
		for e, err := range l.From(t.Context(), 0) {
			if err != nil {
				t.Fatal(err)
			}
			seen++
			if line, _ := e.MarshalJSON(); strings.Contains(string(line), "my-secret-key") {
				t.Errorf("%s: got %s", name, line)
			}
		}
		if seen == 0 {
			t.Errorf("%s: nothing was followed", name)
		}
	}
}
