package run

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/agent/check"
	"github.com/rein-robotics/rein/agent/plan"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/monitor/question"
	"github.com/rein-robotics/rein/skill"
)

func TestFinishRuleStopsTheActionAsSucceededAndWakesNobody(t *testing.T) {
	d := watchedDesk(t)
	a := d.starts("reach", `{}`)
	d.says(d.tick(a), "progress=there:0.79 shown=0.2")
	d.wants("")
	d.says(d.tick(a), "progress=there:0.8")
	if e := d.halted(); e.Outcome != control.Succeeded || e.Cause != control.CauseMonitor {
		t.Errorf("got %+v", e)
	}
	d.wants("stop")
	d.still(d.halted(), control.Still)
	d.wants("prepare") // the follow-up, and nobody is asked
	if b := d.takes(); b.What.Tool.Name != "home" || b.What.Action != "a2" {
		t.Errorf("got %+v", b.What)
	}
	d.wants("")
	d.ends("a2", control.Succeeded, control.CauseSkill)
	d.lookAround() // the end of a follow-up always wakes
	told := d.told()
	for _, want := range []string{"action ended a1", "follow up a2", "action ended a2", "progress is there (p 0.80"} {
		if !strings.Contains(told, want) {
			t.Errorf("the view lacks %q:\n%s", want, told)
		}
	}
	if got := d.count("monitor_answer"); got != 2 {
		t.Errorf("got %d answers in the log", got)
	}
	if got := d.count("monitor_rule"); got != 1 {
		t.Errorf("got %d rules in the log", got)
	}
}

func TestFailRuleWakesAtOnceAndNotAgain(t *testing.T) {
	d := watchedDesk(t)
	a := d.starts("reach", `{}`)
	d.says(d.tick(a), "progress=broken:0.9")
	d.wants("stop look") // woken at once, while it is being stopped
	d.lookAround()
	if told := d.told(); !strings.Contains(told, "monitor flag a1") || !strings.Contains(told, "stopping for") {
		t.Errorf("got\n%s", told)
	}
	d.reply(asks("observe", `{}`))
	d.still(d.halted(), control.Still)
	d.lookAround()
	d.wants("prepare callModel") // the follow-up starts at once, also in an open turn
	d.give(Prepared{ID: pop[Prepare](d).ID})
	d.give(Started{ID: pop[Start](d).ID})
	d.reply() // it says nothing more
	d.wants("")
	d.ends("a2", control.Succeeded, control.CauseSkill)
	d.wants("look")
}

func TestSkillThatFailsBesideAFailRuleKeepsItsReason(t *testing.T) {
	d := watchedDesk(t)
	a := d.starts("reach", `{}`)
	d.says(d.tick(a), "progress=broken:0.9")
	d.lookAround()
	d.reply()
	st := pop[Stop](d)
	own := control.End{Outcome: control.Failed, Cause: control.CauseSkill, Reason: "it slipped"}
	d.give(Stopped{ID: st.ID, Ended: control.Ended{Action: a, Tool: "reach", End: own, SkillReason: "it slipped", Also: []control.End{st.End}, Stop: control.Stop{Outcome: control.Still}}})
	d.wants("look") // only because nothing else is left: the end itself wakes nobody
	d.lookAround()
	if told := d.told(); !strings.Contains(told, "it slipped") || !strings.Contains(told, "every step is done") {
		t.Errorf("got\n%s", told)
	}
}

func TestFinishRuleThatTheSkillsFailureOvertook(t *testing.T) {
	d := watchedDesk(t)
	a := d.starts("reach", `{}`)
	d.says(d.tick(a), "progress=there:0.9")
	st := pop[Stop](d)
	own := control.End{Outcome: control.Failed, Cause: control.CauseSkill, Reason: "it slipped"}
	d.give(Stopped{ID: st.ID, Ended: control.Ended{Action: a, Tool: "reach", End: own, Also: []control.End{st.End}, Stop: control.Stop{Outcome: control.Still}}})
	d.wants("look") // no follow-up, and a failure wakes
	if e := last[episode.ActionEnded](d); e.Outcome != "failed" || e.Cause != "skill" || len(e.Also) != 1 || e.Also[0].Cause != "monitor" {
		t.Errorf("got %+v", e)
	}
}

// What a follow-up does to the plan.
func TestFollowUpAndThePlan(t *testing.T) {
	steps := func(tools ...string) string {
		var out []map[string]any
		for _, name := range tools {
			st := map[string]any{"text": "x"}
			if name != "" {
				st["tool"] = name
			}
			out = append(out, st)
		}
		raw, _ := json.Marshal(map[string]any{"steps": out})
		return string(raw)
	}
	tests := map[string]struct {
		plan      string
		answer    string
		how       control.StopOutcome
		during    string // the plan while the follow-up runs
		follows   control.Outcome
		after     string
		planSteps int // plan_step events
	}{
		"after_a_finish_it_carries_the_step_on": {steps("reach", "squeeze"), "progress=there:1", control.Still, "running todo", control.Succeeded, "done todo", 0},
		"a_step_that_was_carried_on_may_fail":   {steps("reach", "squeeze"), "progress=there:1", control.Still, "running todo", control.Failed, "failed todo", 0},
		"or_takes_the_next_step_that_names_its_tool": {
			steps("reach", "home", "squeeze"), "progress=there:1", control.Still, "done running todo", control.Succeeded, "done done todo", 1,
		},
		"not_a_later_one":              {steps("reach", "squeeze", "home"), "progress=there:1", control.Still, "running todo todo", control.Succeeded, "done todo todo", 0},
		"after_a_fail_the_step_failed": {steps("reach", "home"), "progress=broken:1", control.Still, "failed todo", control.Succeeded, "failed todo", 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d := watchedDesk(t)
			d.reply(asks("update_plan", tc.plan), asks("reach", `{}`))
			a := d.takes().What.Action
			d.says(d.tick(a), tc.answer)
			d.still(d.halted(), tc.how)
			announced := 0
			for _, e := range d.takes().What.Announce {
				if e.Kind() == "plan_step" {
					announced++
				}
			}
			if got := d.steps(); got != tc.during {
				t.Errorf("while it runs: got %q, want %q", got, tc.during)
			}
			d.ends("a2", tc.follows, control.CauseSkill)
			if got := d.steps(); got != tc.after {
				t.Errorf("after it: got %q, want %q", got, tc.after)
			}
			if !d.asked() {
				t.Error("nobody is woken by its end")
			}
			if announced != tc.planSteps {
				t.Errorf("got %d plan_step, want %d", announced, tc.planSteps)
			}
		})
	}
}

func TestNoFollowUp(t *testing.T) {
	tests := map[string]struct {
		happens func(d *desk, e control.End)
		step    plan.State
	}{
		"after_an_estop": {func(d *desk, e control.End) {
			d.news(control.EStopped{Generation: 2})
			d.still(control.End{Outcome: control.Stopped, Cause: control.CauseSafety}, control.Still)
		}, plan.Failed},
		"after_an_estop_while_it_is_measured": {func(d *desk, e control.End) {
			d.news(control.EStopped{Generation: 2})
			d.still(e, control.Still)
		}, plan.Done},
		"after_a_takeover": {func(d *desk, e control.End) {
			d.news(control.OperatorTook{Input: "key w", Generation: 2})
			d.still(e, control.TakenOver)
		}, plan.Done},
		"after_an_unconfirmed_stop":     {func(d *desk, e control.End) { d.still(e, control.Unconfirmed) }, plan.Done},
		"after_a_stop_that_still_moves": {func(d *desk, e control.End) { d.still(e, control.Moving) }, plan.Done},
		"when_another_end_was_recorded": {func(d *desk, e control.End) {
			d.still(control.End{Outcome: control.TimedOut, Cause: control.CauseDeadline}, control.Still)
		}, plan.Unconfirmed},
		"when_the_run_has_ended": {func(d *desk, e control.End) {
			d.give(Canceled{By: "the user"})
			d.still(e, control.Still)
		}, plan.Done},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d := watchedDesk(t)
			d.reply(asks("update_plan", `{"steps":[{"text":"x","tool":"reach"}]}`), asks("reach", `{}`))
			a := d.takes().What.Action
			d.says(d.tick(a), "progress=there:1")
			tc.happens(d, d.halted())
			if len(d.s.acts.All()) > 0 || strings.Contains(d.kinds(), "prepare") {
				t.Errorf("something follows: %s, %+v", d.kinds(), d.s.acts.All())
			}
			if got := d.steps(); got != string(tc.step) {
				t.Errorf("got %s, want %s", got, tc.step)
			}
		})
	}
}

func TestFollowUpsOwnThenIsNotStarted(t *testing.T) {
	d := watchedDesk(t)
	a := d.starts("reach", `{}`)
	d.says(d.tick(a), "progress=there:1")
	d.still(d.halted(), control.Still)
	d.takes()
	d.says(d.tick("a2"), "folded=1")
	d.still(d.halted(), control.Still)
	d.wants("look")
}

func TestFollowUpThatCannotStartWakes(t *testing.T) {
	d := watchedDesk(t, func(s *Settings) { s.Budgets.Motions = 1 })
	d.reply(asks("update_plan", `{"steps":[{"text":"x","tool":"reach"}]}`), asks("reach", `{}`))
	a := d.takes().What.Action
	d.says(d.tick(a), "progress=there:1")
	d.still(d.halted(), control.Still)
	d.lookAround()
	if told := d.told(); !strings.Contains(told, "the follow-up (home) of a1 was not started") {
		t.Errorf("got\n%s", told)
	}
	if got := d.steps(); got != "done" {
		t.Errorf("got %s: what the rule finished is done", got)
	}
}

func TestFollowUpThatIsRefusedOnItsWay(t *testing.T) {
	d := watchedDesk(t)
	d.reply(asks("update_plan", `{"steps":[{"text":"x","tool":"reach"},{"text":"y","tool":"home"}]}`), asks("reach", `{}`))
	a := d.takes().What.Action
	d.says(d.tick(a), "progress=there:1")
	d.still(d.halted(), control.Still)
	d.give(Prepared{ID: pop[Prepare](d).ID, Err: &skill.Refusal{Code: "out_of_reach", Message: "too far"}})
	d.wants("look")
	if got := d.steps(); got != "done todo" {
		t.Errorf("got %s", got)
	}
}

func TestThenIsCheckedAtTheStart(t *testing.T) {
	tests := map[string]string{"no_tool": "fly", "needs_a_point": "pick", "needs_a_parameter": "turn"}
	for name, then := range tests {
		t.Run(name, func(t *testing.T) {
			set := &Settings{Tools: deskTools()}
			set.Tools = append(set.Tools, &skill.Tool{Name: "turn", Spec: skill.Spec{
				Description: "Turns.", Parameters: json.RawMessage(`{"type":"object","properties":{"by":{"type":"number"}},"required":["by"]}`),
			}})
			set.Tools[0].Spec.Monitor = json.RawMessage(`[{"name":"a","instructions":"x","when":{"do":"fail","then":"` + then + `"}}]`)
			err := set.compile()
			if err == nil || !strings.Contains(err.Error(), "then") || !strings.Contains(err.Error(), then) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestDeclaredChecksAreCheckedAtTheStart(t *testing.T) {
	tests := map[string]check.Spec{
		"then_names_no_tool": {Name: "a", Do: question.Fail, Then: "fly"},
		"needs_a_point":      {Name: "a", Do: question.Fail, Then: "pick"},
		"does_nothing":       {Name: "a"},
	}
	for name, spec := range tests {
		t.Run(name, func(t *testing.T) {
			set := &Settings{Tools: deskTools(), Checks: []check.Spec{spec}}
			if err := set.compile(); err == nil || !strings.Contains(err.Error(), "check a") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// The planner is woken for a failure while the action is still being stopped, and may answer at once: its call waits for
// the measured stop.
func TestCallAfterAFailWaitsForTheStop(t *testing.T) {
	fail := `[{"name":"progress","type":"choice","instructions":"Which phase?","choices":{"there":"","broken":""},"when":{"do":"fail","value":"broken"}}]`
	bring := func(t *testing.T, questions string) *desk {
		d := watchedDesk(t, func(s *Settings) { s.Tools[0].Spec.Monitor = json.RawMessage(questions) })
		a := d.starts("reach", `{}`)
		d.says(d.tick(a), "progress=broken:1")
		d.lookAround()
		d.reply(asks("reach", `{"how":"again"}`), asks("squeeze", `{}`))
		d.wants("stop")
		return d
	}
	t.Run("and_starts_then", func(t *testing.T) {
		d := bring(t, fail)
		d.still(d.halted(), control.Still)
		if st := d.takes(); st.What.Action != "a2" || len(d.codes()) != 0 {
			t.Errorf("got %+v, refused %q", st.What, d.codes())
		}
		d.wants("prepare") // the call behind it
	})
	t.Run("is_told_of_the_follow_up", func(t *testing.T) {
		d := bring(t, reachQuestions)
		d.still(d.halted(), control.Still)
		if got := d.codes(); !slices.Equal(got, []string{"module_busy"}) {
			t.Errorf("got %q", got)
		}
	})
	t.Run("is_closed_by_a_takeover", func(t *testing.T) {
		d := bring(t, fail)
		e := d.halted()
		d.news(control.OperatorTook{Input: "key w", Generation: 2})
		d.still(e, control.TakenOver)
		if len(d.s.acts.All()) != 0 || len(d.s.book.OpenCalls()) != 0 {
			t.Errorf("got %+v, open %q", d.s.acts.All(), d.s.book.OpenCalls())
		}
	})
	t.Run("hears_of_another_end", func(t *testing.T) {
		d := bring(t, fail)
		d.still(control.End{Outcome: control.TimedOut, Cause: control.CauseDeadline}, control.Still)
		if got := d.codes(); !slices.Equal(got, []string{"stale_view"}) {
			t.Errorf("got %q", got)
		}
	})
}
