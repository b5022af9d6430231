// Package policy is the skill whose behaviour comes from a file of the configuration. It has one kind, servo: a closed-loop
// pick of a tracked object.
//
// Its one invariant: nothing is reported as held that the fingers did not feel after the lift.
package policy

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/skill/motion"
	"github.com/rein-robotics/rein/skill/move"
)

// Name of the skill in the configuration.
const Name = "policy"

// KindServo is the built-in kind of policy.
const KindServo = "servo"

// Config is a policy's file: pick_object.yaml.
type Config struct {
	// What kind of policy it is.
	Kind string `yaml:"kind" check:"required,oneof=servo"`
	// The arm that picks. Left out: the robot's only one.
	Arm string `yaml:"arm"`
	// The gripper that holds. Left out: the one that the arm carries.
	Gripper string `yaml:"gripper"`
	// The camera that points are read from and the tracker runs on.
	Camera string `yaml:"camera"`
	// How the target is tracked.
	Track TrackConfig `yaml:"track"`
	// How hard objects are held.
	Grip GripConfig `yaml:"grip"`
	// How far straight up after closing, metres. Left out: 0.05.
	Lift float64 `yaml:"lift_m" check:"min=0.02,max=0.2"`
	// How far the fingertips are over the object's top before they go down, at least, metres. Left out: 0.035.
	Hover float64 `yaml:"hover_m" check:"min=0.02,max=0.2"`
	// The named pose where the pick ends. Left out: home_holding.
	Retreat string `yaml:"retreat"`
	// What the planner and the monitor are told of it, see the agent: block.
	Agent skill.AgentBlock `yaml:"agent"`
}

// TrackConfig says how the target is tracked.
type TrackConfig struct {
	// The field that the tracker publishes on. Left out: target.
	Field string `yaml:"field" check:"name"`
	// Results a second. Left out: 10.
	RateHz float64 `yaml:"rate_hz" check:"above=0,max=100"`
}

// GripConfig says how hard objects are held: in proportion to the volume of the box around them, within bounds. Pads that
// press a light thing too hard sink into it and spit it out.
type GripConfig struct {
	// The smallest force, newtons. Left out: 0.3.
	LeastN float64 `yaml:"least_n" check:"above=0"`
	// The largest force, newtons; also of what is held by its wall. Left out: 4.
	MostN float64 `yaml:"most_n" check:"above=0"`
	// Newtons for each cubic centimetre of the box around the object. Left out: 0.045.
	PerCM3 float64 `yaml:"n_per_cm3" check:"above=0"`
	// Jaws that close to less than this hold nothing, millimetres. Left out: 1.5.
	EmptyBelow float64 `yaml:"empty_below_mm" check:"min=0,max=5"`
}

// SetDefaults fills in what a file leaves out.
func (c *Config) SetDefaults() {
	c.Track = TrackConfig{Field: "target", RateHz: 10}
	c.Grip = GripConfig{LeastN: 0.3, MostN: 4, PerCM3: 0.045, EmptyBelow: 1.5}
	c.Lift, c.Hover, c.Retreat = 0.05, 0.035, "home_holding"
}

const text = `Grasp one object with the gripper, lift it and hold it out of the way. Point at the middle of the object itself, not at its shadow or at the table. ` +
	`It succeeds only when something is held; then place it with a place tool. Objects wider than the gripper opens are refused.`

const schema = `{"type":"object","properties":{"point":{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2,` +
	`"description":"[x, y] pixel on the object to grasp"}},"required":["point"],"additionalProperties":false}`

// Tool makes a tool of the skill. Params: config (the policy's file), and arm, gripper, camera in place of the file's.
func Tool(name string, p skill.Params, env *skill.Env) (*skill.Tool, error) {
	if err := p.Only("config", "arm", "gripper", "camera"); err != nil {
		return nil, err
	}
	file, err := p.Text("config")
	if err != nil {
		return nil, err
	}
	if file == "" {
		return nil, fmt.Errorf("params: config is missing: the policy's file, such as pick_object.yaml")
	}
	cfg, err := skill.Load[Config](env, file)
	if err != nil {
		return nil, err
	}
	bound := skill.Params{"arm": cfg.Arm, "gripper": cfg.Gripper, "camera": cfg.Camera}
	for k, v := range p {
		if k != "config" {
			bound[k] = v
		}
	}
	t, err := servoTool(name, bound, env, &cfg)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return t, nil
}

func servoTool(name string, bound skill.Params, env *skill.Env, cfg *Config) (*skill.Tool, error) {
	arm, gripper, err := env.ArmModules(bound)
	if err != nil {
		return nil, err
	}
	camera, err := env.CameraModule(bound)
	if err != nil {
		return nil, err
	}
	a, err := motion.NewArm(arm, gripper)
	if err != nil {
		return nil, err
	}
	retreat, err := move.Named(env, arm, cfg.Retreat)
	if err != nil {
		return nil, err
	}
	s := &servo{env: env, cfg: cfg, arm: a, gripper: gripper.Gripper, camera: camera, retreat: retreat}
	t := &skill.Tool{Name: name, Skill: Name, Spec: servoSpec(cfg, camera, arm, gripper), New: s.begin}
	t.Services = func(c skill.Call) []skill.Service {
		return []skill.Service{{Module: camera.Name, Field: cfg.Track.Field, Seed: c.Points["point"], RateHz: cfg.Track.RateHz}}
	}
	cfg.Agent.Apply(&t.Spec)
	return t, nil
}

func servoSpec(cfg *Config, camera, arm, gripper *robot.Module) skill.Spec {
	area := 0.015
	if camera.Camera.Mount == robot.MountMoving {
		area = 0.05
	}
	return skill.Spec{
		Description:   text + " Points are read from the images of " + camera.Name + ".",
		Parameters:    json.RawMessage(schema),
		ImagePoints:   []string{"point"},
		Camera:        camera.Name,
		Examples:      []skill.Example{{Params: json.RawMessage(`{"point":[312,208]}`), When: "the object at that pixel should be picked up"}},
		EndsByItself:  true,
		MaxDuration:   25 * time.Second,
		MaxTargetArea: area,
		Commands:      []string{arm.Name, gripper.Name},
		Reads:         append(skill.FieldsOf(camera, arm, gripper), camera.Name+"/"+cfg.Track.Field),
	}
}
