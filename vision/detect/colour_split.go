package detect

import (
	"math"
	"slices"

	"github.com/rein-robotics/rein/geom/plane"
)

// split makes sets of pixels that lie together and have one colour.
func (c *cloud) split(ks []int32) [][]int32 {
	var out [][]int32
	for _, piece := range c.components(ks, c.near()) {
		if c.bigEnough(piece) {
			out = append(out, c.splitColours(piece)...)
		}
	}
	if c.step > coarse {
		out = c.joinWalls(out)
	}
	return out
}

// coarse is the width of a pixel on the table, metres, from which on thin rims are not seen at all.
const coarse = 0.0022

// joinWalls joins high sets of one colour that reach into the same columns of the table plane: the faces of a wall whose
// rim is thinner than a pixel.
func (c *cloud) joinWalls(sets [][]int32) [][]int32 {
	cell := 1.6 * c.step
	type place struct{ i, j int }
	seen := map[place][]int{}
	f := newForest(len(sets))
	tones := newTones()
	colour := make([][]uint8, len(sets))
	for n, ks := range sets {
		if plane.Quantile(c.heights(ks), 0.9) < 0.02 {
			continue
		}
		if c.f.Color != nil {
			colour[n] = c.medianBytes(ks)
		}
		for _, k := range ks {
			at := place{int(math.Floor(float64(c.x[k]) / cell)), int(math.Floor(float64(c.y[k]) / cell))}
			for _, d := range [...]place{{0, 0}, {-1, 0}, {0, -1}, {1, 0}, {0, 1}} {
				for _, m := range seen[place{at.i + d.i, at.j + d.j}] {
					if m != n && (colour[n] == nil || tones.match(colour[n], colour[m], usualShine(), math.MaxFloat32)) {
						f.join(int32(m), int32(n))
					}
				}
			}
			if here := seen[at]; !slices.Contains(here, n) {
				seen[at] = append(here, n)
			}
		}
	}
	var out [][]int32
	index := map[int32]int{}
	for n, ks := range sets {
		r := f.root(int32(n))
		if i, ok := index[r]; ok {
			out[i] = slices.Sorted(slices.Values(append(out[i], ks...)))
			continue
		}
		index[r] = len(out)
		out = append(out, ks)
	}
	return out
}

// face is an evenly coloured piece of a set of linked pixels.
type face struct {
	ks     []int32
	tone   []uint8
	height float32 // the middle one
}

// splitColours divides linked pixels where the colour changes. Evenly coloured faces come first; those that can be of one
// body are joined; what is too small for a face joins the one beside it, so that it makes no bridge between two bodies.
func (c *cloud) splitColours(ks []int32) [][]int32 {
	if c.f.Color == nil {
		return [][]int32{ks}
	}
	faces := c.faces(ks)
	if len(faces) < 2 {
		return [][]int32{ks}
	}
	w := c.window(ks)
	label := make([]int32, len(w.has)) // number of the face + 1
	for n := range faces {
		for _, k := range faces[n].ks {
			label[w.local(k)] = int32(n + 1)
		}
	}
	w.spread(label)
	bodies := c.joinFaces(w, label, faces)
	for l, n := range label {
		if n > 0 {
			label[l] = bodies.root(n-1) + 1
		}
	}
	return w.lists(label)
}

// faces are the evenly coloured pieces that are big enough.
func (c *cloud) faces(ks []int32) []face {
	var out []face
	total := c.area(ks)
	near, pix := c.near(), c.f.Color
	even := func(a, b int32) bool {
		if !near(a, b) {
			return false
		}
		pa, pb := c.pixel(int(a)), c.pixel(int(b))
		qa, qb := pix.Pix[pix.PixOffset(pa.X, pa.Y):], pix.Pix[pix.PixOffset(pb.X, pb.Y):]
		for ch := range 3 {
			d := int(qa[ch]) - int(qb[ch])
			if lim := 11 + int(max(qa[ch], qb[ch]))/12; d > lim || d < -lim {
				return false
			}
		}
		return true
	}
	for _, piece := range c.components(ks, even) {
		if !c.bigEnough(piece) || c.area(piece) < min(0.03*total, 80e-6) {
			continue
		}
		zs := c.heights(piece)
		out = append(out, face{ks: piece, tone: c.medianBytes(piece), height: float32(plane.Quantile(zs, 0.5))})
	}
	return out
}

// joinFaces groups faces that touch and can be of one body.
func (c *cloud) joinFaces(w *patchWork, label []int32, faces []face) forest {
	type pair struct{ a, b int32 }
	border := map[pair]int{}
	near := c.near()
	w.pairs(func(a, b int) {
		la, lb := label[a], label[b]
		if la != lb && la > 0 && lb > 0 && near(w.global(a), w.global(b)) {
			border[pair{min(la, lb), max(la, lb)}]++
		}
	})
	f := newForest(len(faces))
	tones := newTones()
	for p, n := range border {
		a, b := &faces[p.a-1], &faces[p.b-1]
		least := max(3, int(1.3*math.Sqrt(float64(min(len(a.ks), len(b.ks)))))) // corners that touch make no body
		step := a.height - b.height
		if tones.match(a.tone, b.tone, usualShine(), step) || n >= least && tones.match(a.tone, b.tone, anyShine(), step) {
			f.join(p.a-1, p.b-1)
		}
	}
	return f
}

// spread gives the pixels without a label that of the nearest labelled one.
func (p *patchWork) spread(label []int32) {
	var queue []int
	for l, n := range label {
		if n > 0 {
			queue = append(queue, l)
		}
	}
	for head := 0; head < len(queue); head++ {
		l := queue[head]
		i := l % p.w
		for n, d := range [...]int{-1, 1, -p.w, p.w} {
			m := l + d
			if m < 0 || m >= len(label) || n == 0 && i == 0 || n == 1 && i == p.w-1 || !p.has[m] || label[m] > 0 {
				continue
			}
			label[m] = label[l]
			queue = append(queue, m)
		}
	}
}

// lists are the pixels of each label, the longest list first.
func (p *patchWork) lists(label []int32) [][]int32 {
	lists := map[int32][]int32{}
	var order []int32
	for l, n := range label {
		if n == 0 {
			continue
		}
		if lists[n] == nil {
			order = append(order, n)
		}
		lists[n] = append(lists[n], p.global(l))
	}
	out := make([][]int32, 0, len(order))
	for _, n := range order {
		out = append(out, lists[n])
	}
	slices.SortStableFunc(out, func(a, b []int32) int { return len(b) - len(a) })
	return out
}

// add puts pixels into the set; those outside the window are left out.
func (p *patchWork) add(ks []int32) {
	for _, k := range ks {
		i, j := int(k)%p.c.w-p.i0, int(k)/p.c.w-p.j0
		if i >= 0 && j >= 0 && i < p.w && j < p.h {
			p.has[j*p.w+i] = true
		}
	}
}
