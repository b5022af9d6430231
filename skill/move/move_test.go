package move_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/skill/move"
	"github.com/rein-robotics/rein/skill/skilltest"
	"gonum.org/v1/gonum/spatial/r3"
)

func build(t *testing.T, p skill.Params) (*skilltest.Stand, *skill.Tool) {
	t.Helper()
	s := skilltest.NewStand(os.DirFS("../../conf/tabletop/skills"))
	tool, err := move.Tool("tool", p, s.Env)
	if err != nil {
		t.Fatal(err)
	}
	return s, tool
}

func start(t *testing.T, s *skilltest.Stand, tool *skill.Tool, args string) skill.Skill {
	t.Helper()
	sk, err := tool.New(skill.Call{Args: []byte(args), Now: s.Readings()})
	if err != nil {
		t.Fatal(err)
	}
	return sk
}

func reached(t *testing.T, sk skill.Skill, how string) {
	t.Helper()
	a, ok := sk.(skill.Arriver)
	if !ok || a.Arrival() == nil || a.Arrival().How != how {
		t.Errorf("arrival is %+v, want %s", a.Arrival(), how)
	}
}

func TestPoseOffer(t *testing.T) {
	for _, bound := range []bool{false, true} {
		p, args := skill.Params{}, `{"pose":"look"}`
		if bound {
			p, args = skill.Params{"pose": "look"}, `{}`
		}
		s, tool := build(t, p)
		sk := start(t, s, tool, args)
		if _, err := s.Run(t, sk); err != nil {
			t.Fatal(err)
		}
		reached(t, sk, skill.Reached)
		if want := (geom.Vec{X: 0.05, Z: 0.34}); r3.Norm(r3.Sub(s.Tip(), want)) > 0.01 {
			t.Errorf("bound %v: it ends at %v, want %v", bound, s.Tip(), want)
		}
		again := start(t, s, tool, args)
		took, err := s.Run(t, again)
		if err != nil || took != 0 {
			t.Errorf("a pose that the arm is at took %v, %v; want the first check", took, err)
		}
	}
}

func TestPoseSpecNamesThePoses(t *testing.T) {
	_, tool := build(t, skill.Params{})
	for _, want := range []string{"home", "home_holding", "look"} {
		if !strings.Contains(tool.Spec.Description, "- "+want+": ") || !strings.Contains(string(tool.Spec.Parameters), `"`+want+`"`) {
			t.Errorf("the spec does not tell of %s: %s", want, tool.Spec.Description)
		}
	}
	_, bound := build(t, skill.Params{"pose": "home_holding"})
	if strings.Contains(string(bound.Spec.Parameters), "pose") || bound.Spec.Description == "" {
		t.Errorf("a bound pose still asks: %s", bound.Spec.Parameters)
	}
}

func TestDeltaOffer(t *testing.T) {
	s, _ := build(t, skill.Params{})
	over, err := s.Description().Module("arm").Arm.Chain.Solve(geom.Down(geom.Vec{X: 0.22, Y: 0.05, Z: 0.2}, 0.3), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Do(robot.Command{Target: robot.Target{Module: "arm", Joints: over}}); err != nil {
		t.Fatal(err)
	}
	for range 400 {
		if err := s.Clock().Advance(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	tool, err := move.Tool("nudge", skill.Params{"offer": "delta"}, s.Env)
	if err != nil {
		t.Fatal(err)
	}
	before := s.Readings().Arms["arm"].Tip
	sk := start(t, s, tool, `{"dx":0.02,"dy":-0.03,"dz":-0.05,"dyaw":30}`)
	if _, err := s.Run(t, sk); err != nil {
		t.Fatal(err)
	}
	reached(t, sk, skill.Reached)
	after := s.Readings().Arms["arm"].Tip
	if d := r3.Norm(r3.Sub(r3.Sub(after.Pos, before.Pos), geom.Vec{X: 0.02, Y: -0.03, Z: -0.05})); d > 0.004 {
		t.Errorf("it moved by %v", r3.Sub(after.Pos, before.Pos))
	}
	turned := geom.AngleOf(geom.MulRot(after.Rot, geom.InvRot(geom.MulRot(geom.RotZ(geom.Rad(30)), before.Rot))))
	if turned > 0.05 {
		t.Errorf("it is turned %.2f rad off", turned)
	}
}

func TestGripperOffer(t *testing.T) {
	s, tool := build(t, skill.Params{"offer": "gripper"})
	sk := start(t, s, tool, `{"aperture_mm":25}`)
	if _, err := s.Run(t, sk); err != nil {
		t.Fatal(err)
	}
	reached(t, sk, skill.Reached)
	if math.Abs(s.Aperture()-0.025) > 0.002 {
		t.Errorf("got %.1f mm, want 25 mm", s.Aperture()*1000)
	}
	s.Grip("gripper", 0.02)
	closed := start(t, s, tool, `{"aperture_mm":0}`)
	if _, err := s.Run(t, closed); err != nil {
		t.Errorf("closed on an object: got %v, want a success", err)
	}
	reached(t, closed, skill.Stalled)
	s.Env.Hand.Took("gripper", skill.Held{ApertureM: 0.02})
	if _, err := s.Run(t, start(t, s, tool, `{"aperture_mm":60}`)); err != nil {
		t.Fatal(err)
	}
	if _, holds := s.Env.Hand.Holds("gripper", 0.02); holds {
		t.Error("opening the gripper did not let go")
	}
}

func TestBlockedMoveFails(t *testing.T) {
	s, tool := build(t, skill.Params{"pose": "look"})
	s.Stick("arm", geom.ElbowFlex)
	_, err := s.Run(t, start(t, s, tool, `{}`))
	failed, ok := errors.AsType[*skill.Failed](err)
	if !ok || !strings.HasPrefix(failed.Reason, "blocked, ") {
		t.Errorf("got %v, want blocked", err)
	}
}

func TestRefusals(t *testing.T) {
	tests := []struct {
		name   string
		params skill.Params
		args   string
		code   string
	}{
		{"unknown_pose", skill.Params{}, `{"pose":"moon"}`, "bad_arguments"},
		{"too_far_a_nudge", skill.Params{"offer": "delta"}, `{"dx":0.2}`, "bad_arguments"},
		{"too_far_a_turn", skill.Params{"offer": "delta"}, `{"dyaw":120}`, "bad_arguments"},
		{"out_of_reach", skill.Params{"offer": "delta"}, `{"dx":-0.1,"dz":0.1}`, "out_of_reach"},
		{"too_wide", skill.Params{"offer": "gripper"}, `{"aperture_mm":200}`, "bad_arguments"},
		{"no_aperture", skill.Params{"offer": "gripper"}, `{}`, "bad_arguments"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, tool := build(t, test.params)
			_, err := tool.New(skill.Call{Args: []byte(test.args), Now: s.Readings()})
			r, ok := errors.AsType[*skill.Refusal](err)
			if !ok || r.Code != test.code {
				t.Errorf("got %v, want %s", err, test.code)
			}
		})
	}
}

func TestConfigurationErrors(t *testing.T) {
	file := func(text string) fstest.MapFS { return fstest.MapFS{"move.yaml": {Data: []byte(text)}} }
	tests := []struct {
		name, text string
		params     skill.Params
		want       string
	}{
		{"unknown_offer", "poses: {}\n", skill.Params{"offer": "jump"}, "jump"},
		{"unknown_param", "poses: {}\n", skill.Params{"speed": "1"}, "speed"},
		{"missing_joint", "poses: {a: {description: x, joints_deg: {shoulder_pan: 1}}}\n", skill.Params{}, "shoulder_lift is missing"},
		{"outside_limits", "poses: {a: {description: x, joints_deg: {shoulder_pan: 500, shoulder_lift: 0, elbow_flex: 0, wrist_flex: 0, wrist_yaw: 0, wrist_roll: 0}}}\n", skill.Params{}, "shoulder_pan"},
		{"bound_to_nothing", "poses: {}\n", skill.Params{"pose": "home"}, `"home"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := move.Tool("tool", test.params, skilltest.NewStand(file(test.text)).Env)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestSchemasTakeTheirExamples(t *testing.T) {
	for _, p := range []skill.Params{{}, {"pose": "home"}, {"offer": "delta"}, {"offer": "gripper"}} {
		_, tool := build(t, p)
		var s jsonschema.Schema
		if err := json.Unmarshal(tool.Spec.Parameters, &s); err != nil {
			t.Fatal(err)
		}
		r, err := s.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range tool.Spec.Examples {
			var v any
			if err := json.Unmarshal(e.Params, &v); err != nil {
				t.Fatal(err)
			}
			if err := r.Validate(v); err != nil {
				t.Errorf("%v: its example %s: %v", p, e.Params, err)
			}
		}
	}
}
