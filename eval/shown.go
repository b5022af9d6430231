package eval

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/draw"
	_ "image/jpeg" // recorded pictures
	_ "image/png"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/monitor"
	"github.com/rein-robotics/rein/monitor/frames"
	"github.com/rein-robotics/rein/monitor/question"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/vision"
)

// Shower makes recorded ticks into what an assessor is asked, with the code that the robot uses.
type Shower struct {
	Settings  frames.Settings
	Cameras   []string            // that are shown, of those that were recorded; nil = all
	Tracked   string              // the camera whose pictures a running robot marks; "" = none
	Body      *robot.Description  // for the sizes of its captures; nil = pictures are taken as they are
	Questions []question.Question // of the skill
	About     string              // description of the tool
	Points    []string            // parameters of the tool that are points
	Book      *Book               // for its boxes
}

// Show makes one tick. It is an error, which says what to do, when a picture was recorded with other settings than the present
// ones and is not the whole capture, when a camera has none, or when a box reaches outside its picture; one that is lost is ErrLost.
func (s *Shower) Show(t *Tick) (monitor.Tick, error) {
	for _, c := range s.Cameras {
		if !slices.Contains(t.cameras(), c) {
			return monitor.Tick{}, fmt.Errorf("%s %s tick %d: %s has no picture of %s, which the configuration shows: it was recorded without it; measure it so, or delete the tick's line from the labels",
				t.Episode, t.Action, t.Tick, t.path("events.jsonl"), c)
		}
	}
	var h frames.History
	for _, p := range s.wanted(t) {
		shot, err := s.shot(t, &p)
		if err != nil {
			return monitor.Tick{}, fmt.Errorf("%s %s tick %d: %w", t.Episode, t.Action, t.Tick, err)
		}
		if p.Reference {
			h.Refer(shot)
		} else {
			h.Add(s.Settings.History, shot)
		}
	}
	look := &monitor.Look{At: t.At, Told: t.Readings}
	for _, p := range h.Pictures() {
		look.Pictures = append(look.Pictures, monitor.Picture{
			Label: p.Label, Image: model.ImageBlock{ID: p.ID, Media: media(p.Data), Data: p.Data},
		})
	}
	of := run.Watched{Action: t.Action, Tool: t.Tool, Description: s.About, Args: t.Args, Points: points(s.Points)}
	return monitor.Tick{Watched: of, Elapsed: t.At, Questions: s.due(t.At), Look: look}, nil
}

// points stand for those of the planner: a monitor is not told them in words.
func points(names []string) map[string]skill.Point {
	out := map[string]skill.Point{}
	for _, n := range names {
		out[n] = skill.Point{}
	}
	return out
}

// wanted are the pictures that the robot would show with these settings: camera by camera the reference, then the last
// of its pictures, also those that the recorded tick did not show any more.
func (s *Shower) wanted(t *Tick) []Picture {
	var out []Picture
	for _, camera := range t.cameras() {
		if s.Cameras != nil && !slices.Contains(s.Cameras, camera) {
			continue
		}
		var mine []Picture
		for _, p := range t.Pictures {
			switch {
			case p.Camera != camera:
			case !p.Reference:
				mine = append(mine, p)
			case s.Settings.Reference:
				out = append(out, p)
			}
		}
		n := max(s.Settings.History, 1)
		for _, p := range slices.Backward(t.Earlier) {
			if len(mine) >= n {
				break
			}
			if p.Camera == camera && !p.Reference && !slices.ContainsFunc(mine, func(x Picture) bool { return x.Name == p.Name }) {
				mine = slices.Insert(mine, 0, p)
			}
		}
		out = append(out, mine[max(0, len(mine)-n):]...)
	}
	return out
}

// fingerprint is a hash of what an assessor is shown of a tick; what it is asked and told is the wording.
func fingerprint(t monitor.Tick) string {
	type shown struct {
		Label string
		Sum   [sha256.Size]byte
	}
	of := struct {
		Args     json.RawMessage
		Elapsed  time.Duration
		Told     []view.Reading
		Pictures []shown
	}{Args: t.Watched.Args, Elapsed: t.Elapsed, Told: t.Look.Told}
	for _, p := range t.Look.Pictures {
		of.Pictures = append(of.Pictures, shown{p.Label, sha256.Sum256(p.Image.Data)})
	}
	raw, err := json.Marshal(of)
	if err != nil { // it was read from JSON
		panic("eval: " + err.Error())
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8])
}

// due are the questions that are asked so far into an action.
func (s *Shower) due(at time.Duration) []question.Question {
	var out []question.Question
	for _, q := range s.Questions {
		if at >= q.AskFrom {
			out = append(out, q)
		}
	}
	return out
}

func media(data []byte) string {
	if bytes.HasPrefix(data, []byte("\x89PNG")) {
		return string(vision.PNG)
	}
	return string(vision.JPEG)
}

// ends says that a picture has been written to its end.
func ends(data []byte) bool {
	if media(data) == string(vision.PNG) {
		return bytes.HasSuffix(data, []byte("IEND\xaeB`\x82"))
	}
	return bytes.HasSuffix(data, []byte("\xff\xd9"))
}

// shot is a recorded picture as it is sent: as it was recorded where nothing is drawn on it.
func (s *Shower) shot(t *Tick, p *Picture) (frames.Shot, error) {
	base := strings.TrimSuffix(strings.TrimPrefix(p.Name, "images/"), filepath.Ext(p.Name))
	_, closeUp := s.Settings.CloseUps[p.Camera]
	out := frames.Shot{ID: strings.Replace(strings.TrimSuffix(base, ".image"), "_", ".", 1), Camera: p.Camera, At: p.At, CloseUp: closeUp}
	data, size, err := whole(t, p.Name)
	if err != nil {
		return out, err
	}
	set, err := s.fit(t, p, size)
	if err != nil {
		return out, err
	}
	box, boxed, err := s.box(t, p, size)
	if err != nil {
		return out, err
	}
	recut := len(set.CloseUps) > 0 || set.MaxSide > 0
	if recut && !boxed && (p.Reference || s.Settings.MarkTarget) && hasSent(t, p) {
		return out, fmt.Errorf("%s was recorded with a mark, and is cut anew, where nobody knows the place of the mark: %s", t.path(p.Name), unmark(p))
	}
	if !recut && (!boxed || box.Empty()) {
		out.Data = data
		if p.Reference || !boxed && s.Settings.MarkTarget {
			out.Pointed, err = sent(t, p, &out)
		}
		return out, err
	}
	shot, err := drawn(set, out, data, box)
	shot.CloseUp = closeUp
	return shot, err
}

// whole gives a recorded picture that has been written to its end, and its size in pixels.
func whole(t *Tick, name string) ([]byte, image.Point, error) {
	const remedy = "bring the recording back, or delete the tick's line from the labels"
	data, err := ReadPicture(t.Dir, name)
	if err != nil {
		return nil, image.Point{}, fmt.Errorf("%w: %s: %w; %s", ErrLost, t.path(name), inside(err), remedy)
	}
	cfg, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, image.Point{}, fmt.Errorf("%w: %s is no picture: %w; %s", ErrLost, t.path(name), err, remedy)
	}
	if !ends(data) {
		return nil, image.Point{}, fmt.Errorf("%w: %s has no end: it was being written when its writer ended; %s", ErrLost, t.path(name), remedy)
	}
	return data, image.Pt(cfg.Width, cfg.Height), nil
}

// sent takes the copy that was sent, if there is one.
func sent(t *Tick, p *Picture, out *frames.Shot) (pointed bool, err error) {
	if !hasSent(t, p) {
		return false, nil
	}
	data, _, err := whole(t, sentName(p))
	if err != nil {
		return false, err
	}
	out.Data, out.Marked = data, !p.Reference
	return p.Reference, nil
}

// hasSent says that a copy with marks was recorded, whether it can be read or not.
func hasSent(t *Tick, p *Picture) bool {
	_, err := ReadPicture(t.Dir, sentName(p))
	return !errors.Is(err, fs.ErrNotExist)
}

func sentName(p *Picture) string {
	return strings.TrimSuffix(p.Name, filepath.Ext(p.Name)) + ".sent.jpg"
}

// unmark is what a person can do about a mark that cannot be drawn anew.
func unmark(p *Picture) string {
	if p.Reference {
		return "set monitor.reference: false"
	}
	return "draw the target's box with rein monitor label --page, or measure with --no-target"
}

// box is where a person saw the target in a picture of that size; known is false when nobody said.
func (s *Shower) box(t *Tick, p *Picture, size image.Point) (r image.Rectangle, known bool, err error) {
	if !s.Settings.MarkTarget || p.Camera != s.Tracked || p.Reference || s.Book == nil {
		return r, false, nil
	}
	b, known := s.Book.Box(t.Episode, p.Name)
	if !known || b.Box == nil {
		return r, known, nil
	}
	x := b.Box
	if x[2] > float64(size.X) || x[3] > float64(size.Y) {
		return r, true, fmt.Errorf("%s: the box reaches outside %s, which is %d × %d; mend or delete the line, or draw it anew with rein monitor label --page",
			s.Book.boxPlace(t.Episode, p.Name), t.path(p.Name), size.X, size.Y)
	}
	return image.Rect(int(math.Floor(x[0])), int(math.Floor(x[1])), int(math.Ceil(x[2])), int(math.Ceil(x[3]))), true, nil
}

// bare says that a picture of the tick is shown without a mark that is wanted: nobody drew a box or said that the target is
// out of view, and no robot sent it marked.
func (s *Shower) bare(t *Tick) bool {
	return s.Settings.MarkTarget && slices.ContainsFunc(s.wanted(t), func(p Picture) bool {
		if p.Camera != s.Tracked || p.Reference || hasSent(t, &p) {
			return false
		}
		if s.Book == nil {
			return true
		}
		_, known := s.Book.Box(t.Episode, p.Name)
		return !known
	})
}

// fit says how a recorded picture of that size is cut and scaled: not at all, when it was when it was recorded.
func (s *Shower) fit(t *Tick, p *Picture, size image.Point) (frames.Settings, error) {
	as := frames.Settings{MarkTarget: s.Settings.MarkTarget}
	m := (*robot.Module)(nil)
	if s.Body != nil {
		m = s.Body.Module(p.Camera)
	}
	if m == nil || m.Camera == nil {
		return as, nil
	}
	in := m.Camera.Intrinsics
	region, side := s.Settings.Region(p.Camera, in), s.Settings.MaxSide
	if !region.Empty() {
		side = 0
	}
	capture := image.Pt(in.Width, in.Height)
	wanted := vision.NewView(capture, region, side, image.Point{}).Size
	switch size {
	case wanted:
		return as, nil
	case capture:
		set := s.Settings
		set.Reference = false
		return set, nil
	}
	return as, fmt.Errorf("%s is %d × %d, and the configuration's close_ups and image_max_side make %d × %d of %s: it was recorded with others; measure it with those, or delete the tick's line from the labels",
		t.path(p.Name), size.X, size.Y, wanted.X, wanted.Y, p.Camera)
}

// drawn cuts, scales and marks a picture.
func drawn(set frames.Settings, of frames.Shot, data []byte, box image.Rectangle) (frames.Shot, error) {
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return of, fmt.Errorf("%w: %s: %w", ErrLost, of.ID, err)
	}
	rgba := image.NewRGBA(image.Rectangle{Max: img.Bounds().Size()})
	draw.Draw(rgba, rgba.Rect, img, img.Bounds().Min, draw.Src)
	f := &robot.Frame{
		Camera: of.Camera, At: of.At, Region: rgba.Rect, Color: rgba, Intrinsics: geom.Intrinsics{Width: rgba.Rect.Dx(), Height: rgba.Rect.Dy()},
	}
	var tracks []vision.Track
	if !box.Empty() {
		tracks = []vision.Track{{At: f.At, Frame: f, Box: box}}
	}
	return set.Shot(of.ID, f, tracks)
}
