package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/tool"
)

type thing struct {
	Of string `json:"of,omitempty"`
}

// function is a function tool that nobody runs: the desk answers for it.
func function(t testing.TB, name string, e tool.Effect) *tool.Tool {
	t.Helper()
	f, err := tool.New(name, "A function.", e, func(context.Context, thing) (string, error) { return "", nil })
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// functions are one tool of each kind: count reads, note acts, survey and build are the same in the background.
func functions(t testing.TB) func(*Settings) {
	return func(s *Settings) {
		s.Functions = []*tool.Tool{
			function(t, "count", tool.Reads), function(t, "note", tool.Acts),
			function(t, "survey", tool.Reads).InBackground(), function(t, "build", tool.Acts).InBackground(),
		}
	}
}

// stream gives parts of the reply that waits without ending it; the function ends it.
func (d *desk) stream(parts ...model.Part) (end func()) {
	d.t.Helper()
	c := pop[CallModel](d)
	for _, p := range parts {
		d.give(Part{ID: c.ID, What: p})
	}
	return func() {
		d.t.Helper()
		d.give(Part{ID: c.ID, What: model.End{Reason: model.StopEndTurn}})
		d.give(Replied{ID: c.ID})
	}
}

// comesBack answers the oldest function that is under way.
func (d *desk) comesBack(result string) {
	d.t.Helper()
	r := pop[RunTool](d)
	if r.Background {
		d.give(JobDone{ID: r.ID, Result: json.RawMessage(result)})
		return
	}
	d.give(Ran{ID: r.ID, Result: json.RawMessage(result)})
}

func TestFunctionsReadBesideAndActInOrder(t *testing.T) {
	d := begun(t, functions(t))
	end := d.stream(asks("note", `{"of":"1"}`), asks("note", `{"of":"2"}`), asks("count", `{"of":"3"}`), asks("count", `{"of":"4"}`), asks("observe", `{}`), asks("reach", `{}`))
	d.wants("runTool runTool runTool look") // the first note, and all that read
	var args []string
	for _, f := range d.pending[:3] {
		args = append(args, string(f.(RunTool).Args))
	}
	if diff := cmp.Diff([]string{`{"of":"1"}`, `{"of":"3"}`, `{"of":"4"}`}, args); diff != "" {
		t.Fatal(diff)
	}
	one, three, four := pop[RunTool](d), pop[RunTool](d), pop[RunTool](d)
	d.give(Ran{ID: four.ID, Result: json.RawMessage(`{"n":4}`)}) // in any order
	d.wants("look")
	d.give(Ran{ID: one.ID, Result: json.RawMessage(`{"n":1}`)})
	d.wants("look runTool")
	d.lookAround()
	d.comesBack(`{"n":2}`)
	d.wants("prepare") // the motion waited for both notes
	d.give(Prepared{ID: pop[Prepare](d).ID, Err: errors.New("no")})
	end()
	d.wants("") // one reads on
	d.give(Ran{ID: three.ID, Result: json.RawMessage(`{"n":3}`)})
	d.wants("callModel")
	got := d.results()
	if len(got) != 6 || got[0] != `{"n":1}` || got[1] != `{"n":2}` || got[2] != `{"n":3}` || got[3] != `{"n":4}` || !strings.Contains(got[4], "o2") || !strings.Contains(got[5], "cannot_start") {
		t.Errorf("results are not in the order of the calls: %v", got)
	}
}

func TestWhatAFunctionsCallIsToldOf(t *testing.T) {
	tests := map[string]struct {
		e      Ran
		want   []string
		bad    bool
		refuse string // code in the log; "" = none
	}{
		"result":      {Ran{Result: json.RawMessage(`{"n":1}`)}, []string{`{"n":1}`}, false, ""},
		"failure":     {Ran{Err: errors.New("no paper")}, []string{`"error":"failed"`, "no paper"}, true, ""},
		"deadline":    {Ran{Err: ErrToolTooLong}, []string{`"error":"timed_out"`}, true, ""},
		"deaf":        {Ran{Err: ErrToolLost}, []string{`"error":"lost"`, "not known"}, true, ""},
		"own_refusal": {Ran{Err: fmt.Errorf("look: %w", &skill.Refusal{Code: "out_of_reach", Message: "too far", Hint: "nearer"})}, []string{"out_of_reach", "too far", "nearer"}, true, "out_of_reach"},
		"arguments":   {Ran{Err: &tool.InputError{Msg: "n must be smaller"}}, []string{"bad_arguments", "n must be smaller"}, true, "bad_arguments"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d := begun(t, functions(t))
			d.reply(asks("count", `{}`))
			tc.e.ID = pop[RunTool](d).ID
			d.give(tc.e)
			got := d.results()
			for _, w := range tc.want {
				if len(got) != 1 || !strings.Contains(got[0], w) {
					t.Errorf("got %v, want %q in it", got, w)
				}
			}
			msgs := d.pending[0].(CallModel).View.Request.Messages
			if bad := msgs[len(msgs)-1].Blocks[0].Result.IsError; bad != tc.bad {
				t.Errorf("an error: got %t, want %t", bad, tc.bad)
			}
			if got := strings.Join(d.codes(), " "); got != tc.refuse {
				t.Errorf("got refusals [%s], want [%s]", got, tc.refuse)
			}
		})
	}
}

func TestCallsOfFunctionsThatAreRefused(t *testing.T) {
	tests := map[string]struct {
		calls []model.Part
		want  string
	}{
		"schema_of_one_that_reads":  {[]model.Part{asks("count", `{"of":3}`)}, "bad_arguments"},
		"schema_of_one_that_acts":   {[]model.Part{asks("note", `{"on":"x"}`)}, "bad_arguments"},
		"schema_of_a_job":           {[]model.Part{asks("survey", `{"of":3}`)}, "bad_arguments"},
		"no_json":                   {[]model.Part{asks("count", `{"of":`)}, "bad_arguments"},
		"twice_and_acts":            {[]model.Part{asks("build", `{}`), asks("build", ` { } `)}, "duplicate_call"},
		"twice_and_reads":           {[]model.Part{asks("count", `{}`), asks("count", `{}`)}, ""},
		"one_that_reads_at_the_end": {[]model.Part{finishes(), asks("count", `{}`)}, "run_ended"},
		"one_that_acts_at_the_end":  {[]model.Part{finishes(), asks("note", `{}`)}, "run_ended"},
		"in_a_plan":                 {[]model.Part{asks("update_plan", `{"steps":[{"text":"x","tool":"note"}]}`)}, "bad_arguments"},
		"an_unknown_one":            {[]model.Part{asks("recount", `{}`)}, "unknown_tool"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d := begun(t, functions(t))
			d.stream(tc.calls...)
			if got := strings.Join(d.codes(), " "); got != tc.want {
				t.Errorf("got [%s], want [%s]", got, tc.want)
			}
		})
	}
}

func finishes() model.Call { return asks("finish_task", `{"success":true,"summary":"done"}`) }

// TestSameFailureOfAFunction: it is told after three and ends the turn after eight, as with actions.
func TestSameFailureOfAFunction(t *testing.T) {
	d := begun(t, functions(t))
	for i := 1; ; i++ {
		d.reply(asks("count", `{}`))
		d.give(Ran{ID: pop[RunTool](d).ID, Err: errors.New("no paper")})
		if d.s.phase == waiting {
			if i != badEndsMost {
				t.Errorf("waits after %d equal failures, want %d", i, badEndsMost)
			}
			return
		}
		if told := strings.Contains(d.told(), "times in a row: count failed"); told != (i >= badEndsTold) {
			t.Errorf("after %d: told %t:\n%s", i, told, d.told())
		}
	}
}

func TestDryRunRunsWhatReads(t *testing.T) {
	d := begun(t, functions(t), func(s *Settings) { s.DryRun = true })
	d.reply(asks("note", `{"of":"x"}`), asks("count", `{}`))
	d.wants("runTool")
	d.comesBack(`{}`)
	if got := d.results(); len(got) != 2 || !strings.Contains(got[0], "dry_run") || !strings.Contains(got[0], `"of":"x"`) {
		t.Errorf("got %v", got)
	}
}

// TestInterruptedFunctions: an interrupt closes the calls and cancels what runs; what still comes is late.
func TestInterruptedFunctions(t *testing.T) {
	tests := map[string]struct {
		tool string
		how  func(d *desk)
		want []string
	}{
		"reads_takeover": {"count", takeover, []string{"run_paused", "the operator took over"}},
		"acts_takeover":  {"note", takeover, []string{"run_paused", "may have had its effect"}},
		"reads_estop":    {"count", func(d *desk) { d.news(control.EStopped{By: "operator", Generation: 2}) }, []string{"run_paused", "emergency stop"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d := begun(t, functions(t))
			d.reply(asks(tc.tool, `{}`))
			r := pop[RunTool](d)
			tc.how(d)
			if diff := cmp.Diff([]EffectID{r.ID}, d.cuts); diff != "" {
				t.Errorf("cancelled: %s", diff)
			}
			d.give(Ran{ID: r.ID, Err: ErrInterrupted})
			if d.lates() != 1 {
				t.Errorf("got %d late results, want 1", d.lates())
			}
			d.give(Message{Text: "go on"})
			d.lookAround()
			for _, w := range tc.want {
				if got := d.answer(1); !strings.Contains(got, w) {
					t.Errorf("got %s, want %q in it", got, w)
				}
			}
		})
	}
}

func takeover(d *desk) { d.news(control.OperatorTook{Input: "key w", Generation: 2}) }

// TestFinishTaskInterruptsWhatReads: finish_task beside a running observe and a running function.
func TestFinishTaskInterruptsWhatReads(t *testing.T) {
	d := begun(t, functions(t))
	end := d.stream(asks("observe", `{}`), asks("count", `{}`), finishes(), asks("observe", `{}`), asks("count", `{}`))
	l, r := pop[Look](d), pop[RunTool](d)
	if open := d.s.book.OpenCalls(); len(open) != 0 {
		t.Errorf("calls %v are open after the run was finished", open)
	}
	d.give(Looked{ID: l.ID})
	d.give(Ran{ID: r.ID, Err: ErrInterrupted})
	end()
	if d.lates() != 2 {
		t.Errorf("got %d late answers, want 2", d.lates())
	}
	if got := strings.Join(d.codes(), " "); got != "run_ended run_ended" {
		t.Errorf("got %s", got)
	}
	d.give(Judged{ID: pop[Judge](d).ID})
	if d.result == nil || d.result.Claimed == nil || !*d.result.Claimed {
		t.Errorf("got %+v", d.result)
	}
	req, err := d.s.book.Request()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range req.Messages[len(req.Messages)-1].Blocks {
		got = append(got, string(b.Result.JSON))
	}
	if len(got) != 5 || !strings.Contains(got[0], `"interrupted"`) || !strings.Contains(got[1], `"interrupted"`) || !strings.Contains(got[2], "ended") {
		t.Errorf("got %v", got)
	}
}

func TestFunctionsThatCannotBe(t *testing.T) {
	named := func(names ...string) func(*Settings) {
		return func(s *Settings) {
			for _, n := range names {
				s.Functions = append(s.Functions, function(t, n, tool.Reads).InBackground())
			}
		}
	}
	tests := map[string]func(*Settings){
		"two_of_one_name":   named("a", "a"),
		"name_of_a_skill":   named("reach"),
		"name_of_a_builtin": named("observe"),
		"name_of_a_command": named("jobs"),
		"no_name":           named(""),
		"no_description": func(s *Settings) {
			f := *function(t, "a", tool.Reads)
			f.Description = ""
			s.Functions = append(s.Functions, &f)
		},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			set := &Settings{Tools: deskTools()}
			change(set)
			if err := set.compile(); err == nil || !strings.Contains(err.Error(), "tool ") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestWhatIsOnTheList(t *testing.T) {
	always := []string{"update_plan", "observe", "stop_action", "ask_user", "finish_task"}
	skills := []string{"reach", "squeeze", "pick"}
	tests := map[string]struct {
		change         func(*Settings)
		before, behind []string
	}{
		"nothing_more":      {func(*Settings) {}, nil, nil},
		"a_function":        {func(s *Settings) { s.Functions = []*tool.Tool{function(t, "count", tool.Reads)} }, nil, []string{"count"}},
		"with_details":      {func(s *Settings) { s.Functions = []*tool.Tool{function(t, "count", tool.Reads).WithDetails("more")} }, []string{"info"}, []string{"count"}},
		"in_the_background": {func(s *Settings) { s.Functions = []*tool.Tool{function(t, "count", tool.Reads).InBackground()} }, []string{"wait", "jobs", "read_job"}, []string{"count"}},
		"guides":            {func(s *Settings) { s.Guides = []Guide{{Name: "g", Description: "d"}} }, []string{"info", "skill"}, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			set := Settings{Tools: deskTools()}
			tc.change(&set)
			specs, err := ToolSpecs(set)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range specs {
				got = append(got, s.Name)
			}
			if last := specs[len(specs)-1]; name == "in_the_background" && !strings.Contains(last.Description, "A job: ") {
				t.Errorf("its description does not say that it is a job: %q", last.Description)
			}
			want := append(append(append(append([]string{}, always...), tc.before...), skills...), tc.behind...)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAnswersAreObjectsAndNotTooLong(t *testing.T) {
	tests := map[string]struct {
		out  any
		want string
	}{
		"object": {map[string]int{"n": 1}, `{"n":1}`},
		"text":   {"three", `{"result":"three"}`},
		"list":   {[]int{1, 2}, `{"result":[1,2]}`},
		"number": {3, `{"result":3}`},
		"none":   {nil, `{"status":"done"}`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got, err := AsObject(tc.out); err != nil || string(got) != tc.want {
				t.Errorf("got %s, %v, want %s", got, err, tc.want)
			}
		})
	}
	long, err := AsObject(strings.Repeat("ä", maxResult))
	if err != nil || len(long) > maxResult || !json.Valid(long) || !strings.Contains(string(long), `"cut":true`) {
		t.Errorf("got %d bytes, %v", len(long), err)
	}
	if _, err := AsObject(func() {}); err == nil {
		t.Error("a function passes as an answer")
	}
}
