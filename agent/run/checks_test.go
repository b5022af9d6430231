package run

import (
	"testing"

	"github.com/rein-robotics/rein/agent/check"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/monitor/question"
)

// TestChecksOfAnActionThatIsEndingAreOver: whoever has ended it, nothing is looked at any more, and a verdict that was
// under way is late.
func TestChecksOfAnActionThatIsEndingAreOver(t *testing.T) {
	d := begun(t, func(s *Settings) {
		s.Checks, s.polls = []check.Spec{{Name: "slow", Kind: check.Stalled, Do: question.Fail}}, true
	})
	a := d.starts("reach", `{}`)
	d.news(control.TimerFired{At: d.at, ID: checkTimer})
	asked := pop[PollCheck](d)
	d.news(control.ActionEnding{At: d.at, Action: a})
	d.give(Polled{ID: asked.ID, Found: []Found{{Action: a, Verdict: Verdict{Do: question.Fail, Reason: "it slips"}}}})
	d.wants("")
	if d.lates() != 1 || d.count("controller_check") != 0 {
		t.Errorf("%d late, %d checks", d.lates(), d.count("controller_check"))
	}
	timers := len(d.timers)
	d.news(control.TimerFired{At: d.at, ID: checkTimer})
	d.wants("")
	if len(d.timers) != timers {
		t.Errorf("it is looked at again: %+v", d.timers[timers:])
	}
}
