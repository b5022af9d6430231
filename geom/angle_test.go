package geom_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/rein-robotics/rein/geom"
)

func TestWrap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Float64Range(-100, 100).Draw(t, "a")
		if w := geom.WrapAngle(a); !(w > -math.Pi && w <= math.Pi) || math.Abs(math.Sin(w)-math.Sin(a))+math.Abs(math.Cos(w)-math.Cos(a)) > 1e-9 {
			t.Fatalf("WrapAngle(%g) = %g", a, w)
		}
		if w := geom.WrapHalf(a); !(w > -math.Pi/2 && w <= math.Pi/2) || math.Abs(math.Sin(2*w)-math.Sin(2*a)) > 1e-9 {
			t.Fatalf("WrapHalf(%g) = %g", a, w)
		}
	})
	if got := geom.WrapAngle(-math.Pi); got != math.Pi {
		t.Errorf("WrapAngle(-π) = %g, want π", got)
	}
	if !math.IsNaN(geom.Clamp(math.NaN(), 0, 1)) {
		t.Error("Clamp made a number of NaN")
	}
}
