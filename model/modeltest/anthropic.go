package modeltest

import (
	"slices"
	"strings"

	"github.com/rein-robotics/rein/model"
)

// Anthropic is the Messages wire.
func Anthropic() Wire {
	return Wire{
		Name: "anthropic", anyEvent: "content_block_delta", path: "/v1/messages",
		events: anthropicEvents, check: anthropicCheck,
		errorBody: func(kind, msg string) string {
			return js(object{"type": "error", "error": object{"type": kind, "message": msg}, "request_id": "req_1"})
		},
		streamError: func(kind string) Event {
			return Event{Name: "error", Data: js(object{"type": "error", "error": object{"type": kind, "message": "it broke"}})}
		},
		keyHeader: func(key string) (string, string) { return "X-Api-Key", key },
		history:   func(b map[string]any) []any { return list(b, "messages") },
		opaque: func(s string) any {
			return object{"type": "thinking", "thinking": s, "signature": signature(s)}
		},
		marks:     func(b map[string]any) int { return strings.Count(js(b), `"cache_control"`) },
		wantMarks: 4,
		final:     func(e Event) bool { return e.Name == "message_stop" },
	}
}

func signature(s string) string { return "sig:" + s + "==" }

func anthropicEvents(r Reply) []Event {
	var out []Event
	add := func(done int, e object) {
		out = append(out, Event{Name: e["type"].(string), Data: js(e), Done: done})
	}
	u := r.Usage
	add(0, object{"type": "message_start", "message": object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []any{}, "stop_reason": nil,
		"usage": object{
			"input_tokens": u.Input - u.CachedRead - u.CachedWrite, "cache_read_input_tokens": u.CachedRead,
			"cache_creation_input_tokens": u.CachedWrite, "output_tokens": 1,
		},
	}})
	index := 0
	block := func(done int, start object, deltas ...object) {
		add(done, object{"type": "content_block_start", "index": index, "content_block": start})
		for _, d := range deltas {
			add(done, object{"type": "content_block_delta", "index": index, "delta": d})
		}
	}
	stop := func(done int) {
		add(done, object{"type": "content_block_stop", "index": index})
		index++
	}
	if r.Thought != "" {
		block(0, object{"type": "thinking", "thinking": "", "signature": ""},
			object{"type": "thinking_delta", "thinking": r.Thought}, object{"type": "signature_delta", "signature": signature(r.Thought)})
		stop(0)
	}
	if r.Text != "" {
		var deltas []object
		for _, piece := range halves(r.Text) {
			deltas = append(deltas, object{"type": "text_delta", "text": piece})
		}
		block(0, object{"type": "text", "text": ""}, deltas...)
		stop(0)
	}
	for i, c := range r.Calls {
		var deltas []object
		for _, piece := range halves(string(c.Args)) {
			deltas = append(deltas, object{"type": "input_json_delta", "partial_json": piece})
		}
		block(i, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": object{}}, deltas...)
		stop(i + 1)
	}
	add(len(r.Calls), object{
		"type": "message_delta", "delta": object{"stop_reason": anthropicStop(r.stop()), "stop_sequence": nil},
		"usage": object{"output_tokens": u.Output},
	})
	add(len(r.Calls), object{"type": "message_stop"})
	return out
}

func anthropicStop(s model.StopReason) string {
	switch s {
	case model.StopPause:
		return "pause_turn"
	case model.StopContext:
		return "model_context_window_exceeded"
	}
	return string(s)
}

// halves cuts a text in two; an empty one has no piece.
func halves(s string) []string {
	if s == "" {
		return nil
	}
	r := []rune(s)
	if len(r) < 2 {
		return []string{s}
	}
	return []string{string(r[:len(r)/2]), string(r[len(r)/2:])}
}

func anthropicCheck(c *checker, b map[string]any) {
	if n, ok := b["max_tokens"].(float64); !ok || n < 1 {
		c.failf("max_tokens: got %v", b["max_tokens"])
	}
	if t := obj(b["thinking"]); t["type"] == "enabled" {
		n, _ := t["budget_tokens"].(float64)
		if most, _ := b["max_tokens"].(float64); n < 1024 || n >= most {
			c.failf("budget_tokens %v, max_tokens %v", n, most)
		}
	}
	if n := strings.Count(js(b), `"cache_control"`); n > 4 {
		c.failf("%d cache marks", n)
	}
	defer func() {
		if c.images > 20 && c.longest > 2000 || c.longest > 8000 {
			c.failf("%d images, the longest side is %d px", c.images, c.longest)
		}
	}()
	for _, t := range list(b, "tools") {
		if obj(t)["type"] != nil && obj(t)["type"] != "custom" {
			continue // one of the provider's own
		}
		c.toolName(str(obj(t), "name"))
		if str(obj(obj(t)["input_schema"]), "type") != "object" {
			c.failf("tool %s: its schema is no object", str(obj(t), "name"))
		}
	}
	messages := list(b, "messages")
	p := newPairs(c)
	for i, m := range messages {
		anthropicMessage(c, p, obj(m), i)
	}
	if n := len(messages); n == 0 || obj(messages[0])["role"] != "user" || obj(messages[n-1])["role"] != "user" {
		c.failf("the first and the last message must be the user's")
	}
	p.closed("the end")
}

func anthropicMessage(c *checker, p *pairs, m object, i int) {
	role, content := str(m, "role"), list(m, "content")
	if len(content) == 0 || !slices.Contains([]string{"user", "assistant"}, role) {
		c.failf("message %d: role %q, %d blocks", i, role, len(content))
	}
	if role == "assistant" {
		p.closed("the next reply")
	}
	other := false
	for _, v := range content {
		b := obj(v)
		kind := str(b, "type")
		if kind == "tool_result" && other {
			c.failf("message %d: a result behind other content", i)
		}
		if role == "user" && kind != "tool_result" && !other {
			other = true
			p.closed("other content")
		}
		anthropicBlock(c, p, b, role)
	}
	if n := len(content); n > 0 && role == "assistant" && strings.HasSuffix(str(obj(content[n-1]), "type"), "thinking") {
		c.failf("message %d: the last block is a thought", i)
	}
}

func anthropicBlock(c *checker, p *pairs, b object, role string) {
	switch kind := str(b, "type"); kind {
	case "text":
		if strings.TrimSpace(str(b, "text")) == "" {
			c.failf("a blank text")
		}
	case "image":
		c.images++
		if s := obj(b["source"]); s["type"] != "base64" || str(s, "data") == "" || !strings.HasPrefix(str(s, "media_type"), "image/") {
			c.failf("an image that is not in base64")
		} else {
			c.side(str(s, "data"))
		}
	case "tool_use":
		p.call(str(b, "id"), str(b, "name"))
		if obj(b["input"]) == nil || role != "assistant" {
			c.failf("call %v: input %v by %s", b["id"], b["input"], role)
		}
	case "tool_result":
		p.result(str(b, "tool_use_id"))
		for _, v := range list(b, "content") {
			if t := str(obj(v), "type"); t != "text" && t != "image" {
				c.failf("a result holds %q", t)
			}
			anthropicBlock(c, p, obj(v), role)
		}
	case "thinking":
		if str(b, "signature") == "" || b["cache_control"] != nil {
			c.failf("a thought without its signature, or with a cache mark")
		}
	case "redacted_thinking", "server_tool_use", "web_search_tool_result":
	default:
		c.failf("a block of type %q", kind)
	}
}
