package app

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/model"
)

// pickScene is one battery and a box.
const pickScene = `name: pick
objects:
  - {name: battery, kind: battery, shape: cylinder, radius_m: 0.007, length_m: 0.05, mass_kg: 0.023,
     color: [0.75, 0.55, 0.2], pose: {xy: [0.25, -0.05], yaw_deg: 30}}
  - {name: box, kind: box, shape: open_box, inner_m: [0.12, 0.16, 0.06], wall_m: 0.004, color: [1, 1, 1],
     pose: {xy: [0.22, 0.20], yaw_deg: 40}, fixed: true}
tasks:
  - instruction: put the battery in the white box
    success: {all_inside: {objects: battery, container: box}}
  - instruction: pick up the battery
    success: {lifted: {object: battery, at_least_m: 0.05}}
`

// A camera that shows nothing, or always the same, moves nothing and claims nothing, in plain words.
func TestBlindfold(t *testing.T) {
	unraced(t)
	t.Parallel()
	sees := lookingAt(t, pickScene)
	for _, kind := range []string{"black", "frozen"} {
		scene := pickScene + fmt.Sprintf("faults:\n  - {camera: front_camera, kind: %s, from_s: 0}\n", kind)
		a := try(t, attempt{scene: scene, task: intoBox})
		if err := sawNothing(t, a); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		if kind == "black" {
			continue
		}
		for name, mutant := range map[string]func(*running){"eyes_elsewhere": sees, "moves_blindly": changed(movesBlindly)} {
			if sawNothing(t, try(t, attempt{scene: scene, task: intoBox, brief: true, fit: mutant})) == nil {
				t.Errorf("%s: a run that %s passes: this test cannot fail", kind, name)
			}
		}
	}
}

// sawNothing is how a run ends that could not see.
func sawNothing(t *testing.T, a trial) error {
	t.Helper()
	var errs []error
	if a.Status != run.StatusFailed || is(a.Claimed) != "false" || is(a.Checked) != "false" {
		errs = append(errs, fmt.Errorf("status %s, claimed %s, checked %s; want failed, false, false", a.Status, is(a.Claimed), is(a.Checked)))
	}
	if !strings.Contains(a.Summary, "cannot see") {
		errs = append(errs, fmt.Errorf("%q does not say that it cannot see", a.Summary))
	}
	if s := a.started(t); len(s) > 0 || a.moves > 0 {
		errs = append(errs, fmt.Errorf("actions %v, %d commands moved something", s, a.moves))
	}
	for name, was := range a.before {
		if now := a.after[name]; math.Hypot(now.X-was.X, now.Y-was.Y) > 0.001 {
			errs = append(errs, fmt.Errorf("%s moved from %v to %v", name, was, now))
		}
	}
	return errors.Join(errs...)
}

// movesBlindly moves the arm before it gives up.
func movesBlindly(_ *running, v run.View, parts []model.Part) []model.Part {
	if len(v.Request.Messages) > 1 {
		return parts
	}
	return []model.Part{model.Call{ID: "1", Name: "move_to_pose", Args: []byte(`{"pose":"look"}`)}, model.End{Reason: model.StopToolUse}}
}

// A camera that freezes or falls behind while the arm works: what was done is not taken for seen.
func TestBlindHalfWay(t *testing.T) {
	unraced(t)
	t.Parallel()
	for _, fault := range []string{"kind: frozen, from_s: 0.6", "kind: frozen, from_s: 5", "kind: delayed, from_s: 2, delay_s: 3"} {
		task := attempt{scene: pickScene + "faults:\n  - {camera: front_camera, " + fault + "}\n", task: intoBox, fit: takenOut()}
		claimsNothing := func(a trial) error {
			if is(a.Claimed) != "false" || !strings.Contains(a.Summary, "front_camera") {
				return fmt.Errorf("claimed %s (checked %s): %s", is(a.Claimed), is(a.Checked), a.Summary)
			}
			return nil
		}
		if err := claimsNothing(try(t, task)); err != nil {
			t.Errorf("%s: %v", fault, err)
		}
		task.fit = func(r *running) {
			takenOut()(r)
			changed(counts)(r)
		}
		if claimsNothing(try(t, task)) == nil {
			t.Errorf("%s: a planner that counts passes: this test cannot fail", fault)
		}
	}
}
