package eval_test

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/eval"
	"github.com/rein-robotics/rein/monitor"
	"github.com/rein-robotics/rein/monitor/frames"
	"github.com/rein-robotics/rein/vision"
)

func show(t *testing.T, s *eval.Shower, tick *eval.Tick) monitor.Tick {
	t.Helper()
	got, err := s.Show(tick)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func labelsOf(t monitor.Tick) []string {
	var out []string
	for _, p := range t.Look.Pictures {
		out = append(out, p.Label)
	}
	return out
}

// cyan are the pixels of a picture that was grey of brightness 60 and are as bright as cyan: the box.
func cyan(t *testing.T, data []byte) map[image.Point]bool {
	t.Helper()
	img, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	out := map[image.Point]bool{}
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y > 120 {
				out[image.Pt(x, y)] = true
			}
		}
	}
	return out
}

// ring are the outermost pixels of a rectangle, within a picture.
func ring(r, picture image.Rectangle) map[image.Point]bool {
	out := map[image.Point]bool{}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if p := image.Pt(x, y); p.In(picture) && !p.In(r.Inset(1)) {
				out[p] = true
			}
		}
	}
	return out
}

// The mark of a picture that is sent is 1 px of cyan, 3 px outside the box that a person drew: in pixels of the picture as
// it was recorded, whole or cut, and in the close-up that is cut from a whole capture.
func TestTheMarkIsWhereTheBoxSays(t *testing.T) {
	half := map[string][4]float64{"front": {0.25, 0.5, 0.75, 0.75}} // 160, 240 to 480, 360: 320 × 120
	for name, c := range map[string]struct {
		size     image.Point // as recorded
		closeUps map[string][4]float64
		maxSide  int
		box      [4]float64
		want     image.Rectangle // outermost pixels of the mark in what is sent
	}{
		"as_recorded":            {image.Pt(160, 120), nil, 160, [4]float64{40.2, 30.7, 60, 50.1}, image.Rect(37, 27, 63, 54)},
		"of_a_recorded_close_up": {image.Pt(320, 120), half, 160, [4]float64{40, 30, 60, 50}, image.Rect(37, 27, 63, 53)},
		"cut_from_the_whole":     {image.Pt(640, 480), half, 160, [4]float64{200, 270, 220, 290}, image.Rect(37, 27, 63, 53)},
		"scaled_from_the_whole":  {image.Pt(640, 480), nil, 320, [4]float64{80, 60, 120, 100}, image.Rect(37, 27, 63, 53)},
		"at_the_edge":            {image.Pt(160, 120), nil, 160, [4]float64{0, 0, 20, 20}, image.Rect(-3, -3, 23, 23)},
	} {
		t.Run(name, func(t *testing.T) {
			p := newTape(t)
			now := p.picture(t, "a1m1_front", c.size, 60)
			p.start()
			p.tick(1, now)
			tick := &p.ticks(t)[0]
			s := shower(t, frames.Settings{History: 2, MaxSide: c.maxSide, CloseUps: c.closeUps, MarkTarget: true})
			if err := s.Book.SetBox(eval.Box{Episode: tick.Episode, Frame: now, Box: &c.box}); err != nil {
				t.Fatal(err)
			}
			sent := show(t, s, tick).Look.Pictures[0]
			cfg, err := jpeg.DecodeConfig(bytes.NewReader(sent.Image.Data))
			if err != nil {
				t.Fatal(err)
			}
			picture := image.Rect(0, 0, cfg.Width, cfg.Height)
			if d := cmp.Diff(ring(c.want, picture), cyan(t, sent.Image.Data)); d != "" {
				t.Errorf("the mark of %v in a picture of %v is elsewhere (-want +got): %.600s", c.box, picture.Max, d)
			}
			s.Tracked = "wrist"
			if got := cyan(t, show(t, s, tick).Look.Pictures[0].Image.Data); len(got) != 0 {
				t.Errorf("the robot marks no picture of this camera, and %d pixels are marked", len(got))
			}
			s.Tracked, s.Settings.MarkTarget = "front", false
			if got := cyan(t, show(t, s, tick).Look.Pictures[0].Image.Data); len(got) != 0 {
				t.Errorf("nothing is to be marked, and %d pixels are", len(got))
			}
		})
	}
}

// Without marks what was recorded is sent to the byte; with them, where nobody drew a box, the copy that the robot sent. A
// target that a person saw is out of view is not marked.
func TestWhatWasRecordedIsSentToTheByte(t *testing.T) {
	p := newTape(t)
	now := p.picture(t, "a1m1_front", image.Pt(160, 120), 60)
	marked := p.picture(t, "a1m1_front", image.Pt(160, 120), 90)
	p.file(t, "images/a1m1_front.image.sent.jpg", p.read(t, marked))
	p.picture(t, "a1m1_front", image.Pt(160, 120), 60)
	p.start()
	p.tick(1, now)
	tick := &p.ticks(t)[0]
	plain, sent := p.read(t, now), p.read(t, "images/a1m1_front.image.sent.jpg")
	s := shower(t, frames.Settings{History: 1, MaxSide: 160})
	for name, c := range map[string]struct {
		mark, gone bool
		want       []byte
	}{"no_target": {false, false, plain}, "as_the_robot_marked": {true, false, sent}, "out_of_view": {true, true, plain}} {
		t.Run(name, func(t *testing.T) {
			s.Settings.MarkTarget = c.mark
			s.Book = open(t, t.TempDir())
			if c.gone {
				if err := s.Book.SetBox(eval.Box{Episode: tick.Episode, Frame: now}); err != nil {
					t.Fatal(err)
				}
			}
			if got := show(t, s, tick).Look.Pictures[0].Image; !bytes.Equal(got.Data, c.want) || got.ID != "a1m1.front" {
				t.Errorf("%s: %d bytes, want %d", got.ID, len(got.Data), len(c.want))
			}
		})
	}
}

// With reference on, the frames from when the action started come first, with the planner's point as it was sent; off, they
// are left out. What was drawn at one cut is not drawn at another.
func TestReferenceWithThePlannersPoint(t *testing.T) {
	p := newTape(t)
	var looks []string
	for i, id := range []string{"a1m0_front", "a1r_front", "a1m1_front"} {
		looks = append(looks, p.picture(t, id, image.Pt(640, 480), uint8(50+i)))
	}
	pointed := p.read(t, p.picture(t, "a1x_front", image.Pt(640, 480), 99))
	p.file(t, "images/a1r_front.image.sent.jpg", pointed)
	p.start(looks[0])
	p.tick(1, looks[1], looks[0], looks[2])
	tick := &p.ticks(t)[0]
	s := shower(t, frames.Settings{History: 2, MaxSide: 640, Reference: true})
	got := show(t, s, tick)
	want := []string{"front, when the action started, 1.0 s ago, with the planner's point on the target", "front, previous, 1.0 s ago", "front, current"}
	if d := cmp.Diff(want, labelsOf(got)); d != "" {
		t.Error(d)
	}
	if !bytes.Equal(got.Look.Pictures[0].Image.Data, pointed) {
		t.Error("the point is not as it was sent")
	}
	s.Settings.MarkTarget = true // it concerns the target's box, and no reference
	if got := show(t, s, tick); !bytes.Equal(got.Look.Pictures[0].Image.Data, pointed) {
		t.Error("with a mark the point is not as it was sent")
	}
	s.Settings.Reference = false
	if d := cmp.Diff(want[1:], labelsOf(show(t, s, tick))); d != "" {
		t.Error(d)
	}
	s.Settings.Reference, s.Settings.MaxSide = true, 320
	if _, err := s.Show(tick); err == nil || !strings.Contains(err.Error(), "monitor.reference: false") {
		t.Errorf("the point was drawn at another size: %v", err)
	}
}

// Each tick is shown with the history and the cameras of the configuration, whatever was recorded: also with a picture that
// only an earlier tick showed.
func TestHistoryAndCamerasAreTheConfigurations(t *testing.T) {
	p := newTape(t)
	var front, wrist []string
	for i := range 4 {
		front = append(front, p.picture(t, "a1m"+string(rune('0'+i))+"_front", image.Pt(160, 120), uint8(50+10*i)))
		wrist = append(wrist, p.picture(t, "a1m"+string(rune('0'+i))+"_wrist", image.Pt(160, 120), uint8(55+10*i)))
	}
	p.start(front[0], wrist[0])
	for i := 1; i < 4; i++ {
		p.tick(i, front[i-1], front[i], wrist[i-1], wrist[i])
	}
	ticks := p.ticks(t)
	for name, c := range map[string]struct {
		history int
		cameras []string
		tick    int
		want    []string
	}{
		"as_recorded":         {2, nil, 3, []string{"front, previous, 1.0 s ago", "front, current", "wrist, previous, 1.0 s ago", "wrist, current"}},
		"one_camera":          {2, []string{"wrist"}, 3, []string{"wrist, previous, 1.0 s ago", "wrist, current"}},
		"shorter":             {1, []string{"front"}, 3, []string{"front, current"}},
		"longer":              {3, []string{"front"}, 3, []string{"front, previous, 2.0 s ago", "front, previous, 1.0 s ago", "front, current"}},
		"as_long_as_there_is": {3, []string{"front"}, 1, []string{"front, previous, 1.0 s ago", "front, current"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := shower(t, frames.Settings{History: c.history, MaxSide: 160})
			s.Cameras = c.cameras
			got := show(t, s, &ticks[c.tick-1])
			if d := cmp.Diff(c.want, labelsOf(got)); d != "" {
				t.Error(d)
			}
			newest := got.Look.Pictures[len(got.Look.Pictures)-1]
			camera, _, _ := strings.Cut(newest.Label, ",")
			if want := p.read(t, "images/a1m"+string(rune('0'+c.tick))+"_"+camera+".image.jpg"); !bytes.Equal(newest.Image.Data, want) {
				t.Error("the current picture is another one")
			}
		})
	}
}

// A robot that is no simulation has no sim_s on its lines; its ticks have the same times.
func TestEpisodesWithoutARobotClock(t *testing.T) {
	var at [2][]time.Duration
	for i := range at {
		p := newTape(t)
		p.noClock = i == 1
		a, b := p.picture(t, "a1m1_front", image.Pt(160, 120), 60), p.picture(t, "a1m2_front", image.Pt(160, 120), 70)
		p.start()
		p.tick(1, a)
		p.tick(2, a, b)
		for _, x := range p.ticks(t) {
			at[i] = append(at[i], x.At)
		}
	}
	if d := cmp.Diff([]time.Duration{time.Second, 2 * time.Second}, at[0]); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(at[0], at[1]); d != "" {
		t.Error(d)
	}
}

// A torn last line is the end of an episode; a wrong one is told with its place, and what came before it stands.
func TestTornAndWrongLinesOfAnEpisode(t *testing.T) {
	for name, c := range map[string]struct {
		last string
		note string
	}{
		"torn":           {`{"t":"2026-12-01T00:`, ""},
		"wrong":          {"{}\n", "events.jsonl:3: "},
		"no_picture":     {"", "events.jsonl:3: "},
		"wrong_readings": {"", "events.jsonl:3: the readings of a1 tick 2"},
		"tick_twice":     {"", "events.jsonl:3: tick 1 of a1 behind tick 1"},
		"no_tick":        {"", "events.jsonl:3: tick 0 of a1 behind tick 1"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newTape(t)
			p.start()
			p.tick(1, p.picture(t, "a1m1_front", image.Pt(160, 120), 60))
			switch name {
			case "no_picture":
				p.tick(2, "images/../../secret.jpg")
			case "tick_twice":
				p.tick(1, "images/a1m1_front.image.jpg")
			case "no_tick":
				p.tick(0, "images/a1m1_front.image.jpg")
			case "wrong_readings":
				p.event(3, map[string]any{
					"kind": "monitor_answer", "action": "a1", "tick": 2, "answers": map[string]any{}, "age_s": 0, "latency_s": 0,
					"images": []string{"images/a1m1_front.image.jpg"}, "readings": "none", "usage": map[string]any{},
				})
			}
			p.lines.WriteString(c.last)
			ticks, notes := p.noted(t)
			if len(ticks) != 1 || len(notes) > 1 || (len(notes) == 1) != (c.note != "") || !strings.Contains(strings.Join(notes, ""), c.note) {
				t.Errorf("%d ticks, %q, want one and %q", len(ticks), notes, c.note)
			}
		})
	}
}

// A picture that is not there any more, cannot be read, or lies outside the log is lost; one that does not fit is not.
func TestLostPictures(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(t *testing.T, path string)
		lost  bool
	}{
		"deleted": {func(t *testing.T, path string) { remove(t, path) }, true},
		"broken": {func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte("\xff\xd8\xff"), 0o644); err != nil {
				t.Fatal(err)
			}
		}, true},
		"torn": {func(t *testing.T, path string) {
			if data, err := os.ReadFile(path); err != nil || os.WriteFile(path, data[:len(data)*3/4], 0o644) != nil {
				t.Fatal(err)
			}
		}, true},
		"torn_png": {func(t *testing.T, path string) {
			data, err := vision.Encode(image.NewRGBA(image.Rect(0, 0, 160, 120)), vision.PNG)
			if err != nil || os.WriteFile(path, data[:len(data)-4], 0o644) != nil {
				t.Fatal(err)
			}
		}, true},
		"elsewhere": {func(t *testing.T, path string) {
			remove(t, path)
			if err := os.Symlink("/etc/hostname", path); err != nil {
				t.Fatal(err)
			}
		}, true},
		"other_size": {func(*testing.T, string) {}, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := newTape(t)
			now := p.picture(t, "a1m1_front", image.Pt(160, 120), 60)
			p.start()
			p.tick(1, now)
			tick := &p.ticks(t)[0]
			c.spoil(t, filepath.Join(p.logs, filepath.FromSlash(now)))
			s := shower(t, frames.Settings{History: 1, MaxSide: 160})
			if !c.lost {
				s.Settings.MaxSide = 200
			}
			_, err := s.Show(tick)
			if err == nil || errors.Is(err, eval.ErrLost) != c.lost || !strings.Contains(err.Error(), session+"/000001 a1 tick 1") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}
