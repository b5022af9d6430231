package model

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// Retry is the one policy of asking again. It is pure: chance comes from Jitter.
type Retry struct {
	Max    int            // how often in a row a request is asked again
	Base   time.Duration  // the first wait; 0 = DefaultRetryBase
	Cap    time.Duration  // the longest wait of our own; 0 = DefaultRetryCap
	Jitter func() float64 // in [0, 1); nil = always the longest wait
}

// Defaults of Retry.
const (
	DefaultRetryBase = time.Second
	DefaultRetryCap  = 30 * time.Second
)

// Next says whether the request is asked again after failing for the attempt'th time (1 = the first), and after which
// wait. A wait beyond budget, what is left of the run, is not begun; the server's own wish is never shortened.
func (r Retry) Next(attempt int, err error, budget time.Duration) (wait time.Duration, again bool) {
	e, ok := errors.AsType[*Error](err)
	if !ok || !e.Retryable || attempt > r.Max {
		return 0, false
	}
	wait = e.RetryAfter
	if wait <= 0 {
		wait = r.backOff(attempt)
	}
	if wait > budget {
		return 0, false
	}
	return wait, true
}

// backOff doubles with each attempt; the jitter takes up to half of it away.
func (r Retry) backOff(attempt int) time.Duration {
	base, limit := r.Base, r.Cap
	if base <= 0 {
		base = DefaultRetryBase
	}
	if limit <= 0 {
		limit = DefaultRetryCap
	}
	wait := base
	for range attempt - 1 {
		if wait *= 2; wait >= limit {
			wait = limit
			break
		}
	}
	wait = min(wait, limit)
	if r.Jitter != nil {
		wait -= time.Duration(r.Jitter() * float64(wait) / 2)
	}
	return wait
}

// Header reads one header of a response, as http.Header.Get does.
type Header func(name string) string

// RetryAfter is how long a server asks to be left alone: retry-after-ms, or Retry-After in seconds or as a date, which
// is seen from now. 0 = it does not say, or says something else.
func RetryAfter(h Header, now time.Time) time.Duration {
	if d, ok := positive(h("retry-after-ms"), time.Millisecond); ok {
		return d
	}
	v := h("Retry-After")
	if d, ok := positive(v, time.Second); ok {
		return d
	}
	for _, layout := range []string{time.RFC1123, time.RFC1123Z, time.RFC850, time.ANSIC} {
		if t, err := time.Parse(layout, v); err == nil {
			return max(0, t.Sub(now))
		}
	}
	return 0
}

func positive(v string, unit time.Duration) (time.Duration, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
	const longest = 365 * 24 * time.Hour
	if err != nil || !(f > 0) {
		return 0, false
	}
	if f*float64(unit) > float64(longest) {
		return longest, true
	}
	return time.Duration(f * float64(unit)), true
}

// ShouldRetry is x-should-retry; nil = the server does not say.
func ShouldRetry(h Header) *bool {
	switch h("x-should-retry") {
	case "true":
		return new(true)
	case "false":
		return new(false)
	}
	return nil
}
