package agent_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/vision"
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
	why, _ := vision.Live(e.last, f)
	e.last = f
	return why
}

func wakeful(c *agent.Config) { c.Eyes = &wakefulEyes{} }

// A camera that freezes while an action runs is known before anybody points through it again.
func TestCameraThatFreezesBetweenTwoLooks(t *testing.T) {
	var r *rig
	r = newRig(t, []round{
		func(agent.View) []model.Part {
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
