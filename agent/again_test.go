package agent_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/model"
)

// TestRegenerateFromOutside: the caller hears whether it is done, and the planner gets the same request.
func TestRegenerateFromOutside(t *testing.T) {
	asked := make(chan struct{}, 2)
	ask := func(run.View) []model.Part {
		asked <- struct{}{}
		return []model.Part{call("ask_user", `{"question":"which?"}`)}
	}
	r := newRig(t, []round{ask, ask, says(finish(true))}, interactive)
	r.start()
	if err := r.agent.Regenerate(t.Context()); err == nil || !strings.Contains(err.Error(), "no run is on") {
		t.Errorf("without a run: got %v", err)
	}
	r.agent.Send("do it")
	<-asked
	for { // the reply is under way for a moment yet
		err := r.agent.Regenerate(t.Context())
		if err == nil {
			break
		}
		if !strings.Contains(err.Error(), "the planner is at it") {
			t.Fatal(err)
		}
	}
	<-asked
	r.agent.Send("the left one")
	r.result()
	v := r.planner.views()
	a, err1 := json.Marshal(v[0].Request)
	b, err2 := json.Marshal(v[1].Request)
	if err1 != nil || err2 != nil || string(a) != string(b) {
		t.Errorf("got %s, want %s", b, a)
	}
	if err := r.agent.Regenerate(t.Context()); err == nil {
		t.Error("a run that is over was asked again")
	}
	r.noHolds()
}

func TestNobodyWaitsForAClosedAgent(t *testing.T) {
	r := newRig(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.agent.Regenerate(ctx); err == nil {
		t.Error("a caller that waits no more got no error")
	}
	if err := r.agent.Close(); err != nil {
		t.Fatal(err)
	}
	if err := r.agent.Regenerate(t.Context()); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("got %v", err)
	}
}

// TestInjectFromOutside: also from a goroutine of somebody else, and from a hook.
func TestInjectFromOutside(t *testing.T) {
	asked := make(chan struct{}, 1)
	ask := func(run.View) []model.Part {
		asked <- struct{}{}
		return []model.Part{call("ask_user", `{"question":"which?"}`)}
	}
	r := newRig(t, []round{ask, says(finish(true))}, interactive)
	r.start()
	r.agent.Send("do it")
	<-asked
	if err := r.agent.Inject(run.Injection{Text: "the door bell rang"}); err != nil {
		t.Fatal(err)
	}
	r.result()
	if v := r.planner.views(); len(v) != 2 || lastReport(v[1]).Happened[0].Reason != "the door bell rang" {
		t.Errorf("got %d rounds, %+v", len(v), lastReport(v[len(v)-1]))
	}
}
