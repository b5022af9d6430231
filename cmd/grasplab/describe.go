package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/rein-robotics/rein/app"
	"github.com/rein-robotics/rein/config"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/vision/detect"
)

// bodyOf reads the configuration folder: the robot, and where its arms begin.
func bodyOf(folder string) (*config.Folder, *robot.Description, map[string][]float64, error) {
	f, err := config.Load(os.DirFS(folder))
	if err != nil {
		return nil, nil, nil, err
	}
	d := f.Robot.Description()
	home, err := app.Homes(f, d)
	return f, d, home, err
}

// toolsOf are the configuration's tools by name, made anew: they share what is known of the hand.
func toolsOf(f *config.Folder, d *robot.Description) (map[string]*skill.Tool, error) {
	all, err := app.Tools(f, d)
	if err != nil {
		return nil, err
	}
	tools := make(map[string]*skill.Tool, len(all))
	for _, t := range all {
		tools[t.Name] = t
	}
	for _, name := range []string{"pick_object", "place_at"} {
		if tools[name] == nil {
			return nil, fmt.Errorf("the configuration has no tool %s", name)
		}
	}
	return tools, nil
}

// newTracker runs the region tracker as in a run, but for a point that shows nothing: that is refused at once.
func newTracker(s skill.Service) (control.Tracker, error) {
	t, first := detect.NewTracker(s.Seed.Frame, s.Seed.Pixel)
	if first.Mask == nil {
		return nil, errors.New("nothing at the point")
	}
	return t, nil
}
