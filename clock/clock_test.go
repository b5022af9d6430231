package clock_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/rein-robotics/rein/clock"
	"github.com/rein-robotics/rein/clock/clocktest"
)

var (
	_ clock.Clock = (*clock.Simulated)(nil)
	_ clock.Clock = (*clock.Wall)(nil)
	_ clock.Clock = (*clocktest.Manual)(nil)
)

const period = 10 * time.Millisecond

func ready(c clock.Clock) bool {
	select {
	case <-c.Due():
		return true
	default:
		return false
	}
}

// TestBarrier: a period is due when, and only while, nobody holds the clock, whatever the order of holds and releases.
func TestBarrier(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := clocktest.NewManual(period, nil)
		var out []func()
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				out = append(out, c.Hold("somebody"))
			case 1:
				if n := len(out); n > 0 {
					i := rapid.IntRange(0, n-1).Draw(t, "which")
					out[i]()
					out[i]() // giving back twice does nothing
					out = slices.Delete(out, i, i+1)
				}
			case 2:
				if got, want := ready(c), len(out) == 0; got != want {
					t.Fatalf("due %t with %d holds, want %t", got, len(out), want)
				}
			case 3:
				if len(out) == 0 {
					before := c.Now()
					if err := c.Advance(context.Background()); err != nil || c.Now() != before+period {
						t.Fatalf("advanced from %v to %v, %v", before, c.Now(), err)
					}
				}
			}
			if got, want := c.Still(), len(out) > 0; got != want {
				t.Fatalf("still %t with %d holds", got, len(out))
			}
		}
	})
}

// TestHoldTakesBackWhatWasDue: a hold taken after Due was ready and before the loop has looked keeps the period back.
func TestHoldTakesBackWhatWasDue(t *testing.T) {
	t.Parallel()
	c := clocktest.NewManual(period, nil)
	due := c.Due()
	release := c.Hold("somebody")
	select {
	case <-due:
		t.Fatal("due although somebody holds the clock")
	default:
	}
	if got := c.Holders(); !slices.Equal(got, []string{"somebody"}) {
		t.Errorf("holders %v, want somebody", got)
	}
	release()
	select {
	case <-due:
	default:
		t.Fatal("not due although nobody holds the clock")
	}
}

// TestLoopWaitsForWorkers: a loop that takes a hold for each worker before it wakes it never runs ahead of one.
func TestLoopWaitsForWorkers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var began []time.Duration
		c := clocktest.NewManual(period, nil)
		jobs := make(chan func())
		go func() {
			for release := range jobs {
				<-time.After(time.Hour) // thinking takes wall time only
				mu.Lock()
				began = append(began, c.Now())
				mu.Unlock()
				release()
			}
		}()
		for i := range 3 {
			jobs <- c.Hold("worker")
			<-c.Due()
			mu.Lock()
			if len(began) != i+1 || began[i] != time.Duration(i)*period {
				t.Errorf("period %d begins with the worker's times %v", i, began)
			}
			mu.Unlock()
			if err := c.Advance(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		close(jobs)
	})
}

func TestRealPaceFollowsTheWall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cost := time.Millisecond
		c := clock.NewSimulated(0, period, clock.Real, func(context.Context) error { <-time.After(cost); return nil })
		start := time.Now()
		defer c.Hold("nobody who counts")()
		step := func(n int) {
			for range n {
				<-c.Due()
				if err := c.Advance(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		step(100)
		if wall := time.Since(start); wall < 990*time.Millisecond || wall > 1010*time.Millisecond {
			t.Errorf("a second of simulated time took %v", wall)
		}
		cost = 30 * time.Millisecond // slower than the wall
		step(100)
		cost = time.Millisecond
		before := time.Now()
		step(100)
		if wall := time.Since(before); wall < 800*time.Millisecond {
			t.Errorf("after a slow stretch a second took %v; want no burst beyond 0.1 s", wall)
		}
	})
}

func TestWallBeats(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := clock.NewWall(period)
		w.Hold("nobody")()
		if w.Simulated() {
			t.Error("a wall clock says that it is simulated")
		}
		for range 100 {
			<-w.Due()
			<-time.After(3 * time.Millisecond)
			if err := w.Advance(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if now := w.Now(); now < 990*time.Millisecond || now > 1000*time.Millisecond {
			t.Errorf("100 beats took %v, want a second", now)
		}
		<-time.After(time.Second)
		start := w.Now()
		for range 10 {
			<-w.Due()
			if err := w.Advance(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if d := w.Now() - start; d < 70*time.Millisecond {
			t.Errorf("ten beats after a pause took %v: missed beats were made up for", d)
		}
	})
}

func TestAdvancePassesErrorsOn(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	c := clock.NewSimulated(0, period, clock.Fast, func(context.Context) error { return broken })
	if err := c.Advance(t.Context()); !errors.Is(err, broken) || c.Now() != 0 {
		t.Errorf("error %v at %v, want that of the world at 0", err, c.Now())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := clocktest.NewManual(period, nil).Advance(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want cancelled", err)
	}
}

func TestManualRun(t *testing.T) {
	t.Parallel()
	var at []time.Duration
	c := clocktest.NewManual(period, func(now time.Duration) { at = append(at, now) })
	if err := c.Run(t.Context(), 30*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if want := []time.Duration{period, 2 * period, 3 * period}; !slices.Equal(at, want) {
		t.Errorf("ticks at %v, want %v", at, want)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	defer c.Hold("somebody")()
	if err := c.Run(ctx, period); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v while somebody holds the clock, want the deadline's", err)
	}
}

// What the world tells while it advances is told at the end of the period, whoever reads the clock then.
func TestWorldTellsAtTheEndOfThePeriod(t *testing.T) {
	const period = 10 * time.Millisecond
	var c *clock.Simulated
	var told time.Duration
	broken := errors.New("broken")
	fail := error(nil)
	c = clock.NewSimulated(0, period, clock.Fast, func(context.Context) error {
		told = c.Now()
		return fail
	})
	<-c.Due()
	if err := c.Advance(t.Context()); err != nil || told != period || c.Now() != period {
		t.Errorf("told at %v, then %v (%v), want %v", told, c.Now(), err, period)
	}
	fail = broken
	<-c.Due()
	if err := c.Advance(t.Context()); !errors.Is(err, broken) || c.Now() != period {
		t.Errorf("got %v at %v: a period that failed is no time", err, c.Now())
	}
}
