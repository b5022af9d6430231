package move

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/skill/motion"
)

// Poses is what move.yaml holds.
type Poses struct {
	// The poses, by name.
	Poses map[string]Pose `yaml:"poses" check:"required"`
	// What the planner is told of the tool with the poses, see the agent: block.
	Agent skill.AgentBlock `yaml:"agent"`
}

// Pose is a named pose.
type Pose struct {
	// What it is good for, for the planner.
	Description string `yaml:"description"`
	// The angles by joint, degrees; every joint of the arm.
	JointsDeg map[string]float64 `yaml:"joints_deg" check:"required"`
}

// Joints are the pose's joint angles in the order of the arm's chain, radians.
func (p Pose) Joints(arm *robot.Module) ([]float64, error) {
	q := make([]float64, 0, len(arm.Arm.Chain.Joints))
	for _, j := range arm.Arm.Chain.Joints {
		deg, ok := p.JointsDeg[j.Name]
		if !ok {
			return nil, fmt.Errorf("joints_deg: %s is missing", j.Name)
		}
		v := geom.Rad(deg)
		if v < j.Lower || v > j.Upper {
			return nil, fmt.Errorf("joints_deg: %s: %.1f lies outside %.1f to %.1f", j.Name, deg, geom.Deg(j.Lower), geom.Deg(j.Upper))
		}
		q = append(q, v)
	}
	if len(p.JointsDeg) > len(q) {
		return nil, fmt.Errorf("joints_deg: %d joints for an arm of %d", len(p.JointsDeg), len(q))
	}
	return q, nil
}

// LoadPoses reads the named poses of an arm from a file of the configuration; "" is move.yaml.
func LoadPoses(env *skill.Env, file string, arm *robot.Module) (*Poses, map[string][]float64, error) {
	if file == "" {
		file = ConfigFile
	}
	cfg, err := skill.Load[Poses](env, file)
	if err != nil {
		return nil, nil, err
	}
	all := make(map[string][]float64, len(cfg.Poses))
	for _, name := range slices.Sorted(maps.Keys(cfg.Poses)) {
		q, err := cfg.Poses[name].Joints(arm)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: poses.%s: %w", file, name, err)
		}
		all[name] = q
	}
	return &cfg, all, nil
}

func offerPose(t *skill.Tool, p skill.Params, env *skill.Env, arm *robot.Module) error {
	file, err := p.Text("config")
	if err != nil {
		return err
	}
	bound, err := p.Text("pose")
	if err != nil {
		return err
	}
	cfg, all, err := LoadPoses(env, file, arm)
	if err != nil {
		return err
	}
	if _, ok := all[bound]; bound != "" && !ok {
		return fmt.Errorf("params: pose %q is not among the named poses (%s)", bound, strings.Join(slices.Sorted(maps.Keys(all)), ", "))
	}
	a, err := planning(arm)
	if err != nil {
		return err
	}
	t.Spec.Commands = []string{arm.Name}
	t.Spec.Reads = skill.FieldsOf(arm)
	if bound != "" {
		t.Spec.Description = cfg.Poses[bound].Description
		t.Spec.Parameters = json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)
		t.New = func(c skill.Call) (skill.Skill, error) { return newPose(env, a, all[bound], c) }
		return nil
	}
	poseSpec(&t.Spec, cfg)
	cfg.Agent.Apply(&t.Spec)
	t.New = func(c skill.Call) (skill.Skill, error) {
		var args struct {
			Pose string `json:"pose"`
		}
		if err := json.Unmarshal(c.Args, &args); err != nil {
			return nil, &skill.Refusal{Code: "bad_arguments", Message: err.Error()}
		}
		q, ok := all[args.Pose]
		if !ok {
			return nil, &skill.Refusal{Code: "bad_arguments", Message: fmt.Sprintf("there is no pose %q", args.Pose),
				Hint: "the poses are " + strings.Join(slices.Sorted(maps.Keys(all)), ", ")}
		}
		return newPose(env, a, q, c)
	}
	return nil
}

// poseSpec describes the named poses to the planner.
func poseSpec(s *skill.Spec, cfg *Poses) {
	names := slices.Sorted(maps.Keys(cfg.Poses))
	var text strings.Builder
	text.WriteString("Move the arm to a named pose, the gripper staying as it is. Poses:")
	for _, n := range names {
		fmt.Fprintf(&text, "\n- %s: %s", n, cfg.Poses[n].Description)
	}
	enum, _ := json.Marshal(names)
	s.Description = text.String()
	s.Parameters = json.RawMessage(`{"type":"object","properties":{"pose":{"type":"string","enum":` + string(enum) +
		`,"description":"name of the pose"}},"required":["pose"],"additionalProperties":false}`)
	if len(names) > 0 {
		params, _ := json.Marshal(map[string]string{"pose": names[0]})
		s.Examples = []skill.Example{{Params: params, When: cfg.Poses[names[0]].Description}}
	}
}

// planning is the arm for planning; nil when the robot plans its own paths.
func planning(arm *robot.Module) (*motion.Arm, error) {
	if len(arm.Arm.Chain.Joints) == 0 {
		return nil, fmt.Errorf("%s: the description has no kinematics, which named poses need", arm.Name)
	}
	return motion.NewArm(arm, nil)
}

func newPose(env *skill.Env, a *motion.Arm, q []float64, c skill.Call) (skill.Skill, error) {
	s, ok := a.State(c.Now)
	if !ok {
		return nil, &skill.Refusal{Code: "cannot_start", Message: a.Name + " reports nothing"}
	}
	if _, err := a.Safe(a.Start(s), q); err != nil {
		return nil, err
	}
	return &run{
		env:     env,
		targets: []robot.Target{{Module: a.Name, Joints: q}},
		path:    &motion.Follow{Arm: a, Plan: func(from []float64) (*geom.Path, error) { return a.Safe(from, q) }},
	}, nil
}

// Named are the joints of one named pose of move.yaml, for skills that end there.
func Named(env *skill.Env, arm *robot.Module, name string) ([]float64, error) {
	_, all, err := LoadPoses(env, "", arm)
	if err != nil {
		return nil, err
	}
	q, ok := all[name]
	if !ok {
		return nil, fmt.Errorf("%s: the pose %q is missing", ConfigFile, name)
	}
	return q, nil
}
