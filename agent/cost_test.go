package agent_test

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/robot"
)

// countingEyes count the encodings, and call first while they are at the first.
type countingEyes struct {
	plainEyes

	sends *atomic.Int64
	first func()
}

func (e countingEyes) Send(f *robot.Frame) (agent.Sent, error) {
	if e.sends.Add(1) == 1 {
		e.first()
	}
	return e.plainEyes.Send(f)
}

// TestAPictureIsEncodedOnceAndOffTheLoops: the agent takes events and the control loop takes commands while a picture is
// being encoded, and the requests that hold it later encode nothing.
func TestAPictureIsEncodedOnceAndOffTheLoops(t *testing.T) {
	const rounds = 5
	var sends atomic.Int64
	var r *rig
	heard := make(chan struct{})
	replies := []round{says(call("observe", `{}`))}
	for range rounds - 2 {
		replies = append(replies, says(call("update_plan", `{"steps":[{"text":"one"}]}`), call("no_such_tool", `{}`)))
	}
	r = newRig(t, append(replies, says(finish(true))), interactive, func(c *agent.Config) {
		c.Eyes = countingEyes{sends: &sends, first: func() {
			r.agent.Send("are you there?")
			select {
			case <-heard:
			case <-time.After(patience):
				t.Error("the agent hears nothing while a picture is encoded")
			}
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			if err := r.loop.Between(ctx, func() {}); err != nil {
				t.Errorf("the control loop takes no command while a picture is encoded: %v", err)
			}
		}}
	})
	r.log.when = map[string]func(){"user_message": func() { r.log.on("user_message", func() { close(heard) }) }}
	r.run("look")
	pictures, requests := map[string]bool{}, 0
	for _, v := range r.planner.views() {
		requests++
		for id := range imagesOf(v.Request) {
			pictures[id] = true
		}
	}
	if requests < rounds || len(pictures) != 2 || sends.Load() != 2 {
		t.Errorf("%d requests with %d pictures, encoded %d times; want the 2 pictures of the wake and of observe, once each; log:\n%s", requests, len(pictures), sends.Load(), r.log)
	}
}

// imagesOf are the ids of the pictures of a request.
func imagesOf(r model.Request) map[string]bool {
	out := map[string]bool{}
	for _, m := range r.Messages {
		for _, b := range m.Blocks {
			if b.Image != nil {
				out[b.Image.ID] = true
			}
			if b.Result != nil {
				for _, i := range b.Result.Images {
					out[i.ID] = true
				}
			}
		}
	}
	return out
}

// TestTheNextStepMovesInTheNextTick: from the end of an action to the first command of the plan's next step goes by one
// control tick, and no more, wherever in the plan it stands.
func TestTheNextStepMovesInTheNextTick(t *testing.T) {
	const steps = 20
	var plan []map[string]any
	for range steps {
		plan = append(plan, map[string]any{"text": "a bit", "tool": "reach", "args": map[string]any{"seconds": 0.05}})
	}
	raw, err := json.Marshal(map[string]any{"steps": plan})
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, []round{says(call("update_plan", string(raw)), call("reach", `{"seconds":0.05}`)), says(finish(true))})
	var mu sync.Mutex
	ends := map[string]time.Duration{}
	r.heard = func(e control.Event) {
		if e, ok := e.(control.ActionEnded); ok {
			mu.Lock()
			defer mu.Unlock()
			ends[e.Action] = e.At
		}
	}
	r.run("bit by bit")
	mu.Lock()
	defer mu.Unlock()
	period, seen, last := 10*time.Millisecond, map[string]bool{}, ""
	for _, is := range r.robot.Issued() {
		id := is.Command.Action
		if id == "" || is.Command.Target.Hold || seen[id] {
			continue
		}
		seen[id] = true
		if wait := is.At - ends[last]; last != "" && (wait <= 0 || wait > period) {
			t.Errorf("%s moves %v after the end of %s, want the next tick of %v", id, wait, last, period)
		}
		last = id
	}
	if len(seen) != steps {
		t.Errorf("%d actions moved, want %d; log:\n%s", len(seen), steps, r.log)
	}
}
