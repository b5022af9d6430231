package assess

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/rein-robotics/rein/monitor/question"
)

// schema is the JSON Schema of the answers. Bounds of numbers are left out, for not every vendor takes them: they are
// checked when the answer is read.
func schema(list []question.Question) json.RawMessage {
	type object = map[string]any
	props, required := object{}, []string{}
	for _, q := range list {
		p := object{"p": object{"type": "number", "description": "from 0 to 1"}}
		need := []string{"p"}
		if q.Kind == question.Choice {
			values := []string{}
			for _, o := range q.Options {
				values = append(values, o.Value)
			}
			p["value"], need = object{"type": "string", "enum": values}, []string{"value", "p"}
		}
		props[q.Name] = object{"type": "object", "properties": p, "required": need, "additionalProperties": false}
		required = append(required, q.Name)
	}
	raw, err := json.Marshal(object{"type": "object", "properties": props, "required": required, "additionalProperties": false})
	if err != nil { // it is made of texts
		panic("assess: " + err.Error())
	}
	return raw
}

// read takes the answers out of a reply. wrong says, in words for the model, what is no answer: those questions' answers
// are missing.
func read(reply string, list []question.Question) (answers []question.Answer, wrong []string) {
	members, err := object(bare(reply))
	if err != nil {
		return none(list, question.Invalid, err.Error()), []string{err.Error()}
	}
	for _, q := range list {
		a, err := readOne(q, members[q.Name])
		if err != nil {
			a = q.No(question.Invalid, err.Error())
			wrong = append(wrong, q.Name+": "+err.Error())
		}
		answers = append(answers, a)
	}
	return answers, wrong
}

func readOne(q question.Question, raw json.RawMessage) (question.Answer, error) {
	if raw == nil {
		return question.Answer{}, fmt.Errorf("it was not answered")
	}
	members, err := object(string(raw))
	if err != nil {
		return question.Answer{}, err
	}
	var p *float64
	if err := json.Unmarshal(members["p"], &p); err != nil || p == nil {
		return question.Answer{}, fmt.Errorf("p is no number")
	}
	out := q.Is(*p)
	if q.Kind == question.Choice {
		var value string
		if err := json.Unmarshal(members["value"], &value); err != nil {
			return question.Answer{}, fmt.Errorf("value is none of the choices")
		}
		out = q.Chosen(value, *p)
	}
	for name := range members {
		if name != "p" && (name != "value" || q.Kind != question.Choice) {
			return question.Answer{}, fmt.Errorf("there is no member %q", name)
		}
	}
	if out.Missing != "" {
		return question.Answer{}, fmt.Errorf("%s", out.Why)
	}
	return out, nil
}

var fence = regexp.MustCompile("(?s)^```[a-z]*\n(.*)\n?```$")

// bare takes off what some servers put around an answer: a thought in tags before it, or the fence of a code block.
func bare(reply string) string {
	if rest, ok := strings.CutPrefix(strings.TrimSpace(reply), "<think>"); ok {
		if _, after, ok := strings.Cut(rest, "</think>"); ok {
			reply = after
		}
	}
	reply = strings.TrimSpace(reply)
	if m := fence.FindStringSubmatch(reply); m != nil {
		return strings.TrimSpace(m[1])
	}
	return reply
}

// object reads one JSON object. A member that comes twice says two things, so that none of it counts.
func object(s string) (map[string]json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader([]byte(s)))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("it is no JSON object")
	}
	out := map[string]json.RawMessage{}
	for d.More() {
		t, err := d.Token()
		name, ok := t.(string)
		if err != nil || !ok {
			return nil, fmt.Errorf("it is no JSON object")
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return nil, fmt.Errorf("it is no JSON object")
		}
		if _, twice := out[name]; twice {
			return nil, fmt.Errorf("the member %q comes twice", name)
		}
		out[name] = v
	}
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("it is no JSON object")
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("something stands behind the JSON object")
	}
	return out, nil
}
