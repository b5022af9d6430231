package app

import (
	"fmt"
	"testing"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/modeltest"
)

// TestALongRunIsMostlyPrefix: over 60 rounds with two images each, at default settings, at least nine tenths of what is sent
// was sent before, and a checkpoint frees so much that there are few.
func TestALongRunIsMostlyPrefix(t *testing.T) {
	unraced(t)
	if testing.Short() {
		t.Skip("it renders 120 pictures")
	}
	t.Parallel()
	const rounds, perRound, leastFreed = 60, 2, 20
	w := modeltest.Anthropic()
	var steps []modeltest.Step
	for i := range rounds - 1 {
		look := says(call("observe", fmt.Sprintf(`{"reason":"look %d"}`, i)))
		look.Reply.Thought = fmt.Sprintf("thought %d", i)
		steps = append(steps, look)
	}
	steps = append(steps, says(model.Call{ID: "end", Name: "finish_task", Args: []byte(`{"success":false,"summary":"I only looked."}`)}))
	srv := modeltest.Listen(t, w, modeltest.Rules{NoKey: true}, steps...)
	o := Options{
		Conf:  edited(t, [2]string{"cameras: [front_camera/image]", "cameras: [front_camera/image, right_wrist_camera/image]"}),
		Scene: "battery", NoRecord: true, NoFilm: true, Planner: w.Name + ":any", PlannerURL: srv.URL,
	}
	res, err := Run(t.Context(), batteryTask, o)
	got := srv.Requests()
	if err != nil || res.Status != "failed" || len(got) != rounds {
		t.Fatalf("got %+v, %v after %d requests", res, err, len(got))
	}
	sent, before := len(got[0].Raw), 0
	for i := 1; i < len(got); i++ {
		sent += len(got[i].Raw)
		if w.Extends(got[i-1].Body, got[i].Body) == "" {
			before += len(got[i-1].Raw)
		}
	}
	if share := float64(before) / float64(sent); share < 0.9 {
		t.Errorf("got %.3f of what was sent as a prefix, want 0.9", share)
	}
	if n := segments(t, w, got); n == 0 || n > rounds*perRound/leastFreed {
		t.Errorf("got %d new segments, want at most %d", n, rounds*perRound/leastFreed)
	}
}
