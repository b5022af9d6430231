package safety

import (
	"fmt"
	"math"
	"time"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
)

// arm finds the fresh state of an arm; its last target is what steps are counted from.
func (s *Shield) arm(module string, r *robot.Readings, now time.Duration) (robot.ArmState, error) {
	if r == nil {
		return robot.ArmState{}, refuse(module, Blind, "the robot has not reported anything yet")
	}
	if age := now - r.At; age > s.maxAge {
		return robot.ArmState{}, refuse(module, Blind, "the newest readings are %.2f s old; at most %.2f s is allowed", age.Seconds(), s.maxAge.Seconds())
	}
	a, ok := r.Arms[module]
	if !ok {
		return robot.ArmState{}, refuse(module, Blind, "the readings say nothing of it")
	}
	return a, nil
}

// checkJoints clamps joint angles to limits and speed, then judges where that leads. It replaces c's angles only by a
// slice of its own.
func (s *Shield) checkJoints(c *robot.Command, a *robot.Arm, r *robot.Readings, now time.Duration) (why string, err error) {
	t := &c.Target
	state, err := s.arm(t.Module, r, now)
	if err != nil {
		return "", err
	}
	last := state.Targets
	if last == nil {
		last = state.Joints
	}
	if !numbers(last, len(t.Joints)) {
		return "", refuse(t.Module, Blind, "the readings of its joints are incomplete")
	}
	if why, err = clampLimits(t, a, last); err != nil {
		return "", err
	}
	period := s.period + min(max(0, now-r.At), s.period) // a late tick may catch up by one period
	why = also(why, slow(t, a, last, period.Seconds()))
	return why, s.judgeJoints(t, a, last, r)
}

func numbers(q []float64, n int) bool {
	for _, v := range q {
		if !isNumber(v) {
			return false
		}
	}
	return len(q) == n
}

// clampLimits brings angles a little beyond a limit back to it and refuses others; an arm that already stands beyond a
// limit may stay there, not go on.
func clampLimits(t *robot.Target, a *robot.Arm, last []float64) (why string, err error) {
	asked := t.Joints
	for i := range asked {
		j := &a.Chain.Joints[i]
		lo, hi := math.Min(j.Lower, last[i]), math.Max(j.Upper, last[i])
		if asked[i] >= lo && asked[i] <= hi {
			continue
		}
		if asked[i] < lo-limitSlack || asked[i] > hi+limitSlack {
			return "", refuse(t.Module, JointLimit, "%s to %.1f°; it turns from %.0f° to %.0f°", j.Name, geom.Deg(asked[i]), geom.Deg(j.Lower), geom.Deg(j.Upper))
		}
		if why == "" {
			t.Joints = append([]float64(nil), asked...)
		}
		t.Joints[i] = geom.Clamp(asked[i], lo, hi)
		why = also(why, fmt.Sprintf("%s kept at its limit of %.1f°", j.Name, geom.Deg(t.Joints[i])))
	}
	return why, nil
}

// slow shortens the step from the last target so that no joint turns faster than it may; the direction stays.
func slow(t *robot.Target, a *robot.Arm, last []float64, seconds float64) (why string) {
	share, worst := 1.0, 0
	for i, q := range t.Joints {
		step, most := math.Abs(q-last[i]), a.MaxSpeed[i]*seconds
		if step > most*speedSlack && most/step < share {
			share, worst = most/step, i
		}
	}
	if share == 1 {
		return ""
	}
	asked := math.Abs(t.Joints[worst]-last[worst]) / seconds
	q := make([]float64, len(last))
	for i := range q {
		q[i] = last[i] + share*(t.Joints[i]-last[i])
	}
	t.Joints = q
	return fmt.Sprintf("slowed to %.2f rad/s; %s was asked to turn at %.2f rad/s", a.MaxSpeed[worst], a.Chain.Joints[worst].Name, asked)
}

// judgeJoints refuses angles that bring fingertips or links where they may not be, unless they lead back from there.
func (s *Shield) judgeJoints(t *robot.Target, a *robot.Arm, last []float64, r *robot.Readings) error {
	aperture := apertureOf(a, r)
	tip, now := a.Chain.Tip(t.Joints), a.Chain.Tip(last)
	if err := s.judgeTip(t.Module, a, place{tip, s.lowest(a, tip, aperture)}, place{now, s.lowest(a, now, aperture)}); err != nil {
		return err
	}
	i, low := lowestLink(a.Chain, t.Joints)
	if low >= a.LinkRadius {
		return nil
	}
	if _, was := lowestLink(a.Chain, last); low > was {
		return nil
	}
	return refuse(t.Module, TooLow, "%s would be %.0f mm above the table; the arm is %.0f mm thick", a.Chain.Joints[i].Name, low*1000, 2000*a.LinkRadius)
}

// place is where the gripper is and its lowest fingertip.
type place struct {
	tip    geom.Pose
	lowest float64
}

// judgeTip refuses a place too low or out of the workspace, unless it is better than the present one.
func (s *Shield) judgeTip(module string, a *robot.Arm, to, from place) error {
	if to.lowest < a.MinTipZ && to.lowest <= from.lowest {
		return refuse(module, TooLow, "the fingertips would be %.1f mm above the table; at least %.1f mm is kept", to.lowest*1000, a.MinTipZ*1000)
	}
	if out := outside(a.Workspace, to.tip.Pos); out > 0 && !(out < outside(a.Workspace, from.tip.Pos)) {
		p := to.tip.Pos
		return refuse(module, OutOfWorkspace, "the fingertips would be at (%.3f, %.3f, %.3f), %.0f mm out of the workspace", p.X, p.Y, p.Z, out*1000)
	}
	return nil
}

// outside is how far p lies out of the box, 0 inside.
func outside(b geom.Box, p geom.Vec) float64 {
	beyond := func(x, lo, hi float64) float64 { return math.Max(0, math.Max(lo-x, x-hi)) }
	return math.Hypot(math.Hypot(beyond(p.X, b.Min.X, b.Max.X), beyond(p.Y, b.Min.Y, b.Max.Y)), beyond(p.Z, b.Min.Z, b.Max.Z))
}

// apertureOf is the present aperture of the gripper that the arm carries, 0 when it is not known.
func apertureOf(a *robot.Arm, r *robot.Readings) float64 {
	if r == nil || a.Gripper == "" {
		return 0
	}
	if m := r.Grippers[a.Gripper].ApertureM; isNumber(m) && m > 0 {
		return m
	}
	return 0
}

// lowest is the height of the lowest corner of the fingertips when the tool frame stands at tip: the origin lies
// between the tips, and a tilted gripper has corners below it.
func (s *Shield) lowest(a *robot.Arm, tip geom.Pose, aperture float64) float64 {
	m := s.desc.Module(a.Gripper)
	if m == nil || m.Gripper == nil {
		return tip.Pos.Z
	}
	x, y := geom.Rotate(tip.Rot, geom.Vec{X: 1}).Z, geom.Rotate(tip.Rot, geom.Vec{Y: 1}).Z
	return tip.Pos.Z - math.Abs(x)*m.Gripper.FingerM.X/2 - math.Abs(y)*(aperture/2+m.Gripper.FingerM.Y)
}

// lowestLink is the joint after the shoulder whose place is lowest, and its height.
func lowestLink(c geom.Chain, q []float64) (joint int, z float64) {
	z = math.Inf(1)
	p := geom.Identity()
	for i := range c.Joints {
		p = p.Mul(c.Joints[i].Frame(q[i]))
		if i > 1 && p.Pos.Z < z {
			joint, z = i, p.Pos.Z
		}
	}
	return joint, z
}

// checkPose judges a pose for an arm that does its own inverse kinematics.
func (s *Shield) checkPose(t *robot.Target, a *robot.Arm, r *robot.Readings, now time.Duration) error {
	state, err := s.arm(t.Module, r, now)
	if err != nil {
		return err
	}
	if n := norm(t.Pose.Rot); math.Abs(n-1) > 1e-3 {
		return refuse(t.Module, WrongTarget, "its orientation is no unit quaternion (length %.3f)", n)
	}
	if !state.Tip.Finite() {
		return refuse(t.Module, Blind, "the readings of its tip are not numbers")
	}
	aperture := apertureOf(a, r)
	return s.judgeTip(t.Module, a, place{*t.Pose, s.lowest(a, *t.Pose, aperture)}, place{state.Tip, s.lowest(a, state.Tip, aperture)})
}

func norm(q geom.Rot) float64 {
	return math.Sqrt(q.Real*q.Real + q.Imag*q.Imag + q.Jmag*q.Jmag + q.Kmag*q.Kmag)
}
