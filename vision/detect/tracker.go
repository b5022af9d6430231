package detect

import (
	"image"
	"math"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/geom/plane"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/vision"
)

const (
	regionSide   = 192   // pixels of the square that a tracker asks for
	snap         = 5.0   // pixels; how far beside a thing a point may lie to be taken for it
	followReach  = 0.030 // metres that a thing may have moved since the last frame
	followMargin = 0.008 // metres around the last footprint that still belong to the thing
	followRise   = 0.015 // metres that a thing may have risen since the last frame
)

// Tracker follows the thing that a point was put on. It is for one goroutine; it keeps no picture but the last.
type Tracker struct {
	pose   geom.Pose // of the camera in the last frame
	in     geom.Intrinsics
	last   vision.Track
	at     [2]float64 // the seed
	ground bool       // it lay on no thing

	foot  plane.Rect // last footprint
	base  float64    // of what the thing rested on when it was seeded
	top   float64
	area  float64 // of the thing in the seed frame, m²
	tone  []uint8 // its colour
	tones *tones
}

// NewTracker looks at what capture pixel at of the frame shows: the thing whose mask contains it or comes within 5
// pixels of it, else the bare ground around the point, which makes a huge mask. Nothing at the point (no depth) makes a
// Track without a mask. The first Track is of the frame itself.
func NewTracker(f *robot.Frame, at [2]float64) (*Tracker, vision.Track) {
	t := &Tracker{in: f.Intrinsics, pose: f.Pose, at: at, tones: newTones()}
	c := newCloud(f, image.Rectangle{}, nil)
	ks, thing := c.pick(at)
	t.ground = !thing
	t.last = c.track(ks, 1)
	if !thing || len(ks) == 0 {
		return t, t.last
	}
	t.learn(c, ks)
	return t, t.last
}

// pick is the pixels of the thing at a capture pixel; thing is false for bare ground.
func (c *cloud) pick(at [2]float64) (ks []int32, thing bool) {
	if len(c.state) == 0 {
		return nil, false
	}
	best, dist := []int32(nil), snap
	for _, p := range c.parts(math.Inf(1)) {
		if p.drawer != nil {
			if d := c.pixelDistance(p.drawer.handlePx, at); d <= 2 {
				return p.drawer.handlePx, true
			}
		}
		if d := c.pixelDistance(p.px, at); d < dist || best == nil && d == dist {
			best, dist = p.px, d
		}
	}
	if best != nil {
		return best, true
	}
	return c.groundAt(at), false
}

// pixelDistance is how far the point lies from the nearest of the pixels, 0 inside one.
func (c *cloud) pixelDistance(ks []int32, at [2]float64) float64 {
	d := math.Inf(1)
	for _, k := range ks {
		p := c.pixel(int(k))
		dx := max(float64(p.X)-at[0], 0, at[0]-float64(p.X+1))
		dy := max(float64(p.Y)-at[1], 0, at[1]-float64(p.Y+1))
		d = min(d, math.Hypot(dx, dy))
	}
	return d
}

// groundAt is the even ground that is connected with a capture pixel.
func (c *cloud) groundAt(at [2]float64) []int32 {
	k, ok := c.index(image.Pt(int(math.Floor(at[0])), int(math.Floor(at[1]))))
	if !ok || c.state[k] == pixelDark {
		return nil
	}
	z := c.z[k]
	var set []int32
	for i, s := range c.state {
		if s != pixelDark && abs32(c.z[i]-z) < 2*standsOut {
			set = append(set, int32(i))
		}
	}
	for _, ks := range c.components(set, func(_, _ int32) bool { return true }) {
		for _, q := range ks {
			if int(q) == k {
				return ks
			}
		}
	}
	return nil
}

// track is the result for a set of pixels.
func (c *cloud) track(ks []int32, visibility float64) vision.Track {
	t := vision.Track{At: c.f.At, Frame: c.f}
	if len(ks) == 0 {
		return t
	}
	t.Mask = c.maskOf(ks)
	t.Box = t.Mask.Rect
	t.Pixels = len(ks)
	t.Area = float64(len(ks)) / float64(max(1, c.f.Intrinsics.Width*c.f.Intrinsics.Height))
	t.Visibility = visibility
	for _, k := range ks {
		p := c.pixel(int(k))
		t.Point[0] += float64(p.X) + 0.5
		t.Point[1] += float64(p.Y) + 0.5
	}
	t.Point[0] /= float64(len(ks))
	t.Point[1] /= float64(len(ks))
	return t
}

// learn remembers what the seeded thing looks like.
func (t *Tracker) learn(c *cloud, ks []int32) {
	t.base = c.baseUnder(ks)
	f := c.measure(ks, t.base)
	t.foot, t.top = f.foot, f.top
	if c.f.Color != nil {
		t.tone = c.medianBytes(ks)
	}
	t.area = c.area(ks)
	if own := c.upright(ks, t.base); len(own) > 0 {
		t.area = c.area(own)
	}
}

// upright are the pixels that stand out over base.
func (c *cloud) upright(ks []int32, base float64) []int32 {
	var out []int32
	for _, k := range ks {
		if float64(c.z[k]) > base+standsOut {
			out = append(out, k)
		}
	}
	return out
}

// Region is the part of the capture to ask for next when the camera has not moved since the last frame.
func (t *Tracker) Region() image.Rectangle { return t.RegionAt(t.pose) }

// RegionAt is the part of the capture to ask for when the camera's pose is now pose (camera frame in the world): around
// the place where the thing is expected. It is empty, which asks for the whole, when the thing would be out of view.
func (t *Tracker) RegionAt(pose geom.Pose) image.Rectangle {
	whole := image.Rect(0, 0, t.in.Width, t.in.Height)
	if t.ground {
		return whole
	}
	side := max(regionSide, t.last.Box.Dx()+48, t.last.Box.Dy()+48)
	u, v, ok := t.in.Project(pose.Inv().Apply(vec(t.foot.C, (t.base+t.top)/2)))
	if !ok || math.Abs(u) > 1e5 || math.Abs(v) > 1e5 {
		return image.Rectangle{}
	}
	r := image.Rect(0, 0, min(side, whole.Dx()), min(side, whole.Dy())).Add(image.Pt(int(u)-side/2, int(v)-side/2))
	if r.Intersect(whole).Empty() {
		return image.Rectangle{}
	}
	if r.Min.X < 0 {
		r = r.Add(image.Pt(-r.Min.X, 0))
	}
	if r.Min.Y < 0 {
		r = r.Add(image.Pt(0, -r.Min.Y))
	}
	if r.Max.X > whole.Max.X {
		r = r.Sub(image.Pt(r.Max.X-whole.Max.X, 0))
	}
	if r.Max.Y > whole.Max.Y {
		r = r.Sub(image.Pt(0, r.Max.Y-whole.Max.Y))
	}
	return r
}

// Update finds the thing in a newer frame, of which it looks at the expected region only. When it is out of sight the
// Track has no mask, and the next frame is searched at the last place.
func (t *Tracker) Update(f *robot.Frame) vision.Track {
	t.pose = f.Pose
	region := t.RegionAt(f.Pose)
	c := newCloud(f, region, nil)
	if t.ground {
		t.last = c.track(c.groundAt(t.at), 1)
		return t.last
	}
	if len(c.state) == 0 || !region.Empty() && region.Intersect(f.Depth.Rect).Empty() {
		t.last = vision.Track{At: f.At, Frame: f}
		return t.last
	}
	ks, sure := t.find(c)
	t.last = c.track(ks, sure)
	if len(ks) > 0 {
		t.follow(c, ks, sure)
	}
	return t.last
}

// find is the piece that fits the thing best, and how well: 0 to 1.
func (t *Tracker) find(c *cloud) (best []int32, sure float64) {
	near := t.foot.Grown(followReach)
	ceiling := float32(t.top + followRise)
	floor := float32(t.base + standsOut)
	var set []int32
	for k, s := range c.state {
		if s == pixelSeen && c.z[k] > floor && c.z[k] < ceiling && near.Inset(plane.Pt{X: float64(c.x[k]), Y: float64(c.y[k])}) > 0 {
			set = append(set, int32(k))
		}
	}
	score := 0.05
	for _, ks := range c.split(set) {
		if s := t.fit(c, ks); s > score {
			best, score = ks, s
		}
	}
	if best == nil {
		return nil, 0
	}
	trimmed := t.trim(c, best)
	if len(trimmed) == 0 {
		return nil, 0
	}
	return trimmed, min(1, score)
}

// fit is how well a piece fits the thing: its colour, its size, and how near it lies to where the thing was.
func (t *Tracker) fit(c *cloud, ks []int32) float64 {
	a := c.area(ks)
	s := min(1, a/t.area, 2*t.area/a)
	if t.tone != nil && !t.tones.same(t.tone, c.medianBytes(ks)) {
		s *= 0.1
	}
	off := max(0, -t.foot.Inset(centreOf(c.points(ks, -1))))
	return s * (1 - min(0.9, off/followReach))
}

// trim cuts off what stands out over the thing's footprint when the piece has grown: a finger of the same colour.
func (t *Tracker) trim(c *cloud, ks []int32) []int32 {
	if c.area(ks) < 1.5*t.area {
		return ks
	}
	foot := t.foot.Grown(followMargin)
	var out []int32
	for _, k := range ks {
		if foot.Inset(plane.Pt{X: float64(c.x[k]), Y: float64(c.y[k])}) > 0 && float64(c.z[k]) < t.top+0.004 {
			out = append(out, k)
		}
	}
	return out
}

// follow moves the expectation to where the thing was seen, if enough of it was.
func (t *Tracker) follow(c *cloud, ks []int32, sure float64) {
	if sure < 0.55 {
		return
	}
	f := c.measure(ks, t.base)
	t.top = f.top
	l, w := t.foot.Length, t.foot.Width
	t.foot.C = f.foot.C
	if math.Abs(f.foot.Length-l) < 0.25*l+0.004 && math.Abs(f.foot.Width-w) < 0.25*w+0.004 {
		t.foot.Yaw = f.foot.Yaw
	}
}
