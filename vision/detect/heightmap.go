package detect

import (
	"image"
	"math"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/geom/plane"
	"github.com/rein-robotics/rein/robot"
)

// HeightMap is the highest thing seen over each cell of a part of the table, in the world frame. It is immutable.
type HeightMap struct {
	X0, Y0 float64 // the corner with the least x and y, metres
	Cell   float64 // metres
	NX, NY int
	Z      []float32 // metres above the table, cell (i, j) at j*NX+i; NaN = not seen
}

// Area is a rectangle of the table plane, metres.
type Area struct{ X0, Y0, X1, Y1 float64 }

// Around is the square of half side r about a point.
func Around(p geom.Vec, r float64) Area { return Area{p.X - r, p.Y - r, p.X + r, p.Y + r} }

// NewHeightMap reads the heights over area from a frame with depth. cell is in metres; 0 chooses one that the picture
// fills. exclude, when not nil, says which world points are the robot itself. Lone gaps between seen cells are filled;
// what lies behind something high stays unseen. Without depth nothing is seen.
func NewHeightMap(f *robot.Frame, area Area, cell float64, exclude func(geom.Vec) bool) *HeightMap {
	c := newCloud(f, areaWindow(f, area), exclude)
	return c.heightMap(area, cell)
}

// areaWindow is the part of the picture in which columns over the area can be seen; empty = all of it.
func areaWindow(f *robot.Frame, a Area) image.Rectangle {
	r := image.Rectangle{}
	for _, z := range [...]float64{0, 0.15, 0.3} {
		if z > f.Pose.Pos.Z-0.08 {
			continue
		}
		r = r.Union(window(f, geom.Vec{X: (a.X0 + a.X1) / 2, Y: (a.Y0 + a.Y1) / 2, Z: z}, math.Hypot(a.X1-a.X0, a.Y1-a.Y0)/2))
	}
	if r.Intersect(f.Region).Empty() {
		return image.Rectangle{}
	}
	return r
}

func (c *cloud) heightMap(a Area, cell float64) *HeightMap {
	if cell <= 0 {
		cell = max(0.0015, 1.25*c.step)
	}
	m := &HeightMap{X0: a.X0, Y0: a.Y0, Cell: cell}
	m.NX, m.NY = max(1, int(math.Ceil((a.X1-a.X0)/cell))), max(1, int(math.Ceil((a.Y1-a.Y0)/cell)))
	m.Z = make([]float32, m.NX*m.NY)
	nan := float32(math.NaN())
	for k := range m.Z {
		m.Z[k] = nan
	}
	for k, s := range c.state {
		if s != pixelSeen {
			continue
		}
		if i, ok := m.cell(float64(c.x[k]), float64(c.y[k])); ok && !(m.Z[i] >= c.z[k]) {
			m.Z[i] = c.z[k]
		}
	}
	m.fill()
	return m
}

// cell is the index of the cell that holds (x, y).
func (m *HeightMap) cell(x, y float64) (k int, ok bool) {
	i, j := int(math.Floor((x-m.X0)/m.Cell)), int(math.Floor((y-m.Y0)/m.Cell))
	if i < 0 || j < 0 || i >= m.NX || j >= m.NY {
		return 0, false
	}
	return j*m.NX + i, true
}

// fill gives unseen cells with at least five seen neighbours the mean of those.
func (m *HeightMap) fill() {
	old := append([]float32(nil), m.Z...)
	for j := 1; j < m.NY-1; j++ {
		for i := 1; i < m.NX-1; i++ {
			k := j*m.NX + i
			if old[k] == old[k] {
				continue
			}
			n, s := 0, float32(0)
			for _, d := range [...]int{-m.NX - 1, -m.NX, -m.NX + 1, -1, 1, m.NX - 1, m.NX, m.NX + 1} {
				if z := old[k+d]; z == z {
					n, s = n+1, s+z
				}
			}
			if n >= 5 {
				m.Z[k] = s / float32(n)
			}
		}
	}
}

// At is the height over (x, y); seen is false for cells that the camera did not see and outside the map.
func (m *HeightMap) At(x, y float64) (z float64, seen bool) {
	k, ok := m.cell(x, y)
	if !ok || m.Z[k] != m.Z[k] {
		return 0, false
	}
	return float64(m.Z[k]), true
}

// Highest is the greatest height within radius r of (x, y), and the share of that disc that was seen, 0 to 1. Of a disc
// that was not seen at all the height is 0.
func (m *HeightMap) Highest(x, y, r float64) (z, seen float64) {
	return m.HighestAlong(geom.Vec{X: x, Y: y}, geom.Vec{X: x, Y: y}, r)
}

// HighestAlong is the greatest height within radius r of the straight way from a to b (their z is not looked at), and
// the share of that strip that was seen.
func (m *HeightMap) HighestAlong(a, b geom.Vec, r float64) (z, seen float64) {
	p, q := plane.Pt{X: a.X, Y: a.Y}, plane.Pt{X: b.X, Y: b.Y}
	z = math.Inf(-1)
	var all, known int
	i0, i1 := m.index(min(p.X, q.X)-r-m.X0), m.index(max(p.X, q.X)+r-m.X0)
	j0, j1 := m.index(min(p.Y, q.Y)-r-m.Y0), m.index(max(p.Y, q.Y)+r-m.Y0)
	for j := j0; j <= j1; j++ {
		for i := i0; i <= i1; i++ {
			if fromSegment(m.centre(i, j), p, q) > r {
				continue
			}
			all++
			if i < 0 || j < 0 || i >= m.NX || j >= m.NY {
				continue
			}
			if v := m.Z[j*m.NX+i]; v == v {
				known++
				z = max(z, float64(v))
			}
		}
	}
	if known == 0 {
		return 0, 0
	}
	return z, float64(known) / float64(all)
}

func (m *HeightMap) index(d float64) int { return int(math.Floor(d / m.Cell)) }

// centre is the middle of cell (i, j).
func (m *HeightMap) centre(i, j int) plane.Pt {
	return plane.Pt{X: m.X0 + (float64(i)+0.5)*m.Cell, Y: m.Y0 + (float64(j)+0.5)*m.Cell}
}

// fromSegment is the distance of c from the segment p–q.
func fromSegment(c, p, q plane.Pt) float64 {
	d := q.Sub(p)
	t := 0.0
	if l := d.Dot(d); l > 0 {
		t = min(1, max(0, c.Sub(p).Dot(d)/l))
	}
	return c.Sub(p.Add(d.Scale(t))).Norm()
}

// FreePlace is the place nearest to near, at most reach metres off, where a disc of radius r was seen whole and nothing
// stands out over level (metres above the table) by more than 5 mm or lies that much below it. ok is false when there is none.
func (m *HeightMap) FreePlace(near geom.Vec, r, reach, level float64) (p geom.Vec, ok bool) {
	const step = 0.005
	n := int(reach / step)
	best := math.Inf(1)
	for j := -n; j <= n; j++ {
		for i := -n; i <= n; i++ {
			d := math.Hypot(float64(i), float64(j)) * step
			if d > reach || d >= best {
				continue
			}
			q := geom.Vec{X: near.X + float64(i)*step, Y: near.Y + float64(j)*step, Z: level}
			if m.levelDisc(q, r) {
				best, p, ok = d, q, true
			}
		}
	}
	return p, ok
}

// levelDisc says whether the disc was seen and is level with q; one cell in twenty may be unseen.
func (m *HeightMap) levelDisc(q geom.Vec, r float64) bool {
	var all, dark int
	for j := m.index(q.Y - r - m.Y0); j <= m.index(q.Y+r-m.Y0); j++ {
		for i := m.index(q.X - r - m.X0); i <= m.index(q.X+r-m.X0); i++ {
			c := m.centre(i, j)
			if c.Sub(plane.Pt{X: q.X, Y: q.Y}).Norm() > r {
				continue
			}
			all++
			if i < 0 || j < 0 || i >= m.NX || j >= m.NY {
				return false
			}
			z := float64(m.Z[j*m.NX+i])
			if z != z {
				dark++
			} else if math.Abs(z-q.Z) > 0.005 {
				return false
			}
		}
	}
	return dark*20 <= all
}
