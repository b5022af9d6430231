package eval

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/monitor/question"
)

// number prints a count that may be a fraction.
func number(x float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", x), "0"), ".")
}

func share(s Share) string {
	if s.N == 0 {
		return "– of 0"
	}
	return fmt.Sprintf("%.1f %% (%s of %d; %.1f–%.1f)", 100*s.Rate(), number(s.Yes), s.N, 100*s.Low, 100*s.High)
}

func spread(s Spread) string {
	if s.N == 0 {
		return "– of 0"
	}
	return fmt.Sprintf("%s / %s / %s s (of %d)", secs(s.P50), secs(s.P95), secs(s.Max), s.N)
}

func secs(d time.Duration) string { return fmt.Sprintf("%.1f", d.Seconds()) }

// missing is how many answers did not come, and why.
func missing(by map[question.Missing]int) string {
	n := 0
	var why []string
	for _, m := range slices.Sorted(maps.Keys(by)) {
		n += by[m]
		why = append(why, fmt.Sprintf("%s %d", m, by[m]))
	}
	if n == 0 {
		return "0"
	}
	return fmt.Sprintf("%d (%s)", n, strings.Join(why, ", "))
}

// cost is what all calls cost; without a price nobody knows.
func cost(u model.Usage) string {
	tokens := fmt.Sprintf("%d tokens in, %d out", u.Input, u.Output)
	if u.CostUSD == 0 {
		return "no price; " + tokens
	}
	return fmt.Sprintf("$%.4f; %s", u.CostUSD, tokens)
}
