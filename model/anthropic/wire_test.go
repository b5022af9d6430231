package anthropic_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/anthropic"
	"github.com/rein-robotics/rein/model/modeltest"
)

// stream is a stream of events, each written as its JSON.
func stream(lines ...string) []modeltest.Event {
	var out []modeltest.Event
	for _, l := range lines {
		var e struct{ Type string }
		if err := json.Unmarshal([]byte(l), &e); err != nil {
			panic(l + ": " + err.Error())
		}
		out = append(out, modeltest.Event{Name: e.Type, Data: l})
	}
	return out
}

const (
	begin = `{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"usage":{"input_tokens":5,"output_tokens":1}}}`
	over  = `{"type":"message_stop"}`
)

func start(i int, block string) string {
	return fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, i, block)
}

func delta(i int, d string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, i, d)
}

func stop(i int) string { return fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, i) }

func because(why string) string {
	return fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":%q},"usage":{"output_tokens":9}}`, why)
}

func args(s string) string {
	q, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return `{"type":"input_json_delta","partial_json":` + string(q) + `}`
}

func ask(t *testing.T, e model.Endpoint, rules modeltest.Rules, step modeltest.Step) (modeltest.Result, *modeltest.Server) {
	t.Helper()
	var out modeltest.Result
	var srv *modeltest.Server
	synctest.Test(t, func(t *testing.T) {
		srv = modeltest.New(t, modeltest.Anthropic(), rules, step)
		e.BaseURL, e.Key = srv.URL, modeltest.Key
		p, err := anthropic.New(e, srv.Client())
		if err != nil {
			t.Fatal(err)
		}
		out = modeltest.Collect(t.Context(), p, modeltest.Ask("go"))
	})
	return out, srv
}

func TestStream(t *testing.T) {
	look := start(0, `{"type":"tool_use","id":"a","name":"observe","input":{}}`)
	pick := start(1, `{"type":"tool_use","id":"b","name":"pick","input":{}}`)
	tests := map[string]struct {
		events []string
		calls  []string
		opaque []string
		end    model.StopReason
		fails  bool
	}{
		"interleaved_blocks": {
			events: []string{begin, look, pick, delta(1, args(`{"at":`)), delta(0, args(`{"n":1}`)), stop(0), delta(1, args(`[1]}`)), stop(1), because("tool_use"), over},
			calls:  []string{`observe {"n":1}`, `pick {"at":[1]}`}, end: model.StopToolUse,
		},
		"each_at_its_own_stop": {
			events: []string{begin, look, pick, delta(1, args(`{"at":[1]}`)), stop(1), delta(0, args(`{"n":1}`)), stop(0), because("tool_use"), over},
			calls:  []string{`pick {"at":[1]}`, `observe {"n":1}`}, end: model.StopToolUse,
		},
		"whole_input_at_the_start": {
			events: []string{begin, start(0, `{"type":"tool_use","id":"a","name":"observe","input":{"n":1}}`), stop(0), because("tool_use"), over},
			calls:  []string{`observe {"n":1}`}, end: model.StopToolUse,
		},
		"thought_without_its_text": {
			events: []string{begin, start(0, `{"type":"thinking","thinking":"","signature":""}`), delta(0, `{"type":"signature_delta","signature":"abc="}`), stop(0), because("end_turn"), over},
			opaque: []string{`{"type":"thinking","thinking":"","signature":"abc="}`}, end: model.StopEndTurn,
		},
		"thought_that_did_not_end": {
			events: []string{
				begin, start(0, `{"type":"thinking","thinking":"","signature":""}`), delta(0, `{"type":"signature_delta","signature":"abc="}`), stop(0),
				start(1, `{"type":"thinking","thinking":"","signature":""}`), delta(1, `{"type":"thinking_delta","thinking":"I"}`),
			},
			opaque: []string{`{"type":"thinking","thinking":"","signature":"abc="}`}, fails: true,
		},
		"redacted_thought": {
			events: []string{begin, start(0, `{"type":"redacted_thinking","data":"xyz","more":[1]}`), stop(0), because("end_turn"), over},
			opaque: []string{`{"type":"redacted_thinking","data":"xyz","more":[1]}`}, end: model.StopEndTurn,
		},
		"tool_of_the_provider": {
			events: []string{
				begin, start(0, `{"type":"server_tool_use","id":"s","name":"web_search","input":{}}`), delta(0, args(`{"query":"x"}`)), stop(0),
				start(1, `{"type":"web_search_tool_result","tool_use_id":"s","content":[{"type":"web_search_result","encrypted_content":"e"}]}`), stop(1), because("pause_turn"), over,
			},
			opaque: []string{
				`{"type":"server_tool_use","id":"s","name":"web_search","input":{"query":"x"}}`,
				`{"type":"web_search_tool_result","tool_use_id":"s","content":[{"type":"web_search_result","encrypted_content":"e"}]}`,
			}, end: model.StopPause,
		},
		"full_window":   {events: []string{begin, because("model_context_window_exceeded"), over}, end: model.StopContext},
		"stop_sequence": {events: []string{begin, because("stop_sequence"), over}, end: model.StopEndTurn},
		"half_call_at_a_full_window": {
			events: []string{begin, look, delta(0, args(`{"n":`)), stop(0), because("model_context_window_exceeded"), over}, end: model.StopContext,
		},
		"no_stop_of_the_message": {events: []string{begin, look, stop(0), because("tool_use")}, calls: []string{"observe {}"}, fails: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, _ := ask(t, model.Endpoint{Model: "any"}, modeltest.Rules{}, modeltest.Step{Events: stream(tc.events...)})
			var calls []string
			for _, c := range got.Calls {
				calls = append(calls, c.Name+" "+string(c.Args))
			}
			if diff := cmp.Diff(calls, tc.calls); diff != "" {
				t.Errorf("calls: %s", diff)
			}
			if got.End != tc.end || (got.Err != nil) != tc.fails {
				t.Errorf("got end %q, error %v", got.End, got.Err)
			}
			if len(got.Opaque) != len(tc.opaque) {
				t.Fatalf("got opaque %v, want %v", got.Opaque, tc.opaque)
			}
			for i, o := range got.Opaque {
				if diff := cmp.Diff(decoded(t, string(o.Raw)), decoded(t, tc.opaque[i])); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

func decoded(t *testing.T, s string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestUsage(t *testing.T) {
	tests := map[string]struct {
		start, delta string
		want         model.Usage
	}{
		"both":     {`{"input_tokens":10,"cache_read_input_tokens":70,"cache_creation_input_tokens":20,"output_tokens":1}`, `{"output_tokens":30,"output_tokens_details":{"thinking_tokens":12}}`, model.Usage{Input: 100, Output: 30, CachedRead: 70, CachedWrite: 20, Reasoning: 12}},
		"at_end":   {`{"input_tokens":0,"output_tokens":0}`, `{"input_tokens":10,"cache_read_input_tokens":5,"output_tokens":3}`, model.Usage{Input: 15, Output: 3, CachedRead: 5}},
		"at_start": {`{"input_tokens":10,"output_tokens":4}`, `{}`, model.Usage{Input: 10, Output: 4}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, _ := ask(t, model.Endpoint{Model: "any"}, modeltest.Rules{}, modeltest.Step{Events: stream(
				`{"type":"message_start","message":{"usage":`+tc.start+`}}`, `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":`+tc.delta+`}`, over)})
			if got.Usage == nil || *got.Usage != tc.want {
				t.Errorf("got %+v, want %+v", got.Usage, tc.want)
			}
		})
	}
}

// A budget is sent to the models that take one, an effort to those that refuse it, and nothing to the unknown.
func TestThinking(t *testing.T) {
	tests := map[string]struct {
		endpoint model.Endpoint
		thinking any
		output   any
		notes    int
	}{
		"unknown":        {model.Endpoint{Model: "any", ThinkingBudget: 4096}, nil, nil, 1},
		"unknown_effort": {model.Endpoint{Model: "any", ReasoningEffort: "high"}, nil, nil, 1},
		"older":          {model.Endpoint{Model: "claude-haiku-4-5-20251001", ThinkingBudget: 4096}, map[string]any{"type": "enabled", "budget_tokens": 4096.0}, nil, 0},
		"current":        {model.Endpoint{Model: "claude-opus-4-7", ThinkingBudget: 4096}, map[string]any{"type": "adaptive"}, map[string]any{"effort": "medium"}, 0},
		"current_much":   {model.Endpoint{Model: "claude-sonnet-5-5", ThinkingBudget: 60000}, map[string]any{"type": "adaptive"}, map[string]any{"effort": "xhigh"}, 0},
		"effort":         {model.Endpoint{Model: "claude-opus-5", ReasoningEffort: "max"}, map[string]any{"type": "adaptive"}, map[string]any{"effort": "max"}, 0},
		"effort_below":   {model.Endpoint{Model: "claude-opus-5", ReasoningEffort: "minimal"}, map[string]any{"type": "adaptive"}, map[string]any{"effort": "low"}, 1},
		"nothing":        {model.Endpoint{Model: "claude-opus-5"}, nil, nil, 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			rules := modeltest.Rules{}
			if tc.endpoint.Model != "claude-haiku-4-5-20251001" {
				rules.RefuseThinking = "enabled"
			}
			got, srv := ask(t, tc.endpoint, rules, modeltest.Step{Reply: modeltest.Reply{Text: "yes"}})
			if got.Err != nil {
				t.Fatal(got.Err)
			}
			body := srv.Requests()[0].Body
			if diff := cmp.Diff(body["thinking"], tc.thinking); diff != "" {
				t.Errorf("thinking: %s", diff)
			}
			if diff := cmp.Diff(body["output_config"], tc.output); diff != "" {
				t.Errorf("output_config: %s", diff)
			}
			p, err := anthropic.New(tc.endpoint, nil)
			if err != nil || len(p.Notes()) != tc.notes {
				t.Errorf("got notes %v, error %v", p.Notes(), err)
			}
		})
	}
}

func TestRefusedThinkingIsNotAskedAgain(t *testing.T) {
	got, srv := ask(t, model.Endpoint{Model: "claude-haiku-4-5", ThinkingBudget: 4096}, modeltest.Rules{RefuseThinking: "enabled"}, modeltest.Step{})
	if model.ClassOf(got.Err) != model.BadRequest || len(srv.Requests()) != 1 {
		t.Errorf("got %v after %d requests", got.Err, len(srv.Requests()))
	}
}

// The SDK has a warning of its own for one model; none of it may reach our stderr.
func TestNothingOnStderr(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	was := os.Stderr
	os.Stderr = w
	budget := model.ThinkingBudget
	got, _ := ask(t, model.Endpoint{Model: "claude-opus-4-6", ThinkingBudget: 4096, Limits: &model.Override{Thinking: &budget}}, modeltest.Rules{}, modeltest.Step{})
	os.Stderr = was
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	said, err := io.ReadAll(r)
	if err != nil || len(said) > 0 || got.Err != nil {
		t.Errorf("got %q, %v, %v", said, err, got.Err)
	}
}
