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

// A heartbeat that falls on the end of an action with something to follow is not the last one.
func TestHeartbeatAgainAfterADroppedOne(t *testing.T) {
	plan := call("update_plan", `{"steps":[{"text":"one","tool":"reach","args":{"seconds":0.5}},{"text":"two","tool":"reach","args":{"seconds":1.5}},{"text":"look"}]}`)
	r := newRig(t, []round{says(plan), says(model.Text{Text: "I plan."}), says(model.Text{Text: "I wait."}), says(finish(true))},
		func(c *agent.Config) { c.Settings.Heartbeat = 520 * time.Millisecond })
	r.run("do it")
	beats := 0
	for _, v := range r.planner.views() {
		if len(lastReport(v).Woke) == 1 && lastReport(v).Woke[0] == view.WakeHeartbeat {
			beats++
		}
	}
	if beats == 0 {
		t.Errorf("no heartbeat came in two seconds of actions:\n%s", r.log)
	}
}
