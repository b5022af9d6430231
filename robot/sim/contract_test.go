package sim_test

import (
	"testing"

	"github.com/rein-robotics/rein/clock"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/robot/robottest"
	simrobot "github.com/rein-robotics/rein/robot/sim"
	"github.com/rein-robotics/rein/robot/sim/simtest"
)

// TestContract: the simulated robot is what every robot has to be, at both paces.
func TestContract(t *testing.T) {
	t.Parallel()
	for name, pace := range map[string]clock.Pace{"fast": clock.Fast, "real": clock.Real} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			robottest.TestRobot(t, func(t *testing.T) (robot.Robot, clock.Clock) {
				c := simtest.Config(t, simtest.Engine(t), simtest.Batteries(1))
				c.Pace = pace
				r, err := simrobot.Open(t.Context(), c)
				if err != nil {
					t.Fatal(err)
				}
				return r, r.Clock()
			})
		})
	}
}
