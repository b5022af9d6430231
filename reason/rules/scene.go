package rules

import (
	"math"

	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/vision/detect"
)

const (
	// ownGround and ownSide bound the ground around the arm's foot, metres, on which everything is the arm.
	ownGround, ownSide = 0.125, 0.09
	// ownBelow is how far below a carried camera, metres, gripper and what it holds reach.
	ownBelow, ownBelowHolding = 0.11, 0.19
)

// scene is what one image shows.
type scene struct {
	info   view.Image
	frame  *robot.Frame
	hide   func(geom.Vec) bool
	things []detect.Thing
}

// look finds the things in an image.
func look(info view.Image, f *robot.Frame, holding bool) *scene {
	s := &scene{info: info, frame: f}
	foot := func(p geom.Vec) bool { return math.Hypot(p.X, p.Y) < ownGround && math.Abs(p.Y) < ownSide }
	s.hide = foot
	if !info.Fixed {
		below := ownBelow
		if holding {
			below = ownBelowHolding
		}
		top := f.Pose.Pos.Z - below
		s.hide = func(p geom.Vec) bool { return p.Z > top || foot(p) }
	}
	s.things = detect.Things(f, s.hide)
	return s
}

// sent is a capture pixel as the tools take it: in the image as sent, to a tenth of a pixel.
func (s *scene) sent(px [2]float64) [2]float64 {
	p := s.info.Mapping.ToSent(px)
	round := func(v float64, most int) float64 {
		return math.Min(math.Max(0, math.Round(v*10)/10), float64(most)-0.1)
	}
	return [2]float64{round(p[0], s.info.Width), round(p[1], s.info.Height)}
}

// pixel is where a world point is seen in the capture; ok is false when it lies outside or something hides it.
func (s *scene) pixel(p geom.Vec) (px [2]float64, ok bool) {
	u, v, ok := s.frame.Intrinsics.Project(s.frame.Pose.Inv().Apply(p))
	if !ok || u < 0 || v < 0 {
		return px, false
	}
	q, ok := s.frame.World(int(u), int(v))
	if !ok || math.Hypot(q.X-p.X, q.Y-p.Y) > 0.012 || math.Abs(q.Z-p.Z) > 0.012 {
		return px, false
	}
	return [2]float64{math.Floor(u) + 0.5, math.Floor(v) + 0.5}, true
}

// far is the distance of a place from the arm's foot.
func far(p geom.Vec) float64 { return math.Hypot(p.X, p.Y) }

// apart is the distance of two places on the table.
func apart(a, b geom.Vec) float64 { return math.Hypot(a.X-b.X, a.Y-b.Y) }

// covers says whether p lies over the footprint of t, shrunk by margin.
func covers(t *detect.Thing, p geom.Vec, margin float64) bool {
	sin, cos := math.Sincos(t.Yaw)
	x, y := p.X-t.World.X, p.Y-t.World.Y
	if t.Round {
		return math.Hypot(x, y) < t.Width/2-margin
	}
	return math.Abs(x*cos+y*sin) < t.Length/2-margin && math.Abs(y*cos-x*sin) < t.Width/2-margin
}
