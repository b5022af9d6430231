package move

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/skill/motion"
	"gonum.org/v1/gonum/spatial/r3"
)

const (
	nudgeSpeed = 0.10 // m/s of the fingertips
	mostNudge  = 0.10 // m in one call
	mostTurn   = 90.0 // degrees in one call
)

const nudgeText = `Move the gripper by a small offset from where it is: dx metres away from the arm's foot, dy metres to the arm's left, ` +
	`dz metres up, and dyaw degrees counter-clockwise seen from above. What is left out stays. Use it for small corrections, at most 0.10 m ` +
	`a call; to pick, place or push, use the tools for that. It does not look for obstacles.`

const nudgeSchema = `{"type":"object","properties":{` +
	`"dx":{"type":"number","minimum":-0.1,"maximum":0.1,"description":"metres, positive away from the arm's foot along the table"},` +
	`"dy":{"type":"number","minimum":-0.1,"maximum":0.1,"description":"metres, positive to the arm's left"},` +
	`"dz":{"type":"number","minimum":-0.1,"maximum":0.1,"description":"metres, positive up"},` +
	`"dyaw":{"type":"number","minimum":-90,"maximum":90,"description":"degrees, positive counter-clockwise seen from above"}},` +
	`"additionalProperties":false}`

// nudge is the call of the delta offer.
type nudge struct {
	DX   float64 `json:"dx"`
	DY   float64 `json:"dy"`
	DZ   float64 `json:"dz"`
	DYaw float64 `json:"dyaw"`
}

func offerDelta(t *skill.Tool, env *skill.Env, arm, gripper *robot.Module) error {
	t.Spec.Description = nudgeText
	t.Spec.Parameters = json.RawMessage(nudgeSchema)
	t.Spec.Examples = []skill.Example{
		{Params: json.RawMessage(`{"dz":0.04}`), When: "the gripper should come up a little"},
		{Params: json.RawMessage(`{"dyaw":30}`), When: "the fingers should be turned over what they will hold"},
	}
	t.Spec.Commands = []string{arm.Name}
	t.Spec.Reads = skill.FieldsOf(arm)
	if arm.Arm.TakesPose {
		t.New = func(c skill.Call) (skill.Skill, error) { return newPoseNudge(env, arm, c) }
		return nil
	}
	a, err := motion.NewArm(arm, gripper)
	if err != nil {
		return err
	}
	t.New = func(c skill.Call) (skill.Skill, error) { return newNudge(env, a, c) }
	return nil
}

func readNudge(c skill.Call) (n nudge, err error) {
	if err := json.Unmarshal(c.Args, &n); err != nil {
		return n, &skill.Refusal{Code: "bad_arguments", Message: err.Error()}
	}
	for _, v := range [3]float64{n.DX, n.DY, n.DZ} {
		if math.Abs(v) > mostNudge {
			return n, &skill.Refusal{Code: "bad_arguments", Message: fmt.Sprintf("%g m is more than %g m", v, mostNudge), Hint: "nudge in smaller steps"}
		}
	}
	if math.Abs(n.DYaw) > mostTurn {
		return n, &skill.Refusal{Code: "bad_arguments", Message: fmt.Sprintf("%g degrees are more than %g", n.DYaw, mostTurn)}
	}
	return n, nil
}

// from is the pose of the fingertips after the nudge.
func (n nudge) from(tip geom.Pose) geom.Pose {
	return geom.Pose{
		Pos: r3.Add(tip.Pos, geom.Vec{X: n.DX, Y: n.DY, Z: n.DZ}),
		Rot: geom.MulRot(geom.RotZ(geom.Rad(n.DYaw)), tip.Rot),
	}
}

func newNudge(env *skill.Env, a *motion.Arm, c skill.Call) (skill.Skill, error) {
	n, err := readNudge(c)
	if err != nil {
		return nil, err
	}
	s, ok := a.State(c.Now)
	if !ok {
		return nil, &skill.Refusal{Code: "cannot_start", Message: a.Name + " reports nothing"}
	}
	from := a.Start(s)
	p, err := a.LineTo(from, n.from(a.Chain.Tip(from)))
	if err != nil {
		return nil, err
	}
	target := []robot.Target{{Module: a.Name, Joints: p.End()}}
	return &run{env: env, targets: target,
		path: &motion.Follow{Arm: a, Speed: nudgeSpeed, Plan: func([]float64) (*geom.Path, error) { return p, nil }}}, nil
}

// newPoseNudge is the nudge of an arm that does its own inverse kinematics.
func newPoseNudge(env *skill.Env, arm *robot.Module, c skill.Call) (skill.Skill, error) {
	n, err := readNudge(c)
	if err != nil {
		return nil, err
	}
	s, ok := c.Now.Arms[arm.Name]
	if !ok {
		return nil, &skill.Refusal{Code: "cannot_start", Message: arm.Name + " reports nothing"}
	}
	to := n.from(s.Tip)
	if w := arm.Arm.Workspace; w != (geom.Box{}) && !w.Contains(to.Pos) || to.Pos.Z < arm.Arm.MinTipZ {
		return nil, motion.OutOfReach("the gripper would leave its workspace")
	}
	return &run{env: env, targets: []robot.Target{{Module: arm.Name, Pose: &to}}}, nil
}
