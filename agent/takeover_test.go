package agent_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/operator"
)

// The operator's desk on the real loop and the real agent: what ran is stopped before the input is carried out, the run
// is paused, and the log has the takeover with what it stopped.
func TestOperatorTakesOver(t *testing.T) {
	r := newRig(t, []round{says(call("reach", `{"how":"forever"}`)), says(finish(true))}, interactive)
	d := operator.New(operator.Config{Controller: r.loop, Log: r.log, Paused: r.agent.Paused})
	var order []string
	var g sync.WaitGroup
	var release func() // time stands still until the loop has the input
	r.heard = func(e control.Event) {
		switch f := e.(type) {
		case control.TimerFired:
			if f.ID != "test" {
				return
			}
			release = r.robot.Clock().Hold("the operator")
			g.Go(func() {
				err := d.Do(t.Context(), operator.Input{What: "key w", Carry: func(context.Context) error {
					order = append(order, "carried out")
					return nil
				}})
				if err != nil {
					t.Error(err)
				}
				r.agent.Send("go on")
			})
		case control.OperatorTook:
			order = append(order, "took over")
			release()
		case control.ActionEnded:
			order = append(order, "stopped "+f.Action)
		}
	}
	r.log.when = map[string]func(){"action_started": func() { r.loop.SetTimer("test", r.robot.Clock().Now()+300*time.Millisecond) }}
	r.run("do it")
	g.Wait()
	if diff := cmp.Diff([]string{"took over", "stopped a1", "carried out"}, order); diff != "" {
		t.Error(diff)
	}
	took := events[episode.OperatorTakeover](r.log)
	if len(took) != 1 || !slices.Equal(took[0].Stopped, []string{"a1"}) || took[0].Input != "key w" {
		t.Errorf("got %+v", took)
	}
	want := []string{"run_paused", "operator_takeover", "run_resumed"}
	if diff := cmp.Diff(want, r.log.kinds(want...)); diff != "" {
		t.Error(diff)
	}
}
