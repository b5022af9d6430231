package rules

import (
	"math"
	"regexp"
	"strconv"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/vision/detect"
)

// reach is what the planner was told that the arm can do, metres; what it was not told stays wide.
type reach struct {
	least, most float64 // from the arm's foot
	wide        float64 // widest thing that the gripper takes
}

// beyond is how far past the stated reach a try is still worth while: the statement is a promise, not the limit.
const beyond = 0.035

var (
	reachText = regexp.MustCompile(`(?i)reach\w*[^.\d]*?(\d*\.\d+)\s*(?:m)?\s*(?:to|and|–|-)\s*(\d*\.\d+)\s*m\b`)
	wideText  = regexp.MustCompile(`(?i)(?:up to|at most)\s+(\d+)\s*mm\s+wide`)
)

// reachOf reads the system prompt as a model would.
func reachOf(system string) reach {
	r := reach{least: 0.10, most: 0.45, wide: 0.075}
	if m := reachText.FindStringSubmatch(system); m != nil {
		a, errA := strconv.ParseFloat(m[1], 64)
		b, errB := strconv.ParseFloat(m[2], 64)
		if errA == nil && errB == nil && a < b {
			r.least, r.most = a, b
		}
	}
	if m := wideText.FindStringSubmatch(system); m != nil {
		if v, err := strconv.ParseFloat(m[1], 64); err == nil {
			r.wide = v / 1000
		}
	}
	return r
}

// away says in words why a place cannot be reached; "" = it may be.
func (r reach) away(p geom.Vec) string {
	switch d := far(p); {
	case d > r.most+beyond:
		return "out of reach: it is " + centimetres(d) + " from the arm's foot, and the arm reaches " + centimetres(r.most)
	case d < r.least-2*beyond:
		return "out of reach: it is " + centimetres(d) + " from the arm's foot, too near for the arm"
	}
	return ""
}

// cannotPick says in words why a thing cannot be picked up; "" = it may be.
func (r reach) cannotPick(t *detect.Thing) string {
	if t.Kind == detect.Drawer || t.Kind == detect.Button {
		return "fixed to the table: it cannot be picked up"
	}
	if why := r.away(t.World); why != "" {
		return why
	}
	return r.thick(t)
}

// thick says in words why a thing cannot be gripped; "" = it may be. A mug is held by its wall.
func (r reach) thick(t *detect.Thing) string {
	if t.Kind == detect.Mug || t.Width <= r.wide+0.010 {
		return ""
	}
	return "too wide for the gripper: it is " + millimetres(t.Width) + " wide, and the gripper takes " + millimetres(r.wide)
}

// tight says whether a thing, as large as it was seen on the table, cannot go into a container however it is turned.
func tight(m *mark, d *detect.Thing) bool {
	const wall, room = 0.004, 0.002
	l, w := max(m.Size[0], m.Size[1]), min(m.Size[0], m.Size[1])
	round := math.Abs(l-w) < 0.002 && (m.Kind == string(detect.Ball) || m.Kind == string(detect.Can) || m.Kind == string(detect.Mug))
	switch d.Kind {
	case detect.Mug:
		if !round {
			l = math.Hypot(l, w)
		}
		return l > d.Width-2*wall
	case detect.Box:
		inL, inW := d.Length-2*wall, d.Width-2*wall
		return w > inW-2*room || l > math.Hypot(inL, inW)
	case detect.Drawer:
		side := max(d.Length, d.Width) - 4*wall
		return w > standard-2*wall || l > side
	}
	return false
}

func centimetres(m float64) string { return strconv.FormatFloat(m*100, 'f', 0, 64) + " cm" }

func millimetres(m float64) string { return strconv.FormatFloat(m*1000, 'f', 0, 64) + " mm" }
