package app

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/modeltest"
)

const batteryTask = "put the battery in the white box"

// pointed are the arguments of pick and place as the offline planner gives them on the small table: what a model that
// plans well would point at there.
func pointed(t *testing.T) (pick, place json.RawMessage) {
	t.Helper()
	record := t.TempDir()
	res, err := Run(t.Context(), batteryTask, Options{Scene: "battery", Record: record, NoFilm: true})
	if err != nil || res.Checked == nil || !*res.Checked {
		t.Fatalf("got %+v, %v", res, err)
	}
	dir, err := episode.Find(record, *res.Episode)
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range episode.Read(dir) {
		if err != nil {
			t.Fatal(err)
		}
		if a, ok := e.Event.(episode.ActionStarted); ok && a.Tool == "pick_object" {
			pick = a.Args
		} else if ok && a.Tool == "place_at" {
			place = a.Args
		}
	}
	return pick, place
}

func TestModelsCarryATaskOut(t *testing.T) {
	pick, place := pointed(t)
	plan := fmt.Sprintf(`{"steps":[{"text":"pick","tool":"pick_object","args":%s},{"text":"place","tool":"place_at","args":%s}]}`, pick, place)
	for _, w := range []modeltest.Wire{modeltest.Anthropic(), modeltest.Chat(), modeltest.Responses()} {
		t.Run(w.Name, func(t *testing.T) {
			srv := modeltest.Listen(t, w, modeltest.Rules{NoKey: true},
				modeltest.Step{Status: 529, Body: `{"type":"error","error":{"type":"overloaded_error","message":"busy"}}`, Header: map[string]string{"Retry-After": "0"}},
				modeltest.Step{Chunk: 7, Pings: true, Reply: modeltest.Reply{Text: "I pick it up.", Calls: []model.Call{
					{ID: "a", Name: "fly", Args: json.RawMessage(`{}`)},
					{ID: "b", Name: "update_plan", Args: json.RawMessage(plan)},
					{ID: "c", Name: "pick_object", Args: pick},
				}}},
				modeltest.Step{Reply: modeltest.Reply{Thought: "t", Calls: []model.Call{
					{ID: "d", Name: "finish_task", Args: json.RawMessage(`{"success":true,"summary":"It is in the box."}`)},
				}}})
			t.Setenv("ANTHROPIC_API_KEY", "poison")
			t.Setenv("OPENAI_API_KEY", "poison")
			res, err := Run(t.Context(), batteryTask, Options{
				Scene: "battery", NoRecord: true, NoFilm: true, Planner: w.Name + ":any", PlannerURL: srv.URL,
			})
			if err != nil || res.Status != "succeeded" || res.Turns != 2 || res.Actions != 2 || res.Refused != 1 {
				t.Errorf("got %+v, %v", res, err)
			}
			if n := len(srv.Requests()); n != 3 {
				t.Errorf("got %d requests, want 3: one was overloaded", n)
			}
		})
	}
}

func TestPlannerFlagsAreChecked(t *testing.T) {
	tests := map[string]struct {
		o    Options
		want string
	}{
		"no_model":         {Options{Planner: "anthropic"}, "provider:model"},
		"unknown_provider": {Options{Planner: "oracle:x"}, "provider:model"},
		"rules_elsewhere":  {Options{PlannerURL: "http://127.0.0.1:1"}, "at no address"},
		"no_key":           {Options{Planner: "anthropic:claude"}, "ANTHROPIC_API_KEY"},
		"monitor_no_model": {Options{Monitor: "openai_decisions"}, "provider:model"},
		"monitor_unknown":  {Options{Monitor: "oracle:x"}, "provider:model"},
		"rules_no_model":   {Options{Monitor: "rules:x"}, "provider:model"},
		"monitor_no_key":   {Options{Monitor: "openai_decisions:gpt-6-luna"}, "OPENAI_API_KEY"},
		"monitor_nowhere":  {Options{Monitor: "openai:x", MonitorURL: "localhost"}, "no address"},
		"no_monitor_there": {Options{MonitorURL: "http://127.0.0.1:1"}, "no monitor"},
		"rules_at_no_url":  {Options{Monitor: "rules", MonitorURL: "http://127.0.0.1:1"}, "at no address"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv("ANTHROPIC_API_KEY", "")
			t.Setenv("OPENAI_API_KEY", "")
			_, err := Run(t.Context(), "press the button", tc.o)
			if err == nil || !IsUsage(err) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}
