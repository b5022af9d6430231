package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rein-robotics/rein/skill"
)

// confWith is a copy of the tabletop configuration with some texts replaced: file, from, to.
func confWith(t testing.TB, changes ...[3]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "conf")
	if err := Init(dir, ""); err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		name := filepath.Join(dir, filepath.FromSlash(c[0]))
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(data), c[1]) {
			t.Fatalf("%s holds no %q", c[0], c[1])
		}
		if err := os.WriteFile(name, []byte(strings.Replace(string(data), c[1], c[2], 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestCheckFindsAThenThatCannotFollow(t *testing.T) {
	question := func(then string) [3]string {
		return [3]string{"skills/pick_object.yaml", "agent:\n", "agent:\n  monitor:\n    - {name: held, instructions: is it held, when: {do: finish, then: " + then + "}}\n"}
	}
	check := func(then string) [3]string {
		return [3]string{"controller.yaml", "agent:\n", "agent:\n  checks: [{name: a, kind: stalled, then: " + then + "}]\n"}
	}
	tests := map[string]struct {
		change [3]string
		want   string // "" = it is taken
	}{
		"no_tool":                       {question("home_holdin"), "names no tool"},
		"needs_a_point":                 {question("place_at"), "needs a point in an image"},
		"needs_a_parameter":             {question("move_to_pose"), "required parameters"},
		"a_check_without_its_limit":     {[3]string{"controller.yaml", "agent:\n", "agent:\n  checks: [{name: a, kind: overload}]\n"}, "overload has no limit"},
		"takes_nothing":                 {question("home_holding"), ""},
		"a_check_that_needs_a_point":    {check("place_at"), "needs a point in an image"},
		"a_check_with_a_usable_tool":    {check("home_holding"), ""},
		"a_check_that_wants_parameters": {check("set_gripper"), "required parameters"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Check(Options{Conf: confWith(t, tc.change)})
			switch {
			case tc.want == "" && err != nil:
				t.Error(err)
			case tc.want != "" && (err == nil || !IsUsage(err) || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), tc.change[0]+":")):
				t.Errorf("got %v, want %q with its place", err, tc.want)
			}
		})
	}
}

func TestCheckFindsAnActionThatNeverEnds(t *testing.T) {
	wipe := [3]string{"controller.yaml", "tools:\n", "tools:\n  wipe: {skill: wipe}\n"}
	watched := [3]string{"controller.yaml", "agent:\n", "agent:\n  monitor: {provider: rules}\n"}
	declared := [3]string{"controller.yaml", "agent:\n", "agent:\n  checks: [{name: a, kind: stalled, tools: [wipe], do: finish}]\n"}
	const finish, fail = `[{"name":"clean","instructions":"is it clean","when":{"do":"finish"}}]`, `[{"name":"lost","instructions":"is it lost","when":{"do":"fail"}}]`
	tests := map[string]struct {
		changes [][3]string
		asks    string
		limit   time.Duration
		monitor string
		ends    bool
	}{
		"neither":               {[][3]string{wipe, watched}, fail, 0, "", false},
		"a_limit":               {[][3]string{wipe}, "", time.Second, "", true},
		"a_finish_rule":         {[][3]string{wipe, watched}, finish, 0, "", true},
		"that_nobody_asks":      {[][3]string{wipe}, finish, 0, "", false},
		"a_monitor_switched_on": {[][3]string{wipe}, finish, 0, "rules", true},
		"and_one_switched_off":  {[][3]string{wipe, watched}, finish, 0, "none", false},
		"a_check_that_finishes": {[][3]string{wipe, declared}, "", 0, "", true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := load(&Options{Conf: confWith(t, tc.changes...), Monitor: tc.monitor, Skills: map[string]SkillMaker{
				"wipe": func(name string, _ skill.Params, _ *skill.Env) (*skill.Tool, error) {
					return &skill.Tool{Name: name, Skill: "wipe", Spec: skill.Spec{Description: "Wipes.", MaxDuration: tc.limit, Monitor: json.RawMessage(tc.asks)}}, nil
				},
			}})
			if tc.ends && err != nil || !tc.ends && (err == nil || !strings.Contains(err.Error(), "controller.yaml:") || !strings.Contains(err.Error(), "it never ends")) {
				t.Errorf("got %v", err)
			}
		})
	}
}
