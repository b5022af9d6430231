package detect

import (
	"image"
	"slices"

	"github.com/rein-robotics/rein/vision"
)

// forest is a union-find over pixels.
type forest []int32

func newForest(n int) forest {
	f := make(forest, n)
	for i := range f {
		f[i] = int32(i)
	}
	return f
}

func (f forest) root(i int32) int32 {
	for f[i] != i {
		f[i] = f[f[i]]
		i = f[i]
	}
	return i
}

func (f forest) join(a, b int32) {
	ra, rb := f.root(a), f.root(b)
	if ra < rb {
		f[rb] = ra
	} else {
		f[ra] = rb
	}
}

// link says whether two neighbouring pixels belong together.
type link func(a, b int32) bool

// near links pixels that lie close to each other in the table plane: within 4.5 mm, or two pixels where those are wide.
func (c *cloud) near() link {
	fx, cz := float32(c.f.Intrinsics.Fx), float32(c.f.Pose.Pos.Z)
	return func(a, b int32) bool {
		dx, dy := c.x[a]-c.x[b], c.y[a]-c.y[b]
		r := dx*dx + dy*dy
		if r < 0.0045*0.0045 {
			return true
		}
		d := c.d[a]
		gap := 2.1 * d * d / (fx * max(0.05, cz-c.z[a]))
		return r < gap*gap
	}
}

// patchWork is a window of the cloud that holds a set of pixels, for work on their neighbourhoods.
type patchWork struct {
	c          *cloud
	i0, j0     int
	w, h       int
	has        []bool
	neighbours [4]int // earlier pixels: left, above, above left, above right
}

// window makes the window of a set of pixels.
func (c *cloud) window(ks []int32) *patchWork {
	p := &patchWork{c: c, i0: c.w, j0: c.h}
	i1, j1 := 0, 0
	for _, k := range ks {
		i, j := int(k)%c.w, int(k)/c.w
		p.i0, p.j0, i1, j1 = min(p.i0, i), min(p.j0, j), max(i1, i), max(j1, j)
	}
	p.w, p.h = max(0, i1-p.i0+1), max(0, j1-p.j0+1)
	p.neighbours = [4]int{-1, -p.w, -p.w - 1, -p.w + 1}
	p.has = make([]bool, p.w*p.h)
	for _, k := range ks {
		p.has[p.local(k)] = true
	}
	return p
}

// local is a pixel's index in the window, global the way back.
func (p *patchWork) local(k int32) int { return (int(k)/p.c.w-p.j0)*p.w + int(k)%p.c.w - p.i0 }

func (p *patchWork) global(l int) int32 {
	return int32((l/p.w+p.j0)*p.c.w + l%p.w + p.i0)
}

// pairs calls visit for each two neighbouring pixels (of eight) of the set, as local indices, and for two with one flying
// pixel between them: a thin rim is seen as such.
func (p *patchWork) pairs(visit func(a, b int)) {
	for l, has := range p.has {
		if !has {
			continue
		}
		i := l % p.w
		for n, d := range p.neighbours {
			m := l + d
			left, right := n == 0 || n == 2, n == 3
			if m < 0 || left && i < 1 || right && i > p.w-2 {
				continue
			}
			if p.has[m] {
				visit(m, l)
				continue
			}
			if q := m + d; q >= 0 && p.has[q] && !(left && i < 2) && !(right && i > p.w-3) && p.c.state[p.global(m)] == pixelFlying {
				visit(q, l)
			}
		}
	}
}

// components are the sets of linked pixels among ks, each in ascending order, the largest first.
func (c *cloud) components(ks []int32, linked link) [][]int32 {
	p := c.window(ks)
	f := newForest(len(p.has))
	p.pairs(func(a, b int) {
		if linked(p.global(a), p.global(b)) {
			f.join(int32(a), int32(b))
		}
	})
	return p.gather(f)
}

// gather lists the trees of a forest, the largest first, those of a size by their first pixel.
func (p *patchWork) gather(f forest) [][]int32 {
	place := make([]int32, len(p.has)) // of a root: size of its tree, then the number of its list + 1, negative
	for l, has := range p.has {
		if has {
			place[f.root(int32(l))]++
		}
	}
	var out [][]int32
	for l, has := range p.has {
		if !has {
			continue
		}
		r := f.root(int32(l))
		if place[r] > 0 {
			out = append(out, make([]int32, 0, place[r]))
			place[r] = -int32(len(out))
		}
		n := -place[r] - 1
		out[n] = append(out[n], p.global(l))
	}
	slices.SortStableFunc(out, func(a, b []int32) int { return len(b) - len(a) })
	return out
}

// area is how much of a level plane a set of pixels would cover, in m².
func (c *cloud) area(ks []int32) float64 {
	cz := c.f.Pose.Pos.Z
	a := 0.0
	for _, k := range ks {
		d := float64(c.d[k])
		a += d * d * d / max(0.05, cz-float64(c.z[k]))
	}
	return a / (c.f.Intrinsics.Fx * c.f.Intrinsics.Fy)
}

// bigEnough says whether a set of pixels can be a thing: 40 mm² and five pixels.
func (c *cloud) bigEnough(ks []int32) bool { return len(ks) >= 5 && c.area(ks) >= 40e-6 }

// maskOf is the set of pixels as a mask.
func (c *cloud) maskOf(ks []int32) *vision.Mask {
	var r image.Rectangle
	for _, k := range ks {
		p := c.pixel(int(k))
		r = r.Union(image.Rectangle{Min: p, Max: p.Add(image.Pt(1, 1))})
	}
	m := &vision.Mask{Rect: r, Bits: make([]bool, r.Dx()*r.Dy())}
	for _, k := range ks {
		p := c.pixel(int(k))
		m.Bits[(p.Y-r.Min.Y)*r.Dx()+p.X-r.Min.X] = true
	}
	return m
}

// pixelsOf is the pixels of a mask that the cloud has.
func (c *cloud) pixelsOf(m *vision.Mask) []int32 {
	var ks []int32
	r := m.Rect.Intersect(c.rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if m.At(x, y) {
				ks = append(ks, int32((y-c.rect.Min.Y)*c.w+x-c.rect.Min.X))
			}
		}
	}
	return ks
}
