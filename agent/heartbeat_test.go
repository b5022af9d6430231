package agent_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/model"
)

func TestHeartbeatWakesWhileActionsRun(t *testing.T) {
	r := newRig(t, []round{says(call("reach", `{"seconds":1.2}`)), says(model.Text{Text: "I wait."}), says(finish(true))},
		func(c *agent.Config) { c.Settings.Heartbeat = 800 * time.Millisecond })
	r.run("do it")
	views := r.planner.views()
	if diff := cmp.Diff([]view.Wake{view.WakeHeartbeat}, lastReport(views[1]).Woke); diff != "" {
		t.Error(diff)
	}
	if running := lastReport(views[1]).Running; len(running) != 1 || running[0].ElapsedS < 0.7 {
		t.Errorf("got %+v", running)
	}
	if len(views) != 3 {
		t.Errorf("got %d rounds, want one heartbeat only: the action ended before the next", len(views))
	}
}

func TestNoHeartbeatWhileNothingRuns(t *testing.T) {
	r := newRig(t, []round{says(call("reach", `{"seconds":0.1}`)), says(finish(true))},
		func(c *agent.Config) { c.Settings.Heartbeat = 5 * time.Second })
	if res := r.run("do it"); res.Turns != 2 {
		t.Errorf("got %d rounds, want 2", res.Turns)
	}
}
