package agent_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/agent/ledger"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
)

func withImages(n int) option { return func(c *agent.Config) { c.Settings.MaxImages = n } }

// A segment that would hold too many images goes on in a new one: one user message with all that is needed to go on.
func TestCheckpointWhenImagesExceedTheLimit(t *testing.T) {
	plan := call("update_plan", `{"steps":[{"id":"s1","text":"reach","tool":"reach"},{"id":"s2","text":"look"}]}`)
	r := newRig(t, []round{
		says(plan, call("observe", `{}`)),
		says(call("observe", `{}`)),
		says(call("observe", `{}`)), // its image is one too many
		says(finish(true)),
	}, withImages(3))
	r.run("tidy up")
	views := r.planner.views()
	if n := len(views[2].Request.Messages); n != 5 {
		t.Fatalf("the third request has %d messages, want 5: no segment was due yet", n)
	}
	msgs := views[3].Request.Messages
	if len(msgs) != 1 || msgs[0].Role != model.RoleUser {
		t.Fatalf("got %d messages, want one of the user", len(msgs))
	}
	rep := lastReport(views[3])
	if rep.Task != "tidy up" || len(rep.Plan) != 2 || rep.Budget == nil {
		t.Errorf("got task %q, plan %v, budget %v", rep.Task, rep.Plan, rep.Budget)
	}
	if len(rep.Results) != 1 || rep.Results[0].Tool != "observe" || !strings.Contains(string(rep.Results[0].Answer), "o4") {
		t.Errorf("the results of the last round are %+v", rep.Results)
	}
	if diff := cmp.Diff([]string{"o1.cam", "o2.cam", "o3.cam"}, rep.LeftOut); diff != "" {
		t.Errorf("left out: %s", diff)
	}
	if len(rep.Images) != 1 || rep.Images[0].ID != "o4.cam" || model.Images(views[3].Request) != 1 {
		t.Errorf("got %+v, want the newest image", rep.Images)
	}
	got := events[episode.ContextCheckpoint](r.log)
	if len(got) != 1 || got[0].Messages != 1 || got[0].Images != 1 || got[0].Tokens == 0 || !strings.Contains(got[0].Why, "max_images_in_context") {
		t.Errorf("got %+v", got)
	}
}

// A checkpoint while an action runs tells it with its id, and its end is heard in the new segment.
func TestCheckpointInAToolLoopWhileAnActionRuns(t *testing.T) {
	r := newRig(t, []round{
		says(call("reach", `{"seconds":1.5}`)),
		says(call("observe", `{}`)), // woken by the heartbeat
		says(call("observe", `{}`)),
		says(model.Text{Text: "I wait."}),
		says(finish(true)),
	}, withImages(2), func(c *agent.Config) { c.Settings.Heartbeat = 500 * time.Millisecond })
	res := r.run("do it")
	var inMiddle bool
	for i, v := range r.planner.views()[1:] {
		if rep := lastReport(v); len(v.Request.Messages) == 1 && len(rep.Running) == 1 && rep.Running[0].Action == "a1" {
			inMiddle = true
		} else if len(v.Request.Messages) == 1 && i == 0 {
			t.Errorf("round 2 opened a segment: %+v", rep)
		}
	}
	if !inMiddle {
		t.Errorf("no segment was opened while the action ran:\n%s", r.log)
	}
	if ends := events[episode.ActionEnded](r.log); len(ends) != 1 || res.Claimed == nil {
		t.Errorf("got %+v, %+v", ends, res)
	}
}

// A conversation that is too long for the server, or that the model refuses, is cut down once; then the run pauses.
func TestForcedCheckpoint(t *testing.T) {
	tests := map[string]struct {
		end  model.StopReason
		err  error
		want string // in the summary of a second failure
	}{
		"too_large":    {err: &model.Error{Class: model.TooLarge, Status: 413, Msg: "too much"}, want: "too large"},
		"refused":      {err: &model.Error{Class: model.Refused, Status: 400, Msg: "policy"}, want: "refused"},
		"refusal":      {end: model.StopRefusal, want: "refused"},
		"context_full": {end: model.StopContext, want: "window"},
	}
	for name, tc := range tests {
		bad := func(run.View) []model.Part {
			if tc.err != nil {
				return []model.Part{broken{err: tc.err}}
			}
			return []model.Part{model.Text{Text: "No. I will not say more."}, model.End{Reason: tc.end}}
		}
		t.Run(name+"_once", func(t *testing.T) {
			r := newRig(t, []round{says(call("observe", `{}`)), bad, says(finish(true))})
			if res := r.run("do it"); res.Claimed == nil || !*res.Claimed {
				t.Fatalf("got %+v", res)
			}
			v := r.planner.views()[2]
			if rep := lastReport(v); len(v.Request.Messages) != 1 || len(rep.Results) != 1 && tc.end == "" {
				t.Errorf("got %d messages, results %v", len(v.Request.Messages), rep.Results)
			}
			if raw, _ := json.Marshal(v.Request); strings.Contains(string(raw), "I will not say more") {
				t.Error("the refused reply is still in the conversation")
			}
			if got := events[episode.ContextCheckpoint](r.log); len(got) != 1 {
				t.Errorf("got %+v", got)
			}
		})
		t.Run(name+"_twice", func(t *testing.T) {
			r := newRig(t, []round{bad, bad, says(finish(true))})
			res := r.run("do it")
			if res.Status != run.StatusError || !strings.Contains(res.Summary, tc.want) || !strings.Contains(res.Summary, "new segment") {
				t.Errorf("got %+v", res)
			}
			if n := len(r.planner.views()); n != 2 {
				t.Errorf("asked %d times, want 2", n)
			}
		})
	}
}

// A refused reply that had called something: what it called stands, and is told in words.
func TestRefusalAfterACall(t *testing.T) {
	r := newRig(t, []round{
		says(model.Text{Text: "half"}, call("observe", `{}`), model.End{Reason: model.StopRefusal}),
		says(finish(true)),
	})
	r.run("do it")
	v := r.planner.views()[1]
	if rep := lastReport(v); len(v.Request.Messages) != 1 || len(rep.Results) != 1 || rep.Results[0].Tool != "observe" {
		t.Errorf("got %d messages, %+v", len(v.Request.Messages), rep.Results)
	}
}

// A provider's tool that takes longer is asked for again, with the reply so far and nothing else.
func TestPausedReplyGoesOn(t *testing.T) {
	r := newRig(t, []round{
		says(model.Text{Text: "searching"}, model.End{Reason: model.StopPause}),
		says(finish(true)),
	})
	r.run("do it")
	msgs := r.planner.views()[1].Request.Messages
	if last := msgs[len(msgs)-1]; len(msgs) != 2 || last.Role != model.RoleAssistant || last.Blocks[0].Text.Text != "searching" {
		t.Errorf("got %+v", msgs)
	}
}

// Another mind decides from the next round on, in a new segment with its own prompt and form of points.
func TestUseAnotherMind(t *testing.T) {
	next := &script{rounds: []round{says(finish(true))}}
	var r *rig
	r = newRig(t, []round{func(run.View) []model.Part {
		r.agent.Use(agent.Planner{Reasoner: next, SystemPrompt: "you are new", PointForm: model.PointsYX1000})
		return []model.Part{model.Opaque{Provider: "first", Raw: json.RawMessage(`{"thought":1}`)}, call("observe", `{}`)}
	}})
	r.run("do it")
	if n := len(r.planner.views()); n != 1 {
		t.Errorf("the first mind was asked %d times, want 1", n)
	}
	got := next.views()
	if len(got) != 1 || len(got[0].Request.Messages) != 1 || got[0].Request.System != "you are new" {
		t.Fatalf("got %+v", got)
	}
	if raw, _ := json.Marshal(got[0].Request); strings.Contains(string(raw), "thought") {
		t.Error("a block of the first mind was sent to the second")
	}
	i := slices.IndexFunc(got[0].Request.Tools, func(s model.ToolSpec) bool { return s.Name == "pick" })
	if d := got[0].Request.Tools[i].Description; !strings.Contains(d, "[y, x]") {
		t.Errorf("the tool still speaks of other points: %s", d)
	}
}

func TestUpdateSystemPrompt(t *testing.T) {
	var r *rig
	r = newRig(t, []round{
		func(run.View) []model.Part {
			r.agent.UpdateSystemPrompt("be quick")
			return []model.Part{call("reach", `{"seconds":0.1}`)}
		},
		says(finish(true)),
	})
	r.run("do it")
	views := r.planner.views()
	if views[0].Request.System == "be quick" || views[1].Request.System != "be quick" || len(views[1].Request.Messages) != 1 {
		t.Errorf("got %q in %d messages", views[1].Request.System, len(views[1].Request.Messages))
	}
}

// The next run hears what the ones before came to, until a reset.
func TestEarlierRunsAreTold(t *testing.T) {
	r := newRig(t, []round{says(finish(true)), says(finish(true)), says(finish(true))})
	r.run("first thing")
	r.agent.Send("second thing")
	r.result()
	if e := lastReport(r.planner.views()[1]).Earlier; len(e) != 1 || !strings.Contains(e[0], "first thing") || !strings.Contains(e[0], "unchecked") {
		t.Errorf("got %q", e)
	}
	r.agent.Reset("the user")
	r.agent.Send("third thing")
	r.result()
	if rep := lastReport(r.planner.views()[2]); rep.Earlier != nil || rep.Task != "third thing" {
		t.Errorf("got %q", rep.Earlier)
	}
}

func TestResetEndsTheRunAndForgetsIt(t *testing.T) {
	var r *rig
	r = newRig(t, []round{
		func(run.View) []model.Part {
			r.agent.Reset("the user")
			return []model.Part{call("reach", `{"how":"forever"}`)}
		},
		says(finish(true)),
	})
	if res := r.run("first thing"); res.Status != run.StatusCancelled {
		t.Errorf("got %+v", res)
	}
	r.atRest()
	r.agent.Send("second thing")
	r.result()
	if rep := lastReport(r.planner.views()[1]); rep.Earlier != nil {
		t.Errorf("got %q", rep.Earlier)
	}
}

// Over a long run with an image in every round, nearly all of what is sent is what was sent before.
func TestMostOfALongRunIsAPrefix(t *testing.T) {
	const rounds = 60
	var script []round
	for i := range rounds {
		script = append(script, says(model.Text{Text: fmt.Sprintf("look %d", i)}, call("observe", `{}`), call("observe", `{"reason":"again"}`)))
	}
	r := newRig(t, append(script, says(finish(true))), withImages(run.DefaultMaxImages), func(c *agent.Config) { c.Settings.Budgets.Turns = 0 })
	r.run("look around")
	var all, prefix, sent int
	var before []model.Message
	for _, v := range r.planner.views() {
		now := v.Request.Messages
		kept := len(before)
		if len(now) <= len(before) {
			kept = 0
		} else if a, b := encode(before), encode(now[:len(before)]); len(before) > 0 && a != b {
			t.Fatal("a request changed the past")
		}
		for i, m := range now {
			for _, b := range m.Blocks {
				all += ledger.Weight(b)
				if i < kept {
					prefix += ledger.Weight(b)
				} else {
					sent += model.Images(model.Request{Messages: []model.Message{{Blocks: []model.Block{b}}}})
				}
			}
		}
		before = now
	}
	if share := float64(prefix) / float64(all); share < 0.9 {
		t.Errorf("%.3f of the input was sent before, want 0.9", share)
	}
	points := len(events[episode.ContextCheckpoint](r.log))
	if most := sent / (run.DefaultMaxImages / 2); points == 0 || points > most {
		t.Errorf("%d checkpoints for %d images, want at most %d", points, sent, most)
	}
}
