// Package tool turns a typed Go function into a tool that a model may call: schema inferred, arguments checked, effect
// declared.
//
// Its one invariant: raw arguments are checked against the schema before anything is decoded, and what was checked is
// what is executed, byte for byte; nothing is coerced.
package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema checks the arguments of one tool.
type Schema struct {
	raw      json.RawMessage
	root     *jsonschema.Schema
	resolved *jsonschema.Resolved
}

// Compile reads the JSON Schema of an object. An error is the fault of whoever declared the tool.
func Compile(raw json.RawMessage) (*Schema, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, fmt.Errorf("reading the schema: %w", err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("resolving the schema: %w", err)
	}
	return &Schema{raw: raw, root: &s, resolved: r}, nil
}

// JSON is the schema as it was given.
func (s *Schema) JSON() json.RawMessage { return s.raw }

// InputError is the caller's mistake in arguments. It names the property, what came and what is wanted.
type InputError struct{ Msg string }

func (e *InputError) Error() string { return e.Msg }

func inputErrorf(format string, args ...any) error {
	return &InputError{Msg: fmt.Sprintf(format, args...)}
}

// Check says what is wrong with raw arguments, nil when they may be executed. Empty arguments count as {}.
func (s *Schema) Check(raw json.RawMessage) error {
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = json.RawMessage("{}")
	}
	if err := checkKeys(raw); err != nil {
		return err
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return inputErrorf("the arguments are not JSON: %s", quote(raw))
	}
	if err := explain("", v, s.root); err != nil {
		return err
	}
	if err := s.resolved.Validate(v); err != nil {
		return inputErrorf("the arguments do not fit the schema: %v", err)
	}
	return nil
}

// checkKeys refuses what a lenient decoder would let pass: trailing data, keys that come twice or differ only in case.
func checkKeys(raw json.RawMessage) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	t, err := d.Token()
	if err != nil {
		return inputErrorf("the arguments are not JSON: %s", quote(raw))
	}
	if t != json.Delim('{') {
		return inputErrorf("the arguments must be a JSON object, got %s", quote(raw))
	}
	if err := walkObject(d, ""); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return inputErrorf("the arguments are followed by something else")
	}
	return nil
}

func walkObject(d *json.Decoder, at string) error {
	seen := map[string]string{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return inputErrorf("the arguments are not JSON: %v", err)
		}
		key, _ := t.(string)
		low := strings.ToLower(key)
		switch before, twice := seen[low]; {
		case twice && before == key:
			return inputErrorf("%s: the key comes twice", path(at, key))
		case twice:
			return inputErrorf("%s: %q and %q differ only in case", path(at, key), before, key)
		}
		seen[low] = key
		if err := walkValue(d, path(at, key)); err != nil {
			return err
		}
	}
	return end(d)
}

func walkValue(d *json.Decoder, at string) error {
	t, err := d.Token()
	if err != nil {
		return inputErrorf("the arguments are not JSON: %v", err)
	}
	switch t {
	case json.Delim('{'):
		return walkObject(d, at)
	case json.Delim('['):
		for i := 0; d.More(); i++ {
			if err := walkValue(d, fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
		return end(d)
	}
	return nil
}

func end(d *json.Decoder) error {
	if _, err := d.Token(); err != nil {
		return inputErrorf("the arguments are not JSON: %v", err)
	}
	return nil
}

func path(at, key string) string {
	if at == "" {
		return key
	}
	return at + "." + key
}

func quote(raw []byte) string {
	const most = 80
	s := strings.ToValidUTF8(string(raw), "�")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return fmt.Sprintf("%q", s)
}

// explain walks value and schema together and words the common faults; what it does not know it leaves to the validator.
func explain(at string, v any, s *jsonschema.Schema) error {
	if s == nil {
		return nil
	}
	if want := types(s); len(want) > 0 && !slices.ContainsFunc(want, func(t string) bool { return isA(v, t) }) {
		return inputErrorf("%s must be %s, got %s", place(at), strings.Join(want, " or "), describe(v))
	}
	if len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(e any) bool { return fmt.Sprint(e) == fmt.Sprint(v) }) {
		return inputErrorf("%s must be one of %s, got %s", place(at), list(s.Enum), describe(v))
	}
	switch v := v.(type) {
	case map[string]any:
		return explainObject(at, v, s)
	case []any:
		return explainArray(at, v, s)
	case float64:
		return explainNumber(at, v, s)
	}
	return nil
}

func explainObject(at string, v map[string]any, s *jsonschema.Schema) error {
	for _, k := range s.Required {
		if _, ok := v[k]; !ok {
			return inputErrorf("%s is missing", path(at, k))
		}
	}
	closed := s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil
	for _, k := range sortedKeys(v) {
		p, known := s.Properties[k]
		if !known && closed {
			return inputErrorf("%s is not a parameter; known are %s", path(at, k), strings.Join(sortedKeys(s.Properties), ", "))
		}
		if err := explain(path(at, k), v[k], p); err != nil {
			return err
		}
	}
	return nil
}

func explainArray(at string, v []any, s *jsonschema.Schema) error {
	if s.MinItems != nil && len(v) < *s.MinItems || s.MaxItems != nil && len(v) > *s.MaxItems {
		return inputErrorf("%s has %d items, wanted %s", place(at), len(v), between(s))
	}
	for i, e := range v {
		if err := explain(fmt.Sprintf("%s[%d]", at, i), e, s.Items); err != nil {
			return err
		}
	}
	return nil
}

func between(s *jsonschema.Schema) string {
	switch {
	case s.MinItems != nil && s.MaxItems != nil && *s.MinItems == *s.MaxItems:
		return fmt.Sprint(*s.MinItems)
	case s.MinItems != nil && s.MaxItems != nil:
		return fmt.Sprintf("%d to %d", *s.MinItems, *s.MaxItems)
	case s.MinItems != nil:
		return fmt.Sprintf("at least %d", *s.MinItems)
	}
	return fmt.Sprintf("at most %d", *s.MaxItems)
}

func explainNumber(at string, v float64, s *jsonschema.Schema) error {
	if s.Minimum != nil && v < *s.Minimum {
		return inputErrorf("%s must be at least %g, got %g", place(at), *s.Minimum, v)
	}
	if s.Maximum != nil && v > *s.Maximum {
		return inputErrorf("%s must be at most %g, got %g", place(at), *s.Maximum, v)
	}
	return nil
}

func types(s *jsonschema.Schema) []string {
	if s.Type != "" {
		return []string{s.Type}
	}
	return s.Types
}

func isA(v any, t string) bool {
	switch v := v.(type) {
	case nil:
		return t == "null"
	case bool:
		return t == "boolean"
	case string:
		return t == "string"
	case []any:
		return t == "array"
	case map[string]any:
		return t == "object"
	case float64:
		return t == "number" || t == "integer" && v == float64(int64(v))
	}
	return false
}

func describe(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "something else"
	}
	return quote(b)
}

func list(vs []any) string {
	out := make([]string, len(vs))
	for i, v := range vs {
		out[i] = fmt.Sprint(v)
	}
	return strings.Join(out, ", ")
}

func place(at string) string {
	if at == "" {
		return "the arguments"
	}
	return at
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
