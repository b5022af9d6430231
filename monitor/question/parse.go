package question

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/rein-robotics/rein/config"
)

// Parse reads the questions of a skill's spec, strictly: what is wrong is told with its place.
func Parse(raw json.RawMessage) ([]Question, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, nil
	}
	list, err := config.Decode[[]config.Question]("monitor", raw)
	if err != nil {
		return nil, err
	}
	order, err := optionOrder(raw)
	if err != nil {
		return nil, err
	}
	out := make([]Question, 0, len(list))
	names := map[string]bool{}
	for i, c := range list {
		if names[c.Name] {
			return nil, fmt.Errorf("monitor[%d]: there is another question called %q: give each a name of its own", i, c.Name)
		}
		names[c.Name] = true
		out = append(out, from(c, order[i]))
	}
	return out, nil
}

// from turns a checked question of a file into one that is asked. order are its options as they stand in the file.
func from(c config.Question, order []string) Question {
	q := Question{Name: c.Name, Kind: Kind(c.Type), Instructions: c.Instructions}
	for _, value := range order {
		q.Options = append(q.Options, Option{Value: value, Looks: c.Choices[value]})
	}
	for _, r := range c.When {
		q.When = append(q.When, Rule{
			Do: Do(r.Do), Value: ruleValue(r.Value), Threshold: r.Threshold, Consecutive: r.Consecutive, After: config.Seconds(r.AfterS), Then: r.Then,
		})
	}
	return q
}

// ruleValue is the value of a rule that the configuration has checked; true of a predicate when it is left out.
func ruleValue(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		if !v {
			return False
		}
	}
	return True
}

// optionOrder gives the keys of each question's choices as they were written.
func optionOrder(raw json.RawMessage) ([][]string, error) {
	var list []struct {
		Choices json.RawMessage `json:"choices"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("monitor: the questions are no JSON list: %w", err)
	}
	out := make([][]string, len(list))
	for i, q := range list {
		keys, err := keysOf(q.Choices)
		if err != nil {
			return nil, fmt.Errorf("monitor[%d].choices: %w", i, err)
		}
		out[i] = keys
	}
	return out, nil
}

// keysOf are the keys of a JSON object of texts, in order; none of null.
func keysOf(object json.RawMessage) ([]string, error) {
	d := json.NewDecoder(bytes.NewReader(object))
	var keys []string
	for depth, key := 0, false; ; {
		t, err := d.Token()
		if err != nil { // the end: what it holds has been checked
			return keys, nil
		}
		switch t := t.(type) {
		case json.Delim:
			if depth++; t == '}' || t == ']' {
				depth -= 2
			}
			if depth > 1 {
				return nil, fmt.Errorf("an option's looks are words")
			}
			key = true
		case string:
			if key {
				keys = append(keys, t)
			}
			key = !key
		default:
			key = !key
		}
	}
}
