package motion

import (
	"fmt"
	"math"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/skill/ground"
)

const (
	// Clear is what lies between the lowest carried point and what is below it, at least, on a lateral path; metres.
	Clear = 0.030
	// unseenTop is what is supposed to stand where the picture shows nothing.
	unseenTop = 0.060
	// here is how far from both its ends a path is not lateral.
	here = 0.012
	// footRadius is the part of the table that the arm's own foot covers.
	footRadius = 0.12
	raises     = 4
)

// Travel carries the fingertips, and what hangs from them, over what a height map shows.
type Travel struct {
	Arm    *Arm
	Map    *ground.Map
	Below  float64 // metres from the fingertips down to the lowest carried point
	Radius float64 // metres from the tool's axis to the outermost carried point
}

// Need is the least height of the fingertips over p.
func (t Travel) Need(p geom.Vec) float64 {
	top, known := t.Map.Top(p, t.Radius)
	if known < 0.3 && math.Hypot(p.X, p.Y) > footRadius {
		top = math.Max(top, unseenTop)
	}
	return top + t.Below + Clear
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
		height = math.Max(height, t.Need(direct.Tips[i].Pos))
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
// heights. An end that cannot be raised stays where it is.
func (t Travel) over(from, to []float64, heights [2]float64) (*geom.Path, error) {
	up, err := t.raised(from, heights[0])
	if err != nil {
		up = nil
	}
	down, err := t.raised(to, heights[1])
	if err != nil {
		down = nil
	}
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

// raised is the way straight up from q to height z; nil when q is there.
func (t Travel) raised(q []float64, z float64) (*geom.Path, error) {
	tip := t.Arm.Chain.Tip(q)
	if z-tip.Pos.Z < 1e-3 {
		return nil, nil
	}
	tip.Pos.Z = z
	return t.Arm.Line(q, tip)
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
		worst = math.Max(worst, t.Need(at)-at.Z)
	}
	return worst
}

func level(a, b geom.Vec) float64 { return math.Hypot(a.X-b.X, a.Y-b.Y) }

// HideArm says which world points belong to the arm standing at q, or to its foot.
func (a *Arm) HideArm(q []float64) func(geom.Vec) bool {
	var links []geom.Capsule
	if q != nil {
		links = a.Chain.Capsules(q, 0.05)
	}
	return func(p geom.Vec) bool {
		if math.Hypot(p.X, p.Y) < footRadius-0.02 {
			return true
		}
		for i := range links {
			if links[i].DistanceTo(p) < links[i].Radius {
				return true
			}
		}
		return false
	}
}
