package agent_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/skill"
)

// With an instant planner effects wait in line. A call of the planner that waits there when the run is cancelled is not
// asked any more, and its answer is told as late.
func TestCallInLineIsNotAskedAfterACancel(t *testing.T) {
	asked := make(chan struct{}) // the message has been taken, so its turn is open
	var r *rig
	r = newRig(t, []round{
		says(call("update_plan", `{"steps":[{"text":"one","tool":"reach"},{"text":"two","tool":"slow"}]}`), call("reach", `{"seconds":0.1}`)),
	}, func(c *agent.Config) {
		c.Settings.Tools = append(c.Settings.Tools, &skill.Tool{
			Name: "slow", Skill: "slow", Spec: skill.Spec{Description: "Takes its time to be ready.", Commands: []string{grip}, Parameters: json.RawMessage(`{"type":"object"}`)},
			New: func(sc skill.Call) (skill.Skill, error) {
				r.agent.Send("hm")
				<-asked
				return newJob(grip)(sc)
			},
		})
	})
	r.log.when = map[string]func(){
		"user_message": func() { r.log.on("user_message", func() { close(asked) }) },
		"action_ended": func() { r.log.on("skill_started", func() { r.agent.Cancel("the test") }) },
	}
	res := r.run("do it")
	if res.Status != run.StatusCancelled || len(r.planner.views()) != 1 {
		t.Errorf("got %+v after %d requests", res, len(r.planner.views()))
	}
	late := false
	for _, e := range events[episode.Late](r.log) {
		late = late || strings.Contains(e.What, "reply")
	}
	if !late {
		t.Errorf("the call in line is not accounted for; log:\n%s", r.log)
	}
	r.atRest()
	r.noHolds()
}
