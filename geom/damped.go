package geom

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/spatial/r3"
)

// The numbers of the iterative solver.
const (
	firstDamping = 0.04
	solved       = 5e-5 // largest error left, metres and radians alike
	solveSteps   = 120  // of one try
	solveTries   = 16   // starting poses beside near
	widening     = 0.2  // radians: each second try starts up to so much farther from near
)

// Solve finds joint angles within the limits that put the tool frame at target: in closed form when the chain has a
// Shape, else step by step. nil near stands for the middle of the limits (zeros with a Shape). The error
// is a *ReachError.
func (c Chain) Solve(target Pose, near []float64) ([]float64, error) {
	if c.Shape == nil {
		return c.descend(target, near)
	}
	base := c.base()
	q, err := c.Shape.Solve(base.Inv().Mul(target), near)
	if err != nil {
		return nil, inWorld(err, base)
	}
	return q, nil
}

// base is where the foot of a chain with a Shape stands in the world.
func (c Chain) base() Pose {
	foot := Pose{Pos: Vec{Z: c.Shape.ShoulderUp}, Rot: Rot{Real: 1}}
	return c.Joints[0].Origin.Mul(foot.Inv())
}

// descend is damped least squares from near, then from other starts: for chains of any form and number of joints.
// It returns the first answer within the tolerance. The error is a *ReachError that tells what is missing at best.
func (c Chain) descend(target Pose, near []float64) ([]float64, error) {
	if !target.Finite() {
		return nil, unreachable(target.Pos, "the target is not a finite pose")
	}
	d := newDescent(c, target)
	best := math.Inf(1)
	for try := range solveTries + 1 {
		c.start(try, near, d.q)
		left := d.run()
		if left <= solved {
			return append([]float64(nil), d.q...), nil
		}
		best = math.Min(best, left)
	}
	return nil, unreachable(target.Pos, "no joint angles put the gripper there; the nearest found is off by %.0f mm or %.1f°", best*1000, Deg(best))
}

// start writes the first angles of a try: near, then points of a low-discrepancy row, in turn over all the limits and
// around near: an answer at several limits at once is found from beside it only.
func (c Chain) start(try int, near, q []float64) {
	for i := range c.Joints {
		j := &c.Joints[i]
		share := math.Mod(0.5+float64(try)*math.Sqrt(float64(4*i+2)), 1)
		q[i] = j.Lower + share*(j.Upper-j.Lower)
		if try%2 == 0 && len(near) == len(c.Joints) {
			q[i] = Clamp(near[i]+widening*float64(try)*(share-0.5), j.Lower, j.Upper)
		}
	}
}

// descent is the workspace of one solve.
type descent struct {
	chain  Chain
	target Pose
	q, try []float64
	jac    *mat.Dense
	normal *mat.SymDense
	err    *mat.VecDense
	step   *mat.VecDense
	chol   mat.Cholesky
}

func newDescent(c Chain, target Pose) *descent {
	n := len(c.Joints)
	return &descent{
		chain: c, target: target, q: make([]float64, n), try: make([]float64, n),
		jac: mat.NewDense(6, n, nil), normal: mat.NewSymDense(6, nil),
		err: mat.NewVecDense(6, nil), step: mat.NewVecDense(6, nil),
	}
}

// run descends from d.q and returns the error left there.
func (d *descent) run() float64 {
	lambda := firstDamping
	left := d.miss(d.q)
	for range solveSteps {
		if left <= solved {
			break
		}
		if !d.propose(lambda) {
			break
		}
		if now := d.miss(d.try); now < left {
			copy(d.q, d.try)
			left = now
			lambda = math.Max(lambda/3, 1e-5)
			continue
		}
		d.miss(d.q)
		if lambda *= 4; lambda > 10 {
			break
		}
	}
	return left
}

// miss sets d.err to what is missing at q (metres, then a rotation vector) and returns its length.
func (d *descent) miss(q []float64) float64 {
	tip := d.chain.Tip(q)
	p := r3.Sub(d.target.Pos, tip.Pos)
	w := RotVec(MulRot(d.target.Rot, InvRot(tip.Rot)))
	for i, x := range [6]float64{p.X, p.Y, p.Z, w.X, w.Y, w.Z} {
		d.err.SetVec(i, x)
	}
	return mat.Norm(d.err, 2)
}

// propose sets d.try to a damped step from d.q. A joint at its limit does not take part in a step out of it.
func (d *descent) propose(lambda float64) bool {
	d.chain.Jacobian(d.q, d.jac.RawMatrix().Data)
	for range d.chain.Joints {
		if !d.damped(lambda) {
			return false
		}
		if !d.freeze() {
			return true
		}
	}
	return true
}

// damped solves for the step: dq = Jᵀ(J·Jᵀ + λ²)⁻¹·e, at most half a radian a joint.
func (d *descent) damped(lambda float64) bool {
	d.normal.SymOuterK(1, d.jac)
	for i := range 6 {
		d.normal.SetSym(i, i, d.normal.At(i, i)+lambda*lambda)
	}
	if !d.chol.Factorize(d.normal) || d.chol.SolveVecTo(d.step, d.err) != nil {
		return false
	}
	largest := 0.0
	for i := range d.try {
		d.try[i] = mat.Dot(d.jac.ColView(i), d.step)
		largest = math.Max(largest, math.Abs(d.try[i]))
	}
	scale := math.Min(1, 0.5/math.Max(largest, 1e-12))
	for i := range d.try {
		d.try[i] = d.q[i] + scale*d.try[i]
	}
	return true
}

// freeze clamps d.try and takes joints that already stand at a limit and push outwards out of the Jacobian; it says
// whether there was a new one.
func (d *descent) freeze() bool {
	frozen := false
	for i := range d.try {
		j := &d.chain.Joints[i]
		in := Clamp(d.try[i], j.Lower, j.Upper)
		if in != d.try[i] && in == d.q[i] {
			frozen = true
			for row := range 6 {
				d.jac.Set(row, i, 0)
			}
		}
		d.try[i] = in
	}
	return frozen
}

// RotVec is the rotation vector of q: its direction is the axis, its length the angle in [0, π].
func RotVec(q Rot) Vec {
	v := Vec{X: q.Imag, Y: q.Jmag, Z: q.Kmag}
	s := r3.Norm(v)
	if s < 1e-12 {
		return Vec{}
	}
	angle := 2 * math.Atan2(s, math.Abs(q.Real))
	return r3.Scale(math.Copysign(angle, q.Real)/s, v)
}
