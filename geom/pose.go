// Package geom holds poses, rotations, camera models and arm kinematics: pure functions on plain values.
//
// Its one invariant: every quantity is in SI units and radians, in a frame that its name or comment states. World frame:
// origin at the arm's foot on the table top, +x away from the arm, +y to its left, +z up. Camera frame: x right, y down,
// z forward. Pixels are continuous: pixel (i, j) covers [i, i+1) × [j, j+1), so its centre is (i+0.5, j+0.5).
package geom

import (
	"math"

	"gonum.org/v1/gonum/num/quat"
	"gonum.org/v1/gonum/spatial/r3"
)

// Vec is a point or a direction, in metres unless a name says otherwise.
type Vec = r3.Vec

// Rot is a unit quaternion; it maps coordinates of the inner frame to the outer one.
type Rot = quat.Number

// Pose is where an inner frame stands in an outer one: outer = Rot·inner + Pos.
type Pose struct {
	Pos Vec
	Rot Rot
}

// Identity is the pose of a frame in itself.
func Identity() Pose { return Pose{Rot: Rot{Real: 1}} }

// AxisAngle is the right-handed turn by angle (radians) about axis; the axis need not be of unit length.
// A zero axis gives the identity.
func AxisAngle(axis Vec, angle float64) Rot {
	n := r3.Norm(axis)
	if n == 0 {
		return Rot{Real: 1}
	}
	s, c := math.Sincos(angle / 2)
	s /= n
	return Rot{Real: c, Imag: axis.X * s, Jmag: axis.Y * s, Kmag: axis.Z * s}
}

// RotX, RotY and RotZ turn by angle (radians) about one axis.
func RotX(angle float64) Rot { return AxisAngle(Vec{X: 1}, angle) }

// RotY turns by angle (radians) about y.
func RotY(angle float64) Rot { return AxisAngle(Vec{Y: 1}, angle) }

// RotZ turns by angle (radians) about z; on the table this is yaw.
func RotZ(angle float64) Rot { return AxisAngle(Vec{Z: 1}, angle) }

// MulRot is the turn b followed by the turn a (a·b).
func MulRot(a, b Rot) Rot { return quat.Mul(a, b) }

// InvRot undoes the unit quaternion q.
func InvRot(q Rot) Rot { return quat.Conj(q) }

// Rotate turns v by q.
func Rotate(q Rot, v Vec) Vec {
	u := Vec{X: q.Imag, Y: q.Jmag, Z: q.Kmag}
	t := r3.Scale(2, r3.Cross(u, v))
	return r3.Add(r3.Add(v, r3.Scale(q.Real, t)), r3.Cross(u, t))
}

// AngleOf is the turn between identity and q, in [0, π].
func AngleOf(q Rot) float64 {
	im := math.Sqrt(q.Imag*q.Imag + q.Jmag*q.Jmag + q.Kmag*q.Kmag)
	return 2 * math.Atan2(im, math.Abs(q.Real))
}

// Apply maps a point of the inner frame to the outer one.
func (p Pose) Apply(v Vec) Vec { return r3.Add(Rotate(p.Rot, v), p.Pos) }

// Mul chains poses: q stands in p's inner frame, the result stands in p's outer frame.
func (p Pose) Mul(q Pose) Pose { return Pose{Pos: p.Apply(q.Pos), Rot: MulRot(p.Rot, q.Rot)} }

// Inv swaps inner and outer frame.
func (p Pose) Inv() Pose {
	r := InvRot(p.Rot)
	return Pose{Pos: r3.Scale(-1, Rotate(r, p.Pos)), Rot: r}
}

// RotFromMat is the quaternion of a proper rotation matrix given row by row.
func RotFromMat(m [9]float64) Rot {
	var q Rot
	switch tr := m[0] + m[4] + m[8]; {
	case tr > 0:
		s := math.Sqrt(tr+1) * 2
		q = Rot{Real: s / 4, Imag: (m[7] - m[5]) / s, Jmag: (m[2] - m[6]) / s, Kmag: (m[3] - m[1]) / s}
	case m[0] > m[4] && m[0] > m[8]:
		s := math.Sqrt(1+m[0]-m[4]-m[8]) * 2
		q = Rot{Real: (m[7] - m[5]) / s, Imag: s / 4, Jmag: (m[1] + m[3]) / s, Kmag: (m[2] + m[6]) / s}
	case m[4] > m[8]:
		s := math.Sqrt(1+m[4]-m[0]-m[8]) * 2
		q = Rot{Real: (m[2] - m[6]) / s, Imag: (m[1] + m[3]) / s, Jmag: s / 4, Kmag: (m[5] + m[7]) / s}
	default:
		s := math.Sqrt(1+m[8]-m[0]-m[4]) * 2
		q = Rot{Real: (m[3] - m[1]) / s, Imag: (m[2] + m[6]) / s, Jmag: (m[5] + m[7]) / s, Kmag: s / 4}
	}
	return quat.Scale(1/quat.Abs(q), q)
}

// Mat is the rotation matrix of q, row by row.
func Mat(q Rot) [9]float64 {
	x, y, z := Rotate(q, Vec{X: 1}), Rotate(q, Vec{Y: 1}), Rotate(q, Vec{Z: 1})
	return [9]float64{x.X, y.X, z.X, x.Y, y.Y, z.Y, x.Z, y.Z, z.Z}
}
