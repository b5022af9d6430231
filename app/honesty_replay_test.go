package app

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/config"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/reason/rules"
	"github.com/rein-robotics/rein/robot"
)

// Every decision follows from turns/ and images/ alone: without a robot, a physics engine or anything kept between two
// rounds, the planner decides again what the log says.
func TestDecisionsFollowFromTheLogAlone(t *testing.T) {
	unraced(t)
	t.Parallel()
	twice := slips()
	honest := map[string]attempt{
		"retried":      {scene: pickScene, task: intoBox, fit: twice},
		"wrist_camera": {conf: "wrist", scene: pickScene, task: "pick up the battery"},
		"refused":      {scene: pickScene, task: "put the banana in the box"},
	}
	for name, a := range honest {
		ran := try(t, a)
		if d := decideAgain(t, ran.dir, func() agent.Reasoner { return rules.New() }); d != "" {
			t.Errorf("%s: the planner decides otherwise from the log (-log +again):\n%s", name, d)
		}
	}
	n := 0
	mutants := map[string]func(r *running, v run.View, parts []model.Part) []model.Part{
		"peeks": func(r *running, v run.View, parts []model.Part) []model.Part {
			if p := r.robot.WorldPose("battery"); p != nil {
				return repoint(parts, "pick_object", seenAt(v, p.Pos))
			}
			return parts
		},
		"remembers": func(_ *running, _ run.View, parts []model.Part) []model.Part {
			n++
			return append([]model.Part{model.Text{Text: fmt.Sprint("round ", n)}}, parts...)
		},
	}
	for name, change := range mutants {
		var live *running
		ran := try(t, attempt{scene: pickScene, task: intoBox, dry: true, fit: func(r *running) {
			live = r
			changed(change)(r)
		}})
		again := func() agent.Reasoner {
			return &second{Reasoner: rules.New(), change: func(v run.View, parts []model.Part) []model.Part { return change(live, v, parts) }}
		}
		if decideAgain(t, ran.dir, again) == "" {
			t.Errorf("a planner that %s passes: this test cannot fail", name)
		}
	}
}

// decideAgain asks a new reasoner for every turn of a recorded episode and says how its replies differ.
func decideAgain(t *testing.T, dir string, reasoner func() agent.Reasoner) string {
	t.Helper()
	var was, now []string
	for _, name := range turnNames(t, dir) {
		turn := readTurn(t, dir, name)
		var got []model.Part
		for p, err := range reasoner().Deliberate(t.Context(), viewOf(t, dir, turn)) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, p)
		}
		was, now = append(was, parts(t, turn.Response)), append(now, parts(t, got))
	}
	return cmp.Diff(was, now)
}

// viewOf is what the reasoner was shown, from the files of the episode.
func viewOf(t *testing.T, dir string, turn episode.Turn) run.View {
	t.Helper()
	v := run.View{Request: turn.Request, Frames: map[string]*robot.Frame{}}
	for _, img := range shown(turn.Request.Messages) {
		v.Frames[img.ID] = frameOf(t, dir, img)
	}
	return v
}

func frameOf(t *testing.T, dir string, img view.Image) *robot.Frame {
	t.Helper()
	file := func(ending string) []byte {
		data, err := os.ReadFile(filepath.Join(dir, "logs", episode.ImageName(img.ID, "image")+ending))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	pic, err := png.Decode(bytes.NewReader(file(".png")))
	if err != nil {
		t.Fatal(err)
	}
	depth, err := episode.DecodeDepth(file(".depth.png"))
	if err != nil {
		t.Fatal(err)
	}
	f := &robot.Frame{
		Camera: img.Camera, At: config.Seconds(img.AtS), Intrinsics: img.Lens, Pose: img.Pose, Mount: robot.MountMoving,
		Region: pic.Bounds(), Color: image.NewRGBA(pic.Bounds()), Depth: depth,
	}
	if img.Fixed {
		f.Mount = robot.MountFixed
	}
	draw.Draw(f.Color, f.Region, pic, image.Point{}, draw.Src)
	return f
}
