package run

import (
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

// spentOn gives back what was reserved for a call of the monitor that is over.
func (s *State) spentOn(id EffectID, u model.Usage, err error) {
	f := &s.affords
	c, asked := f.held[id]
	if !asked { // a look that was only kept
		return
	}
	delete(f.held, id)
	s.pool.Return(c)
	if err == nil || u != (model.Usage{}) {
		f.priced = true
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
