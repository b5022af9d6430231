package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/agent/hook"
	"github.com/rein-robotics/rein/clock"
	"github.com/rein-robotics/rein/conf"
	"github.com/rein-robotics/rein/config"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/robot"
	simrobot "github.com/rein-robotics/rein/robot/sim"
	"github.com/rein-robotics/rein/sim"
	"github.com/rein-robotics/rein/sim/mujoco"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/tool"
)

// Options say what to run. The zero value is the embedded tabletop configuration.
type Options struct {
	Conf   string // folder, or the name of an embedded configuration; "" = the embedded tabletop
	Scene  string // file (with a separator or an extension), or name of a scene of the configuration; "" = the configuration's
	Seed   uint64
	Engine string // file of the physics engine; "" = found
	Time   string // fast or real; "" = fast

	Planner    string // rules, or provider:model; "" = the configuration's
	PlannerURL string
	Monitor    string // none, rules, or provider:model; "" = the configuration's
	MonitorURL string

	Record   string // root of the recordings
	NoRecord bool
	Film     string // file; "" = film.gif beside the log
	NoFilm   bool

	MaxMinutes float64 // 0 = the configuration's
	MaxTurns   int
	MaxCost    float64
	DryRun     bool

	Progress func(line string) // nil = nobody reads

	// CheckAction is a check of running actions of your own: a force sensor, a limit switch; nil = there is none.
	CheckAction agent.CheckAction

	// Skills are skills of your own, by the name that controller.yaml calls them; a built-in skill's name cannot be taken.
	Skills map[string]SkillMaker
	// Functions are tools of your own that are Go functions: they look, reckon or tell, and move nothing.
	Functions []*tool.Tool
	// Plugins look at what the agent is about to do, change it or refuse it, in this order.
	Plugins []hook.Plugin
}

// setup is a configuration made ready: checked, and its tools built.
type setup struct {
	folder *config.Folder
	body   *robot.Description
	tools  []*skill.Tool
	scene  *sim.Scene
	home   map[string][]float64
	idle   *skill.Tool   // of agent.on_idle; nil = none
	agent  *config.Agent // the settings, with the flags applied by checkModels; nil = there is no agent

	redact *episode.Redactor // of the keys that these settings use; set by runnable
}

// load is read for all but `rein check`, which an error of the configuration names.
func load(o *Options) (*setup, error) {
	s, err := read(o)
	if u, ok := errors.AsType[*UsageError](err); ok && u.Hint == "" {
		if _, files := errors.AsType[config.Errors](u.Err); files {
			return nil, usage(err, "`rein check` lists everything that is wrong")
		}
	}
	return s, err
}

// read reads the configuration and the scene. Every error is a UsageError.
func read(o *Options) (*setup, error) {
	files, err := folder(o.Conf)
	if err != nil {
		return nil, err
	}
	s := &setup{}
	errs := make([]error, 1, 8)
	if s.folder, errs[0] = config.Load(files); s.folder == nil {
		return nil, usage(errors.Join(errs[0], scenesIn(files)), "")
	}
	if errs[0] != nil {
		errs[0] = usage(errs[0], "")
	}
	if a := s.folder.Controller.Agent; a != nil {
		own := *a
		s.agent = &own
	}
	s.body = s.folder.Robot.Description()
	s.tools, s.idle, err = tools(s.folder, s.body, o.Skills)
	errs = append(errs, err)
	if err == nil {
		errs = append(errs, s.checkThens(), s.checkEnds(o))
	}
	s.home, err = Homes(s.folder, s.body)
	errs = append(errs, err)
	s.scene, err = scene(files, o.Scene, s.folder.Robot.Scene)
	errs = append(errs, err, s.checkFaults(s.scene), checkPlugins(o.Plugins))
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if _, err := toolList(s, o); err != nil {
		return nil, err
	}
	return s, nil
}

// checkFaults refuses a scene that breaks a camera which the robot has not; nil is no scene.
func (s *setup) checkFaults(sc *sim.Scene) error {
	if sc == nil {
		return nil
	}
	if err := sc.CheckFaults(cameras(s.body, nil)); err != nil {
		return usage(err, "")
	}
	return nil
}

// checkPlugins finds what is wrong with plugins before anything is started.
func checkPlugins(plugins []hook.Plugin) error {
	if _, err := hook.New(plugins, nil); err != nil {
		return usage(err, "the plugins come from the program that calls app.Run")
	}
	return nil
}

// scenesIn reads the scenes of a folder whose other files cannot be read: what is wrong in them is told, too.
func scenesIn(files fs.FS) error {
	var errs []error
	for _, name := range sim.SceneNames(files) {
		_, err := sim.LoadScene(files, name)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// folder is the configuration folder of that name: a real folder, or an embedded one. A name that stands for both is
// refused: nobody shall run another configuration than the one they edited. Without a name it is the embedded one,
// wherever the program is started.
func folder(name string) (fs.FS, error) {
	if name == "" {
		return conf.Open(conf.Default)
	}
	st, err := os.Stat(name)
	real := err == nil && st.IsDir()
	switch embedded := slices.Contains(conf.Names(), name); {
	case real && embedded:
		return nil, usage(fmt.Errorf("--conf %s: an embedded configuration has this name, and a folder here", name),
			"write ./"+name+" for the folder; the embedded one is meant where no such folder is")
	case real:
		return os.DirFS(name), nil
	}
	sub, err := conf.Open(name)
	if err != nil {
		return nil, usage(fmt.Errorf("--conf %s: there is no such folder, and no embedded configuration of this name", name),
			"`rein init DIR` writes a folder to start from; embedded are "+strings.Join(conf.Names(), ", "))
	}
	return sub, nil
}

// scene is the configuration's scene of that name, or the file when the name has a separator or an extension.
func scene(files fs.FS, name, standard string) (*sim.Scene, error) {
	if strings.ContainsRune(name, filepath.Separator) || filepath.Ext(name) != "" {
		return readScene(name)
	}
	hint := ""
	if name == "" {
		name = standard
	} else if st, err := os.Stat(name); err == nil && !st.IsDir() {
		hint = "write ./" + name + " for the file"
	}
	s, err := sim.LoadScene(files, name)
	if err != nil {
		return nil, usage(err, hint)
	}
	return s, nil
}

func readScene(name string) (*sim.Scene, error) {
	data, err := config.Read(os.DirFS(filepath.Dir(name)), filepath.Base(name))
	if err != nil {
		var at *fs.PathError
		if errors.As(err, &at) {
			err = at.Err
		}
		return nil, usage(fmt.Errorf("--scene %s: the file cannot be read: %w", name, err), "")
	}
	s, err := sim.Parse(name, data)
	if err != nil {
		return nil, usage(err, "")
	}
	return s, nil
}

// openRobot builds the simulated world.
func openRobot(ctx context.Context, s *setup, o *Options) (*simrobot.Robot, *mujoco.Engine, error) {
	eng, err := mujoco.Open(ctx, mujoco.Options{Path: enginePath(o.Engine), Progress: o.Progress})
	if err != nil {
		return nil, nil, err
	}
	r, err := simrobot.Open(ctx, simrobot.Config{
		Description: s.body, Home: s.home, Scene: s.scene, Seed: o.Seed, Engine: eng, Period: period(s.folder.Controller), Pace: pace(o),
	})
	if err != nil {
		return nil, nil, errors.Join(err, eng.Close(context.WithoutCancel(ctx)))
	}
	return r, eng, nil
}

func pace(o *Options) clock.Pace {
	if o.Time == "real" {
		return clock.Real
	}
	return clock.Fast
}

func enginePath(flag string) string {
	if flag != "" {
		return flag
	}
	return os.Getenv("REIN_ENGINE")
}

func period(c *config.Controller) time.Duration { return time.Second / time.Duration(c.ControlHz) }
