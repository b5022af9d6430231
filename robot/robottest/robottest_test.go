package robottest_test

import (
	"testing"

	"github.com/rein-robotics/rein/clock"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/robot/robottest"
)

func TestFakePassesTheContract(t *testing.T) {
	for name, opt := range map[string]robottest.Options{
		"default":   {},
		"two_arms":  {Sets: []robottest.Set{{Arm: "west_arm", Gripper: "west_hand", Camera: "ceiling"}, {Arm: "east_arm", WristCamera: "east_eye"}}},
		"no_arm":    {Sets: []robottest.Set{{Camera: "eye"}}},
		"real_pace": {Pace: clock.Real},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			robottest.TestRobot(t, func(t *testing.T) (robot.Robot, clock.Clock) {
				f := robottest.NewFake(opt)
				return f, f.Clock()
			})
		})
	}
}
