// Package push holds the skills that move things without holding them: push slides a thing over the table, pull draws a
// handle, press pushes a button.
//
// Its one invariant: the fingers touch only what was pointed at, coming from where the picture shows free space.
package push

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/skill/ground"
	"github.com/rein-robotics/rein/skill/motion"
	"github.com/rein-robotics/rein/skill/move"
)

// Names of the skills in the configuration.
const (
	NamePush  = "push"
	NamePull  = "pull"
	NamePress = "press"
)

const (
	maxDuration = 30 * time.Second
	downSpeed   = 0.16 // m/s to the level where things are touched
	upSpeed     = 0.20 // m/s
	riseAfter   = 0.06 // metres straight up when it is done
)

// base is what the three skills share.
type base struct {
	env  *skill.Env
	arm  *motion.Arm
	home []float64
}

// Config is a skill's file. Every key may be left out.
type Config struct {
	Retreat string           `yaml:"retreat"` // named pose afterwards; default home
	Agent   skill.AgentBlock `yaml:"agent"`
}

// build makes a tool; spec lacks what all three have in common.
func build(name, kind string, p skill.Params, env *skill.Env, spec skill.Spec) (*skill.Tool, *base, error) {
	if err := p.Only("arm", "gripper", "camera", "config"); err != nil {
		return nil, nil, err
	}
	arm, gripper, err := env.ArmModules(p)
	if err != nil {
		return nil, nil, err
	}
	camera, err := env.CameraModule(p)
	if err != nil {
		return nil, nil, err
	}
	var cfg Config
	file, err := p.Text("config")
	if err == nil && file != "" {
		cfg, err = skill.Load[Config](env, file)
	}
	if err != nil {
		return nil, nil, err
	}
	if cfg.Retreat == "" {
		cfg.Retreat = "home"
	}
	b := &base{env: env}
	if b.arm, err = motion.NewArm(arm, gripper); err != nil {
		return nil, nil, err
	}
	if b.home, err = move.Named(env, arm, cfg.Retreat); err != nil {
		return nil, nil, err
	}
	spec.Description += " Points are read from the images of " + camera.Name + "."
	spec.ImagePoints, spec.Camera = []string{"point"}, camera.Name
	spec.EndsByItself, spec.MaxDuration = true, maxDuration
	spec.Commands = []string{arm.Name, gripper.Name}
	spec.Reads = skill.FieldsOf(camera, arm, gripper)
	cfg.Agent.Apply(&spec)
	return &skill.Tool{Name: name, Skill: kind, Spec: spec}, b, nil
}

// scene is what a call starts from.
type scene struct {
	*base
	frame *robot.Frame // without the robot
	pixel [2]float64
	point geom.Vec
	from  []float64
	grid  *ground.Map
}

// see reads the picture behind the point. Something held is refused: the fingers are needed.
func (b *base) see(c skill.Call) (*scene, error) {
	state, ok := b.arm.State(c.Now)
	if !ok {
		return nil, &skill.Refusal{Code: "cannot_start", Message: b.arm.Name + " reports nothing"}
	}
	if _, holds := b.env.Hand.Holds(b.arm.Gripper, b.arm.Aperture(c.Now)); holds {
		return nil, &skill.Refusal{Code: "cannot_start", Message: "the gripper holds something", Hint: "place it first"}
	}
	pt := c.Points["point"]
	p, ok := ground.At(pt.Frame, pt.Pixel)
	if !ok {
		return nil, &skill.Refusal{Code: "cannot_start", Message: "the camera measured no depth at that point", Hint: "point a few pixels beside it"}
	}
	s := &scene{base: b, pixel: pt.Pixel, point: p, from: b.arm.Start(state)}
	s.frame = ground.Without(pt.Frame, b.arm.Hide(nil, state.Joints, b.home))
	s.grid = ground.New(s.frame, nil)
	return s, nil
}

// travel carries the empty gripper at an aperture.
func (s *scene) travel(open float64) motion.Travel {
	return motion.Travel{Arm: s.arm, Map: s.grid, Open: open}
}

// stroke is a straight stretch that the fingertips are led along, and how they get there and away.
type stroke struct {
	start, end geom.Vec
	yaw        float64 // of the gripper pointing down
	open       float64 // aperture, metres
	speed      float64 // m/s along the stretch
	doing      string
}

// reach plans the whole way and refuses what cannot be had; over is the arm above the start.
func (s *scene) reach(k *stroke) (over []float64, err error) {
	t := s.travel(k.open)
	above := k.start
	above.Z = math.Max(k.start.Z+0.02, t.Need(geom.Down(above, k.yaw)))
	for {
		over, err = s.arm.Down(above, k.yaw, s.from)
		if err == nil || above.Z < k.start.Z+0.03 {
			break
		}
		above.Z -= 0.01 // the farthest places are reached only low down
	}
	if err != nil {
		return nil, err
	}
	path, err := t.Path(s.from, over)
	if err != nil {
		return nil, err
	}
	tip := s.arm.Chain.Tip(over)
	for _, at := range []geom.Vec{k.start, k.end, raised(k.end)} {
		tip.Pos = at
		next, err := s.arm.LineTo(path.End(), tip)
		if err != nil {
			return nil, err
		}
		path = next
	}
	_, err = s.arm.Swing(path.End(), s.home)
	return over, err
}

func raised(p geom.Vec) geom.Vec { return geom.Vec{X: p.X, Y: p.Y, Z: p.Z + riseAfter} }

// begin plans a stroke and lines its steps up.
func (s *scene) begin(k *stroke) (skill.Skill, error) {
	over, err := s.reach(k)
	if err != nil {
		return nil, err
	}
	r := &run{scene: s, stroke: k}
	line := func(to geom.Vec) motion.Planner {
		return func(from []float64) (*geom.Path, error) {
			tip := s.arm.Chain.Tip(over)
			tip.Pos = to
			return s.arm.LineTo(from, tip)
		}
	}
	r.seq.Then(
		motion.Named{Doing: "going there", Step: &motion.Beside{
			A: &motion.Jaw{Arm: s.arm, Open: k.open},
			B: &motion.Follow{Arm: s.arm, Plan: s.travel(k.open).Planner(over), Settle: 0.003},
		}},
		motion.Named{Doing: "going down", Step: &motion.Follow{Arm: s.arm, Plan: line(k.start), Speed: downSpeed, Settle: 0.002}},
		motion.Named{Doing: k.doing, Step: &motion.Follow{Arm: s.arm, Plan: line(k.end), Speed: k.speed, Settle: 0.003}},
	)
	r.seq.Then(s.away()...)
	return r, nil
}

// away goes straight up and home.
func (s *scene) away() []motion.Step {
	return []motion.Step{
		motion.Named{Doing: "drawing back", Step: &motion.Follow{Arm: s.arm, Plan: s.arm.Rise(riseAfter), Speed: upSpeed}},
		&motion.Follow{Arm: s.arm, Plan: s.arm.To(s.home), Settle: 0.004},
	}
}

// arguments reads a call's arguments.
func arguments[T any](c skill.Call) (T, error) {
	var v T
	if err := json.Unmarshal(c.Args, &v); err != nil {
		return v, &skill.Refusal{Code: "bad_arguments", Message: fmt.Sprint(err)}
	}
	return v, nil
}
