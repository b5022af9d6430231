// Package skilltest runs skills in tests: on the fake robot, on pictures of plain things, without a control loop.
//
// Its one invariant: what a skill commands is kept, so that a test can say what was never commanded.
package skilltest

import (
	"io/fs"
	"math"
	"testing"
	"time"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/robot/robottest"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/vision"
)

const period = 10 * time.Millisecond

// Stand is a fake robot that skills are ticked on. For one goroutine.
type Stand struct {
	*robottest.Fake
	Env    *skill.Env
	Track  func(field string) (vision.Track, bool) // nil = no tracker
	Every  func(s *Stand)                          // called before every tick; nil = nothing
	Lowest float64                                 // of the fingertips in all commands, metres
	Grips  []robot.Target                          // commands of the gripper
}

// NewStand is a stand with arm, gripper and camera, and a configuration's folder skills/ (nil = none).
func NewStand(config fs.FS) *Stand {
	s := &Stand{Fake: robottest.NewFake(robottest.Options{Image: [2]int{320, 240}}), Lowest: math.Inf(1)}
	s.Env = &skill.Env{Description: s.Description(), Config: config, Hand: &skill.Hand{}}
	return s
}

// Call is a call with one point, on a picture of things, at the pixel that shows the world point.
func (s *Stand) Call(args string, at geom.Vec, f *robot.Frame) skill.Call {
	u, v, _, _ := geom.View{Intrinsics: f.Intrinsics, Pose: f.Pose}.Pixel(at)
	return skill.Call{
		Args: []byte(args), Now: s.Readings(),
		Points: map[string]skill.Point{"point": {Observation: "o1", Pixel: [2]float64{u, v}, Frame: f}},
	}
}

// Run starts a skill and ticks it until it ends, at most a minute of robot time. took is robot time.
func (s *Stand) Run(t *testing.T, sk skill.Skill) (took time.Duration, err error) {
	t.Helper()
	begin := s.Clock().Now()
	if err := sk.Start(s.body(t)); err != nil {
		return 0, err
	}
	for s.Clock().Now() < begin+time.Minute {
		if s.Every != nil {
			s.Every(s)
		}
		done, err := sk.Tick(s.body(t))
		if done || err != nil {
			return s.Clock().Now() - begin, err
		}
		if err := s.Clock().Advance(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("the skill did not end")
	return 0, nil
}

func (s *Stand) body(t *testing.T) *skill.Body {
	b := &skill.Body{Now: s.Clock().Now(), Period: period, Description: s.Description(), Readings: s.Readings(), Track: s.Track}
	if b.Track == nil {
		b.Track = func(string) (vision.Track, bool) { return vision.Track{}, false }
	}
	b.Send = func(target robot.Target) { s.take(t, target) }
	return b
}

func (s *Stand) take(t *testing.T, target robot.Target) {
	t.Helper()
	if target.Joints != nil {
		chain := s.Description().Module(target.Module).Arm.Chain
		if !chain.Within(target.Joints, 1e-6) {
			t.Errorf("%v lies outside the joints' limits", target.Joints)
		}
		s.Lowest = min(s.Lowest, chain.Tip(target.Joints).Pos.Z)
	}
	if target.ApertureM != nil {
		s.Grips = append(s.Grips, target)
	}
	if err := s.Do(robot.Command{Target: target}); err != nil {
		t.Fatal(err)
	}
}

// Tip is where the fingertips are.
func (s *Stand) Tip() geom.Vec { return s.Readings().Arms["arm"].Tip.Pos }

// Aperture is the gripper's, metres.
func (s *Stand) Aperture() float64 { return s.Readings().Grippers["gripper"].ApertureM }
