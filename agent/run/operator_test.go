package run

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
)

func TestTakeoverPausesAndAMessageResumes(t *testing.T) {
	d := begun(t)
	c := pop[CallModel](d)
	d.give(Part{ID: c.ID, What: model.Text{Text: "I begin."}})
	d.give(Part{ID: c.ID, What: asks("reach", `{}`)})
	d.news(control.OperatorTook{Input: "key w", Generation: 2})
	if d.s.phase != paused || !cmp.Equal(d.cuts, []EffectID{c.ID}) {
		t.Fatalf("phase %s, cut %v", d.s.phase, d.cuts)
	}
	d.give(Replied{ID: c.ID, Err: errors.New("cancelled")})
	d.news(control.OperatorTook{Input: "key s", Generation: 3})
	d.give(Message{Text: "go on"})
	d.lookAround()
	told := d.told()
	for _, want := range []string{"The user says: go on", "the operator took over: key w", "the operator took over: key s"} {
		if !strings.Contains(told, want) {
			t.Errorf("%q is not told:\n%s", want, told)
		}
	}
	if d.s.generation != 3 {
		t.Errorf("got generation %d", d.s.generation)
	}
	msgs := pop[CallModel](d).View.Request.Messages
	if b := msgs[1].Blocks; len(b) != 2 || b[0].Text.Text != "I begin." || b[1].Call == nil {
		t.Errorf("the text and the call of the interrupted reply are not kept: %+v", b)
	}
	var paused, resumed int
	for _, e := range d.logged {
		switch e.(type) {
		case episode.RunPaused:
			paused++
		case episode.RunResumed:
			resumed++
		}
	}
	if paused != 1 || resumed != 1 {
		t.Errorf("%d pauses and %d resumes are logged, want one each", paused, resumed)
	}
}

func TestAnInterruptedReplyIsPaidForAndLogged(t *testing.T) {
	d := begun(t)
	c := pop[CallModel](d)
	d.give(Part{ID: c.ID, What: model.Usage{Input: 900, Output: 100, CostUSD: 0.25}})
	d.news(control.OperatorTook{Input: "key w", Generation: 2})
	if d.s.pool.Tokens != 1000 || d.s.pool.CostUSD != 0.25 {
		t.Errorf("got %d tokens and $%g", d.s.pool.Tokens, d.s.pool.CostUSD)
	}
	var turns []episode.PlannerTurn
	for _, e := range d.logged {
		if e, is := e.(episode.PlannerTurn); is {
			turns = append(turns, e)
		}
	}
	if len(turns) != 1 || turns[0].Usage.Input != 900 {
		t.Errorf("got %+v", turns)
	}
}

func TestTheQueueRestsWhilePaused(t *testing.T) {
	d := begun(t)
	d.reply(asks("update_plan", `{"steps":[{"text":"one","tool":"reach"},{"text":"two","tool":"squeeze"}]}`), asks("reach", `{}`))
	d.takes()
	d.news(control.OperatorTook{Input: "key w", Generation: 2})
	d.ends("a1", control.Succeeded, control.CauseSkill) // between the input and its stop
	d.wants("")
	if d.steps() != "done todo" {
		t.Errorf("got steps %s", d.steps())
	}
}

func TestMessageSentBeforeTheInputDoesNotResume(t *testing.T) {
	// Both wait in the inbox; the input is of the higher class and comes out first.
	d := begun(t)
	d.seq += 10
	d.news(control.OperatorTook{Input: "key w", Generation: 2})
	now := d.seq
	d.seq = now - 5
	d.give(Message{Text: "put it in the box"})
	d.wants("callModel")
	if d.s.phase != paused {
		t.Fatalf("an older message resumed the run: phase %s", d.s.phase)
	}
	d.seq = now
	d.give(Message{Text: "go on"})
	pop[CallModel](d)
	d.lookAround()
	if got := d.told(); !strings.Contains(got, "put it in the box\nThe user says: go on") {
		t.Errorf("the older message is lost:\n%s", got)
	}
}

func TestEStopStaysPausedUntilAMessageAfterTheClear(t *testing.T) {
	d := begun(t)
	d.latched = true
	d.news(control.EStopped{By: "operator", Generation: 2})
	d.give(Message{Text: "go on"})
	if d.s.phase != paused {
		t.Fatalf("a message resumed under the latch: phase %s", d.s.phase)
	}
	d.latched = false
	d.news(control.EStopCleared{By: "operator", Generation: 2})
	if d.s.phase != paused {
		t.Fatalf("the clear resumed: phase %s", d.s.phase)
	}
	d.give(Message{Text: "now go on"})
	if d.s.phase != inTurn {
		t.Errorf("got phase %s", d.s.phase)
	}
}

func TestHeadlessInputsEndTheRun(t *testing.T) {
	tests := map[string]struct {
		what control.Event
		want string
	}{
		"takeover": {control.OperatorTook{Input: "key w", Generation: 2}, StatusStopped},
		"estop":    {control.EStopped{By: "operator", Generation: 2}, StatusStopped},
		"fault":    {control.RobotFault{Err: errors.New("hot")}, StatusError},
		"log":      {control.LogBroken{Err: errors.New("full")}, StatusError},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d := begun(t, headless)
			d.news(tc.what)
			d.give(Judged{ID: pop[Judge](d).ID})
			if d.result == nil || d.result.Status != tc.want || d.result.Claimed != nil {
				t.Errorf("got %+v, want %s", d.result, tc.want)
			}
		})
	}
}

func TestLookFromBeforeATakeoverIsCheckedAgain(t *testing.T) {
	d := begun(t)
	d.news(control.OperatorTook{Input: "key w", Generation: 2})
	d.give(Message{Text: "go on"})
	pop[CallModel](d)
	d.lookAround()
	d.reply(asks("pick", `{"point":[30,20],"observation_id":"o1.cam"}`), asks("observe", `{}`))
	if l := pop[Look](d); l.Region == nil {
		t.Errorf("the point of an older look is taken unseen: %s", d.kinds())
	}
}

func TestAskUserWaitsAlsoWhenSomethingWasStarted(t *testing.T) {
	d := begun(t)
	d.reply(asks("update_plan", `{"steps":[{"text":"one","tool":"reach"},{"text":"two","tool":"squeeze"}]}`),
		asks("ask_user", `{"question":"which one?","choices":["red","blue"]}`), asks("reach", `{}`))
	d.takes()
	if d.s.phase != waiting {
		t.Fatalf("got phase %s", d.s.phase)
	}
	d.ends("a1", control.Succeeded, control.CauseSkill)
	d.wants("") // the queue starts nothing while the user is asked
	d.give(Message{Text: "the red one"})
	d.lookAround()
	if a := d.answer(2); a != `{"status":"asked"}` {
		t.Errorf("got %s", a)
	}
	if !strings.Contains(d.told(), "the red one") {
		t.Errorf("the answer is not told:\n%s", d.told())
	}
}

func TestBadEndWakesAlsoWhileTheUserIsAsked(t *testing.T) {
	d := begun(t)
	d.reply(asks("ask_user", `{"question":"which one?"}`), asks("reach", `{}`))
	d.takes()
	d.ends("a1", control.Failed, control.CauseSkill)
	d.lookAround()
	if !strings.Contains(d.told(), "failed") {
		t.Errorf("told:\n%s", d.told())
	}
}
