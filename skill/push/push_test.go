package push_test

import (
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/skill/push"
	"github.com/rein-robotics/rein/skill/skilltest"
)

type maker func(string, skill.Params, *skill.Env) (*skill.Tool, error)

func build(t *testing.T, make maker) (*skilltest.Stand, *skill.Tool) {
	t.Helper()
	s := skilltest.NewStand(os.DirFS("../../conf/tabletop/skills"))
	tool, err := make("tool", skill.Params{"arm": "arm", "gripper": "gripper", "camera": "camera"}, s.Env)
	if err != nil {
		t.Fatal(err)
	}
	return s, tool
}

// low are the places of the fingertips while they are below a height.
func low(s *skilltest.Stand, under float64) *[]geom.Vec {
	var way []geom.Vec
	s.Every = func(s *skilltest.Stand) {
		if s.Tip().Z < under {
			way = append(way, s.Tip())
		}
	}
	return &way
}

func TestPush(t *testing.T) {
	block := skilltest.OnTable(0.26, -0.02, 0, geom.Vec{X: 0.04, Y: 0.04, Z: 0.04})
	tests := []struct {
		direction string
		from, to  geom.Vec // of the fingertips: 20 mm of the block, 8 mm of the blade and the gap before it; 20 + 8 mm short of its end
	}{
		{"left", geom.Vec{X: 0.26, Y: -0.062}, geom.Vec{X: 0.26, Y: 0.052}},
		{"right", geom.Vec{X: 0.26, Y: 0.022}, geom.Vec{X: 0.26, Y: -0.092}},
		{"away", geom.Vec{X: 0.218, Y: -0.02}, geom.Vec{X: 0.332, Y: -0.02}},
		{"closer", geom.Vec{X: 0.302, Y: -0.02}, geom.Vec{X: 0.188, Y: -0.02}},
	}
	for _, test := range tests {
		t.Run(test.direction, func(t *testing.T) {
			s, tool := build(t, push.Push)
			way := low(s, 0.02)
			sk, err := tool.New(s.Call(`{"direction":"`+test.direction+`"}`, geom.Vec{X: 0.26, Y: -0.02, Z: 0.04}, skilltest.Photo(block)))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Run(t, sk); err != nil {
				t.Fatal(err)
			}
			first, last := (*way)[0], (*way)[len(*way)-1]
			if d := math.Hypot(first.X-test.from.X, first.Y-test.from.Y); d > 0.008 {
				t.Errorf("it comes down at (%.3f, %.3f), want (%.3f, %.3f)", first.X, first.Y, test.from.X, test.from.Y)
			}
			if d := math.Hypot(last.X-test.to.X, last.Y-test.to.Y); d > 0.010 {
				t.Errorf("it ends at (%.3f, %.3f), want (%.3f, %.3f)", last.X, last.Y, test.to.X, test.to.Y)
			}
			if s.Aperture() > 0.002 {
				t.Errorf("the fingers are open by %.0f mm", s.Aperture()*1000)
			}
			if s.Lowest < 0.002-1e-6 {
				t.Errorf("the fingertips were commanded to %.1f mm", s.Lowest*1000)
			}
		})
	}
}

// drawer is a case that opens towards the foot, with a bar 25 mm before it.
func drawer() []skilltest.Block {
	return []skilltest.Block{
		skilltest.OnTable(0.33, 0, 0, geom.Vec{X: 0.12, Y: 0.14, Z: 0.07}),
		{Middle: geom.Vec{X: 0.24, Z: 0.035}, Size: geom.Vec{X: 0.01, Y: 0.06, Z: 0.01}},
		{Middle: geom.Vec{X: 0.2575, Y: 0.027, Z: 0.035}, Size: geom.Vec{X: 0.025, Y: 0.006, Z: 0.01}},
		{Middle: geom.Vec{X: 0.2575, Y: -0.027, Z: 0.035}, Size: geom.Vec{X: 0.025, Y: 0.006, Z: 0.01}},
	}
}

func TestPull(t *testing.T) {
	s, tool := build(t, push.Pull)
	way := low(s, 0.05)
	sk, err := tool.New(s.Call(`{"distance_m":0.05}`, geom.Vec{X: 0.24, Y: 0.006, Z: 0.04}, skilltest.Photo(drawer()...)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(t, sk); err != nil {
		t.Fatal(err)
	}
	first, last := (*way)[0], (*way)[len(*way)-1]
	if math.Hypot(first.X-0.24, first.Y) > 0.006 {
		t.Errorf("it comes down at (%.3f, %.3f), want over the middle of the bar", first.X, first.Y)
	}
	if moved := first.X - last.X; math.Abs(moved-0.058) > 0.008 || math.Abs(last.Y-first.Y) > 0.003 {
		t.Errorf("it draws by %.0f mm, %.0f mm aside; want about 58 mm (50 mm and the way to the bar) straight", moved*1000, (last.Y-first.Y)*1000)
	}
	if s.Lowest > 0.031 {
		t.Errorf("the fingers reach down to %.0f mm, not behind the bar", s.Lowest*1000)
	}
}

func TestPress(t *testing.T) {
	s, tool := build(t, push.Press)
	way := low(s, 0.03)
	button := skilltest.OnTable(0.2, 0.12, 0, geom.Vec{X: 0.04, Y: 0.04, Z: 0.026})
	sk, err := tool.New(s.Call(`{}`, geom.Vec{X: 0.204, Y: 0.117, Z: 0.026}, skilltest.Photo(button)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(t, sk); err != nil {
		t.Fatal(err)
	}
	if p := (*way)[0]; math.Hypot(p.X-0.2, p.Y-0.12) > 0.003 {
		t.Errorf("it presses at (%.3f, %.3f), want the button's middle", p.X, p.Y)
	}
	if want := 0.026 - 0.012; math.Abs(s.Lowest-want) > 0.003 {
		t.Errorf("it goes down to %.1f mm, want %.1f mm", s.Lowest*1000, want*1000)
	}
}

func TestRefusals(t *testing.T) {
	cube := geom.Vec{X: 0.04, Y: 0.04, Z: 0.04}
	lone := []skilltest.Block{skilltest.OnTable(0.26, 0, 0, cube)}
	crowd := append(lone, skilltest.OnTable(0.26, -0.045, 0, geom.Vec{X: 0.06, Y: 0.044, Z: 0.04}))
	tests := []struct {
		name   string
		make   maker
		args   string
		blocks []skilltest.Block
		at     geom.Vec
		holds  bool
		code   string
		want   string
	}{
		{"nothing_to_push", push.Push, `{"direction":"left"}`, lone, geom.Vec{X: 0.2, Y: 0.15}, false, "cannot_start", "nothing stands out"},
		{"unknown_direction", push.Push, `{"direction":"up"}`, lone, geom.Vec{X: 0.26, Z: 0.04}, false, "bad_arguments", "up"},
		{"no_room_behind", push.Push, `{"direction":"left"}`, crowd, geom.Vec{X: 0.26, Y: 0.005, Z: 0.04}, false, "cannot_start", "no room"},
		{"pushed_out_of_reach", push.Push, `{"direction":"away","distance_m":0.2}`, lone, geom.Vec{X: 0.26, Z: 0.04}, false, "out_of_reach", "reach"},
		{"hands_full", push.Push, `{"direction":"left"}`, lone, geom.Vec{X: 0.26, Z: 0.04}, true, "cannot_start", "holds something"},
		{"no_bar", push.Pull, `{"distance_m":0.05}`, lone, geom.Vec{X: 0.26, Z: 0.04}, false, "cannot_start", "no bar"},
		{"pulled_too_near", push.Pull, `{"distance_m":0.2}`, drawer(), geom.Vec{X: 0.24, Z: 0.04}, false, "out_of_reach", "reach"},
		{"press_out_of_reach", push.Press, `{}`, lone, geom.Vec{X: 0.45}, false, "out_of_reach", "reach"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, tool := build(t, test.make)
			if test.holds {
				s.Env.Hand.Took("gripper", skill.Held{ApertureM: s.Aperture()})
			}
			_, err := tool.New(s.Call(test.args, test.at, skilltest.Photo(test.blocks...)))
			r, ok := errors.AsType[*skill.Refusal](err)
			if !ok || r.Code != test.code || !strings.Contains(r.Message, test.want) {
				t.Errorf("got %v, want %s with %q", err, test.code, test.want)
			}
			if len(s.Issued()) > 0 {
				t.Error("a refused call moved something")
			}
		})
	}
}
