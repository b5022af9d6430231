package eval

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/draw"
	_ "image/jpeg" // recorded pictures
	_ "image/png"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/monitor"
	"github.com/rein-robotics/rein/monitor/frames"
	"github.com/rein-robotics/rein/monitor/question"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/vision"
)

// mostPicture is the longest file of a picture that is read, bytes.
const mostPicture = 32 << 20

// ReadPicture gives a file of the episode in folder dir, by its name in the log. Nothing outside the log is read.
func ReadPicture(dir, name string) ([]byte, error) {
	root, err := os.OpenRoot(filepath.Join(dir, "logs"))
	if err != nil {
		return nil, fmt.Errorf("reading picture: %w", err)
	}
	defer root.Close()
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, fmt.Errorf("reading picture: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostPicture+1))
	if err == nil && len(data) > mostPicture {
		err = fmt.Errorf("%s is longer than %d MB", name, mostPicture>>20)
	}
	return data, err
}

// Shower makes recorded ticks into what an assessor is asked, with the code that the robot uses.
type Shower struct {
	Settings  frames.Settings
	Body      *robot.Description
	Questions []question.Question // of the skill
	About     string              // description of the tool
	Points    []string            // parameters of the tool that are points
	Book      *Book               // for its boxes
}

// Show makes one tick. A picture that was recorded with other settings than the present ones is an error, unless it is the
// whole capture.
func (s *Shower) Show(t *Tick) (monitor.Tick, error) {
	var h frames.History
	for i := range t.Pictures {
		p := &t.Pictures[i]
		if p.Reference && !s.Settings.Reference {
			continue
		}
		shot, err := s.shot(t, p)
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
			Label: p.Label, Camera: p.Camera, Image: model.ImageBlock{ID: p.ID, Media: media(p.Data), Data: p.Data},
		})
	}
	of := agent.Watched{Action: t.Action, Tool: t.Tool, Description: s.About, Args: t.Args, Points: points(s.Points)}
	return monitor.Tick{Watched: of, Number: t.Tick, Elapsed: t.At, Questions: s.due(t.At), Look: look}, nil
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

// shot is a recorded picture as it is sent: as it was recorded where nothing is drawn on it.
func (s *Shower) shot(t *Tick, p *Picture) (frames.Shot, error) {
	base := strings.TrimSuffix(strings.TrimPrefix(p.Name, "images/"), filepath.Ext(p.Name))
	_, closeUp := s.Settings.CloseUps[p.Camera]
	out := frames.Shot{ID: strings.Replace(strings.TrimSuffix(base, ".image"), "_", ".", 1), Camera: p.Camera, At: p.At, CloseUp: closeUp}
	data, err := ReadPicture(t.Dir, p.Name)
	if err != nil {
		return out, err
	}
	cfg, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return out, fmt.Errorf("%s is no picture: %w", p.Name, err)
	}
	set, err := s.fit(p, image.Pt(cfg.Width, cfg.Height))
	if err != nil {
		return out, err
	}
	recut := len(set.CloseUps) > 0 || set.MaxSide > 0
	box, boxed := s.box(t, p)
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

// sent takes the copy that was sent, if there is one.
func sent(t *Tick, p *Picture, out *frames.Shot) (pointed bool, err error) {
	data, err := ReadPicture(t.Dir, strings.TrimSuffix(p.Name, filepath.Ext(p.Name))+".sent.jpg")
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	out.Data, out.Marked = data, !p.Reference
	return p.Reference, nil
}

// box is where a person saw the target; known is false when nobody said.
func (s *Shower) box(t *Tick, p *Picture) (r image.Rectangle, known bool) {
	if !s.Settings.MarkTarget || p.Reference || s.Book == nil {
		return r, false
	}
	b, known := s.Book.Box(t.Episode, p.Name)
	if !known || b.Box == nil {
		return r, known
	}
	x := b.Box
	return image.Rect(int(math.Floor(x[0])), int(math.Floor(x[1])), int(math.Ceil(x[2])), int(math.Ceil(x[3]))), true
}

// fit says how a recorded picture of that size is cut and scaled: not at all, when it was when it was recorded.
func (s *Shower) fit(p *Picture, size image.Point) (frames.Settings, error) {
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
	whole := image.Pt(in.Width, in.Height)
	wanted := vision.NewView(whole, region, side, image.Point{}).Size
	switch size {
	case wanted:
		return as, nil
	case whole:
		set := s.Settings
		set.Reference = false
		return set, nil
	}
	return as, fmt.Errorf("%s is %d × %d, and the configuration's close_ups and image_max_side make %d × %d of %s: it was recorded with others",
		p.Name, size.X, size.Y, wanted.X, wanted.Y, p.Camera)
}

// drawn cuts, scales and marks a picture.
func drawn(set frames.Settings, of frames.Shot, data []byte, box image.Rectangle) (frames.Shot, error) {
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return of, fmt.Errorf("picture %s: %w", of.ID, err)
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
