package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rein-robotics/rein/tool"
)

// everything is a schema with each kind of rule.
const everything = `{
  "type": "object",
  "properties": {
    "text": {"type": "string", "minLength": 2, "maxLength": 5, "pattern": "^[a-z]*$"},
    "side": {"type": "string", "enum": ["left", "right"]},
    "level": {"enum": [1, 2]},
    "count": {"type": "integer", "minimum": 1, "maximum": 9},
    "share": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
    "step": {"type": "number", "multipleOf": 5},
    "sure": {"type": "boolean"},
    "point": {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
    "names": {"type": "array", "items": {"type": "string"}, "minItems": 1, "uniqueItems": true},
    "few": {"type": "array", "maxItems": 1},
    "maybe": {"type": ["string", "null"]},
    "either": {"anyOf": [{"type": "string"}, {"type": "number"}]},
    "fixed": {"const": "so"},
    "inner": {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"], "additionalProperties": false},
    "free": {"type": "object"}
  },
  "required": ["text"],
  "additionalProperties": false
}`

func compile(t testing.TB, raw string) *tool.Schema {
	t.Helper()
	s, err := tool.Compile(json.RawMessage(raw))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// goWords are names that mean nothing to whoever wrote the arguments.
var goWords = regexp.MustCompile(`map\[|interface|float64|int64|\[\]any|struct|json:|jsonschema|reflect|<nil>|Go `)

func TestCheckNamesThePropertyWhatCameAndWhatIsWanted(t *testing.T) {
	tests := map[string]struct {
		args string
		want []string // all of these stand in the message; none = the arguments are fine
	}{
		"fine":                {`{"text":"abc","side":"left","count":3,"point":[1,2.5],"maybe":null,"inner":{"x":1},"free":{"a":[{}]},"either":3,"fixed":"so","share":0.5,"step":10,"level":2,"names":["a"],"few":[],"sure":true}`, nil},
		"missing":             {`{}`, []string{"text", "missing"}},
		"empty":               {``, []string{"text", "missing"}},
		"spaces":              {" \n", []string{"text", "missing"}},
		"number_for_text":     {`{"text":7}`, []string{"text must be string, got 7"}},
		"text_for_number":     {`{"text":"abc","count":"7"}`, []string{`count must be integer, got "7"`}},
		"half_for_whole":      {`{"text":"abc","count":1.5}`, []string{"count must be integer, got 1.5"}},
		"huge_for_whole":      {`{"text":"abc","count":1e300}`, []string{"count", "1e300"}},
		"text_for_boolean":    {`{"text":"abc","sure":"true"}`, []string{`sure must be boolean, got "true"`}},
		"one_for_boolean":     {`{"text":"abc","sure":1}`, []string{"sure must be boolean, got 1"}},
		"null_for_text":       {`{"text":null}`, []string{"text must be string, got null"}},
		"too_small":           {`{"text":"abc","count":0}`, []string{"count must be at least 1, got 0"}},
		"too_large":           {`{"text":"abc","count":10}`, []string{"count must be at most 9, got 10"}},
		"at_the_open_bound":   {`{"text":"abc","share":0}`, []string{"share must be more than 0, got 0"}},
		"at_the_upper_bound":  {`{"text":"abc","share":1}`, []string{"share must be less than 1, got 1"}},
		"no_multiple":         {`{"text":"abc","step":7}`, []string{"step", "multiple of 5", "got 7"}},
		"too_short":           {`{"text":"a"}`, []string{"text", "at least 2", `"a"`}},
		"too_long":            {`{"text":"abcdef"}`, []string{"text", "at most 5", `"abcdef"`}},
		"other_pattern":       {`{"text":"ABC"}`, []string{"text", "^[a-z]*$", `"ABC"`}},
		"none_of_the_choices": {`{"text":"abc","side":"up"}`, []string{`side must be one of "left", "right", got "up"`}},
		"choice_of_a_kind":    {`{"text":"abc","level":"1"}`, []string{`level must be one of 1, 2, got "1"`}},
		"no_point":            {`{"text":"abc","point":[1]}`, []string{"point has 1 items, wanted 2"}},
		"words_in_a_point":    {`{"text":"abc","point":[1,"2"]}`, []string{`point[1] must be number, got "2"`}},
		"no_names":            {`{"text":"abc","names":[]}`, []string{"names has 0 items, wanted at least 1"}},
		"names_twice":         {`{"text":"abc","names":["a","a"]}`, []string{"names"}},
		"too_many":            {`{"text":"abc","few":[1,2]}`, []string{"few has 2 items, wanted at most 1"}},
		"two_kinds":           {`{"text":"abc","maybe":3}`, []string{"maybe must be string or null, got 3"}},
		"neither":             {`{"text":"abc","either":true}`, []string{"either"}},
		"not_the_constant":    {`{"text":"abc","fixed":"no"}`, []string{"fixed", `"so"`}},
		"inside":              {`{"text":"abc","inner":{}}`, []string{"inner.x is missing"}},
		"extra":               {`{"text":"abc","colour":"red"}`, []string{"colour is not a parameter; known are", "count", "text"}},
		"extra_inside":        {`{"text":"abc","inner":{"x":1,"y":2}}`, []string{"inner.y is not a parameter; known are x"}},
		"twice":               {`{"text":"abc","text":"abc"}`, []string{"text: the key comes twice"}},
		"twice_escaped":       {`{"text":"abc","\u0074ext":"abc"}`, []string{"text: the key comes twice"}},
		"twice_deep":          {`{"text":"abc","free":{"a":[{"b":1,"b":2}]}}`, []string{"free.a[0].b: the key comes twice"}},
		"case":                {`{"text":"abc","Text":"abc"}`, []string{`"text" and "Text" differ only in case`}},
		"case_alone":          {`{"Text":"abc"}`, []string{"text", "missing"}},
		"case_deep":           {`{"text":"abc","free":{"a":1,"A":2}}`, []string{`free.A: "a" and "A" differ only in case`}},
		"list":                {`[1]`, []string{"must be a JSON object", "[1]"}},
		"null":                {`null`, []string{"must be a JSON object", "null"}},
		"word":                {`hello`, []string{"not JSON", "hello"}},
		"half":                {`{"text":"ab`, []string{"not JSON", `{"text":"ab`}},
		"followed":            {`{"text":"abc"} {}`, []string{"not JSON"}},
		"deep":                {strings.Repeat(`{"text":`, 20000), []string{"not JSON"}},
		"beyond_numbers":      {`{"text":"abc","share":1e999}`, []string{"1e999"}},
	}
	s := compile(t, everything)
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			err := s.Check(json.RawMessage(tc.args))
			if len(tc.want) == 0 {
				if err != nil {
					t.Errorf("got %v, want nothing", err)
				}
				return
			}
			if err == nil {
				t.Fatalf("%s passes", tc.args)
			}
			var in *tool.InputError
			if !errors.As(err, &in) {
				t.Errorf("got %T, want an *InputError", err)
			}
			for _, w := range tc.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("got %q, want %q in it", err, w)
				}
			}
			if w := goWords.FindString(err.Error()); w != "" {
				t.Errorf("got %q: %q is a word of the program's own", err, w)
			}
			if len(err.Error()) > 400 {
				t.Errorf("got a message of %d bytes", len(err.Error()))
			}
		})
	}
}

type input struct {
	Name  string    `json:"name"`
	Count int       `json:"count,omitempty"`
	Small int8      `json:"small,omitempty"`
	Never uint      `json:"never,omitempty"`
	At    []float64 `json:"at,omitempty"`
	Inner struct {
		X int `json:"x,omitempty"`
	} `json:"inner,omitzero"`
}

func newTool(t testing.TB) *tool.Tool {
	t.Helper()
	f := func(_ context.Context, in input) (input, error) { return in, nil }
	tl, err := tool.New("try", "Tries.", tool.Reads, f)
	if err != nil {
		t.Fatal(err)
	}
	return tl
}

func TestRunChecksAndDecodes(t *testing.T) {
	tests := map[string]struct {
		args string
		want string // in the message; "" = fine
	}{
		"fine":              {`{"name":"a","count":3,"inner":{"x":2}}`, ""},
		"missing":           {`{}`, "name is missing"},
		"nothing":           {``, "name is missing"},
		"spaces":            {`  `, "name is missing"},
		"whole_with_point":  {`{"name":"a","count":3.0}`, "count"},
		"whole_as_power":    {`{"name":"a","count":1e2}`, "count"},
		"too_large":         {`{"name":"a","count":99999999999999999999}`, "count"},
		"too_large_for_it":  {`{"name":"a","small":300}`, "small"},
		"below_zero":        {`{"name":"a","never":-1}`, "never"},
		"inside":            {`{"name":"a","inner":{"x":3.0}}`, "inner.x"},
		"key_in_other_case": {`{"NAME":"a"}`, "name is missing"},
		"extra":             {`{"name":"a","x":1}`, "x is not a parameter"},
	}
	tl := newTool(t)
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := tl.Run(context.Background(), json.RawMessage(tc.args))
			if tc.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got %v, want %q in it", err, tc.want)
			}
			if w := goWords.FindString(err.Error()); w != "" || strings.Contains(err.Error(), "int8") || strings.Contains(err.Error(), "uint") {
				t.Errorf("got %q: it has words of the program's own", err)
			}
		})
	}
}

func TestToolWithoutRequiredParametersTakesNothing(t *testing.T) {
	type none struct {
		Reason string `json:"reason,omitempty"`
	}
	tl, err := tool.New("look", "Looks.", tool.Reads, func(_ context.Context, in none) (string, error) { return "seen" + in.Reason, nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{``, ` `, `{}`, "\t{ }\n"} {
		if got, err := tl.Run(context.Background(), json.RawMessage(args)); err != nil || got != "seen" {
			t.Errorf("%q: got %v, %v", args, got, err)
		}
	}
}

func TestSchemaIsGivenAsItCame(t *testing.T) {
	if got := string(compile(t, everything).JSON()); got != everything {
		t.Error("the schema was written anew")
	}
	for _, raw := range []string{`{`, `{"type":7}`, `{"$ref":"#/nowhere"}`} {
		if _, err := tool.Compile(json.RawMessage(raw)); err == nil {
			t.Errorf("%s compiles", raw)
		}
	}
}

// TestNothingIsCoerced: whatever passes is decoded to exactly what stands in the arguments.
func TestNothingIsCoerced(t *testing.T) {
	tl := newTool(t)
	value := rapid.OneOf(
		rapid.Just(`null`), rapid.Just(`true`), rapid.Just(`"3"`), rapid.Just(`3`), rapid.Just(`3.0`), rapid.Just(`-3`), rapid.Just(`0.5`),
		rapid.Just(`[]`), rapid.Just(`[1,2]`), rapid.Just(`["1"]`), rapid.Just(`{}`), rapid.Just(`{"x":1}`), rapid.Just(`{"x":"1"}`), rapid.Just(`1e3`),
	)
	rapid.Check(t, func(t *rapid.T) {
		args := map[string]json.RawMessage{}
		for _, k := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"name", "count", "small", "never", "at", "inner", "other"}), rapid.ID[string]).Draw(t, "keys") {
			args[k] = json.RawMessage(value.Draw(t, k))
		}
		raw, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		got, err := tl.Run(context.Background(), raw)
		if err != nil {
			return
		}
		back, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		var has map[string]json.RawMessage
		if err := json.Unmarshal(back, &has); err != nil {
			t.Fatal(err)
		}
		for k, v := range args {
			zero := string(v) == "[]" || string(v) == "{}" || k == "at" && string(v) == "null" // a list that is not there
			if string(has[k]) != string(v) && !zero {
				t.Errorf("%s came as %s and is %s", k, v, has[k])
			}
		}
	})
}

func FuzzCheck(f *testing.F) {
	for _, s := range []string{``, `{}`, `{"text":"abc"}`, `{"text":"abc","text":1}`, `[`, `{"a":`, "\x00", `{"text":"\ud800"}`, `{"inner":{"x":1}} x`, `{"text":"abc","free":{"A":1,"a":2}}`} {
		f.Add([]byte(s))
	}
	s := compile(f, everything)
	f.Fuzz(func(t *testing.T, raw []byte) {
		err := s.Check(raw)
		if err != nil {
			if len(err.Error()) > 4000+2*len(raw) {
				t.Errorf("a message of %d bytes", len(err.Error()))
			}
			return
		}
		var v map[string]any
		if err := json.Unmarshal(raw, &v); err != nil {
			t.Fatalf("%q passes and is no object: %v", raw, err)
		}
		if _, is := v["text"].(string); !is {
			t.Errorf("%q passes without its text", raw)
		}
		if again := s.Check(raw); again != nil {
			t.Errorf("%q passes once: %v", raw, again)
		}
	})
}
