package motion_test

import (
	"testing"
	"time"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/robot/robottest"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/skill/motion"
)

// stand is a fake robot with its arm as skills see it.
type stand struct {
	*robottest.Fake
	arm *motion.Arm
	low float64 // lowest fingertips commanded
}

func newStand(t *testing.T) *stand {
	t.Helper()
	s := &stand{Fake: robottest.NewFake(robottest.Options{}), low: 1}
	d := s.Description()
	arm, err := motion.NewArm(d.Module("arm"), d.Module("gripper"))
	if err != nil {
		t.Fatal(err)
	}
	s.arm = arm
	return s
}

// drive ticks a step until it is done, at most for so long.
func (s *stand) drive(t *testing.T, step motion.Step, most time.Duration) error {
	t.Helper()
	const period = 10 * time.Millisecond
	for end := s.Clock().Now() + most; s.Clock().Now() < end; {
		b := &skill.Body{Now: s.Clock().Now(), Period: period, Description: s.Description(), Readings: s.Readings()}
		b.Send = func(target robot.Target) {
			if target.Joints != nil {
				s.low = min(s.low, s.arm.Chain.Tip(target.Joints).Pos.Z)
			}
			if err := s.Do(robot.Command{Target: target}); err != nil {
				t.Fatal(err)
			}
		}
		done, err := step.Tick(b)
		if done || err != nil {
			return err
		}
		if err := s.Clock().Advance(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("the step did not end")
	return nil
}

func (s *stand) tip() geom.Vec { return s.Readings().Arms["arm"].Tip.Pos }
func (s *stand) q() []float64  { return s.Readings().Arms["arm"].Joints }
