package eval_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rein-robotics/rein/eval"
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/monitor/frames"
	"github.com/rein-robotics/rein/monitor/question"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/vision"
)

// progress is the question of the tests.
var progress = question.Question{
	Name: "progress", Kind: question.Choice, Options: []question.Option{{Value: "approaching"}, {Value: "holding"}, {Value: "failed"}},
	When: []question.Rule{
		{Do: question.Finish, Value: "holding", Threshold: 0.8, Consecutive: 1},
		{Do: question.Fail, Value: "failed", Threshold: 0.8, Consecutive: 2, After: 2 * time.Second},
	},
}

// session is the one that the tapes are recorded in.
const session = "0001_7f3a9c_session"

// tape writes an episode as a run with a monitor leaves it: action a1 of pick_object, a tick a second.
type tape struct {
	root    string // of the recordings
	logs    string
	noClock bool        // the robot is no simulation: lines have no sim_s
	ages    [][]float64 // of the images of each look, the kept one first; none = the log does not tell
	lines   bytes.Buffer
	seq     int
}

func newTape(t *testing.T) *tape {
	t.Helper()
	root := t.TempDir()
	p := &tape{root: root, logs: filepath.Join(root, "controller", session, "episodes", "000001", "logs")}
	if err := os.MkdirAll(filepath.Join(p.logs, "images"), 0o755); err != nil {
		t.Fatal(err)
	}
	return p
}

// event adds a line at a second of the clock.
func (p *tape) event(at float64, event map[string]any) {
	p.seq++
	event["t"], event["seq"] = time.Unix(1_800_000_000, 0).UTC().Add(time.Duration(at*1e6)*time.Microsecond).Format("2006-01-02T15:04:05.000000Z"), p.seq
	if !p.noClock {
		event["sim_s"] = at
	}
	raw, err := json.Marshal(event)
	if err != nil {
		panic(err)
	}
	p.lines.Write(append(raw, '\n'))
}

// start begins action a1 one second into the run, with a kept look.
func (p *tape) start(kept ...string) {
	p.event(1, map[string]any{
		"kind": "action_started", "action": "a1", "tool": "pick_object", "args": map[string]any{"object": "cup", "point": []int{3, 4}},
		"step": "", "tracker_s": 0, "start_s": 0,
	})
	if len(kept) > 0 {
		p.event(1, p.aged(0, map[string]any{"kind": "monitor_frame", "action": "a1", "images": kept, "readings": []any{}}))
	}
}

// tick adds a tick whose newest picture is half a second old when the answer comes.
func (p *tape) tick(n int, images ...string) {
	p.event(1.5+float64(n), p.aged(n, map[string]any{
		"kind": "monitor_answer", "action": "a1", "tick": n, "answers": map[string]any{}, "age_s": 0.5, "latency_s": 0.5, "images": images,
		"readings": []any{map[string]any{"field": "right_arm/z", "value": 0.1 * float64(n), "unit": "m"}}, "usage": map[string]any{},
	}))
}

// aged adds the ages of a look's pictures.
func (p *tape) aged(look int, event map[string]any) map[string]any {
	if look < len(p.ages) && p.ages[look] != nil {
		event["ages_s"] = p.ages[look]
	}
	return event
}

// ticks writes the log and reads its ticks.
func (p *tape) ticks(t *testing.T) []eval.Tick {
	t.Helper()
	got, notes := p.noted(t)
	if len(notes) > 0 {
		t.Fatal(notes)
	}
	return got
}

func (p *tape) noted(t *testing.T) ([]eval.Tick, []string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(p.logs, "events.jsonl"), p.lines.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	got, notes, err := eval.Ticks(p.root, "pick_object")
	if err != nil {
		t.Fatal(err)
	}
	return got, notes
}

// picture puts a grey picture of that size in place, and gives its name. Brightness tells pictures apart.
func (p *tape) picture(t *testing.T, id string, size image.Point, brightness uint8) string {
	t.Helper()
	img := image.NewRGBA(image.Rectangle{Max: size})
	draw.Draw(img, img.Rect, image.NewUniform(color.Gray{brightness}), image.Point{}, draw.Src)
	data, err := vision.Encode(img, vision.JPEG)
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("images/%s.image.jpg", id)
	p.file(t, name, data)
	return name
}

func (p *tape) file(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(p.logs, filepath.FromSlash(name)), data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func (p *tape) read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(p.logs, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// body has two cameras of 640 × 480.
func body() *robot.Description {
	cam := &robot.Camera{Intrinsics: geom.Intrinsics{Width: 640, Height: 480}}
	return &robot.Description{Modules: []robot.Module{{Name: "front", Camera: cam}, {Name: "wrist", Camera: cam}}}
}

func shower(t *testing.T, s frames.Settings) *eval.Shower {
	t.Helper()
	return &eval.Shower{Settings: s, Body: body(), Tracked: "front", Book: open(t, t.TempDir())}
}
