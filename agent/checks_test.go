package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/agent/check"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/monitor/question"
)

// checkedBy gives the rig declared checks.
func checkedBy(specs ...check.Spec) option {
	return func(c *agent.Config) { c.Settings.Checks = specs }
}

// ownCheck gives the rig a check of one's own.
func ownCheck(f agent.CheckAction) option { return func(c *agent.Config) { c.CheckAction = f } }

// stall fails reach when the gripper, which it does not move, has stayed for a second.
var stall = check.Spec{Name: "stalled", Kind: check.Stalled, Tools: []string{"reach"}, Module: grip, For: time.Second, Within: 0.001, Do: question.Fail, Then: "squeeze"}

func TestDeclaredCheckFailsAStalledAction(t *testing.T) {
	r := newRig(t, []round{says(call("reach", `{"how":"forever"}`)), says(model.Text{Text: "I see."}), says(finish(false))}, checkedBy(stall))
	res := r.run("do it")
	ends := events[episode.ActionEnded](r.log)
	if len(ends) != 2 || ends[0].Outcome != "failed" || ends[0].Cause != "check" || ends[1].Tool != "squeeze" {
		t.Fatalf("got %+v; log:\n%s", ends, r.log)
	}
	if e := ends[0].ElapsedS; e < 1 || e > 1.03 {
		t.Errorf("it ended after %v s, want a second and a control period", e)
	}
	if c := events[episode.ControllerCheck](r.log); len(c) != 1 || c[0].Do != "fail" || c[0].Then != "squeeze" || !strings.Contains(c[0].Reason, "stalled: nothing of grip has moved") {
		t.Errorf("got %+v", c)
	}
	rep := lastReport(r.planner.views()[1])
	if len(rep.Happened) == 0 || rep.Happened[len(rep.Happened)-1].Kind != "controller_check" {
		t.Errorf("the planner is told %+v", rep.Happened)
	}
	if res.Turns != 3 { // the start, the failure, the end of the follow-up
		t.Errorf("got %d rounds; log:\n%s", res.Turns, r.log)
	}
}

func TestCheckOfOnesOwn(t *testing.T) {
	tests := map[string]struct {
		verdict run.Verdict
		outcome string
		tools   string // of the actions
		rounds  int
	}{
		"finish":                    {run.Verdict{Do: question.Finish, Reason: "the switch is down"}, "succeeded", "reach", 2},
		"finish_then":               {run.Verdict{Do: question.Finish, Reason: "the switch is down", Then: "squeeze"}, "succeeded", "reach squeeze", 2},
		"fail":                      {run.Verdict{Do: question.Fail, Reason: "too much force"}, "failed", "reach", 3},
		"escalate":                  {run.Verdict{Do: question.Escalate, Reason: "it is warm"}, "timed_out", "reach", 3},
		"then_names_no_tool":        {run.Verdict{Do: question.Finish, Reason: "the switch is down", Then: "fly"}, "succeeded", "reach", 2},
		"then_needs_a_point":        {run.Verdict{Do: question.Fail, Reason: "gone", Then: "pick"}, "failed", "reach", 3},
		"a_word_that_is_no_verdict": {run.Verdict{Do: "explode", Reason: "x"}, "timed_out", "reach", 2},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var seen []run.RunningAction
			r := newRig(t, []round{says(call("reach", `{"how":"forever"}`)), func(v run.View) []model.Part {
				if len(lastReport(v).Running) > 0 {
					return []model.Part{model.Text{Text: "I see."}}
				}
				return []model.Part{finish(true)}
			}, says(finish(true))}, ownCheck(func(_ context.Context, c run.RunningAction) *run.Verdict {
				seen = append(seen, c)
				if c.Tool != "reach" || c.Elapsed < 500*time.Millisecond {
					return nil
				}
				return &tc.verdict
			}), func(c *agent.Config) { c.Waits.Check = patience })
			res := r.run("do it")
			var tools []string
			ends := events[episode.ActionEnded](r.log)
			for _, e := range ends {
				tools = append(tools, e.Tool)
			}
			if ends[0].Outcome != tc.outcome || strings.Join(tools, " ") != tc.tools || res.Turns != tc.rounds {
				t.Errorf("got %s, %q, %d rounds; log:\n%s", ends[0].Outcome, tools, res.Turns, r.log)
			}
			if n := len(events[episode.ControllerCheck](r.log)); tc.verdict.Do != "explode" && n != 1 {
				t.Errorf("got %d checks", n)
			}
			if e := ends[0]; e.Cause == "check" && (e.ElapsedS < 0.5 || e.ElapsedS > 0.53) {
				t.Errorf("it took %v s", e.ElapsedS)
			}
			for i, c := range seen[1:] { // every control period
				if d := c.Elapsed - seen[i].Elapsed; c.Action == seen[i].Action && d != 10*time.Millisecond {
					t.Errorf("%v between two calls", d)
					break
				}
			}
		})
	}
}

// A check does not wait for the monitor's call, and one that hangs holds up neither a stop nor the other checks.
func TestChecksWaitForNobody(t *testing.T) {
	free := make(chan struct{})
	o := &oracle{say: func(ctx context.Context, _ string, _ int) (string, error) {
		<-free
		return "", errors.New("too late")
	}}
	r := newRig(t, []round{says(call("reach", `{"how":"forever"}`)), says(model.Text{Text: "I see."}), says(finish(false))}, watchedBy(o), soon, checkedBy(check.Spec{
		Name: "stalled", Kind: check.Stalled, Module: grip, For: time.Second, Within: 0.001, Do: question.Fail,
	}), ownCheck(func(context.Context, run.RunningAction) *run.Verdict {
		<-free
		return nil
	}), func(c *agent.Config) { c.Waits.Monitor, c.Waits.Check = time.Millisecond, time.Millisecond })
	r.run("do it")
	close(free)
	ends := events[episode.ActionEnded](r.log)
	if len(ends) != 1 || ends[0].Cause != string(control.CauseCheck) || ends[0].ElapsedS > 1.03 {
		t.Errorf("got %+v; log:\n%s", ends, r.log)
	}
	var slow []string
	for _, e := range events[episode.ProviderError](r.log) {
		if e.Component == "check_agent_action" {
			slow = append(slow, e.Class)
		}
	}
	if want := []string{"the check gave no answer in time", "the check is still at a call that was given up"}; !slices.Equal(slow, want) {
		t.Errorf("got %q, want each once", slow)
	}
}

func TestCheckBeforeTheMonitor(t *testing.T) {
	o := &oracle{say: saying(1, "progress=there:1"), instant: true}
	spec := stall
	spec.Then = ""
	r := newRig(t, []round{says(call("reach", `{"how":"forever"}`)), says(model.Text{Text: "I see."}), says(finish(false))}, watchedBy(o), checkedBy(spec),
		func(c *agent.Config) { c.Settings.Monitor.Every = 1010 * time.Millisecond })
	r.run("do it")
	if e := events[episode.ActionEnded](r.log); len(e) != 1 || e[0].Cause != "check" || e[0].Outcome != "failed" {
		t.Errorf("got %+v; log:\n%s", e, r.log)
	}
}

// checked gives a drawn run its checks: declared ones, and one of its own.
func (x *trial) checked(c *agent.Config) {
	if x.d.Checked&1 != 0 {
		spec := stall
		spec.For = 400 * time.Millisecond
		c.Settings.Checks = []check.Spec{spec, {Name: "arm", Kind: check.Stalled, Module: arm, For: 300 * time.Millisecond, Within: 0.001, Do: question.Finish, Then: "reach"}}
	}
	if x.d.Checked&2 != 0 {
		c.CheckAction = func(_ context.Context, c run.RunningAction) *run.Verdict {
			if c.Elapsed < 350*time.Millisecond {
				return nil
			}
			dos := []question.Do{question.Finish, question.Fail, question.Escalate, "explode"}
			thens := []string{"", "squeeze", "fly", "reach"}
			n := int(c.Action[len(c.Action)-1]) + len(x.d.Rounds)
			return &run.Verdict{Do: dos[n%len(dos)], Reason: "so it is", Then: thens[n/2%len(thens)]}
		}
	}
}

// Two checks that fire in one period: the first of the list is recorded, the other is told beside it, and only the first
// starts what follows.
func TestTwoChecksInOnePeriod(t *testing.T) {
	first, second := stall, stall
	first.Then = ""
	second.Name, second.Do, second.Then = "twin", question.Finish, "squeeze"
	r := newRig(t, []round{says(call("reach", `{"how":"forever"}`)), says(model.Text{Text: "I see."}), says(finish(false))}, checkedBy(first, second))
	r.run("do it")
	ends := events[episode.ActionEnded](r.log)
	if len(ends) != 1 || ends[0].Cause != "check" || ends[0].Outcome != "failed" || len(ends[0].Also) != 1 || ends[0].Also[0].Outcome != "succeeded" {
		t.Errorf("got %+v; log:\n%s", ends, r.log)
	}
	if got := events[episode.ControllerCheck](r.log); len(got) != 2 {
		t.Errorf("got %d checks in the log", len(got))
	}
}
