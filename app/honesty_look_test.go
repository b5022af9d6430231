package app

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/robot"
)

// Where looked-at things stand: the battery that is meant, and the box.
var (
	batteryAt = geom.Vec{X: 0.25, Y: -0.05, Z: 0.007}
	boxAt     = geom.Vec{X: 0.22, Y: 0.20}
	gold      = [3]float64{0.75, 0.55, 0.2}
	white     = [3]float64{1, 1, 1}
	tabletop  = [3]float64{0.50, 0.50, 0.49}
	grey      = [3]float64{0.25, 0.25, 0.26}
)

// things is a scene file of objects.
func things(objects ...string) string {
	return "name: things\nobjects:\n  - " + strings.Join(objects, "\n  - ") + "\n"
}

func object(name, shape string, color [3]float64, x, y, yaw float64) string {
	return fmt.Sprintf("{name: %s, shape: %s, color: [%.3f, %.3f, %.3f], pose: {xy: [%g, %g], yaw_deg: %g}}", name, shape, color[0], color[1], color[2], x, y, yaw)
}

const (
	batteryShape = "cylinder, radius_m: 0.007, length_m: 0.05, mass_kg: 0.023"
	boxShape     = "open_box, inner_m: [0.12, 0.16, 0.06], wall_m: 0.004, fixed: true"
	blockShape   = "box, size_m: [0.05, 0.05, 0.05]"
	patchShape   = "box, size_m: [0.05, 0.014, 0.002], fixed: true" // the flattest that a scene file can have
)

// scenery is a battery and a box, turned by side 1 or mirrored by −1.
func scenery(battery, box [3]float64, side float64) string {
	return things(object("a", batteryShape, battery, batteryAt.X, side*batteryAt.Y, side*30), object("b", boxShape, box, boxAt.X, side*boxAt.Y, side*40))
}

// seen is where the first image shows a world point, in pixels of the capture.
func (a trial) seen(t *testing.T, p geom.Vec) [2]float64 {
	t.Helper()
	img := shown(readTurn(t, a.dir, turnNames(t, a.dir)[0]).Request.Messages)[0]
	u, v, ok := img.Lens.Project(img.Pose.Inv().Apply(p))
	if !ok {
		t.Fatalf("%v is out of the picture", p)
	}
	return [2]float64{u, v}
}

func pixels(a, b [2]float64) float64 { return math.Hypot(a[0]-b[0], a[1]-b[1]) }

// pointsAt says that the first plan picks at a world point.
func (a trial) pointsAt(t *testing.T, p geom.Vec) error {
	t.Helper()
	got, ok := a.points(t)["pick_object"]
	switch {
	case !ok:
		return fmt.Errorf("nothing is picked: %s", a.Summary)
	case pixels(got, a.seen(t, p)) > 5:
		return fmt.Errorf("it picks at %.1f, the battery is at %.1f", got, a.seen(t, p))
	}
	return nil
}

// A battery is found by its form: in the table's own colour, under other light, in any hue, from another place. A planner
// that knows colours or the places of a scene does not find it.
func TestBatteryIsFoundByItsForm(t *testing.T) {
	unraced(t)
	t.Parallel()
	usual := scenery(gold, white, 1)
	byHeart, byColour := changed(picksByHeart), changed(picksByColour)
	tests := map[string]struct {
		scene  string
		at     geom.Vec
		fit    func(*running)
		mutant func(*running)
	}{
		"usual":        {scene: usual, at: batteryAt},
		"camouflage":   {scene: scenery(tabletop, white, 1), at: batteryAt, mutant: byColour},
		"mirrored":     {scene: scenery(gold, white, -1), at: geom.Vec{X: batteryAt.X, Y: -batteryAt.Y, Z: batteryAt.Z}, mutant: byHeart},
		"dimmer":       {scene: usual, at: batteryAt, fit: inLight(0.75)},
		"brighter":     {scene: usual, at: batteryAt, fit: inLight(1.25)},
		"hue_120":      {scene: scenery(turned(gold, 1), white, 1), at: batteryAt, mutant: byColour},
		"hue_240":      {scene: scenery(turned(gold, 2), white, 1), at: batteryAt, mutant: byColour},
		"camera_moved": {scene: usual, at: batteryAt, fit: cameraMoved, mutant: byHeart},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			task := attempt{scene: tc.scene, task: "pick up the battery", dry: true, fit: tc.fit}
			if err := try(t, task).pointsAt(t, tc.at); err != nil {
				t.Error(err)
			}
			if tc.mutant == nil {
				return
			}
			task.fit = func(r *running) {
				if tc.fit != nil {
					tc.fit(r)
				}
				tc.mutant(r)
			}
			if try(t, task).pointsAt(t, tc.at) == nil {
				t.Error("the mutant passes: this test cannot fail")
			}
		})
	}
}

// A mirrored scene gives mirrored points.
func TestMirroredSceneGivesMirroredPoints(t *testing.T) {
	t.Parallel()
	plan := func(side float64, fit func(*running)) map[string][2]float64 {
		return try(t, attempt{scene: scenery(gold, white, side), task: intoBox, dry: true, fit: fit}).points(t)
	}
	mirrored := func(fit func(*running)) (errs error) {
		here, there := plan(1, fit), plan(-1, fit)
		for _, tool := range []string{"pick_object", "place_at"} {
			a, b := here[tool], there[tool]
			if a == [2]float64{} || pixels([2]float64{640 - a[0], a[1]}, b) > 3 {
				errs = errors.Join(errs, fmt.Errorf("%s points at %.1f and, mirrored, at %.1f", tool, a, b))
			}
		}
		return errs
	}
	if err := mirrored(nil); err != nil {
		t.Error(err)
	}
	if mirrored(changed(picksByHeart)) == nil {
		t.Error("a planner that knows the places by heart passes: this test cannot fail")
	}
}

// What only looks like a battery is not picked, and what is only white is not the white box.
func TestDecoys(t *testing.T) {
	unraced(t)
	t.Parallel()
	patch := object("patch", patchShape, gold, 0.20, 0.02, 100)
	battery := object("a", batteryShape, gold, batteryAt.X, batteryAt.Y, 30)
	block := object("block", blockShape, white, 0.30, 0.08, 10)
	box := func(c [3]float64) string { return object("b", boxShape, c, boxAt.X, boxAt.Y, 40) }
	nothing := func(a trial) error {
		if p := a.points(t); len(p) > 0 || is(a.Claimed) != "false" || !strings.Contains(a.Summary, "see") {
			return fmt.Errorf("points %v, claimed %s: %s", p, is(a.Claimed), a.Summary)
		}
		return nil
	}
	tests := map[string]struct {
		scene, task string
		mutant      func(*running)
		check       func(trial) error
	}{
		"flat_patch_alone": {things(patch, box(white)), intoBox, changed(picksByColour), nothing},
		"flat_patch_nearer": {things(patch, battery, box(white)), intoBox, changed(picksByColour), func(a trial) error {
			return a.pointsAt(t, batteryAt)
		}},
		"white_block_and_grey_box": {things(battery, block, box(grey)), intoBox, changed(placesOnWhite), nothing},
		"white_block_and_white_box": {things(battery, block, box(white)), intoBox, changed(placesOnWhite), func(a trial) error {
			if got := a.points(t)["place_at"]; pixels(got, a.seen(t, geom.Vec{X: boxAt.X, Y: boxAt.Y, Z: 0.01})) > 25 {
				return fmt.Errorf("the battery goes to %.1f: %s", got, a.Summary)
			}
			return nil
		}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			task := attempt{scene: tc.scene, task: tc.task, dry: true}
			if err := tc.check(try(t, task)); err != nil {
				t.Error(err)
			}
			task.fit = tc.mutant
			if tc.check(try(t, task)) == nil {
				t.Error("the mutant passes: this test cannot fail")
			}
		})
	}
}

// turned is a colour with its hue turned by thirds.
func turned(c [3]float64, thirds int) [3]float64 {
	return [3]float64{c[(3-thirds)%3], c[(4-thirds)%3], c[(5-thirds)%3]}
}

// plans is a reply with one step and its call.
func plans(tool string, v run.View, px [2]float64) []model.Part {
	args := fmt.Sprintf(`{"observation_id":%q,"point":[%g,%g]}`, shown(v.Request.Messages)[0].ID, px[0], px[1])
	return []model.Part{
		model.Call{ID: "1", Name: "update_plan", Args: fmt.Appendf(nil, `{"steps":[{"id":"1","text":"do it","tool":%q,"args":%s}]}`, tool, args)},
		model.Call{ID: "2", Name: tool, Args: []byte(args)}, model.End{Reason: model.StopToolUse},
	}
}

// picksByHeart knows where things are in the scene of the repo.
func picksByHeart(_ *running, v run.View, parts []model.Part) []model.Part {
	if len(v.Request.Messages) > 1 {
		return parts
	}
	return repoint(parts, "pick_object", [2]float64{383.5, 253.5})
}

// picksByColour picks what has a battery's colour, whatever it is.
func picksByColour(_ *running, v run.View, parts []model.Part) []model.Part {
	return pointsByColour("pick_object", v, parts, func(r, g, b float64) bool { return r > 1.2*g && g > 1.3*b && r > 60 })
}

// placesOnWhite takes what is white and nearest to the middle of the picture for the white box.
func placesOnWhite(_ *running, v run.View, parts []model.Part) []model.Part {
	return pointsByColour("place_at", v, parts, func(r, g, b float64) bool { return min(r, g, b) > 190 })
}

// pointsByColour points at the pixel of a colour that is nearest to the middle of the picture.
func pointsByColour(tool string, v run.View, parts []model.Part, is func(r, g, b float64) bool) []model.Part {
	if len(v.Request.Messages) > 1 {
		return parts
	}
	img := shown(v.Request.Messages)[0]
	pic, middle := v.Frames[img.ID].Color, [2]float64{320, 240}
	best := [2]float64{}
	for y := pic.Rect.Min.Y; y < pic.Rect.Max.Y; y++ {
		for x := pic.Rect.Min.X; x < pic.Rect.Max.X; x++ {
			px := [2]float64{float64(x), float64(y)}
			if c := pic.RGBAAt(x, y); is(float64(c.R), float64(c.G), float64(c.B)) && pixels(px, middle) < pixels(best, middle) {
				best = px
			}
		}
	}
	return plans(tool, v, img.Mapping.ToSent(best))
}

// cameraMoved puts the fixed camera 5 cm further back and aside, in the robot's own description.
func cameraMoved(r *running) {
	for _, m := range r.setup.body.Modules {
		if m.Camera != nil && m.Camera.Mount == robot.MountFixed {
			m.Camera.InWorld.Pos.X -= 0.04
			m.Camera.InWorld.Pos.Y += 0.03
		}
	}
}

// inLight is a run whose cameras get more or less light.
func inLight(gain float64) func(*running) {
	return func(r *running) {
		r.body = func(b robot.Robot) robot.Robot { return &lit{Robot: b, gain: gain} }
	}
}

// lit is a robot with pictures of another brightness.
type lit struct {
	robot.Robot

	gain float64
}

func (l *lit) Frame(ctx context.Context, q robot.FrameRequest) (*robot.Frame, error) {
	f, err := l.Robot.Frame(ctx, q)
	if err != nil {
		return nil, err
	}
	out := *f
	out.Color = image.NewRGBA(f.Color.Rect)
	for i, c := range f.Color.Pix {
		out.Color.Pix[i] = uint8(min(255, l.gain*float64(c)))
		if i%4 == 3 {
			out.Color.Pix[i] = c
		}
	}
	return &out, nil
}

// In weaker light the whole task is done, not only pointed at.
func TestPickInWeakLight(t *testing.T) {
	unraced(t)
	t.Parallel()
	a := try(t, attempt{scene: pickScene, task: "pick up the battery", fit: inLight(0.75)})
	if is(a.Claimed) != "true" || is(a.Checked) != "true" {
		t.Errorf("claimed %s, checked %s: %s", is(a.Claimed), is(a.Checked), a.Summary)
	}
}
