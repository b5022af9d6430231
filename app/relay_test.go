package app

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"testing"

	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/modeltest"
	"github.com/rein-robotics/rein/reason/rules"
)

// relay is a planner that is a model on a real wire, whose server says what the offline planner would say to the same view.
type relay struct {
	agent.Reasoner

	good agent.Reasoner

	mu   sync.Mutex
	next modeltest.Reply
}

// Instant says that simulated time stands still while it thinks: what it points at is what is there.
func (r *relay) Instant() bool { return true }

func (r *relay) Deliberate(ctx context.Context, v run.View) iter.Seq2[model.Part, error] {
	return func(yield func(model.Part, error) bool) {
		reply := modeltest.Reply{Thought: fmt.Sprintf("thought %d", len(v.Request.Messages))}
		for p, err := range r.good.Deliberate(ctx, v) {
			if err != nil {
				yield(nil, err)
				return
			}
			switch p := p.(type) {
			case model.Text:
				reply.Text += p.Text
			case model.Call:
				reply.Calls = append(reply.Calls, p)
			}
		}
		r.mu.Lock()
		r.next = reply
		r.mu.Unlock()
		for p, err := range r.Reasoner.Deliberate(ctx, v) {
			if !yield(p, err) {
				return
			}
		}
	}
}

// say is the reply of the server.
func (r *relay) say(modeltest.Request) modeltest.Reply {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.next
}

// overWire carries a task out with a planner that plans well and is asked over a wire.
func overWire(t *testing.T, w modeltest.Wire, o Options, task string) (Result, []episode.Entry, []modeltest.Request) {
	t.Helper()
	r := &relay{good: rules.New()}
	srv := modeltest.Listen(t, w, modeltest.Rules{NoKey: true}, modeltest.Step{Chunk: 31, Say: r.say})
	o.Record, o.NoFilm, o.Planner, o.PlannerURL = t.TempDir(), true, w.Name+":any", srv.URL
	s, err := load(&o)
	if err != nil {
		t.Fatal(err)
	}
	if err := runnable(s, &o); err != nil {
		t.Fatal(err)
	}
	now := &simTime{}
	log, err := openLog(&o, s, now)
	if err != nil {
		t.Fatal(err)
	}
	live := &running{o: &o, setup: s, log: log, task: task, now: now, reasoner: func(p agent.Reasoner) agent.Reasoner {
		r.Reasoner = p
		return r
	}}
	res, err := live.run(t.Context())
	if err := errors.Join(err, log.Close()); err != nil {
		t.Fatal(err)
	}
	return res, logOf(t, o.Record, res), srv.Requests()
}

// TestRoundsOfAGoodPlan: with a camera that stays where it is one look points many picks; with one on the gripper each object
// costs two rounds, and the run two more.
func TestRoundsOfAGoodPlan(t *testing.T) {
	unraced(t)
	const all = "put all the batteries in the white box"
	tests := map[string]struct {
		o    Options
		wire modeltest.Wire
		most int
	}{
		"fixed_camera": {Options{Scene: "batteries"}, modeltest.Anthropic(), 5},
		"on_the_wrist": {Options{Conf: "wrist", Scene: "batteries"}, modeltest.Responses(), 2*3 + 2},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res, log, got := overWire(t, tc.wire, tc.o, all)
			if res.Status != run.StatusSucceeded || is(res.Checked) != "true" || res.Refused != 0 {
				t.Errorf("got %+v", res)
			}
			logged := 0
			for _, e := range log {
				if _, ok := e.Event.(episode.PlannerTurn); ok {
					logged++
				}
			}
			if logged > tc.most || len(got) != logged {
				t.Errorf("got %d rounds in the log and %d requests, want at most %d", logged, len(got), tc.most)
			}
			if n := segments(t, tc.wire, got); n != 0 {
				t.Errorf("got %d new segments", n)
			}
		})
	}
}

// TestOnlyTheConfiguredKeyLeaves: what else the environment holds of keys and places stays there.
func TestOnlyTheConfiguredKeyLeaves(t *testing.T) {
	for _, w := range []modeltest.Wire{modeltest.Anthropic(), modeltest.Chat(), modeltest.Responses()} {
		t.Run(w.Name, func(t *testing.T) {
			for _, name := range []string{
				"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS", "ANTHROPIC_WORKSPACE_ID", "OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS",
			} {
				t.Setenv(name, "X-Leak: poison")
			}
			t.Setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
			t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")
			t.Setenv("OUR_KEY", "our-key")
			srv := modeltest.Listen(t, w, modeltest.Rules{Key: "our-key"}, says(call("observe", `{}`)),
				says(call("finish_task", `{"success":false,"summary":"I only looked."}`)))
			dir := edited(t, [2]string{"planner: {provider: rules}", "planner: {provider: " + w.Name + ", model: any, api_key_env: OUR_KEY}"})
			res, err := Run(t.Context(), batteryTask, Options{Conf: dir, Scene: "battery", NoRecord: true, NoFilm: true, PlannerURL: srv.URL})
			if err != nil || res.Status != "failed" || len(srv.Requests()) != 2 {
				t.Errorf("got %+v, %v after %d requests", res, err, len(srv.Requests()))
			}
		})
	}
}
