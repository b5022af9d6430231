package agent_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
)

func TestPlanRunsByItself(t *testing.T) {
	r := newRig(t, []round{
		says(call("update_plan", `{"steps":[{"text":"one","tool":"reach"},{"text":"two","tool":"squeeze","args":{"seconds":0.2}},{"text":"look"}]}`), call("reach", `{}`)),
		says(finish(true)),
	})
	res := r.run("do it")
	if res.Status != run.StatusUnchecked || res.Claimed == nil || !*res.Claimed || res.Turns != 2 || res.Actions != 2 {
		t.Errorf("got %+v; log:\n%s", res, r.log)
	}
	second := lastReport(r.planner.views()[1])
	if diff := cmp.Diff([]view.Wake{view.WakeStepNoTool}, second.Woke); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"done", "done", "todo"}, states(second.Plan)); diff != "" {
		t.Error(diff)
	}
	if got := r.log.kinds("plan_step"); len(got) != 1 {
		t.Errorf("got plan steps %v", got)
	}
}

func states(steps []view.Step) []string {
	var out []string
	for _, s := range steps {
		out = append(out, s.State)
	}
	return out
}

func TestFailureWakesThePlannerAndTheQueueWaits(t *testing.T) {
	r := newRig(t, []round{
		says(call("update_plan", `{"steps":[{"text":"one","tool":"reach"},{"text":"two","tool":"squeeze"}]}`), call("reach", `{"how":"fail","seconds":0.1}`)),
		says(finish(false)),
	})
	res := r.run("do it")
	if res.Actions != 1 || res.Turns != 2 {
		t.Errorf("got %+v", res)
	}
	rep := lastReport(r.planner.views()[1])
	if diff := cmp.Diff([]string{"failed", "todo"}, states(rep.Plan)); diff != "" {
		t.Error(diff)
	}
	if last := rep.Happened[len(rep.Happened)-1]; last.Outcome != "failed" || last.Cause != "skill" || last.Reason != "it slipped" {
		t.Errorf("got %+v", last)
	}
}

func TestTimeoutIsNoFailure(t *testing.T) {
	r := newRig(t, []round{
		says(call("update_plan", `{"steps":[{"text":"one","tool":"reach"}]}`), call("reach", `{"how":"forever"}`)),
		says(finish(false)),
	})
	r.run("do it")
	rep := lastReport(r.planner.views()[1])
	if diff := cmp.Diff([]string{"unconfirmed"}, states(rep.Plan)); diff != "" {
		t.Error(diff)
	}
	last := rep.Happened[len(rep.Happened)-1]
	if last.Outcome != "timed_out" || last.Cause != "deadline" || !strings.Contains(last.Reason, "judge from the newest image") {
		t.Errorf("got %+v", last)
	}
}

func TestRefusalsAreAnsweredAtOnce(t *testing.T) {
	tests := map[string]struct{ call, want string }{
		"unknown_tool":      {`fly {}`, "unknown_tool"},
		"bad_arguments":     {`reach {"how":7}`, "bad_arguments"},
		"extra_key":         {`reach {"speed":7}`, "bad_arguments"},
		"twice_the_same":    {`reach {"how":"a","how":"b"}`, "bad_arguments"},
		"no_json":           {`reach {"how":`, "bad_arguments"},
		"no_observation":    {`pick {"point":[1,2]}`, "bad_arguments"},
		"unknown_look":      {`pick {"point":[1,2],"observation_id":"o77.cam"}`, "unknown_observation"},
		"outside":           {`pick {"point":[1000,2],"observation_id":"o1.cam"}`, "point_outside_image"},
		"out_of_reach":      {`reach {"how":"far"}`, "out_of_reach"},
		"unknown_action":    {`stop_action {"action_id":"a9","reason":"x"}`, "unknown_action"},
		"unknown_plan_tool": {`update_plan {"steps":[{"text":"x","tool":"fly"}]}`, "bad_arguments"},
		"unknown_camera":    {`observe {"cameras":["eye"]}`, "bad_arguments"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			tool, args, _ := strings.Cut(tc.call, " ")
			r := newRig(t, []round{says(call(tool, args)), says(finish(false))})
			res := r.run("do it")
			if res.Actions != 0 || res.Turns != 2 {
				t.Fatalf("got %+v; log:\n%s", res, r.log)
			}
			got := lastResults(r.planner.views()[1])
			if len(got) != 1 || !strings.Contains(got[0], `"error":"`+tc.want+`"`) {
				t.Errorf("got %v, want %s", got, tc.want)
			}
			if ref := events[episode.Refused](r.log); len(ref) != 1 || ref[0].Code != tc.want {
				t.Errorf("got events %+v", ref)
			}
		})
	}
}

func TestThreeRefusalsOfOneCodeEndTheTurn(t *testing.T) {
	bad := says(call("fly", `{}`))
	r := newRig(t, []round{bad, bad, bad, bad})
	res := r.run("do it")
	if res.Turns != 3 || res.Claimed != nil {
		t.Errorf("got %+v", res)
	}
}

func TestSecondActionOnAHeldModuleIsRefused(t *testing.T) {
	r := newRig(t, []round{
		says(call("reach", `{}`), call("pick", `{"point":[30,20],"observation_id":"o1.cam"}`), call("squeeze", `{}`)),
		says(finish(true)),
	})
	res := r.run("do it")
	ref := events[episode.Refused](r.log)
	if len(ref) != 1 || ref[0].Code != "module_busy" || !strings.Contains(ref[0].Message, "a1") {
		t.Errorf("got %+v", ref)
	}
	if res.Actions != 2 {
		t.Errorf("got %d actions, want two on disjoint modules", res.Actions)
	}
}

func TestStopActionAnswersWithTheMeasuredStop(t *testing.T) {
	r := newRig(t, []round{
		says(call("reach", `{"how":"forever"}`), call("stop_action", `{"action_id":"a1","reason":"enough"}`), call("observe", `{}`)),
		says(finish(true)),
	})
	r.run("do it")
	end := events[episode.ActionEnded](r.log)
	if len(end) != 1 || end[0].Cause != "planner" || end[0].Stop == nil || end[0].Stop.Outcome != "still" {
		t.Fatalf("got %+v", end)
	}
}

func TestCancelStopsWhatMoves(t *testing.T) {
	r := newRig(t, nil)
	r.planner.rounds = []round{func(run.View) []model.Part {
		return []model.Part{call("reach", `{"how":"forever"}`)}
	}}
	r.log.when = map[string]func(){"action_started": func() { r.agent.Cancel("the test") }}
	res := r.run("do it")
	if res.Status != run.StatusCancelled {
		t.Errorf("got %+v", res)
	}
	end := events[episode.ActionEnded](r.log)
	if len(end) != 1 || end[0].Outcome != "stopped" || end[0].Cause != "cancel" || end[0].Stop.Outcome != "still" {
		t.Errorf("got %+v", end)
	}
	if moving := r.robot.Moving(); len(moving) > 0 {
		t.Errorf("%v still moves", moving)
	}
}

func TestBudgetEndsTheRun(t *testing.T) {
	again := says(call("observe", `{}`))
	r := newRig(t, []round{again, again, again, again}, func(c *agent.Config) { c.Settings.Budgets.Turns = 3 })
	res := r.run("do it")
	if res.Status != run.StatusBudget || res.Turns != 3 {
		t.Errorf("got %+v", res)
	}
}

func TestMotionBudgetRefuses(t *testing.T) {
	r := newRig(t, []round{
		says(call("reach", `{"seconds":0.1}`)), says(call("reach", `{"seconds":0.2}`)), says(finish(false)),
	}, func(c *agent.Config) { c.Settings.Budgets.Motions = 1 })
	res := r.run("do it")
	if ref := events[episode.Refused](r.log); len(ref) != 1 || ref[0].Code != "budget" || res.Actions != 1 {
		t.Errorf("got %+v, %+v", ref, res)
	}
}

func TestBrokenLogStopsMotion(t *testing.T) {
	r := newRig(t, []round{says(call("reach", `{"how":"forever"}`))})
	r.log.when = map[string]func(){"action_started": func() { r.log.breakDown(errors.New("the disk is full")) }}
	res := r.run("do it")
	if res.Status != run.StatusError || !strings.Contains(res.Summary, "the disk is full") {
		t.Errorf("got %+v", res)
	}
	if moving := r.robot.Moving(); len(moving) > 0 {
		t.Errorf("%v still moves", moving)
	}
}

func TestRequestsAreAppendOnly(t *testing.T) {
	r := newRig(t, []round{
		says(model.Text{Text: "I look."}, call("observe", `{}`)), says(call("reach", `{"seconds":0.1}`)), says(call("fly", `{}`)), says(finish(true)),
	})
	r.run("do it")
	views := r.planner.views()
	for i := 1; i < len(views); i++ {
		before, now := views[i-1].Request.Messages, views[i].Request.Messages
		if len(now) <= len(before) {
			t.Fatalf("request %d has %d messages after %d", i, len(now), len(before))
		}
		if diff := cmp.Diff(before, now[:len(before)]); diff != "" {
			t.Errorf("request %d changed the past: %s", i, diff)
		}
	}
}

func TestEveryCallIsClosedOnce(t *testing.T) {
	r := newRig(t, []round{
		says(call("observe", `{}`), call("fly", `{}`), call("reach", `{"seconds":0.1}`), call("update_plan", `{"steps":[]}`)), says(finish(true)),
	})
	r.run("do it")
	open := map[string]int{}
	views := r.planner.views()
	for _, m := range views[len(views)-1].Request.Messages {
		for _, b := range m.Blocks {
			if b.Call != nil {
				open[b.Call.ID]++
			}
			if b.Result != nil {
				open[b.Result.CallID] += 10
			}
		}
	}
	for id, n := range open {
		if n != 11 {
			t.Errorf("%s: got %d, want one call and one result", id, n)
		}
	}
}

func TestTextWithoutACallIsRemindedOnce(t *testing.T) {
	r := newRig(t, []round{says(model.Text{Text: "I would call reach({})"}), says(model.Text{Text: "hm"})})
	res := r.run("do it")
	if res.Turns != 2 || res.Claimed != nil {
		t.Errorf("got %+v", res)
	}
	if n := lastReport(r.planner.views()[1]).Notices; len(n) != 1 || !strings.Contains(n[0], "looked like a call of reach") {
		t.Errorf("got %v", n)
	}
}

func TestDryRunStartsNothing(t *testing.T) {
	r := newRig(t, []round{
		says(call("update_plan", `{"steps":[{"text":"one","tool":"reach"}]}`), call("reach", `{}`)), says(finish(true)),
	}, func(c *agent.Config) { c.Settings.DryRun = true })
	res := r.run("do it")
	if res.Actions != 0 || len(r.log.kinds("skill_started")) != 0 {
		t.Errorf("got %+v", res)
	}
	if got := lastResults(r.planner.views()[1]); !strings.Contains(got[1], `"status":"dry_run"`) {
		t.Errorf("got %v", got)
	}
}

func TestCallsAfterFinishTaskAreRefused(t *testing.T) {
	r := newRig(t, []round{says(finish(true), call("reach", `{}`), call("observe", `{}`))})
	res := r.run("do it")
	ref := events[episode.Refused](r.log)
	if len(ref) != 2 || ref[0].Code != "run_ended" || ref[1].Code != "run_ended" || res.Actions != 0 || res.Claimed == nil {
		t.Errorf("got %+v, %+v", ref, res)
	}
}

func TestEveryRoundIsInTheLog(t *testing.T) {
	r := newRig(t, []round{says(call("observe", `{}`)), says(finish(true))})
	res := r.run("do it")
	if got := len(events[episode.PlannerTurn](r.log)); got != res.Turns || got != 2 || len(r.log.turns) != 2 {
		t.Errorf("got %d planner_turn events and %d files for %d rounds", got, len(r.log.turns), res.Turns)
	}
}

func TestDecisionsAreNamedByWhatTheyAre(t *testing.T) {
	tests := map[string]struct {
		call model.Call
		want string
	}{
		"a_plan":             {call("update_plan", `{"steps":[]}`), "subgoal"},
		"a_skill":            {call("reach", `{}`), "skill"},
		"a_question":         {call("ask_user", `{"question":"which?"}`), "ask_human"},
		"a_task_judged_done": {finish(true), "subgoal"},
		"a_task_given_up":    {finish(false), "abort"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, []round{says(tc.call)})
			r.run("do it")
			if d := events[episode.Decision](r.log); len(d) == 0 || d[0].KindOf != tc.want {
				t.Errorf("got %+v, want %s", d, tc.want)
			}
		})
	}
}
