package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// explain walks value and schema together and words the common faults; what it does not know it leaves to the validator.
// Numbers of v are json.Number, so that a message shows them as they were written.
func explain(at string, v any, s *jsonschema.Schema) error {
	if s == nil {
		return nil
	}
	if want := types(s); len(want) > 0 && !slices.ContainsFunc(want, func(t string) bool { return isA(v, t) }) {
		return inputErrorf("%s must be %s, got %s", place(at), strings.Join(want, " or "), describe(v))
	}
	if len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(e any) bool { return same(e, v) }) {
		return inputErrorf("%s must be one of %s, got %s", place(at), list(s.Enum), describe(v))
	}
	if s.Const != nil && !same(*s.Const, v) {
		return inputErrorf("%s must be %s, got %s", place(at), describe(*s.Const), describe(v))
	}
	switch v := v.(type) {
	case map[string]any:
		return explainObject(at, v, s)
	case []any:
		return explainArray(at, v, s)
	case json.Number:
		return explainNumber(at, v, s)
	case string:
		return explainText(at, v, s)
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
			return inputErrorf("%s is not a parameter; known are %s", path(at, short([]byte(k))), strings.Join(sortedKeys(s.Properties), ", "))
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

func explainNumber(at string, v json.Number, s *jsonschema.Schema) error {
	f, err := v.Float64()
	if err != nil {
		return inputErrorf("%s must be a smaller number, got %s", place(at), v)
	}
	switch {
	case s.Minimum != nil && f < *s.Minimum:
		return inputErrorf("%s must be at least %g, got %s", place(at), *s.Minimum, v)
	case s.Maximum != nil && f > *s.Maximum:
		return inputErrorf("%s must be at most %g, got %s", place(at), *s.Maximum, v)
	case s.ExclusiveMinimum != nil && f <= *s.ExclusiveMinimum:
		return inputErrorf("%s must be more than %g, got %s", place(at), *s.ExclusiveMinimum, v)
	case s.ExclusiveMaximum != nil && f >= *s.ExclusiveMaximum:
		return inputErrorf("%s must be less than %g, got %s", place(at), *s.ExclusiveMaximum, v)
	case s.MultipleOf != nil && math.Mod(f, *s.MultipleOf) != 0 && float64(int64(*s.MultipleOf)) == *s.MultipleOf:
		return inputErrorf("%s must be a multiple of %g, got %s", place(at), *s.MultipleOf, v)
	}
	return nil
}

func explainText(at, v string, s *jsonschema.Schema) error {
	n := utf8.RuneCountInString(v)
	switch {
	case s.MinLength != nil && n < *s.MinLength:
		return inputErrorf("%s must have at least %d characters, got %s", place(at), *s.MinLength, describe(v))
	case s.MaxLength != nil && n > *s.MaxLength:
		return inputErrorf("%s must have at most %d characters, got %s", place(at), *s.MaxLength, describe(v))
	case s.Pattern != "":
		if re, err := regexp.Compile(s.Pattern); err == nil && !re.MatchString(v) {
			return inputErrorf("%s must match %s, got %s", place(at), s.Pattern, describe(v))
		}
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
	case json.Number:
		f, err := v.Float64()
		return t == "number" || t == "integer" && (err != nil || f == math.Trunc(f))
	}
	return false
}

// same compares a value of a schema with one of the arguments: 1 and 1.0 are the same, 1 and "1" are not.
func same(e, v any) bool {
	plain := func(x any) (out any) {
		raw, err := json.Marshal(x)
		if err != nil || json.Unmarshal(raw, &out) != nil {
			return nil
		}
		return out
	}
	return reflect.DeepEqual(plain(e), plain(v))
}

func describe(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return "something else"
	}
	return short(bytes.TrimSpace(b.Bytes()))
}

func list(vs []any) string {
	out := make([]string, len(vs))
	for i, v := range vs {
		out[i] = describe(v)
	}
	return strings.Join(out, ", ")
}

func place(at string) string {
	if at == "" {
		return "the arguments"
	}
	return at
}

func path(at, key string) string {
	if at == "" {
		return key
	}
	return at + "." + key
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
