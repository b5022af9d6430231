package model_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rein-robotics/rein/model"
)

func TestRetry(t *testing.T) {
	again := &model.Error{Class: model.Overloaded, Retryable: true}
	asked := &model.Error{Class: model.RateLimit, Retryable: true, RetryAfter: 40 * time.Second}
	tests := map[string]struct {
		attempt int
		err     error
		budget  time.Duration
		wait    time.Duration
		again   bool
	}{
		"first":         {1, again, time.Hour, time.Second, true},
		"third":         {3, again, time.Hour, 4 * time.Second, true},
		"used_up":       {5, again, time.Hour, 0, false},
		"wrapped":       {1, fmt.Errorf("round 3: %w", again), time.Hour, time.Second, true},
		"its_wish":      {1, asked, time.Hour, 40 * time.Second, true},
		"beyond_budget": {1, asked, 39 * time.Second, 0, false},
		"no_budget":     {1, again, 0, 0, false},
		"not_retryable": {1, &model.Error{Class: model.Auth}, time.Hour, 0, false},
		"another_error": {1, errors.New("cancelled"), time.Hour, 0, false},
		"no_error":      {1, nil, time.Hour, 0, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			wait, again := model.Retry{Max: 4}.Next(tc.attempt, tc.err, tc.budget)
			if wait != tc.wait || again != tc.again {
				t.Errorf("got %s, %v; want %s, %v", wait, again, tc.wait, tc.again)
			}
		})
	}
}

// No wait is longer than the cap, shorter than half of what it would be without chance, or begun beyond the budget.
func TestRetryBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		chance := rapid.Float64Range(0, 0.999999).Draw(t, "chance")
		r := model.Retry{Max: 50, Jitter: func() float64 { return chance }}
		attempt := rapid.IntRange(1, 60).Draw(t, "attempt")
		budget := time.Duration(rapid.Int64Range(0, int64(time.Minute)).Draw(t, "budget"))
		wait, again := r.Next(attempt, &model.Error{Retryable: true}, budget)
		full, _ := model.Retry{Max: 50}.Next(attempt, &model.Error{Retryable: true}, time.Hour)
		switch {
		case attempt > 50 && again:
			t.Fatal("asked again for ever")
		case again && (wait > model.DefaultRetryCap || wait > budget || wait < full/2 || wait > full):
			t.Fatalf("got %s of %s, budget %s", wait, full, budget)
		}
	})
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	tests := map[string]struct {
		headers map[string]string
		want    time.Duration
	}{
		"none":       {nil, 0},
		"seconds":    {map[string]string{"Retry-After": "3"}, 3 * time.Second},
		"fraction":   {map[string]string{"Retry-After": " 0.5 "}, 500 * time.Millisecond},
		"ms_first":   {map[string]string{"Retry-After": "3", "retry-after-ms": "20"}, 20 * time.Millisecond},
		"date":       {map[string]string{"Retry-After": "Sun, 01 Mar 2026 12:01:00 GMT"}, time.Minute},
		"past_date":  {map[string]string{"Retry-After": "Sun, 01 Mar 2026 11:01:00 GMT"}, 0},
		"nonsense":   {map[string]string{"Retry-After": "soon"}, 0},
		"negative":   {map[string]string{"Retry-After": "-3"}, 0},
		"not_number": {map[string]string{"Retry-After": "NaN"}, 0},
		"endless":    {map[string]string{"Retry-After": "1e300"}, 365 * 24 * time.Hour},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := model.RetryAfter(func(n string) string { return tc.headers[n] }, now); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func FuzzRetryAfter(f *testing.F) {
	f.Add("3")
	f.Add("Sun, 01 Mar 2026 12:01:00 GMT")
	f.Add("1e400")
	f.Fuzz(func(t *testing.T, v string) {
		if d := model.RetryAfter(func(string) string { return v }, time.Unix(0, 0)); d < 0 {
			t.Errorf("%q: %s", v, d)
		}
	})
}
