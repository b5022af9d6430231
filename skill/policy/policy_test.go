package policy_test

import (
	"errors"
	"image"
	"math"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/skill/policy"
	"github.com/rein-robotics/rein/skill/skilltest"
	"github.com/rein-robotics/rein/vision"
	"github.com/rein-robotics/rein/vision/detect"
)

var cube = geom.Vec{X: 0.035, Y: 0.035, Z: 0.035}

func pick(t *testing.T, s *skilltest.Stand) *skill.Tool {
	t.Helper()
	tool, err := policy.Tool("pick_object", skill.Params{"config": "pick_object.yaml", "arm": "arm", "gripper": "gripper", "camera": "camera"}, s.Env)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

func stand() *skilltest.Stand { return skilltest.NewStand(os.DirFS("../../conf/tabletop/skills")) }

func top(x, y float64) geom.Vec { return geom.Vec{X: x, Y: y, Z: cube.Z} }

func TestPickHolds(t *testing.T) {
	s := stand()
	tool := pick(t, s)
	s.Grip("gripper", cube.X)
	sk, err := tool.New(s.Call(`{}`, top(0.25, -0.08), skilltest.Photo(skilltest.OnTable(0.25, -0.08, 0.4, cube))))
	if err != nil {
		t.Fatal(err)
	}
	took, err := s.Run(t, sk)
	if err != nil {
		t.Fatal(err)
	}
	if took > 6*time.Second {
		t.Errorf("it took %v, want at most 6 s", took)
	}
	held, ok := s.Env.Hand.Holds("gripper", s.Aperture())
	if !ok {
		t.Fatal("nothing is noted as held")
	}
	if math.Abs(held.HalfX-cube.X/2) > 0.003 || held.Below > 0.012 || math.Abs(held.Below+held.Above-cube.Z) > 0.004 {
		t.Errorf("got %+v", held)
	}
	if s.Lowest < 0.002-1e-6 {
		t.Errorf("the fingertips were commanded to %.1f mm", s.Lowest*1000)
	}
	last := s.Grips[len(s.Grips)-1]
	if *last.ApertureM != 0 || last.ForceN <= 0 {
		t.Errorf("the last command of the gripper is %+v, want closing with force", last)
	}
	if widest := *s.Grips[0].ApertureM; widest > cube.X+0.017+0.003 {
		t.Errorf("it opens to %.0f mm for %.0f mm", widest*1000, cube.X*1000)
	}
}

func TestPickFails(t *testing.T) {
	tests := []struct {
		name  string
		width float64
		every func(s *skilltest.Stand)
		want  string
	}{
		{"closes_on_nothing", 0, nil, "closed on nothing"},
		{"loses_it_while_lifting", cube.X, func(s *skilltest.Stand) {
			if z := s.Tip().Z; z > 0.02 && z < 0.2 && s.Aperture() < cube.X+0.003 {
				s.Grip("gripper", 0)
			}
		}, "lost the object"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := stand()
			s.Grip("gripper", test.width)
			s.Every = test.every
			sk, err := pick(t, s).New(s.Call(`{}`, top(0.25, 0.05), skilltest.Photo(skilltest.OnTable(0.25, 0.05, 0, cube))))
			if err != nil {
				t.Fatal(err)
			}
			_, err = s.Run(t, sk)
			failed, ok := errors.AsType[*skill.Failed](err)
			if !ok || !strings.Contains(failed.Reason, test.want) {
				t.Fatalf("got %v, want %q", err, test.want)
			}
			if s.Tip().Z < 0.2 {
				t.Errorf("it stays at %.0f mm; the next look would see the arm", s.Tip().Z*1000)
			}
			if _, ok := s.Env.Hand.Holds("gripper", s.Aperture()); ok {
				t.Error("something is noted as held")
			}
		})
	}
}

func TestPickRefuses(t *testing.T) {
	tests := []struct {
		name   string
		block  skilltest.Block
		at     geom.Vec
		before func(s *skilltest.Stand, c *skill.Call)
		code   string
		want   string
	}{
		{"out_of_reach", skilltest.OnTable(0.44, 0.05, 0, cube), top(0.44, 0.05), nil, "out_of_reach", "reach"},
		{"too_wide", skilltest.OnTable(0.26, 0, 0.2, geom.Vec{X: 0.09, Y: 0.09, Z: 0.05}), geom.Vec{X: 0.26, Z: 0.05}, nil, "cannot_start", "wide"},
		{"nothing_there", skilltest.OnTable(0.26, 0, 0, cube), geom.Vec{X: 0.2, Y: -0.15}, nil, "cannot_start", "nothing stands out"},
		{"holds_something", skilltest.OnTable(0.26, 0, 0, cube), top(0.26, 0), func(s *skilltest.Stand, _ *skill.Call) {
			s.Env.Hand.Took("gripper", skill.Held{ApertureM: s.Aperture()})
		}, "cannot_start", "already holds"},
		{"no_depth", skilltest.OnTable(0.26, 0, 0, cube), top(0.26, 0), func(_ *skilltest.Stand, c *skill.Call) {
			f := *c.Points["point"].Frame
			f.Depth = nil
			c.Points["point"] = skill.Point{Pixel: c.Points["point"].Pixel, Frame: &f}
		}, "cannot_start", "no depth"},
		{"arm_says_nothing", skilltest.OnTable(0.26, 0, 0, cube), top(0.26, 0), func(_ *skilltest.Stand, c *skill.Call) {
			c.Now = &robot.Readings{}
		}, "cannot_start", "reports nothing"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := stand()
			c := s.Call(`{}`, test.at, skilltest.Photo(test.block))
			if test.before != nil {
				test.before(s, &c)
			}
			_, err := pick(t, s).New(c)
			r, ok := errors.AsType[*skill.Refusal](err)
			if !ok || r.Code != test.code || !strings.Contains(r.Message, test.want) {
				t.Errorf("got %v, want %s with %q", err, test.code, test.want)
			}
			if len(s.Issued()) > 0 {
				t.Error("a refused pick moved something")
			}
		})
	}
}

func TestPickFollowsTheTrack(t *testing.T) {
	s := stand()
	s.Grip("gripper", cube.X)
	var deepest geom.Vec
	s.Every = func(s *skilltest.Stand) {
		if deepest == (geom.Vec{}) || s.Tip().Z < deepest.Z {
			deepest = s.Tip()
		}
	}
	moved := skilltest.Photo(skilltest.OnTable(0.27, 0.03, 0, cube))
	_, track := detect.NewTracker(moved, pixelOf(moved, top(0.27, 0.03)))
	s.Track = func(field string) (vision.Track, bool) {
		if field != "camera/target" {
			t.Errorf("it reads %s", field)
		}
		return track, true
	}
	sk, err := pick(t, s).New(s.Call(`{}`, top(0.25, 0.05), skilltest.Photo(skilltest.OnTable(0.25, 0.05, 0, cube))))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(t, sk); err != nil {
		t.Fatal(err)
	}
	if d := math.Hypot(deepest.X-0.27, deepest.Y-0.03); d > 0.003 {
		t.Errorf("it closed %.0f mm from where the object is now", d*1000)
	}
}

func TestPickKeepsThePalmOffAWall(t *testing.T) {
	bar := geom.Vec{X: 0.05, Y: 0.014, Z: 0.014}
	tests := []struct {
		name string
		wall float64 // its height; 0 = none
		open float64 // widest aperture commanded
	}{
		{"free", 0, 0.030}, {"low_wall", 0.040, 0.030}, {"tall_wall", 0.070, 0.066},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := stand()
			s.Grip("gripper", 0.014)
			blocks := []skilltest.Block{skilltest.OnTable(0.24, 0, 0, bar)}
			if test.wall > 0 {
				blocks = append(blocks, skilltest.OnTable(0.24, 0.034, 0, geom.Vec{X: 0.16, Y: 0.004, Z: test.wall}))
			}
			sk, err := pick(t, s).New(s.Call(`{}`, geom.Vec{X: 0.24, Z: 0.014}, skilltest.Photo(blocks...)))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Run(t, sk); err != nil {
				t.Fatal(err)
			}
			if got := *s.Grips[0].ApertureM; math.Abs(got-test.open) > 0.004 {
				t.Errorf("it opens to %.0f mm, want %.0f mm", got*1000, test.open*1000)
			}
		})
	}
}

func pixelOf(f *robot.Frame, p geom.Vec) [2]float64 {
	u, v, _, _ := geom.View{Intrinsics: f.Intrinsics, Pose: f.Pose}.Pixel(p)
	return [2]float64{u, v}
}

func TestSpecAndServices(t *testing.T) {
	s := stand()
	tool := pick(t, s)
	spec := tool.Spec
	if spec.Camera != "camera" || len(spec.Commands) != 2 || spec.MaxTargetArea != 0.015 || spec.MaxDuration != 25*time.Second || spec.Description == "" {
		t.Errorf("got %+v", spec)
	}
	c := skill.Call{Points: map[string]skill.Point{"point": {Observation: "o3.camera", Frame: &robot.Frame{Region: image.Rect(0, 0, 1, 1)}}}}
	services := tool.Services(c)
	if len(services) != 1 || services[0].Name() != "camera/target" || services[0].RateHz != 10 || services[0].Seed.Observation != "o3.camera" {
		t.Errorf("got %+v", services)
	}
}

func TestBadConfigurations(t *testing.T) {
	poses, err := os.ReadFile("../../conf/tabletop/skills/move.yaml")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, file, want string }{
		{"unknown_kind", "kind: vla\n", "vla"},
		{"no_such_pose", "kind: servo\nretreat: nowhere\n", "nowhere"},
		{"no_such_camera", "kind: servo\ncamera: third\n", "third"},
		{"unknown_key", "kind: servo\nspeed: 3\n", "speed"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := skilltest.NewStand(fstest.MapFS{"p.yaml": {Data: []byte(test.file)}, "move.yaml": {Data: poses}})
			_, err := policy.Tool("p", skill.Params{"config": "p.yaml"}, s.Env)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error about %q", err, test.want)
			}
		})
	}
	if _, err := policy.Tool("p", skill.Params{}, stand().Env); err == nil {
		t.Error("a policy without a file was built")
	}
}
