// Package budget counts what a run may still spend.
//
// Its one invariant: a thing is reserved before it is done; what cannot be reserved is not done.
package budget

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// Limits are the budgets of a run; 0 = no limit.
type Limits struct {
	Turns   int // planner rounds
	Active  time.Duration
	Tokens  int
	CostUSD float64
	Motions int
}

// noticeAt is the share of a budget at which the planner is told once.
const noticeAt = 0.8

// Pool is what was spent. The zero Pool with Limits is ready.
type Pool struct {
	Limits Limits

	Turns   int
	Motions int
	Tokens  int
	CostUSD float64
	Active  time.Duration // robot clock while the run was neither paused nor waiting for the user

	reserved Call // of calls under way
	noticed  map[string]bool
	of       *Pool // that this is a share of; nil = it is nobody's
}

// Share sets limits apart for a part of the run; what is used of them is used of p. One round is kept for whoever shares.
// It fails when there is nothing to share.
func (p *Pool) Share(l Limits) (*Pool, error) {
	if err := p.Over(); err != nil {
		return nil, err
	}
	if p.Limits.Turns > 0 && p.Turns >= p.Limits.Turns-1 {
		return nil, fmt.Errorf("max_turns: %d planner rounds are used up but for one", p.Limits.Turns)
	}
	l.Turns = least(l.Turns, p.Limits.Turns-1-p.Turns, p.Limits.Turns)
	l.Tokens = least(l.Tokens, p.Limits.Tokens-p.Tokens, p.Limits.Tokens)
	l.CostUSD = least(l.CostUSD, p.Limits.CostUSD-p.CostUSD, p.Limits.CostUSD)
	return &Pool{Limits: l, of: p}, nil
}

// least is the smaller of a limit and of what is left under another; a limit of 0 is none.
func least[T int | float64](own, left, other T) T {
	if other <= 0 || own > 0 && own < left {
		return own
	}
	return left
}

// Spend counts what a round came to.
func (p *Pool) Spend(tokens int, costUSD float64) {
	for ; p != nil; p = p.of {
		p.Tokens += tokens
		p.CostUSD += costUSD
	}
}

// Call is what a call costs.
type Call struct {
	Tokens  int
	CostUSD float64
}

// Reserve sets apart what a call may cost, until Return. The error names the budget that does not hold it beside what is
// spent and what is reserved.
func (p *Pool) Reserve(c Call) error {
	if err := p.Over(); err != nil {
		return err
	}
	for q := p; q != nil; q = q.of {
		switch l := q.Limits; {
		case l.Tokens > 0 && q.Tokens+q.reserved.Tokens+c.Tokens > l.Tokens:
			return fmt.Errorf("max_tokens: %d of %d tokens are used, and a call may take %d", q.Tokens, l.Tokens, c.Tokens)
		case l.CostUSD > 0 && q.CostUSD+q.reserved.CostUSD+c.CostUSD > l.CostUSD:
			return fmt.Errorf("max_cost_usd: %s of %s is used, and a call may cost %s", dollars(q.CostUSD), dollars(l.CostUSD), dollars(c.CostUSD))
		}
	}
	for q := p; q != nil; q = q.of {
		q.reserved.Tokens += c.Tokens
		q.reserved.CostUSD += c.CostUSD
	}
	return nil
}

// Return gives back what was reserved for a call that is over. What it did cost is spent.
func (p *Pool) Return(c Call) {
	for ; p != nil; p = p.of {
		p.reserved.Tokens -= c.Tokens
		p.reserved.CostUSD -= c.CostUSD
	}
}

// Turn reserves one planner round; the error names the budget that is used up.
func (p *Pool) Turn() error {
	if err := p.Over(); err != nil {
		return err
	}
	if p.Limits.Turns > 0 && p.Turns >= p.Limits.Turns {
		return fmt.Errorf("max_turns: %d planner rounds are used up", p.Limits.Turns)
	}
	if of := p.of; of != nil {
		if of.Limits.Turns > 0 && of.Turns >= of.Limits.Turns-1 {
			return fmt.Errorf("max_turns: %d planner rounds of the run are used up but for one", of.Limits.Turns)
		}
		if err := of.Turn(); err != nil {
			return err
		}
	}
	p.Turns++
	return nil
}

// Motion reserves one action.
func (p *Pool) Motion() error {
	if p.Limits.Motions > 0 && p.Motions >= p.Limits.Motions {
		return fmt.Errorf("max_motions: %d started actions are used up", p.Limits.Motions)
	}
	p.Motions++
	return nil
}

// ReturnMotion gives back a motion that was reserved and not begun.
func (p *Pool) ReturnMotion() { p.Motions-- }

// Over is the budget that the run has used up by what it already spent, nil while there is none.
func (p *Pool) Over() error {
	switch l := p.Limits; {
	case l.Active > 0 && p.Active >= l.Active:
		return fmt.Errorf("max_minutes: %s minutes are used up", minutes(l.Active))
	case l.Tokens > 0 && p.Tokens >= l.Tokens:
		return fmt.Errorf("max_tokens: %d tokens are used up", l.Tokens)
	case l.CostUSD > 0 && p.CostUSD >= l.CostUSD:
		return fmt.Errorf("max_cost_usd: %s is used up", dollars(l.CostUSD))
	}
	if p.of != nil {
		return p.of.Over()
	}
	return nil
}

// Left is what is left of the minutes, robot clock; 0 = they have no limit.
func (p *Pool) Left() time.Duration {
	if p.of != nil {
		return p.of.Left()
	}
	if p.Limits.Active <= 0 {
		return 0
	}
	return max(p.Limits.Active-p.Active, 1)
}

// Notices are the budgets that have passed 80 % since the last call; each is told once.
func (p *Pool) Notices() []string {
	if p.noticed == nil {
		p.noticed = map[string]bool{}
	}
	var out []string
	tell := func(name string, spent, limit float64) {
		if limit > 0 && spent >= noticeAt*limit && !p.noticed[name] {
			p.noticed[name] = true
			out = append(out, fmt.Sprintf("%s: %.0f %% of the budget is used", name, 100*spent/limit))
		}
	}
	tell("max_turns", float64(p.Turns), float64(p.Limits.Turns))
	tell("max_minutes", p.Active.Minutes(), p.Limits.Active.Minutes())
	tell("max_tokens", float64(p.Tokens), float64(p.Limits.Tokens))
	tell("max_cost_usd", p.CostUSD, p.Limits.CostUSD)
	tell("max_motions", float64(p.Motions), float64(p.Limits.Motions))
	return out
}

// dollars is money with whole cents, and with two digits of what is less than ten of them.
func dollars(usd float64) string {
	places := 2
	for x := usd; x > 0 && x < 0.0995 && places < 9; x *= 10 {
		places++
	}
	return "$" + strconv.FormatFloat(usd, 'f', places, 64)
}

// minutes is a time in minutes, without zeros at its end.
func minutes(d time.Duration) string {
	return strconv.FormatFloat(math.Round(d.Minutes()*1e4)/1e4, 'f', -1, 64)
}
