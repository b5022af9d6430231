package openai_test

import (
	"encoding/json"
	"testing"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/modeltest"
	"github.com/rein-robotics/rein/model/openai"
)

func TestChatBody(t *testing.T) {
	talk := modeltest.Talk(model.Opaque{Provider: "openai", Raw: json.RawMessage(`{"at":"message","members":{"reasoning_content":"hm"}}`)})
	local := openai.ChatSetup{Model: "any", Reasoning: model.Reasoning{Output: 8192}, Echo: model.EchoCalls, Counted: true}
	keeps := local
	keeps.Echo = model.EchoAll
	tests := []struct {
		name    string
		request model.Request
		setup   openai.ChatSetup
	}{
		{"task", talk[0], local},
		{"results", talk[1], local},
		{"to_the_end", talk[len(talk)-1], keeps},
		{"vendor", modeltest.Ask("go"), openai.ChatSetup{Model: "gpt-5.2", Vendor: true, Reasoning: model.Reasoning{Effort: "low", Output: 16384}}},
		{"output", model.Request{Messages: modeltest.Ask("is it so?").Messages}, openai.ChatSetup{
			Model: "gpt-5.2", Reasoning: model.Reasoning{Output: 512}, Output: json.RawMessage(`{"type":"object","properties":{"p":{"type":"number"}}}`),
		}},
	}
	names, bodies := []string{}, map[string]any{}
	for _, tc := range tests {
		body, err := openai.ChatBody(tc.request, tc.setup)
		if err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		names, bodies[tc.name] = append(names, tc.name), body
	}
	modeltest.Golden(t, "testdata/chat.txtar", names, bodies)
}

func TestResponsesBody(t *testing.T) {
	talk := modeltest.Talk(model.Opaque{Provider: "openai_responses", Raw: json.RawMessage(`{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"e"}`)})
	plain := openai.ResponsesSetup{Model: "any", Reasoning: model.Reasoning{Output: 8192}, Reasons: true}
	tests := []struct {
		name    string
		request model.Request
		setup   openai.ResponsesSetup
	}{
		{"task", talk[0], plain},
		{"results", talk[1], plain},
		{"to_the_end", talk[len(talk)-1], plain},
		{"effort", modeltest.Ask("go"), openai.ResponsesSetup{Model: "gpt-5.2", Reasons: true, Reasoning: model.Reasoning{Effort: "low", Output: 16384}}},
		{"output_native", model.Request{Messages: modeltest.Ask("is it so?").Messages}, openai.ResponsesSetup{
			Model: "gpt-4.1", Reasoning: model.Reasoning{Output: 512}, Output: json.RawMessage(`{"type":"object","properties":{"p":{"type":"number"}}}`),
			NativeTools: []json.RawMessage{json.RawMessage(`{"type":"web_search"}`)},
		}},
	}
	names, bodies := []string{}, map[string]any{}
	for _, tc := range tests {
		body, err := openai.ResponsesBody(tc.request, tc.setup)
		if err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		names, bodies[tc.name] = append(names, tc.name), body
	}
	modeltest.Golden(t, "testdata/responses.txtar", names, bodies)
}
