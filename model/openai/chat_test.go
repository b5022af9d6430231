package openai_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/modeltest"
	"github.com/rein-robotics/rein/model/openai"
)

func askChat(t *testing.T, e model.Endpoint, rules modeltest.Rules, r model.Request, step modeltest.Step) (modeltest.Result, *modeltest.Server) {
	t.Helper()
	var out modeltest.Result
	var srv *modeltest.Server
	synctest.Test(t, func(t *testing.T) {
		srv = modeltest.New(t, modeltest.Chat(), rules, step)
		e.BaseURL, e.Key = srv.URL, modeltest.Key
		p, err := openai.NewChat(e, srv.Client())
		if err != nil {
			t.Fatal(err)
		}
		out = modeltest.Collect(t.Context(), p, r)
	})
	return out, srv
}

// calls are the deltas of a stream, each a list of pieces of calls as JSON, then the finish.
func calls(finish string, pieces ...string) []modeltest.Event {
	var out []modeltest.Event
	for _, p := range pieces {
		out = append(out, modeltest.Chunk(map[string]any{"tool_calls": json.RawMessage("[" + p + "]")}, nil))
	}
	return append(out, modeltest.Chunk(map[string]any{}, finish), modeltest.Event{Data: "[DONE]"})
}

func piece(index, id, name, args string) string {
	var o []string
	if index != "" {
		o = append(o, `"index":`+index)
	}
	if id != "" {
		o = append(o, fmt.Sprintf(`"id":%q`, id))
	}
	var f []string
	if name != "" {
		f = append(f, fmt.Sprintf(`"name":%q`, name))
	}
	f = append(f, fmt.Sprintf(`"arguments":%q`, args))
	return "{" + strings.Join(append(o, `"function":{`+strings.Join(f, ",")+"}"), ",") + "}"
}

// What servers of this wire do to the pieces of calls.
func TestChatAssembly(t *testing.T) {
	tests := map[string]struct {
		events []modeltest.Event
		want   []string
		end    model.StopReason
	}{
		"all_at_index_0":         {calls("tool_calls", piece("0", "a", "observe", `{}`), piece("0", "b", "pick", `{"at":[1]}`)), []string{"a observe {}", `b pick {"at":[1]}`}, model.StopToolUse},
		"all_at_index_0_in_one":  {calls("tool_calls", piece("0", "a", "observe", `{}`)+","+piece("0", "b", "observe", `{"n":2}`)), []string{"a observe {}", `b observe {"n":2}`}, model.StopToolUse},
		"no_index":               {calls("tool_calls", piece("", "a", "observe", `{"n":1}`), piece("", "b", "pick", `{"at"`), piece("", "", "", `:[1]}`)), []string{`a observe {"n":1}`, `b pick {"at":[1]}`}, model.StopToolUse},
		"no_ids":                 {calls("tool_calls", piece("0", "", "observe", ``), piece("0", "", "", `{}`), piece("1", "", "pick", `{"at":[1]}`)), []string{" observe {}", ` pick {"at":[1]}`}, model.StopToolUse},
		"no_ids_no_index":        {calls("tool_calls", piece("", "", "observe", `{}`), piece("", "", "pick", `{"at":[1]}`), piece("", "", "pick", `{"at":[2]}`)), []string{" observe {}", ` pick {"at":[1]}`, ` pick {"at":[2]}`}, model.StopToolUse},
		"one_id_for_all":         {calls("tool_calls", piece("0", "a", "pick", `{"at":[1]}`), piece("1", "a", "pick", `{"at":[2]}`)), []string{`a pick {"at":[1]}`, `a pick {"at":[2]}`}, model.StopToolUse},
		"one_id_with_each_piece": {calls("tool_calls", piece("0", "a", "pick", `{"at":`), piece("0", "a", "pick", `[1]}`), piece("0", "a", "pick", ``)), []string{`a pick {"at":[1]}`}, model.StopToolUse},
		"one_call_at_many":       {calls("tool_calls", piece("0", "a", "pick", `{"at":[1]}`), piece("1", "a", "pick", `{"at":[1]}`), piece("2", "a", "pick", `{"at":[1]}`)), []string{`a pick {"at":[1]}`}, model.StopToolUse},
		"stop_with_calls":        {calls("stop", piece("0", "a", "observe", `{}`)), []string{"a observe {}"}, model.StopToolUse},
		"opens_with_braces":      {calls("tool_calls", piece("0", "a", "pick", `{}`), piece("0", "", "", `{"at":`), piece("0", "", "", `[1]}`)), []string{`a pick {"at":[1]}`}, model.StopToolUse},
		"interleaved":            {calls("tool_calls", piece("0", "a", "pick", `{"at"`), piece("1", "b", "observe", `{"n"`), piece("0", "", "", `:[1]}`), piece("1", "", "", `:1}`)), []string{`a pick {"at":[1]}`, `b observe {"n":1}`}, model.StopToolUse},
		"half_at_the_limit":      {calls("length", piece("0", "a", "observe", `{}`), piece("1", "b", "pick", `{"at":`)), []string{"a observe {}"}, model.StopMaxTokens},
		"name_at_the_limit":      {calls("length", piece("0", "b", "pick", ``)), nil, model.StopMaxTokens},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, _ := askChat(t, model.Endpoint{Model: "any"}, modeltest.Rules{}, modeltest.Ask("go"), modeltest.Step{Events: tc.events})
			var said []string
			for _, c := range got.Calls {
				said = append(said, fmt.Sprintf("%s %s %s", c.ID, c.Name, c.Args))
			}
			if diff := cmp.Diff(said, tc.want); diff != "" || got.End != tc.end || got.Err != nil {
				t.Errorf("got end %q, error %v, %s", got.End, got.Err, diff)
			}
		})
	}
}

func TestChatOddStreams(t *testing.T) {
	plain := modeltest.Chunk(map[string]any{"content": "yes"}, nil)
	stop := modeltest.Chunk(map[string]any{}, "stop")
	withNull := func(e modeltest.Event) modeltest.Event {
		e.Data = strings.Replace(e.Data, "{", `{"error": null,`, 1)
		return e
	}
	tests := map[string]struct {
		events []modeltest.Event
		end    model.StopReason
		class  model.Class
	}{
		"null_error_in_each": {[]modeltest.Event{withNull(plain), withNull(stop)}, model.StopEndTurn, ""},
		"no_done":            {[]modeltest.Event{plain, stop}, model.StopEndTurn, ""},
		"done_without_end":   {[]modeltest.Event{plain, {Data: "[DONE]"}}, "", model.DeadStream},
		"finish_error":       {[]modeltest.Event{plain, modeltest.Chunk(map[string]any{}, "error")}, "", model.ServerFault},
		"refusal":            {[]modeltest.Event{modeltest.Chunk(map[string]any{"refusal": "yes"}, nil), stop}, model.StopRefusal, ""},
		"error_as_text":      {[]modeltest.Event{plain, {Data: `{"error":"CUDA out of memory"}`}}, "", model.ServerFault},
		"error_with_code":    {[]modeltest.Event{plain, {Data: `{"error":{"message":"slow down","code":429}}`}}, "", model.RateLimit},
		"context_exceeded":   {[]modeltest.Event{plain, {Data: `{"error":{"message":"x","code":"context_length_exceeded","type":"invalid_request_error"}}`}}, "", model.TooLarge},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, _ := askChat(t, model.Endpoint{Model: "any"}, modeltest.Rules{}, modeltest.Ask("go"), modeltest.Step{Events: tc.events})
			if got.Text != "yes" || got.End != tc.end || model.ClassOf(got.Err) != tc.class {
				t.Errorf("got %q, end %q, %v", got.Text, got.End, got.Err)
			}
		})
	}
}

// A server that hangs after the reply is complete costs seconds, not the reply.
func TestChatHangsAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := modeltest.New(t, modeltest.Chat(), modeltest.Rules{}, modeltest.Step{Events: []modeltest.Event{modeltest.Chunk(map[string]any{"content": "yes"}, "stop")}, Fault: modeltest.Stall, At: 1})
		p, err := openai.NewChat(model.Endpoint{Model: "any", BaseURL: srv.URL, Key: modeltest.Key}, srv.Client())
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if got := modeltest.Collect(t.Context(), p, modeltest.Ask("go")); got.End != model.StopEndTurn || time.Since(began) > 10*time.Second {
			t.Errorf("got %q, %v after %s", got.End, got.Err, time.Since(began))
		}
	})
}

func TestRefusedStreamOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := modeltest.New(t, modeltest.Chat(), modeltest.Rules{RefuseStreamOptions: true}, modeltest.Step{Reply: modeltest.Reply{Text: "yes"}})
		p, err := openai.NewChat(model.Endpoint{Model: "any", BaseURL: srv.URL, Key: modeltest.Key}, srv.Client())
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if got := modeltest.Collect(t.Context(), p, modeltest.Ask("go")); got.Err != nil || got.Text != "yes" {
				t.Errorf("got %q, %v", got.Text, got.Err)
			}
		}
		if n := len(srv.Requests()); n != 3 {
			t.Errorf("got %d requests; it should be asked without once and for all", n)
		}
	})
}

// What a server sends beside a call goes back beside it; what it sends beside the text, where the model's row says so.
func TestChatEcho(t *testing.T) {
	beside := `{"google":{"thought_signature":"s=="}}`
	first := strings.Replace(piece("0", "a", "observe", "{}"), `{"index"`, `{"extra_content":`+beside+`,"index"`, 1)
	events := append([]modeltest.Event{
		modeltest.Chunk(map[string]any{"reasoning_content": "I th"}, nil), modeltest.Chunk(map[string]any{"reasoning_content": "ink"}, nil),
	}, calls("tool_calls", first, piece("1", "b", "pick", `{"at":[1]}`))...)
	for name, want := range map[string]string{"any": "", "deepseek-reasoner": "I think"} {
		t.Run(name, func(t *testing.T) {
			got, _ := askChat(t, model.Endpoint{Model: name}, modeltest.Rules{}, modeltest.Ask("go"), modeltest.Step{Events: events})
			if got.Err != nil || len(got.Opaque) != 2 || len(got.Calls) != 2 {
				t.Fatalf("got %+v", got)
			}
			r := modeltest.Ask("go")
			r.Messages = append(r.Messages, model.Message{Role: model.RoleAssistant, Blocks: []model.Block{
				{Opaque: &model.OpaqueBlock{Provider: "openai", Raw: got.Opaque[0].Raw}}, {Opaque: &model.OpaqueBlock{Provider: "openai", Raw: got.Opaque[1].Raw}},
				{Call: &model.CallBlock{ID: "call_1", Name: "observe", Args: json.RawMessage("{}")}}, {Call: &model.CallBlock{ID: "call_2", Name: "pick", Args: json.RawMessage(`{"at":[1]}`)}},
			}}, model.Message{Role: model.RoleUser, Blocks: []model.Block{
				{Result: &model.ResultBlock{CallID: "call_1", JSON: json.RawMessage(`{}`)}}, {Result: &model.ResultBlock{CallID: "call_2", JSON: json.RawMessage(`{}`)}},
			}})
			_, srv := askChat(t, model.Endpoint{Model: name}, modeltest.Rules{}, r, modeltest.Step{})
			said := srv.Requests()[0].Body["messages"].([]any)[2].(map[string]any)
			if thought, _ := said["reasoning_content"].(string); thought != want {
				t.Errorf("reasoning: got %q, want %q", thought, want)
			}
			made := said["tool_calls"].([]any)
			back, err := json.Marshal(made[0].(map[string]any)["extra_content"])
			if _, second := made[1].(map[string]any)["extra_content"]; err != nil || string(back) != beside || second {
				t.Errorf("got %s, at the other call %v", back, second)
			}
		})
	}
}

func TestChatParameters(t *testing.T) {
	tests := map[string]struct {
		endpoint model.Endpoint
		effort   any
		notes    int
	}{
		"unknown": {model.Endpoint{Model: "any", ReasoningEffort: "high"}, nil, 1},
		"known":   {model.Endpoint{Model: "gpt-5.2", ReasoningEffort: "high"}, "high", 0},
		"less":    {model.Endpoint{Model: "gpt-5", ReasoningEffort: "xhigh"}, "high", 1},
		"none":    {model.Endpoint{Model: "gpt-5.2", ReasoningEffort: "none"}, "none", 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, srv := askChat(t, tc.endpoint, modeltest.Rules{}, modeltest.Ask("go"), modeltest.Step{})
			body := srv.Requests()[0].Body
			if body["reasoning_effort"] != tc.effort || body["max_tokens"] == nil {
				t.Errorf("got effort %v, max_tokens %v", body["reasoning_effort"], body["max_tokens"])
			}
			if p, err := openai.NewChat(tc.endpoint, nil); err != nil || len(p.Notes()) != tc.notes {
				t.Errorf("got notes %v, %v", p.Notes(), err)
			}
		})
	}
}
