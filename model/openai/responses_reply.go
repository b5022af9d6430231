package openai

import (
	"encoding/json"

	"github.com/openai/openai-go/v3/responses"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/wire"
)

// responsesReply puts the events of one stream together. It is pure.
type responsesReply struct {
	held    wire.Held
	written map[int64]bool // output items whose text came in pieces
	any     bool           // there was a call
	refused bool
	why     string // of an incomplete response
	usage   model.Usage
	counted bool
	done    bool   // response.completed or response.incomplete came
	failed  string // the error that came in an event, as JSON
}

// event takes one event and gives what is complete with it. A call, as an item of reasoning, is complete at its
// output_item.done.
func (a *responsesReply) event(e responses.ResponseStreamEventUnion) []model.Part {
	switch e.Type {
	case "response.output_text.delta", "response.refusal.delta":
		a.refused = a.refused || e.Type == "response.refusal.delta"
		if e.Delta == "" {
			return nil
		}
		if a.written == nil {
			a.written = map[int64]bool{}
		}
		a.written[e.OutputIndex] = true
		return []model.Part{model.Text{Text: e.Delta}}
	case "response.output_item.done":
		return a.item(e)
	case "response.completed", "response.incomplete":
		a.done = true
		a.why = e.Response.IncompleteDetails.Reason
		if e.Type == "response.incomplete" && a.why == "" {
			a.why = "max_output_tokens"
		}
		a.count(e.Response)
		return a.held.Release(a.reason())
	case "response.failed":
		a.count(e.Response)
		a.failed = failure(e.Response.Error.RawJSON())
	case "error":
		a.failed = failure(e.RawJSON())
	}
	return nil
}

// failure is never empty.
func failure(raw string) string {
	if raw == "" || raw == "null" {
		return `{"code":"server_error","message":"the response failed"}`
	}
	return raw
}

func (a *responsesReply) item(e responses.ResponseStreamEventUnion) []model.Part {
	switch e.Item.Type {
	case "function_call":
		c := e.Item.AsFunctionCall()
		a.any = true
		return a.held.Add(model.Call{ID: c.CallID, Name: c.Name, Args: wire.Args(c.Arguments)})
	case "message":
		if a.written[e.OutputIndex] {
			return nil
		}
		var out []model.Part
		for _, c := range e.Item.Content {
			if s := c.Text + c.Refusal; s != "" {
				a.refused = a.refused || c.Refusal != ""
				out = append(out, model.Text{Text: s})
			}
		}
		return out
	}
	return []model.Part{model.Opaque{Provider: ResponsesName, Raw: json.RawMessage(e.Item.RawJSON())}}
}

func (a *responsesReply) count(r responses.Response) {
	if !r.JSON.Usage.Valid() {
		return
	}
	a.counted = true
	u := r.Usage
	a.usage = model.Usage{
		Input: int(u.InputTokens), Output: int(u.OutputTokens), CachedRead: int(u.InputTokensDetails.CachedTokens),
		CachedWrite: int(u.InputTokensDetails.CacheWriteTokens), Reasoning: int(u.OutputTokensDetails.ReasoningTokens),
	}.Bounded()
}

func (a *responsesReply) reason() model.StopReason {
	switch {
	case a.why == "content_filter" || a.refused:
		return model.StopRefusal
	case a.why != "":
		return model.StopMaxTokens
	case a.any:
		return model.StopToolUse
	}
	return model.StopEndTurn
}
