package geom_test

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/spatial/r3"
	"pgregory.net/rapid"

	"github.com/rein-robotics/rein/geom"
)

func TestJacobianIsTheDerivativeOfTip(t *testing.T) {
	t.Parallel()
	c := geom.DefaultArmShape().Chain()
	const h = 1e-6
	rapid.Check(t, func(t *rapid.T) {
		q := drawJoints(t, c)
		jac := make([]float64, 6*len(q))
		c.Jacobian(q, jac)
		for i := range q {
			lo, hi := append([]float64(nil), q...), append([]float64(nil), q...)
			lo[i] -= h
			hi[i] += h
			a, b := c.Tip(lo), c.Tip(hi)
			v := r3.Scale(1/(2*h), r3.Sub(b.Pos, a.Pos))
			w := r3.Scale(1/(2*h), geom.RotVec(geom.MulRot(b.Rot, geom.InvRot(a.Rot))))
			for row, want := range [6]float64{v.X, v.Y, v.Z, w.X, w.Y, w.Z} {
				if got := jac[row*len(q)+i]; math.Abs(got-want) > 1e-6 {
					t.Fatalf("row %d joint %d: %g, want %g", row, i, got, want)
				}
			}
		}
	})
}

func TestNormaliseAndBack(t *testing.T) {
	t.Parallel()
	c := geom.DefaultArmShape().Chain()
	rapid.Check(t, func(t *rapid.T) {
		q := drawJoints(t, c)
		n, back := make([]float64, len(q)), make([]float64, len(q))
		c.Normalise(q, n)
		c.Denormalise(n, back)
		for i := range q {
			if !(n[i] >= -100-1e-9 && n[i] <= 100+1e-9) || math.Abs(back[i]-q[i]) > 1e-12 {
				t.Fatalf("joint %d: %g rad is %g, which is %g rad", i, q[i], n[i], back[i])
			}
		}
	})
	lower, n := make([]float64, 6), make([]float64, 6)
	for i, j := range c.Joints {
		lower[i] = j.Lower
	}
	if c.Normalise(lower, n); n[2] != -100 {
		t.Errorf("the lower limit is %g, want -100", n[2])
	}
}

// TestPlacedChain: an arm that stands elsewhere, turned, solves the same poses seen from its own foot.
func TestPlacedChain(t *testing.T) {
	t.Parallel()
	base := geom.Pose{Pos: geom.Vec{X: 0.3, Y: -0.4, Z: 0.1}, Rot: geom.RotZ(2)}
	c := geom.DefaultArmShape().Chain().Placed(base)
	target := base.Mul(geom.Down(geom.Vec{X: 0.25, Y: 0.05, Z: 0.03}, 0.7))
	q, err := c.Solve(target, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkPose(t, c.Tip(q), target, tight)
	far := base.Mul(geom.Down(geom.Vec{X: 0.6}, 0))
	_, err = c.Solve(far, nil)
	var reach *geom.ReachError
	if !errors.As(err, &reach) || r3.Norm(r3.Sub(reach.At, far.Pos)) > tight {
		t.Errorf("error %v, want one at %v", err, far.Pos)
	}
	if geom.DefaultArmShape().Chain().Joints[0].Origin.Pos.X != 0 {
		t.Error("Placed wrote to a chain of somebody else")
	}
}

func TestWithin(t *testing.T) {
	t.Parallel()
	c := geom.DefaultArmShape().Chain()
	q := geom.DefaultArmShape().Home()
	bad := append([]float64(nil), q...)
	bad[3] = math.NaN()
	for name, tc := range map[string]struct {
		q    []float64
		want bool
	}{"home": {q, true}, "nan": {bad, false}, "short": {q[:5], false}} {
		if got := c.Within(tc.q, 0); got != tc.want {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}
