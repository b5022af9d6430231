package sim_test

import (
	"testing"

	"github.com/rein-robotics/rein/clock"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/robot/robottest"
	simrobot "github.com/rein-robotics/rein/robot/sim"
	"github.com/rein-robotics/rein/robot/sim/simtest"
)

func TestRobotContract(t *testing.T) {
	for name, pace := range map[string]clock.Pace{"fast": clock.Fast, "real": clock.Real} {
		t.Run(name, func(t *testing.T) {
			robottest.TestRobot(t, func(t *testing.T) (robot.Robot, clock.Clock) {
				c := simtest.Config(t, simtest.Engine(t), "name: s\n")
				c.Pace = pace
				for i := range c.Description.Modules {
					m := &c.Description.Modules[i]
					switch {
					case m.Arm != nil:
						for _, j := range m.Arm.Chain.Joints {
							m.Fields = append(m.Fields, robot.Field{Name: j.Name, Unit: "rad", NoiseFloor: 0.001, StillSpeed: 0.02})
						}
					case m.Gripper != nil:
						m.Fields = append(m.Fields, robot.Field{Name: "aperture_mm", Unit: "mm", NoiseFloor: 0.1, StillSpeed: 2})
					}
				}
				r, err := simrobot.Open(t.Context(), c)
				if err != nil {
					t.Fatal(err)
				}
				return r, r.Clock()
			})
		})
	}
}
