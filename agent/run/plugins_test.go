package run

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/agent/hook"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/tool"
)

// plugged is a desk whose plugins are asked at the points: the test gives their answers itself.
func plugged(points ...hook.Point) func(*Settings) {
	p := hook.Plugin{Name: "p"}
	for _, at := range points {
		switch at {
		case hook.PreLLMCall:
			p.PreLLMCall = func(context.Context, hook.Round) (hook.Before, error) { return hook.Before{}, nil }
		case hook.PostLLMCall:
			p.PostLLMCall = func(_ context.Context, r hook.Reply) (string, error) { return r.Text, nil }
		case hook.PreToolDispatch:
			p.PreToolDispatch = func(context.Context, hook.Call) (hook.Ruling, error) { return hook.Ruling{}, nil }
		case hook.PreToolExecute:
			p.PreToolExecute = func(context.Context, hook.Call) (hook.Ruling, error) { return hook.Ruling{}, nil }
		case hook.PostToolExecute:
			p.PostToolExecute = func(context.Context, hook.Result) (json.RawMessage, error) { return nil, nil }
		case hook.OnEvent:
			p.OnEvent = func(context.Context, hook.Event) error { return nil }
		case hook.OnInterrupt:
			p.OnInterrupt = func(context.Context, hook.Interrupt) error { return nil }
		}
	}
	return plugIn(p)
}

func plugIn(p hook.Plugin) func(*Settings) {
	return func(s *Settings) {
		set, err := hook.New([]hook.Plugin{p}, []string{"reach", "squeeze", "pick"})
		if err != nil {
			panic(err)
		}
		s.Plugins = set
	}
}

// rules answers what the plugins are asked about a call; the zero Ruling lets it pass.
func (d *desk) rules(r hook.Ruling) hook.AskCall {
	d.t.Helper()
	q := pop[AskPlugins](d)
	ask := q.What.(hook.AskCall)
	a := hook.Answer{Call: ask.Call, Veto: r.Veto}
	if r.Tool != "" {
		a.Call.Tool = r.Tool
	}
	if r.Args != nil {
		a.Call.Args = r.Args
	}
	if r.Veto != "" || r.Tool != "" || r.Args != nil {
		a.Notes = []hook.Note{{Plugin: "p", At: ask.At, Before: json.RawMessage(`{}`), Effect: "ruled"}}
	}
	d.give(Hooked{ID: q.ID, Answer: a})
	return ask
}

// hookEvents are the effects of the hook events in the log.
func (d *desk) hookEvents() []string {
	var out []string
	for _, e := range d.logged {
		if h, is := e.(episode.Hook); is {
			out = append(out, h.Point+": "+h.Effect)
		}
	}
	return out
}

func TestAVetoedCallIsRefusedAndMayBeRetried(t *testing.T) {
	for _, at := range []hook.Point{hook.PreToolDispatch, hook.PreToolExecute} {
		for _, c := range []model.Call{asks("reach", `{}`), asks("observe", `{}`), asks("update_plan", `{"steps":[]}`), asks("ask_user", `{"question":"?"}`), asks("finish_task", `{"success":true,"summary":"x"}`), asks("count", `{}`), asks("note", `{}`), asks("build", `{}`), asks("jobs", `{}`)} {
			t.Run(string(at)+"_"+c.Name, func(t *testing.T) {
				d := begun(t, plugged(at), functions(t))
				d.reply(c)
				if ask := d.rules(hook.Ruling{Veto: "not today"}); ask.At != at || ask.Call.Tool != c.Name {
					t.Errorf("asked about %+v", ask)
				}
				d.wants("callModel")
				if got := d.answer(1); got != `{"error":"not_allowed","message":"not today"}` {
					t.Errorf("got %s", got)
				}
				if got := d.codes(); !slices.Equal(got, []string{"not_allowed"}) {
					t.Errorf("got refusals %v", got)
				}
				d.reply(c)
				d.rules(hook.Ruling{})
				if d.wantsNot("askPlugins"); len(d.codes()) != 1 {
					t.Errorf("the second try was refused: %v", d.codes())
				}
			})
		}
	}
}

func (d *desk) wantsNot(kind string) {
	d.t.Helper()
	if strings.Contains(d.kinds(), kind) {
		d.t.Errorf("%s is wanted: %s", kind, d.kinds())
	}
}

func TestARewrittenCallIsCheckedAgain(t *testing.T) {
	point := `{"point":[10,10],"observation_id":"o1.cam"}`
	for name, tc := range map[string]struct {
		call     model.Call
		ruling   hook.Ruling
		dispatch string // code of the refusal when rewritten at pre_tool_dispatch; "" = none
		then     string // effect that follows
	}{
		"other_arguments":        {asks("reach", `{}`), hook.Ruling{Args: json.RawMessage(`{"how":"gently"}`)}, "", "prepare"},
		"other_tool":             {asks("reach", `{}`), hook.Ruling{Tool: "squeeze"}, "", "prepare"},
		"schema":                 {asks("reach", `{}`), hook.Ruling{Args: json.RawMessage(`{"how":7}`)}, "bad_arguments", "callModel"},
		"extra_key":              {asks("reach", `{}`), hook.Ruling{Args: json.RawMessage(`{"where":"there"}`)}, "bad_arguments", "callModel"},
		"repeated_key":           {asks("reach", `{}`), hook.Ruling{Args: json.RawMessage(`{"how":"a","how":"b"}`)}, "bad_arguments", "callModel"},
		"unknown_tool":           {asks("reach", `{}`), hook.Ruling{Tool: "fly"}, "unknown_tool", "callModel"},
		"point":                  {asks("pick", point), hook.Ruling{Args: json.RawMessage(`{"point":[20,20],"observation_id":"o1.cam"}`)}, "", "prepare"},
		"point_outside":          {asks("pick", point), hook.Ruling{Args: json.RawMessage(`{"point":[9000,20],"observation_id":"o1.cam"}`)}, "point_outside_image", "callModel"},
		"unknown_picture":        {asks("pick", point), hook.Ruling{Args: json.RawMessage(`{"point":[10,10],"observation_id":"o9.cam"}`)}, "unknown_observation", "callModel"},
		"to_a_tool_with_a_point": {asks("reach", `{}`), hook.Ruling{Tool: "pick", Args: json.RawMessage(point)}, "", "prepare"},
	} {
		for _, at := range []hook.Point{hook.PreToolDispatch, hook.PreToolExecute} {
			t.Run(name+"_"+string(at), func(t *testing.T) {
				d := begun(t, plugged(at))
				d.reply(tc.call)
				d.rules(tc.ruling)
				if d.codes() == nil && tc.dispatch != "" || d.codes() != nil && !slices.Equal(d.codes(), []string{tc.dispatch}) {
					t.Errorf("got refusals %v, want %q", d.codes(), tc.dispatch)
				}
				d.wants(tc.then)
				if got := d.hookEvents(); len(got) != 1 {
					t.Errorf("the log tells %v", got)
				}
				if tc.dispatch != "" && d.s.pool.Motions != 0 {
					t.Errorf("%d motions are charged", d.s.pool.Motions)
				}
			})
		}
	}
}

// TestTheWireKeepsTheModelsOwnCall: the conversation shows what the planner said, the log what was carried out.
func TestTheWireKeepsTheModelsOwnCall(t *testing.T) {
	d := begun(t, plugged(hook.PreToolExecute))
	d.reply(asks("reach", `{"how":"fast"}`))
	d.rules(hook.Ruling{Args: json.RawMessage(`{"how":"gently"}`)})
	st := d.takes()
	if got := string(st.What.Call.Args); got != `{"how":"gently"}` {
		t.Errorf("carried out is %s", got)
	}
	if e, is := st.What.Announce[0].(episode.ActionStarted); !is || string(e.Args) != `{"how":"gently"}` {
		t.Errorf("announced is %+v", st.What.Announce[0])
	}
	d.ends("a1", control.Failed, control.CauseSkill)
	d.lookAround()
	msgs := pop[CallModel](d).View.Request.Messages
	if c := msgs[1].Blocks[0].Call; c == nil || string(c.Args) != `{"how":"fast"}` {
		t.Errorf("the wire echo is %+v", msgs[1].Blocks)
	}
}

// TestTheQueuesOwnStartsAreRuledToo: a vetoed step is not started, and the planner is woken.
func TestTheQueuesOwnStartsAreRuledToo(t *testing.T) {
	d := begun(t, plugged(hook.PreToolExecute))
	d.reply(asks("update_plan", `{"steps":[{"text":"one","tool":"reach"},{"text":"two","tool":"squeeze"}]}`))
	d.rules(hook.Ruling{}) // update_plan itself
	d.reply()              // text and no call: the queue goes on
	if ask := d.rules(hook.Ruling{Veto: "mind the cat"}); !ask.Call.Queue || ask.Call.Action != "a1" || ask.Call.Tool != "reach" {
		t.Errorf("asked about %+v", ask.Call)
	}
	d.wants("look")
	d.lookAround()
	if told := d.told(); !strings.Contains(told, "mind the cat") || d.steps() != "todo todo" {
		t.Errorf("steps are %s; told is\n%s", d.steps(), told)
	}
	if len(d.s.acts.All()) != 0 || d.s.pool.Motions != 0 {
		t.Errorf("left are %v, %d motions", d.s.acts.All(), d.s.pool.Motions)
	}
}

// TestAStepKeepsItsActionWhateverItBecomes: also when the plan is rewritten meanwhile.
func TestAStepKeepsItsActionWhateverItBecomes(t *testing.T) {
	d := begun(t, plugged(hook.PreToolExecute))
	d.reply(asks("update_plan", `{"steps":[{"id":"one","text":"one","tool":"reach"}]}`))
	d.rules(hook.Ruling{})
	d.reply()
	start := pop[AskPlugins](d)
	d.give(Message{Text: "another plan"})
	d.lookAround()
	d.reply(asks("update_plan", `{"steps":[{"id":"zero","text":"zero"},{"id":"one","text":"one","tool":"reach"}]}`), asks("ask_user", `{"question":"?"}`))
	d.rules(hook.Ruling{}) // update_plan
	d.rules(hook.Ruling{}) // ask_user
	ask := start.What.(hook.AskCall).Call
	ask.Tool = "squeeze"
	d.give(Hooked{ID: start.ID, Answer: hook.Answer{Call: ask}})
	if got := d.steps(); got != "todo running" {
		t.Errorf("got steps %s", got)
	}
	st := d.takes()
	if e, is := st.What.Announce[0].(episode.ActionStarted); !is || e.Step != "one" || e.Tool != "squeeze" {
		t.Errorf("announced is %+v", st.What.Announce[0])
	}
}

// TestAPlannersCallTakesTheStepOfWhatItBecomes: the step of its own tool is free again.
func TestAPlannersCallTakesTheStepOfWhatItBecomes(t *testing.T) {
	d := begun(t, plugged(hook.PreToolExecute))
	d.reply(asks("update_plan", `{"steps":[{"text":"one","tool":"reach"},{"text":"two","tool":"squeeze"}]}`), asks("reach", `{}`))
	d.rules(hook.Ruling{})
	d.rules(hook.Ruling{Tool: "squeeze"})
	if got := d.steps(); got != "todo running" {
		t.Errorf("got steps %s", got)
	}
}

func TestNothingHoldsUpAStop(t *testing.T) {
	d := begun(t, plugged(hook.PreToolDispatch, hook.PreToolExecute, hook.PostToolExecute))
	d.reply(asks("reach", `{}`))
	d.rules(hook.Ruling{})
	d.rules(hook.Ruling{})
	d.takes()
	q := pop[AskPlugins](d)
	d.give(Hooked{ID: q.ID, Answer: hook.Answer{JSON: q.What.(hook.Result).JSON}})
	d.give(Message{Text: "stop it"})
	d.lookAround()
	d.reply(asks("stop_action", `{"action_id":"a1","reason":"enough"}`))
	d.wants("stop")
	d.stopped(control.Stopped, control.CausePlanner)
	d.wants("callModel") // nobody may change a measured stop
	if got := d.answer(2); !strings.Contains(got, `"outcome":"still"`) {
		t.Errorf("got %s", got)
	}
}

func TestAStopCutsTheQuestionAboutAStart(t *testing.T) {
	d := begun(t, plugged(hook.PreToolExecute))
	d.reply(asks("update_plan", `{"steps":[{"text":"one","tool":"reach"}]}`))
	d.rules(hook.Ruling{})
	d.reply()
	d.give(Message{Text: "stop it"})
	d.lookAround()
	q := pop[AskPlugins](d)
	d.reply(asks("stop_action", `{"action_id":"a1","reason":"enough"}`))
	if !slices.Equal(d.cuts, []EffectID{q.ID}) {
		t.Errorf("cut are %v", d.cuts)
	}
	d.give(Hooked{ID: q.ID, Answer: hook.Answer{Veto: "cut off"}})
	d.wants("callModel")
	if got := d.answer(2); !strings.Contains(got, "it had not started yet") {
		t.Errorf("got %s", got)
	}
}

// TestAnInterruptDuringARuling: the call is closed, nothing starts, the answer that comes after it is late.
func TestAnInterruptDuringARuling(t *testing.T) {
	for _, at := range []hook.Point{hook.PreToolDispatch, hook.PreToolExecute} {
		t.Run(string(at), func(t *testing.T) {
			d := begun(t, plugged(at))
			d.reply(asks("reach", `{}`))
			q := pop[AskPlugins](d)
			d.news(control.OperatorTook{Input: "key w", Generation: 2})
			if len(d.s.book.OpenCalls()) != 0 || !slices.Equal(d.cuts, []EffectID{q.ID}) {
				t.Errorf("open are %v, cut are %v", d.s.book.OpenCalls(), d.cuts)
			}
			d.give(Hooked{ID: q.ID, Answer: hook.Answer{Call: hook.Call{Tool: "reach", Args: json.RawMessage(`{}`)}}})
			d.wants("")
			if d.lates() != 1 || len(d.s.acts.All()) != 0 {
				t.Errorf("%d were late, left are %v", d.lates(), d.s.acts.All())
			}
			d.give(Message{Text: "go on"})
			d.lookAround()
			if got := d.answer(1); !strings.Contains(got, "run_paused") {
				t.Errorf("got %s", got)
			}
		})
	}
}

// TestNewsDuringARuling: time passes while the plugins think, so all is checked again.
func TestNewsDuringARuling(t *testing.T) {
	d := begun(t, plugged(hook.PreToolExecute))
	c := pop[CallModel](d)
	d.give(Part{ID: c.ID, What: asks("squeeze", `{}`)})
	d.rules(hook.Ruling{})
	d.takes() // a1 on the gripper
	d.give(Part{ID: c.ID, What: asks("reach", `{}`)})
	d.ends("a1", control.Failed, control.CauseSkill)
	d.rules(hook.Ruling{Tool: "squeeze"})
	if got := d.codes(); !slices.Equal(got, []string{"stale_view"}) {
		t.Errorf("got refusals %v", got)
	}
}

func TestAReadCanBecomeAMotionAndBack(t *testing.T) {
	d := begun(t, plugged(hook.PreToolDispatch))
	d.reply(asks("observe", `{}`))
	d.rules(hook.Ruling{Tool: "reach", Args: json.RawMessage(`{}`)})
	d.wants("prepare")
	d = begun(t, plugged(hook.PreToolDispatch))
	d.reply(asks("reach", `{}`), asks("squeeze", `{}`))
	d.rules(hook.Ruling{Tool: "observe"})
	d.wants("look askPlugins")
	d.rules(hook.Ruling{})
	d.lookAround()
	d.takes()
	d.wants("") // an action was started: the turn has ended, every call is closed
	if open := d.s.book.OpenCalls(); len(open) > 0 || d.s.phase != watching {
		t.Errorf("open are %v in phase %s", open, d.s.phase)
	}
}

// TestPluginsHearEventsAndInterrupts: and delay nothing.
func TestPluginsHearEventsAndInterrupts(t *testing.T) {
	d := newDesk(t, plugged(hook.OnEvent, hook.OnInterrupt))
	var heard []string
	hear := func() {
		for _, q := range d.pending {
			switch e := q.(type) {
			case AskPlugins:
				switch w := e.What.(type) {
				case hook.Event:
					heard = append(heard, w.Wake+": "+w.Why)
				case hook.Interrupt:
					heard = append(heard, "!"+w.Kind)
				}
			}
		}
		d.pending = slices.DeleteFunc(d.pending, func(e Effect) bool { _, is := e.(AskPlugins); return is })
	}
	d.give(Message{Text: "do it"})
	hear()
	d.lookAround() // without an answer of theirs
	d.reply(asks("reach", `{}`))
	d.takes()
	d.ends("a1", control.Failed, control.CauseSkill)
	hear()
	d.news(control.OperatorTook{Input: "key w", Generation: 2})
	d.news(control.EStopped{By: "operator", Generation: 3})
	hear()
	d.give(Reset{By: "the test"})
	hear()
	want := []string{"user_message: the user wrote: do it", "action_ended: a1 (reach) failed: so it was",
		"!takeover", "operator: the operator took over: key w", "!estop", "safety: an emergency stop by operator", "!reset"}
	if !cmp.Equal(heard, want) {
		t.Errorf("got %q, want %q", heard, want)
	}
}

func TestWhoIsOnlyToldMayAnswerAfterTheRun(t *testing.T) {
	d := newDesk(t, plugged(hook.OnInterrupt))
	d.give(Message{Text: "do it"})
	d.give(Canceled{By: "the test"})
	q := pop[AskPlugins](d)
	d.give(Judged{ID: pop[Judge](d).ID})
	d.s = d.s.Anew("", 0)
	d.give(Hooked{ID: q.ID})
	if d.lates() != 0 {
		t.Error("it is told as late")
	}
}

// TestPluginsAreAskedAboutASubAgentToo: and know whose it is.
func TestPluginsAreAskedAboutASubAgentToo(t *testing.T) {
	t.Run("call", func(t *testing.T) {
		d := begun(t, plugged(hook.PreToolExecute), delegating(t))
		d.reply(asks("delegate", `{"task":"count the boxes"}`))
		if ask := d.rules(hook.Ruling{}); ask.Call.Tool != "delegate" || ask.Call.Sub != "" {
			t.Errorf("asked about %+v", ask.Call)
		}
		d.reply(asks("count", `{}`))
		if ask := d.rules(hook.Ruling{Veto: "no counting"}); ask.Call.Tool != "count" || ask.Call.Sub != "call_1" {
			t.Errorf("asked about %+v", ask.Call)
		}
		if got := d.answer(1); !strings.Contains(got, "no counting") {
			t.Errorf("got %s", got)
		}
	})
	t.Run("request", func(t *testing.T) {
		d := newDesk(t, plugged(hook.PreLLMCall), delegating(t))
		d.give(Message{Text: "do it"})
		d.lookAround()
		d.befores(hook.Answer{})
		d.reply(asks("delegate", `{"task":"count the boxes"}`))
		if r := d.befores(hook.Answer{Veto: "nobody else is asked"}); r.Sub != "call_1" || r.Task != "count the boxes" {
			t.Errorf("asked about %+v", r)
		}
		d.befores(hook.Answer{}) // the planner's next round
		if got := d.answer(1); !strings.Contains(got, `"status":"failed"`) || !strings.Contains(got, "nobody else is asked") {
			t.Errorf("got %s", got)
		}
	})
	t.Run("takeover", func(t *testing.T) {
		d := begun(t, plugged(hook.PreToolExecute), delegating(t))
		d.reply(asks("delegate", `{"task":"count the boxes"}`))
		d.rules(hook.Ruling{})
		d.reply(asks("count", `{}`))
		q := pop[AskPlugins](d)
		d.news(control.OperatorTook{Input: "key w", Generation: 2})
		d.give(Hooked{ID: q.ID, Answer: hook.Answer{Call: q.What.(hook.AskCall).Call}})
		d.wants("")
		if d.lates() != 1 {
			t.Errorf("%d were late", d.lates())
		}
	})
}

// TestAPluginBringsTools: the planner sees and calls them, and no name is there twice.
func TestAPluginBringsTools(t *testing.T) {
	ring := function(t, "ring", tool.Acts)
	for name, tc := range map[string]struct {
		tools []*tool.Tool
		want  string
	}{
		"its_own":         {[]*tool.Tool{ring}, ""},
		"twice":           {[]*tool.Tool{ring, ring}, "tool ring: there is another tool of this name"},
		"of_a_skill":      {[]*tool.Tool{function(t, "reach", tool.Acts)}, "tool reach: there is another tool of this name"},
		"of_the_agent":    {[]*tool.Tool{function(t, "observe", tool.Acts)}, "tool observe: there is another tool of this name"},
		"of_the_settings": {[]*tool.Tool{function(t, "count", tool.Reads)}, "tool count: there is another tool of this name"},
		"nil":             {[]*tool.Tool{nil}, "plugin p: one of its tools is nil"},
	} {
		t.Run(name, func(t *testing.T) {
			s := Settings{Tools: deskTools(), Functions: []*tool.Tool{function(t, "count", tool.Reads)}}
			err := s.plugIn([]hook.Plugin{{Name: "p", Tools: tc.tools}})
			if tc.want != "" {
				if err == nil || !strings.Contains(err.Error(), tc.want) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil || !slices.Contains(s.toolNames(), "ring") {
				t.Errorf("got %v, %v", s.toolNames(), err)
			}
			d := &desk{t: t, s: NewState(&s)}
			d.s.set.Body = &robot.Description{}
			d.give(Message{Text: "do it"})
			d.lookAround()
			d.reply(asks("ring", `{}`))
			d.wants("runTool")
		})
	}
}

// TestALateHook: it is told and changes nothing.
func TestALateHook(t *testing.T) {
	d := begun(t, plugged(hook.PreToolDispatch))
	d.reply(asks("reach", `{}`))
	d.give(HookLate{ID: 99, Plugin: "p", Point: hook.PreToolDispatch})
	d.wants("askPlugins")
	if d.lates() != 1 {
		t.Errorf("%d were late", d.lates())
	}
}

// TestWithoutPluginsNothingIsAskedOrAllocated: the seams cost nothing to those who do not use them.
func TestWithoutPluginsNothingIsAskedOrAllocated(t *testing.T) {
	for name, change := range map[string]func(*Settings){"no_plugins": func(*Settings) {}, "none_at_the_point": plugged(hook.OnInterrupt)} {
		t.Run(name, func(t *testing.T) {
			d := begun(t, change)
			c, b, v := call{id: "call_1", name: "observe"}, &begin{}, any(map[string]any{})
			if n := testing.AllocsPerRun(100, func() {
				if d.s.askFirst(c) || d.s.askStart(b) || d.s.askBefore(nil, anew) || d.s.askAfter(Replied{}) || d.s.askAnswer(c, v, nil) {
					t.Error("somebody is asked")
				}
				d.s.news.fresh = "user_message"
				d.s.sayEvent(Moment{})
				d.s.dropQuestions()
			}); n != 0 {
				t.Errorf("%v allocations", n)
			}
		})
	}
}
