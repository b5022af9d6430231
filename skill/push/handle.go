package push

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/geom/plane"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/vision/detect"
)

const (
	pullSpeed  = 0.08  // m/s
	barLevel   = 0.007 // metres: a bar's cells differ no more from its height
	barMost    = 0.024 // metres: a thicker thing is no bar
	barAround  = 0.10  // metres around the point that are looked at
	barUnder   = 0.006 // metres of the fingertips under the top of the bar, beyond its thickness
	usualGap   = 0.025 // metres behind a bar whose gap is not seen
	leastRoom  = 0.003 // metres that a finger must have before and behind it in the gap
	besideHigh = 0.010 // metres: what stands so much over the bar is the front it is fixed to
)

const pullText = `Pull a bar handle towards its open side, such as a drawer's: one finger goes down behind the bar and draws it straight by distance_m. ` +
	`Point at the middle of the bar itself. A drawer whose handle moves by distance_m is open by as much.`

const pullSchema = `{"type":"object","properties":{"point":{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2,` +
	`"description":"[x, y] pixel on the middle of the handle's bar"},"distance_m":{"type":"number","minimum":0.01,"maximum":0.2,` +
	`"description":"metres that the handle should move"}},"required":["point","distance_m"],"additionalProperties":false}`

// Pull makes the tool that draws a handle. Params: arm, gripper, camera (modules), config (a file with Config).
func Pull(name string, p skill.Params, env *skill.Env) (*skill.Tool, error) {
	t, b, err := build(name, NamePull, p, env, skill.Spec{
		Description: pullText, Parameters: json.RawMessage(pullSchema),
		Examples: []skill.Example{{Params: json.RawMessage(`{"point":[410,260],"distance_m":0.09}`), When: "the drawer whose handle is at that pixel should be opened"}},
	})
	if err != nil {
		return nil, err
	}
	t.New = func(c skill.Call) (skill.Skill, error) { return b.pull(c) }
	return t, nil
}

func (b *base) pull(c skill.Call) (skill.Skill, error) {
	args, err := arguments[struct {
		Distance float64 `json:"distance_m"`
	}](c)
	if err != nil {
		return nil, err
	}
	s, err := b.see(c)
	if err != nil {
		return nil, err
	}
	bar, ok := s.bar()
	if !ok {
		return nil, &skill.Refusal{Code: "cannot_start", Message: "there is no bar with free space behind it at that point", Hint: "point at the middle of the handle's bar"}
	}
	room := (bar.gap - s.arm.Finger.Y) / 2
	if room < leastRoom {
		return nil, &skill.Refusal{Code: "cannot_start", Message: "the gap behind the bar is too narrow for a finger"}
	}
	// One finger stands in the middle of the gap behind the bar, the other before the bar; the gripper is centred on it.
	open := math.Min(bar.thick+2*room, s.arm.MaxOpen)
	k := stroke{
		yaw: math.Atan2(bar.pull.Y, bar.pull.X) + math.Pi/2, open: open, speed: pullSpeed, doing: "pulling",
		start: geom.Vec{X: bar.middle.X, Y: bar.middle.Y, Z: math.Max(bar.middle.Z-bar.thick/2-barUnder, s.arm.MinTipZ)},
	}
	way := args.Distance + room
	k.end = geom.Vec{X: k.start.X + way*bar.pull.X, Y: k.start.Y + way*bar.pull.Y, Z: k.start.Z}
	return s.begin(&k)
}

// bar is a handle as seen.
type bar struct {
	middle geom.Vec // of its top face
	pull   geom.Vec // unit, on the table: away from what it is fixed to
	thick  float64  // metres along pull
	gap    float64  // metres between it and what it is fixed to
}

// bar finds the handle at the point: a narrow level strip that stands free before something higher.
func (s *scene) bar() (bar, bool) {
	m := detect.NewHeightMap(s.frame, detect.Around(s.point, barAround), 0.002, nil)
	top, seen := m.Highest(s.point.X, s.point.Y, 0.005)
	if seen == 0 {
		return bar{}, false
	}
	cells := strip(m, s.point, top)
	if len(cells) < 8 {
		return bar{}, false
	}
	r := plane.MinRect(plane.Hull(cells))
	along := plane.Pt{X: math.Cos(r.Yaw), Y: math.Sin(r.Yaw)}
	n := geom.Vec{X: -along.Y, Y: along.X} // from the bar to what it is fixed to
	ahead, _ := m.Highest(s.point.X+0.045*n.X, s.point.Y+0.045*n.Y, 0.018)
	behind, _ := m.Highest(s.point.X-0.045*n.X, s.point.Y-0.045*n.Y, 0.018)
	if behind > ahead {
		n, ahead = geom.Vec{X: -n.X, Y: -n.Y}, behind
	}
	if ahead < top+besideHigh/2 {
		return bar{}, false
	}
	off := (r.C.X-s.point.X)*along.X + (r.C.Y-s.point.Y)*along.Y
	mid := geom.Vec{X: s.point.X + off*along.X, Y: s.point.Y + off*along.Y, Z: top}
	return measure(m, mid, n, along)
}

// measure reads thickness and gap along n at several places of the bar.
func measure(m *detect.HeightMap, mid, n geom.Vec, along plane.Pt) (bar, bool) {
	var fronts, backs, gaps []float64
	for k := -3; k <= 3; k++ {
		p := geom.Vec{X: mid.X + 0.004*float64(k)*along.X, Y: mid.Y + 0.004*float64(k)*along.Y}
		front, back, gap := section(m, p, n, mid.Z)
		if back > front {
			fronts, backs = append(fronts, front), append(backs, back)
			gaps = append(gaps, gap)
		}
	}
	if len(fronts) < 3 {
		return bar{}, false
	}
	slices.Sort(fronts)
	slices.Sort(backs)
	slices.Sort(gaps)
	h := len(fronts) / 2
	b := bar{thick: backs[h] - fronts[h], gap: gaps[h], pull: geom.Vec{X: -n.X, Y: -n.Y}}
	c := (fronts[h] + backs[h]) / 2
	b.middle = geom.Vec{X: mid.X + c*n.X, Y: mid.Y + c*n.Y, Z: mid.Z}
	return b, b.thick <= barMost
}

// section is the bar along n through p: where it begins and ends, and how far behind it the front begins.
func section(m *detect.HeightMap, p, n geom.Vec, top float64) (front, back, gap float64) {
	const step = 0.001
	front, back = math.Inf(1), math.Inf(-1)
	for t := -0.020; t <= 0.020; t += step {
		if z, ok := m.At(p.X+t*n.X, p.Y+t*n.Y); ok && math.Abs(z-top) < barLevel {
			front, back = math.Min(front, t), math.Max(back, t)
		}
	}
	gap = usualGap
	for t := back + step; t < back+0.045; t += step {
		if z, ok := m.At(p.X+t*n.X, p.Y+t*n.Y); ok && z > top+besideHigh/2 {
			gap = t - back
			break
		}
	}
	return front, back, gap
}

// strip are the cells of the level strip that the point lies on.
func strip(m *detect.HeightMap, p geom.Vec, top float64) []plane.Pt {
	const step, most = 0.002, 0.05
	type cell struct{ i, j int }
	on := func(c cell) bool {
		x, y := p.X+float64(c.i)*step, p.Y+float64(c.j)*step
		z, ok := m.At(x, y)
		return ok && math.Abs(z-top) < barLevel && math.Hypot(x-p.X, y-p.Y) < most
	}
	seen, queue := map[cell]bool{}, []cell{}
	for i := -2; i <= 2; i++ {
		for j := -2; j <= 2; j++ {
			if c := (cell{i, j}); on(c) {
				seen[c] = true
				queue = append(queue, c)
			}
		}
	}
	var out []plane.Pt
	for len(queue) > 0 {
		c := queue[0]
		queue = queue[1:]
		out = append(out, plane.Pt{X: p.X + float64(c.i)*step, Y: p.Y + float64(c.j)*step})
		for _, d := range [4]cell{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
			if next := (cell{c.i + d.i, c.j + d.j}); !seen[next] && on(next) {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	return out
}
