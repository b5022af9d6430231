package budget_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rein-robotics/rein/agent/budget"
)

func TestTurnIsReservedBeforeItIsTaken(t *testing.T) {
	tests := map[string]struct {
		pool budget.Pool
		want string // in the error; "" = the turn may be taken
	}{
		"no_limits":             {budget.Pool{Turns: 1000, Tokens: 1 << 40, CostUSD: 1e6, Active: 1000 * time.Hour}, ""},
		"last_turn":             {budget.Pool{Limits: budget.Limits{Turns: 3}, Turns: 2}, ""},
		"no_turn_left":          {budget.Pool{Limits: budget.Limits{Turns: 3}, Turns: 3}, "max_turns"},
		"minutes_left":          {budget.Pool{Limits: budget.Limits{Active: time.Minute}, Active: 59 * time.Second}, ""},
		"no_minutes_left":       {budget.Pool{Limits: budget.Limits{Active: time.Minute}, Active: time.Minute}, "max_minutes"},
		"tokens_left":           {budget.Pool{Limits: budget.Limits{Tokens: 10}, Tokens: 9}, ""},
		"no_tokens_left":        {budget.Pool{Limits: budget.Limits{Tokens: 10}, Tokens: 11}, "max_tokens"},
		"money_left":            {budget.Pool{Limits: budget.Limits{CostUSD: 0.5}, CostUSD: 0.49}, ""},
		"no_money_left":         {budget.Pool{Limits: budget.Limits{CostUSD: 0.5}, CostUSD: 0.5}, "max_cost_usd"},
		"motions_are_no_matter": {budget.Pool{Limits: budget.Limits{Motions: 1}, Motions: 1}, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			before := tc.pool.Turns
			err := tc.pool.Turn()
			if tc.want == "" {
				if err != nil || tc.pool.Turns != before+1 {
					t.Errorf("got %v and %d turns", err, tc.pool.Turns)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) || tc.pool.Turns != before {
				t.Errorf("got %v and %d turns, want %s", err, tc.pool.Turns, tc.want)
			}
		})
	}
}

func TestMotions(t *testing.T) {
	p := budget.Pool{Limits: budget.Limits{Motions: 2}}
	for range 2 {
		if err := p.Motion(); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Motion(); err == nil || !strings.Contains(err.Error(), "max_motions") {
		t.Errorf("got %v", err)
	}
	p.ReturnMotion()
	if err := p.Motion(); err != nil {
		t.Errorf("one was given back: %v", err)
	}
	if p.Motions != 2 {
		t.Errorf("got %d", p.Motions)
	}
}

func TestNoticesAreGivenOnceEach(t *testing.T) {
	p := budget.Pool{Limits: budget.Limits{Turns: 10, Active: 10 * time.Minute, Tokens: 100, CostUSD: 1, Motions: 5}, Turns: 7}
	if n := p.Notices(); len(n) != 0 {
		t.Errorf("got %v below 80 %%", n)
	}
	p.Turns = 8
	if n := p.Notices(); len(n) != 1 || n[0] != "max_turns: 80 % of the budget is used" {
		t.Errorf("got %q", n)
	}
	p.Turns, p.Active, p.Tokens, p.CostUSD, p.Motions = 9, 9*time.Minute, 99, 0.95, 4
	if n := p.Notices(); len(n) != 4 {
		t.Errorf("got %q, want the four that are new", n)
	}
	if n := p.Notices(); len(n) != 0 {
		t.Errorf("got %q again", n)
	}
	free := budget.Pool{Turns: 100, Tokens: 100}
	if n := free.Notices(); len(n) != 0 {
		t.Errorf("got %q without limits", n)
	}
}

// TestNothingBeyondItsLimit: whatever is asked for, what was reserved never exceeds a limit.
func TestNothingBeyondItsLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := budget.Pool{Limits: budget.Limits{Turns: rapid.IntRange(1, 5).Draw(t, "turns"), Motions: rapid.IntRange(1, 5).Draw(t, "motions")}}
		out := 0
		for range rapid.IntRange(0, 40).Draw(t, "n") {
			switch rapid.IntRange(0, 2).Draw(t, "what") {
			case 0:
				_ = p.Turn()
			case 1:
				if p.Motion() == nil {
					out++
				}
			case 2:
				if out > 0 {
					p.ReturnMotion()
					out--
				}
			}
			if p.Turns > p.Limits.Turns || p.Motions > p.Limits.Motions || p.Motions != out {
				t.Fatalf("got %+v with %d motions out", p, out)
			}
		}
	})
}

func TestShareOfAPool(t *testing.T) {
	p := &budget.Pool{Limits: budget.Limits{Turns: 5, Tokens: 100, CostUSD: 1, Active: time.Minute}, Turns: 1, Tokens: 10, Active: time.Second}
	s, err := p.Share(budget.Limits{Turns: 10, Tokens: 50})
	if err != nil {
		t.Fatal(err)
	}
	if s.Limits.Turns != 3 || s.Limits.Tokens != 50 || s.Limits.CostUSD != 1 {
		t.Errorf("got limits %+v", s.Limits)
	}
	if s.Left() != 59*time.Second {
		t.Errorf("%v are left", s.Left())
	}
	other, err := p.Share(budget.Limits{Turns: 1})
	if err != nil || other.Limits.Turns != 1 || other.Limits.Tokens != 90 {
		t.Fatalf("got %+v, %v", other, err)
	}
	for range 2 {
		if err := s.Turn(); err != nil {
			t.Fatal(err)
		}
	}
	if err := other.Turn(); err != nil {
		t.Fatal(err)
	}
	if err := other.Turn(); err == nil {
		t.Error("a share gave more rounds than it has")
	}
	if err := s.Turn(); err == nil {
		t.Error("a share took the last round of the pool")
	}
	if _, err := p.Share(budget.Limits{}); err == nil {
		t.Error("the last round was shared")
	}
	if p.Turns != 4 || p.Turn() != nil {
		t.Errorf("the pool has used %d rounds", p.Turns)
	}
	s.Spend(60, 0.25)
	if p.Tokens != 70 || p.CostUSD != 0.25 || s.Over() == nil || other.Over() != nil {
		t.Errorf("got %+v", p)
	}
	s.Spend(30, 0)
	if other.Over() == nil {
		t.Error("a share goes on with what the pool does not have")
	}
	if _, err := p.Share(budget.Limits{}); err == nil {
		t.Error("a pool that is used up was shared")
	}
	free := &budget.Pool{}
	if s, err := free.Share(budget.Limits{}); err != nil || s.Limits != (budget.Limits{}) {
		t.Errorf("a share of no limits: %+v, %v", s, err)
	}
}

// TestReservedIsGoneForOthers: what calls under way may cost counts like what is spent, until it is given back.
func TestReservedIsGoneForOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := &budget.Pool{Limits: budget.Limits{Tokens: rapid.IntRange(1, 50).Draw(t, "top")}}
		p, err := top.Share(budget.Limits{Tokens: rapid.IntRange(1, 50).Draw(t, "own")})
		if err != nil {
			t.Fatal(err)
		}
		var out []budget.Call
		reserved := 0
		for range rapid.IntRange(1, 40).Draw(t, "n") {
			if len(out) > 0 && rapid.Bool().Draw(t, "back") {
				c := out[0]
				out = out[1:]
				p.Return(c)
				reserved -= c.Tokens
				p.Spend(rapid.IntRange(0, c.Tokens).Draw(t, "spent"), 0)
				continue
			}
			c := budget.Call{Tokens: rapid.IntRange(0, 20).Draw(t, "call")}
			fits := p.Over() == nil && p.Tokens+reserved+c.Tokens <= p.Limits.Tokens && top.Tokens+reserved+c.Tokens <= top.Limits.Tokens
			if err := p.Reserve(c); (err == nil) != fits {
				t.Fatalf("%+v beside %d reserved: %v of %+v", c, reserved, err, p)
			} else if err == nil {
				out, reserved = append(out, c), reserved+c.Tokens
			}
			if top.Tokens > top.Limits.Tokens || p.Tokens > p.Limits.Tokens {
				t.Fatalf("overrun: %+v", p)
			}
		}
	})
}

func TestMoneyIsReserved(t *testing.T) {
	p := &budget.Pool{Limits: budget.Limits{CostUSD: 1}, CostUSD: 0.5}
	c := budget.Call{CostUSD: 0.4}
	if err := p.Reserve(c); err != nil {
		t.Fatal(err)
	}
	if err := p.Reserve(c); err == nil || !strings.Contains(err.Error(), "max_cost_usd") {
		t.Errorf("got %v", err)
	}
	p.Return(c)
	if err := p.Reserve(c); err != nil {
		t.Error(err)
	}
	if p.Over() != nil {
		t.Error("what is only reserved is not used up")
	}
}

// Small limits are told with the digits that they have: nothing is said to be zero that is not.
func TestSmallLimitsAreTold(t *testing.T) {
	for name, tc := range map[string]struct {
		pool budget.Pool
		call budget.Call
		want string
	}{
		"cents":   {budget.Pool{Limits: budget.Limits{CostUSD: 0.01}, CostUSD: 0.0086}, budget.Call{CostUSD: 0.00432}, "max_cost_usd: $0.0086 of $0.010 is used, and a call may cost $0.0043"},
		"dollars": {budget.Pool{Limits: budget.Limits{CostUSD: 12}, CostUSD: 11.999}, budget.Call{CostUSD: 0.5}, "max_cost_usd: $12.00 of $12.00 is used, and a call may cost $0.50"},
		"nothing": {budget.Pool{Limits: budget.Limits{CostUSD: 0.2}}, budget.Call{CostUSD: 0.0999}, ""},
		"spent":   {budget.Pool{Limits: budget.Limits{CostUSD: 0.00005}, CostUSD: 1}, budget.Call{}, "max_cost_usd: $0.000050 is used up"},
		"seconds": {budget.Pool{Limits: budget.Limits{Active: 2400 * time.Millisecond}, Active: 3 * time.Second}, budget.Call{}, "max_minutes: 0.04 minutes are used up"},
		"minutes": {budget.Pool{Limits: budget.Limits{Active: 20 * time.Minute}, Active: 20 * time.Minute}, budget.Call{}, "max_minutes: 20 minutes are used up"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := tc.pool.Reserve(tc.call); err != nil {
				got = err.Error()
			}
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
