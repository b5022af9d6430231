package config_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/config"
)

type thing struct {
	Name   string             `yaml:"name" check:"name"`
	Mass   float64            `yaml:"mass_kg" check:"above=0"`
	Count  int                `yaml:"count" check:"min=0,max=10"`
	On     bool               `yaml:"on"`
	XY     [2]float64         `yaml:"xy"`
	Share  []float64          `yaml:"share" check:"min=0,max=1"`
	Beat   *float64           `yaml:"beat_s"`
	Kind   string             `yaml:"kind" check:"oneof=box|ball"`
	Poses  map[string]thing   `yaml:"poses"`
	Sums   map[string]float64 `yaml:"sums"`
	Parts  []thing            `yaml:"parts"`
	Schema json.RawMessage    `yaml:"schema"`
	Rest   config.Raw         `yaml:"rest"`
}

func (t *thing) SetDefaults() { t.Mass = 0.5; b := 20.0; t.Beat = &b }

func (t *thing) Validate(c *config.Check) {
	if t.On && t.Count == 0 {
		c.Errorf("count", "write a count", "on needs a count")
	}
}

func TestDecodeRefuses(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string // parts of the messages, in order; every error needs one
	}{
		{"unknown-key", "nmae: a\n", []string{`f.yaml:1:1: unknown key "nmae"; did you mean "name"? (known are `}},
		{"two-errors", "name: A\ncount: x\n", []string{`1:7: "A" is no name`, "2:8: a number is wanted, not a text"}},
		{"leading-zero", "count: 030\n", []string{"1:8: 030 has a leading zero (write 30)"}},
		{"leading-zero-float", "mass_kg: 00.5\n", []string{"1:10: 00.5 has a leading zero (write 0.5)"}},
		{"fraction", "count: 1.9\n", []string{"1:8: a whole number is wanted, not 1.9"}},
		{"fraction-zero", "count: 1.0\n", []string{"a whole number is wanted, not 1.0"}},
		{"comma", "mass_kg: 0,025\n", []string{"0,025 has a decimal comma (write 0.025)"}},
		{"comma-in-flow", "parts: [{mass_kg: 0,025, name: a}]\n", []string{`1:19: 0 is too small`, `1:21: unknown key "025" (is this a number with a decimal comma`}},
		{"comma-in-list", "xy: [0,5, 1]\n", []string{"1:1: 2 values are wanted, not 3 (decimals"}},
		{"bare-point", "mass_kg: 1.\n", []string{"1:10: 1. has no digit behind the point (write 1)"}},
		{"nan", "mass_kg: .nan\n", []string{".nan is not a number that can be used"}},
		{"infinite", "mass_kg: -.inf\n", []string{"-.inf is not a number"}},
		{"huge", "mass_kg: 1e999\n", []string{"1e999 is too large"}},
		{"huge-count", "count: 99999999999999999999\n", []string{"too large a number"}},
		{"hex", "count: 0x10\n", []string{"0x10 is not a decimal number"}},
		{"octal", "count: 0o17\n", []string{"0o17 is not a decimal number"}},
		{"underscore", "count: 1_0\n", []string{"1_0 has an underscore (write 10)"}},
		{"dot", "mass_kg: .5\n", []string{".5 has no digit before the point (write 0.5)"}},
		{"quoted-number", "count: '3'\n", []string{"remove the quotes"}},
		{"yes", "on: yes\n", []string{"yes is a text, not true or false"}},
		{"True", "on: True\n", []string{"True is not written so here (write true)"}},
		{"number-for-text", "kind: 5\n", []string{`a text is wanted, and 5 without quotes is a number (write "5")`}},
		{"null-for-number", "count:\n", []string{"1:1: the value is missing"}},
		{"above", "mass_kg: 0\n", []string{"0 is too small: more than 0"}},
		{"max", "count: 11\n", []string{"11 is too large: at most 10"}},
		{"each-of-list", "share: [0.5, 1.5]\n", []string{"1:14: 1.5 is too large"}},
		{"oneof", "kind: bix\n", []string{`"bix" is not known; did you mean "box"? (write one of box, ball)`}},
		{"map-for-list", "parts: {a: 1}\n", []string{"1:1: a list is wanted, not a map"}},
		{"list-for-map", "poses: [1]\n", []string{"a map is wanted, not a list"}},
		{"text-for-map", "poses: no\n", []string{"a map is wanted, not a text"}},
		{"twice", "count: 1\ncount: 2\nname: B\n", []string{`2:1: the key "count" stands twice; the first is at line 1`, `3:7: "B" is no name`}},
		{"second-document", "count: 1\n---\ncount: 2\n", []string{"3:1: a second document in one file"}},
		{"after-dots", "count: 1\n...\ncount: 2\n", []string{"3:1: a second document"}},
		{"broken-alias", "count: *no\n", []string{"1:8: the alias *no stands for nothing"}},
		{"alias-before-anchor", "count: *a\nmass_kg: &a 1\n", []string{"1:8: the alias *a stands for nothing"}},
		{"alias-in-itself", "poses: &p {a: {poses: *p}}\n", []string{"nested more than 64 deep"}},
		{"tag", "count: !!int 5\n", []string{"the tag !!int is not taken"}},
		{"merge-of-word", "<<: 5\n", []string{"<< takes a map, not a number"}},
		{"syntax", "count: [1\n", []string{"1:8: sequence end token"}},
		{"tab", "\tcount: 1\n", []string{"1:6: tab character"}},
		{"latin-1", "name: caf\xe9\n", []string{"1:10: byte 0xe9 is not text"}},
		{"validate", "on: true\n", []string{"1:1: on needs a count (write a count)"}},
		{"nested", "parts:\n  - name: a\n    poses:\n      b:\n        xx: 1\n", []string{`5:9: unknown key "xx"`}},
		{"a-list", "- 1\n", []string{"1:1: a map is wanted, not a list"}},
		{"big", "name: " + strings.Repeat("x", 1<<20), []string{"has 1048582 bytes"}},
		{"deep-flow", "rest: " + strings.Repeat("[", 70) + strings.Repeat("]", 70), []string{"1:70: nested more than 64 deep"}},
		{"deep-block", "rest:\n  " + strings.Repeat("- ", 70) + "a\n", []string{"nested more than 64 deep"}},
		{"bomb", bomb(), []string{"more than 200000 values"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := config.Decode[thing]("f.yaml", []byte(tt.in))
			if err == nil {
				t.Fatalf("Decode(%q) took it", tt.in)
			}
			lines := strings.Split(err.Error(), "\n")
			if len(lines) != len(tt.want) {
				t.Fatalf("got %d errors, want %d:\n%v", len(lines), len(tt.want), err)
			}
			for i, want := range tt.want {
				if !strings.Contains(lines[i], want) {
					t.Errorf("error %d: got %q, want it to contain %q", i, lines[i], want)
				}
			}
		})
	}
}

// bomb is a file whose aliases stand for some 10^8 values.
func bomb() string {
	var b strings.Builder
	b.WriteString("schema:\n  a: &a [1,1,1,1,1,1,1,1,1,1]\n")
	for c := 'b'; c <= 'h'; c++ {
		p := string(c - 1)
		b.WriteString("  " + string(c) + ": &" + string(c) + " [*" + strings.Join([]string{p, p, p, p, p, p, p, p, p, p}, ",*") + "]\n")
	}
	return b.String()
}

func TestDecodeTakes(t *testing.T) {
	twenty := 20.0
	def := thing{Mass: 0.5, Beat: &twenty}
	with := func(f func(*thing)) thing {
		v := def
		f(&v)
		return v
	}
	tests := []struct {
		name, in string
		want     thing
	}{
		{"empty", "", def},
		{"comments", "# nothing\n", def},
		{"mark-and-crlf", "\ufeffname: a\r\ncount: 3\r\n", with(func(v *thing) { v.Name, v.Count = "a", 3 })},
		{"numbers", "mass_kg: 1e-3\nsums: {a: -0.5, b: +2, c: 1E3, d: 0}\n", with(func(v *thing) {
			v.Mass, v.Sums = 1e-3, map[string]float64{"a": -0.5, "b": 2, "c": 1000, "d": 0}
		})},
		{"null-pointer", "beat_s: null\n", with(func(v *thing) { v.Beat = nil })},
		{"null-list", "parts:\n", def},
		{"defaults-inside", "parts: [{}]\n", with(func(v *thing) { v.Parts = []thing{def} })},
		{"array", "xy: [0.5, -1]\n", with(func(v *thing) { v.XY = [2]float64{0.5, -1} })},
		{"merge", "poses:\n  a: &a {name: a, count: 1}\n  b:\n    <<: *a\n    count: 2\n", with(func(v *thing) {
			a, b := def, def
			a.Name, a.Count = "a", 1
			b.Name, b.Count = "a", 2
			v.Poses = map[string]thing{"a": a, "b": b}
		})},
		{"merge-list", "poses:\n  a: &a {name: a, count: 1}\n  b: &b {count: 3, on: true}\n  c: {<<: [*a, *b]}\n", with(func(v *thing) {
			a, b, c := def, def, def
			a.Name, a.Count = "a", 1
			b.Count, b.On = 3, true
			c.Name, c.Count, c.On = "a", 1, true
			v.Poses = map[string]thing{"a": a, "b": b, "c": c}
		})},
		{"quoted-text", "kind: 'box'\n", with(func(v *thing) { v.Kind = "box" })},
		{"json", "schema: {type: object, n: [1, 2.5, true, null, 'x', +3], \"y\": yes}\n", with(func(v *thing) {
			v.Schema = json.RawMessage(`{"type":"object","n":[1,2.5,true,null,"x",3],"y":"yes"}`)
		})},
		{"document-marks", "---\nname: a\n...\n", with(func(v *thing) { v.Name = "a" })},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := config.Decode[thing]("f.yaml", []byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(got, tt.want, cmp.Comparer(func(a, b config.Raw) bool { return a.Kind() == b.Kind() })); diff != "" {
				t.Errorf("got (-) want (+):\n%s", diff)
			}
		})
	}
}

func TestRawKeepsItsPlace(t *testing.T) {
	v, doc, err := config.DecodeDocument[thing]("f.yaml", []byte("rest:\n  name: a\n  poses:\n    home: {count: 1}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := v.Rest.Kind(), config.KindMap; got != want {
		t.Errorf("kind: got %s, want %s", got, want)
	}
	inner, err := config.DecodeRaw[thing](v.Rest)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := inner.Poses["home"].Count, 1; got != want {
		t.Errorf("got %d, want %d", got, want)
	}
	e := doc.Errorf("rest.poses.home.count", "", "no")
	if got, want := e.Error(), "f.yaml:4:19: no"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := doc.At("rest.poses.home.count.deeper[3]").String(), "f.yaml:4:19"; got != want {
		t.Errorf("place of what is not there: got %s, want %s", got, want)
	}
	type strict struct {
		Name string `yaml:"name"`
	}
	_, err = config.DecodeRaw[strict](v.Rest)
	if err == nil || !strings.Contains(err.Error(), `f.yaml:3:3: unknown key "poses"`) {
		t.Errorf("got %v, want an unknown key at 3:3", err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{"", "name: a\n", "a: [1, {b: *c}]", "<<: &a {a: *a}\n", "? a\n: b", "- - - a", "a: |\n  b\n", "%YAML 1.2\n---\na", "\"", "a: !!x y", bomb()} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := config.Decode[thing]("f.yaml", data)
		if err == nil {
			return
		}
		for line := range strings.SplitSeq(err.Error(), "\n") {
			if line == "" {
				t.Errorf("an empty message among %q", err)
			}
		}
	})
}
