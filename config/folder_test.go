package config_test

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rein-robotics/rein/config"
)

// folder is the embedded configuration with some texts replaced: file, from, to.
func folder(t *testing.T, changes ...[3]string) fstest.MapFS {
	t.Helper()
	out := fstest.MapFS{}
	root := os.DirFS("../conf/tabletop")
	for _, pattern := range []string{"*.yaml", "skills/*.yaml"} {
		names, err := fs.Glob(root, pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			data, err := fs.ReadFile(root, name)
			if err != nil {
				t.Fatal(err)
			}
			out[name] = &fstest.MapFile{Data: data}
		}
	}
	for _, c := range changes {
		data := string(out[c[0]].Data)
		if !strings.Contains(data, c[1]) {
			t.Fatalf("%s holds no %q", c[0], c[1])
		}
		out[c[0]] = &fstest.MapFile{Data: []byte(strings.Replace(data, c[1], c[2], 1))}
	}
	return out
}

func TestLoadRefuses(t *testing.T) {
	const c, r, p = "controller.yaml", "robot.yaml", "skills/pick_object.yaml"
	tests := []struct {
		name    string
		changes [][3]string
		want    []string // parts of the messages, in order
	}{
		{"camera-is-no-field", [][3]string{{c, "cameras: [front_camera/image]", "cameras: [front_camera/imge]"}}, []string{`"front_camera/imge" is no field with pictures; did you mean "front_camera/image"?`}},
		{"state-of-no-module", [][3]string{{c, "right_gripper: [aperture_mm]", "left_gripper: [aperture_mm]"}}, []string{`the robot has no module "left_gripper"`}},
		{"state-of-no-field", [][3]string{{c, "[aperture_mm]", "[aperture]"}}, []string{`right_gripper has no field "aperture" (it has aperture_mm)`}},
		{"arm-of-a-tool", [][3]string{{c, "{arm: right_arm, gripper: right_gripper, offer: delta}", "{arm: rigt_arm, gripper: right_gripper, offer: delta}"}}, []string{`no arm "rigt_arm"; did you mean "right_arm"?`}},
		{"look-alike", [][3]string{{c, "{arm: right_arm, gripper: right_gripper, offer: delta}", "{arm: right_\u0430rm, gripper: right_gripper, offer: delta}"}}, []string{`letters that only look like it: "right_\u0430rm"`}},
		{"minutes", [][3]string{{c, "max_minutes: 20", "max_minutes: 1e300"}}, []string{"1e+300 is too large: at most 100000"}},
		{"file-of-a-tool", [][3]string{{c, "config: pick_object.yaml", "config: pick.yaml"}}, []string{"there is no skills/pick.yaml"}},
		{"file-elsewhere", [][3]string{{c, "config: pick_object.yaml", "config: ../robot.yaml"}}, []string{"there is no skills/../robot.yaml"}},
		{"tool-name", [][3]string{{c, "  place_at:", "  Place-At:"}}, []string{`"Place-At" is no name`}},
		{"built-in-tool", [][3]string{{c, "  place_at:", "  observe:"}}, []string{`"observe" is a tool that every agent has`}},
		{"planner-key", [][3]string{{c, "{provider: rules}", "{provider: rules, model: x}"}}, []string{"rules is no model"}},
		{"planner-without-model", [][3]string{{c, "{provider: rules}", "{provider: openai}"}}, []string{"openai needs a model"}},
		{"planner-provider", [][3]string{{c, "{provider: rules}", "{provider: openai_decisions, model: m}"}}, []string{"openai_decisions cannot be used here"}},
		{"decisions-effort", [][3]string{{c, "{provider: rules}", "{provider: rules}\n  monitor: {provider: openai_decisions, model: gpt-6-luna, reasoning_effort: low}"}}, []string{"openai_decisions takes no reasoning_effort"}},
		{"decisions-output", [][3]string{{c, "{provider: rules}", "{provider: rules}\n  monitor: {provider: openai_decisions, model: gpt-6-luna, max_output_tokens: 9, thinking_budget: 2048}"}}, []string{"openai_decisions takes no thinking_budget", "openai_decisions takes no max_output_tokens"}},
		{"a-key-for-a-variable", [][3]string{{c, "{provider: rules}", "{provider: openai, model: m, api_key_env: sk-abc}\n  monitor: {provider: openai_decisions, model: m, base_url: \"http://host\", api_key_env: \"9KEY\"}"}}, []string{
			`controller.yaml:19:54: it is no name of an environment variable (write a name such as MONITOR_KEY`, `controller.yaml:20:89: it is no name`,
		}},
		{"rules-effort", [][3]string{{c, "{provider: rules}", "{provider: rules}\n  monitor: {provider: rules, reasoning_effort: low}"}}, []string{"rules takes no reasoning_effort"}},
		{"monitor-thinking", [][3]string{{c, "{provider: rules}", "{provider: rules}\n  monitor: {provider: openai_responses, model: m, thinking_budget: 2048}"}}, []string{"openai_responses takes no thinking_budget"}},
		{"thinking", [][3]string{{c, "{provider: rules}", "{provider: openai, model: m, thinking_budget: 4096}"}}, []string{"openai takes no thinking_budget"}},
		{"two-kinds", [][3]string{{r, "  - name: right_gripper\n", "  - name: right_gripper\n    arm: *a\n"}, {r, "    arm:\n", "    arm: &a\n"}}, []string{"just one of arm, gripper and camera"}},
		{"no-kind", [][3]string{{r, "  - name: right_gripper\n", "  - name: thing\n  - name: right_gripper\n"}}, []string{"just one of arm, gripper and camera"}},
		{"name-twice", [][3]string{{r, "name: right_wrist_camera", "name: front_camera"}}, []string{`two modules are called "front_camera"`}},
		{"gripper-of-arm", [][3]string{{r, "gripper: right_gripper", "gripper: left_gripper"}}, []string{`no gripper is called "left_gripper"`}},
		{"limits", [][3]string{{r, "[-110, 110]", "[110, -110]"}}, []string{"cannot turn from 110 to -110"}},
		{"joint-missing", [][3]string{{r, "        wrist_roll: {limits_deg: [-160, 160]}\n", ""}}, []string{`the key "wrist_roll" is missing`}},
		{"camera-carried-by-none", [][3]string{{r, "      arm: right_arm\n", ""}}, []string{"a moving camera is carried by an arm"}},
		{"camera-up", [][3]string{{r, "up: [0, 0, 1]", "up: [0, 0, 0]"}}, []string{"up is the direction"}},
		{"workspace", [][3]string{{r, "[0.5, 0.5, 0.6]", "[0.5, -0.5, 0.6]"}}, []string{"no extent along y"}},
		{"all-files-at-once", [][3]string{{r, "robot: sim", "robot: sin"}, {c, "control_hz: 100", "control_hz: 1"}, {"skills/move.yaml", "poses:", "poses: {"}}, []string{
			"controller.yaml:1:13: 1 is too small", `robot.yaml:2:8: "sin" is not known; did you mean "sim"?`, "skills/move.yaml:",
		}},
		{"then-names-no-tool", [][3]string{{"skills/pick_object.yaml", "agent:\n", "agent:\n  monitor:\n    - name: held\n      instructions: is it held\n      when: {do: finish, then: home_holdin}\n"}}, []string{
			`then names no tool: "home_holdin"; did you mean "home_holding"?`,
		}},
		{"question", [][3]string{{"skills/pick_object.yaml", "agent:\n", "agent:\n  monitor:\n    - {name: held, type: choice, instructions: x, choices: {a: A, b: B}, when: [{do: fail, value: c}, {do: escalate, value: a, then: x}]}\n"}}, []string{
			"an action that goes on has no follow-up", `then names no tool: "x"`, `"c" is no choice (write one of a, b)`,
		}},
		{"check-of-no-tool", [][3]string{{c, "agent:\n", "agent:\n  checks: [{name: a, kind: stalled, tools: [pick], module: right_wrist, then: hom}, {name: a, kind: overload, above: 3}]\n"}}, []string{
			`there is no tool "pick"`, `then names no tool: "hom"`, `stalled cannot read "right_wrist"`, `there are two checks called "a"`,
		}},
		{"check-of-a-kind", [][3]string{{c, "agent:\n", "agent:\n  checks: [{name: a, kind: stalled, below_mm: 3}, {name: b, kind: overload}, {name: c, kind: gripper_empty, do: escalate, then: home_holding}]\n"}}, []string{
			"stalled has no below_mm", "overload has no limit", "an action that goes on has no follow-up",
		}},
		{"check-of-an-arm", [][3]string{{c, "agent:\n", "agent:\n  checks: [{name: a, kind: gripper_empty, module: right_arm}]\n"}}, []string{
			`gripper_empty cannot read "right_arm" (there are right_gripper)`,
		}},
		{"predicate-value", [][3]string{{p, "agent:\n", "agent:\n  monitor:\n    - {name: held, instructions: x, when: [{do: fail, value: yes}, {do: fail, value: \"true\"}, {do: fail, value: 1}]}\n"}}, []string{
			`pick_object.yaml:13:62: "yes" is no answer to a predicate (write true or false`, `not the text "true" (remove the quotes)`, `1 is no answer to a predicate (write true or false)`,
		}},
		{"all-of-a-rule-at-once", [][3]string{{p, "agent:\n", "agent:\n  monitor:\n    - name: held\n      type: choice\n      instructions: x\n      choices: {holding: A, b: B}\n      when:\n        - {do: fail, value: holdng, treshold: 0.8, then: gohome}\n"}}, []string{
			`pick_object.yaml:18:29: "holdng" is no choice; did you mean "holding"? (write one of b, holding)`, `unknown key "treshold"; did you mean "threshold"?`,
			`pick_object.yaml:18:58: then names no tool: "gohome" (name a tool that needs no parameters; tools are home_holding, move_to_pose,`,
		}},
		{"a-list-of-one-rule", [][3]string{{p, "agent:\n", "agent:\n  monitor:\n    - name: held\n      instructions: x\n      when:\n        - do: fail\n          then: gohome\n"}}, []string{`pick_object.yaml:17:17: then names no tool`}},
		{"question-twice", [][3]string{{p, "agent:\n", "agent:\n  monitor:\n    - {name: progress, instructions: x}\n    - {name: progress, instructions: y, whn: 3}\n"}}, []string{
			`pick_object.yaml:14:14: two questions are called "progress"; the first is at line 13 (give each question a name of its own)`, `unknown key "whn"`,
		}},
		{"a-rule-after-the-end", [][3]string{{p, "agent:\n", "agent:\n  monitor:\n    - {name: progress, instructions: x, when: {do: fail, after_s: 25}}\n"}}, []string{
			`pick_object.yaml:13:67: the rule never counts: it begins after 25 s, and the action ends at 25 s (write a smaller after_s, or a larger max_duration_s)`,
		}},
		{"address", [][3]string{{c, "{provider: rules}", "{provider: openai, model: m, base_url: 127.0.0.1:18555}"}}, []string{`:51: "127.0.0.1:18555" is no address: http:// is missing (write it as http://127.0.0.1:8000)`}},
		{"address-with-a-password", [][3]string{{c, "{provider: rules}", "{provider: openai, model: m, base_url: \"http://me:pass word@host:1:2/\"}"}}, []string{`"http://host:1:2/" is no address`}},
		{"address-with-a-query", [][3]string{{c, "{provider: rules}", "{provider: openai, model: m, base_url: \"http://host/v1?key=secret\"}"}}, []string{`"http://host/v1" goes on with a question mark`}},
		{"effort", [][3]string{{c, "{provider: rules}", "{provider: openai, model: m, reasoning_effort: lots}"}}, []string{`"lots" is not known; did you mean "low"? (write one of none, minimal, low,`}},
		{"choice-value", [][3]string{{"skills/pick_object.yaml", "agent:\n", "agent:\n  monitor:\n    - {name: held, type: choice, instructions: x, choices: {a: A, b: B}, when: [{do: fail, value: c}, {do: fail}]}\n"}}, []string{
			`the rule of a choice needs a value`, `"c" is no choice`,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := config.Load(folder(t, tt.changes...))
			if err == nil {
				t.Fatal("it was taken")
			}
			got := strings.Split(err.Error(), "\n")
			if len(got) != len(tt.want) {
				t.Fatalf("got %d errors, want %d:\n%v", len(got), len(tt.want), err)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want it to contain %q", err, want)
				}
			}
			if strings.Contains(err.Error(), "sk-abc") {
				t.Errorf("a key is told: %v", err)
			}
			for _, line := range got {
				if strings.Count(strings.SplitN(line, " ", 2)[0], ":") != 3 {
					t.Errorf("no file:line:column in %q", line)
				}
			}
		})
	}
}

func TestLoadMissingFiles(t *testing.T) {
	_, err := config.Load(fstest.MapFS{})
	if err == nil || !strings.Contains(err.Error(), "robot.yaml: the file is missing (rein init") || !strings.Contains(err.Error(), "controller.yaml") {
		t.Errorf("got %v, want both files", err)
	}
	files := folder(t)
	files["controller.yaml"] = &fstest.MapFile{Data: nil}
	f, err := config.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	if f.Controller.Agent != nil || f.Controller.ControlHz != config.DefaultControlHz {
		t.Errorf("an empty controller.yaml: got %+v", f.Controller)
	}
}

func TestDefaultsOfTheAgent(t *testing.T) {
	files := folder(t)
	files["controller.yaml"] = &fstest.MapFile{Data: []byte("agent: {monitor: {provider: openai_responses, model: m}}\n")}
	f, err := config.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	a, m := f.Controller.Agent, f.Controller.Agent.Monitor
	got := []any{
		*a.PlannerHeartbeatS, a.Budgets.MaxTurns, a.Budgets.MaxMinutes, a.Budgets.RetriesPerStep, a.MaxImagesInContext, a.MaxPointAgeS, a.ImageMaxSide,
		a.ImageGrid, a.ImageOverlays, a.DryRun, a.Planner.Provider, a.Planner.Retries, a.Planner.TimeoutS, m.History, m.ImageMaxSide, m.Reference,
		m.MarkTarget, m.PeriodS, m.MaxAnswerAgeS, m.Rearm, a.Waits.FirstTrackS, a.Waits.StopS, a.Waits.CommandS, a.Waits.MonitorS, a.Waits.FrameS,
		a.Waits.StreamS, a.Arrival.Letter, a.Arrival.StartDelayS,
	}
	want := []any{
		20.0, 80, 20.0, 3, 40, 60.0, 1024, true, true, false, "rules", 4, 180.0, 2, 512, true, false, 2.0, 10.0, true, 5.0, 2.0, 1.0, 20.0, 2.0, 60.0, false, 1.0,
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("default %d: got %v, want %v", i, got[i], want[i])
		}
	}
}

// The example of the specification's own monitor questions is taken as it stands.
func TestQuestionsOfTheSpecification(t *testing.T) {
	files := folder(t)
	files["skills/pick_object.yaml"] = &fstest.MapFile{Data: []byte(`agent:
  description: Grasp one object with the pick policy and lift it. Point at the object in the wrist image.
  max_duration_s: 25
  monitor:
    - name: progress
      type: choice
      instructions: Which phase the pick is in. Compare the previous close-up with the current one.
      choices:
        approaching: >-
          The fingers are open.
        holding: >-
          The target is pinched between the fingers.
        failed: >-
          The fingers are closer together than the target is wide.
      when:
        - {do: finish, value: holding, threshold: 0.8, consecutive: 1, then: home_holding}
        - {do: escalate, value: failed, threshold: 0.8, consecutive: 2, after_s: 6}
    - {name: released, instructions: Has it let go?, when: {do: finish}}
`)}
	f, err := config.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	q := f.Skills["pick_object.yaml"].Questions
	if len(q) != 2 || len(q[0].When) != 2 || len(q[1].When) != 1 || q[1].Type != "predicate" {
		t.Fatalf("got %+v", q)
	}
	if got, want := q[0].When[1], (config.Rule{Do: "escalate", Value: "failed", Threshold: 0.8, Consecutive: 2, AfterS: 6}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestThensAreAsked: every then of rules and checks is told to whoever knows the tools, with its place.
func TestThensAreAsked(t *testing.T) {
	f, err := config.Load(folder(t,
		[3]string{"skills/pick_object.yaml", "agent:\n", "agent:\n  monitor:\n    - {name: held, instructions: is it held, when: {do: finish, then: push_object}}\n"},
		[3]string{"controller.yaml", "agent:\n", "agent:\n  checks: [{name: a, kind: stalled, then: home_holding}, {name: b, kind: stalled}]\n"},
	))
	if err != nil {
		t.Fatal(err)
	}
	err = f.CheckThens(func(tool string) error { return errors.New(tool + " cannot") })
	if err == nil || !strings.Contains(err.Error(), "skills/pick_object.yaml:13:") || !strings.Contains(err.Error(), "push_object cannot") ||
		!strings.Contains(err.Error(), "controller.yaml:") || !strings.Contains(err.Error(), "home_holding cannot") {
		t.Errorf("got %v", err)
	}
	if err := f.CheckThens(func(string) error { return nil }); err != nil {
		t.Error(err)
	}
}

func TestSupports(t *testing.T) {
	f, err := config.Load(folder(t, [3]string{"controller.yaml", "  planner_heartbeat_s", "  monitor: {provider: openai_responses, model: m}\n  planner_heartbeat_s"}))
	if err != nil {
		t.Fatal(err)
	}
	err = f.Supports([]string{"rules"}, nil)
	if err == nil || !strings.Contains(err.Error(), "controller.yaml:") || !strings.Contains(err.Error(), "a monitor with provider openai_responses is not available yet (remove the monitor: block") {
		t.Errorf("got %v, want that the monitor is refused", err)
	}
	if err := f.Supports([]string{"rules"}, []string{"openai_responses"}); err != nil {
		t.Error(err)
	}
	if err := f.CheckSkills("policy", "place", "push", "pull", "move"); err == nil || !strings.Contains(err.Error(), `no skill is called "press"`) {
		t.Errorf("got %v, want that press is unknown", err)
	}
	env := map[string]string{}
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	if err := f.CheckEnv(lookup); err == nil || !strings.Contains(err.Error(), "OPENAI_API_KEY is not set") {
		t.Errorf("got %v, want that the key is missing", err)
	}
	env["OPENAI_API_KEY"] = " sk-1 "
	if err := f.CheckEnv(lookup); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"", "  ", "\"sk-1\"", "sk\x01", "schlüssel"} {
		env = map[string]string{"K": bad}
		if _, err := config.Key("K", lookup); err == nil || bad != "" && strings.TrimSpace(bad) != "" && strings.Contains(err.Error(), bad) {
			t.Errorf("%q: got %v, want an error without the value", bad, err)
		}
	}
}

func TestDescription(t *testing.T) {
	f, err := config.Load(folder(t))
	if err != nil {
		t.Fatal(err)
	}
	d := f.Robot.Description()
	fields := map[string]string{}
	for _, m := range d.Modules {
		var names []string
		for _, field := range m.Fields {
			names = append(names, field.Name)
		}
		fields[m.Name] = strings.Join(names, " ")
	}
	want := map[string]string{
		"right_arm":     "shoulder_pan shoulder_lift elbow_flex wrist_flex wrist_yaw wrist_roll x y z turn",
		"right_gripper": "aperture_mm", "front_camera": "image", "right_wrist_camera": "image",
	}
	if !maps.Equal(fields, want) {
		t.Errorf("got %v, want %v", fields, want)
	}
	front := d.Module("front_camera").Camera
	u, v, ok := front.Intrinsics.Project(front.InWorld.Inv().Apply(d.Module("front_camera").Camera.InWorld.Pos))
	_ = u + v
	if ok {
		t.Error("a camera sees itself")
	}
	if got := d.Module("right_gripper").Gripper.MaxApertureM; got != 0.07 {
		t.Errorf("aperture: got %v, want 0.07", got)
	}
}

func TestNoFileIsPassedOver(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ file, want string }{
		{"controler.yaml", `controler.yaml: nobody reads a file of this name; did you mean "controller.yaml"?`},
		{"scene.yml", "scene.yml: nobody reads a file of this name (files here are"},
		{"skills/pick.yml", "skills/pick.yml: nobody reads a file of this name (its name must end in .yaml)"},
		{"scenes/mine.YAML", "scenes/mine.YAML: nobody reads"},
	} {
		files := folder(t)
		files[tt.file] = &fstest.MapFile{Data: []byte("a: 1\n")}
		if _, err := config.Load(files); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.file, err, tt.want)
		}
	}
	files := folder(t)
	for _, name := range []string{"README.md", ".hidden.yaml", "notes/a.yaml"} {
		files[name] = &fstest.MapFile{Data: []byte("a: 1\n")}
	}
	if _, err := config.Load(files); err != nil {
		t.Error(err)
	}
}
