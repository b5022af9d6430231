package motion

import (
	"fmt"
	"math"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/skill/ground"
)

const (
	// Clear is what lies between the lowest carried point and what is below it, at least, on a lateral path; metres.
	Clear = 0.030
	// unseenTop is what is supposed to stand where the picture shows nothing.
	unseenTop = 0.060
	// aside is how much wider than it is what is carried counts, metres on each side.
	aside = 0.008
	// here is how far from both its ends a path is not lateral.
	here = 0.012
	// footRadius is the part of the table that the arm's own foot covers.
	footRadius = 0.12
	raises     = 4
	// armThick is half the thickness of the arm, its gripper and its camera as seen by a camera, metres.
	armThick = 0.055
)

// Travel carries the fingertips, and what hangs from them, over what a height map shows.
type Travel struct {
	Arm  *Arm
	Map  *ground.Map
	Open float64     // metres: the aperture
	Held *skill.Held // what hangs between the fingers; nil = nothing
}

// Need is the least height of the fingertips at the pose: the fingers, and what they hold, keep clear of what is below.
func (t Travel) Need(tip geom.Pose) float64 {
	fingers := ground.Box{Centre: tip.Pos, Yaw: YawOf(tip), HalfX: t.Arm.Finger.X/2 + aside, HalfY: t.Open/2 + t.Arm.Finger.Y + aside}
	need := t.top(fingers) + Clear
	if t.Held == nil {
		return need
	}
	off := Offset(t.Held.Centre, YawOf(tip))
	under := ground.Box{
		Centre: geom.Vec{X: tip.Pos.X + off.X, Y: tip.Pos.Y + off.Y}, Yaw: YawOf(tip),
		HalfX: t.Held.HalfX + aside, HalfY: t.Held.HalfY + aside,
	}
	return math.Max(need, t.top(under)+t.Held.Below+Clear)
}

// top is the highest point known or supposed under a rectangle.
func (t Travel) top(b ground.Box) float64 {
	top, known := t.Map.Over(b)
	if known < 0.3 && math.Hypot(b.Centre.X, b.Centre.Y) > footRadius {
		top = math.Max(top, unseenTop)
	}
	return top
}

// Path leads from the joints `from` to the joints `to`: straight through the joints where that is clear, else up, over
// and down. An error is a *skill.Refusal of out_of_reach.
func (t Travel) Path(from, to []float64) (*geom.Path, error) {
	direct, err := t.Arm.Swing(from, to)
	if err != nil {
		return nil, err
	}
	lack := t.lack(direct)
	if lack <= 0 {
		return direct, nil
	}
	a, b := direct.Tips[0], direct.Tips[len(direct.Tips)-1]
	height := 0.0
	for i := range direct.Tips {
		height = math.Max(height, t.Need(direct.Tips[i]))
	}
	for range raises {
		p, err := t.over(from, to, [2]float64{math.Max(a.Pos.Z, height), math.Max(b.Pos.Z, height)})
		if err != nil {
			return nil, err
		}
		if lack = t.lack(p); lack <= 0 {
			return p, nil
		}
		height += lack + 0.003
	}
	return nil, OutOfReach(fmt.Sprintf("what stands between here and there is too tall to be carried over: %.0f mm are missing", lack*1000))
}

// Planner is Path as a planner.
func (t Travel) Planner(to []float64) Planner {
	return func(from []float64) (*geom.Path, error) { return t.Path(from, to) }
}

// over goes straight up from one end, through the joints, and straight down to the other, turning round at the given
// heights, or as near to them as the arm gets.
func (t Travel) over(from, to []float64, heights [2]float64) (*geom.Path, error) {
	up := t.raised(from, heights[0])
	down := t.raised(to, heights[1])
	start, end := from, to
	if up != nil {
		start = up.End()
	}
	if down != nil {
		end = down.End()
	}
	middle, err := t.Arm.Swing(start, end)
	if err != nil {
		return nil, err
	}
	if up != nil {
		middle = up.Append(middle)
	}
	if down != nil {
		middle = middle.Append(reversed(down))
	}
	return middle, nil
}

// raised is the way straight up from q to height z, or as near to it as the arm gets; nil when q is there.
func (t Travel) raised(q []float64, z float64) *geom.Path {
	tip := t.Arm.Chain.Tip(q)
	for from := tip.Pos.Z; z-from >= 1e-3; z -= 0.01 {
		tip.Pos.Z = z
		if p, err := t.Arm.LineTo(q, tip); err == nil {
			return p
		}
	}
	return nil
}

func reversed(p *geom.Path) *geom.Path {
	r := &geom.Path{}
	for i := len(p.Joints) - 1; i >= 0; i-- {
		r.Joints = append(r.Joints, p.Joints[i])
		r.Tips = append(r.Tips, p.Tips[i])
	}
	return r
}

// lack is how much too low the path is at its worst place, metres; not counting where it goes straight up or down.
func (t Travel) lack(p *geom.Path) float64 {
	a, b := p.Tips[0].Pos, p.Tips[len(p.Tips)-1].Pos
	worst := math.Inf(-1)
	for i := range p.Tips {
		at := p.Tips[i].Pos
		if level(at, a) < here || level(at, b) < here {
			continue
		}
		worst = math.Max(worst, t.Need(p.Tips[i])-at.Z)
	}
	return worst
}

func level(a, b geom.Vec) float64 { return math.Hypot(a.X-b.X, a.Y-b.Y) }

// Hide says which world points belong to the arm standing at one of the given joints, to its foot, or to what it holds
// (nil = nothing) at the first of them.
func (a *Arm) Hide(held *skill.Held, poses ...[]float64) func(geom.Vec) bool {
	var parts []geom.Capsule
	for i, q := range poses {
		parts = append(parts, a.Chain.Capsules(q, armThick)...)
		if i > 0 || held == nil {
			continue
		}
		tip := a.Chain.Tip(q)
		at := func(z float64) geom.Vec { return tip.Apply(geom.Vec{X: held.Centre.X, Y: held.Centre.Y, Z: z}) }
		parts = append(parts, geom.Capsule{
			Segment: geom.Segment{A: at(-held.Above), B: at(held.Below)}, Radius: math.Hypot(held.HalfX, held.HalfY) + 0.015,
		})
	}
	return func(p geom.Vec) bool {
		if math.Hypot(p.X, p.Y) < footRadius-0.02 {
			return true
		}
		for i := range parts {
			if parts[i].DistanceTo(p) < parts[i].Radius {
				return true
			}
		}
		return false
	}
}
