package openai_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/modeltest"
	"github.com/rein-robotics/rein/model/openai"
)

func named(lines ...string) []modeltest.Event {
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

func done(index int, item string) string {
	return fmt.Sprintf(`{"type":"response.output_item.done","output_index":%d,"item":%s}`, index, item)
}

func TestResponsesStream(t *testing.T) {
	const completed = `{"type":"response.completed","response":{"status":"completed","usage":{"input_tokens":9,"output_tokens":2}}}`
	pick := `{"type":"function_call","id":"fc_1","call_id":"call_x","name":"pick","arguments":"{\"at\":[1]}"}`
	tests := map[string]struct {
		events []modeltest.Event
		calls  []string
		opaque int
		text   string
		end    model.StopReason
		class  model.Class
	}{
		"call_id_not_id":     {events: named(done(0, pick), completed), calls: []string{`call_x pick {"at":[1]}`}, end: model.StopToolUse},
		"text_without_delta": {events: named(done(0, `{"type":"message","content":[{"type":"output_text","text":"yes"}]}`), completed), text: "yes", end: model.StopEndTurn},
		"refusal":            {events: named(`{"type":"response.refusal.delta","output_index":0,"delta":"no"}`, completed), text: "no", end: model.StopRefusal},
		"filtered":           {events: named(`{"type":"response.incomplete","response":{"incomplete_details":{"reason":"content_filter"}}}`), end: model.StopRefusal},
		"half_call": {events: named(done(0, `{"type":"function_call","call_id":"a","name":"pick","arguments":"{\"at\":","status":"incomplete"}`),
			`{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}}`), end: model.StopMaxTokens},
		"reasoning_only_when_done": {events: named(`{"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"rs_1"}}`, done(0, `{"type":"reasoning","id":"rs_1","encrypted_content":"e"}`), done(1, pick), completed),
			calls: []string{`call_x pick {"at":[1]}`}, opaque: 1, end: model.StopToolUse},
		"tool_of_the_provider": {events: named(done(0, `{"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"x"}}`), completed), opaque: 1, end: model.StopEndTurn},
		"failed":               {events: named(`{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"oh"}}}`), class: model.ServerFault},
		"failed_rate":          {events: named(`{"type":"response.failed","response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"oh"}}}`), class: model.RateLimit},
		"failed_without_why":   {events: named(`{"type":"response.failed","response":{"status":"failed","error":null}}`), class: model.ServerFault},
		"nested_error":         {events: named(`{"type":"error","error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"too long"}}`), class: model.TooLarge},
		"no_completed":         {events: named(done(0, pick)), calls: []string{`call_x pick {"at":[1]}`}, class: model.DeadStream},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := modeltest.New(t, modeltest.Responses(), modeltest.Rules{}, modeltest.Step{Events: tc.events})
				p, err := openai.NewResponses(model.Endpoint{Model: "any", BaseURL: srv.URL, Key: modeltest.Key}, srv.Client())
				if err != nil {
					t.Fatal(err)
				}
				got := modeltest.Collect(t.Context(), p, modeltest.Ask("go"))
				var said []string
				for _, c := range got.Calls {
					said = append(said, fmt.Sprintf("%s %s %s", c.ID, c.Name, c.Args))
				}
				if diff := cmp.Diff(said, tc.calls); diff != "" {
					t.Error(diff)
				}
				if got.Text != tc.text || len(got.Opaque) != tc.opaque || got.End != tc.end || model.ClassOf(got.Err) != tc.class {
					t.Errorf("got %q, %d opaque, end %q, %v", got.Text, len(got.Opaque), got.End, got.Err)
				}
			})
		})
	}
}
