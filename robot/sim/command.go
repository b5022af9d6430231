package sim

import (
	"fmt"
	"math"

	"github.com/rein-robotics/rein/robot"
)

// Do hands a command to the servos.
func (r *Robot) Do(c robot.Command) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch err := r.Err(); {
	case r.closed:
		return errClosed
	case err != nil:
		return err
	}
	for i := range r.arms {
		switch m := c.Target.Module; {
		case m == r.arms[i].name:
			return r.doArm(i, &c.Target)
		case m == r.arms[i].gripper && m != "":
			return r.doGripper(i, &c.Target)
		}
	}
	return fmt.Errorf("commanding %q: the robot has no such arm or gripper", c.Target.Module)
}

func (r *Robot) doArm(i int, t *robot.Target) error {
	n := len(r.arms[i].arm.Chain.Joints)
	switch {
	case t.Hold:
		r.world.HoldArm(i)
		return nil
	case t.Pose != nil:
		return fmt.Errorf("commanding %s: it takes joint angles, not poses", t.Module)
	case len(t.Joints) != n:
		return fmt.Errorf("commanding %s: %d joint angles for %d joints", t.Module, len(t.Joints), n)
	}
	for _, q := range t.Joints {
		if math.IsNaN(q) || math.IsInf(q, 0) {
			return fmt.Errorf("commanding %s: a joint angle is not a number", t.Module)
		}
	}
	r.world.SetJoints(i, t.Joints)
	return nil
}

func (r *Robot) doGripper(i int, t *robot.Target) error {
	switch {
	case t.Hold:
		r.world.HoldGrip(i)
		return nil
	case t.ApertureM == nil:
		return fmt.Errorf("commanding %s: an aperture is needed", t.Module)
	case math.IsNaN(*t.ApertureM) || math.IsInf(*t.ApertureM, 0) || math.IsNaN(t.ForceN):
		return fmt.Errorf("commanding %s: aperture or force is not a number", t.Module)
	}
	r.world.SetGrip(i, *t.ApertureM, t.ForceN)
	return nil
}

// tipSpeed is how fast the tool's origin moves, in m/s.
func tipSpeed(a *robot.Arm, q, v []float64) float64 {
	n := len(q)
	jac := make([]float64, 6*n)
	a.Chain.Jacobian(q, jac)
	var sum float64
	for row := range 3 {
		var x float64
		for i := range n {
			x += jac[row*n+i] * v[i]
		}
		sum += x * x
	}
	return math.Sqrt(sum)
}
