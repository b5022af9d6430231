// Package ground reads one picture with depth as a height map of the table: what lies below a path, the rim and inside of
// a container, the face on which something can be put.
//
// Its one invariant: it is pure; it knows only what the picture shows, and says where it shows nothing.
package ground

import (
	"math"
	"slices"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/vision/detect"
)

const (
	cell    = 0.004 // metres
	minX    = -0.10
	minY    = -0.55
	columns = 175 // along x
	rows    = 275 // along y
	ceiling = 0.40
	spike   = 0.012 // metres
)

// Map is what one picture says about the table: for each cell of 4 mm the highest point seen in it.
// It is immutable. Heights are metres above the table.
type Map struct {
	top []float32 // NaN = not seen
}

// New reads a picture. hide, when not nil, says which world points are the robot itself. A picture without depth gives a
// map that knows nothing.
func New(f *robot.Frame, hide func(geom.Vec) bool) *Map {
	if f == nil || f.Depth == nil {
		m := &Map{top: make([]float32, columns*rows)}
		for i := range m.top {
			m.top[i] = float32(math.NaN())
		}
		return m
	}
	area := detect.Area{X0: minX, Y0: minY, X1: minX + columns*cell, Y1: minY + rows*cell}
	h := detect.NewHeightMap(Without(f, hide), area, cell, func(p geom.Vec) bool { return p.Z > ceiling })
	m := &Map{top: make([]float32, columns*rows)}
	for k := range m.top {
		z, seen := h.At(centre(k).X, centre(k).Y)
		if m.top[k] = float32(z); !seen {
			m.top[k] = float32(math.NaN())
		}
	}
	m.flatten()
	return m
}

// flatten takes out lone spikes: a cell far over all its neighbours is a mixture of depths at an edge.
func (m *Map) flatten() {
	old := slices.Clone(m.top)
	for j := 1; j < rows-1; j++ {
		for i := 1; i < columns-1; i++ {
			k := j*columns + i
			high := float32(math.Inf(-1))
			for _, d := range [8]int{-columns - 1, -columns, -columns + 1, -1, 1, columns - 1, columns, columns + 1} {
				if z := old[k+d]; z > high {
					high = z
				}
			}
			if old[k] > high+spike && high > float32(math.Inf(-1)) {
				m.top[k] = high
			}
		}
	}
}

func index(p geom.Vec) (int, bool) {
	i, j := int(math.Floor((p.X-minX)/cell)), int(math.Floor((p.Y-minY)/cell))
	if i < 0 || j < 0 || i >= columns || j >= rows {
		return 0, false
	}
	return j*columns + i, true
}

func centre(k int) geom.Vec {
	return geom.Vec{X: minX + (float64(k%columns)+0.5)*cell, Y: minY + (float64(k/columns)+0.5)*cell}
}

// at is the highest point seen in the cell of p; ok is false where nothing was seen.
func (m *Map) at(p geom.Vec) (float64, bool) {
	k, ok := index(p)
	if !ok || math.IsNaN(float64(m.top[k])) {
		return 0, false
	}
	return float64(m.top[k]), true
}

// Box is a rectangle of the table: half extents along its own axes, turned by Yaw.
type Box struct {
	Centre       geom.Vec
	Yaw          float64
	HalfX, HalfY float64
}

// Corner is the point at (u, v) of the box's own axes.
func (b Box) Corner(u, v float64) geom.Vec {
	s, c := math.Sincos(b.Yaw)
	return geom.Vec{X: b.Centre.X + c*u - s*v, Y: b.Centre.Y + s*u + c*v}
}

// Under are the heights seen in a rectangle, lowest first.
func (m *Map) Under(b Box) []float64 {
	var out []float64
	for u := -b.HalfX; u <= b.HalfX; u += cell {
		for v := -b.HalfY; v <= b.HalfY; v += cell {
			if h, ok := m.at(b.Corner(u, v)); ok {
				out = append(out, h)
			}
		}
	}
	slices.Sort(out)
	return out
}

// Over is the highest point seen in a rectangle, and the share of it that was seen. Where nothing was seen it is 0, 0.
func (m *Map) Over(b Box) (z, known float64) {
	var all, seen float64
	for u := -b.HalfX; u <= b.HalfX; u += cell {
		for v := -b.HalfY; v <= b.HalfY; v += cell {
			all++
			if h, ok := m.at(b.Corner(u, v)); ok {
				seen++
				z = math.Max(z, h)
			}
		}
	}
	return z, seen / math.Max(1, all)
}

// Around are the heights of the cells seen within radius of p, lowest first.
func (m *Map) Around(p geom.Vec, radius float64) []float64 {
	var out []float64
	for dx := -radius; dx <= radius; dx += cell {
		for dy := -radius; dy <= radius; dy += cell {
			k, ok := index(geom.Vec{X: p.X + dx, Y: p.Y + dy})
			if ok && dx*dx+dy*dy <= radius*radius && !math.IsNaN(float64(m.top[k])) {
				out = append(out, float64(m.top[k]))
			}
		}
	}
	slices.Sort(out)
	return out
}

// Quantile is the value at share q of sorted values; NaN when there are none.
func Quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// At is the world point that a pixel shows: the middle of the depths around it. ok is false where there is no depth.
func At(f *robot.Frame, pixel [2]float64) (p geom.Vec, ok bool) {
	if f == nil || f.Depth == nil {
		return p, false
	}
	x, y := int(math.Floor(pixel[0])), int(math.Floor(pixel[1]))
	var ds []float64
	for dy := -2; dy <= 2; dy++ {
		for dx := -2; dx <= 2; dx++ {
			if d := f.Depth.At(x+dx, y+dy); d > 0 {
				ds = append(ds, d)
			}
		}
	}
	if len(ds) < 5 {
		return p, false
	}
	slices.Sort(ds)
	return geom.View{Intrinsics: f.Intrinsics, Pose: f.Pose}.World(pixel[0], pixel[1], ds[len(ds)/2]), true
}

// Without is the map with nothing known to stand within radius of p: what stood there was taken away.
func (m *Map) Without(p geom.Vec, radius float64) *Map {
	n := &Map{top: slices.Clone(m.top)}
	for k := range n.top {
		if c := centre(k); math.Hypot(c.X-p.X, c.Y-p.Y) <= radius {
			n.top[k] = 0
		}
	}
	return n
}
