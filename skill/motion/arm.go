// Package motion holds what skills are made of: an arm as skills see it, paths that keep clear of what lies below them,
// and steps that a skill goes through one after the other.
//
// Its one invariant: every path was sampled and found reachable before its first command is sent.
package motion

import (
	"fmt"
	"math"
	"time"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
)

const (
	// speedShare of a joint's limit is used, so that the servo keeps up and the shield has nothing to clamp.
	speedShare = 0.92
	// TipMargin is how far above the shield's floor skills keep the fingertips, metres.
	TipMargin = 0.001
	// ramp is the time from rest to full speed.
	ramp = 180 * time.Millisecond
)

// Arm is one arm with its gripper, as skills see it. It is immutable.
type Arm struct {
	Name    string
	Gripper string
	Chain   geom.Chain
	Finger  geom.Vec // size of one finger along the tool's x, y (thickness) and z, metres
	MaxOpen float64  // metres
	MinOpen float64
	MinTipZ float64 // metres; skills command nothing below

	speeds []float64
	reach  geom.Box
}

// NewArm reads the description of an arm that takes joint targets, and of its gripper; nil = the gripper is not needed.
func NewArm(arm, gripper *robot.Module) (*Arm, error) {
	if arm.Arm == nil || gripper != nil && gripper.Gripper == nil {
		return nil, fmt.Errorf("%s: an arm and a gripper are needed", arm.Name)
	}
	if len(arm.Arm.Chain.Joints) == 0 {
		return nil, fmt.Errorf("%s: the description has no kinematics; this skill plans its own paths and needs them", arm.Name)
	}
	a := &Arm{
		Name: arm.Name, Chain: arm.Arm.Chain, MinTipZ: arm.Arm.MinTipZ + TipMargin, reach: arm.Arm.Workspace,
	}
	if gripper != nil {
		g := gripper.Gripper
		a.Gripper, a.Finger, a.MaxOpen, a.MinOpen = gripper.Name, g.FingerM, g.MaxApertureM, g.MinApertureM
	}
	for i := range a.Chain.Joints {
		v := 1.5
		if i < len(arm.Arm.MaxSpeed) && arm.Arm.MaxSpeed[i] > 0 {
			v = arm.Arm.MaxSpeed[i]
		}
		a.speeds = append(a.speeds, v*speedShare)
	}
	return a, nil
}

// State is the arm's newest reading; ok is false when it has none.
func (a *Arm) State(r *robot.Readings) (s robot.ArmState, ok bool) {
	if r == nil {
		return s, false
	}
	s, ok = r.Arms[a.Name]
	return s, ok && len(s.Joints) == len(a.Chain.Joints)
}

// Aperture is the gripper's newest aperture in metres.
func (a *Arm) Aperture(r *robot.Readings) float64 { return r.Grippers[a.Gripper].ApertureM }

// Start is where a path begins: at what the servos were told, when the arm is there, so that nothing jumps.
func (a *Arm) Start(s robot.ArmState) []float64 {
	if len(s.Targets) != len(s.Joints) {
		return s.Joints
	}
	for i := range s.Joints {
		if math.Abs(s.Targets[i]-s.Joints[i]) > 0.08 {
			return s.Joints
		}
	}
	return s.Targets
}

// Timed gives a path times with the fingertips at most at tipSpeed (m/s; 0 = as fast as the joints allow).
func (a *Arm) Timed(p *geom.Path, tipSpeed float64) (*geom.Trajectory, error) {
	return p.Timed(geom.SpeedLimits{Joints: a.speeds, TipSpeed: tipSpeed, Ramp: ramp})
}

// Down solves the gripper pointing straight down at tip with closing axis turned by yaw or by yaw + π.
// An error is a *skill.Refusal of out_of_reach.
func (a *Arm) Down(tip geom.Vec, yaw float64, near []float64) ([]float64, error) {
	if !a.reach.Contains(tip) && a.reach != (geom.Box{}) {
		return nil, OutOfReach(fmt.Sprintf("(%.3f, %.3f, %.3f) lies outside the workspace of %s", tip.X, tip.Y, tip.Z, a.Name))
	}
	q, err := geom.SolveSymmetric(a.Chain, geom.Down(tip, yaw), near)
	if err != nil {
		return nil, OutOfReach(err.Error())
	}
	return q, nil
}

// DownExact is Down at just this yaw: what is held off the gripper's axis would be elsewhere at yaw + π.
func (a *Arm) DownExact(tip geom.Vec, yaw float64, near []float64) ([]float64, error) {
	if !a.reach.Contains(tip) && a.reach != (geom.Box{}) {
		return nil, OutOfReach(fmt.Sprintf("(%.3f, %.3f, %.3f) lies outside the workspace of %s", tip.X, tip.Y, tip.Z, a.Name))
	}
	q, err := a.Chain.Solve(geom.Down(tip, yaw), near)
	if err != nil {
		return nil, OutOfReach(err.Error())
	}
	return q, nil
}

// Offset is where the point (x, y) of the tool frame stands in the world, relative to the fingertips, when the gripper
// points straight down at yaw.
func Offset(at geom.Vec, yaw float64) geom.Vec {
	s, c := math.Sincos(yaw)
	return geom.Vec{X: c*at.X + s*at.Y, Y: s*at.X - c*at.Y}
}

// InTool undoes Offset, which undoes itself: it mirrors the plane.
func InTool(world geom.Vec, yaw float64) geom.Vec { return Offset(world, yaw) }

// Line is the straight path of the fingertips from the joints `from` to the pose.
// An error is a *skill.Refusal of out_of_reach.
func (a *Arm) Line(from []float64, to geom.Pose) (*geom.Path, error) {
	p, err := a.Chain.LinePath(from, to, geom.LineOptions{Symmetric: true})
	if err != nil {
		return nil, OutOfReach(err.Error())
	}
	return p, a.above(p)
}

// Swing is the path with every joint turning evenly. An error is a *skill.Refusal of out_of_reach.
func (a *Arm) Swing(from, to []float64) (*geom.Path, error) {
	p, err := a.Chain.JointPath(from, to)
	if err != nil {
		return nil, OutOfReach(err.Error())
	}
	return p, a.above(p)
}

// Safe is the path to joints: straight through the joints where the fingertips stay above the table, else up first.
// An error is a *skill.Refusal of out_of_reach.
func (a *Arm) Safe(from, to []float64) (*geom.Path, error) {
	p, err := a.Swing(from, to)
	if err == nil {
		return p, nil
	}
	for _, rise := range [3]float64{0.05, 0.10, 0.15} {
		tip := a.Chain.Tip(from)
		tip.Pos.Z += rise
		up, errUp := a.Line(from, tip)
		if errUp != nil {
			continue
		}
		if rest, errRest := a.Swing(up.End(), to); errRest == nil {
			return up.Append(rest), nil
		}
	}
	return nil, err
}

// LineTo is Line to a pose that is meant as given, not turned by half a turn.
func (a *Arm) LineTo(from []float64, to geom.Pose) (*geom.Path, error) {
	p, err := a.Chain.LinePath(from, to, geom.LineOptions{})
	if err != nil {
		return nil, OutOfReach(err.Error())
	}
	return p, a.above(p)
}

// above refuses a path that would bring the fingertips lower than the arm may go. A path that begins there may leave.
func (a *Arm) above(p *geom.Path) error {
	low := math.Min(a.MinTipZ, p.Tips[0].Pos.Z)
	if z := p.LowestTip(); z < low-1e-4 {
		return OutOfReach(fmt.Sprintf("the fingertips would come to %.0f mm above the table; at least %.0f mm are kept", z*1000, a.MinTipZ*1000))
	}
	return nil
}

// OutOfReach is the refusal of a call that the arm cannot reach.
func OutOfReach(reason string) *skill.Refusal {
	return &skill.Refusal{Code: "out_of_reach", Message: reason, Hint: "choose a point nearer to the middle of the arm's reach, or another object"}
}

// YawOf is the yaw of a gripper that points (nearly) straight down, as geom.Down takes it.
func YawOf(tip geom.Pose) float64 {
	x := geom.Rotate(tip.Rot, geom.Vec{X: 1})
	return math.Atan2(x.Y, x.X)
}
