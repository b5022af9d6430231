package sim_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/sim"
)

const battery = `{name: a, kind: battery, shape: cylinder, radius_m: 0.007, length_m: 0.05, pose: {xy: [0.25, 0]}}`

// scene wraps objects and a success check into a file; line 3 holds the object, line 6 the check.
func scene(object, check string) string {
	text := "name: s\nobjects:\n  - " + object + "\n"
	if check != "" {
		text += "tasks:\n  - instruction: do it\n    success: " + check + "\n"
	}
	return text
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, file string
		want       []string // parts of the message, in any order; the first with its place
	}{
		{"no-name", "objects: []\n", []string{"s.yaml", `"name" is missing`}},
		{"unknown-key", scene(strings.Replace(battery, "radius_m", "radius", 1), ""), []string{"s.yaml:3:", "radius"}},
		{"wrong-type", scene(strings.Replace(battery, "0.007", "thin", 1), ""), []string{"s.yaml:3:", "number"}},
		{"decimal-comma", scene(strings.Replace(battery, "radius_m: 0.007", "radius_m: 0,007", 1), ""), []string{"s.yaml:3:"}},
		{"nan", scene(strings.Replace(battery, "0.007", ".nan", 1), ""), []string{"s.yaml:3:"}},
		{"unknown-shape", scene(strings.Replace(battery, "cylinder", "cone", 1), ""), []string{"s.yaml:3:", "cone", "cylinder"}},
		{"missing-size", scene("{name: a, shape: cylinder, radius_m: 0.01, pose: {xy: [0.2, 0]}}", ""), []string{"s.yaml:3:", "needs length_m"}},
		{"size-of-another-shape", scene("{name: a, shape: sphere, radius_m: 0.01, length_m: 0.1, pose: {xy: [0.2, 0]}}", ""), []string{"s.yaml:3:", "has no length_m"}},
		{"too-large", scene(strings.Replace(battery, "0.007", "7", 1), ""), []string{"s.yaml:3:", "at most 0.5"}},
		{"colour-of-two", scene(strings.Replace(battery, "pose", "color: [1, 0], pose", 1), ""), []string{"s.yaml:3:", "3 values"}},
		{"colour-range", scene(strings.Replace(battery, "pose", "color: [1, 0, 255], pose", 1), ""), []string{"s.yaml:3:", "at most 1"}},
		{"no-pose", scene("{name: a, shape: sphere, radius_m: 0.01}", ""), []string{"s.yaml:3:", `"pose" is missing`}},
		{"twice-the-name", "name: s\nobjects:\n  - " + battery + "\n  - " + battery + "\n", []string{"s.yaml:4:", `second object is called "a"`}},
		{"free-drawer", scene("{name: d, shape: drawer, inner_m: [0.1, 0.1, 0.05], wall_m: 0.004, travel_m: 0.08, fixed: false, pose: {xy: [0.35, 0]}}", ""), []string{"s.yaml:3:", "always fixed"}},
		{"drawer-falls-out", scene("{name: d, shape: drawer, inner_m: [0.1, 0.1, 0.05], wall_m: 0.004, travel_m: 0.2, pose: {xy: [0.45, 0]}}", ""), []string{"s.yaml:3:", "falls out"}},
		{"short-capsule", scene("{name: a, shape: capsule, radius_m: 0.02, length_m: 0.03, pose: {xy: [0.2, 0]}}", ""), []string{"s.yaml:3:", "at least as long"}},
		{"selector-of-no-kind", scene(battery, "{all_inside: {objects: {kind: bat}, container: a}}"), []string{"s.yaml:6:", `of kind "bat"`}},
		{"selector-of-no-name", scene(battery, "{pressed: {object: b}}"), []string{"s.yaml:6:", `called "b"`}},
		{"selector-of-both", scene(battery, "{lifted: {object: {kind: battery, name: a}, at_least_m: 0.1}}"), []string{"s.yaml:6:", "either kind or name"}},
		{"no-container", scene(battery, "{all_inside: {objects: a, container: a}}"), []string{"s.yaml:6:", "one of [open_box drawer mug]"}},
		{"no-button", scene(battery, "{pressed: {object: a}}"), []string{"s.yaml:6:", "button"}},
		{"two-checks", scene(battery, "{upright: {object: a}, lifted: {object: a, at_least_m: 0.1}}"), []string{"s.yaml:6:", "one thing"}},
		{"no-check", scene(battery, "{}"), []string{"s.yaml:6:", "one thing"}},
		{"empty-all", scene(battery, "{all: []}"), []string{"s.yaml:6:", "empty"}},
		{"unknown-check", scene(battery, "{insde: {object: a}}"), []string{"s.yaml:6:", "insde"}},
		{"bad-direction", scene(battery, "{moved: {object: a, direction: up, at_least_m: 0.1}}"), []string{"s.yaml:6:", "up", "left"}},
		{"nested-selector", scene(battery, "{not: {any: [{upright: {object: nothing}}]}}"), []string{"s.yaml:6:", `called "nothing"`}},
		{"delayed-without-delay", "name: s\nfaults:\n  - {camera: c, kind: delayed, from_s: 1}\n", []string{"s.yaml:3:", "delay_s"}},
		{"renewed-but-not-frozen", "name: s\nfaults:\n  - {camera: c, kind: black, from_s: 1, with: clock}\n", []string{"s.yaml:3:", "only a frozen camera has with"}},
		{"unknown-fault", "name: s\nfaults:\n  - {camera: c, kind: blurred, from_s: 1}\n", []string{"s.yaml:3:", "blurred"}},
		{"second-document", scene(battery, "") + "---\nname: t\n", []string{"second document"}},
		{"too-many-objects", "name: s\nobjects:\n" + strings.Repeat("  - "+battery+"\n", 201), []string{"at most 200"}},
		{"no-yaml", "name: [", []string{"s.yaml:"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := sim.Parse("s.yaml", []byte(tc.file))
			if err == nil {
				t.Fatalf("no error, want one with %q", tc.want)
			}
			for _, part := range tc.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q does not say %q", err, part)
				}
			}
		})
	}
}

func TestParseListsAllErrors(t *testing.T) {
	t.Parallel()
	_, err := sim.Parse("s.yaml", []byte("name: s\nobjects:\n  - {name: a, shape: sphere, radius_m: 9, pose: {xy: [0, 0]}}\n  - {name: b, shape: ball, pose: {xy: [0, 0]}}\n"))
	if err == nil || !strings.Contains(err.Error(), "s.yaml:3:") || !strings.Contains(err.Error(), "s.yaml:4:") {
		t.Errorf("error %v, want one for line 3 and one for line 4", err)
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, object, want string }{
		{"drawer-too-near", "{name: d, shape: drawer, inner_m: [0.1, 0.1, 0.05], wall_m: 0.004, travel_m: 0.1, pose: {xy: [0.30, 0]}}", "within 0.11 m"},
		{"drawer-turned-away", "{name: d, shape: drawer, inner_m: [0.1, 0.1, 0.05], wall_m: 0.004, travel_m: 0.1, pose: {xy: [0.30, 0], yaw_deg: 180}}", ""},
		{"out-of-reach", strings.Replace(battery, "0.25, 0]", "0.45, 0]", 1), "0.45 m from the arm's foot"},
		{"fine", battery, ""},
		{"in-the-place-of-another", strings.Replace(battery, "name: a", "name: b", 1) + "\n  - " + battery, "a stands in the place of b"},
		{"on-another", strings.Replace(battery, "name: a", "name: b", 1) + "\n  - " + strings.Replace(battery, "0]}", "0], z: 0.014}", 1), ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s, err := sim.Parse("s.yaml", []byte(scene(tc.object, "")))
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(s.Warnings, "\n")
			if tc.want == "" && got != "" || !strings.Contains(got, tc.want) || tc.want != "" && !strings.HasPrefix(got, "s.yaml:3:") && !strings.HasPrefix(got, "s.yaml:4:") {
				t.Errorf("warnings %q, want %q", got, tc.want)
			}
		})
	}
}

func TestTaskOfTypedText(t *testing.T) {
	t.Parallel()
	s, err := sim.Parse("s.yaml", []byte(scene(battery, "{upright: {object: a}}")))
	if err != nil {
		t.Fatal(err)
	}
	for typed, want := range map[string]bool{
		"do it": true, "Do it.": true, "  DO\t it ": true, "do it .": true, "do it!": false, "do": false, "do it..": false, "": false,
	} {
		if got := s.Task(typed) != nil; got != want {
			t.Errorf("task of %q found: %t, want %t", typed, got, want)
		}
	}
}

func TestLoadSceneByName(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{
		"scenes/one.yaml": {Data: []byte("name: one\n")}, "scenes/two.yaml": {Data: []byte("name: two\n")}, "my.yaml": {Data: []byte("name: mine\n")},
	}
	for name, want := range map[string]string{"one": "one", "scenes/two.yaml": "two", "my.yaml": "mine"} {
		s, err := sim.LoadScene(files, name)
		if err != nil || s.Name != want {
			t.Errorf("scene of %q: %v, %v; want %s", name, s, err, want)
		}
	}
	if _, err := sim.LoadScene(files, "three"); err == nil || !strings.Contains(err.Error(), "one, two") {
		t.Errorf("error %v, want one that names the scenes", err)
	}
	if diff := cmp.Diff(sim.SceneNames(files), []string{"one", "two"}); diff != "" {
		t.Errorf("names (-got +want):\n%s", diff)
	}
}

// FuzzParse: whatever comes in, it is an error or a scene that can be arranged and written for the engine, and its names
// stay out of the engine's file.
func FuzzParse(f *testing.F) {
	f.Add(scene(battery, "{all: [{upright: {object: a}}, {not: {near: {object: {name: [a]}, xy: [0, 0], within_m: 1}}}]}"))
	f.Add(scene("{name: 'x\" y', shape: mug, radius_m: 0.03, height_m: 0.08, pose: {xy: [0.2, 0.1], z: 0.1}}", ""))
	f.Add(scene("{name: d, shape: drawer, inner_m: [0.1, 0.1, 0.05], wall_m: 0.004, travel_m: 0.08, pose: {xy: [0.35, 0], yaw_deg: 10}}", ""))
	f.Add(scene("{name: b, shape: button, radius_m: 0.02, travel_m: 0.006, pose: {xy: [0.3, 0]}}", ""))
	f.Fuzz(func(t *testing.T, text string) {
		s, err := sim.Parse("f.yaml", []byte(text))
		if err != nil {
			if s != nil || err.Error() == "" {
				t.Errorf("scene %v beside error %q", s, err)
			}
			return
		}
		if len(s.Objects) > 20 {
			t.Skip("large")
		}
		doc, err := sim.DocumentForTest(s, 1)
		if err != nil {
			return // no room for the seed
		}
		if strings.Contains(doc, "NaN") || strings.Contains(doc, "Inf") {
			t.Error("a number in the engine's file is not finite")
		}
		for i := range s.Objects {
			if n := s.Objects[i].Name; strings.ContainsAny(n, "<>\"& ") && strings.Contains(doc, `name="`+n) {
				t.Errorf("the name %q got into the engine's file", n)
			}
		}
		if slices.ContainsFunc(s.Tasks, func(k sim.Task) bool { return s.Task(k.Instruction) == nil }) {
			t.Error("a task is not found by its own instruction")
		}
	})
}
