package safety

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
)

const (
	defaultPeriod = 10 * time.Millisecond
	defaultMaxAge = 100 * time.Millisecond
	// speedSlack forgives rounding in the step of a trajectory that runs at full speed.
	speedSlack = 1.01
	// limitSlack is how far beyond a joint's limit a target is still clamped; beyond that the sender is wrong. rad.
	limitSlack = 2 * math.Pi / 180
)

// Options are the shield's numbers. Zero values mean the defaults.
type Options struct {
	Period time.Duration // of the control loop; one command a period moves a joint by MaxSpeed · Period; default 10 ms
	MaxAge time.Duration // of a command and of the readings; default 100 ms
}

// Shield judges commands for one robot. It keeps no state, so any goroutine may call it.
type Shield struct {
	desc   *robot.Description
	period time.Duration
	maxAge time.Duration
}

// New makes the shield of a robot. The error lists what the description lacks to guard it.
func New(d *robot.Description, opt Options) (*Shield, error) {
	if opt.Period == 0 {
		opt.Period = defaultPeriod
	}
	if opt.MaxAge == 0 {
		opt.MaxAge = defaultMaxAge
	}
	var errs []error
	if opt.Period < 0 || opt.MaxAge < 0 {
		errs = append(errs, errors.New("safety: period and age must be above 0"))
	}
	for i := range d.Modules {
		if err := guardable(&d.Modules[i]); err != nil {
			errs = append(errs, fmt.Errorf("safety: %s: %w", d.Modules[i].Name, err))
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return &Shield{desc: d, period: opt.Period, maxAge: opt.MaxAge}, nil
}

// guardable says what a module's description lacks.
func guardable(m *robot.Module) error {
	switch {
	case m.Arm != nil:
		return guardableArm(m.Arm)
	case m.Gripper != nil && !(m.Gripper.MaxApertureM > m.Gripper.MinApertureM):
		return errors.New("the gripper's largest aperture is not above its smallest")
	case m.Gripper != nil && !(m.Gripper.MaxForceN >= 0):
		return errors.New("the gripper's largest force is below 0")
	}
	return nil
}

func guardableArm(a *robot.Arm) error {
	size := func(lo, hi float64) bool { return hi > lo }
	if !size(a.Workspace.Min.X, a.Workspace.Max.X) || !size(a.Workspace.Min.Y, a.Workspace.Max.Y) || !size(a.Workspace.Min.Z, a.Workspace.Max.Z) {
		return errors.New("the arm's workspace is an empty box")
	}
	if a.TakesPose {
		return nil
	}
	if len(a.Chain.Joints) == 0 || len(a.MaxSpeed) != len(a.Chain.Joints) {
		return fmt.Errorf("the arm has %d joints and %d speed limits", len(a.Chain.Joints), len(a.MaxSpeed))
	}
	for i, j := range a.Chain.Joints {
		if !(j.Upper > j.Lower) || !(a.MaxSpeed[i] > 0) {
			return fmt.Errorf("joint %s lacks limits or a speed", j.Name)
		}
	}
	return nil
}

// Check gives the command that may go on. Clamped, it is a smaller step towards the same target and why says what was
// changed in plain words; unchanged, why is empty. A refusal is a *Refusal, and then the command is the zero Command.
// A hold always passes. The given command is never written to; an unchanged one is passed without allocating.
func (s *Shield) Check(c robot.Command, r *robot.Readings, now time.Duration) (out robot.Command, why string, err error) {
	t := &c.Target
	if t.Hold {
		return onlyHold(c)
	}
	m := s.desc.Module(t.Module)
	if err := s.admissible(c, m, now); err != nil {
		return robot.Command{}, "", err
	}
	switch {
	case t.ApertureM != nil:
		why, err = clampGripper(&c, m.Gripper)
	case t.Pose != nil:
		err = s.checkPose(t, m.Arm, r, now)
	default:
		why, err = s.checkJoints(&c, m.Arm, r, now)
	}
	if err != nil {
		return robot.Command{}, "", err
	}
	return c, why, nil
}

// onlyHold passes a hold, without whatever else it asks for.
func onlyHold(c robot.Command) (out robot.Command, why string, err error) {
	hold := robot.Target{Module: c.Target.Module, Hold: true}
	if t := &c.Target; t.Joints != nil || t.Pose != nil || t.ApertureM != nil {
		why = "held only; a hold takes no other target"
	}
	c.Target = hold
	return c, why, nil
}

// admissible refuses what needs no readings to be refused.
func (s *Shield) admissible(c robot.Command, m *robot.Module, now time.Duration) error {
	t := &c.Target
	if m == nil {
		return refuse(t.Module, NoModule, "the robot has no module of that name")
	}
	if age := now - c.IssuedAt; age > s.maxAge || age < -s.maxAge {
		return refuse(t.Module, Stale, "it was decided %.2f s ago; at most %.2f s is allowed", age.Seconds(), s.maxAge.Seconds())
	}
	if err := suits(t, m); err != nil {
		return err
	}
	if !finite(t) {
		return refuse(t.Module, NotFinite, "a number of its target is not finite")
	}
	return nil
}

// suits refuses a target that is none, more than one, or one that the module does not take.
func suits(t *robot.Target, m *robot.Module) error {
	given := 0
	for _, is := range [3]bool{t.Joints != nil, t.Pose != nil, t.ApertureM != nil} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return refuse(t.Module, WrongTarget, "it asks for %d things; exactly one is allowed", given)
	case t.ApertureM != nil && m.Gripper == nil:
		return refuse(t.Module, WrongTarget, "an aperture, but the module is no gripper")
	case t.ApertureM != nil:
		return nil
	case m.Arm == nil:
		return refuse(t.Module, WrongTarget, "a place to go to, but the module is no arm")
	case t.ForceN != 0:
		return refuse(t.Module, WrongTarget, "a force, which only a gripper takes")
	case t.Pose != nil && !m.Arm.TakesPose:
		return refuse(t.Module, WrongTarget, "a pose, but this arm takes joint angles")
	case t.Joints != nil && m.Arm.TakesPose:
		return refuse(t.Module, WrongTarget, "joint angles, but this arm takes poses")
	case t.Joints != nil && len(t.Joints) != len(m.Arm.Chain.Joints):
		return refuse(t.Module, WrongTarget, "%d joint angles for %d joints", len(t.Joints), len(m.Arm.Chain.Joints))
	}
	return nil
}

func finite(t *robot.Target) bool {
	for _, v := range t.Joints {
		if !isNumber(v) {
			return false
		}
	}
	if t.Pose != nil && !t.Pose.Finite() {
		return false
	}
	return isNumber(t.ForceN) && (t.ApertureM == nil || isNumber(*t.ApertureM))
}

func isNumber(v float64) bool { return v-v == 0 }

// clampGripper keeps aperture and force within what the gripper has.
func clampGripper(c *robot.Command, g *robot.Gripper) (why string, err error) {
	t := &c.Target
	if t.ForceN < 0 {
		return "", refuse(t.Module, BadForce, "a force of %.1f N; it must not be below 0", t.ForceN)
	}
	asked := *t.ApertureM
	if asked < g.MinApertureM || asked > g.MaxApertureM {
		given := geom.Clamp(asked, g.MinApertureM, g.MaxApertureM)
		t.ApertureM = &given
		why = fmt.Sprintf("aperture %.0f mm instead of %.0f mm, the gripper's limit", given*1000, asked*1000)
	}
	if g.MaxForceN > 0 && t.ForceN > g.MaxForceN {
		why = also(why, fmt.Sprintf("force %.1f N instead of %.1f N, the gripper's limit", g.MaxForceN, t.ForceN))
		t.ForceN = g.MaxForceN
	}
	return why, nil
}

// also joins two remarks, either of which may be empty.
func also(why, more string) string {
	if why == "" || more == "" {
		return why + more
	}
	return why + "; " + more
}
