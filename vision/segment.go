package vision

import (
	"image"
	"slices"
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

// near links pixels that lie close to each other in the table plane.
func (c *cloud) near() link {
	fx := float32(c.f.Intrinsics.Fx)
	cam := c.f.Pose.Pos
	cz := float32(cam.Z)
	return func(a, b int32) bool {
		dx, dy := c.x[a]-c.x[b], c.y[a]-c.y[b]
		gap := max(0.0045, 2.4*(cz-min(c.z[a], c.z[b]))/fx)
		return dx*dx+dy*dy < gap*gap
	}
}

// components are the sets of linked pixels among those of set, each in ascending order, the largest first.
func (c *cloud) components(set []bool, linked link) [][]int32 {
	f := newForest(len(set))
	for j := range c.h {
		for i := range c.w {
			k := int32(j*c.w + i)
			if !set[k] {
				continue
			}
			c.joinEarlier(f, set, k, linked)
		}
	}
	return gather(f, set)
}

// joinEarlier links pixel k with its neighbours to the left and above.
func (c *cloud) joinEarlier(f forest, set []bool, k int32, linked link) {
	w := int32(c.w)
	i := k % w
	if i > 0 && set[k-1] && linked(k-1, k) {
		f.join(k-1, k)
	}
	if k < w {
		return
	}
	if set[k-w] && linked(k-w, k) {
		f.join(k-w, k)
	}
	if i > 0 && set[k-w-1] && linked(k-w-1, k) {
		f.join(k-w-1, k)
	}
	if i < w-1 && set[k-w+1] && linked(k-w+1, k) {
		f.join(k-w+1, k)
	}
}

// gather lists the trees of a forest, the largest first, those of a size by their first pixel.
func gather(f forest, set []bool) [][]int32 {
	size := make([]int32, len(set))
	for k := range set {
		if set[k] {
			size[f.root(int32(k))]++
		}
	}
	var out [][]int32
	place := size // reused: number of the list + 1, negative
	for k := range set {
		if !set[k] {
			continue
		}
		r := f.root(int32(k))
		if place[r] > 0 {
			out = append(out, make([]int32, 0, place[r]))
			place[r] = -int32(len(out))
		}
		n := -place[r] - 1
		out[n] = append(out[n], int32(k))
	}
	slices.SortStableFunc(out, func(a, b []int32) int { return len(b) - len(a) })
	return out
}

// area is how much of the table a set of pixels would cover if it were seen from straight above, in m².
func (c *cloud) area(ks []int32) float64 {
	cz, fx := c.f.Pose.Pos.Z, c.f.Intrinsics.Fx
	a := 0.0
	for _, k := range ks {
		s := (cz - float64(c.z[k])) / fx
		a += s * s
	}
	return a
}

// bigEnough says whether a set of pixels can be a thing: 40 mm² and five pixels.
func (c *cloud) bigEnough(ks []int32) bool { return len(ks) >= 5 && c.area(ks) >= 40e-6 }

// sameColour links pixels that are near each other and can be one body's colour under more or less light.
func (c *cloud) sameColour() link {
	near, pix, cols := c.near(), c.f.Color, c.w
	x0, y0 := c.rect.Min.X, c.rect.Min.Y
	tone := newTones()
	return func(a, b int32) bool {
		if !near(a, b) {
			return false
		}
		pa := pix.Pix[pix.PixOffset(x0+int(a)%cols, y0+int(a)/cols):]
		pb := pix.Pix[pix.PixOffset(x0+int(b)%cols, y0+int(b)/cols):]
		return tone.same(pa, pb, abs32(c.z[a]-c.z[b]) < 0.004)
	}
}

// maskOf is the set of pixels as a mask.
func (c *cloud) maskOf(ks []int32) *Mask {
	var r image.Rectangle
	for _, k := range ks {
		p := c.pixel(int(k))
		r = r.Union(image.Rectangle{Min: p, Max: p.Add(image.Pt(1, 1))})
	}
	m := &Mask{Rect: r, Bits: make([]bool, r.Dx()*r.Dy())}
	for _, k := range ks {
		p := c.pixel(int(k))
		m.Bits[(p.Y-r.Min.Y)*r.Dx()+p.X-r.Min.X] = true
	}
	return m
}

// pixelsOf is the pixels of a mask that the cloud has.
func (c *cloud) pixelsOf(m *Mask) []int32 {
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
