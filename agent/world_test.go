package agent_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/robot"
)

// One look points many picks: a point in a fixed camera stays true after a motion while the picture around it does.
func TestPointAfterAMotion(t *testing.T) {
	tests := map[string]struct {
		spoil func(r *rig)
		rules func(c *agent.Config)
		want  string // code of the refusal; "" = it is taken
	}{
		"unchanged":     {nil, nil, ""},
		"changed":       {func(r *rig) { r.robot.Blacken(cam) }, nil, "view_changed"},
		"frozen":        {func(r *rig) { r.robot.Freeze(cam) }, nil, "camera_not_live"},
		"no_picture":    {func(r *rig) { r.robot.Blind(cam, errors.New("unplugged")) }, nil, "cannot_start"},
		"strict_points": {nil, func(c *agent.Config) { c.Settings.Points.Strict = true }, "view_changed"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var r *rig
			r = newRig(t, []round{
				func(run.View) []model.Part {
					if tc.spoil != nil {
						tc.spoil(r)
					}
					return []model.Part{call("reach", `{"seconds":0.01}`)} // over before the first glance
				},
				says(call("pick", `{"point":[5,20],"observation_id":"o1.cam"}`)),
				says(finish(true)),
			}, func(c *agent.Config) {
				if tc.rules != nil {
					tc.rules(c)
				}
			})
			res := r.run("do it")
			var codes []string
			for _, e := range events[episode.Refused](r.log) {
				codes = append(codes, e.Code)
			}
			if got := strings.Join(codes, " "); got != tc.want {
				t.Errorf("got [%s], want [%s]; log:\n%s", got, tc.want, r.log)
			}
			if want := 2 - len(codes); res.Actions != want {
				t.Errorf("got %d actions, want %d", res.Actions, want)
			}
		})
	}
}

func TestQueueStartsAPointedStepFromAnOlderLook(t *testing.T) {
	r := newRig(t, []round{
		says(call("update_plan", `{"steps":[{"text":"a","tool":"reach"},{"text":"b","tool":"pick","args":{"point":[5,20],"observation_id":"o1.cam"}},{"text":"c","tool":"pick","args":{"point":[5,30],"observation_id":"o1"}}]}`),
			call("reach", `{}`)),
		says(finish(true)),
	})
	res := r.run("do it")
	if res.Actions != 3 || res.Turns != 2 || res.Refused != 0 {
		t.Errorf("got %+v; log:\n%s", res, r.log)
	}
	if diff := cmp.Diff([]string{"done", "done", "done"}, states(lastReport(r.planner.views()[1]).Plan)); diff != "" {
		t.Error(diff)
	}
}

func TestCallIsCarriedOutWhileTheReplyStillStreams(t *testing.T) {
	began := make(chan struct{})
	p := &planner{deliberate: func(_ context.Context, yield func(model.Part, error) bool) {
		if !yield(call("reach", `{"how":"forever"}`), nil) {
			return
		}
		<-began
		_ = yield(call("stop_action", `{"action_id":"a1","reason":"enough"}`), nil) && yield(finish(true), nil) && yield(model.End{}, nil)
	}}
	r := newRig(t, nil, thinkWith(p))
	r.log.when = map[string]func(){"action_started": sync.OnceFunc(func() { close(began) })}
	if res := r.run("do it"); res.Claimed == nil || !*res.Claimed || res.Actions != 1 {
		t.Errorf("got %+v; log:\n%s", res, r.log)
	}
}

func TestHeadlessQuestionEndsTheRun(t *testing.T) {
	r := newRig(t, []round{says(call("reach", `{"how":"forever"}`)), says(call("ask_user", `{"question":"which box?","choices":["red","blue"]}`), call("squeeze", `{}`))})
	r.log.when = map[string]func(){"action_started": func() { r.agent.Send("well?") }}
	res := r.run("do it")
	if res.Status != run.StatusUnchecked || res.Claimed != nil || !strings.Contains(res.Summary, "which box? (red / blue)") {
		t.Errorf("got %+v", res)
	}
	if end := events[episode.ActionEnded](r.log); len(end) == 0 || end[0].Outcome != "stopped" || end[0].Cause != "cancel" {
		t.Errorf("got %+v", end)
	}
	r.atRest()
}

func TestInputsWhileAnActionRuns(t *testing.T) {
	tests := map[string]struct {
		do            func(r *rig)
		cause, status string
		step          string
	}{
		"takeover": {func(r *rig) { r.loop.AskTakeover("key w", func([]string, error) {}) }, "operator", run.StatusStopped, "unconfirmed"},
		"estop":    {func(r *rig) { r.loop.EStop("operator") }, "safety", run.StatusStopped, "failed"},
		"fault":    {func(r *rig) { r.robot.Break(errors.New("hot")) }, "robot", run.StatusError, "failed"},
		"cancel":   {func(r *rig) { r.agent.Cancel("the test") }, "cancel", run.StatusCancelled, "unconfirmed"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, []round{says(call("reach", `{"how":"forever"}`))})
			r.heard = func(e control.Event) {
				if f, is := e.(control.TimerFired); is && f.ID == "test" {
					tc.do(r)
				}
			}
			r.log.when = map[string]func(){"action_started": func() { r.loop.SetTimer("test", r.robot.Clock().Now()+1e9/2) }}
			res := r.run("do it")
			if res.Status != tc.status || res.Claimed != nil {
				t.Errorf("got %+v", res)
			}
			end := events[episode.ActionEnded](r.log)
			if len(end) != 1 || end[0].Outcome != "stopped" || end[0].Cause != tc.cause || end[0].Stop == nil {
				t.Errorf("got %+v", end)
			}
			r.atRest()
			for _, is := range r.robot.Issued() {
				if c := is.Command; c.Owner == robot.OwnerAgent && c.Generation > 1 && !c.Target.Hold {
					t.Errorf("got %+v after the input", c)
				}
			}
		})
	}
}

func TestTakeoverPausesAndTheUserResumes(t *testing.T) {
	r := newRig(t, []round{says(call("reach", `{"how":"forever"}`)), says(call("reach", `{"seconds":0.1}`)), says(finish(true))}, interactive)
	r.log.when = map[string]func(){
		"action_started": func() { r.loop.AskTakeover("key w", func([]string, error) {}) },
		"action_ended":   func() { r.agent.Send("go on") },
	}
	res := r.run("do it")
	if res.Actions != 2 || res.Claimed == nil {
		t.Errorf("got %+v; log:\n%s", res, r.log)
	}
	want := []string{"run_paused", "action_ended", "run_resumed", "action_started", "action_ended"}
	if diff := cmp.Diff(want, r.log.kinds("run_paused", "run_resumed", "action_ended", "action_started")[1:]); diff != "" {
		t.Errorf("%s; log:\n%s", diff, r.log)
	}
	told := lastReport(r.planner.views()[1])
	if len(told.Happened) < 2 || told.Happened[0].Kind != "operator" || told.Happened[1].Cause != "operator" || len(told.Messages) != 1 {
		t.Errorf("got %+v", told)
	}
}

func TestEStopNeedsItsClearAndThenAMessage(t *testing.T) {
	r := newRig(t, []round{says(call("reach", `{"how":"forever"}`)), says(call("reach", `{"seconds":0.1}`)), says(finish(true))}, interactive)
	r.log.when = map[string]func(){
		"action_started": func() { r.loop.EStop("operator") },
		"action_ended":   func() { r.agent.Send("go on"); r.loop.ClearEStop("operator") },
		"estop_cleared":  func() { r.loop.SetTimer("test", r.robot.Clock().Now()+1e9) },
	}
	r.heard = func(e control.Event) {
		if f, is := e.(control.TimerFired); is && f.ID == "test" {
			if n := len(r.log.kinds("run_resumed")); n != 0 {
				t.Error("the run was resumed by a message from before the clear")
			}
			r.agent.Send("now go on")
		}
	}
	res := r.run("do it")
	if res.Actions != 2 || res.Claimed == nil {
		t.Errorf("got %+v; log:\n%s", res, r.log)
	}
	if got := lastReport(r.planner.views()[1]).Messages; !cmp.Equal(got, []string{"go on", "now go on"}) {
		t.Errorf("got messages %v", got)
	}
}

func TestTextAloneWaitsForTheUser(t *testing.T) {
	r := newRig(t, []round{says(model.Text{Text: "Hello."}), says(model.Text{Text: "Well?"}), says(finish(true))}, interactive)
	n := 0
	r.log.when = map[string]func(){}
	var again func()
	again = func() {
		if n++; n == 2 {
			r.loop.SetTimer("test", r.robot.Clock().Now()+1e9)
		}
		r.log.mu.Lock()
		r.log.when["agent_message"] = again
		r.log.mu.Unlock()
	}
	r.log.when["agent_message"] = again
	r.heard = func(e control.Event) {
		if f, is := e.(control.TimerFired); is && f.ID == "test" {
			r.agent.Send("just finish")
		}
	}
	if res := r.run("do it"); res.Turns != 3 || res.Claimed == nil {
		t.Errorf("got %+v; log:\n%s", res, r.log)
	}
}

func TestStopThatIsNotConfirmed(t *testing.T) {
	r := newRig(t, []round{
		says(call("reach", `{"how":"forever"}`), call("stop_action", `{"action_id":"a1","reason":"enough"}`), call("reach", `{"seconds":0.1}`)),
		says(finish(false)),
	})
	r.log.when = map[string]func(){"action_started": func() { r.robot.RunOn(arm) }}
	r.run("do it")
	end := events[episode.ActionEnded](r.log)
	if len(end) != 1 || end[0].Stop.Outcome != "moving" {
		t.Fatalf("got %+v; log:\n%s", end, r.log)
	}
	if ref := events[episode.Refused](r.log); len(ref) != 1 || ref[0].Code != "cannot_start" {
		t.Errorf("the next start: got %+v", ref)
	}
	told := false
	for _, h := range lastReport(r.planner.views()[1]).Happened {
		told = told || h.Kind == "not_at_rest"
	}
	if !told {
		t.Errorf("the planner is not told; log:\n%s", r.log)
	}
}

func TestEyesThatPanicGiveNoPicture(t *testing.T) {
	r := newRig(t, []round{says(call("observe", `{}`)), says(finish(false))}, func(c *agent.Config) { c.Eyes = panicky{} })
	if res := r.run("do it"); res.Turns != 2 {
		t.Errorf("got %+v", res)
	}
	if got := lastReport(r.planner.views()[0]).Notices; len(got) != 1 || !strings.Contains(got[0], "no fresh image") {
		t.Errorf("got %q", got)
	}
	if got := lastResults(r.planner.views()[1]); len(got) != 1 || !strings.Contains(got[0], "cannot_start") {
		t.Errorf("got %v", got)
	}
}

type panicky struct{ plainEyes }

func (panicky) Send(*robot.Frame) (agent.Sent, error) { panic("oh") }

func TestCameraThatIsNotLiveTakesNoPoints(t *testing.T) {
	r := newRig(t, []round{says(call("pick", `{"point":[5,20],"observation_id":"o1.cam"}`)), says(finish(false))},
		func(c *agent.Config) { c.Eyes = plainEyes{notLive: "the picture is black"} })
	res := r.run("do it")
	if ref := events[episode.Refused](r.log); len(ref) != 1 || ref[0].Code != "camera_not_live" || res.Actions != 0 {
		t.Errorf("got %+v", ref)
	}
}

func TestStalledCameraIsNotWaitedForForever(t *testing.T) {
	r := newRig(t, []round{says(finish(false))}, func(c *agent.Config) { c.Waits.Frame = 5e6 })
	r.robot.Stall(cam)
	if res := r.run("do it"); res.Claimed == nil {
		t.Errorf("got %+v", res)
	}
}
