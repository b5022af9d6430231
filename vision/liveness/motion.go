package liveness

import (
	"image"
	"math"
	"slices"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
)

// When an arm moves in a camera's view, the picture changes where the arm was and where it is now; in a camera that the arm
// carries it changes wherever something stands out. Means over blocks are compared: noise and compression leave them as
// they are. A picture that stays the same there, twice in a row, is an old one, whatever was added to it.
const (
	blockSide   = 8    // pixels
	motionBox   = 128  // side of what is looked at around a moving arm, pixels
	fewBlocks   = 16   // that the arm left or came to: about 4 pixels of motion across a link in the whole box
	farMove     = 16   // pixels that a carried camera's picture must have moved
	fewCorners  = 8    // blocks that stand out, in a carried camera's picture
	otherMean   = 4    // of 255: more than noise (σ 0.3 of a block's mean) and compression change
	outstanding = 10   // of 255, from a neighbour in both directions
	quietShare  = 0.15 // of these blocks have changed at most, in a picture that is taken for an old one; live ones show 0.22 and more
	aliveShare  = 0.5  // of them have changed at least, before a camera that was found frozen is trusted again
	strikes     = 2    // pictures without a change in a row: a picture may be late, or show what the arm carries along
	hiddenBy    = 0.03 // metres that something must be nearer than the arm's links to hide them
	nearest     = 0.25 // metres, and farthest: between them is what a carried camera looks at
	farthest    = 1.0
)

// motionSign watches whether a camera's pictures show what the arms do.
type motionSign struct {
	body   *robot.Description
	camera *robot.Camera

	since *robot.Frame    // the picture that the next one is compared with; nil = none
	then  *robot.Readings // of its instant
	of    string          // the arm that it was taken of
	box   image.Rectangle // what is compared
	quiet int             // comparisons in a row that showed no change
}

// region is what to take a picture of now; empty when it would say nothing.
func (m *motionSign) region(now *robot.Readings) image.Rectangle {
	box, arm := m.boxNow(now)
	switch {
	case m.since != nil && m.telling(now):
		return box.Union(m.box)
	case m.since == nil || m.of != arm && !box.Empty():
		return box
	}
	return image.Rectangle{}
}

// judge compares f, a picture of region taken at the readings now, with the one before.
func (m *motionSign) judge(f *robot.Frame, now *robot.Readings) {
	if m.since != nil && m.box.In(f.Region) && f.At > m.since.At {
		all, changed := m.compare(f, now)
		switch {
		case all == 0: // the picture cannot tell
		case float64(changed) < quietShare*float64(all):
			m.quiet++
		case m.quiet < strikes || float64(changed) >= aliveShare*float64(all):
			m.quiet = 0
		}
	}
	m.since = nil
	if box, arm := m.boxNow(now); !box.Empty() && box.In(f.Region) {
		m.since, m.then, m.of, m.box = f, now, arm, box
	}
}

// why says why the camera is not to be trusted, "" when it is.
func (m *motionSign) why() string {
	if m.quiet < strikes {
		return ""
	}
	return "the arm has moved in its view and the picture does not show it, the camera is frozen"
}

// boxNow is what to look at for the next motion, and the arm that it is of; empty when no arm is in view.
func (m *motionSign) boxNow(now *robot.Readings) (box image.Rectangle, arm string) {
	if m.carried() {
		return m.band(), m.camera.Arm
	}
	fastest := -1.0
	for i := range m.body.Modules {
		name := m.body.Modules[i].Name
		speed := now.Arms[name].TipSpeed
		if speed <= fastest {
			continue
		}
		if b := boxAround(m.camera.Intrinsics, knotsOf(&m.body.Modules[i], now, m.camera)); !b.Empty() {
			box, arm, fastest = b, name, speed
		}
	}
	return box, arm
}

func (m *motionSign) carried() bool { return m.camera.Mount == robot.MountMoving }

// boxAround is a box around the outermost part of an arm that is seen well within the picture.
func boxAround(in geom.Intrinsics, arm []knot) image.Rectangle {
	whole := image.Rect(0, 0, in.Width, in.Height)
	for _, k := range slices.Backward(arm) {
		c := image.Pt(int(k.u), int(k.v))
		if r := image.Rect(c.X-motionBox/2, c.Y-motionBox/2, c.X+motionBox/2, c.Y+motionBox/2); r.In(whole) {
			return r
		}
	}
	return image.Rectangle{}
}

// band is what is looked at of a carried camera's picture: a fifth of its rows, away from the tool.
func (m *motionSign) band() image.Rectangle {
	in := m.camera.Intrinsics
	middle := in.Height / 4
	if _, v, ok := in.Project(m.camera.InTool.Inv().Pos); ok && v < float64(in.Height)/2 {
		middle = in.Height - in.Height/4
	}
	return image.Rect(0, middle-in.Height/10, in.Width, middle+in.Height/10)
}

// telling says whether enough has moved since the last picture for a new one to differ.
func (m *motionSign) telling(now *robot.Readings) bool {
	if m.carried() {
		return m.moved(now) >= farMove
	}
	return len(m.swept(now)) >= fewBlocks
}

// compare counts the blocks that must have changed since the last picture when f is live, and those that have. All is 0
// when there are too few to tell.
func (m *motionSign) compare(f *robot.Frame, now *robot.Readings) (all, changed int) {
	var blocks []image.Point
	few := fewCorners
	switch {
	case !m.carried():
		blocks, few = slices.DeleteFunc(m.swept(now), func(b image.Point) bool { return m.hidden(f, now, b) }), fewBlocks
	case m.moved(now) >= farMove:
		blocks = corners(m.since.Color, m.box)
	}
	if len(blocks) < few {
		return 0, 0
	}
	for _, b := range blocks {
		if apart(blockMean(m.since.Color, b), blockMean(f.Color, b)) >= otherMean {
			changed++
		}
	}
	return len(blocks), changed
}

// swept are the blocks of the box in which an arm was seen then and not now, or now and not then.
func (m *motionSign) swept(now *robot.Readings) (out []image.Point) {
	was, is := m.arms(m.then), m.arms(now)
	for _, b := range blocksIn(m.box) {
		x, y := float64(b.X+blockSide/2), float64(b.Y+blockSide/2)
		if _, before := seenAt(was, x, y); before != covers(is, x, y) {
			out = append(out, b)
		}
	}
	return out
}

func covers(arms []knot, x, y float64) bool {
	_, ok := seenAt(arms, x, y)
	return ok
}

// hidden says whether something that the camera's depth shows stands before the arm in a block.
func (m *motionSign) hidden(f *robot.Frame, now *robot.Readings, b image.Point) bool {
	d := f.Depth.At(b.X+blockSide/2, b.Y+blockSide/2)
	x, y := float64(b.X+blockSide/2), float64(b.Y+blockSide/2)
	for _, r := range []*robot.Readings{m.then, now} {
		if z, ok := seenAt(m.arms(r), x, y); ok && d > 0 && d < z-hiddenBy {
			return true
		}
	}
	return false
}

func (m *motionSign) arms(r *robot.Readings) (out []knot) {
	for i := range m.body.Modules {
		out = append(out, knotsOf(&m.body.Modules[i], r, m.camera)...)
	}
	return out
}

// moved is by how many pixels the picture of a carried camera has moved at least.
func (m *motionSign) moved(now *robot.Readings) float64 {
	was, is := m.then.Arms[m.camera.Arm].Tip.Mul(m.camera.InTool), now.Arms[m.camera.Arm].Tip.Mul(m.camera.InTool)
	between := is.Inv().Mul(was)
	in, least := m.camera.Intrinsics, math.Inf(1)
	for _, depth := range []float64{nearest, farthest} {
		sum, n := 0.0, 0
		for i := range 3 {
			x, y := float64(m.box.Min.X+m.box.Dx()*(1+i)/4), float64(m.box.Min.Y+m.box.Dy()/2)
			if u, v, ok := in.Project(between.Apply(in.Unproject(x, y, depth))); ok {
				sum, n = sum+math.Hypot(u-x, v-y), n+1
			}
		}
		least = min(least, sum/float64(max(n, 1)))
	}
	return least
}
