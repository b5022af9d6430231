package ground

import (
	"math"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/geom/plane"
)

const (
	faceStep = 0.005 // metres: cells of one face differ no more from its height
	faceMost = 0.10  // metres from the point to the face's farthest cell: a larger face is a surface
)

// Face is a level top around a point.
type Face struct {
	Height float64 // metres above the table
	Rect   plane.Rect
	Small  bool // it has an edge all around: the top of a thing, not a table
}

// Face is the level top that p lies on.
func (m *Map) Face(p geom.Vec) (Face, bool) {
	h := Quantile(m.Around(p, 0.010), 0.6)
	start, ok := index(p)
	if math.IsNaN(h) || !ok {
		return Face{}, false
	}
	f := Face{Height: h, Small: true}
	seen, queue := map[int]bool{start: true}, []int{start}
	var points []plane.Pt
	for len(queue) > 0 {
		k := queue[0]
		queue = queue[1:]
		c := centre(k)
		if math.Hypot(c.X-p.X, c.Y-p.Y) > faceMost {
			f.Small = false
			break
		}
		points = append(points, plane.Pt{X: c.X, Y: c.Y})
		for _, n := range [4]int{k - 1, k + 1, k - columns, k + columns} {
			if n < 0 || n >= len(m.top) || seen[n] || !(math.Abs(float64(m.top[n])-h) <= faceStep) {
				continue
			}
			seen[n] = true
			queue = append(queue, n)
		}
	}
	f.Rect = plane.MinRect(plane.Hull(points))
	f.Rect.Length += cell
	f.Rect.Width += cell
	return f, true
}

const (
	thinEdge = 0.012 // metres: a narrower face is an edge, on which nothing can be put
	edgeNear = 0.030 // metres around a point on an edge in which level ground is looked for
)

// OffEdge is p, or, when p lies on the edge of something such as the rim of a box, the nearest lower ground beside it.
func (m *Map) OffEdge(p geom.Vec) geom.Vec {
	h, ok := m.at(p)
	low := Quantile(m.Around(p, edgeNear), 0.2)
	if !ok || !(h > low+wallStep) || m.wide(p, h) {
		return p
	}
	best, least := p, math.Inf(1)
	for dx := -edgeNear; dx <= edgeNear; dx += cell {
		for dy := -edgeNear; dy <= edgeNear; dy += cell {
			q := geom.Vec{X: p.X + dx, Y: p.Y + dy}
			z, seen := m.at(q)
			if d := math.Hypot(dx, dy); seen && z < low+wallStep/2 && d < least {
				q.Z = z
				best, least = q, d
			}
		}
	}
	return best
}

// wide says whether ground of height h goes on around p: more than an edge.
func (m *Map) wide(p geom.Vec, h float64) bool {
	for _, d := range [4]geom.Vec{{X: 1}, {Y: 1}, {X: 0.7, Y: 0.7}, {X: 0.7, Y: -0.7}} {
		width := 0.0
		for _, side := range [2]float64{1, -1} {
			for k := cell / 2; k < 2*thinEdge; k += cell / 2 {
				if z, ok := m.at(geom.Vec{X: p.X + side*k*d.X, Y: p.Y + side*k*d.Y}); !ok || math.Abs(z-h) > faceStep {
					break
				}
				width += cell / 2
			}
		}
		if width < thinEdge {
			return false
		}
	}
	return true
}
