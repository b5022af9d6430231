package render

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// TriMesh is a body of triangles. It is made by NewMesh and never changes, so scenes may share it.
type TriMesh struct {
	tris         []tri
	nodes        []node
	centre, half vec
}

// tri is a triangle: a corner, the two sides from it, its normal and the normals at its corners.
type tri struct {
	a, ab, ac vec
	normal    vec
	smooth    [3]vec
}

// node is a box of the tree over the triangles. A leaf has count > 0 triangles from first on; an inner node's children
// are the next node and the node first.
type node struct {
	lo, hi       vec
	first, count int32
}

const (
	leafSize = 4
	crease   = 0.77 // cosine of the angle between faces beyond which an edge looks sharp
)

// NewMesh makes a mesh of vertices (x, y, z by turns, metres, in the geom's frame) and faces (three indices each,
// counter-clockwise seen from outside). Triangles without area are left out. The slices are not kept.
func NewMesh(verts []float32, faces []int32) (*TriMesh, error) {
	if len(verts)%3 != 0 || len(faces)%3 != 0 {
		return nil, errors.New("render: make mesh: vertices and faces come in threes")
	}
	m := &TriMesh{}
	corner := func(i int32) vec {
		return vec{X: float64(verts[3*i]), Y: float64(verts[3*i+1]), Z: float64(verts[3*i+2])}
	}
	around := make([][]vec, len(verts)/3) // face normals by vertex, as long as the area
	var kept []int32
	for f := 0; f < len(faces); f += 3 {
		for _, i := range faces[f : f+3] {
			if i < 0 || int(i) >= len(verts)/3 {
				return nil, fmt.Errorf("render: make mesh: face %d names vertex %d of %d", f/3, i, len(verts)/3)
			}
		}
		a := corner(faces[f])
		t := tri{a: a, ab: sub(corner(faces[f+1]), a), ac: sub(corner(faces[f+2]), a)}
		n := cross(t.ab, t.ac)
		if !(dot(n, n) > 0) {
			continue
		}
		t.normal = unit(n)
		m.tris = append(m.tris, t)
		kept = append(kept, faces[f:f+3]...)
		for _, i := range faces[f : f+3] {
			around[i] = append(around[i], n)
		}
	}
	for i := range m.tris {
		for c := range 3 {
			m.tris[i].smooth[c] = smoothed(m.tris[i].normal, around[kept[3*i+c]])
		}
	}
	m.grow()
	return m, nil
}

// smoothed is the mean of the normals around a corner that are near to the face's own.
func smoothed(own vec, around []vec) vec {
	var sum vec
	for _, n := range around {
		if dot(unit(n), own) > crease {
			sum = add(sum, n)
		}
	}
	return unit(sum)
}

// grow sorts the triangles into the tree and finds the mesh's bounding box.
func (m *TriMesh) grow() {
	if len(m.tris) == 0 {
		return
	}
	m.split(0, len(m.tris))
	lo, hi := m.nodes[0].lo, m.nodes[0].hi
	m.centre, m.half = scale(0.5, add(lo, hi)), scale(0.5, sub(hi, lo))
}

func (m *TriMesh) split(from, to int) {
	lo, hi := bounds(m.tris[from:to])
	at := len(m.nodes)
	m.nodes = append(m.nodes, node{lo: lo, hi: hi, first: int32(from), count: int32(to - from)})
	if to-from <= leafSize {
		return
	}
	key := longest(sub(hi, lo))
	slices.SortStableFunc(m.tris[from:to], func(a, b tri) int {
		switch d := key(a.middle()) - key(b.middle()); {
		case d < 0:
			return -1
		case d > 0:
			return 1
		}
		return 0
	})
	mid := (from + to) / 2
	m.split(from, mid)
	m.nodes[at].first, m.nodes[at].count = int32(len(m.nodes)), 0
	m.split(mid, to)
}

func (t *tri) middle() vec { return along(t.a, 1.0/3, add(t.ab, t.ac)) }

func longest(d vec) func(vec) float64 {
	switch {
	case d.X >= d.Y && d.X >= d.Z:
		return func(v vec) float64 { return v.X }
	case d.Y >= d.Z:
		return func(v vec) float64 { return v.Y }
	}
	return func(v vec) float64 { return v.Z }
}

func bounds(tris []tri) (lo, hi vec) {
	lo, hi = vec{X: miss, Y: miss, Z: miss}, vec{X: -miss, Y: -miss, Z: -miss}
	for i := range tris {
		t := &tris[i]
		for _, p := range [...]vec{t.a, add(t.a, t.ab), add(t.a, t.ac)} {
			lo = vec{X: min(lo.X, p.X), Y: min(lo.Y, p.Y), Z: min(lo.Z, p.Z)}
			hi = vec{X: max(hi.X, p.X), Y: max(hi.Y, p.Y), Z: max(hi.Z, p.Z)}
		}
	}
	return lo, hi
}

// hit is the nearest front side of a triangle that the ray meets at t ≥ tmin.
func (m *TriMesh) hit(o, d vec, tmin float64) (t float64, face int32) {
	t = miss
	inv := vec{X: 1 / d.X, Y: 1 / d.Y, Z: 1 / d.Z}
	var stack [64]int32
	n := 1
	for n > 0 {
		n--
		at := stack[n]
		nd := &m.nodes[at]
		if !nd.meets(o, inv, tmin, t) {
			continue
		}
		if nd.count == 0 {
			stack[n], stack[n+1] = nd.first, at+1
			n += 2
			continue
		}
		for i := nd.first; i < nd.first+nd.count; i++ {
			if s := m.tris[i].hit(o, d); s >= tmin && s < t {
				t, face = s, i
			}
		}
	}
	return t, face
}

func (nd *node) meets(o, inv vec, tmin, tmax float64) bool {
	const grown = 1e-9
	s := stretch{tmin, tmax}
	s = s.between(nd.lo.X-grown-o.X, nd.hi.X+grown-o.X, inv.X)
	s = s.between(nd.lo.Y-grown-o.Y, nd.hi.Y+grown-o.Y, inv.Y)
	s = s.between(nd.lo.Z-grown-o.Z, nd.hi.Z+grown-o.Z, inv.Z)
	return s.from <= s.to
}

// stretch is a part of a ray.
type stretch struct{ from, to float64 }

// between is the part of s between two planes across one axis; inv is the inverse of the ray's direction along it.
func (s stretch) between(lo, hi, inv float64) stretch {
	a, b := lo*inv, hi*inv
	if a > b {
		a, b = b, a
	}
	return stretch{max(s.from, a), min(s.to, b)}
}

// hit is where a ray crosses the triangle from its front; rays that run along an edge hit at least one of the two.
func (t *tri) hit(o, d vec) float64 {
	p := cross(d, t.ac)
	det := dot(t.ab, p)
	if det <= 0 {
		return miss
	}
	s := sub(o, t.a)
	const rim = 1e-12
	u := dot(s, p)
	q := cross(s, t.ab)
	v := dot(d, q)
	if slack := float64(rim * det); u < -slack || v < -slack || u+v > det+slack {
		return miss
	}
	return dot(t.ac, q) / det
}

// normal is the smoothed normal at p of a face.
func (m *TriMesh) normal(p vec, face int32) vec {
	t := &m.tris[face]
	full := cross(t.ab, t.ac)
	area := dot(full, full)
	s := sub(p, t.a)
	v := dot(cross(s, t.ac), full) / area
	w := dot(cross(t.ab, s), full) / area
	n := along(along(scale(1-v-w, t.smooth[0]), v, t.smooth[1]), w, t.smooth[2])
	if math.IsNaN(n.X) || dot(n, n) == 0 {
		return t.normal
	}
	return unit(n)
}
