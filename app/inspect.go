package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/rein-robotics/rein/conf"
	"github.com/rein-robotics/rein/config"
	"github.com/rein-robotics/rein/sim"
	"github.com/rein-robotics/rein/sim/mujoco"
)

// ToolSpecs are the tools of a configuration exactly as the planner of a run with these options receives them, as indented
// JSON, and warnings about tools that it does not see.
func ToolSpecs(o Options) (specs []byte, warnings []string, err error) {
	s, err := load(&o)
	if err != nil {
		return nil, nil, err
	}
	if err := listable(s, &o); err != nil {
		return nil, nil, err
	}
	list, err := toolList(s, &o)
	if err != nil {
		return nil, nil, err
	}
	specs, err = json.MarshalIndent(list, "", "  ")
	return specs, toolWarnings(s), err
}

// listable applies the flags that change what is on the list. A list needs no key.
func listable(s *setup, o *Options) error {
	if s.agent != nil {
		return monitorFlags(s.agent, o)
	}
	if o.Monitor != "" || o.MonitorURL != "" {
		return usage(fmt.Errorf("%s: there is no agent: block, so there is nobody to watch", config.ControllerFile), "leave --monitor out")
	}
	return nil
}

func toolWarnings(s *setup) []string {
	var out []string
	for _, t := range s.tools {
		if t.Spec.Description == "" {
			out = append(out, fmt.Sprintf("controller.yaml: tools.%s: its skill has no description, so the planner does not see it", t.Name))
		}
	}
	return out
}

// Check reads a configuration and all its scenes as a run would. The error lists everything that is wrong.
func Check(o Options) (warnings []string, err error) {
	files, err := folder(o.Conf)
	if err != nil {
		return nil, err
	}
	s, err := read(&o)
	if err != nil {
		return nil, withScenes(err, files)
	}
	warnings = slices.Concat(toolWarnings(s), s.folder.Warnings(), s.scene.Warnings)
	var errs []error
	for _, name := range sim.SceneNames(files) {
		sc, err := sim.LoadScene(files, name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, s.checkFaults(sc))
		for _, w := range sc.Warnings {
			if !slices.Contains(warnings, w) {
				warnings = append(warnings, w)
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return warnings, usage(err, "")
	}
	if err := runnable(s, &o); err != nil {
		return warnings, err
	}
	for _, w := range s.monitorWarnings(&o) {
		warnings = append(warnings, "monitor: "+w)
	}
	return warnings, nil
}

// withScenes adds to an error what is wrong in the scenes of files and not in it yet.
func withScenes(err error, files fs.FS) error {
	errs := []error{err}
	for _, name := range sim.SceneNames(files) {
		if _, more := sim.LoadScene(files, name); more != nil && !strings.Contains(err.Error(), more.Error()) {
			errs = append(errs, more)
		}
	}
	return errors.Join(errs...)
}

// Init writes a copy of an embedded configuration, or of a sound configuration folder, into dir, which must be absent or
// empty.
func Init(dir, from string) error {
	files, err := conf.Open(from)
	if err != nil {
		if files, err = folder(from); err != nil {
			return err
		}
		if _, err := config.Load(files); err != nil {
			return usage(fmt.Errorf("--from %s: it is no configuration: %w", from, err), "embedded are "+strings.Join(conf.Names(), ", "))
		}
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return usage(fmt.Errorf("%s is not empty", dir), "name a new folder")
	}
	return fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(path))
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		data, err := fs.ReadFile(files, path)
		if err != nil {
			return err
		}
		return os.WriteFile(to, data, 0o644)
	})
}

// Finding is one thing that Doctor looked at.
type Finding struct {
	What string
	OK   bool
	Says string
}

// Doctor looks at what a run needs of this machine.
func Doctor(ctx context.Context, o Options) []Finding {
	return []Finding{doctorProcessor(), doctorEngine(ctx, o), doctorDisk(o.Record)}
}

func doctorProcessor() Finding {
	return Finding{What: "processor", OK: runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64", Says: fmt.Sprintf("%s/%s, %d cores", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())}
}

func doctorEngine(ctx context.Context, o Options) Finding {
	eng, err := mujoco.Open(ctx, mujoco.Options{Path: enginePath(o.Engine), Progress: o.Progress})
	if err != nil {
		return Finding{What: "physics engine", Says: err.Error()}
	}
	if err := eng.Close(ctx); err != nil {
		return Finding{What: "physics engine", Says: err.Error()}
	}
	return Finding{What: "physics engine", OK: true, Says: "MuJoCo " + mujocoVersion() + " loads"}
}

// doctorDisk tries to write where recordings go.
func doctorDisk(root string) Finding {
	root = recordings(root)
	dir := root
	for { // the part of the path that is there
		st, err := os.Stat(dir)
		if err == nil && st.IsDir() {
			break
		}
		if err == nil {
			return Finding{What: "disk", Says: fmt.Sprintf("recordings cannot be written to %s: %s is no folder", root, dir)}
		}
		dir = filepath.Dir(dir)
	}
	f, err := os.CreateTemp(dir, ".rein-doctor-*")
	if err != nil {
		return Finding{What: "disk", Says: fmt.Sprintf("recordings cannot be written to %s: %v", root, err)}
	}
	err = errors.Join(f.Close(), os.Remove(f.Name()))
	return Finding{What: "disk", OK: err == nil, Says: "recordings go to " + root}
}
