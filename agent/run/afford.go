package run

import (
	"errors"

	"github.com/rein-robotics/rein/agent/budget"
	"github.com/rein-robotics/rein/model"
)

// affording is what the monitor's calls may cost: as much as the dearest of the run so far. Several actions are watched at
// a time, so it is set apart before a call, like everything that a run spends.
type affording struct {
	dearest budget.Call
	priced  bool                     // a call has said what it came to
	held    map[EffectID]budget.Call // of the calls under way
	short   bool                     // a look waits until one of them is over
}

// afford reserves a call of the monitor. One that must wait for those under way is told later by affordable; when none is
// under way, nothing is left to watch with, and the run ends. Until a first call has said what it came to, calls go one by
// one where a budget limits them.
func (s *State) afford(m Moment, id EffectID) bool {
	f := &s.affords
	limited := s.set.Budgets.Tokens > 0 || s.set.Budgets.CostUSD > 0
	wait := limited && !f.priced && len(f.held) > 0
	if !wait {
		err := s.pool.Reserve(f.dearest)
		if err == nil {
			f.held[id] = f.dearest
			return true
		}
		if len(f.held) == 0 {
			s.outOfBudget(m, err)
			return false
		}
	}
	f.short = true
	return false
}

// spentOn gives back what was reserved for a call of the monitor that is over. One that was given up may cost all the same,
// and nobody says what: it counts as much as was reserved.
func (s *State) spentOn(e Monitored) {
	f := &s.affords
	c, reserved := f.held[e.ID]
	if !reserved { // a look that was only kept
		return
	}
	delete(f.held, e.ID)
	s.pool.Return(c)
	u := e.Said.Usage
	switch silent := u == (model.Usage{}); {
	case e.Err == nil || !silent:
		f.priced = true
	case e.Asked && (errors.Is(e.Err, ErrMonitorSlow) || errors.Is(e.Err, ErrUnwatched)):
		s.pool.Spend(c.Tokens, c.CostUSD)
	}
	f.dearest.Tokens = max(f.dearest.Tokens, u.Input+u.Output)
	f.dearest.CostUSD = max(f.dearest.CostUSD, u.CostUSD)
}

// affordable lets the looks go on that waited for the money of a call under way.
func (s *State) affordable(m Moment) {
	if !s.affords.short {
		return
	}
	s.affords.short = false
	for _, a := range s.acts.All() {
		s.onMonitorTimer(m, monitorTimer+a.ID)
	}
}
