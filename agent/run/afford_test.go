package run

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/monitor/question"
)

// twoWatched is a desk with a budget on which two actions are watched.
func twoWatched(t *testing.T, limit func(*Settings)) *desk {
	t.Helper()
	d := watchedDesk(t, limit, func(s *Settings) {
		s.Tools[1].Spec.Monitor = json.RawMessage(`[{"name":"held","instructions":"Is it held?"}]`)
	})
	d.reply(asks("reach", `{}`), asks("squeeze", `{}`))
	d.takes()
	d.takes()
	return d
}

// looks lets a second go by in which both actions are due, and gives the ticks that are asked.
func (d *desk) looks() (out []MonitorTick) {
	d.t.Helper()
	d.at += time.Second
	for _, a := range []string{"a1", "a2"} {
		d.news(control.TimerFired{At: d.at, ID: monitorTimer + a})
	}
	return d.wanted()
}

// wanted are the ticks that are asked and not answered.
func (d *desk) wanted() (out []MonitorTick) {
	for _, f := range d.pending {
		if k, is := f.(MonitorTick); is {
			out = append(out, k)
		}
	}
	return out
}

// costs answers a tick that came to so much.
func (d *desk) costs(k MonitorTick, u model.Usage) {
	d.t.Helper()
	m := Monitored{ID: k.ID, Sighting: &Sighting{At: d.at}, Said: Assessed{Usage: u}}
	for _, q := range k.Questions {
		m.Said.Answers = append(m.Said.Answers, q.No(question.Refused, "no"))
	}
	for i, f := range d.pending {
		if p, is := f.(MonitorTick); is && p.ID == k.ID {
			d.pending = append(d.pending[:i:i], d.pending[i+1:]...)
			break
		}
	}
	d.give(m)
}

// However many actions are watched, what their monitors spend is reserved before it is asked for: the budget is never
// overrun by them, and a look that must wait for another one's money is taken as soon as it is there.
func TestMonitorsOfSeveralActionsStayWithinTheBudget(t *testing.T) {
	tests := map[string]struct {
		limit func(*Settings)
		each  model.Usage
		most  string // the budget that ends the run
	}{
		"tokens": {func(s *Settings) { s.Budgets.Tokens = 10_000 }, model.Usage{Input: 2900, Output: 100}, "max_tokens"},
		"cost":   {func(s *Settings) { s.Budgets.CostUSD = 1 }, model.Usage{Input: 10, CostUSD: 0.3}, "max_cost_usd"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d := twoWatched(t, tc.limit)
			first := d.looks()
			if len(first) != 1 {
				t.Fatalf("%d looks, and nobody knows what one costs", len(first))
			}
			d.costs(first[0], tc.each)
			second := d.wanted()
			if len(second) != 1 || second[0].Of.Action == first[0].Of.Action {
				t.Fatalf("the look that waited is not taken: %+v", second)
			}
			d.costs(second[0], tc.each)
			third := d.looks()
			if len(third) != 1 { // 6,000 are spent, and two more calls do not fit
				t.Fatalf("%d looks", len(third))
			}
			d.costs(third[0], tc.each)
			if n := len(d.wanted()); n != 0 || d.s.pool.Tokens > 10_000 || d.s.pool.CostUSD > 1 {
				t.Errorf("%d looks more, %d tokens and $%.2f spent", n, d.s.pool.Tokens, d.s.pool.CostUSD)
			}
			if e := d.halted(); e.Cause != control.CauseBudget {
				t.Errorf("got %+v", e)
			}
			if d.s.end == nil || !strings.Contains(d.s.end.summary, tc.most) {
				t.Errorf("got %+v", d.s.end)
			}
		})
	}
}

// Without a budget nothing waits, and a call that went wrong gives back what was reserved for it.
func TestWhatIsReservedForAMonitorIsGivenBack(t *testing.T) {
	free := twoWatched(t, func(*Settings) {})
	if n := len(free.looks()); n != 2 {
		t.Errorf("%d looks at a time without a budget", n)
	}
	d := twoWatched(t, func(s *Settings) { s.Budgets.Tokens = 10_000 })
	d.costs(d.looks()[0], model.Usage{Input: 4000})
	for range 3 {
		k := d.wanted()[0]
		d.pending = nil
		d.give(Monitored{ID: k.ID, Err: ErrMonitorHung})
		d.looks()
	}
	if k := d.wanted(); len(k) != 1 || d.s.end != nil || len(d.s.affords.held) != 1 {
		t.Errorf("%d looks, %d reserved, end %+v", len(k), len(d.s.affords.held), d.s.end)
	}
}

// A call that was given up when it had been asked may cost, and nobody says what: it counts as much as the dearest before.
func TestACallThatWasGivenUpCountsAsMuchAsWasReserved(t *testing.T) {
	for name, tc := range map[string]struct {
		answer Monitored
		want   int
	}{
		"slow":      {Monitored{Asked: true, Err: ErrMonitorSlow}, 8000},
		"unwatched": {Monitored{Asked: true, Err: ErrUnwatched}, 8000},
		"told":      {Monitored{Asked: true, Err: ErrMonitorSlow, Said: Assessed{Usage: model.Usage{Input: 10}}}, 4010},
		"not_asked": {Monitored{Err: ErrMonitorSlow}, 4000},
		"refused":   {Monitored{Asked: true, Err: &model.Error{Class: model.BadRequest}}, 4000},
	} {
		t.Run(name, func(t *testing.T) {
			d := twoWatched(t, func(s *Settings) { s.Budgets.Tokens = 20_000 })
			d.costs(d.looks()[0], model.Usage{Input: 4000})
			tc.answer.ID = d.wanted()[0].ID
			d.pending = nil
			d.give(tc.answer)
			if got := d.s.pool.Tokens; got != tc.want {
				t.Errorf("%d tokens are spent, want %d", got, tc.want)
			}
		})
	}
}
