package sim_test

import (
	"context"
	"testing"

	"github.com/rein-robotics/rein/robot/sim/simtest"
)

// A verdict is told in the middle of a period, and who hears it may cancel the world at once: the period counts all the same.
func TestPeriodCountsAlthoughItsVerdictCancelsTheWorld(t *testing.T) {
	r := simtest.Open(t, simtest.Config(t, simtest.Engine(t), simtest.Batteries(1)))
	if err := r.Begin("put all the batteries in the white box"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	told := false
	r.AskJudge(func(bool, error) {
		told = true
		cancel()
	})
	for !told {
		before := r.Clock().Now()
		if err := r.Clock().Advance(ctx); err != nil {
			t.Fatal(err)
		}
		if r.Clock().Now() <= before {
			t.Fatalf("time went from %v to %v", before, r.Clock().Now())
		}
	}
	if now, world := r.Clock().Now(), r.Readings().At; now != world {
		t.Errorf("the clock says %v, the readings are of %v", now, world)
	}
}
