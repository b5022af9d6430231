package geom

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/num/quat"
	"gonum.org/v1/gonum/spatial/r3"
)

const (
	sampleStep = 0.005             // metres between two samples of a straight path
	sampleTurn = 3 * math.Pi / 180 // rad between two samples, of the tool on a straight path and of a joint on a joint path
	sampleJump = 0.35              // a larger joint turn between two samples is a wrist turning over, rad
)

// Path is where the joints go, without times: samples close enough that straight lines between them are the path.
type Path struct {
	Joints [][]float64 // the first sample is the start
	Tips   []Pose      // the tool frame at each sample, world
}

// End is the last sample.
func (p *Path) End() []float64 { return p.Joints[len(p.Joints)-1] }

// Length is the way of the fingertips in metres.
func (p *Path) Length() float64 {
	sum := 0.0
	for i := 1; i < len(p.Tips); i++ {
		sum += between(p.Tips[i-1].Pos, p.Tips[i].Pos)
	}
	return sum
}

// LowestTip is the lowest z of the fingertips on the path.
func (p *Path) LowestTip() float64 {
	low := math.Inf(1)
	for i := range p.Tips {
		low = math.Min(low, p.Tips[i].Pos.Z)
	}
	return low
}

// Append is p followed by next, which must start where p ends; both are left as they are.
func (p *Path) Append(next *Path) *Path {
	return &Path{
		Joints: append(append([][]float64{}, p.Joints...), next.Joints[1:]...),
		Tips:   append(append([]Pose{}, p.Tips...), next.Tips[1:]...),
	}
}

// LineOptions are the choices of a straight path.
type LineOptions struct {
	Solver    Solver // nil = the chain
	Symmetric bool   // the target turned by half a turn about the tool's axis is as good
}

// LinePath leads the fingertips on a straight line from the joints `from` to the pose `to`, the tool turning evenly. All
// samples are solved before it returns; the first bad one refuses the path with a *ReachError that says why and where.
func (c Chain) LinePath(from []float64, to Pose, opt LineOptions) (*Path, error) {
	if opt.Solver == nil {
		opt.Solver = c
	}
	if len(from) != len(c.Joints) || !to.Finite() {
		return nil, unreachable(to.Pos, "the start or the target of the path is not a finite pose")
	}
	var first error
	for _, turn := range c.turns(from, to, opt) {
		p, err := c.follow(from, turn, opt.Solver)
		if err == nil {
			return p, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// turn is a rigid motion: straight, with the tool axis swung to its target and the tool twisted about its axis.
type turn struct {
	from, to Pose
	swing    Vec     // rotation vector in the world, from the first tool axis to the last
	twist    float64 // about the tool's axis, rad
}

// turns are the ways to try, the smallest twist first: a wrist at its limit may have to twist the other way round.
func (c Chain) turns(from []float64, to Pose, opt LineOptions) []turn {
	start := c.Tip(from)
	swing := swingBetween(start.ToolAxis(), to.ToolAxis())
	swung := MulRot(AxisAngle(swing, r3.Norm(swing)), start.Rot)
	rest := MulRot(InvRot(swung), to.Rot) // about the tool's z only
	twist := WrapAngle(2 * math.Atan2(rest.Kmag, rest.Real))
	step := 2 * math.Pi
	if opt.Symmetric {
		step = math.Pi
		twist = WrapHalf(twist)
	}
	out := make([]turn, 0, 3)
	for _, t := range [3]float64{twist, twist - math.Copysign(step, twist), twist + math.Copysign(step, twist)} {
		if math.Abs(t) >= 2*math.Pi {
			continue
		}
		end := Pose{Pos: to.Pos, Rot: MulRot(swung, RotZ(t))}
		out = append(out, turn{from: start, to: end, swing: swing, twist: t})
	}
	return out
}

// swingBetween is the rotation vector of the smallest turn from direction a to b; opposite directions turn about any axis.
func swingBetween(a, b Vec) Vec {
	axis := r3.Cross(a, b)
	s := r3.Norm(axis)
	if s > 1e-9 {
		return r3.Scale(math.Atan2(s, r3.Dot(a, b))/s, axis)
	}
	if r3.Dot(a, b) > 0 {
		return Vec{}
	}
	other := r3.Cross(a, Vec{X: 1})
	if r3.Norm(other) < 1e-6 {
		other = r3.Cross(a, Vec{Y: 1})
	}
	return r3.Scale(math.Pi, r3.Unit(other))
}

// at is the pose after a share of the motion.
func (t turn) at(share float64) Pose {
	swing := r3.Scale(share, t.swing)
	rot := MulRot(MulRot(AxisAngle(swing, r3.Norm(swing)), t.from.Rot), RotZ(share*t.twist))
	return Pose{Pos: Lerp(t.from.Pos, t.to.Pos, share), Rot: quat.Scale(1/quat.Abs(rot), rot)}
}

// follow solves every sample of the motion, each near the one before.
func (c Chain) follow(from []float64, t turn, solver Solver) (*Path, error) {
	length := between(t.from.Pos, t.to.Pos)
	n := steps(math.Max(length/sampleStep, (r3.Norm(t.swing)+math.Abs(t.twist))/sampleTurn))
	p := newPath(n)
	p.add(append([]float64(nil), from...), t.from)
	for i := 1; i <= n; i++ {
		share := float64(i) / float64(n)
		pose := t.at(share)
		q, err := solver.Solve(pose, p.End())
		if err != nil {
			return nil, alongPath(err, pose.Pos, share*length)
		}
		if d, _ := distance(q, p.End()); d > sampleJump {
			e := unreachable(pose.Pos, "the wrist would have to turn over there")
			e.Along = share * length
			return nil, e
		}
		p.add(q, pose)
	}
	return p, nil
}

// JointPath leads every joint evenly from one pose to the other. A target outside the limits is a *ReachError.
func (c Chain) JointPath(from, to []float64) (*Path, error) {
	if len(from) != len(c.Joints) || len(to) != len(c.Joints) {
		return nil, unreachable(Vec{}, "%d and %d joint angles for an arm of %d joints", len(from), len(to), len(c.Joints))
	}
	for i, j := range c.Joints {
		if !(to[i] >= j.Lower-limitSlack && to[i] <= j.Upper+limitSlack) {
			return nil, unreachable(Vec{}, "%s would need %.0f°; it turns from %.0f° to %.0f°", j.Name, Deg(to[i]), Deg(j.Lower), Deg(j.Upper))
		}
	}
	largest, _ := distance(from, to)
	if math.IsNaN(largest) || math.IsInf(largest, 0) {
		return nil, unreachable(Vec{}, "the start of the path is not a number")
	}
	n := steps(largest / sampleTurn)
	p := newPath(n)
	for i := range n + 1 {
		q := make([]float64, len(from))
		share := float64(i) / float64(n)
		for k := range q {
			q[k] = (1-share)*from[k] + share*to[k]
		}
		p.add(q, c.Tip(q))
	}
	return p, nil
}

func newPath(n int) *Path {
	return &Path{Joints: make([][]float64, 0, n+1), Tips: make([]Pose, 0, n+1)}
}

func (p *Path) add(q []float64, tip Pose) {
	p.Joints = append(p.Joints, q)
	p.Tips = append(p.Tips, tip)
}

// steps is the number of pieces for a length in pieces, at least one.
func steps(pieces float64) int { return max(1, int(math.Ceil(pieces-1e-9))) }

// alongPath says where on a path a sample was refused.
func alongPath(err error, at Vec, along float64) error {
	if e, ok := errors.AsType[*ReachError](err); ok {
		return &ReachError{Reason: e.Reason, At: at, Along: along}
	}
	return &ReachError{Reason: err.Error(), At: at, Along: along}
}
