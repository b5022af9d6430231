package app

import (
	"slices"
	"testing"
	"time"

	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
)

// Two failed ticks after 6 s wake the planner once, however long the arm goes on failing. What was seen before 6 s does
// not count, also when it is answered later.
func TestTwoFailedTicksAfterSixSecondsWakeOnce(t *testing.T) {
	for name, delay := range map[string]time.Duration{"answered_at_once": 0, "answered_after_a_while": 900 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if delay == 0 {
				unraced(t)
			}
			res, log := stage{
				o:    Options{Conf: swayConf(t, "image_max_side: 64, period_s: 0.4"), Scene: "battery", Time: "real", Skills: sway{limit: 12 * time.Second, questions: swayQuestions}.skills()},
				task: batteryTask, client: always(t, "failed", delay).Client(),
				rounds: [][]model.Part{{call("sway", `{}`)}, {model.Text{Text: "I see, it goes on."}}},
			}.run(t)
			if res.Actions != 1 || res.Turns != 3 {
				t.Errorf("got %+v, want a round for the task, one for the flag and one for the deadline", res)
			}
			ticks := failedTicks(t, log)
			if ticks.fired != 1 || ticks.firedAfter != 2 || ticks.counted < 5 {
				t.Errorf("got %+v, want one firing on the second tick that counts", ticks)
			}
			if late := ticks.seenBefore > 0; late != (delay > 0) {
				t.Errorf("%d answers about what was before 6 s came after it", ticks.seenBefore)
			}
			if ticks.wakes != 1 {
				t.Errorf("the planner was woken %d times", ticks.wakes)
			}
		})
	}
}

// ticksOf is what a log says of an arm that is always said to fail.
type ticksOf struct {
	counted    int // ticks that show what was 6 s after the start or later
	seenBefore int // ticks that do not, and were answered then
	fired      int
	firedAfter int // how many ticks had counted by then
	wakes      int // planner rounds for the flag
}

func failedTicks(t *testing.T, log []episode.Entry) (out ticksOf) {
	t.Helper()
	const after = 6 * time.Second
	var began time.Duration
	for _, e := range log {
		switch x := e.Event.(type) {
		case episode.ActionStarted:
			began = e.Sim
		case episode.MonitorAnswer:
			if string(x.Answers["progress"].Value) != `"failed"` {
				t.Errorf("got %+v", x)
			}
			switch {
			case shotAt(e, x)-began >= after:
				out.counted++
			case e.Sim-began >= after:
				out.seenBefore++
			}
		case episode.MonitorRule:
			out.fired++
			out.firedAfter = out.counted
		case episode.PlannerTurn:
			if slices.Contains(x.Trigger, "monitor_flag") {
				out.wakes++
			}
		}
	}
	return out
}
