package app

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/config"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/tool"
)

type nothing struct{}

func counter(t *testing.T, name string) *tool.Tool {
	t.Helper()
	f, err := tool.New(name, "Counts.", tool.Reads, func(context.Context, nothing) (int, error) { return 3, nil })
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// written is a folder to start from, with some changes.
func written(t *testing.T, change func(dir string)) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "conf")
	if err := Init(dir, "tabletop"); err != nil {
		t.Fatal(err)
	}
	change(dir)
	return dir
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsOnTheListOfAConfiguration(t *testing.T) {
	guide := func(dir string) {
		write(t, filepath.Join(dir, config.GuidesDir, "boxes", config.GuideFile), "---\nname: boxes\ndescription: How to fill boxes.\n---\nLargest first.\n")
	}
	subAgents := func(dir string) {
		file := filepath.Join(dir, config.ControllerFile)
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		write(t, file, strings.Replace(string(data), "\nagent:\n", "\nagent:\n  sub_agents: {background: true}\n", 1))
	}
	tests := map[string]struct {
		change func(dir string)
		own    []*tool.Tool
		more   []string
	}{
		"as_it_is":   {func(string) {}, nil, nil},
		"guide":      {guide, nil, []string{"info", "skill"}},
		"sub_agents": {subAgents, nil, []string{"delegate", "jobs", "read_job", "wait"}},
		"function":   {func(string) {}, []*tool.Tool{counter(t, "count")}, []string{"count"}},
		"job":        {func(string) {}, []*tool.Tool{counter(t, "count").InBackground()}, []string{"count", "jobs", "read_job", "wait"}},
	}
	names := func(o Options) (out []string) {
		t.Helper()
		raw, _, err := ToolSpecs(o)
		if err != nil {
			t.Fatal(err)
		}
		var specs []model.ToolSpec
		if err := json.Unmarshal(raw, &specs); err != nil {
			t.Fatal(err)
		}
		for _, s := range specs {
			out = append(out, s.Name)
		}
		return out
	}
	always := names(Options{})
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			more := slices.DeleteFunc(names(Options{Conf: written(t, tc.change), Functions: tc.own}), func(n string) bool { return slices.Contains(always, n) })
			slices.Sort(more)
			if !slices.Equal(more, tc.more) {
				t.Errorf("got %v more, want %v", more, tc.more)
			}
		})
	}
}

func TestAFunctionThatTakesAnothersNameIsAnErrorAtTheStart(t *testing.T) {
	for _, name := range []string{"pick_object", "observe", "place_at"} {
		o := Options{Functions: []*tool.Tool{counter(t, name)}, NoRecord: true, NoFilm: true}
		if _, err := Run(t.Context(), "do it", o); err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "another tool") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestAWrongGuideIsToldByCheck(t *testing.T) {
	dir := written(t, func(dir string) {
		write(t, filepath.Join(dir, config.GuidesDir, "boxes", config.GuideFile), "---\nname: boxes\nwhen: always\n---\nx\n")
	})
	_, err := Check(Options{Conf: dir})
	if err == nil || !strings.Contains(err.Error(), "guides/boxes/SKILL.md:3:1") {
		t.Errorf("got %v", err)
	}
}
