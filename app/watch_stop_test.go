package app

import (
	"math"
	"sync"
	"testing"
	"time"

	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/modeltest"
)

// halt is how an action came to its end. A stop and its rest are counted in control ticks, from the input, or from the
// start of an action that ran to its deadline.
type halt struct {
	Outcome, Cause string
	Sent, Still    int
}

// A stop and a deadline come while a call of the monitor hangs in the tick in which they come without a monitor.
func TestAHangingMonitorDelaysNoStopAndNoDeadline(t *testing.T) {
	unraced(t)
	if testing.Short() {
		t.Skip("it is sixteen runs")
	}
	inputs := map[string]func(r *running){
		"takeover": func(r *running) { r.loop.AskTakeover("key w", func([]string, error) {}) },
		"estop":    func(r *running) { r.loop.EStop("the operator") },
		"cancel":   func(r *running) { r.agent.Cancel("the operator") },
		"deadline": nil,
	}
	for name, input := range inputs {
		for _, pace := range []string{"real", "fast"} {
			t.Run(name+"_"+pace, func(t *testing.T) {
				t.Parallel()
				without, _ := halted(t, pace, input, false)
				with, took := halted(t, pace, input, true)
				if with != without || with.Cause == "" {
					t.Errorf("with a call that hangs %+v, without a monitor %+v", with, without)
				}
				if took > 2*time.Second && input != nil {
					t.Errorf("the end of the action took %v of the wall clock", took)
				}
			})
		}
	}
}

// halted lets an arm sway and gives an input while a call of the monitor hangs; took is how long the action then needed
// to end, wall clock. Where the robot stands still during a call the input is given in its midst, else half a second later.
func halted(t *testing.T, pace string, input func(*running), hangs bool) (h halt, took time.Duration) {
	t.Helper()
	const period, asks = 10 * time.Millisecond, time.Second
	var r *running
	var began time.Time
	var at time.Duration
	press := sync.OnceFunc(func() {
		at, began = r.loop.Snapshot().At, time.Now()
		if input != nil {
			input(r)
		}
	})
	arm := sway{limit: 2 * time.Second, questions: swayQuestions}
	s := stage{
		o:    Options{Conf: swayConf(t, "image_max_side: 64, period_s: 1, history: 1, reference: false"), Scene: "battery", Time: pace},
		task: batteryTask, rounds: [][]model.Part{{call("sway", `{}`)}}, meet: func(one *running) { r = one },
	}
	hung := modeltest.Step{Fault: modeltest.Stall}
	switch {
	case pace == "fast" && hangs:
		hung.Answer = func(modeltest.Request) []modeltest.Answer {
			press()
			return nil
		}
	case pace == "fast":
		arm.watch = func(ran time.Duration) {
			if ran == asks {
				press()
			}
		}
	default:
		arm.watch = func(ran time.Duration) {
			if ran == asks+asks/2 {
				press()
			}
		}
	}
	s.o.Skills = arm.skills()
	if hangs {
		s.client = modeltest.New(t, modeltest.Decisions(), modeltest.Rules{NoKey: true}, hung).Client()
	}
	_, log := s.run(t)
	ended := began
	ticks := func(atS float64) int { return int(math.Round((atS - at.Seconds()) / period.Seconds())) }
	for _, e := range log {
		if x, is := e.Event.(episode.ActionEnded); is {
			ended = e.T
			h = halt{x.Outcome, x.Cause, ticks(x.Stop.SentS), ticks(x.Stop.StillS)}
		}
	}
	return h, ended.Sub(began)
}
