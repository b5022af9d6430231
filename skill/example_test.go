package skill_test

import (
	"context"
	"fmt"
	"time"

	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/robot/robottest"
	"github.com/rein-robotics/rein/skill"
)

// open is a skill of one's own: it opens a gripper and ends when the gripper gets there.
type open struct {
	target  robot.Target
	arrival *skill.Arrival
	report  *skill.ArrivalReport
}

func (o *open) Start(b *skill.Body) error {
	o.arrival = skill.NewArrival(b.Description, skill.ArrivalRules{}, b.Now, o.target)
	return nil
}

func (o *open) Tick(b *skill.Body) (bool, error) {
	report, err := o.arrival.Check(b.Readings, b.Now)
	if report != nil {
		o.report = report
		return err == nil, err
	}
	b.Send(o.target)
	return false, nil
}

// Arrival lets the harness tell planner and log how the move ended.
func (o *open) Arrival() *skill.ArrivalReport { return o.report }

// ExampleArrival ends a skill of one's own as the move skill ends.
func ExampleArrival() {
	fake := robottest.NewFake(robottest.Options{})
	own := &open{target: robot.Target{Module: "gripper", ApertureM: new(0.03)}}
	body := func() *skill.Body {
		return &skill.Body{
			Now: fake.Clock().Now(), Period: 10 * time.Millisecond, Description: fake.Description(), Readings: fake.Readings(),
			Send: func(t robot.Target) { _ = fake.Do(robot.Command{Target: t}) },
		}
	}
	if err := own.Start(body()); err != nil {
		fmt.Println(err)
	}
	for {
		done, err := own.Tick(body())
		if done || err != nil {
			fmt.Println(own.Arrival().How, err)
			return
		}
		if err := fake.Clock().Advance(context.Background()); err != nil {
			fmt.Println(err)
			return
		}
	}
	// Output: reached <nil>
}
