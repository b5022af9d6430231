package move

import (
	"encoding/json"
	"fmt"

	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
)

func offerGripper(t *skill.Tool, env *skill.Env, gripper *robot.Module) error {
	lo, hi := gripper.Gripper.MinApertureM*1000, gripper.Gripper.MaxApertureM*1000
	t.Spec.Description = fmt.Sprintf("Open or close the gripper: the free space between its fingers in millimetres, %.0f (closed) to %.0f (fully open). "+
		"Closed on an object it stays at the object's width and keeps holding. Opening drops what is held; to put something down use a place tool.", lo, hi)
	t.Spec.Parameters = json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"aperture_mm":{"type":"number","minimum":%g,"maximum":%g,`+
		`"description":"millimetres between the fingers"}},"required":["aperture_mm"],"additionalProperties":false}`, lo, hi))
	t.Spec.Examples = []skill.Example{{Params: json.RawMessage(fmt.Sprintf(`{"aperture_mm":%g}`, hi)), When: "the gripper should let go of what it holds"}}
	t.Spec.Commands = []string{gripper.Name}
	t.Spec.Reads = skill.FieldsOf(gripper)
	t.New = func(c skill.Call) (skill.Skill, error) {
		var args struct {
			ApertureMM *float64 `json:"aperture_mm"`
		}
		if err := json.Unmarshal(c.Args, &args); err != nil || args.ApertureMM == nil {
			return nil, &skill.Refusal{Code: "bad_arguments", Message: "aperture_mm, a number, is needed"}
		}
		if v := *args.ApertureMM; !(v >= lo && v <= hi) {
			return nil, &skill.Refusal{Code: "bad_arguments", Message: fmt.Sprintf("aperture_mm %g lies outside %g to %g", v, lo, hi)}
		}
		aperture := *args.ApertureMM / 1000
		r := &run{env: env, targets: []robot.Target{{Module: gripper.Name, ApertureM: &aperture}}}
		r.begin = func(b *skill.Body) {
			if aperture > b.Readings.Grippers[gripper.Name].ApertureM+0.002 {
				env.Hand.LetGo(gripper.Name)
			}
		}
		return r, nil
	}
	return nil
}
