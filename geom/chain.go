package geom

import (
	"math"

	"gonum.org/v1/gonum/spatial/r3"
)

// Joint is one revolute joint of a chain.
type Joint struct {
	Name         string
	Origin       Pose    // of the joint's frame in the frame of the joint before (the world for the first), at angle 0
	Axis         Vec     // of unit length, in the joint's frame
	Lower, Upper float64 // rad
}

// Frame is the joint's frame at angle q, in the frame of the joint before.
func (j *Joint) Frame(q float64) Pose {
	return Pose{Pos: j.Origin.Pos, Rot: MulRot(j.Origin.Rot, AxisAngle(j.Axis, q))}
}

// Chain is a serial arm: joints from the foot to the wrist, then the tool frame (origin between the fingertips, z out of
// the gripper, y the closing axis of the fingers).
type Chain struct {
	Joints []Joint
	Tool   Pose // in the frame of the last joint

	// Shape is set when the joints are those of an ArmShape, standing anywhere: inverse kinematics are then in closed form.
	Shape *ArmShape
}

// Tip is the tool frame in the world. It does not allocate. q has one angle for each joint.
func (c Chain) Tip(q []float64) Pose {
	p := Identity()
	for i := range c.Joints {
		p = p.Mul(c.Joints[i].Frame(q[i]))
	}
	return p.Mul(c.Tool)
}

// Links is the frame of every joint in the world, turned with its joint, and the tool frame as the last one. The
// origins are the corners of the arm's skeleton.
func (c Chain) Links(q []float64) []Pose {
	out := make([]Pose, 0, len(c.Joints)+1)
	p := Identity()
	for i := range c.Joints {
		p = p.Mul(c.Joints[i].Frame(q[i]))
		out = append(out, p)
	}
	return append(out, p.Mul(c.Tool))
}

// Jacobian writes to dst, row by row, the 6 × n matrix from joint speeds to the speed of the tool's origin (rows 0–2,
// m/s) and its turn rate (rows 3–5, rad/s), both along the world's axes. dst has 6·n elements.
func (c Chain) Jacobian(q, dst []float64) {
	n := len(c.Joints)
	tip := c.Tip(q).Pos
	p := Identity()
	for i := range c.Joints {
		p = p.Mul(c.Joints[i].Frame(q[i]))
		w := Rotate(p.Rot, c.Joints[i].Axis)
		v := r3.Cross(w, r3.Sub(tip, p.Pos))
		for row, x := range [6]float64{v.X, v.Y, v.Z, w.X, w.Y, w.Z} {
			dst[row*n+i] = x
		}
	}
}

// Normalise writes to dst the joint angles q in the units of a policy: −100 is the lower limit, 100 the upper one.
func (c Chain) Normalise(q, dst []float64) {
	for i := range c.Joints {
		j := &c.Joints[i]
		dst[i] = 200*(q[i]-j.Lower)/(j.Upper-j.Lower) - 100
	}
}

// Denormalise writes to dst the joint angles (rad) of the normalised values n; it undoes Normalise.
func (c Chain) Denormalise(n, dst []float64) {
	for i := range c.Joints {
		j := &c.Joints[i]
		dst[i] = j.Lower + (n[i]+100)/200*(j.Upper-j.Lower)
	}
}

// Within says whether every joint of q is a number within its limits, give or take slack (rad).
func (c Chain) Within(q []float64, slack float64) bool {
	if len(q) != len(c.Joints) {
		return false
	}
	for i := range c.Joints {
		if !(q[i] >= c.Joints[i].Lower-slack && q[i] <= c.Joints[i].Upper+slack) {
			return false
		}
	}
	return true
}

// Placed is the chain with its foot at base instead of the world's origin.
func (c Chain) Placed(base Pose) Chain {
	joints := append([]Joint(nil), c.Joints...)
	joints[0].Origin = base.Mul(joints[0].Origin)
	c.Joints = joints
	return c
}

// Finite says whether all parts of the pose are numbers.
func (p Pose) Finite() bool {
	s := p.Pos.X + p.Pos.Y + p.Pos.Z + p.Rot.Real + p.Rot.Imag + p.Rot.Jmag + p.Rot.Kmag
	return !math.IsNaN(s - s)
}
