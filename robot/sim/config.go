package sim

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rein-robotics/rein/clock"
	"github.com/rein-robotics/rein/robot"
	world "github.com/rein-robotics/rein/sim"
	"github.com/rein-robotics/rein/sim/mujoco"
	"github.com/rein-robotics/rein/sim/render"
)

// Config is what a robot is made of. Names of modules are the description's.
type Config struct {
	Description *robot.Description
	Home        map[string][]float64 // rad, by arm; where each arm is at the beginning
	Scene       *world.Scene
	Seed        uint64         // of the scene and the sensors
	Engine      *mujoco.Engine // stays the caller's
	Period      time.Duration  // control period; 0 = 10 ms
	Pace        clock.Pace
	Light       render.Light // zero = the usual light
	NoNoise     bool         // perfect sensors, for tests that need them
}

// check says all that is wrong.
func (c *Config) check() error {
	if c.Description == nil || c.Scene == nil || c.Engine == nil {
		return errors.New("opening the simulated robot: description, scene and engine are needed")
	}
	var errs []error
	note := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("opening the simulated robot: "+format, args...))
	}
	for i := range c.Description.Modules {
		m := &c.Description.Modules[i]
		switch {
		case m.Kind == robot.KindArm && m.Arm == nil, m.Kind == robot.KindGripper && m.Gripper == nil, m.Kind == robot.KindCamera && m.Camera == nil:
			note("module %s is called a %s and does not say what it is like", m.Name, m.Kind)
		case m.Arm != nil:
			c.checkArm(m, note)
		case m.Gripper != nil && c.carrierOf(m.Name) == "":
			note("no arm carries the gripper %s", m.Name)
		case m.Camera != nil && m.Camera.Mount == robot.MountMoving && c.arm(m.Camera.Arm) == nil:
			note("camera %s is carried by %q, which is no arm of the robot", m.Name, m.Camera.Arm)
		}
	}
	for _, f := range c.Scene.Faults {
		if m := c.Description.Module(f.Camera); m == nil || m.Camera == nil {
			note("scene %s has a fault of %q, which is no camera of the robot; it has %s", c.Scene.Name, f.Camera, strings.Join(c.cameras(), ", "))
		}
	}
	return errors.Join(errs...)
}

func (c *Config) checkArm(m *robot.Module, note func(string, ...any)) {
	switch g := c.Description.Module(m.Arm.Gripper); {
	case m.Arm.TakesPose:
		note("arm %s takes poses; the simulated arm takes joint angles", m.Name)
	case len(c.Home[m.Name]) != len(m.Arm.Chain.Joints):
		note("arm %s has %d joints, but its home pose has %d angles", m.Name, len(m.Arm.Chain.Joints), len(c.Home[m.Name]))
	case m.Arm.Gripper != "" && (g == nil || g.Gripper == nil):
		note("arm %s carries %q, which is no gripper of the robot", m.Name, m.Arm.Gripper)
	}
}

func (c *Config) arm(name string) *robot.Arm {
	if m := c.Description.Module(name); m != nil {
		return m.Arm
	}
	return nil
}

// carrierOf is the arm that carries a gripper, "" for none.
func (c *Config) carrierOf(gripper string) string {
	i := slices.IndexFunc(c.Description.Modules, func(m robot.Module) bool { return m.Arm != nil && m.Arm.Gripper == gripper })
	if i < 0 {
		return ""
	}
	return c.Description.Modules[i].Name
}

func (c *Config) cameras() []string {
	var names []string
	for i := range c.Description.Modules {
		if c.Description.Modules[i].Camera != nil {
			names = append(names, c.Description.Modules[i].Name)
		}
	}
	return names
}

// physical is an arm of the description for the physics.
func (c *Config) physical(m *robot.Module) world.Arm {
	a := world.Arm{Chain: m.Arm.Chain, Home: c.Home[m.Name], MaxSpeed: m.Arm.MaxSpeed, LinkRadius: m.Arm.LinkRadius}
	if g := c.Description.Module(m.Arm.Gripper); g != nil && g.Gripper != nil {
		a.Gripper = &world.Gripper{
			MinApertureM: g.Gripper.MinApertureM, MaxApertureM: g.Gripper.MaxApertureM, MaxSpeed: g.Gripper.MaxSpeed,
			FingerM: g.Gripper.FingerM, MaxForceN: g.Gripper.MaxForceN,
		}
	}
	return a
}
