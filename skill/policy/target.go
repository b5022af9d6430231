package policy

import (
	"fmt"
	"math"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/geom/plane"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/skill/ground"
	"github.com/rein-robotics/rein/skill/motion"
	"github.com/rein-robotics/rein/vision"
	"github.com/rein-robotics/rein/vision/detect"
	"gonum.org/v1/gonum/spatial/r3"
)

// target is what is to be grasped, as pictures show it.
type target struct {
	grasp detect.Grasp
	yaw   float64 // of the gripper pointing down, as geom.Down takes it
	tip   geom.Vec
	thing *detect.Thing // as it was when the planner saw it
	shift geom.Vec      // how far it has moved since, on the table
}

// palmMore is added to the palm on every side, metres.
const palmMore = 0.004

// look estimates the grasp of what lies under the mask.
func (s *servo) look(f *robot.Frame, mask *vision.Mask) (target, error) {
	g, err := detect.EstimateGrasp(f, mask, s.gripper)
	if err != nil {
		return target{}, err
	}
	t := target{grasp: g, yaw: g.Yaw + math.Pi/2, tip: g.Centre}
	t.tip.Z = math.Max(t.tip.Z, s.arm.MinTipZ)
	return t, nil
}

// seed is the target behind the planner's point.
func (s *servo) seed(pt skill.Point) (target, error) {
	if pt.Frame == nil || pt.Frame.Depth == nil {
		return target{}, &skill.Refusal{Code: "cannot_start", Message: s.camera.Name + " gives no depth, which this pick needs"}
	}
	thing := ground.ThingAt(pt.Frame, pt.Pixel)
	if thing == nil {
		return target{}, &skill.Refusal{Code: "cannot_start", Message: "nothing stands out over the table at that point", Hint: "point at the middle of the object"}
	}
	t, err := s.look(pt.Frame, thing.Mask)
	t.thing = thing
	if err != nil {
		return target{}, &skill.Refusal{Code: "cannot_start", Message: err.Error(), Hint: "choose another object"}
	}
	return t, nil
}

// besideTall is the target, or, where the palm would come down on something tall beside it, the target gripped along its
// length instead of across.
func (s *servo) besideTall(t target, grid *ground.Map) target {
	g := t.grasp
	if g.Wall || !s.palmHits(t, grid) || g.Length+0.004 > s.arm.MaxOpen {
		return t
	}
	turned := t
	turned.grasp.Yaw, turned.yaw = g.Yaw+math.Pi/2, t.yaw+math.Pi/2
	turned.grasp.Width, turned.grasp.Length = g.Length, g.Width
	turned.grasp.Open = math.Min(g.Length+g.Open-g.Width, s.arm.MaxOpen)
	if s.palmHits(turned, grid) {
		return t
	}
	return turned
}

// palmHits says whether what carries the fingers, as wide as they open, would touch something beside the target.
func (s *servo) palmHits(t target, grid *ground.Map) bool {
	palm := ground.Box{Centre: t.tip, Yaw: t.yaw, HalfX: s.arm.Finger.X/2 + palmMore, HalfY: s.arm.MaxOpen/2 + s.arm.Finger.Y + palmMore}
	top, _ := grid.Over(palm)
	return top > t.tip.Z+s.arm.Finger.Z-palmMore
}

// force is how hard the object is held.
func (s *servo) force(t target) float64 {
	g, grip := t.grasp, s.cfg.Grip
	if g.Wall {
		return grip.MostN
	}
	return geom.Clamp(g.Width*g.Length*(g.Top-g.Base)*1e6*grip.PerCM3, grip.LeastN, grip.MostN)
}

// held is what the gripper holds after it closed at tip, as far as the pictures told.
func (t target) held(tip geom.Pose, aperture float64) skill.Held {
	g := t.grasp
	h := skill.Held{ApertureM: aperture, Below: math.Max(0, tip.Pos.Z-g.Base), Above: math.Max(0, g.Top-tip.Pos.Z)}
	lo, hi := geom.Vec{X: math.Inf(1), Y: math.Inf(1)}, geom.Vec{X: math.Inf(-1), Y: math.Inf(-1)}
	for _, p := range t.outline() {
		q := motion.InTool(r3.Sub(p, tip.Pos), motion.YawOf(tip))
		lo.X, lo.Y = math.Min(lo.X, q.X), math.Min(lo.Y, q.Y)
		hi.X, hi.Y = math.Max(hi.X, q.X), math.Max(hi.Y, q.Y)
	}
	h.Centre = geom.Vec{X: (lo.X + hi.X) / 2, Y: (lo.Y + hi.Y) / 2}
	h.HalfX, h.HalfY = (hi.X-lo.X)/2, (hi.Y-lo.Y)/2
	if !g.Wall {
		h.Centre.Y, h.HalfY = 0, aperture/2 // closing centres it between the fingers
	}
	return h
}

// outline are points around the thing, seen from above.
func (t target) outline() []geom.Vec {
	o := t.thing
	r := plane.Rect{C: plane.Pt{X: o.World.X + t.shift.X, Y: o.World.Y + t.shift.Y}, Yaw: o.Yaw, Length: o.Length, Width: o.Width}
	var out []geom.Vec
	for _, c := range r.Corners() {
		if o.Round { // the corners of a square around a circle stand out further than the circle
			c = plane.Pt{X: r.C.X + (c.X-r.C.X)/math.Sqrt2, Y: r.C.Y + (c.Y-r.C.Y)/math.Sqrt2}
		}
		out = append(out, geom.Vec{X: c.X, Y: c.Y})
	}
	if o.Round {
		for k := range 8 {
			s, c := math.Sincos(float64(k) * math.Pi / 4)
			out = append(out, geom.Vec{X: r.C.X + c*o.Length/2, Y: r.C.Y + s*o.Length/2})
		}
	}
	if h, ok := o.Spot(detect.SpotHandle); ok && t.grasp.Wall {
		out = append(out, geom.Vec{X: h.World.X + t.shift.X, Y: h.World.Y + t.shift.Y})
	}
	return out
}

// follow is the newer estimate of the same thing.
func (t target) follow(newer target) target {
	newer.thing = t.thing
	newer.shift = geom.Vec{X: t.shift.X + newer.tip.X - t.tip.X, Y: t.shift.Y + newer.tip.Y - t.tip.Y}
	return newer
}

// moved is how far two estimates are apart on the table, metres.
func (t target) moved(o target) float64 {
	return math.Hypot(t.tip.X-o.tip.X, t.tip.Y-o.tip.Y)
}

// reach refuses a target that the arm cannot come to, lift and carry away.
func (s *servo) reach(t target, from []float64, travel motion.Travel) (over []float64, err error) {
	above := t.tip
	above.Z = math.Max(travel.Need(geom.Down(above, t.yaw)), t.grasp.Top+s.cfg.Hover)
	for {
		over, err = s.arm.Down(above, t.yaw, from)
		if err == nil || above.Z < t.grasp.Top+s.cfg.Hover+0.01 {
			break
		}
		above.Z -= 0.01 // the farthest places are reached only low down
	}
	if err != nil {
		return nil, err
	}
	path, err := travel.Path(from, over)
	if err != nil {
		return nil, err
	}
	tip := s.arm.Chain.Tip(path.End())
	tip.Pos.Z = t.tip.Z
	if _, err := s.arm.LineTo(path.End(), tip); err != nil {
		return nil, err
	}
	if _, err := s.arm.Swing(path.End(), s.retreat); err != nil {
		return nil, err
	}
	return over, nil
}

func refusal(err error) error {
	if _, ok := err.(*skill.Refusal); ok {
		return err
	}
	return &skill.Refusal{Code: "cannot_start", Message: fmt.Sprint(err)}
}
