package modeltest

import (
	"maps"
	"strings"

	"github.com/rein-robotics/rein/model"
)

// Responses is the Responses wire.
func Responses() Wire {
	return Wire{
		Name: "openai_responses", anyEvent: "response.output_text.delta", path: "/v1/responses",
		events: responsesEvents, check: responsesCheck,
		errorBody: func(kind, msg string) string {
			return js(object{"error": object{"message": msg, "type": kind, "param": nil, "code": kind}})
		},
		streamError: func(kind string) Event {
			return Event{Name: "error", Data: js(object{"type": "error", "code": kind, "message": "it broke", "param": nil, "sequence_number": 9})}
		},
		keyHeader: func(key string) (string, string) { return "Authorization", "Bearer " + key },
		history:   func(b map[string]any) []any { return list(b, "input") },
		opaque:    func(s string) any { return reasoning(s) },
		marks:     func(map[string]any) int { return 0 },
		final:     func(e Event) bool { return e.Name == "response.completed" || e.Name == "response.incomplete" },
	}
}

func reasoning(s string) object {
	return object{"type": "reasoning", "id": "rs_1", "summary": []any{}, "encrypted_content": s}
}

func responsesEvents(r Reply) []Event {
	var out []Event
	add := func(done int, kind string, e object) {
		e["type"], e["sequence_number"] = kind, len(out)
		out = append(out, Event{Name: kind, Data: js(e), Done: done})
	}
	response := func(status string, more object) object {
		o := object{"id": "resp_1", "object": "response", "status": status, "output": []any{}}
		maps.Copy(o, more)
		return object{"response": o}
	}
	add(0, "response.created", response("in_progress", nil))
	index := 0
	item := func(i object) object {
		return object{"output_index": index, "item": i}
	}
	if r.Thought != "" {
		add(0, "response.output_item.added", item(object{"type": "reasoning", "id": "rs_1", "summary": []any{}}))
		add(0, "response.output_item.done", item(reasoning(r.Thought)))
		index++
	}
	if r.Text != "" {
		add(0, "response.output_item.added", item(object{"type": "message", "id": "msg_1", "role": "assistant", "content": []any{}}))
		for _, piece := range halves(r.Text) {
			add(0, "response.output_text.delta", object{"output_index": index, "content_index": 0, "item_id": "msg_1", "delta": piece})
		}
		add(0, "response.output_item.done", item(object{
			"type": "message", "id": "msg_1", "role": "assistant", "content": []any{object{"type": "output_text", "text": r.Text, "annotations": []any{}}},
		}))
		index++
	}
	for i, c := range r.Calls {
		add(i, "response.output_item.added", item(object{"type": "function_call", "id": "fc_1", "call_id": c.ID, "name": c.Name, "arguments": ""}))
		for _, piece := range halves(string(c.Args)) {
			add(i, "response.function_call_arguments.delta", object{"output_index": index, "item_id": "fc_1", "delta": piece})
		}
		add(i+1, "response.output_item.done", item(object{"type": "function_call", "id": "fc_1", "call_id": c.ID, "name": c.Name, "arguments": string(c.Args)}))
		index++
	}
	u := r.Usage
	usage := object{
		"input_tokens": u.Input, "output_tokens": u.Output, "total_tokens": u.Input + u.Output,
		"input_tokens_details": object{"cached_tokens": u.CachedRead}, "output_tokens_details": object{"reasoning_tokens": u.Reasoning},
	}
	why := map[model.StopReason]string{model.StopMaxTokens: "max_output_tokens", model.StopRefusal: "content_filter"}[r.stop()]
	if why != "" {
		add(len(r.Calls), "response.incomplete", response("incomplete", object{"usage": usage, "incomplete_details": object{"reason": why}}))
		return out
	}
	add(len(r.Calls), "response.completed", response("completed", object{"usage": usage, "incomplete_details": nil, "error": nil}))
	return out
}

func responsesCheck(c *checker, b map[string]any) {
	if b["store"] != false {
		c.failf("store: got %v", b["store"])
	}
	if !strings.Contains(js(b["include"]), "reasoning.encrypted_content") {
		c.failf("include: got %v", b["include"])
	}
	for _, v := range list(b, "tools") {
		t := obj(v)
		if str(t, "type") != "function" {
			continue // one of the provider's own
		}
		c.toolName(str(t, "name"))
		if t["strict"] != false || str(obj(t["parameters"]), "type") != "object" {
			c.failf("tool %s: strict %v, parameters %v", str(t, "name"), t["strict"], t["parameters"])
		}
	}
	p := newPairs(c)
	items := list(b, "input")
	for i, v := range items {
		responsesItem(c, p, obj(v), i)
		if str(obj(v), "type") == "reasoning" && (i+1 == len(items) || str(obj(items[i+1]), "role") == "user") {
			c.failf("item %d: reasoning without what it led to", i)
		}
	}
	p.closed("the end")
}

func responsesItem(c *checker, p *pairs, item object, i int) {
	switch kind := str(item, "type"); {
	case kind == "function_call":
		p.call(str(item, "call_id"), str(item, "name"))
		if !jsonObject(str(item, "arguments")) {
			c.failf("item %d: arguments %v", i, item["arguments"])
		}
	case kind == "function_call_output":
		p.result(str(item, "call_id"))
		if s, ok := item["output"].(string); ok && s == "" {
			c.failf("item %d: an empty output", i)
		} else if !ok {
			responsesContent(c, list(item, "output"), i)
		}
	case kind == "reasoning":
		if str(item, "encrypted_content") == "" {
			c.failf("item %d: reasoning that nobody stored and that is not encrypted", i)
		}
	case (kind == "" || kind == "message") && str(item, "role") == "user":
		p.closed("a message")
		responsesContent(c, list(item, "content"), i)
	case (kind == "" || kind == "message") && str(item, "role") == "assistant":
		if strings.TrimSpace(str(item, "content")) == "" {
			c.failf("item %d: a blank reply", i)
		}
	default:
		c.failf("item %d: type %q, role %q", i, kind, str(item, "role"))
	}
}

func responsesContent(c *checker, parts []any, i int) {
	if len(parts) == 0 {
		c.failf("item %d: no content", i)
	}
	for _, v := range parts {
		switch part := obj(v); str(part, "type") {
		case "input_text":
			if strings.TrimSpace(str(part, "text")) == "" {
				c.failf("item %d: a blank text", i)
			}
		case "input_image":
			c.dataURL(str(part, "image_url"))
		default:
			c.failf("item %d: a part of type %q", i, str(part, "type"))
		}
	}
}
