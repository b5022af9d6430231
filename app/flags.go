package app

import (
	"fmt"
	"math"
)

// Bounds of the budgets, as in controller.yaml.
const (
	mostMinutes = 100_000
	mostUSD     = 1_000_000
)

// checkNumbers refuses numbers that would count as none, or as another one.
func checkNumbers(o *Options) error {
	for _, n := range []struct {
		flag  string
		value float64
		most  float64
	}{{"max-minutes", o.MaxMinutes, mostMinutes}, {"max-cost", o.MaxCost, mostUSD}} {
		if !(n.value >= 0 && n.value <= n.most) { // NaN is neither
			return usage(fmt.Errorf("--%s %v: a number above 0 is wanted, at most %.0f", n.flag, n.value, n.most), "")
		}
	}
	if o.MaxTurns < 0 {
		return usage(fmt.Errorf("--max-turns %d: a whole number of at least 1 is wanted", o.MaxTurns), "")
	}
	if o.Seed > math.MaxInt64 {
		return usage(fmt.Errorf("--seed %d: at most %d is wanted", o.Seed, math.MaxInt64), "")
	}
	return nil
}
