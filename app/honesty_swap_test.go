package app

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/model"
	"gonum.org/v1/gonum/spatial/r3"
)

// elsewhereScene is pickScene with the battery at another place, and doneScene with the battery in the box.
var (
	elsewhereScene = strings.Replace(pickScene, "xy: [0.25, -0.05], yaw_deg: 30", "xy: [0.30, 0.03], yaw_deg: 100", 1)
	doneScene      = strings.Replace(pickScene, "xy: [0.25, -0.05], yaw_deg: 30", "xy: [0.22, 0.20], z: 0.02, yaw_deg: 30", 1)
)

// Pictures of one scene over the physics of another: it acts where the picture says, and cannot know the verdict.
func TestPicturesOfAnotherScene(t *testing.T) {
	unraced(t)
	t.Parallel()
	task := attempt{scene: pickScene, task: intoBox, fit: lookingAt(t, elsewhereScene)}
	if err := actsOnThePicture(try(t, task)); err != nil {
		t.Error(err)
	}
	eyes := lookingAt(t, elsewhereScene)
	task.fit = func(r *running) {
		eyes(r)
		cheatsWith(func(*running) string { return "battery" })(r)
	}
	if actsOnThePicture(try(t, task)) == nil {
		t.Error("a planner that knows where the battery is passes: this test cannot fail")
	}
}

// actsOnThePicture says that the hand closed where elsewhereScene's battery is, at nothing, and that no success is claimed.
func actsOnThePicture(a trial) error {
	var errs []error
	for _, g := range a.grips {
		if math.Hypot(g.X-0.30, g.Y-0.03) > 0.03 {
			errs = append(errs, fmt.Errorf("the hand closed at %v; in the picture the battery is at 0.30, 0.03", g))
		}
	}
	if len(a.grips) == 0 {
		errs = append(errs, fmt.Errorf("the hand closed nowhere: %s", a.Summary))
	}
	if is(a.Claimed) != "false" || is(a.Checked) != "false" {
		errs = append(errs, fmt.Errorf("claimed %s, checked %s; want false twice: %s", is(a.Claimed), is(a.Checked), a.Summary))
	}
	if was, now := a.before["battery"], a.after["battery"]; r3.Norm(r3.Sub(was, now)) > 0.005 {
		errs = append(errs, fmt.Errorf("the battery was moved from %v to %v", was, now))
	}
	return errors.Join(errs...)
}

// A picture in which all is done makes it claim success, whatever the check says: the claim knows nothing of the verdict.
func TestClaimKnowsNothingOfTheCheck(t *testing.T) {
	t.Parallel()
	claims := func(reasoner func(*running)) error {
		eyes := lookingAt(t, doneScene)
		a := try(t, attempt{scene: pickScene, task: intoBox, fit: func(r *running) {
			eyes(r)
			if reasoner != nil {
				reasoner(r)
			}
		}})
		if is(a.Claimed) != "true" || is(a.Checked) != "false" || a.Status != run.StatusFailed || a.moves > 0 {
			return fmt.Errorf("%s, claimed %s, checked %s, %d moves; want failed, true, false, 0: %s", a.Status, is(a.Claimed), is(a.Checked), a.moves, a.Summary)
		}
		return nil
	}
	if err := claims(nil); err != nil {
		t.Error(err)
	}
	knows := func(r *running, _ run.View, parts []model.Part) []model.Part {
		in := math.Abs(r.robot.WorldPose("battery").Pos.Y-0.20) < 0.1
		return []model.Part{finish(in, "as the check will say"), model.End{Reason: model.StopToolUse}}
	}
	if claims(changed(knows)) == nil {
		t.Error("a planner that knows the verdict passes: this test cannot fail")
	}
}
