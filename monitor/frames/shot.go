package frames

import (
	"image"
	"image/color"
	"math"
	"slices"
	"time"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/vision"
)

// MarkFor is how far apart in time a frame and a tracker's result may lie for the one to be marked with the other, robot
// clock.
const MarkFor = 300 * time.Millisecond

// markGap is how many pixels of the picture as sent the mark lies outside the target's bounds.
const markGap = 3

// Settings is what the monitor sees.
type Settings struct {
	History    int                   // pictures of each camera in a tick, the current one included; at least 1
	MaxSide    int                   // pixels, the longest side of a picture that is no close-up; 0 = no limit
	CloseUps   map[string][4]float64 // by camera: x0, y0, x1, y1 as fractions of the capture; only this part is seen
	Reference  bool                  // the pictures from when the action started are shown, too
	MarkTarget bool                  // the tracked target is marked
}

// Region is the part of a camera's capture that is seen, capture pixels; empty = all of it.
func (s Settings) Region(camera string, in geom.Intrinsics) image.Rectangle {
	c, ok := s.CloseUps[camera]
	if !ok {
		return image.Rectangle{}
	}
	w, h := float64(in.Width), float64(in.Height)
	r := image.Rect(int(math.Floor(c[0]*w)), int(math.Floor(c[1]*h)), int(math.Ceil(c[2]*w)), int(math.Ceil(c[3]*h)))
	return r.Intersect(image.Rect(0, 0, in.Width, in.Height))
}

// Shot is one capture as the monitor sees it. It is immutable.
type Shot struct {
	ID      string // "a3.m7.right_wrist_camera"
	Camera  string
	At      time.Duration // of the capture, robot clock
	Data    []byte        // JPEG, as sent
	View    vision.View   // the way back to the capture
	CloseUp bool
	Marked  bool // the target's box is on it
	Pointed bool // the planner's point is on it

	plain *image.RGBA // what was sent, before anything was drawn on it; nil = nothing was
}

// Plain is the picture without marks, encoded like Data: what a log keeps, so that it can be marked anew.
func (s Shot) Plain() ([]byte, error) {
	if s.plain == nil {
		return s.Data, nil
	}
	return vision.Encode(s.plain, vision.JPEG)
}

// Shot makes the picture of a frame. Of the trackers' results the newest on this camera marks it, if it is of about the
// same instant.
func (s Settings) Shot(id string, f *robot.Frame, tracks []vision.Track) (Shot, error) {
	sent, out, err := s.cut(id, f)
	if err != nil {
		return Shot{}, err
	}
	if target := s.target(f, tracks); !target.Empty() {
		plain := clone(sent.Image)
		if out.Marked = mark(sent, target); out.Marked {
			out.plain = plain
		}
	}
	out.Data, err = vision.Encode(sent.Image, vision.JPEG)
	return out, err
}

// ReferenceShot makes the picture of a frame from when the action started, with a cross on each of the planner's points,
// capture pixels.
func (s Settings) ReferenceShot(id string, f *robot.Frame, points [][2]float64) (Shot, error) {
	sent, out, err := s.cut(id, f)
	if err != nil {
		return Shot{}, err
	}
	var marks []vision.Mark
	for _, p := range points {
		if x, y := sent.View.ToSent(p[0], p[1]); sent.View.Shows(x, y) {
			marks = append(marks, vision.Mark{Point: &p})
		}
	}
	if len(marks) > 0 {
		out.plain, out.Pointed = sent.Image, true
		if sent, err = vision.Send(f, s.options(f, marks)); err != nil {
			return Shot{}, err
		}
	}
	out.Data, err = vision.Encode(sent.Image, vision.JPEG)
	return out, err
}

// cut is the part of a frame that is seen, at its size.
func (s Settings) cut(id string, f *robot.Frame) (vision.Sent, Shot, error) {
	sent, err := vision.Send(f, s.options(f, nil))
	if err != nil {
		return vision.Sent{}, Shot{}, err
	}
	_, closeUp := s.CloseUps[f.Camera]
	return sent, Shot{ID: id, Camera: f.Camera, At: f.At, View: sent.View, CloseUp: closeUp}, nil
}

func (s Settings) options(f *robot.Frame, marks []vision.Mark) vision.SendOptions {
	o := vision.SendOptions{Crop: s.Region(f.Camera, f.Intrinsics), Marks: marks}
	if o.Crop.Empty() {
		o.MaxSide = s.MaxSide
	}
	return o
}

// target is what the mark goes around, capture pixels; empty = there is no mark.
func (s Settings) target(f *robot.Frame, tracks []vision.Track) image.Rectangle {
	if !s.MarkTarget {
		return image.Rectangle{}
	}
	best := image.Rectangle{}
	at := time.Duration(math.MinInt64)
	for _, t := range tracks {
		if t.Frame == nil || t.Frame.Camera != f.Camera || t.At <= at || (f.At-t.At).Abs() > MarkFor {
			continue
		}
		if b := bounds(t); !b.Empty() {
			best, at = b, t.At
		}
	}
	return best
}

// bounds are those of the pixels in the mask, else the tracker's box.
func bounds(t vision.Track) image.Rectangle {
	m := t.Mask
	if m == nil {
		return t.Box
	}
	out := image.Rectangle{}
	for y := m.Rect.Min.Y; y < m.Rect.Max.Y; y++ {
		row := m.Bits[(y-m.Rect.Min.Y)*m.Rect.Dx():][:m.Rect.Dx()]
		first := slices.Index(row, true)
		if first < 0 {
			continue
		}
		last := len(row) - 1
		for !row[last] {
			last--
		}
		out = out.Union(image.Rect(m.Rect.Min.X+first, y, m.Rect.Min.X+last+1, y+1))
	}
	return out
}

// mark draws a line of one pixel around the target, markGap pixels outside of it. What lies outside the picture is left
// out; drawn says that some of it does not.
func mark(sent vision.Sent, target image.Rectangle) (drawn bool) {
	x0, y0 := sent.View.ToSent(float64(target.Min.X), float64(target.Min.Y))
	x1, y1 := sent.View.ToSent(float64(target.Max.X), float64(target.Max.Y))
	r := image.Rect(int(math.Floor(x0)), int(math.Floor(y0)), int(math.Ceil(x1)), int(math.Ceil(y1))).Inset(-markGap)
	cyan := color.RGBA{G: 255, B: 255, A: 255}
	dot := func(x, y int) {
		if p := image.Pt(x, y); p.In(sent.Image.Rect) {
			sent.Image.SetRGBA(x, y, cyan)
			drawn = true
		}
	}
	for x := r.Min.X; x < r.Max.X; x++ {
		dot(x, r.Min.Y)
		dot(x, r.Max.Y-1)
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		dot(r.Min.X, y)
		dot(r.Max.X-1, y)
	}
	return drawn
}

func clone(img *image.RGBA) *image.RGBA {
	out := *img
	out.Pix = slices.Clone(img.Pix)
	return &out
}
