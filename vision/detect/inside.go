package detect

import (
	"image"
	"math"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/geom/plane"
)

// insideCell is the grid, metres, on which free places in a container are looked for.
const insideCell = 0.005

// insideSpots are free places in a container, the roomiest first; when it is full, the place over its middle.
func (c *cloud) insideSpots(p *part, all []*part) []Spot {
	h := p.hollow
	if p.drawer != nil {
		h = p.drawer.tray
	}
	if h == nil {
		return nil
	}
	var contents []*part
	for _, q := range all {
		if q.in == p || p.drawer != nil && q != p && h.holds(c, q) {
			contents = append(contents, q)
		}
	}
	places := c.floorPlaces(h)
	var out []Spot
	for len(out) < 6 {
		best, room := -1, 0.012
		for i, q := range places {
			if r := freeRadius(q.at, h, contents, out); r > room {
				best, room = i, r
			}
		}
		if best < 0 {
			break
		}
		q := places[best]
		out = append(out, Spot{Name: SpotInside, Pixel: q.pixel, World: vec(q.at, h.floor), Room: room})
	}
	if len(out) > 0 {
		return out
	}
	if s, ok := c.spotAt(SpotInside, c.innerOnly(h, c.within(plane.Hull(h.inner.Corners()), 0, h.ceiling())), h.inner.C); ok {
		return []Spot{s}
	}
	return nil
}

// floorPlace is a place on a container's floor that a pixel shows.
type floorPlace struct {
	at    plane.Pt
	pixel [2]float64
}

// floorPlaces is the grid of a container's floor, as far as it is seen.
func (c *cloud) floorPlaces(h *hollow) []floorPlace {
	var out []floorPlace
	l, w := h.inner.Length/2, h.inner.Width/2
	for u := -l + insideCell; u < l; u += insideCell {
		for v := -w + insideCell; v < w; v += insideCell {
			p := h.inner.Outer(u, v)
			if px, ok := c.sees(vec(p, h.floor)); ok && h.inside(p, 0) {
				out = append(out, floorPlace{at: p, pixel: px})
			}
		}
	}
	return out
}

// sees is the pixel that shows the world point, if that pixel shows nothing else before it.
func (c *cloud) sees(p geom.Vec) (px [2]float64, ok bool) {
	u, v, ok := c.project(p)
	if !ok {
		return px, false
	}
	q := [2]int{int(math.Floor(u)), int(math.Floor(v))}
	k, in := c.index(image.Pt(q[0], q[1]))
	if !in || c.state[k] != pixelSeen {
		return px, false
	}
	d := plane.Pt{X: float64(c.x[k]), Y: float64(c.y[k])}.Sub(plane.Pt{X: p.X, Y: p.Y})
	if d.Norm() > 0.006+c.step || math.Abs(float64(c.z[k])-p.Z) > 0.006 {
		return px, false
	}
	return [2]float64{float64(q[0]) + 0.5, float64(q[1]) + 0.5}, true
}

// freeRadius is how far the place is from walls, contents and the places already chosen.
func freeRadius(p plane.Pt, h *hollow, contents []*part, chosen []Spot) float64 {
	r := h.inner.Inset(p)
	if h.round {
		r = h.inner.Width/2 - p.Sub(h.inner.C).Norm()
	}
	for _, q := range contents {
		r = min(r, -q.form.foot.Inset(p))
	}
	for _, s := range chosen {
		r = min(r, p.Sub(plane.Pt{X: s.World.X, Y: s.World.Y}).Norm()-0.02)
	}
	return r
}
