package app

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/rein-robotics/rein/config"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/skill/move"
	"github.com/rein-robotics/rein/skill/place"
	"github.com/rein-robotics/rein/skill/policy"
	"github.com/rein-robotics/rein/skill/push"
)

// skillEnv is what the tools of a configuration are built with.
func skillEnv(f *config.Folder, d *robot.Description) (*skill.Env, error) {
	files, err := fs.Sub(f.FS, config.SkillsDir)
	if err != nil {
		return nil, err
	}
	env := &skill.Env{Description: d, Config: files, Hand: &skill.Hand{}}
	if a := f.Controller.Agent; a != nil {
		env.Arrival = skill.ArrivalRules{Letter: a.Arrival.Letter, StartDelay: config.Seconds(a.Arrival.StartDelayS)}
	}
	return env, nil
}

// SkillMaker makes a tool of a skill: name is the tool's, p its bound parameters. An error names what is wrong with them.
type SkillMaker func(name string, p skill.Params, env *skill.Env) (*skill.Tool, error)

// Tools builds the tools that controller.yaml declares, in the order of their names. The error tells all that are wrong,
// with their places.
func Tools(f *config.Folder, d *robot.Description) ([]*skill.Tool, error) {
	list, _, err := tools(f, d, nil)
	return list, err
}

// tools is Tools with skills of the caller's own, and the skill of agent.on_idle.
func tools(f *config.Folder, d *robot.Description, own map[string]SkillMaker) (list []*skill.Tool, idle *skill.Tool, err error) {
	if err := f.CheckSkills(append(builtInSkills(), slices.Sorted(maps.Keys(own))...)...); err != nil {
		return nil, nil, usage(err, "")
	}
	env, err := skillEnv(f, d)
	if err != nil {
		return nil, nil, err
	}
	var errs config.Errors
	for _, name := range slices.Sorted(maps.Keys(f.Controller.Tools)) {
		t, err := bind(name, f.Controller.Tools[name], env, own)
		if err != nil {
			errs = errs.Join(f.ToolErrorf(name, "").Pos, err) // what is wrong in a skill's file stands there
			continue
		}
		list = append(list, t)
	}
	idle, err = idleTool(f, env, own)
	if err := errors.Join(errs.Err(), err); err != nil {
		return nil, nil, usage(err, "")
	}
	return list, idle, nil
}

// builtInSkills are the names that bind knows.
func builtInSkills() []string { return []string{"move", "place", "policy", "press", "pull", "push"} }

// bind is the one place that knows the built-in skills by name.
func bind(name string, t config.Tool, env *skill.Env, own map[string]SkillMaker) (*skill.Tool, error) {
	p := skill.Params(t.Params)
	switch t.Skill {
	case "move":
		return move.Tool(name, p, env)
	case "policy":
		return policy.Tool(name, p, env)
	case "place":
		return place.Tool(name, p, env)
	case "push":
		return push.Push(name, p, env)
	case "pull":
		return push.Pull(name, p, env)
	case "press":
		return push.Press(name, p, env)
	}
	if maker := own[t.Skill]; maker != nil {
		return maker(name, p, env)
	}
	return nil, fmt.Errorf("there is no skill %q", t.Skill)
}

// Homes are the joint angles (rad) in which the arms begin, by module: the pose home of move.yaml.
func Homes(f *config.Folder, d *robot.Description) (map[string][]float64, error) {
	env, err := skillEnv(f, d)
	if err != nil {
		return nil, err
	}
	out := map[string][]float64{}
	for i := range d.Modules {
		if m := &d.Modules[i]; m.Kind == robot.KindArm {
			q, err := move.Named(env, m, "home")
			if err != nil {
				return nil, usage(err, "the arm begins in the pose home")
			}
			out[m.Name] = q
		}
	}
	return out, nil
}
