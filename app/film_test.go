package app_test

import (
	"image/gif"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/app"
	"github.com/rein-robotics/rein/episode"
)

// buttonScene is a button alone on the table.
const buttonScene = `name: button
objects:
  - {name: button, kind: button, shape: button, radius_m: 0.02, travel_m: 0.006, color: [0.95, 0.85, 0.1], pose: {xy: [0.25, 0.05]}}
tasks:
  - instruction: press the button
    success: {pressed: {object: button}}
`

// press runs the button's task and gives its result and the recording's root.
func press(t *testing.T, o app.Options) (app.Result, string) {
	t.Helper()
	dir := t.TempDir()
	o.Scene = filepath.Join(dir, "button.yaml")
	if err := os.WriteFile(o.Scene, []byte(buttonScene), 0o644); err != nil {
		t.Fatal(err)
	}
	o.Record = filepath.Join(dir, "recordings")
	res, err := app.Run(t.Context(), "press the button", o)
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != "succeeded" {
		t.Fatalf("%s: %s", res.Status, res.Summary)
	}
	return res, o.Record
}

// canonical are the lines of a recorded run without what may differ between two.
func canonical(t *testing.T, root string, res app.Result) []string {
	t.Helper()
	session, number, _ := strings.Cut(*res.Episode, "/")
	var lines []string
	for e, err := range episode.Read(filepath.Join(root, "controller", session, "episodes", number)) {
		if err != nil {
			t.Fatal(err)
		}
		line, err := episode.Canonical(e)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	return lines
}

func TestFilmLiesBesideTheLogAndChangesNoEvent(t *testing.T) {
	filmed, root := press(t, app.Options{})
	blind, blindRoot := press(t, app.Options{NoFilm: true})
	if blind.Film != "" {
		t.Errorf("with NoFilm there is %s", blind.Film)
	}
	if diff := cmp.Diff(canonical(t, blindRoot, blind), canonical(t, root, filmed)); diff != "" {
		t.Errorf("the film changed the log (-without +with):\n%s", diff)
	}
	if want := filepath.Join("logs", "film.gif"); !strings.HasSuffix(filmed.Film, want) {
		t.Errorf("the film is %s, want …/%s", filmed.Film, want)
	}
	file, err := os.Open(filmed.Film)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	g, err := gif.DecodeAll(file)
	if err != nil {
		t.Fatal(err)
	}
	shots := len(g.Image) - 1
	if seconds := filmed.SimS - 0.5; float64(shots) < 5*seconds-2 || float64(shots) > 5*seconds+2 {
		t.Errorf("%d pictures of %.1f s, want five a second", shots, seconds)
	}
	if last := g.Delay[shots]; last != 200 {
		t.Errorf("the last picture stands %d/100 s, want two seconds", last)
	}
	if slices.ContainsFunc(g.Delay[:shots], func(d int) bool { return d != 20 }) {
		t.Errorf("pictures stand %v/100 s, want 20", g.Delay[:shots])
	}
}

func TestFilmWithoutARecording(t *testing.T) {
	none, root := press(t, app.Options{NoRecord: true})
	if none.Film != "" {
		t.Errorf("nothing is recorded, but there is %s", none.Film)
	}
	if _, err := os.Stat(root); err == nil {
		t.Error("nothing is recorded, but there is a folder")
	}
	path := filepath.Join(t.TempDir(), "mine.gif")
	asked, _ := press(t, app.Options{NoRecord: true, Film: path})
	if st, err := os.Stat(path); asked.Film != path || err != nil || st.Size() == 0 {
		t.Errorf("the film is %q, %v; want %s", asked.Film, err, path)
	}
}

func TestFilmThatCannotBeMadeIsRefusedBeforeTheRun(t *testing.T) {
	for _, path := range []string{filepath.Join(t.TempDir(), "none", "film.gif"), t.TempDir()} {
		if _, err := app.Run(t.Context(), "press the button", app.Options{NoRecord: true, Film: path}); !app.IsUsage(err) {
			t.Errorf("--film %s: %v, want a usage error", path, err)
		}
	}
}
