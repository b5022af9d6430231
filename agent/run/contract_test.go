package run

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
)

// of gives the events of one kind in the log.
func of[E episode.Event](d *desk) (out []E) {
	for _, e := range d.logged {
		if e, ok := e.(E); ok {
			out = append(out, e)
		}
	}
	return out
}

func TestWhatBecomesOfAStep(t *testing.T) {
	type end struct {
		o control.Outcome
		c control.Cause
	}
	tests := map[end]struct {
		step  string
		wakes bool
	}{
		{control.Succeeded, control.CauseSkill}:   {"done", true}, // nothing follows
		{control.Failed, control.CauseSkill}:      {"failed", true},
		{control.Failed, control.CauseRobot}:      {"failed", true},
		{control.TimedOut, control.CauseDeadline}: {"unconfirmed", true},
		{control.Stopped, control.CausePlanner}:   {"unconfirmed", true}, // by rule 5, not for the stop
		{control.Stopped, control.CauseOperator}:  {"unconfirmed", true},
		{control.Stopped, control.CauseSafety}:    {"failed", true},
		{control.Stopped, control.CauseRobot}:     {"failed", true},
		{control.Stopped, control.CauseCancel}:    {"unconfirmed", true},
	}
	for e, want := range tests {
		t.Run(string(e.o)+"_by_"+string(e.c), func(t *testing.T) {
			d := begun(t)
			d.reply(asks("update_plan", `{"steps":[{"text":"one","tool":"reach"}]}`), asks("reach", `{}`))
			d.takes()
			d.ends("a1", e.o, e.c)
			if d.steps() != want.step {
				t.Errorf("got %s, want %s", d.steps(), want.step)
			}
			if woken := d.kinds() == "look"; woken != want.wakes {
				t.Errorf("woken %t, want %t", woken, want.wakes)
			}
		})
	}
}

func TestTheQueueNeverTakesAFailedStep(t *testing.T) {
	d := begun(t)
	d.reply(asks("update_plan", `{"steps":[{"text":"one","tool":"reach"},{"text":"two","tool":"squeeze"}]}`), asks("reach", `{}`))
	d.takes()
	d.ends("a1", control.Failed, control.CauseSkill)
	d.lookAround()
	d.reply(asks("squeeze", `{}`)) // the planner may go on with another step
	d.takes()
	d.ends("a2", control.Succeeded, control.CauseSkill)
	d.lookAround()
	if d.steps() != "failed done" || !strings.Contains(d.told(), "step s1 is not resolved") {
		t.Errorf("steps %s; told:\n%s", d.steps(), d.told())
	}
	d.reply(asks("reach", `{}`)) // and take the failed one up again
	d.takes()
	if d.steps() != "running done" {
		t.Errorf("got steps %s", d.steps())
	}
}

func TestPlanRewrittenWhileAnActionRuns(t *testing.T) {
	tests := map[string]struct{ plan, want string }{
		"same_id":        {`[{"id":"s1","text":"one","tool":"reach"},{"text":"more","tool":"squeeze"}]`, "skipped done todo"},
		"same_tool":      {`[{"text":"anew","tool":"reach"},{"text":"more","tool":"squeeze"}]`, "skipped done todo"},
		"no_place_there": {`[{"text":"more","tool":"squeeze"}]`, "skipped skipped todo"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d := begun(t)
			d.reply(asks("update_plan", `{"steps":[{"text":"one","tool":"reach"},{"text":"two","tool":"squeeze"}]}`), asks("reach", `{}`))
			d.takes()
			d.give(Message{Text: "change of plan"})
			d.lookAround()
			d.reply(asks("update_plan", `{"steps":`+tc.plan+`}`))
			d.reply() // nothing more to say
			d.wants("")
			d.ends("a1", control.Succeeded, control.CauseSkill)
			d.wants("prepare") // the queue goes on with the new plan
			if got := strings.Replace(d.steps(), "running", "todo", 1); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

// results are the answers in the newest message of the request that waits.
func (d *desk) results() (out []string) {
	for _, f := range d.pending {
		if c, ok := f.(CallModel); ok {
			for _, b := range c.View.Request.Messages[len(c.View.Request.Messages)-1].Blocks {
				if b.Result != nil {
					out = append(out, string(b.Result.JSON))
				}
			}
		}
	}
	return out
}

func TestStepWithAPointInAMovingCameraNeedsThePlanner(t *testing.T) {
	d := begun(t, func(s *Settings) { s.Body.Modules[2].Camera.Mount = robot.MountMoving })
	d.reply(asks("update_plan", `{"steps":[{"text":"one","tool":"pick","args":{"point":[30,20],"observation_id":"o1.cam"}}]}`))
	d.reply()
	d.wants("callModel") // nothing can go on by itself: a reminder
	if !strings.Contains(d.told(), "Call a tool") {
		t.Errorf("told:\n%s", d.told())
	}
}

func TestEffectfulCallsRunInOrderAndReadsBeside(t *testing.T) {
	d := begun(t)
	c := pop[CallModel](d)
	for _, p := range []model.Part{asks("reach", `{}`), asks("squeeze", `{}`), asks("observe", `{}`), asks("stop_action", `{"action_id":"a1","reason":"x"}`)} {
		d.give(Part{ID: c.ID, What: p})
	}
	d.wants("prepare look") // the second call waits for the first, the look does not
	d.takes()
	d.wants("look prepare")
	d.takes()
	d.wants("look stop")
	d.give(Part{ID: c.ID, What: model.End{}})
	d.give(Replied{ID: c.ID})
	d.lookAround()
	d.stopped(control.Stopped, control.CausePlanner)
	d.give(Message{Text: "and?"})
	d.lookAround()
	got := d.results()
	if len(got) != 4 || !strings.Contains(got[0], `"a1"`) || !strings.Contains(got[1], `"a2"`) || !strings.Contains(got[2], "o2") || !strings.Contains(got[3], "still") {
		t.Errorf("results are not in the order of the calls: %v", got)
	}
}

func TestReplyThatStartsSomethingEndsTheTurn(t *testing.T) {
	d := begun(t)
	d.reply(asks("fly", `{}`), asks("reach", `{}`), asks("observe", `{}`))
	d.takes()
	d.lookAround()
	d.wants("") // though there are a refusal and a look to tell
	d.ends("a1", control.Succeeded, control.CauseSkill)
	d.lookAround()
	if got := d.results(); len(got) != 3 || !strings.Contains(got[0], "unknown_tool") {
		t.Errorf("got %v", got)
	}
}

func TestFinishTaskWhileSomethingIsOnItsWay(t *testing.T) {
	d := begun(t)
	d.reply(asks("reach", `{}`), asks("finish_task", `{"success":true,"summary":"x"}`))
	d.takes()
	if c := d.codes(); len(c) != 1 || c[0] != "action_running" {
		t.Errorf("running: got %v", c)
	}
	d.give(Message{Text: "well"})
	d.lookAround()
	d.reply(asks("finish_task", `{"success":true,"summary":"y"}`))
	if c := d.codes(); len(c) != 2 || c[1] != "action_running" {
		t.Errorf("still running: got %v", c)
	}
	d.ends("a1", control.Succeeded, control.CauseSkill)
	d.reply(asks("finish_task", `{"success":true,"summary":"z"}`), asks("reach", `{}`), asks("observe", `{}`))
	if c := d.codes(); !cmp.Equal(c[2:], []string{"run_ended", "run_ended"}) {
		t.Errorf("after the claim: got %v", c)
	}
	yes := true
	d.give(Judged{ID: pop[Judge](d).ID, Success: &yes})
	if d.result == nil || d.result.Status != StatusSucceeded || d.result.Claimed == nil || !*d.result.Claimed || d.result.Summary != "z" {
		t.Errorf("got %+v", d.result)
	}
}

func TestClaimAndVerdictAreKeptApart(t *testing.T) {
	yes, no := true, false
	for claim, arg := range map[bool]string{true: "true", false: "false"} {
		for name, tc := range map[string]struct {
			checked *bool
			err     error
			want    string
		}{"yes": {&yes, nil, StatusSucceeded}, "no": {&no, nil, StatusFailed}, "nobody": {nil, nil, StatusUnchecked}, "broken": {nil, errors.New("no camera"), StatusError}} {
			t.Run(arg+"_"+name, func(t *testing.T) {
				d := begun(t)
				d.reply(asks("finish_task", `{"success":`+arg+`,"summary":"x"}`))
				d.give(Judged{ID: pop[Judge](d).ID, Success: tc.checked, Err: tc.err})
				if d.result == nil || d.result.Status != tc.want || *d.result.Claimed != claim {
					t.Errorf("got %+v, want %s", d.result, tc.want)
				}
			})
		}
	}
}

func TestStopActionJoinsAndTells(t *testing.T) {
	d := begun(t)
	d.reply(asks("reach", `{}`))
	d.takes()
	d.give(Message{Text: "stop"})
	d.lookAround()
	d.reply(asks("stop_action", `{"action_id":"a1","reason":"x"}`), asks("stop_action", `{"action_id":"a1","reason":"once more"}`))
	d.stopped(control.Stopped, control.CausePlanner)
	d.stopped(control.Stopped, control.CausePlanner) // the loop tells the outcome of what has ended
	d.wants("callModel")
	got := d.results()
	if len(got) != 2 || !strings.Contains(got[0], `"outcome":"stopped"`) || !strings.Contains(got[1], `"outcome":"stopped"`) {
		t.Errorf("got %v", got)
	}
	if n := len(of[episode.ActionEnded](d)); n != 1 {
		t.Errorf("a1 ended %d times", n)
	}
}

func TestStopThatTheLoopDoesNotTake(t *testing.T) {
	d := begun(t)
	d.reply(asks("reach", `{}`))
	d.takes()
	d.give(Message{Text: "stop"})
	d.lookAround()
	d.reply(asks("stop_action", `{"action_id":"a1","reason":"x"}`))
	d.give(Stopped{ID: pop[Stop](d).ID, Err: &control.Refused{Code: control.CodeCannotStart, Message: "late"}})
	d.wants("callModel")
	if got := d.results(); len(got) != 1 || !strings.Contains(got[0], `"error":"cannot_start"`) {
		t.Errorf("got %v", got)
	}
	if n := len(d.s.acts.All()); n != 1 {
		t.Errorf("the action is forgotten before it has ended")
	}
}

func TestEndsInTheLog(t *testing.T) {
	d := begun(t)
	d.reply(asks("reach", `{}`))
	d.takes()
	d.news(control.ActionEnded{
		Action: "a1", Tool: "reach", End: control.End{Outcome: control.Stopped, Cause: control.CauseOperator, Reason: "key w"}, SkillReason: "it slipped",
		Also:    []control.End{{Outcome: control.Failed, Cause: control.CauseSkill, Reason: "it slipped"}},
		Arrival: &skill.ArrivalReport{How: "stalled", Residual: map[string]float64{"arm/x": 0.084}},
		Elapsed: 1500 * time.Millisecond, Stop: control.Stop{SentS: 2, StillS: 2.2, Outcome: control.Still},
	})
	d.lookAround()
	want := episode.ActionEnded{
		Tag: episode.Tag{Generation: 1}, Action: "a1", Tool: "reach", Outcome: "stopped", Cause: "operator", Reason: "key w", SkillReason: "it slipped",
		Also: []episode.AlsoEnd{{Outcome: "failed", Cause: "skill", Reason: "it slipped"}}, ElapsedS: 1.5,
		Arrival: &episode.Arrival{How: "stalled", Residual: map[string]float64{"arm/x": 0.084}}, Stop: &episode.Stop{SentS: 2, StillS: 2.2, Outcome: "still"},
	}
	if diff := cmp.Diff([]episode.ActionEnded{want}, of[episode.ActionEnded](d)); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(d.told(), "key w; the skill says: it slipped") {
		t.Errorf("told:\n%s", d.told())
	}
}

func TestLaterRoundsBringOnlyWhatIsNew(t *testing.T) {
	d := begun(t)
	first := pop[CallModel](d)
	d.pending = append(d.pending, first)
	d.reply(asks("observe", `{}`))
	d.lookAround()
	req := pop[CallModel](d).View
	last := req.Request.Messages[len(req.Request.Messages)-1].Blocks
	images := 0
	for _, b := range last {
		if b.Image != nil {
			images++
		}
	}
	if images != 0 || len(last[0].Result.Images) != 1 || last[0].Result.Images[0].ID != "o2.cam" {
		t.Errorf("got %d images beside the result %+v", images, last[0].Result)
	}
	if len(req.Frames) != 2 || req.Frames["o1.cam"] == nil || req.Frames["o2.cam"] == nil {
		t.Errorf("got frames %v", req.Frames)
	}
	if strings.Contains(last[1].Text.Text, "Task:") || strings.Contains(last[1].Text.Text, "Left:") {
		t.Errorf("a later round tells what the first told:\n%s", last[1].Text.Text)
	}
}

func TestDecisionsAreLoggedWhenTheyDiffer(t *testing.T) {
	d := begun(t)
	d.reply(model.Rationale{Text: "to see"}, asks("observe", `{}`), asks("observe", `{}`), asks("observe", `{"reason":"again"}`))
	d.lookAround()
	d.lookAround()
	d.lookAround()
	got := of[episode.Decision](d)
	if len(got) != 2 {
		t.Fatalf("got %d decisions, want 2", len(got))
	}
	if got[0].KindOf != "instruction" || got[0].Rationale != "to see" || got[0].Trigger != "user_message" || got[0].Component != "desk@1" {
		t.Errorf("got %+v", got[0])
	}
}

func TestNewsThatWakesAndNewsThatWaits(t *testing.T) {
	tests := map[string]struct {
		what  control.Event
		wakes bool
		told  string
	}{
		"not_at_rest":  {control.NotAtRest{Modules: []string{"arm"}}, true, "arm] did not come to rest"},
		"service_lost": {control.ServiceLost{Module: "cam", Field: "target", Err: errors.New("gone")}, false, "the tracker on cam/target"},
		"robot_well":   {control.RobotWell{}, false, ""},
		"at_rest":      {control.AtRest{}, false, ""},
		"ending":       {control.ActionEnding{Action: "a1"}, false, ""},
		"timer":        {control.TimerFired{ID: "another"}, false, ""},
		"foreign_end":  {control.ActionEnded{Action: "op1", End: control.End{Outcome: control.Failed}}, false, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d := begun(t)
			d.reply(asks("reach", `{}`))
			d.takes()
			d.news(tc.what)
			if woken := d.kinds() == "look"; woken != tc.wakes {
				t.Fatalf("woken %t, want %t", woken, tc.wakes)
			}
			if !tc.wakes {
				d.give(Message{Text: "well?"})
			}
			d.lookAround()
			if !strings.Contains(d.told(), tc.told) {
				t.Errorf("%q is not told:\n%s", tc.told, d.told())
			}
		})
	}
}
