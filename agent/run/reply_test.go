package run

import (
	"strings"
	"testing"

	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
)

func TestRefusalsInARow(t *testing.T) {
	look, bad, other := asks("observe", `{}`), asks("fly", `{}`), asks("reach", `{"x":1}`)
	tests := map[string]struct {
		rounds [][]model.Part
		stuck  int // the round after which the run waits for the user; 0 = it does not
	}{
		"three_of_one_code":     {[][]model.Part{{bad}, {bad}, {bad}}, 3},
		"three_in_one_reply":    {[][]model.Part{{bad, asks("fly", `{"x":1}`), asks("fly", `{"x":2}`)}}, 1},
		"other_codes_between":   {[][]model.Part{{bad}, {bad}, {other}, {bad}, {bad}}, 0},
		"a_look_breaks_the_row": {[][]model.Part{{bad}, {bad}, {look}, {bad}, {bad}}, 0},
		"eight_with_looks":      {[][]model.Part{{bad}, {look}, {bad}, {look}, {bad}, {look}, {bad}, {look}, {bad}, {look}, {bad}, {look}, {bad}, {look}, {bad}}, 15},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d := begun(t)
			at := 0
			for i, parts := range tc.rounds {
				c := pop[CallModel](d)
				for _, p := range parts {
					d.give(Part{ID: c.ID, What: p})
				}
				d.give(Part{ID: c.ID, What: model.End{}})
				d.give(Replied{ID: c.ID})
				if d.kinds() == "look" {
					d.lookAround()
				}
				if d.s.phase == waiting {
					at = i + 1
					break
				}
			}
			if at != tc.stuck {
				t.Fatalf("waits for the user after round %d, want %d; refused %v", at, tc.stuck, d.codes())
			}
			errs := 0
			for _, e := range d.logged {
				if _, ok := e.(episode.ProviderError); ok {
					errs++
				}
			}
			if want := min(tc.stuck, 1); errs != want {
				t.Errorf("got %d error events, want %d", errs, want)
			}
		})
	}
}

func TestRowsBeginAnewWithATurn(t *testing.T) {
	d := begun(t)
	d.reply(asks("fly", `{}`))
	d.reply(asks("fly", `{}`))
	d.reply(asks("ask_user", `{"question":"how?"}`))
	d.give(Message{Text: "so"})
	d.lookAround()
	d.reply(asks("fly", `{}`))
	d.wants("callModel")
}

func TestRowsBeginAnewAfterTheUserWasAsked(t *testing.T) {
	d := begun(t)
	for range 3 {
		d.reply(asks("fly", `{}`))
	}
	if d.s.phase != waiting {
		t.Fatalf("got phase %s", d.s.phase)
	}
	d.give(Message{Text: "try again"})
	d.lookAround()
	d.reply(asks("fly", `{}`))
	d.wants("callModel")
}

func TestSameBadEndIsToldAfterThreeAndEndsAfterEight(t *testing.T) {
	d := begun(t)
	for i := 1; ; i++ {
		d.reply(asks("reach", `{}`))
		st := d.takes()
		d.ends(st.What.Action, control.Failed, control.CauseSkill)
		d.lookAround()
		if d.s.phase == waiting {
			if i != 8 {
				t.Errorf("waits after %d equal failures, want 8", i)
			}
			break
		}
		if told := strings.Contains(d.told(), "times in a row: reach failed"); told != (i >= 3) {
			t.Errorf("after %d: told %t:\n%s", i, told, d.told())
		}
	}
	d.give(Message{Text: "try once more"})
	d.lookAround()
	d.wants("callModel")
	if !strings.Contains(d.told(), "failed") {
		t.Errorf("what happened last is not told:\n%s", d.told())
	}
}

func TestRetriesPerStepAreTold(t *testing.T) {
	d := begun(t, func(s *Settings) { s.RetriesPerStep = 2 })
	for i, o := range []control.Outcome{control.Failed, control.Failed, control.Succeeded} {
		d.reply(asks("reach", `{}`))
		d.ends(d.takes().What.Action, o, control.CauseSkill)
		d.lookAround()
		if told := strings.Contains(d.told(), "change the approach"); told != (i == 1) {
			t.Errorf("after end %d: told %t:\n%s", i, told, d.told())
		}
	}
}

func TestDuplicateCall(t *testing.T) {
	tests := map[string]struct {
		a, b model.Call
		want string
	}{
		"same":              {asks("reach", `{"how":"a"}`), asks("reach", `{"how":"a"}`), "duplicate_call"},
		"spaced_otherwise":  {asks("reach", `{"how":"a"}`), asks("reach", "{ \"how\" : \"a\" }"), "duplicate_call"},
		"empty_and_braces":  {asks("reach", ``), asks("reach", `{}`), "duplicate_call"},
		"same_provider_id":  {model.Call{ID: "1", Name: "reach", Args: []byte(`{}`)}, model.Call{ID: "1", Name: "squeeze", Args: []byte(`{}`)}, ""},
		"other_arguments":   {asks("update_plan", `{"steps":[]}`), asks("update_plan", `{"steps":[{"text":"x"}]}`), ""},
		"reads_may_repeat":  {asks("observe", `{}`), asks("observe", `{}`), ""},
		"plan_is_effectful": {asks("update_plan", `{"steps":[]}`), asks("update_plan", `{"steps":[]}`), "duplicate_call"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d := begun(t)
			c := pop[CallModel](d)
			d.give(Part{ID: c.ID, What: tc.a})
			d.give(Part{ID: c.ID, What: tc.b})
			for d.kinds() == "prepare" {
				d.takes()
			}
			if got := strings.Join(d.codes(), " "); got != tc.want {
				t.Errorf("got [%s], want [%s]", got, tc.want)
			}
		})
	}
}

func TestCutReplies(t *testing.T) {
	cut := func(d *desk, end model.StopReason, parts ...model.Part) {
		c := pop[CallModel](d)
		for _, p := range parts {
			d.give(Part{ID: c.ID, What: p})
		}
		if end != "" {
			d.give(Part{ID: c.ID, What: model.End{Reason: end}})
		}
		d.give(Replied{ID: c.ID})
	}
	t.Run("after_it_started_something", func(t *testing.T) {
		for _, end := range []model.StopReason{"", model.StopMaxTokens} {
			d := begun(t)
			cut(d, end, asks("reach", `{}`))
			d.takes()
			d.wants("") // the turn ended as usual
			d.ends("a1", control.Succeeded, control.CauseSkill)
			d.lookAround()
			if !strings.Contains(d.told(), "cut off") {
				t.Errorf("%q: the cut is not told:\n%s", end, d.told())
			}
		}
	})
	t.Run("after_it_looked", func(t *testing.T) {
		d := begun(t)
		cut(d, "", asks("observe", `{}`))
		d.lookAround()
		d.wants("callModel")
		if !strings.Contains(d.told(), "cut off") {
			t.Errorf("the cut is not told:\n%s", d.told())
		}
	})
	t.Run("at_the_limit_of_tokens_with_nothing", func(t *testing.T) {
		d := begun(t)
		cut(d, model.StopMaxTokens, model.Text{Text: "Let me think"})
		d.wants("callModel")
		if !strings.Contains(d.told(), "too long") {
			t.Errorf("the cut is not told:\n%s", d.told())
		}
	})
	t.Run("with_nothing", func(t *testing.T) {
		d := begun(t)
		cut(d, "", model.Text{Text: "Let me"})
		if d.s.phase != paused {
			t.Errorf("got phase %s", d.s.phase)
		}
		d.give(Message{Text: "again"})
		d.lookAround()
		d.wants("callModel")
	})
	t.Run("an_empty_reply_is_not_recorded", func(t *testing.T) {
		d := begun(t, headless)
		cut(d, model.StopMaxTokens)
		for _, m := range pop[CallModel](d).View.Request.Messages {
			if m.Role == model.RoleAssistant {
				t.Errorf("got %+v", m)
			}
		}
	})
}

func TestPlanArgumentsAreExecutedByteForByte(t *testing.T) {
	d := begun(t)
	args := `{"how":"a<b>\u00e9", "n":12345678901234567890.10}`
	d.reply(asks("update_plan", `{"steps":[{"text":"one","tool":"reach","args":`+args+`},{"text":"two","args":{}},{"text":"three"}]}`))
	steps := d.s.plan.Steps()
	if got := string(steps[0].Args); got != args {
		t.Errorf("got %s, want %s", got, args)
	}
	if string(steps[1].Args) != "{}" || steps[2].Args != nil {
		t.Errorf("got %s and %s, want {} and none", steps[1].Args, steps[2].Args)
	}
}

func TestMessageDuringATurnJoinsTheNextRound(t *testing.T) {
	d := begun(t)
	c := pop[CallModel](d)
	d.give(Part{ID: c.ID, What: asks("observe", `{}`)})
	d.give(Message{Text: "the left one"})
	d.lookAround()
	d.give(Part{ID: c.ID, What: model.End{}})
	d.give(Replied{ID: c.ID})
	msgs := pop[CallModel](d).View.Request.Messages
	last := msgs[len(msgs)-1].Blocks
	if last[0].Result == nil || last[1].Text == nil || !strings.Contains(last[1].Text.Text, "the left one") {
		t.Errorf("want the result first, then the message: %+v", last)
	}
}

func TestMessageDuringTheLastRoundOpensTheNextTurn(t *testing.T) {
	d := begun(t)
	c := pop[CallModel](d)
	d.give(Part{ID: c.ID, What: asks("reach", `{}`)})
	d.takes()
	d.give(Message{Text: "not that one"})
	d.give(Part{ID: c.ID, What: model.End{}})
	d.give(Replied{ID: c.ID})
	d.lookAround()
	if !strings.Contains(d.told(), "not that one") || !strings.Contains(d.told(), "Running: a1") {
		t.Errorf("told:\n%s", d.told())
	}
}

func TestWakesThatWaitFoldIntoOneTurn(t *testing.T) {
	d := begun(t)
	d.reply(asks("reach", `{}`), asks("squeeze", `{}`))
	d.takes()
	d.takes()
	d.ends("a1", control.Failed, control.CauseSkill) // opens the turn: its look is under way
	d.ends("a2", control.Failed, control.CauseSkill)
	d.give(Message{Text: "stop"})
	d.lookAround()
	d.wants("callModel")
	told := d.told()
	found, b, c := strings.Contains(told, "The user says: stop"), strings.Index(told, "action ended a1"), strings.Index(told, "action ended a2")
	if !found || b < 0 || c < b {
		t.Errorf("told:\n%s", told)
	}
}
