package app

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/model"
)

const intoBox = "put the battery in the white box"

// Three things, as a person would name them, and the same three renamed and in another order.
const (
	namedScene = `name: named
objects:
  - {name: battery_1, kind: battery, shape: cylinder, radius_m: 0.007, length_m: 0.05, mass_kg: 0.023,
     color: [0.75, 0.55, 0.2], pose: {xy: [0.25, -0.05], yaw_deg: 30}}
  - {name: red_block, kind: block, shape: box, size_m: [0.04, 0.04, 0.04], color: [0.8, 0.1, 0.1], pose: {xy: [0.30, 0.06], yaw_deg: 15}}
  - {name: white_box, kind: box, shape: open_box, inner_m: [0.12, 0.16, 0.06], wall_m: 0.004, color: [1, 1, 1],
     pose: {xy: [0.22, 0.20], yaw_deg: 40}, fixed: true}
tasks:
  - instruction: put the battery in the white box
    success: {all_inside: {objects: {kind: battery}, container: white_box}}
`
	renamedScene = `name: other
objects:
  - {name: battery, kind: mug, shape: open_box, inner_m: [0.12, 0.16, 0.06], wall_m: 0.004, color: [1, 1, 1],
     pose: {xy: [0.22, 0.20], yaw_deg: 40}, fixed: true}
  - {name: white_box, kind: battery, shape: box, size_m: [0.04, 0.04, 0.04], color: [0.8, 0.1, 0.1], pose: {xy: [0.30, 0.06], yaw_deg: 15}}
  - {name: x, kind: y, shape: cylinder, radius_m: 0.007, length_m: 0.05, mass_kg: 0.023,
     color: [0.75, 0.55, 0.2], pose: {xy: [0.25, -0.05], yaw_deg: 30}}
tasks:
  - instruction: put the battery in the white box
    success: {all_inside: {objects: x, container: battery}}
`
)

// Names, kinds and the order of a scene file change nothing: the same looks, words, calls and points, byte for byte.
func TestNamesOfTheSceneChangeNothing(t *testing.T) {
	unraced(t)
	t.Parallel()
	run := func(scene string, a attempt) trial {
		a.scene, a.task = scene, intoBox
		return try(t, a)
	}
	named, renamed := run(namedScene, attempt{}), run(renamedScene, attempt{})
	if is(named.Checked) != "true" || is(renamed.Checked) != "true" {
		t.Errorf("checked %s and %s, want true twice: %s", is(named.Checked), is(renamed.Checked), renamed.Summary)
	}
	if d := cmp.Diff(named.story(t), renamed.story(t)); d != "" {
		t.Errorf("other names and another order changed the run (-named +renamed):\n%s", d)
	}
	for name, object := range map[string]func(r *running) string{
		"by_name":  func(*running) string { return "battery_1" },
		"by_kind":  func(r *running) string { return firstOf(r, "battery") },
		"by_order": func(r *running) string { return r.setup.scene.Objects[0].Name },
	} {
		cheat := attempt{fit: cheatsWith(object), dry: true}
		if cmp.Equal(run(namedScene, cheat).story(t), run(renamedScene, cheat).story(t)) {
			t.Errorf("a planner that points %s passes: this test cannot fail", name)
		}
	}
}

// firstOf is the first object of a kind.
func firstOf(r *running, kind string) string {
	for _, o := range r.setup.scene.Objects {
		if o.Kind == kind {
			return o.Name
		}
	}
	return ""
}

// cheatsWith is a planner that points its picks at where an object of the scene file is.
func cheatsWith(object func(r *running) string) func(*running) {
	return changed(func(r *running, v run.View, parts []model.Part) []model.Part {
		if p := r.robot.WorldPose(object(r)); p != nil {
			return repoint(parts, "pick_object", seenAt(v, p.Pos))
		}
		return parts
	})
}

// finish is a call that ends the run.
func finish(success bool, summary string) model.Call {
	return model.Call{ID: "end", Name: "finish_task", Args: fmt.Appendf(nil, `{"success":%v,"summary":%q}`, success, summary)}
}
