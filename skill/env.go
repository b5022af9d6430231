package skill

import (
	"fmt"
	"io/fs"
	"sort"
	"strings"

	"github.com/rein-robotics/rein/robot"
)

// Env is what the tools of one robot are built with. It is shared by them and not changed afterwards.
type Env struct {
	Description *robot.Description
	Config      fs.FS        // the configuration's folder skills/
	Arrival     ArrivalRules // of moves
	Hand        *Hand        // what the tools believe to be held; one for a robot
}

// Params are the bound parameters of a tool, as the configuration gives them. They never reach a model.
type Params map[string]any

// Only is an error when p has a key that is not among known.
func (p Params) Only(known ...string) error {
	var extra []string
	for k := range p {
		found := false
		for _, n := range known {
			found = found || n == k
		}
		if !found {
			extra = append(extra, k)
		}
	}
	if len(extra) == 0 {
		return nil
	}
	sort.Strings(extra)
	return fmt.Errorf("params: unknown %s (known: %s)", strings.Join(extra, ", "), strings.Join(known, ", "))
}

// Text is a parameter that is a string; "" when it is absent.
func (p Params) Text(key string) (string, error) {
	v, ok := p[key]
	if !ok || v == nil {
		return "", nil
	}
	s, ok := v.(string)
	if !ok {
		return "", fmt.Errorf("params: %s is %v, not a text", key, v)
	}
	return s, nil
}

// ArmModules are the arm and gripper that p names. With neither named, the robot's only arm and what it carries.
func (e *Env) ArmModules(p Params) (arm, gripper *robot.Module, err error) {
	name, err := p.Text("arm")
	if err != nil {
		return nil, nil, err
	}
	if arm, err = e.module(name, "arm", robot.KindArm); err != nil {
		return nil, nil, err
	}
	if name, err = p.Text("gripper"); err != nil {
		return nil, nil, err
	}
	if name == "" {
		name = arm.Arm.Gripper
	}
	if gripper, err = e.module(name, "gripper", robot.KindGripper); err != nil {
		return nil, nil, err
	}
	return arm, gripper, nil
}

// CameraModule is the camera that p names; with none named, the robot's only camera.
func (e *Env) CameraModule(p Params) (*robot.Module, error) {
	name, err := p.Text("camera")
	if err != nil {
		return nil, err
	}
	return e.module(name, "camera", robot.KindCamera)
}

func (e *Env) module(name, key string, kind robot.ModuleKind) (*robot.Module, error) {
	if name != "" {
		m := e.Description.Module(name)
		if m == nil || m.Kind != kind {
			return nil, fmt.Errorf("params: %s: the robot has no %s called %q", key, kind, name)
		}
		return m, nil
	}
	var only *robot.Module
	for i := range e.Description.Modules {
		m := &e.Description.Modules[i]
		if m.Kind != kind {
			continue
		}
		if only != nil {
			return nil, fmt.Errorf("params: %s is missing; the robot has %s and %s", key, only.Name, m.Name)
		}
		only = m
	}
	if only == nil {
		return nil, fmt.Errorf("params: %s: the robot has no %s", key, kind)
	}
	return only, nil
}

// FieldsOf are all fields that the modules report, "module/field", for Spec.Reads.
func FieldsOf(modules ...*robot.Module) []string {
	var names []string
	for _, m := range modules {
		for _, f := range m.Fields {
			names = append(names, m.Name+"/"+f.Name)
		}
	}
	return names
}
