package app

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/robot"
)

// meddler is a robot whose world somebody else changes, too.
type meddler struct {
	robot.Robot

	before func(c robot.Command, now *robot.Readings) // each command
}

func (m *meddler) Do(c robot.Command) error {
	m.before(c, m.Readings())
	return m.Robot.Do(c)
}

// meddle moves an object once, when a moment of the arm's work has come.
func meddle(object string, to geom.Vec, moment func(h *hands, now *robot.Readings) bool) func(*running) {
	return func(r *running) {
		inner := r.body
		r.body = func(b robot.Robot) robot.Robot {
			h, done := b.(*hands), false
			if inner != nil {
				b = inner(b)
			}
			return &meddler{Robot: b, before: func(_ robot.Command, now *robot.Readings) {
				if !done && moment(h, now) {
					done = true
					if err := r.robot.Disturb(object, geom.Pose{Pos: to, Rot: geom.Rot{Real: 1}}); err != nil {
						panic(err) // the test names no object of the scene
					}
				}
			}}
		}
	}
}

// gripped is the moment in which the hand closes for the first time.
func gripped(h *hands, _ *robot.Readings) bool { return len(h.grips) > 0 }

// carried is the moment in which it has lifted what it closed on.
func carried(h *hands, now *robot.Readings) bool { return len(h.grips) > 0 && h.tip(now).Z > 0.08 }

// let is the moment in which it has let go over the box and is on its way up.
func let(h *hands, now *robot.Readings) bool {
	tip := h.tip(now)
	for _, g := range now.Grippers {
		return len(h.grips) > 0 && math.Hypot(tip.X-0.22, tip.Y-0.20) < 0.06 && g.ApertureM > 0.018 && g.TargetM > 0.018
	}
	return false
}

// slips takes the thing out of the hand once, so that it must be picked again.
func slips() func(*running) { return meddle("battery", geom.Vec{X: 0.28, Y: -0.10, Z: 0.008}, carried) }

// A battery that is moved after the look is not grasped where it was: the planner looks again and points anew.
func TestMovedAfterTheLook(t *testing.T) {
	unraced(t)
	t.Parallel()
	to := geom.Vec{X: 0.30, Y: 0.04, Z: 0.008}
	moved := func(r *running) {
		done := false
		changed(func(r *running, _ run.View, parts []model.Part) []model.Part {
			if !done {
				done = true
				if err := r.robot.Disturb("battery", geom.Pose{Pos: to, Rot: geom.Rot{Real: 1}}); err != nil {
					panic(err)
				}
			}
			return parts
		})(r)
	}
	a := try(t, attempt{scene: pickScene, task: intoBox, fit: moved})
	if err := errors.Join(notAt(a, batteryAt), trueClaim(a)); err != nil {
		t.Error(err)
	}
	stale := lookingAt(t, pickScene)
	b := try(t, attempt{scene: pickScene, task: intoBox, brief: true, fit: func(r *running) {
		stale(r)
		moved(r)
	}})
	if notAt(b, batteryAt) == nil {
		t.Error("a run that sees the world as it was passes: this test cannot fail")
	}
}

// twoScene has a second battery.
var twoScene = strings.Replace(strings.Replace(pickScene, "objects:\n", `objects:
  - {name: other, kind: battery, shape: cylinder, radius_m: 0.007, length_m: 0.05, mass_kg: 0.023,
     color: [0.75, 0.55, 0.2], pose: {xy: [0.33, 0.02], yaw_deg: 80}}
`, 1), "tasks:\n", `tasks:
  - instruction: put all the batteries in the white box
    success: {all_inside: {objects: {kind: battery}, container: box}}
`, 1)

// One look points two picks; the second battery is moved while the first is picked. Its point is refused.
func TestMovedWhileAnotherIsPicked(t *testing.T) {
	unraced(t)
	t.Parallel()
	const task = "put all the batteries in the white box"
	old := geom.Vec{X: 0.33, Y: 0.02}
	moved := meddle("other", geom.Vec{X: 0.28, Y: -0.14, Z: 0.008}, gripped)
	a := try(t, attempt{scene: twoScene, task: task, fit: moved})
	if err := errors.Join(notAt(a, old), trueClaim(a)); err != nil {
		t.Error(err)
	}
	if codes := a.refusals(t); !slices.Contains(codes, "view_changed") {
		t.Errorf("refusals %v, want view_changed among them", codes)
	}
	stale := lookingAt(t, twoScene)
	b := try(t, attempt{scene: twoScene, task: task, brief: true, fit: func(r *running) {
		stale(r)
		moved(r)
		armUnseen(r)
	}})
	if notAt(b, old) == nil {
		t.Error("a run that sees the world as it was passes: this test cannot fail")
	}
}

// armUnseen makes a run that does not expect to see its arm in a picture: in a world as it was the arm is at rest.
func armUnseen(r *running) {
	body := r.body
	r.body = func(b robot.Robot) robot.Robot {
		r.setup.body.Module("right_arm").Arm.LinkRadius = 0 // the world is built already
		return body(b)
	}
}

// notAt says that the hand never closed near a place.
func notAt(a trial, old geom.Vec) (errs error) {
	for _, g := range a.grips {
		if math.Hypot(g.X-old.X, g.Y-old.Y) < 0.03 {
			errs = errors.Join(errs, fmt.Errorf("the hand closed at %v, near the old place", g))
		}
	}
	return errs
}

// trueClaim says that success is claimed and true.
func trueClaim(a trial) error {
	if is(a.Claimed) != "true" || is(a.Checked) != "true" {
		return fmt.Errorf("claimed %s, checked %s; want true twice: %s", is(a.Claimed), is(a.Checked), a.Summary)
	}
	return nil
}

// takenOut takes the battery out of the box as soon as it was let go over it.
func takenOut() func(*running) {
	return meddle("battery", geom.Vec{X: 0.28, Y: -0.10, Z: 0.008}, let)
}

// counts claims success as soon as its steps went well.
func counts(_ *running, v run.View, parts []model.Part) []model.Part {
	if len(v.Request.Messages) == 1 {
		return parts
	}
	return []model.Part{finish(true, "one battery was put into the box"), model.End{Reason: model.StopToolUse}}
}

// A battery that leaves the box again is seen: success is claimed of what the picture shows, not of what was done.
func TestTakenOutOfTheBoxAgain(t *testing.T) {
	t.Parallel()
	a := try(t, attempt{scene: pickScene, task: intoBox, fit: takenOut()})
	if err := trueClaim(a); err != nil {
		t.Error(err)
	}
	if len(a.grips) < 2 {
		t.Errorf("the hand closed %d times: the battery was not taken out", len(a.grips))
	}
	b := try(t, attempt{scene: pickScene, task: intoBox, fit: func(r *running) {
		takenOut()(r)
		changed(counts)(r)
	}})
	if trueClaim(b) == nil {
		t.Error("a planner that counts passes: this test cannot fail")
	}
}

// refusals are the codes of what was refused.
func (a trial) refusals(t *testing.T) []string {
	t.Helper()
	var out []string
	for e, err := range episode.Read(a.dir) {
		if err != nil {
			t.Fatal(err)
		}
		if r, ok := e.Event.(episode.Refused); ok {
			out = append(out, r.Code)
		}
	}
	return out
}
