package place

import (
	"fmt"
	"math"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/skill/ground"
	"github.com/rein-robotics/rein/skill/motion"
)

const (
	inStep    = 0.010 // metres between two places tried in a container
	inSteps   = 6     // to each side of the point
	enough    = 0.014 // metres between what is held and a rim beyond which more is no better
	least     = 0.002 // and the least at which it is dropped in
	turnSteps = 24    // directions tried around the circle
	topSize   = 0.10  // a face narrower than this is centred on
	topSnap   = 0.035 // metres the centre may be from the point
)

// spot is where something is put down.
type spot struct {
	tip     geom.Vec // of the fingertips when it is let go, as expected
	yaw     float64
	surface float64 // height of what it comes to rest on, as seen
	inside  bool    // it is dropped over a rim
	words   string
}

// choose decides from the height map what the point means.
func (r *run) choose(p geom.Vec, near []float64) (spot, error) {
	p = r.grid.OffEdge(p)
	if basin, ok := r.grid.Basin(p); ok {
		return r.chooseInside(basin, p, near)
	}
	return r.chooseOn(p, near)
}

// chooseInside finds the place nearest to the point at which what is held fits between the walls.
func (r *run) chooseInside(basin ground.Basin, p geom.Vec, near []float64) (spot, error) {
	z := math.Max(basin.Rim+dropOver, basin.Floor+r.held.Below+0.004)
	best, score, fits := spot{}, math.Inf(-1), false
	var why error
	for i := -inSteps; i <= inSteps; i++ {
		for j := -inSteps; j <= inSteps; j++ {
			c := geom.Vec{X: p.X + float64(i)*inStep, Y: p.Y + float64(j)*inStep, Z: z}
			if basin.Inside(c) < 0 {
				continue
			}
			off := math.Hypot(c.X-p.X, c.Y-p.Y)
			for k := range turnSteps {
				yaw := 2 * math.Pi * float64(k) / turnSteps
				room := basin.Clearance(r.footprint(c, yaw))
				if room < least {
					continue
				}
				fits = true
				value := math.Min(room, enough) - 0.25*off
				if value <= score {
					continue
				}
				q, tip, err := r.solve(c, yaw, near)
				if err != nil {
					why = err
					continue
				}
				value -= 0.002 * turn(q, near)
				if value > score {
					score = value
					best = spot{tip: tip, yaw: yaw, surface: basin.Floor, inside: true, words: "in a container"}
				}
			}
		}
	}
	switch {
	case !math.IsInf(score, -1):
		return best, nil
	case fits && why != nil:
		return best, why
	}
	return best, &skill.Refusal{Code: "cannot_start", Message: fmt.Sprintf("what is held (%.0f × %.0f mm) does not fit into the container there",
		2000*r.held.HalfX, 2000*r.held.HalfY), Hint: "point at a roomier place"}
}

// chooseOn finds how to put it on the table or on top of a thing: centred on a small face.
func (r *run) chooseOn(p geom.Vec, near []float64) (spot, error) {
	c, words := p, "on the table"
	turns := make([]float64, 0, 2*turnSteps)
	face, ok := r.grid.Face(p)
	if ok && face.Small && face.Height > 0.008 {
		words = "on top"
		if m := face.Rect.C; face.Rect.Width < topSize && math.Hypot(m.X-p.X, m.Y-p.Y) < topSnap {
			c.X, c.Y = m.X, m.Y
		}
		for k := range 4 {
			turns = append(turns, face.Rect.Yaw+float64(k)*math.Pi/2)
		}
	}
	aligned := len(turns)
	for k := range turnSteps {
		turns = append(turns, 2*math.Pi*float64(k)/turnSteps)
	}
	best, cost := spot{}, math.Inf(1)
	var why error
	for i, yaw := range turns {
		surface := ground.Quantile(r.grid.Under(r.footprint(c, yaw)), 0.95)
		if math.IsNaN(surface) {
			surface = p.Z
		}
		if ok && face.Small {
			surface = face.Height
		}
		c.Z = surface + r.held.Below
		q, tip, err := r.solve(c, yaw, near)
		if err != nil {
			why = err
			continue
		}
		v := turn(q, near) + r.crowding(tip, yaw)
		if i < aligned {
			v -= 0.6
		}
		if v < cost {
			cost, best = v, spot{tip: tip, yaw: yaw, surface: surface, words: words}
		}
	}
	if math.IsInf(cost, 1) {
		return best, why
	}
	return best, nil
}

// solve is the arm with the middle of what is held at c, letting go.
func (r *run) solve(c geom.Vec, yaw float64, near []float64) (q []float64, tip geom.Vec, err error) {
	off := motion.Offset(r.held.Centre, yaw)
	tip = geom.Vec{X: c.X - off.X, Y: c.Y - off.Y, Z: math.Max(c.Z, r.arm.MinTipZ)}
	q, err = r.arm.DownExact(tip, yaw, near)
	return q, tip, err
}

// footprint is what is held, seen from above, with its middle at c.
func (r *run) footprint(c geom.Vec, yaw float64) ground.Box {
	return ground.Box{Centre: c, Yaw: yaw, HalfX: r.held.HalfX, HalfY: r.held.HalfY}
}

// crowding is a cost for fingers that open into something beside, and for a palm that comes down on it.
func (r *run) crowding(tip geom.Vec, yaw float64) float64 {
	out := (r.held.ApertureM+openBy)/2 + r.arm.Finger.Y/2
	cost := 0.0
	for _, side := range [2]float64{-1, 1} {
		at := motion.Offset(geom.Vec{Y: side * out}, yaw)
		finger := ground.Box{Centre: geom.Vec{X: tip.X + at.X, Y: tip.Y + at.Y}, Yaw: yaw, HalfX: r.arm.Finger.X/2 + 0.003, HalfY: r.arm.Finger.Y/2 + 0.003}
		if top := ground.Quantile(r.grid.Under(finger), 0.9); top > tip.Z-0.002 {
			cost += 3
		}
	}
	palm := ground.Box{Centre: tip, Yaw: yaw, HalfX: r.arm.Finger.X / 2, HalfY: r.arm.MaxOpen/2 + r.arm.Finger.Y}
	if top, _ := r.grid.Over(palm); top > tip.Z+r.arm.Finger.Z-0.004 {
		cost += 3
	}
	return cost
}

// turn is the largest turn of the last joint and the rest, a measure of how far round the wrist goes.
func turn(q, near []float64) float64 {
	last := len(q) - 1
	if last < 0 || len(near) != len(q) {
		return 0
	}
	return math.Abs(q[last] - near[last])
}
