package run

import (
	"strings"
	"testing"
	"time"

	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/robot"
)

func TestBudgets(t *testing.T) {
	spend := func(u model.Usage) model.Part { return u }
	tests := map[string]struct {
		limits func(s *Settings)
		say    []model.Part
	}{
		"tokens":  {func(s *Settings) { s.Budgets.Tokens = 100 }, []model.Part{spend(model.Usage{Input: 90, Output: 10}), asks("observe", `{}`)}},
		"cost":    {func(s *Settings) { s.Budgets.CostUSD = 0.5 }, []model.Part{spend(model.Usage{CostUSD: 0.5}), asks("observe", `{}`)}},
		"turns":   {func(s *Settings) { s.Budgets.Turns = 1 }, []model.Part{asks("observe", `{}`)}},
		"minutes": {func(s *Settings) { s.Budgets.Active = 15 * time.Millisecond }, []model.Part{asks("observe", `{}`)}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, tc.limits)
			d.give(Message{Text: "do it"})
			if name != "minutes" {
				d.lookAround()
				d.reply(tc.say...)
				d.give(Looked{ID: d.pending[0].(Look).ID, Readings: &robot.Readings{}})
				d.pending = d.pending[1:]
			} else {
				d.lookAround()
				d.give(Looked{ID: 99})
			}
			d.give(Judged{ID: pop[Judge](d).ID})
			if d.result == nil || d.result.Status != StatusBudget || !strings.Contains(d.result.Summary, "max_"+name) && name != "cost" {
				t.Errorf("got %+v", d.result)
			}
			for _, f := range d.pending {
				if c, is := f.(CallModel); is && len(d.cuts) == 0 {
					t.Errorf("a call is left in flight: %d", c.ID)
				}
			}
		})
	}
}

func TestRunningActionsAreStoppedByTheBudget(t *testing.T) {
	d := begun(t, func(s *Settings) { s.Budgets.Active = time.Minute })
	d.reply(asks("reach", `{}`))
	d.takes()
	d.at += time.Minute
	d.news(control.TimerFired{ID: minutesTimer})
	st := pop[Stop](d)
	if st.End.Cause != control.CauseBudget {
		t.Errorf("got %+v", st.End)
	}
	if d.s.generation != 1 {
		t.Error("the generation was raised first: the action would have ended as cancelled")
	}
	d.give(Stopped{ID: st.ID, Ended: control.Ended{Action: "a1", End: st.End}})
	if d.s.generation != 2 {
		t.Error("the run ended without a new generation")
	}
	d.give(Judged{ID: pop[Judge](d).ID})
	if d.result.Status != StatusBudget {
		t.Errorf("got %+v", d.result)
	}
}

func TestBudgetIsToldOnceAt80Percent(t *testing.T) {
	d := begun(t, func(s *Settings) { s.Budgets.Turns = 5 })
	for i := 2; i <= 5; i++ {
		d.reply(asks("update_plan", `{"steps":[{"text":"`+strings.Repeat("x", i)+`"}]}`))
		if told := strings.Contains(d.told(), "80 % of the budget"); told != (i == 5) {
			t.Errorf("round %d: told %t:\n%s", i, told, d.told())
		}
	}
}
