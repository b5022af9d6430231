package geom

import (
	"math"

	"gonum.org/v1/gonum/spatial/r3"
)

// ArmShape is a six-joint arm with a spherical wrist: shoulder_pan, shoulder_lift, elbow_flex, wrist_flex, wrist_yaw,
// wrist_roll. Lengths are metres, limits radians.
//
// At all zeros the arm is stretched level along +x: upper arm, forearm and gripper in one line at height ShoulderUp, the
// gripper's closing axis sideways. shoulder_pan turns about the vertical through the foot, positive to the left, and
// carries the shoulder ShoulderForward in front of it. The next three turn downwards when positive (about +y), so that
// their sum is the gripper's angle below the horizon; straight down is π/2. The elbow bends only downwards from the
// upper arm (elbow up). wrist_yaw turns the gripper sideways, positive to the left of the forearm's plane seen at zero;
// wrist_roll turns it about its own axis, right-handed about the direction in which the fingers point. The three wrist
// axes meet in the wrist centre; the frame of wrist_roll stands RollForward further out on its axis.
type ArmShape struct {
	ShoulderUp, ShoulderForward float64
	UpperArm, Forearm           float64
	WristToTip                  float64       // from the wrist centre to the point between the fingertips
	RollForward                 float64       // from the wrist centre to the frame of wrist_roll; part of WristToTip
	Limits                      [6][2]float64 // lower, upper
}

// The joints of an ArmShape by their place in the chain.
const (
	ShoulderPan = iota
	ShoulderLift
	ElbowFlex
	WristFlex
	WristYaw
	WristRoll
	armJoints
)

// DefaultArmShape is the embedded arm: every pose 0.15–0.38 m from the foot can be gripped straight down at every yaw.
func DefaultArmShape() ArmShape {
	deg := func(lo, hi float64) [2]float64 { return [2]float64{Rad(lo), Rad(hi)} }
	return ArmShape{
		ShoulderUp: 0.15, ShoulderForward: 0.03,
		UpperArm: 0.18, Forearm: 0.18,
		WristToTip: 0.12, RollForward: 0.035,
		Limits: [6][2]float64{deg(-110, 110), deg(-170, 30), deg(0, 160), deg(-100, 130), deg(-80, 80), deg(-160, 160)},
	}
}

// Chain is the arm as a chain with its foot at the world's origin.
func (s ArmShape) Chain() Chain {
	at := func(x, z float64) Pose { return Pose{Pos: Vec{X: x, Z: z}, Rot: Rot{Real: 1}} }
	joints := []Joint{
		{Name: "shoulder_pan", Origin: at(0, s.ShoulderUp), Axis: Vec{Z: 1}},
		{Name: "shoulder_lift", Origin: at(s.ShoulderForward, 0), Axis: Vec{Y: 1}},
		{Name: "elbow_flex", Origin: at(s.UpperArm, 0), Axis: Vec{Y: 1}},
		{Name: "wrist_flex", Origin: at(s.Forearm, 0), Axis: Vec{Y: 1}},
		{Name: "wrist_yaw", Origin: at(0, 0), Axis: Vec{Z: 1}},
		{Name: "wrist_roll", Origin: at(s.RollForward, 0), Axis: Vec{X: 1}},
	}
	for i := range joints {
		joints[i].Lower, joints[i].Upper = s.Limits[i][0], s.Limits[i][1]
	}
	return Chain{Joints: joints, Tool: Pose{Pos: Vec{X: s.WristToTip - s.RollForward}, Rot: toolInRoll()}, Shape: &s}
}

// toolInRoll turns the tool frame (z out of the gripper) into the frame of wrist_roll (x out of the gripper).
func toolInRoll() Rot { return RotFromMat([9]float64{0, 0, 1, 0, -1, 0, 1, 0, 0}) }

// Home is the folded pose: upper arm leaning back, gripper over the shoulder pointing down and 25° outwards, pan 0. All
// of the default arm and a gripper of usual size, with a camera 50 mm beside it on the tool's +x side, is at x < 0.08.
func (s ArmShape) Home() []float64 { return s.folded(Vec{X: -0.04, Z: 0.20}) }

// HomeHolding is Home a hand's breadth higher, so that what hangs from the gripper clears the shoulder.
func (s ArmShape) HomeHolding() []float64 { return s.folded(Vec{X: -0.04, Z: 0.26}) }

// folded puts the wrist centre at the given place before the shoulder (x forward, z up, for a reach of 0.36 m; scaled
// with the arm) with the gripper 25° out of straight down. It stays within the limits whatever the shape.
func (s ArmShape) folded(wrist Vec) []float64 {
	k := (s.UpperArm + s.Forearm) / 0.36
	q := make([]float64, armJoints)
	lift, elbow, _ := s.planar(k*wrist.X, k*wrist.Z)
	q[ShoulderLift], q[ElbowFlex], q[WristFlex] = lift, elbow, Rad(65)-lift-elbow
	for i := range q {
		q[i] = Clamp(q[i], s.Limits[i][0], s.Limits[i][1])
	}
	return q
}

// planar solves the two links for a wrist centre x before and z above the shoulder, elbow up; ok is false when it is out
// of the links' reach, and then the answer points there, stretched or folded.
func (s ArmShape) planar(x, z float64) (lift, elbow float64, ok bool) {
	d := math.Hypot(x, z)
	a, b := s.UpperArm, s.Forearm
	ok = d <= a+b && d >= math.Abs(a-b) && d > 0
	d = math.Max(d, 1e-9)
	inner := math.Acos(Clamp((a*a+d*d-b*b)/(2*a*d), -1, 1)) // between the upper arm and the line to the wrist
	bend := math.Acos(Clamp((a*a+b*b-d*d)/(2*a*b), -1, 1))  // inside the elbow
	return WrapAngle(-math.Atan2(z, x) - inner), math.Pi - bend, ok
}

// Down is the tool frame at tip pointing straight down, its closing axis turned by yaw: at yaw 0 the tool's x is the
// world's +x and its y the world's −y.
func Down(tip Vec, yaw float64) Pose { return Pose{Pos: tip, Rot: MulRot(RotZ(yaw), RotX(math.Pi))} }

// DownTilted is Down(tip, yaw) turned in the vertical plane through the foot's axis and the tip by tilt: positive points
// the fingers outwards, away from the foot. The foot stands at the world's origin.
func DownTilted(tip Vec, yaw, tilt float64) Pose {
	p := Down(tip, yaw)
	b := math.Atan2(tip.Y, tip.X)
	p.Rot = MulRot(AxisAngle(Vec{X: -math.Sin(b), Y: math.Cos(b)}, -tilt), p.Rot)
	return p
}

// Flipped is the pose turned by half a turn about the tool's own axis: for a symmetric gripper the same grip.
func (p Pose) Flipped() Pose { return Pose{Pos: p.Pos, Rot: MulRot(p.Rot, Rot{Kmag: 1})} }

// ToolAxis is the direction out of the gripper, in the outer frame.
func (p Pose) ToolAxis() Vec { return Rotate(p.Rot, Vec{Z: 1}) }

// distance is the largest and the summed turn between two joint poses.
func distance(a, b []float64) (largest, sum float64) {
	for i := range a {
		d := math.Abs(a[i] - b[i])
		largest, sum = math.Max(largest, d), sum+d
	}
	return largest, sum
}

// flat is the horizontal distance of p from the world's z axis.
func flat(p Vec) float64 { return math.Hypot(p.X, p.Y) }

// between is the distance of two points.
func between(a, b Vec) float64 { return r3.Norm(r3.Sub(a, b)) }
