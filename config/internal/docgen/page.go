package main

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"github.com/rein-robotics/rein/config"
)

// part is one section of the page: a struct and those that it leads to.
type part struct {
	heading, dir, root, before string
}

// parts are the files of a configuration folder, in the order in which one writes them.
func parts() []part {
	return []part{
		{"robot.yaml", "config", "Robot", "Which robot it is, and what it is made of."},
		{"controller.yaml", "config", "Controller", "How the robot is run, which tools there are, and the agent."},
		{
			"skills/*.yaml: the agent: block", "skill", "AgentBlock",
			"Every file of a skill may hold an `agent:` block. What it gives replaces what the skill says of itself.",
		},
		{"skills/*.yaml: monitor questions", "config", "Question", "The entries of `monitor:` in a skill's `agent:` block."},
		{"skills/move.yaml", "skill/move", "Poses", "The named poses of the skill `move`."},
		{"skills/pick_object.yaml", "skill/policy", "Config", "A policy of kind `servo`, bound by a tool's `config: pick_object.yaml`."},
	}
}

const intro = `# Configuration

<!-- written by go generate from the structs of package config; change them, not this file -->

A configuration is a folder. ` + "`rein init DIR`" + ` writes one to start from, ` + "`rein check --conf DIR`" + ` says all that is wrong with one.
` + "`--conf tabletop`" + ` and ` + "`--conf wrist`" + ` are the embedded ones; a folder of such a name is written ` + "`./tabletop`" + `. Without ` + "`--conf`" + ` it is the
embedded ` + "`tabletop`" + `, whatever lies in the current folder.

| file | what it holds |
|---|---|
| ` + "`robot.yaml`" + ` | which robot, its modules, fields, cameras, limits |
| ` + "`controller.yaml`" + ` | rates, recording, tools, the agent |
| ` + "`skills/*.yaml`" + ` | what skills are configured with |
| ` + "`scenes/*.yaml`" + ` | scenes of the embedded simulator, see [scenes](scenes.md) |
| ` + "`guides/*/SKILL.md`" + ` | written experience for the planner |

## What a file may hold

Files are strict: whatever could have been meant otherwise is an error with file, line, column and a hint, and all errors of all
files are told at once, before anything moves.

* A YAML file that nobody reads, in the folder itself, under ` + "`skills/`" + ` or under ` + "`scenes/`" + `.
* An unknown key, a key that stands twice, a value of another type, a value out of range.
* Numbers are decimal: no leading zero (` + "`030`" + `), no decimal comma (` + "`0,5`" + `), no underscore, no fraction where a whole number is
  wanted, nothing that is not finite.
* ` + "`true`" + ` and ` + "`false`" + ` are written so; ` + "`yes`" + `, ` + "`on`" + ` and ` + "`True`" + ` are not. A number or a word like ` + "`true`" + ` where a text is wanted needs quotes.
* One document a file, at most 1 MB, at most 64 deep. Aliases must stand for something; ` + "`<<`" + ` merges a map, and what stands beside it wins.
* A name (of a module, a tool, a pose) has lower case letters, digits and ` + "`_`" + `, begins with a letter, and has at most 63 characters.
* Keys of models are never in a file: ` + "`api_key_env`" + ` names the environment variable that holds one.
`

// Page is the whole page. root is the repository's folder.
func Page(root string) (string, error) {
	var b strings.Builder
	b.WriteString(intro)
	told := map[string]bool{}
	for _, p := range parts() {
		structs, err := structsOf(filepath.Join(root, filepath.FromSlash(p.dir)))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", p.heading, p.before)
		w := writer{b: &b, structs: structs, told: told, defaults: p.dir == "config"}
		if err := w.tell(p.root, true); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

type writer struct {
	b        *strings.Builder
	structs  map[string]structDoc
	told     map[string]bool
	defaults bool
}

// tell writes a struct's table and then those of the structs it leads to.
func (w *writer) tell(name string, top bool) error {
	s, ok := w.structs[name]
	if !ok {
		return fmt.Errorf("no struct %s", name)
	}
	if !top {
		fmt.Fprintf(w.b, "\n### %s\n\n%s\n", name, s.doc)
	}
	w.b.WriteString("\n| key | value | default | meaning |\n|---|---|---|---|\n")
	var next []string
	for _, f := range w.flatten(s) {
		text, to := typeWords(f.typ)
		if _, known := w.structs[to]; known {
			text = strings.TrimSuffix(text, "map") + "[" + to + "](#" + strings.ToLower(to) + ")"
			next = append(next, to)
		}
		if c := checkWords(f.check); c != "" {
			text += "; " + c
		}
		fmt.Fprintf(w.b, "| `%s` | %s | %s | %s |\n", f.key, text, w.defaultOf(name, f), f.doc)
	}
	for _, n := range next {
		if w.told[n] {
			continue
		}
		w.told[n] = true
		if err := w.tell(n, false); err != nil {
			return err
		}
	}
	return nil
}

// flatten puts the keys of inlined structs where they stand.
func (w *writer) flatten(s structDoc) []fieldDoc {
	var out []fieldDoc
	for _, f := range s.fields {
		if !f.inline {
			out = append(out, f)
			continue
		}
		if _, to := typeWords(f.typ); to != "" {
			out = append(out, w.flatten(w.structs[to])...)
		}
	}
	return out
}

// defaultOf is the value of a key that is left out; "" when there is none to speak of.
func (w *writer) defaultOf(name string, f fieldDoc) string {
	v, ok := valueOf(name)
	if !w.defaults || !ok || strings.Contains(f.check, "required") {
		return ""
	}
	fv := v.FieldByName(f.field)
	if !fv.IsValid() {
		return ""
	}
	if fv.Kind() == reflect.Pointer {
		if fv.IsNil() {
			return ""
		}
		fv = fv.Elem()
	}
	switch fv.Kind() {
	case reflect.Bool:
		return strconv.FormatBool(fv.Bool())
	case reflect.Int:
		return strconv.FormatInt(fv.Int(), 10)
	case reflect.Float64:
		return strconv.FormatFloat(fv.Float(), 'g', -1, 64)
	case reflect.String:
		if fv.String() != "" {
			return "`" + fv.String() + "`"
		}
	}
	return ""
}

// valueOf is a struct of package config with its defaults.
func valueOf(name string) (reflect.Value, bool) {
	for _, ptr := range []any{
		&config.Robot{}, &config.Module{}, &config.Arm{}, &config.Joint{}, &config.ArmShape{}, &config.Gripper{}, &config.Camera{},
		&config.Controller{}, &config.Recording{}, &config.Agent{}, &config.Planner{}, &config.Monitor{}, &config.SubAgents{}, &config.Budgets{},
		&config.Arrival{}, &config.Waits{}, &config.Price{}, &config.Question{}, &config.Rule{}, &config.Tripwire{},
	} {
		v := reflect.ValueOf(ptr)
		if v.Elem().Type().Name() != name {
			continue
		}
		if d, ok := ptr.(interface{ SetDefaults() }); ok {
			d.SetDefaults()
		}
		return v.Elem(), true
	}
	return reflect.Value{}, false
}
