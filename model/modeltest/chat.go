package modeltest

import (
	"strings"

	"github.com/rein-robotics/rein/model"
)

// Chat is the Chat Completions wire.
func Chat() Wire {
	return Wire{
		Name: "openai", path: "/v1/chat/completions",
		events: chatEvents, check: chatCheck,
		errorBody: func(kind, msg string) string {
			return js(object{"error": object{"message": msg, "type": kind, "param": nil, "code": kind}})
		},
		streamError: func(kind string) Event {
			return Event{Data: js(object{"error": object{"message": "it broke", "type": kind, "code": nil}})}
		},
		keyHeader: func(key string) (string, string) { return "Authorization", "Bearer " + key },
		history:   func(b map[string]any) []any { return list(b, "messages") },
		opaque:    func(string) any { return nil }, // what is unknown beside a text goes back where a row says so only
		marks:     func(map[string]any) int { return 0 },
		final:     func(e Event) bool { return strings.Contains(e.Data, `"finish_reason":"`) },
	}
}

// Chunk is one event of a chat stream.
func Chunk(delta object, finish any) Event {
	return Event{Data: js(object{
		"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
		"choices": []any{object{"index": 0, "delta": delta, "finish_reason": finish}},
	})}
}

func chatEvents(r Reply) []Event {
	out := []Event{Chunk(object{"role": "assistant", "content": ""}, nil)}
	if r.Thought != "" {
		out = append(out, Chunk(object{"reasoning_content": r.Thought}, nil))
	}
	for _, piece := range halves(r.Text) {
		out = append(out, Chunk(object{"content": piece}, nil))
	}
	for i, c := range r.Calls {
		begin := Chunk(object{"tool_calls": []any{object{
			"index": i, "id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": ""},
		}}}, nil)
		begin.Done = i // the one before is complete when this one begins
		out = append(out, begin)
		for _, piece := range halves(string(c.Args)) {
			e := Chunk(object{"tool_calls": []any{object{"index": i, "function": object{"arguments": piece}}}}, nil)
			e.Done = i
			out = append(out, e)
		}
	}
	finish := map[model.StopReason]string{model.StopToolUse: "tool_calls", model.StopMaxTokens: "length", model.StopRefusal: "content_filter"}[r.stop()]
	if finish == "" {
		finish = "stop"
	}
	end := Chunk(object{}, finish)
	end.Done = len(r.Calls)
	u := r.Usage
	return append(out, end, Event{Done: len(r.Calls), Data: js(object{
		"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": []any{},
		"usage": object{
			"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output,
			"prompt_tokens_details": object{"cached_tokens": u.CachedRead}, "completion_tokens_details": object{"reasoning_tokens": u.Reasoning},
		},
	})}, Event{Done: len(r.Calls), Data: "[DONE]"})
}

func chatCheck(c *checker, b map[string]any) {
	_, old := b["max_tokens"]
	if _, now := b["max_completion_tokens"]; old == now {
		c.failf("it needs one of max_tokens and max_completion_tokens")
	}
	for _, t := range list(b, "tools") {
		f := obj(obj(t)["function"])
		c.toolName(str(f, "name"))
		if str(obj(f["parameters"]), "type") != "object" || f["strict"] == true {
			c.failf("tool %s: parameters %v, strict %v", str(f, "name"), f["parameters"], f["strict"])
		}
	}
	p := newPairs(c)
	messages := list(b, "messages")
	for i, v := range messages {
		chatMessage(c, p, obj(v), i)
	}
	p.closed("the end")
	if n := len(messages); n == 0 || str(obj(messages[n-1]), "role") == "assistant" {
		c.failf("the last message must not be the assistant's")
	}
}

func chatMessage(c *checker, p *pairs, m object, i int) {
	role := str(m, "role")
	if role != "tool" {
		p.closed(role)
	}
	switch role {
	case "system":
		if i != 0 || str(m, "content") == "" {
			c.failf("message %d: a system message", i)
		}
	case "user":
		chatContent(c, m, i)
	case "assistant":
		calls := list(m, "tool_calls")
		if len(calls) == 0 && strings.TrimSpace(str(m, "content")) == "" {
			c.failf("message %d: an empty reply", i)
		}
		for _, v := range calls {
			f := obj(obj(v)["function"])
			p.call(str(obj(v), "id"), str(f, "name"))
			if !jsonObject(str(f, "arguments")) || str(obj(v), "type") != "function" {
				c.failf("message %d: call %s", i, js(v))
			}
		}
	case "tool":
		p.result(str(m, "tool_call_id"))
		if str(m, "content") == "" {
			c.failf("message %d: a result that is no text", i)
		}
	default:
		c.failf("message %d: role %q", i, role)
	}
}

func chatContent(c *checker, m object, i int) {
	if s, ok := m["content"].(string); ok {
		if strings.TrimSpace(s) == "" {
			c.failf("message %d: a blank text", i)
		}
		return
	}
	parts := list(m, "content")
	if len(parts) == 0 {
		c.failf("message %d: no content", i)
	}
	for _, v := range parts {
		switch part := obj(v); str(part, "type") {
		case "text":
			if strings.TrimSpace(str(part, "text")) == "" {
				c.failf("message %d: a blank text", i)
			}
		case "image_url":
			c.dataURL(str(obj(part["image_url"]), "url"))
		default:
			c.failf("message %d: a part of type %q", i, str(part, "type"))
		}
	}
}
