package run

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
)

// Events that meet at a moment that goroutines hit once in a thousand runs; each test is named after what meets. The rest
// of these meetings stand where their subjects are: control.TestStartWhileTheLoopIsLate, control.TestStopsDuringTheFirstResult,
// TestEndOfTheRunKillsJobs, TestRunningActionsAreStoppedByTheBudget, TestCheckpointInAToolLoopWhileAnActionRuns,
// TestMessageSentBeforeTheInputDoesNotResume, TestTakeoverWhileARetryWaits.

// One end is recorded, the skill's own, and the rule that came with it starts nothing.
func TestFinishRuleDeadlineAndSkillEndBetweenTheSameTwoTicks(t *testing.T) {
	d := watchedDesk(t)
	d.reply(asks("update_plan", `{"steps":[{"text":"one","tool":"reach"},{"text":"two","tool":"squeeze"}]}`), asks("reach", `{}`))
	a := d.takes().What.Action
	d.says(d.tick(a), "progress=there:1")
	st := pop[Stop](d)
	d.give(Stopped{ID: st.ID, Ended: control.Ended{
		Action: a, Tool: "reach", End: control.End{Outcome: control.Succeeded, Cause: control.CauseSkill},
		Also: []control.End{st.End, {Outcome: control.TimedOut, Cause: control.CauseDeadline}}, Stop: control.Stop{Outcome: control.Still},
	}})
	if e := last[episode.ActionEnded](d); e.Cause != "skill" || len(e.Also) != 2 {
		t.Errorf("got %+v", e)
	}
	if got := d.steps(); got != "done running" {
		t.Errorf("got %q: the queue goes on with its own next step", got)
	}
	if next := d.takes(); next.What.Tool.Name != "squeeze" {
		t.Errorf("%s follows", next.What.Tool.Name)
	}
}

// A motion that was decided before the flag was seen is not begun on its module; the next round carries the flag.
func TestFlagWhileARoundIsInFlight(t *testing.T) {
	d := watchedDesk(t)
	a := d.starts("reach", `{}`)
	d.give(Message{Text: "how is it going?"})
	d.lookAround()
	d.says(d.tick(a), "progress=lost:0.9")
	d.says(d.tick(a), "progress=lost:0.9")
	d.reply(asks("home", `{}`))
	if got := d.codes(); !slices.Equal(got, []string{"stale_view"}) {
		t.Errorf("got %v", got)
	}
	if told := d.told(); !strings.Contains(told, "monitor flag") {
		t.Errorf("the next round does not carry the flag:\n%s", told)
	}
}

// What a tracker brings after an e-stop or an input is dropped, and the tracker is taken away.
func TestEStopAndPauseDuringATrackersFirstResult(t *testing.T) {
	for name, e := range map[string]control.Event{
		"estop": control.EStopped{By: "operator", Generation: 2}, "pause": control.OperatorTook{Input: "key w", Generation: 2},
	} {
		for _, byQueue := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				d := tracked(t, byQueue)
				sd := pop[Seed](d)
				d.news(e)
				d.give(Seeded{ID: sd.ID, Tracks: control.Tracks{"cam/target": square(27, 17, 6)}})
				if d.kinds() != "" && strings.Contains(d.kinds(), "start") || d.s.phase != paused {
					t.Errorf("got effects [%s] in phase %s", d.kinds(), d.s.phase)
				}
				if len(d.unseeds) != 1 || d.lates() == 0 || len(d.s.acts.All()) != 0 {
					t.Errorf("unseeded %v, %d late, actions %v", d.unseeds, d.lates(), d.s.acts.All())
				}
				if got := d.steps(); got != "todo" {
					t.Errorf("the step is %s", got)
				}
			})
		}
	}
}

func TestCancelWhileAQuestionWaits(t *testing.T) {
	d := begun(t)
	d.reply(asks("ask_user", `{"question":"which one?"}`))
	if d.s.phase != waiting {
		t.Fatalf("phase %s", d.s.phase)
	}
	d.give(Canceled{By: "the user"})
	d.give(Judged{ID: pop[Judge](d).ID})
	if d.result == nil || d.result.Status != StatusCancelled {
		t.Errorf("got %+v", d.result)
	}
	d.wants("")
}

// The look is closed as interrupted, and what it brings comes too late.
func TestFinishTaskBesideARunningObserve(t *testing.T) {
	d := begun(t)
	d.reply(asks("observe", `{}`), asks("finish_task", `{"success":true,"summary":"done"}`))
	if open := d.s.book.OpenCalls(); len(open) != 0 {
		t.Errorf("%v are open", open)
	}
	late := d.lates()
	d.lookAround()
	if d.lates() != late+1 {
		t.Error("the picture that nobody waits for is not late")
	}
	d.give(Judged{ID: pop[Judge](d).ID})
	if d.result == nil || d.result.Claimed == nil || !*d.result.Claimed {
		t.Errorf("got %+v", d.result)
	}
}

// The answer about an action that the operator ended changes nothing in the turn that the resume has opened.
func TestResumeWithAMonitorCallStillOut(t *testing.T) {
	d := watchedDesk(t)
	a := d.starts("reach", `{}`)
	k := d.tick(a)
	d.news(control.OperatorTook{Input: "key w", Generation: 2})
	d.ends(a, control.Stopped, control.CauseOperator)
	d.give(Message{Text: "go on"})
	d.lookAround()
	before := d.lates()
	d.says(k, "progress=there:1")
	d.wants("callModel")
	if d.lates() != before+1 || d.count("monitor_rule") != 0 {
		t.Errorf("%d late, %d rules fired", d.lates()-before, d.count("monitor_rule"))
	}
}

// The action runs on, the turn is over, and the next view says that the reply was cut.
func TestStreamThatDiesAfterAnActionStarted(t *testing.T) {
	d := begun(t)
	c := pop[CallModel](d)
	d.give(Part{ID: c.ID, What: asks("reach", `{}`)})
	a := d.takes().What.Action
	d.give(Part{ID: c.ID, What: model.Text{Text: "and th"}})
	d.give(Replied{ID: c.ID})
	if d.s.phase != watching || d.s.turn != nil {
		t.Fatalf("phase %s", d.s.phase)
	}
	d.ends(a, control.Failed, control.CauseSkill)
	d.lookAround()
	if told := d.told(); !strings.Contains(told, "cut off") {
		t.Errorf("got\n%s", told)
	}
}

// The failure wakes at once, the other goes on, and the queue starts nothing until the reply.
func TestTwoActionsOnDisjointModulesOneFails(t *testing.T) {
	d := begun(t)
	d.reply(asks("update_plan", `{"steps":[{"text":"one","tool":"reach"},{"text":"two","tool":"squeeze"},{"text":"three","tool":"reach"}]}`),
		asks("reach", `{}`), asks("squeeze", `{}`))
	d.takes()
	d.takes()
	d.ends("a1", control.Failed, control.CauseSkill)
	d.wants("look")
	if all := d.s.acts.All(); len(all) != 1 || all[0].ID != "a2" {
		t.Errorf("got %+v", all)
	}
	d.ends("a2", control.Succeeded, control.CauseSkill)
	d.wants("look")
	if got := d.steps(); got != "failed done todo" {
		t.Errorf("got %q", got)
	}
}

// A start that was decided before an input is void by its generation; its step is to be done again.
func TestStartAcceptedWhileTheLoopIsLate(t *testing.T) {
	d := begun(t)
	d.reply(asks("update_plan", `{"steps":[{"text":"one","tool":"reach"}]}`))
	d.reply()
	d.give(Prepared{ID: pop[Prepare](d).ID})
	st := pop[Start](d)
	d.news(control.OperatorTook{Input: "key w", Generation: 2})
	d.give(Started{ID: st.ID, Err: &control.Refused{Code: control.CodeStaleGeneration, Message: "it was decided under generation 1"}})
	if got := d.steps(); got != "todo" || len(d.s.acts.All()) != 0 || d.s.phase != paused {
		t.Errorf("step %s, actions %v, phase %s", got, d.s.acts.All(), d.s.phase)
	}
}

// A reply that fails in the same moment as the run ends changes nothing about the end.
func TestReplyThatFailsWhileTheRunEnds(t *testing.T) {
	d := begun(t)
	c := pop[CallModel](d)
	d.give(Canceled{By: "the user"})
	d.give(Replied{ID: c.ID, Err: errors.New("connection reset")})
	d.give(Judged{ID: pop[Judge](d).ID})
	if d.result == nil || d.result.Status != StatusCancelled || d.lates() != 1 {
		t.Errorf("got %+v, %d late", d.result, d.lates())
	}
}
