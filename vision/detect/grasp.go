package detect

import (
	"errors"
	"fmt"
	"math"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/geom/plane"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/vision"
)

// Grasp is how a parallel gripper that points straight down can take a thing.
type Grasp struct {
	Centre geom.Vec // where the point between the fingertips goes, world frame
	Yaw    float64  // of the closing axis about z, [-π/2, π/2); the gripper may as well be turned by π
	Width  float64  // metres between the fingers once they touch
	Length float64  // metres across the closing axis
	Open   float64  // aperture for coming down, metres
	Top    float64  // highest point of the thing above the table, metres
	Base   float64  // height of what the thing rests on, metres
	Wall   bool     // one finger goes inside: a mug or a box is held by its wall
	Free   float64  // metres of free room outside the fingers, on the tighter side; negative = they would touch something
}

// hand is what a grasp must fit.
type hand struct {
	maxOpen, finger, blade float64 // greatest aperture, thickness of a finger, its width across the closing axis
	slack                  float64 // how much wider than the thing the gripper comes down
	reach                  float64 // how deep below its top a thing is taken at most
}

func handOf(g *robot.Gripper) hand {
	h := hand{maxOpen: 0.070, finger: 0.010, blade: 0.016, slack: 0.016, reach: 0.030}
	if g == nil {
		return h
	}
	if g.MaxApertureM > 0 {
		h.maxOpen = g.MaxApertureM
	}
	if g.FingerM.Y > 0 {
		h.finger = g.FingerM.Y
	}
	if g.FingerM.X > 0 {
		h.blade = g.FingerM.X
	}
	if g.FingerM.Z > 0 {
		h.reach = min(h.reach, 0.7*g.FingerM.Z)
	}
	return h
}

// tipGap is how far above what a thing rests on the fingertips stay, metres.
const tipGap = 0.003

// GraspFinder estimates grasps for one gripper.
type GraspFinder struct {
	Gripper *robot.Gripper      // nil = one that opens 70 mm and has fingers 10 mm thick
	Exclude func(geom.Vec) bool // which world points are the robot itself, so that its fingers in view stop no grasp; nil = none
}

// EstimateGrasp is GraspFinder.Estimate with nothing of the robot in view.
func EstimateGrasp(f *robot.Frame, mask *vision.Mask, g *robot.Gripper) (Grasp, error) {
	return GraspFinder{Gripper: g}.Estimate(f, mask)
}

// Estimate finds a grasp of the thing under the mask, from the frame's depth. The narrower side is preferred, then free
// room beside it; the grasp moves along the thing where neighbours are in the way; what is hollow and wide is taken by
// its wall. An error says in words for the planner why there is none.
func (g GraspFinder) Estimate(f *robot.Frame, mask *vision.Mask) (Grasp, error) {
	if f == nil || f.Depth == nil {
		return Grasp{}, errors.New("the camera gives no depth")
	}
	if mask == nil {
		return Grasp{}, errors.New("nothing was found at the point")
	}
	c := newCloud(f, mask.Rect.Inset(-graspMargin(f, mask)), g.Exclude)
	e := grasper{c: c, hand: handOf(g.Gripper)}
	return e.grasp(mask)
}

// graspMargin is how many pixels around a mask are looked at: 60 mm.
func graspMargin(f *robot.Frame, m *vision.Mask) int {
	d := f.Depth.At((m.Rect.Min.X+m.Rect.Max.X)/2, (m.Rect.Min.Y+m.Rect.Max.Y)/2)
	if d <= 0 {
		d = f.Pose.Pos.Z
	}
	return min(int(0.06/max(d, 0.05)*f.Intrinsics.Fx)+2, 200)
}

// grasper looks for the best grasp of one thing.
type grasper struct {
	c      *cloud
	hand   hand
	form   form
	around *HeightMap // without the thing itself
}

func (e *grasper) grasp(mask *vision.Mask) (Grasp, error) {
	c := e.c
	var ks []int32
	for _, k := range c.pixelsOf(mask) {
		if c.state[k] == pixelSeen {
			ks = append(ks, k)
		}
	}
	base := c.baseUnder(ks)
	var own []int32
	for _, k := range ks {
		if float64(c.z[k]) > base+0.003 {
			own = append(own, k)
		}
	}
	pieces := c.components(own, c.near())
	if len(pieces) == 0 || !c.bigEnough(pieces[0]) {
		return Grasp{}, errors.New("nothing stands out over the table there")
	}
	e.form = c.measure(own, base)
	e.around = e.surroundings(own)
	if h := c.hollowOf(own, base); h != nil && h.outer.Width > 0.055 {
		return e.wall(h)
	}
	return e.across(own)
}

// baseUnder is the height of what a set of pixels rests on: that of the seen ground just beside it.
func (c *cloud) baseUnder(ks []int32) float64 {
	own := make(map[int32]bool, len(ks))
	for _, k := range ks {
		own[k] = true
	}
	if len(ks) == 0 {
		return 0
	}
	low := plane.Quantile(c.heights(ks), 0.02)
	border := rectHull(c.points(ks, -1), 0.012)
	var zs []float64
	for _, k := range c.within(border, 0, low) {
		if z := float64(c.z[k]); !own[k] && z < low+0.004 {
			zs = append(zs, z)
		}
	}
	if len(zs) < 6 {
		return 0
	}
	return max(0, plane.Quantile(zs, 0.5))
}

// rectHull is the smallest rectangle around points, grown by m.
func rectHull(ps []plane.Pt, m float64) []plane.Pt {
	return plane.MinRect(plane.Hull(ps)).Grown(m).Corners()
}

// surroundings is the height map without the thing's own pixels.
func (e *grasper) surroundings(own []int32) *HeightMap {
	c := e.c
	state := append([]pixelState(nil), c.state...)
	for _, k := range own {
		for _, q := range c.around(k) {
			state[q] = pixelDark
		}
		state[k] = pixelDark
	}
	free := *c
	free.state = state
	p := e.form.foot.C
	r := e.form.foot.Length/2 + 0.06
	return free.heightMap(Area{p.X - r, p.Y - r, p.X + r, p.Y + r}, max(0.002, 1.25*c.step))
}

// across looks for the best grasp from side to side.
func (e *grasper) across(own []int32) (Grasp, error) {
	f := &e.form
	yaws := []float64{f.foot.Yaw + math.Pi/2, f.foot.Yaw}
	if f.slim() < 1.2 && (!f.flatTop() || f.round > 0 && f.round < discLimit) {
		yaws = nil
		for i := range 12 {
			yaws = append(yaws, f.foot.Yaw+math.Pi/2+float64(i)*math.Pi/12)
		}
	}
	best, score := Grasp{}, math.Inf(-1)
	narrowest := math.Inf(1)
	for _, yaw := range yaws {
		width, length := e.extent(own, yaw)
		narrowest = min(narrowest, width)
		if width+0.004 > e.hand.maxOpen {
			continue
		}
		for _, shift := range shifts(length) {
			g := e.at(yaw, width, length, shift)
			if s := e.rate(&g, shift); s > score {
				best, score = g, s
			}
		}
	}
	if math.IsInf(score, -1) {
		return Grasp{}, fmt.Errorf("it is %.0f mm wide, the gripper opens %.0f mm", narrowest*1000, e.hand.maxOpen*1000)
	}
	if best.Free < -0.004 {
		return Grasp{}, errors.New("there is no room for the fingers beside it: something stands too close on both sides")
	}
	return best, nil
}

// rate prefers room for the fingers, then widths up to 60 mm, then narrow ones, then the middle.
func (e *grasper) rate(g *Grasp, shift float64) float64 {
	s := 10*min(g.Free, 0.008) - g.Width*2 - math.Abs(shift)*4
	if g.Width > 0.060 {
		s -= 0.5
	}
	if g.Free < 0 {
		s -= 1 - 90*g.Free
	}
	if !e.form.flatTop() && g.Width > 1.3*g.Length {
		s -= 0.15 // by the ends of something round
	}
	return s
}

// shifts are the places along a thing where it may be taken, at least 8 mm from its ends.
func shifts(length float64) []float64 {
	out := []float64{0}
	for s := 0.005; s < length/2-0.008; s += 0.005 {
		out = append(out, s, -s)
	}
	return out
}

// extent is the width of the thing along yaw and its length across.
func (e *grasper) extent(own []int32, yaw float64) (width, length float64) {
	f := &e.form
	if math.Abs(geom.WrapHalf(yaw-f.foot.Yaw)) < 1e-9 {
		return f.foot.Length, f.foot.Width
	}
	if math.Abs(math.Abs(geom.WrapHalf(yaw-f.foot.Yaw))-math.Pi/2) < 1e-9 {
		return f.foot.Width, f.foot.Length
	}
	r := plane.BoundsAt(e.c.points(own, f.top-max(0.6*f.height(), 0.003)), yaw)
	if math.Abs(geom.WrapHalf(r.Yaw-yaw)) < 0.1 {
		return r.Length + e.c.step, r.Width + e.c.step
	}
	return r.Width + e.c.step, r.Length + e.c.step
}

// at is the grasp with the given closing axis, moved along the thing by shift, and the room its fingers have.
func (e *grasper) at(yaw, width, length, shift float64) Grasp {
	f := &e.form
	axis, side := plane.Along(yaw)
	p := f.foot.C.Add(side.Scale(shift))
	g := Grasp{
		Yaw: geom.WrapHalf(yaw), Width: width, Length: length, Top: f.top, Base: f.base,
		Open: min(width+e.hand.slack, e.hand.maxOpen), Centre: vec(p, e.tipHeight()),
	}
	half := g.Open / 2
	g.Free = min(e.room(p, axis, half, g.Centre.Z), e.room(p, axis.Scale(-1), half, g.Centre.Z))
	return g
}

// tipHeight is where the fingertips go: near the ground for low things, reach below the top of high ones.
func (e *grasper) tipHeight() float64 {
	return max(e.form.base+tipGap, e.form.top-e.hand.reach)
}

// room is how far outside a finger, which stands half the aperture from p along dir, the first thing stands that is
// higher than the fingertip. At most 20 mm; negative when it is in the finger's way.
func (e *grasper) room(p, dir plane.Pt, half, tip float64) float64 {
	side := plane.Pt{X: -dir.Y, Y: dir.X}
	const far = 0.020
	cell := e.around.Cell
	for d := half; d < half+e.hand.finger+far; d += cell {
		for s := -e.hand.blade / 2; s <= e.hand.blade/2+1e-9; s += e.hand.blade / 6 {
			q := p.Add(dir.Scale(d)).Add(side.Scale(s))
			if z, seen := e.around.At(q.X, q.Y); seen && z > tip+0.004 {
				return d - half - e.hand.finger
			}
		}
	}
	return far
}

// wall takes a hollow thing by its wall: where there is most room outside, away from a handle.
func (e *grasper) wall(h *hollow) (Grasp, error) {
	best, score := Grasp{}, math.Inf(-1)
	for i := range 16 {
		p, out, ok := h.wallPoint(float64(i) * math.Pi / 8)
		if !ok {
			continue
		}
		g := e.atWall(h, p, out)
		s := 20 * min(g.Free, 0.02)
		if h.handle != (plane.Pt{}) {
			d := h.handle.Sub(h.outer.C)
			s -= 0.3 * math.Max(0, out.Dot(d)/d.Norm())
		}
		s += 0.05 * out.Dot(p.Scale(-1/max(p.Norm(), 1e-6))) // the side nearer to the arm's foot is seen best
		if s > score {
			best, score = g, s
		}
	}
	if math.IsInf(score, -1) || best.Free < 0 {
		return Grasp{}, errors.New("there is no room for a finger outside its wall")
	}
	return best, nil
}

// wallPoint is the middle of the wall in direction a from the middle, and the way out there. Corners have none.
func (h *hollow) wallPoint(a float64) (p, out plane.Pt, ok bool) {
	if h.round {
		out, _ = plane.Along(a)
		return h.outer.C.Add(out.Scale((h.outer.Width + h.inner.Width) / 4)), out, true
	}
	u, v := plane.Along(h.outer.Yaw)
	mid := func(x, y float64) float64 { return (x + y) / 4 }
	switch int(math.Round(a/(math.Pi/8))) % 16 {
	case 0:
		return h.outer.C.Add(u.Scale(mid(h.outer.Length, h.inner.Length))), u, true
	case 4:
		return h.outer.C.Add(v.Scale(mid(h.outer.Width, h.inner.Width))), v, true
	case 8:
		return h.outer.C.Sub(u.Scale(mid(h.outer.Length, h.inner.Length))), u.Scale(-1), true
	case 12:
		return h.outer.C.Sub(v.Scale(mid(h.outer.Width, h.inner.Width))), v.Scale(-1), true
	}
	return plane.Pt{}, plane.Pt{}, false
}

// atWall is the grasp of the wall at p.
func (e *grasper) atWall(h *hollow, p, out plane.Pt) Grasp {
	width := max(0.003, (h.outer.Width-h.inner.Width)/2)
	open := min(width+0.020, e.hand.maxOpen)
	g := Grasp{
		Yaw: geom.WrapHalf(math.Atan2(out.Y, out.X)), Width: width, Length: h.outer.Length, Open: open,
		Top: h.rim, Base: e.form.base, Wall: true,
		Centre: vec(p, max(e.form.base+tipGap, h.rim-min(e.hand.reach, 0.025))),
	}
	g.Free = e.room(p, out, open/2, g.Centre.Z)
	if inner := h.inner.Width/2 - open/2 - e.hand.finger; inner < 0 && h.inner.Width < open+2*e.hand.finger {
		g.Free = min(g.Free, inner)
	}
	return g
}
