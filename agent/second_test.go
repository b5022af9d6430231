package agent_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/agent"
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
	if res.Status != agent.StatusError || res.Actions != 0 || !strings.Contains(res.Summary, errDisk.Error()) {
		t.Errorf("got %+v", res)
	}
	if n := len(r.robot.Issued()); n != 0 {
		t.Errorf("%d commands were issued", n)
	}
}
