package place_test

import (
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/skill/place"
	"github.com/rein-robotics/rein/skill/skilltest"
)

// holding is a stand whose gripper has closed on something.
func holding(t *testing.T, held skill.Held) *skilltest.Stand {
	t.Helper()
	s := skilltest.NewStand(os.DirFS("../../conf/tabletop/skills"))
	s.Grip("gripper", held.ApertureM)
	if err := s.Do(robot.Command{Target: robot.Target{Module: "gripper", ApertureM: new(0.0)}}); err != nil {
		t.Fatal(err)
	}
	for range 150 {
		if err := s.Clock().Advance(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	held.ApertureM = s.Aperture()
	s.Env.Hand.Took("gripper", held)
	return s
}

func tool(t *testing.T, s *skilltest.Stand) *skill.Tool {
	t.Helper()
	tool, err := place.Tool("place_at", skill.Params{"arm": "arm", "gripper": "gripper", "camera": "camera"}, s.Env)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

var battery = skill.Held{ApertureM: 0.014, Below: 0.003, Above: 0.011, HalfX: 0.025, HalfY: 0.007}

func TestPlaceOpensOverThePlace(t *testing.T) {
	box := skilltest.OpenBox(0.26, 0.12, 0.5, geom.Vec{X: 0.12, Y: 0.16, Z: 0.06})
	block := skilltest.OnTable(0.24, -0.1, 0.3, geom.Vec{X: 0.035, Y: 0.035, Z: 0.035})
	tests := []struct {
		name   string
		held   skill.Held
		blocks []skilltest.Block
		at     geom.Vec
		z      [2]float64 // of the fingertips when they open
		near   float64    // metres from the point
	}{
		{"in_a_box", battery, box, geom.Vec{X: 0.26, Y: 0.12, Z: 0.004}, [2]float64{0.070, 0.078}, 0.03},
		{"on_a_block", skill.Held{ApertureM: 0.035, Below: 0.004, Above: 0.031, HalfX: 0.0175, HalfY: 0.0175}, []skilltest.Block{block},
			geom.Vec{X: 0.245, Y: -0.095, Z: 0.035}, [2]float64{0.025, 0.041}, 0.01},
		{"on_the_table", battery, nil, geom.Vec{X: 0.22, Y: 0.02}, [2]float64{0.001, 0.006}, 0.003},
		{"off_the_axis", skill.Held{ApertureM: 0.004, Below: 0.05, Above: 0.02, Centre: geom.Vec{Y: 0.03}, HalfX: 0.03, HalfY: 0.03}, nil,
			geom.Vec{X: 0.24, Y: 0.02}, [2]float64{0.03, 0.055}, 0.033},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := holding(t, test.held)
			var at geom.Vec
			closed := s.Aperture()
			s.Every = func(s *skilltest.Stand) {
				if at == (geom.Vec{}) && s.Aperture() > closed+0.001 {
					at = s.Tip()
				}
			}
			sk, err := tool(t, s).New(s.Call(`{}`, test.at, skilltest.Photo(test.blocks...)))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Run(t, sk); err != nil {
				t.Fatal(err)
			}
			if at.Z < test.z[0] || at.Z > test.z[1] {
				t.Errorf("it opens %.1f mm over the table, want %.0f to %.0f mm", at.Z*1000, test.z[0]*1000, test.z[1]*1000)
			}
			if d := math.Hypot(at.X-test.at.X, at.Y-test.at.Y); d > test.near {
				t.Errorf("it opens %.0f mm from the point, want at most %.0f mm", d*1000, test.near*1000)
			}
			if opened := s.Aperture() - closed; math.Abs(opened-0.016) > 0.003 {
				t.Errorf("it opens by %.0f mm, want 16 mm", opened*1000)
			}
			if _, still := s.Env.Hand.Holds("gripper", closed); still {
				t.Error("it is still noted as held")
			}
			if s.Lowest < 0.002-1e-6 {
				t.Errorf("the fingertips were commanded to %.1f mm", s.Lowest*1000)
			}
		})
	}
}

func TestPlaceOfSomethingUnknownGoesDownSlowly(t *testing.T) {
	s := holding(t, battery)
	s.Env.Hand.LetGo("gripper")
	sk, err := tool(t, s).New(s.Call(`{}`, geom.Vec{X: 0.22, Y: 0.02}, skilltest.Photo()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(t, sk); err != nil {
		t.Fatal(err)
	}
	if s.Lowest > 0.01 {
		t.Errorf("it opened %.0f mm over the table although nothing was touched", s.Lowest*1000)
	}
}

func TestPlaceTellsThatItLostTheObject(t *testing.T) {
	s := holding(t, battery)
	s.Every = func(s *skilltest.Stand) {
		if s.Tip().X > 0.15 {
			s.Grip("gripper", 0)
		}
	}
	sk, err := tool(t, s).New(s.Call(`{}`, geom.Vec{X: 0.25, Y: 0.02}, skilltest.Photo()))
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Run(t, sk)
	failed, ok := errors.AsType[*skill.Failed](err)
	if !ok || !strings.Contains(failed.Reason, "lost the object") {
		t.Fatalf("got %v, want that it was lost", err)
	}
	if s.Tip().X > 0.08 {
		t.Errorf("the arm stays over the table, at %v", s.Tip())
	}
}

func TestPlaceRefuses(t *testing.T) {
	small := skilltest.OpenBox(0.26, 0.1, 0, geom.Vec{X: 0.05, Y: 0.05, Z: 0.04})
	wide := skill.Held{ApertureM: 0.03, Below: 0.02, Above: 0.02, HalfX: 0.04, HalfY: 0.04}
	tests := []struct {
		name   string
		held   *skill.Held
		blocks []skilltest.Block
		at     geom.Vec
		code   string
		want   string
	}{
		{"holds_nothing", nil, nil, geom.Vec{X: 0.25}, "cannot_start", "holds nothing"},
		{"out_of_reach", &battery, nil, geom.Vec{X: 0.45}, "out_of_reach", "reach"},
		{"does_not_fit", &wide, small, geom.Vec{X: 0.26, Y: 0.1, Z: 0.004}, "cannot_start", "does not fit"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := skilltest.NewStand(os.DirFS("../../conf/tabletop/skills"))
			if test.held != nil {
				s = holding(t, *test.held)
			}
			before := len(s.Issued())
			_, err := tool(t, s).New(s.Call(`{}`, test.at, skilltest.Photo(test.blocks...)))
			r, ok := errors.AsType[*skill.Refusal](err)
			if !ok || r.Code != test.code || !strings.Contains(r.Message, test.want) {
				t.Errorf("got %v, want %s with %q", err, test.code, test.want)
			}
			if len(s.Issued()) != before {
				t.Error("a refused call moved something")
			}
		})
	}
}
