package agent_test

import (
	"image"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/vision/liveness"
)

// wakefulEyes know the picture before of a camera, as real ones do.
type wakefulEyes struct {
	plainEyes

	mu   sync.Mutex
	last *robot.Frame
}

func (e *wakefulEyes) Live(f *robot.Frame) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	why, _ := liveness.Live(e.last, f)
	e.last = f
	return why
}

func wakeful(c *agent.Config) { c.Eyes = &wakefulEyes{} }

// A camera that freezes while an action runs is known before anybody points through it again.
func TestCameraThatFreezesBetweenTwoLooks(t *testing.T) {
	var r *rig
	r = newRig(t, []round{
		func(run.View) []model.Part {
			r.robot.Freeze(cam)
			return []model.Part{call("reach", `{"seconds":1.8}`)}
		},
		says(model.Text{Text: "I wait."}),
		says(call("pick", `{"point":[5,20],"observation_id":"o1.cam"}`)),
		says(finish(false)),
	}, wakeful)
	r.run("do it")
	views := r.planner.views()
	if diff := cmp.Diff([]view.Wake{view.WakeCheck}, lastReport(views[1]).Woke); diff != "" {
		t.Errorf("the planner was not told: %s", diff)
	}
	if got := events[episode.ControllerCheck](r.log); len(got) != 1 || !strings.Contains(got[0].Reason, "frozen") {
		t.Errorf("got %+v", got)
	}
	if ref := events[episode.Refused](r.log); len(ref) != 1 || ref[0].Code != "camera_not_live" {
		t.Errorf("got %+v", ref)
	}
}

// motionEyes want a box of the picture, and trust the camera until they have seen it three times.
type motionEyes struct {
	plainEyes

	mu  sync.Mutex
	got []image.Rectangle
	at  []bool // the readings were of the picture's instant
}

// wanted is the box.
func wanted() image.Rectangle { return image.Rect(8, 8, 24, 24) }

func (e *motionEyes) Glance(string, *robot.Readings) agent.Glance {
	return agent.Glance{Still: image.Rect(0, 0, 64, 8), Moved: wanted()}
}

func (e *motionEyes) SeeMotion(f *robot.Frame, now *robot.Readings) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.got, e.at = append(e.got, f.Region), append(e.at, f.At == now.At)
}

func (e *motionEyes) Live(*robot.Frame) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.got) < 3 {
		return ""
	}
	return "it does not show the arm"
}

// A glance takes the picture in which a motion must show, with the readings of its instant, and what that says counts.
func TestGlanceLooksWhereTheArmMoves(t *testing.T) {
	e := &motionEyes{}
	r := newRig(t, []round{
		says(call("reach", `{"seconds":1.8}`)),
		says(model.Text{Text: "I wait."}),
		says(call("pick", `{"point":[5,20],"observation_id":"o1.cam"}`)),
		says(finish(false)),
	}, func(c *agent.Config) { c.Eyes = e })
	r.run("do it")
	if len(e.got) < 3 || slices.ContainsFunc(e.got, func(r image.Rectangle) bool { return r != wanted() }) || slices.Contains(e.at, false) {
		t.Errorf("got %v at the right instant %v", e.got, e.at)
	}
	if got := events[episode.ControllerCheck](r.log); len(got) != 1 || !strings.Contains(got[0].Reason, "does not show the arm") {
		t.Errorf("got %+v", got)
	}
	if ref := events[episode.Refused](r.log); len(ref) != 1 || ref[0].Code != "camera_not_live" {
		t.Errorf("got %+v", ref)
	}
}
