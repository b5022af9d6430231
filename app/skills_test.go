package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/config"
	"github.com/rein-robotics/rein/skill"
)

// wave is a skill of one's own that is done at once.
type wave struct{}

func (wave) Start(*skill.Body) error        { return nil }
func (wave) Tick(*skill.Body) (bool, error) { return true, nil }

func makeWave(name string, p skill.Params, env *skill.Env) (*skill.Tool, error) {
	if err := p.Only("arm"); err != nil {
		return nil, err
	}
	arm, _, err := env.ArmModules(p)
	if err != nil {
		return nil, err
	}
	return &skill.Tool{
		Name: name, Skill: "wave", Spec: skill.Spec{Description: "Waves.", EndsByItself: true, Commands: []string{arm.Name}},
		New: func(skill.Call) (skill.Skill, error) { return wave{}, nil },
	}, nil
}

func TestSkillOfOnesOwn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mine")
	if err := Init(dir, "tabletop"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, config.ControllerFile)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	mine := strings.Replace(string(text), "tools:\n", "tools:\n  wave: {skill: wave, params: {arm: right_arm}}\n", 1)
	if err := os.WriteFile(file, []byte(mine), 0o644); err != nil {
		t.Fatal(err)
	}
	o := Options{Conf: dir, Skills: map[string]SkillMaker{"wave": makeWave}}
	specs, _, err := ToolSpecs(o)
	if err != nil || !strings.Contains(string(specs), `"name": "wave"`) {
		t.Errorf("got %v, %s", err, specs)
	}
	if _, _, err := ToolSpecs(Options{Conf: dir}); err == nil || !strings.Contains(err.Error(), config.ControllerFile+":") || !strings.Contains(err.Error(), "wave") {
		t.Errorf("got %v, want the place of a skill that nobody has", err)
	}
}

func TestIdleSkillRunsWhenTheRunHasEnded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mine")
	if err := Init(dir, "tabletop"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, config.ControllerFile)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	mine := strings.Replace(string(text), "agent:\n", "agent:\n  on_idle: {skill: wave, params: {arm: right_arm}}\n", 1)
	if err := os.WriteFile(file, []byte(mine), 0o644); err != nil {
		t.Fatal(err)
	}
	var ran bool
	o := Options{Conf: dir, Scene: "battery", NoRecord: true, NoFilm: true, Skills: map[string]SkillMaker{
		"wave": func(name string, p skill.Params, env *skill.Env) (*skill.Tool, error) {
			tool, err := makeWave(name, p, env)
			if err != nil {
				return nil, err
			}
			tool.New = func(skill.Call) (skill.Skill, error) {
				ran = true
				return wave{}, nil
			}
			return tool, nil
		},
	}}
	res, err := Run(t.Context(), "put the banana in the box", o)
	if err != nil || !ran || res.Actions != 0 {
		t.Errorf("got %+v, %v; the idle skill ran: %t", res, err, ran)
	}
}
