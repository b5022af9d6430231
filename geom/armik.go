package geom

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/spatial/r3"
)

const (
	// maxStretch is the largest wrist distance from the shoulder, as a share of both links: beyond it a millimetre
	// outwards costs degrees of the elbow.
	maxStretch = 0.985
	// minWristRadius is how near to the pan axis the wrist centre may come: nearer, the pan turns wildly.
	minWristRadius = 0.06
	// handClearance is how near the line from wrist to fingertips may come to the column under the shoulder, metres.
	handClearance = 0.07
	// limitSlack forgives rounding at a joint limit, rad.
	limitSlack = 1e-9
)

// Solve is the closed form for any pose of the tool frame: elbow up, the gripper less than a quarter turn to the side
// of the forearm's plane. near only chooses the turn of the roll; nil stands for zeros. The foot is at the world's
// origin. The error is a *ReachError.
func (s ArmShape) Solve(target Pose, near []float64) ([]float64, error) {
	if !target.Finite() {
		return nil, unreachable(target.Pos, "the target is not a finite pose")
	}
	wrist := r3.Sub(target.Pos, r3.Scale(s.WristToTip, target.ToolAxis()))
	q := make([]float64, armJoints)
	if err := s.reach(target.Pos, wrist, q); err != nil {
		return nil, err
	}
	column := Segment{B: Vec{Z: s.ShoulderUp}}
	if free := column.Distance(Segment{A: wrist, B: target.Pos}); free < handClearance {
		return nil, unreachable(target.Pos, "the gripper would be %.2f m from the arm's own column; it needs %.2f m", free, handClearance)
	}
	fore := MulRot(RotZ(q[ShoulderPan]), RotY(q[ShoulderLift]+q[ElbowFlex]))
	m := Mat(MulRot(InvRot(fore), MulRot(target.Rot, InvRot(toolInRoll()))))
	q[WristYaw] = math.Asin(Clamp(m[3], -1, 1))
	q[WristFlex] = math.Atan2(-m[6], m[0])
	q[WristRoll] = s.nearestRoll(math.Atan2(-m[5], m[4]), near)
	if err := s.withinLimits(target.Pos, q); err != nil {
		return nil, err
	}
	return q, nil
}

// ToolDown is Solve for the gripper pointing straight down at tip with its closing axis turned by yaw, given or turned
// by π (a parallel gripper is symmetric): whichever needs the smaller turn of the roll from near.
func (s ArmShape) ToolDown(tip Vec, yaw float64, near []float64) ([]float64, error) {
	return SolveSymmetric(s, Down(tip, yaw), near)
}

// Tilted is ToolDown with the gripper tilted by tilt (rad, positive: fingers point away from the foot) as DownTilted says.
func (s ArmShape) Tilted(tip Vec, yaw, tilt float64, near []float64) ([]float64, error) {
	return SolveSymmetric(s, DownTilted(tip, yaw, tilt), near)
}

// reach sets pan, lift and elbow so that the wrist centre is where it should be.
func (s ArmShape) reach(tip, wrist Vec, q []float64) error {
	r := flat(wrist)
	if r < minWristRadius {
		return unreachable(tip, "the wrist would be %.2f m from the foot's axis; it needs %.2f m to turn", r, minWristRadius)
	}
	q[ShoulderPan] = math.Atan2(wrist.Y, wrist.X)
	if lo, hi := s.Limits[ShoulderPan][0], s.Limits[ShoulderPan][1]; q[ShoulderPan] < lo-limitSlack || q[ShoulderPan] > hi+limitSlack {
		return unreachable(tip, "it lies %.0f° to the side; the shoulder turns from %.0f° to %.0f°", Deg(q[ShoulderPan]), Deg(lo), Deg(hi))
	}
	x, z := r-s.ShoulderForward, wrist.Z-s.ShoulderUp
	if err := s.span(tip, r, x, z); err != nil {
		return err
	}
	q[ShoulderLift], q[ElbowFlex], _ = s.planar(x, z)
	return nil
}

// span refuses a wrist centre (r from the pan axis; x before and z above the shoulder) that the links cannot span.
func (s ArmShape) span(tip Vec, r, x, z float64) error {
	d, far := math.Hypot(x, z), maxStretch*(s.UpperArm+s.Forearm)
	beyond := flat(tip) - r // how much further out than the wrist the tips are
	if d > far && math.Abs(z) >= far {
		return unreachable(tip, "at a height of %.2f m; with this tilt the arm reaches heights from %.2f m to %.2f m", tip.Z, tip.Z-z-far, tip.Z-z+far)
	}
	if d > far {
		return unreachable(tip, "%.2f m from the foot; the arm reaches %.2f m at this height", flat(tip), s.ShoulderForward+math.Sqrt(far*far-z*z)+beyond)
	}
	bend := s.Limits[ElbowFlex][1]
	near := math.Sqrt(s.UpperArm*s.UpperArm + s.Forearm*s.Forearm + 2*s.UpperArm*s.Forearm*math.Cos(bend))
	if d >= near {
		return nil
	}
	least := s.ShoulderForward + math.Sqrt(math.Max(0, near*near-z*z)) + beyond
	return unreachable(tip, "%.2f m from the foot is too near; at this height the arm needs %.2f m", flat(tip), least)
}

// nearestRoll is the turn of the roll, the same up to whole turns, that lies within the limits and nearest to near; when
// none lies within, the one nearest to near.
func (s ArmShape) nearestRoll(roll float64, near []float64) float64 {
	from := 0.0
	if len(near) == armJoints {
		from = near[WristRoll]
	}
	best, bestCost := roll, math.Inf(1)
	for _, c := range [3]float64{roll - 2*math.Pi, roll, roll + 2*math.Pi} {
		cost := math.Abs(c - from)
		if c < s.Limits[WristRoll][0]-limitSlack || c > s.Limits[WristRoll][1]+limitSlack {
			cost += 100
		}
		if cost < bestCost {
			best, bestCost = c, cost
		}
	}
	return best
}

func (s ArmShape) withinLimits(tip Vec, q []float64) error {
	for i, v := range q {
		if lo, hi := s.Limits[i][0], s.Limits[i][1]; v < lo-limitSlack || v > hi+limitSlack {
			return unreachable(tip, "%s would need %.0f°; it turns from %.0f° to %.0f°", jointName(i), Deg(v), Deg(lo), Deg(hi))
		}
		q[i] = Clamp(v, s.Limits[i][0], s.Limits[i][1])
	}
	return nil
}

func jointName(i int) string {
	names := [armJoints]string{"shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_yaw", "wrist_roll"}
	if i < 0 || i >= len(names) {
		return fmt.Sprintf("joint %d", i)
	}
	return names[i]
}
