package modeltest

import "strings"

// Decisions is the wire of typed answers. Its answers are one body and no stream: Step.Answers, or, when a step has none,
// a yes to every predicate and the first choice of every other question.
func Decisions() Wire {
	return Wire{
		Name: "openai_decisions", path: "/v1/decisions", images: 128, body: decisionsBody, check: decisionsCheck,
		errorBody: func(kind, msg string) string {
			return js(object{"error": object{"message": msg, "type": kind, "param": nil, "code": kind}})
		},
		keyHeader: func(key string) (string, string) { return "Authorization", "Bearer " + key },
	}
}

// Answer is one answer as the wire has it.
type Answer = map[string]any

// Yes answers a predicate with the probability that it is true.
func Yes(name string, p float64) Answer {
	return object{"type": "predicate", "name": name, "probability": p}
}

// Chose answers a choice. The confidence that comes with it is another number, and its probabilities sum to 1 for no one.
func Chose(name, value string, p float64) Answer {
	return object{"type": "choice", "name": name, "choice": value, "confidence": p / 2, "probabilities": []any{
		object{"value": value, "probability": p},
	}}
}

// RefusedAnswer is a question that the model does not answer.
func RefusedAnswer(name string) Answer { return object{"type": "refusal", "name": name} }

// decisionsBody is the whole answer to a request.
func decisionsBody(r Request, s Step) string {
	out := s.Answers
	if s.Answer != nil {
		out = s.Answer(r)
	}
	if out == nil {
		for _, v := range list(r.Body, "questions") {
			q := obj(v)
			if choices := list(q, "choices"); len(choices) > 0 {
				out = append(out, Chose(str(q, "name"), str(obj(choices[0]), "value"), 1))
				continue
			}
			out = append(out, Yes(str(q, "name"), 1))
		}
	}
	u := s.Reply.Usage
	return js(object{"model": r.Body["model"], "answers": out, "usage": object{
		"input_tokens": u.Input, "input_tokens_details": object{"cached_tokens": u.CachedRead, "cache_write_tokens": u.CachedWrite},
		"output_tokens": u.Output, "output_tokens_details": object{"reasoning_tokens": u.Reasoning}, "total_tokens": u.Input + u.Output,
	}})
}

func decisionsCheck(c *checker, b map[string]any) {
	for name := range b {
		switch name {
		case "model", "input", "questions", "prompt_cache_key":
		default:
			c.failf("%s is unknown here", name)
		}
	}
	for i, v := range list(b, "input") {
		decisionsMessage(c, obj(v), i)
	}
	if len(list(b, "input")) == 0 {
		c.failf("no input")
	}
	questions := list(b, "questions")
	if n := len(questions); n < 1 || n > 400 {
		c.failf("%d questions", n)
	}
	seen := map[string]bool{}
	for _, v := range questions {
		q := obj(v)
		name := str(q, "name")
		if name == "" || seen[name] {
			c.failf("question name %q is empty or comes twice", name)
		}
		seen[name] = true
		if strings.TrimSpace(str(q, "instructions")) == "" {
			c.failf("question %s has no instructions", name)
		}
		decisionsQuestion(c, q)
	}
}

func decisionsQuestion(c *checker, q object) {
	choices := list(q, "choices")
	switch str(q, "type") {
	case "predicate":
		if q["choices"] != nil {
			c.failf("predicate %s has choices", str(q, "name"))
		}
		return
	case "choice":
	default:
		c.failf("a question of type %v", q["type"])
	}
	values := map[string]bool{}
	for _, v := range choices {
		value, ok := obj(v)["value"].(string)
		if !ok || values[value] {
			c.failf("choice %v is no text or comes twice", obj(v)["value"])
		}
		values[value] = true
	}
	if n := len(choices); n < 2 || n > 255 {
		c.failf("%d choices", n)
	}
}

func decisionsMessage(c *checker, m object, i int) {
	role := str(m, "role")
	if role != "user" && role != "developer" {
		c.failf("message %d: role %q", i, role)
	}
	if s, ok := m["content"].(string); ok {
		if strings.TrimSpace(s) == "" {
			c.failf("message %d: a blank text", i)
		}
		return
	}
	for _, v := range list(m, "content") {
		part := obj(v)
		switch kind := str(part, "type"); {
		case kind == "input_text":
			if strings.TrimSpace(str(part, "text")) == "" {
				c.failf("message %d: a blank text", i)
			}
		case kind == "input_image" && role == "user":
			c.dataURL(str(part, "image_url"))
			if str(part, "detail") == "" {
				c.failf("message %d: an image without detail", i)
			}
		default:
			c.failf("message %d of %s: a part of type %q", i, role, kind)
		}
	}
}
