package ground

import (
	"math"

	"github.com/rein-robotics/rein/geom"
)

const (
	faceStep = 0.005 // metres: cells of one face differ no more from its height
	faceMost = 0.10  // metres from the point to the face's farthest cell: a larger face is a surface
)

// Face is a level top around a point.
type Face struct {
	Height float64 // metres above the table
	Rect   geom.Rect
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
	var points []geom.Vec2
	for len(queue) > 0 {
		k := queue[0]
		queue = queue[1:]
		c := centre(k)
		if math.Hypot(c.X-p.X, c.Y-p.Y) > faceMost {
			f.Small = false
			break
		}
		points = append(points, geom.Vec2{X: c.X, Y: c.Y})
		for _, n := range [4]int{k - 1, k + 1, k - columns, k + columns} {
			if n < 0 || n >= len(m.top) || seen[n] || !(math.Abs(float64(m.top[n])-h) <= faceStep) {
				continue
			}
			seen[n] = true
			queue = append(queue, n)
		}
	}
	f.Rect = geom.MinAreaRect(points)
	f.Rect.Length += cell
	f.Rect.Width += cell
	return f, true
}
