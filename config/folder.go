package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Folder is a configuration folder. It is not changed after Load.
type Folder struct {
	FS         fs.FS
	Robot      *Robot
	Controller *Controller
	// Skills are the files under skills/, by name ("pick_object.yaml"). What they hold besides agent: is known to their
	// skills.
	Skills map[string]*SkillFile
	// Guides are the files guides/*/SKILL.md, in the order of their names.
	Guides []Guide

	robot, controller *Document
}

// SkillFile is one file under skills/.
type SkillFile struct {
	Name      string
	Rest      Raw        // the whole file
	Questions []Question // of its agent: block

	doc   *Document
	limit *float64 // max_duration_s of its agent: block; nil = not given, or wrong
}

// Names of the files of a folder.
const (
	RobotFile      = "robot.yaml"
	ControllerFile = "controller.yaml"
	SkillsDir      = "skills"
	ScenesDir      = "scenes"
	GuidesDir      = "guides"
)

// Load reads robot.yaml, controller.yaml, skills/*.yaml and guides/*/SKILL.md of a folder and checks them against each
// other. The error is an Errors with everything that is wrong in all of them; a folder beside it can be looked at for more.
func Load(fsys fs.FS) (*Folder, error) {
	f := &Folder{FS: fsys, Skills: map[string]*SkillFile{}}
	var errs Errors
	f.Robot, f.robot, errs = readFile[Robot](fsys, RobotFile, errs)
	f.Controller, f.controller, errs = readFile[Controller](fsys, ControllerFile, errs)
	errs = append(errs, unread(fsys)...)
	names, err := fs.Glob(fsys, SkillsDir+"/*.yaml")
	if err != nil {
		errs = append(errs, Error{Pos: Pos{File: SkillsDir}, Msg: err.Error()})
	}
	for _, name := range names {
		errs = f.readSkill(name, errs)
	}
	errs = f.readGuides(errs)
	if f.Robot != nil && f.Controller != nil {
		errs = append(errs, f.crossCheck()...)
	}
	if f.Robot == nil || f.Controller == nil {
		return nil, errs.Err()
	}
	return f, errs.Err()
}

// unread finds the YAML files that nobody reads, so that a misspelt name is not passed over.
func unread(fsys fs.FS) Errors {
	var errs Errors
	known := []string{RobotFile, ControllerFile}
	for _, dir := range []string{".", SkillsDir, ScenesDir} {
		list, err := fs.ReadDir(fsys, dir)
		if err != nil {
			continue // whoever needs it tells
		}
		for _, d := range list {
			name := d.Name()
			ext := strings.ToLower(path.Ext(name))
			if d.IsDir() || strings.HasPrefix(name, ".") || ext != ".yaml" && ext != ".yml" {
				continue
			}
			switch {
			case dir == "." && !slices.Contains(known, name):
				errs = append(errs, Error{
					Pos: Pos{File: name}, Hint: "files here are " + strings.Join(known, " and ") + "; others belong into " + SkillsDir + "/ or " + ScenesDir + "/",
					Msg: "nobody reads a file of this name" + didYouMean(name, known),
				})
			case dir != "." && path.Ext(name) != ".yaml":
				errs = append(errs, Error{Pos: Pos{File: path.Join(dir, name)}, Msg: "nobody reads a file of this name", Hint: "its name must end in .yaml"})
			}
		}
	}
	return errs
}

func readFile[T any](fsys fs.FS, name string, errs Errors) (*T, *Document, Errors) {
	data, err := Read(fsys, name)
	if err != nil {
		e := Error{Pos: Pos{File: name}, Msg: "the file cannot be read: " + reason(err)}
		if errors.Is(err, fs.ErrNotExist) {
			e.Msg, e.Hint = "the file is missing", "rein init DIR writes a folder to start from"
		}
		return nil, nil, append(errs, e)
	}
	v, doc, err := DecodeDocument[T](name, data)
	if err != nil {
		return nil, doc, errs.Join(Pos{File: name}, err)
	}
	return &v, doc, errs
}

func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// readSkill reads what every skill's file may hold: an agent: block with questions.
func (f *Folder) readSkill(name string, errs Errors) Errors {
	file, doc, errs := readFile[map[string]Raw](f.FS, name, errs)
	if file == nil {
		return errs
	}
	s := &SkillFile{Name: path.Base(name), Rest: Raw{doc: doc, node: doc.root}, doc: doc}
	f.Skills[s.Name] = s
	block := (*file)["agent"]
	if block.IsZero() {
		return errs
	}
	keys, err := DecodeRaw[map[string]Raw](block)
	if err != nil {
		return errs.Join(block.Pos(), err)
	}
	if q := keys["monitor"]; !q.IsZero() {
		s.Questions, err = DecodeRaw[[]Question](q)
		errs = append(errs.Join(q.Pos(), err), s.checkNames()...)
	}
	if limit := keys["max_duration_s"]; limit.Kind() == KindNumber {
		if v, err := DecodeRaw[float64](limit); err == nil { // its skill tells what is wrong
			s.limit = &v
		}
	}
	return append(errs, s.checkAfter()...)
}

// crossCheck compares the files with each other.
func (f *Folder) crossCheck() Errors {
	var errs Errors
	fields := f.fields()
	for _, name := range sortedKeys(f.Controller.Tools) {
		errs = append(errs, f.checkTool("tools."+name, f.Controller.Tools[name])...)
	}
	for _, name := range sortedKeys(f.Skills) {
		errs = append(errs, f.checkFollowUps(f.Skills[name])...)
	}
	a := f.Controller.Agent
	if a == nil {
		return errs
	}
	for i, camera := range a.Cameras {
		errs = append(errs, f.checkCamera(item("agent.cameras", i), camera)...)
	}
	for _, module := range sortedKeys(a.StateFields) {
		at := "agent.state_fields." + module
		if fields[module] == nil {
			errs = append(errs, f.controller.Errorf(at, "", "the robot has no module %q%s", module, didYouMean(module, sortedKeys(fields))))
			continue
		}
		for i, field := range a.StateFields[module] {
			if !fields[module][field] {
				errs = append(errs, f.controller.Errorf(item(at, i), "it has "+strings.Join(sortedKeys(fields[module]), ", "), "%s has no field %q", module, field))
			}
		}
	}
	if a.Monitor != nil {
		for _, camera := range sortedKeys(a.Monitor.CloseUps) {
			errs = append(errs, f.checkCamera("agent.monitor.close_ups."+camera, camera)...)
		}
	}
	if a.OnIdle != nil {
		errs = append(errs, f.checkTool("agent.on_idle", *a.OnIdle)...)
	}
	return append(errs, f.checkTripwires()...)
}

// fields are the fields of the robot, by module.
func (f *Folder) fields() map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for _, m := range f.Robot.Description().Modules {
		out[m.Name] = map[string]bool{}
		for _, field := range m.Fields {
			out[m.Name][field.Name] = true
		}
	}
	return out
}

// cameraFields are the fields with pictures.
func (f *Folder) cameraFields() []string {
	var out []string
	for _, m := range f.Robot.Modules {
		if m.Camera != nil {
			out = append(out, m.Name+"/"+ImageField)
		}
	}
	return out
}

func (f *Folder) checkCamera(at, camera string) Errors {
	known := f.cameraFields()
	if slices.Contains(known, camera) {
		return nil
	}
	hint := "the robot has " + strings.Join(known, ", ")
	if len(known) == 0 {
		hint = "the robot has no camera"
	}
	return Errors{f.controller.Errorf(at, hint, "%q is no field with pictures%s", camera, didYouMean(camera, known))}
}

// checkTool checks the bound parameters that name a module or a file.
func (f *Folder) checkTool(at string, t Tool) Errors {
	var errs Errors
	for _, kind := range []string{"arm", "gripper", "camera"} {
		name, ok := t.Params[kind].(string)
		if !ok {
			continue
		}
		var known []string
		found := false
		for _, m := range f.Robot.Modules {
			if m.kind() == kind {
				known = append(known, m.Name)
				found = found || m.Name == name
			}
		}
		if !found {
			errs = append(errs, f.controller.Errorf(at+".params."+kind, "", "the robot has no %s %q%s", kind, name, didYouMean(name, known)))
		}
	}
	if file, ok := t.Params["config"].(string); ok && f.Skills[file] == nil {
		if _, err := fs.Stat(f.FS, path.Join(SkillsDir, path.Base(file))); err != nil || path.Base(file) != file {
			errs = append(errs, f.controller.Errorf(at+".params.config", "write the name of a file under skills/", "there is no %s/%s%s", SkillsDir, file, didYouMean(file, sortedKeys(f.Skills))))
		}
	}
	return errs
}

// checkFollowUps checks that every then names a tool.
func (f *Folder) checkFollowUps(s *SkillFile) Errors {
	var errs Errors
	for i, q := range s.Questions {
		for j, r := range q.When {
			errs = append(errs, f.checkThen(s.doc, s.rule(i, j)+".then", r.Then)...)
		}
	}
	return errs
}

// checkThen checks that a then, "" = none, names a tool.
func (f *Folder) checkThen(doc *Document, at, then string) Errors {
	if _, ok := f.Controller.Tools[then]; then == "" || ok {
		return nil
	}
	tools := sortedKeys(f.Controller.Tools)
	return Errors{doc.Errorf(at, "name a tool that needs no parameters; tools are "+strings.Join(tools, ", "), "then names no tool: %q%s", then, didYouMean(then, tools))}
}

// CheckThens checks that every then, of a rule or of a check, names a tool that can follow. usable says why one cannot.
func (f *Folder) CheckThens(usable func(tool string) error) error {
	var errs Errors
	check := func(doc *Document, at, then string) {
		if then == "" {
			return
		}
		if err := usable(then); err != nil {
			errs = append(errs, doc.Errorf(at, "name a tool without required parameters", "%v", err))
		}
	}
	for _, name := range sortedKeys(f.Skills) {
		s := f.Skills[name]
		for i, q := range s.Questions {
			for j, r := range q.When {
				check(s.doc, s.rule(i, j)+".then", r.Then)
			}
		}
	}
	if a := f.Controller.Agent; a != nil {
		for i, w := range a.Checks {
			check(f.controller, item("agent.checks", i)+".then", w.Then)
		}
	}
	return errs.Err()
}

// CheckSkills checks that every tool starts a skill that is known.
func (f *Folder) CheckSkills(known ...string) error {
	is := map[string]bool{}
	for _, k := range known {
		is[k] = true
	}
	var errs Errors
	check := func(at string, t Tool) {
		if !is[t.Skill] {
			errs = append(errs, f.controller.Errorf(at+".skill", "there are "+strings.Join(known, ", "), "no skill is called %q%s", t.Skill, didYouMean(t.Skill, known)))
		}
	}
	for _, name := range sortedKeys(f.Controller.Tools) {
		check("tools."+name, f.Controller.Tools[name])
	}
	if a := f.Controller.Agent; a != nil && a.OnIdle != nil {
		check("agent.on_idle", *a.OnIdle)
	}
	return errs.Err()
}

// ToolErrorf is an error at a tool of controller.yaml, for whoever builds it.
func (f *Folder) ToolErrorf(tool, format string, args ...any) Error {
	return f.controller.Errorf("tools."+tool, "", format, args...)
}

// Errorf is an error at a path of controller.yaml ("agent.on_idle").
func (f *Folder) Errorf(at, hint, format string, args ...any) Error {
	return f.controller.Errorf(at, hint, format, args...)
}

// Supports checks that the providers of planner and monitor are among those that this program has. Without any for the
// monitor, a configuration with one is an error: it is never passed over.
func (f *Folder) Supports(planners, monitors []string) error {
	a := f.Controller.Agent
	if a == nil {
		return nil
	}
	var errs Errors
	check := func(duty, provider string, has []string) {
		if slices.Contains(has, provider) {
			return
		}
		hint := "there are " + strings.Join(has, ", ")
		if len(has) == 0 {
			hint = fmt.Sprintf("remove the %s: block, or run with --%s none", duty, duty)
		}
		errs = append(errs, f.controller.Errorf("agent."+duty+".provider", hint, "a %s with provider %s is not available yet", duty, provider))
	}
	check("planner", a.Planner.Provider, planners)
	if a.Monitor != nil {
		check("monitor", a.Monitor.Provider, monitors)
	}
	return errs.Err()
}

// CheckEnv checks that the environment holds the keys that planner and monitor need. lookup is os.LookupEnv.
func (f *Folder) CheckEnv(lookup func(string) (string, bool)) error {
	a := f.Controller.Agent
	if a == nil {
		return nil
	}
	var errs Errors
	check := func(at string, e *Endpoint) {
		if name := e.KeyEnv(); name != "" {
			if _, err := Key(name, lookup); err != nil {
				errs = append(errs, f.controller.Errorf(at, "", "%v", err))
			}
		}
	}
	check("agent.planner.api_key_env", &a.Planner.Endpoint)
	if a.Monitor != nil {
		check("agent.monitor.api_key_env", &a.Monitor.Endpoint)
	}
	return errs.Err()
}

// Key is the key in an environment variable, without outer white space. The error names the variable, never the value.
func Key(name string, lookup func(string) (string, bool)) (string, error) {
	value, ok := lookup(name)
	value = strings.TrimSpace(value)
	if !ok || value == "" {
		return "", fmt.Errorf("the environment variable %s is not set", name)
	}
	for _, r := range value {
		if r <= ' ' || r > '~' || strings.ContainsRune("\"'`", r) {
			return "", fmt.Errorf("the environment variable %s holds a character that no key has", name)
		}
	}
	return value, nil
}
