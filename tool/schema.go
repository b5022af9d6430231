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
	raw = orEmpty(raw)
	if !json.Valid(raw) {
		return inputErrorf("the arguments are not JSON: %s", short(raw))
	}
	if err := checkKeys(raw); err != nil {
		return err
	}
	if err := explain("", asWritten(raw), s.root); err != nil {
		return err
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return inputErrorf("the arguments hold a number that is too large: %s", short(raw))
	}
	if err := s.resolved.Validate(v); err != nil {
		return inputErrorf("the arguments do not fit the schema: %v", err)
	}
	return nil
}

// orEmpty is raw, {} when there is nothing.
func orEmpty(raw json.RawMessage) json.RawMessage {
	if len(bytes.TrimSpace(raw)) == 0 {
		return json.RawMessage("{}")
	}
	return raw
}

// asWritten decodes valid JSON with the numbers as they were written.
func asWritten(raw json.RawMessage) (v any) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil { // it is valid, and numbers are not converted
		panic("tool: " + err.Error())
	}
	return v
}

// checkKeys refuses what a lenient decoder would let pass: keys that come twice or differ only in case. raw is valid.
func checkKeys(raw json.RawMessage) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if next(d) != json.Delim('{') {
		return inputErrorf("the arguments must be a JSON object, got %s", short(raw))
	}
	return walkObject(d, "")
}

// next is the next token of valid JSON.
func next(d *json.Decoder) json.Token {
	t, err := d.Token()
	if err != nil {
		panic("tool: " + err.Error())
	}
	return t
}

func walkObject(d *json.Decoder, at string) error {
	seen := map[string]string{}
	for d.More() {
		key, _ := next(d).(string)
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
	next(d)
	return nil
}

func walkValue(d *json.Decoder, at string) error {
	switch next(d) {
	case json.Delim('{'):
		return walkObject(d, at)
	case json.Delim('['):
		for i := 0; d.More(); i++ {
			if err := walkValue(d, fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
		next(d)
	}
	return nil
}

// short is text for a message: what came, not more than a line of it.
func short(raw []byte) string {
	const most = 80
	s := strings.ToValidUTF8(string(raw), "�")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
