package main

import (
	"fmt"
	"io/fs"
	"os"

	"github.com/rein-robotics/rein/config"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/skill/move"
	"github.com/rein-robotics/rein/skill/place"
	"github.com/rein-robotics/rein/skill/policy"
	"github.com/rein-robotics/rein/skill/push"
	"github.com/rein-robotics/rein/vision"
)

// bodyOf reads the configuration folder: the robot, where its arms begin, and the tools.
func bodyOf(folder string) (*config.Folder, *robot.Description, map[string][]float64, error) {
	f, err := config.Load(os.DirFS(folder))
	if err != nil {
		return nil, nil, nil, err
	}
	d := f.Robot.Description()
	home := map[string][]float64{}
	env := &skill.Env{Description: d, Config: os.DirFS(folder + "/skills")}
	for i := range d.Modules {
		if m := &d.Modules[i]; m.Arm != nil {
			if home[m.Name], err = move.Named(env, m, "home"); err != nil {
				return nil, nil, nil, err
			}
		}
	}
	return f, d, home, nil
}

// makers are the skills that the lab tries.
var makers = map[string]func(string, skill.Params, *skill.Env) (*skill.Tool, error){
	"move": move.Tool, "policy": policy.Tool, "place": place.Tool, "push": push.Push, "pull": push.Pull, "press": push.Press,
}

// toolsOf are the configuration's tools of those skills, by name.
func toolsOf(f *config.Folder, d *robot.Description) (map[string]*skill.Tool, error) {
	files, err := fs.Sub(f.FS, config.SkillsDir)
	if err != nil {
		return nil, err
	}
	env := &skill.Env{Description: d, Config: files, Hand: &skill.Hand{}}
	tools := map[string]*skill.Tool{}
	for name, t := range f.Controller.Tools {
		if tool, ok := makers[t.Skill]; ok {
			if tools[name], err = tool(name, skill.Params(t.Params), env); err != nil {
				return nil, fmt.Errorf("tool %s: %w", name, err)
			}
		}
	}
	for _, name := range []string{"pick_object", "place_at"} {
		if tools[name] == nil {
			return nil, fmt.Errorf("the configuration has no tool %s", name)
		}
	}
	return tools, nil
}

// tracker runs the region tracker as in a run: its first result is the seed's own picture.
type tracker struct{ *vision.Tracker }

func trackers(s skill.Service) (control.Tracker, error) {
	t, first := vision.NewTracker(s.Seed.Frame, s.Seed.Pixel)
	if first.Mask == nil {
		return nil, fmt.Errorf("nothing at the point")
	}
	return tracker{t}, nil
}
