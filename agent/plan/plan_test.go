package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rein-robotics/rein/agent/plan"
)

// words says a plan as "s1 todo, s2 running(a1)".
func words(p plan.Plan) string {
	var out []string
	for _, s := range p.Steps() {
		w := s.ID + " " + string(s.State())
		if s.Action() != "" {
			w += "(" + s.Action() + ")"
		}
		out = append(out, w)
	}
	return strings.Join(out, ", ")
}

// of makes a plan of steps that name these tools; "" is a step without one.
func of(t *testing.T, tools ...string) plan.Plan {
	t.Helper()
	var c plan.Change
	for _, tool := range tools {
		c.Steps = append(c.Steps, plan.Step{Text: "do", Tool: tool})
	}
	p, err := plan.Plan{}.Update(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestUpdate(t *testing.T) {
	running := of(t, "pick", "place", "").Bind(0, "a1")
	half := of(t, "pick", "place", "").Bind(0, "a1").Resolve("a1", plan.Done)
	tests := map[string]struct {
		before plan.Plan
		change plan.Change
		want   string
	}{
		"missing_ids_are_given": {plan.Plan{}, plan.Change{Steps: []plan.Step{{Tool: "pick"}, {ID: "mine"}, {}}}, "s1 todo, mine todo, s2 todo"},
		"given_ids_are_not_given_again": {
			plan.Plan{}, plan.Change{Steps: []plan.Step{{ID: "s1"}, {}}}, "s1 todo, s2 todo",
		},
		"done_steps_stay": {half, plan.Change{Steps: []plan.Step{{Tool: "push"}}}, "s1 done, s2 skipped, s3 skipped, s4 todo"},
		"steps_can_be_marked_done": {
			of(t, "pick", ""), plan.Change{Steps: []plan.Step{{ID: "s2"}}, Done: []string{"s1"}}, "s1 done, s2 todo",
		},
		"neither_listed_nor_done_is_skipped": {of(t, "pick", "place"), plan.Change{}, "s1 skipped, s2 skipped"},
		"a_running_step_keeps_its_action_by_id": {
			running, plan.Change{Steps: []plan.Step{{ID: "s1", Tool: "pick"}, {Tool: "push"}}}, "s1 running(a1), s4 todo",
		},
		"a_running_step_keeps_its_action_by_tool": {
			running, plan.Change{Steps: []plan.Step{{Tool: "push"}, {Tool: "pick"}}}, "s1 skipped, s2 skipped, s3 skipped, s4 todo, s5 running(a1)",
		},
		"a_failed_step_that_is_listed_is_to_do_again": {
			of(t, "pick").Bind(0, "a1").Resolve("a1", plan.Failed), plan.Change{Steps: []plan.Step{{ID: "s1", Tool: "pick"}}}, "s1 todo",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := tc.before.Update(tc.change)
			if err != nil {
				t.Fatal(err)
			}
			if tc.want == "" {
				t.Fatal("no expectation")
			}
			if name == "a_running_step_keeps_its_action_by_tool" || name == "a_running_step_keeps_its_action_by_id" {
				if got, want := bound(got, "a1"), bound(tc.before, "a1"); got != want {
					t.Errorf("a1 carries out a %q, it was a %q", got, want)
				}
				return
			}
			if diff := cmp.Diff(tc.want, words(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// bound is the tool of the step that the action is bound to.
func bound(p plan.Plan, action string) string {
	for _, s := range p.Steps() {
		if s.Action() == action {
			return s.Tool
		}
	}
	return ""
}

func TestUpdateIsAllOrNothing(t *testing.T) {
	long := plan.Change{}
	for range plan.MaxSteps + 1 {
		long.Steps = append(long.Steps, plan.Step{Text: "x"})
	}
	tests := map[string]struct {
		change plan.Change
		want   string
	}{
		"too_long":      {long, "at most 100"},
		"twice":         {plan.Change{Steps: []plan.Step{{ID: "x"}, {ID: "x"}}}, `"x" is used twice`},
		"unknown_done":  {plan.Change{Done: []string{"nine"}}, `no step "nine"`},
		"both":          {plan.Change{Steps: []plan.Step{{ID: "s1"}}, Done: []string{"s1"}}, "both"},
		"wrong_is_told": {plan.Change{Steps: []plan.Step{{}, {ID: "b"}, {ID: "b"}}}, "steps[2]"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			before := of(t, "pick")
			got, err := before.Update(tc.change)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got error %v, want %q", err, tc.want)
			}
			if words(got) != words(before) {
				t.Errorf("got %s, want the plan as it was", words(got))
			}
		})
	}
}

func TestTakeBindsTheFirstUnfinishedStepOfTheTool(t *testing.T) {
	p := of(t, "pick", "pick", "place", "pick")
	p = p.Bind(0, "a1").Resolve("a1", plan.Done)
	p, id := p.Take("pick", "a2")
	if id != "s2" {
		t.Errorf("got %s, want s2", id)
	}
	p, id = p.Take("pick", "a3")
	if id != "s4" {
		t.Errorf("got %s, want s4: s2 is held by a2", id)
	}
	if _, id = p.Take("fly", "a4"); id != "" {
		t.Errorf("got %s, want none", id)
	}
}

func TestTakeMayTakeAFailedStep(t *testing.T) {
	p := of(t, "pick").Bind(0, "a1").Resolve("a1", plan.Failed)
	p, id := p.Take("pick", "a2")
	if id != "s1" || words(p) != "s1 running(a2)" {
		t.Errorf("got %s, %s", id, words(p))
	}
}

func TestDecide(t *testing.T) {
	complete := func(plan.Step) string { return "" }
	never := func(plan.Step) string { return "it needs a point" }
	tests := map[string]struct {
		plan plan.Plan
		s    plan.Situation
		want string
	}{
		"a_run_that_is_over_waits":                         {of(t, "pick"), plan.Situation{Over: true, News: "x", Incomplete: complete}, "wait"},
		"a_follow_up_comes_before_news":                    {of(t, "pick"), plan.Situation{FollowUp: "home", News: "x", Incomplete: complete}, "follow up home"},
		"news_wakes_and_starts_nothing":                    {of(t, "pick"), plan.Situation{News: "it failed", Incomplete: complete}, "wake: it failed"},
		"news_wakes_while_something_runs":                  {of(t, "pick"), plan.Situation{News: "a flag", Busy: true, Incomplete: complete}, "wake: a flag"},
		"news_wakes_while_the_user_is_asked":               {of(t, "pick"), plan.Situation{News: "it failed", Asking: true, Incomplete: complete}, "wake: it failed"},
		"the_queue_starts_nothing_while_the_user_is_asked": {of(t, "pick"), plan.Situation{Asking: true, Incomplete: complete}, "wait"},
		"it_waits_while_something_runs":                    {of(t, "pick"), plan.Situation{Busy: true, Incomplete: complete}, "wait"},
		"a_failed_step_wakes": {
			of(t, "pick", "place").Bind(0, "a1").Resolve("a1", plan.Failed), plan.Situation{Incomplete: complete}, "wake: step s1 is not resolved",
		},
		"an_unconfirmed_step_wakes": {
			of(t, "pick", "place").Bind(0, "a1").Resolve("a1", plan.Unconfirmed), plan.Situation{Incomplete: complete}, "wake: step s1 is not resolved",
		},
		"a_failed_step_behind_a_todo_step_wakes": {
			of(t, "pick", "place").Bind(1, "a1").Resolve("a1", plan.Failed), plan.Situation{Incomplete: complete}, "wake: step s2 is not resolved",
		},
		"no_step_left_wakes": {
			of(t, "pick").Bind(0, "a1").Resolve("a1", plan.Done), plan.Situation{Incomplete: complete}, "wake: every step is done",
		},
		"an_empty_plan_wakes":         {plan.Plan{}, plan.Situation{Incomplete: complete}, "wake: every step is done"},
		"a_step_without_a_tool_wakes": {of(t, ""), plan.Situation{Incomplete: complete}, "wake: step s1 needs you"},
		"an_incomplete_step_wakes":    {of(t, "pick"), plan.Situation{Incomplete: never}, "wake: step s1: it needs a point"},
		"a_complete_step_starts":      {of(t, "pick"), plan.Situation{Incomplete: complete}, "start 0"},
		"the_next_step_starts": {
			of(t, "pick", "place").Bind(0, "a1").Resolve("a1", plan.Done), plan.Situation{Incomplete: complete}, "start 1",
		},
		"a_skipped_step_is_passed_over": {of(t, "pick", "place").Skip(0), plan.Situation{Incomplete: complete}, "start 1"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := decided(tc.plan.Decide(tc.s)); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func decided(d plan.Decision) string {
	switch d.Verb {
	case plan.Start:
		return fmt.Sprintf("start %d", d.Step)
	case plan.StartFollowUp:
		return "follow up " + d.Tool
	case plan.Wake:
		return "wake: " + d.Reason
	}
	return "wait"
}

// Whatever is done to a plan, an action is bound to one step at most, ids stay unique, and resolved steps keep their
// state unless the planner lists them again.
func TestPlanKeepsItsInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plan.Plan{}
		action := 0
		for range rapid.IntRange(1, 30).Draw(t, "n") {
			switch rapid.IntRange(0, 3).Draw(t, "op") {
			case 0:
				var c plan.Change
				for range rapid.IntRange(0, 4).Draw(t, "steps") {
					c.Steps = append(c.Steps, plan.Step{ID: rapid.SampledFrom([]string{"", "", "s1", "s2", "x"}).Draw(t, "id"), Tool: rapid.SampledFrom([]string{"", "pick", "place"}).Draw(t, "tool")})
				}
				p, _ = p.Update(c)
			case 1:
				action++
				p, _ = p.Take("pick", fmt.Sprintf("a%d", action))
			case 2:
				p = p.Resolve(fmt.Sprintf("a%d", rapid.IntRange(1, 30).Draw(t, "which")), plan.Failed)
			case 3:
				p = p.Carry(fmt.Sprintf("a%d", action), fmt.Sprintf("a%d", action+1))
				action++
			}
			ids, actions := map[string]bool{}, map[string]bool{}
			for _, s := range p.Steps() {
				if ids[s.ID] || s.ID == "" {
					t.Fatalf("id %q is there twice: %s", s.ID, words(p))
				}
				if s.Action() != "" && actions[s.Action()] {
					t.Fatalf("%s is bound twice: %s", s.Action(), words(p))
				}
				ids[s.ID], actions[s.Action()] = true, true
			}
		}
	})
}
