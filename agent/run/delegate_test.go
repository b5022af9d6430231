package run

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/agent/job"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
)

// delegating are settings with functions and sub-agents.
func delegating(t testing.TB) func(*Settings) {
	return func(s *Settings) {
		functions(t)(s)
		s.SubAgents = &SubAgents{About: "It has one arm.", Turns: 4}
	}
}

func inBackground(s *Settings) { s.SubAgents.Background = true }

func says(text string) model.Text { return model.Text{Text: text} }

func used(in, out int) model.Usage { return model.Usage{Input: in, Output: out, CostUSD: 0.5} }

// request is the request that waits.
func (d *desk) request() model.Request {
	d.t.Helper()
	for _, f := range d.pending {
		if c, ok := f.(CallModel); ok {
			return c.View.Request
		}
	}
	d.t.Fatal("no request waits")
	return model.Request{}
}

func TestASubAgentsAnswerIsTheCallsResult(t *testing.T) {
	d := begun(t, delegating(t))
	d.reply(asks("delegate", `{"task":"count the boxes"}`), used(10, 1))
	d.wants("callModel")
	req := d.request()
	var tools []string
	for _, s := range req.Tools {
		tools = append(tools, s.Name)
	}
	if diff := cmp.Diff([]string{"observe", "count"}, tools); diff != "" {
		t.Errorf("its tools: %s", diff)
	}
	if told := d.told(); len(req.Messages) != 1 || !strings.Contains(told, "Task: count the boxes") || !strings.Contains(told, "4 planner rounds") {
		t.Errorf("told:\n%s", told)
	}
	if !strings.Contains(req.System, "your\nlast answer") && !strings.Contains(req.System, "last answer") || !strings.Contains(req.System, "It has one arm.") {
		t.Errorf("its prompt:\n%s", req.System)
	}
	d.reply(says("I look."), asks("observe", `{}`), asks("count", `{}`), used(20, 2))
	d.wants("look runTool")
	d.lookAround()
	d.comesBack(`{"n":3}`)
	if got := d.results(); len(got) != 2 || !strings.Contains(got[0], `"o2"`) || got[1] != `{"n":3}` {
		t.Errorf("its results: %v", got)
	}
	d.reply(says(" Three boxes. "), used(30, 3))
	d.wants("callModel")
	want := `{"status":"done","answer":"Three boxes.","rounds":2,"usage":{"input_tokens":50,"output_tokens":5,"cost_usd":1}}`
	if diff := cmp.Diff([]string{want}, d.results()); diff != "" {
		t.Error(diff)
	}
	d.reply(finishes(), used(40, 4))
	d.give(Judged{ID: pop[Judge](d).ID})
	if d.result.Turns != 4 || d.result.Usage.Input != 100 || d.result.Usage.Output != 10 || d.result.Usage.CostUSD != 2 {
		t.Errorf("the run counts %+v", d.result)
	}
	var said []string
	for _, e := range of[episode.AgentMessage](d) {
		said = append(said, e.Text)
	}
	if len(said) != 0 {
		t.Errorf("the operator saw %q", said)
	}
	if n := len(of[episode.PlannerTurn](d)); n != 4 {
		t.Errorf("logged %d turns, want 4", n)
	}
}

func TestSubAgentsWorkBesideEachOtherAndTheirTurnsAreKeptApart(t *testing.T) {
	d := begun(t, delegating(t))
	end := d.stream(asks("delegate", `{"task":"one"}`), asks("delegate", `{"task":"two"}`), asks("reach", `{}`))
	d.wants("callModel callModel prepare")
	one, two := pop[CallModel](d), pop[CallModel](d)
	finish := func(c CallModel, text string) {
		d.give(Part{ID: c.ID, What: says(text)})
		d.give(Part{ID: c.ID, What: model.End{Reason: model.StopEndTurn}})
		d.give(Replied{ID: c.ID})
	}
	finish(two, "second")
	d.takes()
	end()
	finish(one, "first")
	d.wants("") // the reply started an action: the turn is over
	d.ends("a1", control.Failed, control.CauseSkill)
	d.lookAround()
	if a, b := d.answer(1), d.answer(2); !strings.Contains(a, "first") || !strings.Contains(b, "second") {
		t.Errorf("got %s and %s", a, b)
	}
}

func TestToolsOfASubAgent(t *testing.T) {
	tests := map[string]struct {
		args string
		want []string // its tools; nil = it is refused
		code string
	}{
		"all_that_read":  {`{"task":"x"}`, []string{"observe", "count"}, ""},
		"named":          {`{"task":"x","tools":["note"]}`, []string{"note"}, ""},
		"named_with_eye": {`{"task":"x","tools":["observe","count"]}`, []string{"observe", "count"}, ""},
		"none":           {`{"task":"x","tools":[]}`, []string{}, ""},
		"motion":         {`{"task":"x","tools":["reach"]}`, nil, "not_allowed"},
		"a_job":          {`{"task":"x","tools":["survey"]}`, nil, "not_allowed"},
		"nested":         {`{"task":"x","tools":["delegate"]}`, nil, "not_allowed"},
		"the_plan":       {`{"task":"x","tools":["update_plan"]}`, nil, "not_allowed"},
		"unknown":        {`{"task":"x","tools":["fly"]}`, nil, "bad_arguments"},
		"no_task":        {`{}`, nil, "bad_arguments"},
		"empty_task":     {`{"task":" "}`, nil, "bad_arguments"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d := begun(t, delegating(t))
			end := d.stream(asks("delegate", tc.args))
			if got := strings.Join(d.codes(), " "); got != tc.code {
				t.Errorf("got [%s], want [%s]", got, tc.code)
			}
			if tc.want == nil {
				end()
				return
			}
			got := []string{}
			for _, s := range d.request().Tools {
				got = append(got, s.Name)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestASubAgentCallsOnlyItsOwnTools: what is on another's list is unknown to it.
func TestASubAgentCallsOnlyItsOwnTools(t *testing.T) {
	for _, name := range []string{"reach", "delegate", "finish_task", "note", "ask_user", "update_plan", "wait"} {
		d := begun(t, delegating(t))
		d.reply(asks("delegate", `{"task":"x"}`))
		d.reply(asks(name, `{}`))
		d.wants("callModel")
		if got := d.results(); len(got) != 1 || !strings.Contains(got[0], "unknown_tool") {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func TestHowASubAgentFails(t *testing.T) {
	tests := map[string]struct {
		work func(d *desk)
		want []string
	}{
		"its_rounds_are_used_up": {func(d *desk) {
			for range 4 {
				d.reply(says("Hm."), asks("count", `{}`))
				d.comesBack(`{}`)
			}
		}, []string{`"failed"`, "max_turns", `"text_so_far":"Hm."`, `"rounds":4`}},
		"says_nothing":    {func(d *desk) { d.reply(); d.reply() }, []string{`"failed"`, "called no tool"}},
		"refused_thrice":  {func(d *desk) { d.reply(asks("fly", `{}`)); d.reply(asks("fly", `{}`)); d.reply(asks("fly", `{}`)) }, []string{`"failed"`, "unknown_tool"}},
		"the_brain_fails": {func(d *desk) { d.give(Replied{ID: pop[CallModel](d).ID, Err: errors.New("no credit")}) }, []string{`"failed"`, "no credit"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d := begun(t, delegating(t))
			d.reply(asks("delegate", `{"task":"x"}`))
			tc.work(d)
			d.wants("callModel") // the planner goes on
			for _, w := range tc.want {
				if got := d.answer(1); !strings.Contains(got, w) {
					t.Errorf("got %s, want %q in it", got, w)
				}
			}
		})
	}
}

func TestSubAgentsShareTheBudget(t *testing.T) {
	few := func(n int) func(*Settings) { return func(s *Settings) { s.Budgets.Turns = n } }
	t.Run("a_round_is_kept_for_the_planner", func(t *testing.T) {
		d := begun(t, delegating(t), few(4))
		d.reply(asks("delegate", `{"task":"x"}`))
		for range 2 {
			d.reply(asks("count", `{}`))
			d.comesBack(`{}`)
		}
		if got := d.answer(1); !strings.Contains(got, "max_turns") || !strings.Contains(got, `"rounds":2`) {
			t.Errorf("got %s", got)
		}
		d.reply(finishes())
		d.give(Judged{ID: pop[Judge](d).ID})
		if d.result.Turns != 4 || d.result.Status != StatusUnchecked {
			t.Errorf("got %+v", d.result)
		}
	})
	t.Run("nothing_to_share", func(t *testing.T) {
		d := begun(t, delegating(t), few(2))
		d.reply(asks("delegate", `{"task":"x"}`))
		if got := d.results(); len(got) != 1 || !strings.Contains(got[0], `"error":"budget"`) {
			t.Errorf("got %v", got)
		}
	})
	t.Run("two_of_one_pool", func(t *testing.T) {
		d := begun(t, delegating(t), few(4))
		d.stream(asks("delegate", `{"task":"one"}`), asks("delegate", `{"task":"two"}`))
		d.reply(asks("count", `{}`))
		d.comesBack(`{}`)
		if d.s.pool.Turns != 3 || len(d.s.subs) != 1 {
			t.Errorf("%d rounds are used and %d sub-agents work", d.s.pool.Turns, len(d.s.subs))
		}
	})
	t.Run("tokens_of_one", func(t *testing.T) {
		d := begun(t, delegating(t), func(s *Settings) { s.SubAgents.Tokens = 100 })
		d.reply(asks("delegate", `{"task":"x"}`))
		d.reply(asks("count", `{}`), used(100, 1))
		d.comesBack(`{}`)
		if got := d.answer(1); !strings.Contains(got, "max_tokens") {
			t.Errorf("got %s", got)
		}
	})
	t.Run("tokens_of_the_run", func(t *testing.T) {
		d := begun(t, delegating(t), func(s *Settings) { s.Budgets.Tokens = 100 })
		d.reply(asks("delegate", `{"task":"x"}`))
		d.reply(asks("count", `{}`), used(100, 1))
		d.comesBack(`{}`)
		d.give(Judged{ID: pop[Judge](d).ID})
		if d.result == nil || d.result.Status != StatusBudget {
			t.Errorf("got %+v", d.result)
		}
	})
}

// TestAHigherGenerationEndsASubAgent: its call is closed interrupted, with the text so far, and what it asked for is late.
func TestAHigherGenerationEndsASubAgent(t *testing.T) {
	tests := map[string]func(d *desk){
		"takeover":    takeover,
		"estop":       func(d *desk) { d.news(control.EStopped{By: "operator", Generation: 2}) },
		"cancel":      func(d *desk) { d.give(Canceled{By: "the user"}) },
		"reset":       func(d *desk) { d.give(Reset{By: "the user"}) },
		"finish_task": nil,
	}
	for name, higher := range tests {
		for how, back := range map[string]bool{"call": false, "job": true} {
			t.Run(name+"_"+how, func(t *testing.T) {
				change := []func(*Settings){delegating(t)}
				if back {
					change = append(change, inBackground)
				}
				d := begun(t, change...)
				main := pop[CallModel](d)
				d.give(Part{ID: main.ID, What: asks("delegate", `{"task":"x"}`)})
				c := pop[CallModel](d)
				d.give(Part{ID: c.ID, What: says("I think ")})
				d.give(Part{ID: c.ID, What: says("that")})
				if higher == nil {
					d.give(Part{ID: main.ID, What: finishes()})
					d.give(Replied{ID: main.ID})
				} else {
					d.give(Replied{ID: main.ID, Err: ErrInterrupted})
					d.s.generation = 1
					higher(d)
				}
				cuts := map[EffectID]bool{}
				for _, id := range d.cuts {
					cuts[id] = true
				}
				if !cuts[c.ID] || len(d.s.subs) != 0 {
					t.Errorf("cancelled %v, %d sub-agents work on", d.cuts, len(d.s.subs))
				}
				before := d.lates()
				d.give(Part{ID: c.ID, What: says("more")})
				d.give(Replied{ID: c.ID, Err: ErrInterrupted})
				if d.lates() != before+1 {
					t.Errorf("%d late answers, want one", d.lates()-before)
				}
				want := []string{"interrupted", "text_so_far", "I think that"}
				if back {
					j, _ := d.s.jobs.Get("j1")
					if j.State != job.Interrupted || !strings.Contains(string(j.Result), "I think that") {
						t.Errorf("got %s with %s", j.State, j.Result)
					}
					return
				}
				got := ""
				if d.s.phase == paused {
					d.give(Message{Text: "go on"})
					d.lookAround()
					got = d.answer(1)
				} else {
					req, err := d.s.book.Request()
					if err != nil {
						t.Fatal(err)
					}
					raw, _ := json.Marshal(req.Messages[len(req.Messages)-1].Blocks[0].Result)
					got = string(raw)
				}
				for _, w := range want {
					if !strings.Contains(got, w) {
						t.Errorf("got %s, want %q in it", got, w)
					}
				}
			})
		}
	}
}

func TestASubAgentInTheBackground(t *testing.T) {
	d := begun(t, delegating(t), inBackground)
	end := d.stream(asks("delegate", `{"task":"count"}`))
	end()
	if got := d.s.jobs.Running(); got != 1 {
		t.Fatalf("%d jobs run", got)
	}
	own, subs := pop[CallModel](d), CallModel{}
	if own.Task == "count" {
		subs, own = own, pop[CallModel](d)
	} else {
		subs = pop[CallModel](d)
	}
	d.pending = append(d.pending, own)
	d.reply() // the planner rests
	d.give(Part{ID: subs.ID, What: says("I look.")})
	d.give(Part{ID: subs.ID, What: asks("count", `{}`)})
	d.give(Part{ID: subs.ID, What: model.End{}})
	d.give(Replied{ID: subs.ID})
	d.comesBack(`{"n":3}`)
	if j, _ := d.s.jobs.Get("j1"); len(j.Args) == 0 || j.Tool != "delegate" {
		t.Errorf("got %+v", j)
	} else if lines, _, _ := j.Lines(0, 9); !cmp.Equal(lines, []string{"I look."}) {
		t.Errorf("its output so far: %q", lines)
	}
	d.reply(says("Three."))
	d.lookAround()
	if told := d.told(); !strings.Contains(told, "job done j1") || !strings.Contains(told, "Three.") {
		t.Errorf("told:\n%s", told)
	}
	d.reply(asks("wait", `{"job":"j1","timeout_s":1}`))
	if got := d.results(); len(got) != 1 || !strings.Contains(got[0], `"answer":"Three."`) {
		t.Errorf("got %v", got)
	}
}

// TestAPlannersOwnPauseLetsABackgroundSubAgentWork: no generation was raised.
func TestAPlannersOwnPauseLetsABackgroundSubAgentWork(t *testing.T) {
	d := begun(t, delegating(t), inBackground)
	main := pop[CallModel](d)
	d.give(Part{ID: main.ID, What: asks("delegate", `{"task":"x"}`)})
	d.give(Replied{ID: main.ID})
	next := pop[CallModel](d)
	if next.Task == "x" {
		d.pending = append(d.pending, next)
		next = pop[CallModel](d)
		if next.Task == "x" {
			next = pop[CallModel](d)
		}
	}
	d.give(Replied{ID: next.ID, Err: errors.New("no credit")})
	if d.s.phase != paused || len(d.s.subs) != 1 {
		t.Errorf("phase %s with %d sub-agents", d.s.phase, len(d.s.subs))
	}
}

func TestAPointThatASubAgentFoundCanBeUsed(t *testing.T) {
	d := begun(t, delegating(t))
	d.reply(asks("delegate", `{"task":"find the box"}`))
	d.reply(asks("observe", `{}`))
	d.lookAround()
	d.reply(says("At [30, 20] in o2.cam."))
	d.reply(asks("pick", `{"point":[30,20],"observation_id":"o2.cam"}`))
	d.wants("prepare")
}

func TestDelegateIsOnTheListOnlyWhereItIsOn(t *testing.T) {
	specs, err := ToolSpecs(Settings{Tools: deskTools(), SubAgents: &SubAgents{}})
	if err != nil || specs[5].Name != "delegate" || len(specs) != 9 {
		t.Errorf("got %d tools, %v", len(specs), err)
	}
	specs, err = ToolSpecs(Settings{Tools: deskTools(), SubAgents: &SubAgents{Background: true}})
	if err != nil || specs[5].Name != "wait" || specs[8].Name != "delegate" {
		t.Errorf("got %d tools, %v", len(specs), err)
	}
}
