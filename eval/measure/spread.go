package measure

import (
	"slices"
	"time"
)

// Spread is the middle and the upper end of a list of durations.
type Spread struct {
	N             int
	P50, P95, Max time.Duration
}

// SpreadOf takes the nearest rank: the smallest value that at least that share of the list does not exceed.
func SpreadOf(list []time.Duration) Spread {
	if len(list) == 0 {
		return Spread{}
	}
	s := slices.Sorted(slices.Values(list))
	rank := func(percent int) time.Duration { return s[(len(s)*percent+99)/100-1] }
	return Spread{N: len(s), P50: rank(50), P95: rank(95), Max: s[len(s)-1]}
}
