package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rein-robotics/rein/eval/measure"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/monitor/question"
)

// number prints a count that may be a fraction.
func number(x float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", x), "0"), ".")
}

func share(s measure.Share) string {
	if s.N == 0 {
		return "– of 0"
	}
	return fmt.Sprintf("%.1f %% (%s of %d; %.1f–%.1f)", 100*s.Rate(), number(s.Yes), s.N, 100*s.Low, 100*s.High)
}

func spread(s measure.Spread) string {
	if s.N == 0 {
		return "– of 0"
	}
	if largest := max(s.P50.Abs(), s.P95.Abs(), s.Max.Abs()); largest > 0 && largest < time.Second {
		return fmt.Sprintf("%s / %s / %s ms (of %d)", millis(s.P50), millis(s.P95), millis(s.Max), s.N)
	}
	return fmt.Sprintf("%s / %s / %s s (of %d)", secs(s.P50), secs(s.P95), secs(s.Max), s.N)
}

// secs prints seconds with one decimal, or with more when there would be less than two digits.
func secs(d time.Duration) string {
	decimals := 1
	switch {
	case d == 0 || d.Abs() >= time.Second:
	case d.Abs() >= 100*time.Millisecond:
		decimals = 2
	default:
		decimals = 3
	}
	return fmt.Sprintf("%.*f", decimals, d.Seconds())
}

// millis prints milliseconds, with a decimal when there are less than ten.
func millis(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	if d != 0 && d.Abs() < 10*time.Millisecond {
		return fmt.Sprintf("%.1f", ms)
	}
	return fmt.Sprintf("%.0f", ms)
}

// fromMoment says how long after the moment something was, or before it.
func fromMoment(d time.Duration) string {
	switch {
	case d < -time.Millisecond/2:
		return secs(-d) + " s before the moment"
	case d > time.Millisecond/2:
		return secs(d) + " s after the moment"
	}
	return "at the moment"
}

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
