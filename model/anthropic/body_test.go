package anthropic_test

import (
	"encoding/json"
	"testing"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/anthropic"
	"github.com/rein-robotics/rein/model/modeltest"
)

func TestBody(t *testing.T) {
	thought := model.Opaque{Provider: "anthropic", Raw: json.RawMessage(`{"signature":"s==","thinking":"","type":"thinking"}`)}
	talk := modeltest.Talk(thought)
	plain := anthropic.Setup{Model: "any", Reasoning: model.Reasoning{Output: 8192}}
	tests := []struct {
		name    string
		request model.Request
		setup   anthropic.Setup
	}{
		{"task", talk[0], plain},
		{"results", talk[1], plain},
		{"to_the_end", talk[len(talk)-1], plain},
		{"budget", modeltest.Ask("go"), anthropic.Setup{Model: "claude-haiku-4-5", Reasoning: model.Reasoning{Budget: 4096, Output: 12288}}},
		{"adaptive", modeltest.Ask("go"), anthropic.Setup{Model: "claude-opus-4-8", Reasoning: model.Reasoning{Adaptive: true, Effort: "medium", Output: 16384}}},
		{"no_thinking", modeltest.Ask("go"), anthropic.Setup{Model: "claude-opus-4-8", Reasoning: model.Reasoning{Off: true, Output: 16384}}},
		{"output_native", model.Request{Messages: modeltest.Ask("is it so?").Messages}, anthropic.Setup{
			Model: "claude-opus-4-8", Reasoning: model.Reasoning{Output: 512}, Output: json.RawMessage(`{"type":"object","properties":{"p":{"type":"number"}}}`),
			NativeTools: []json.RawMessage{json.RawMessage(`{"type":"web_search_20260318","name":"web_search"}`)},
		}},
	}
	names, bodies := []string{}, map[string]any{}
	for _, tc := range tests {
		body, err := anthropic.Body(tc.request, tc.setup)
		if err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		names, bodies[tc.name] = append(names, tc.name), body
	}
	modeltest.Golden(t, "testdata/body.txtar", names, bodies)
}
