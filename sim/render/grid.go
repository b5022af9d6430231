package render

import "math"

// grid tells which occluders can darken a place, by where the place is across the light.
type grid struct {
	lo     point
	perX   float64 // cells per metre
	perY   float64
	start  []int32 // of each cell in items, and one more
	items  []int32
	extent []cells
}

const gridSide = 96

// cells is the cells x0 ≤ x < x1, y0 ≤ y < y1.
type cells struct{ x0, y0, x1, y1 int }

// build sorts the occluders into cells; low is the lowest level along the light where shadows fall.
func (g *grid) build(s *shadower, low float64) {
	g.start, g.items, g.extent = append(g.start[:0], make([]int32, gridSide*gridSide+1)...), g.items[:0], g.extent[:0]
	if len(s.reaches) == 0 {
		return
	}
	lo, hi := point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	margin := func(o *reach) float64 { return max((o.top-low)*s.tan, skyReach) }
	for i := range s.reaches {
		o := &s.reaches[i]
		m := margin(o)
		lo = point{min(lo.x, o.lo.x-m), min(lo.y, o.lo.y-m)}
		hi = point{max(hi.x, o.hi.x+m), max(hi.y, o.hi.y+m)}
	}
	g.lo, g.perX, g.perY = lo, gridSide/(hi.x-lo.x), gridSide/(hi.y-lo.y)
	for i := range s.reaches {
		o := &s.reaches[i]
		m := margin(o)
		c := cells{g.column(o.lo.x - m), g.line(o.lo.y - m), g.column(o.hi.x+m) + 1, g.line(o.hi.y+m) + 1}
		g.extent = append(g.extent, c)
		g.each(c, func(cell int) { g.start[cell+1]++ })
	}
	for i := range gridSide * gridSide {
		g.start[i+1] += g.start[i]
	}
	g.fill()
}

// fill writes the lists; it moves each start to its end and back.
func (g *grid) fill() {
	n := int(g.start[gridSide*gridSide])
	if cap(g.items) < n {
		g.items = make([]int32, n)
	}
	g.items = g.items[:n]
	for i, c := range g.extent {
		g.each(c, func(cell int) {
			g.items[g.start[cell]] = int32(i)
			g.start[cell]++
		})
	}
	copy(g.start[1:], g.start[:gridSide*gridSide])
	g.start[0] = 0
}

func (g *grid) each(c cells, do func(cell int)) {
	for y := c.y0; y < c.y1; y++ {
		for x := c.x0; x < c.x1; x++ {
			do(y*gridSide + x)
		}
	}
}

func (g *grid) column(x float64) int { return min(max(int((x-g.lo.x)*g.perX), 0), gridSide-1) }

func (g *grid) line(y float64) int { return min(max(int((y-g.lo.y)*g.perY), 0), gridSide-1) }

// at is the occluders that matter at p, nil outside.
func (g *grid) at(p point) []int32 {
	if len(g.items) == 0 {
		return nil
	}
	x, y := (p.x-g.lo.x)*g.perX, (p.y-g.lo.y)*g.perY
	if !(x >= 0 && y >= 0 && x < gridSide && y < gridSide) {
		return nil
	}
	cell := int(y)*gridSide + int(x)
	return g.items[g.start[cell]:g.start[cell+1]]
}
