package agent_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
)

func TestSecondRunOfOneAgent(t *testing.T) {
	r := newRig(t, []round{
		says(call("reach", `{"seconds":0.1}`)), says(finish(true)), says(call("reach", `{"seconds":0.1}`)), says(finish(true)),
	})
	r.run("do it")
	r.agent.Send("do it again")
	if res := r.result(); res.Actions != 1 || res.Turns != 2 || res.Refused != 0 {
		t.Errorf("got %+v; log:\n%s", res, r.log)
	}
	var ids []string
	for _, e := range events[episode.ActionStarted](r.log) {
		ids = append(ids, e.Action)
	}
	if !slices.Equal(ids, []string{"a1", "a2"}) {
		t.Errorf("got actions %v: an id is never used twice", ids)
	}
}

var errDisk = errors.New("the disk is full")

func TestLogBrokenBeforeTheStart(t *testing.T) {
	r := newRig(t, []round{says(call("reach", `{}`))})
	r.log.breakDown(errDisk)
	res := r.run("do it")
	if res.Status != run.StatusError || res.Actions != 0 || !strings.Contains(res.Summary, errDisk.Error()) {
		t.Errorf("got %+v", res)
	}
	if n := len(r.robot.Issued()); n != 0 {
		t.Errorf("%d commands were issued", n)
	}
}

// A message that comes while a run is being ended is not lost: it is the task of the next run.
func TestMessageWhileTheRunEnds(t *testing.T) {
	r := newRig(t, []round{says(call("reach", `{"how":"forever"}`)), says(finish(true))}, interactive)
	r.log.when = map[string]func(){
		"skill_stop":     func() { r.agent.Send("now this") },
		"action_started": func() { r.loop.SetTimer("test", r.robot.Clock().Now()+300*time.Millisecond) },
	}
	r.heard = func(e control.Event) {
		if f, is := e.(control.TimerFired); is && f.ID == "test" {
			r.agent.Cancel("the user")
		}
	}
	if res := r.run("first this"); res.Status != run.StatusCancelled {
		t.Fatalf("got %+v", res)
	}
	r.result()
	runs := events[episode.RunStarted](r.log)
	if len(runs) != 2 || runs[1].Task != "now this" {
		t.Errorf("got %+v", runs)
	}
}
