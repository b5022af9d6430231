package skill_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
)

func TestParams(t *testing.T) {
	p := skill.Params{"arm": "arm", "size": 3, "none": nil}
	if err := p.Only("arm", "size", "none"); err != nil {
		t.Errorf("all are known: got %v", err)
	}
	if err := p.Only("arm"); err == nil || !strings.Contains(err.Error(), "none, size") {
		t.Errorf("got %v, want the unknown ones named", err)
	}
	if s, err := p.Text("arm"); s != "arm" || err != nil {
		t.Errorf("got %q, %v", s, err)
	}
	if s, err := p.Text("none"); s != "" || err != nil {
		t.Errorf("got %q, %v", s, err)
	}
	if _, err := p.Text("size"); err == nil {
		t.Error("a number was taken for a text")
	}
}

func TestModules(t *testing.T) {
	one := body()
	one.Modules[0].Arm.Gripper = "gripper"
	two := body()
	two.Modules = append(two.Modules, robot.Module{Name: "left", Kind: robot.KindArm, Arm: &robot.Arm{}})
	tests := []struct {
		name   string
		body   *robot.Description
		params skill.Params
		want   string // of the error; "" = none
	}{
		{"named", one, skill.Params{"arm": "arm", "gripper": "gripper"}, ""},
		{"only_ones", one, skill.Params{}, ""},
		{"no_such_arm", one, skill.Params{"arm": "third"}, `no arm called "third"`},
		{"wrong_kind", one, skill.Params{"arm": "gripper"}, `no arm called "gripper"`},
		{"two_arms", two, skill.Params{}, "arm is missing; the robot has arm and left"},
		{"no_arm", &robot.Description{}, skill.Params{}, "the robot has no arm"},
		{"not_a_text", one, skill.Params{"arm": 1}, "not a text"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			env := &skill.Env{Description: test.body}
			arm, gripper, err := env.ArmModules(test.params)
			switch {
			case test.want == "" && err != nil:
				t.Errorf("got %v", err)
			case test.want == "" && (arm.Name != "arm" || gripper.Name != "gripper"):
				t.Errorf("got %s and %s", arm.Name, gripper.Name)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestFieldsOf(t *testing.T) {
	d := body()
	if got := strings.Join(skill.FieldsOf(&d.Modules[0], &d.Modules[1]), " "); got != "arm/pan arm/x gripper/aperture_mm" {
		t.Errorf("got %q", got)
	}
}

func TestHandForgetsWhatChanged(t *testing.T) {
	var h skill.Hand
	if _, ok := h.Holds("g", 0.02); ok {
		t.Error("an empty hand holds something")
	}
	h.Took("g", skill.Held{ApertureM: 0.02, Below: 0.01})
	if got, ok := h.Holds("g", 0.021); !ok || got.Below != 0.01 {
		t.Errorf("got %+v, %v", got, ok)
	}
	if _, ok := h.Holds("g", 0.03); ok {
		t.Error("it is believed to be held although the jaws have opened")
	}
	if _, ok := h.Holds("g", 0.001); ok {
		t.Error("it is believed to be held although the jaws have closed")
	}
	h.LetGo("g")
	if _, ok := h.Holds("g", 0.02); ok {
		t.Error("it is still held after it was let go")
	}
}

func TestAgentBlockReplaces(t *testing.T) {
	type file struct {
		Agent skill.AgentBlock `yaml:"agent"`
	}
	text := `agent:
  description: other
  max_duration_s: 2.5
  max_target_area: 0.02
  ends_by_itself: false
  image_points: [spot]
  parameters: {type: object}
  examples: [{params: {spot: [1, 2]}, when: always}]
  monitor: [{name: progress}]
`
	env := &skill.Env{Config: fstest.MapFS{"pick.yaml": {Data: []byte(text)}, "bad.yaml": {Data: []byte("agent: {size: 1}\n")}}}
	f, err := skill.Load[file](env, "pick.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s := skill.Spec{Description: "own", EndsByItself: true, Camera: "camera", Examples: make([]skill.Example, 3)}
	f.Agent.Apply(&s)
	if s.Description != "other" || s.EndsByItself || s.MaxDuration != 2500*time.Millisecond || s.MaxTargetArea != 0.02 || s.Camera != "camera" {
		t.Errorf("got %+v", s)
	}
	if len(s.Examples) != 1 || s.Examples[0].When != "always" || !json.Valid(s.Examples[0].Params) || !json.Valid(s.Monitor) || s.ImagePoints[0] != "spot" {
		t.Errorf("got %+v", s)
	}
	before := s.Description
	skill.AgentBlock{}.Apply(&s)
	if s.Description != before || s.MaxTargetArea != 0.02 {
		t.Error("an empty block changed the spec")
	}
	if _, err := skill.Load[file](env, "bad.yaml"); err == nil || !strings.Contains(err.Error(), "bad.yaml:1") {
		t.Errorf("got %v, want the place of the unknown key", err)
	}
	if _, err := skill.Load[file](env, "none.yaml"); err == nil {
		t.Error("a file that is not there was read")
	}
}
