package film

import (
	"cmp"
	"image"
	"math"
	"slices"

	"github.com/rein-robotics/rein/sim/render"
)

// inks are the entries of the palette kept for text: from the paper to the ink.
const (
	inks      = 8
	firstInk  = untouched - inks
	cellBits  = 6 // of each channel; colours that fall into one cell share their entry
	cellShift = 8 - cellBits
)

var (
	paper = [3]uint8{24, 26, 30}
	ink   = [3]uint8{236, 238, 240}
)

// palette is the colours of a film, chosen from its first picture and from the colours of everything in the scene.
type palette struct {
	colors [768]byte
	n      int      // entries for pictures
	near   []uint16 // by cell: entry + 1, 0 = not looked for yet
}

// cell is a small cube of colours and how much it matters.
type cell struct {
	rgb    [3]float64
	weight float64
}

func newPalette(first *image.RGBA, s *render.Scene) *palette {
	p := &palette{near: make([]uint16, 1<<(3*cellBits))}
	boxes := cut(gather(first, s), firstInk)
	for i, b := range boxes {
		c := mean(b)
		for k := range c {
			p.colors[3*i+k] = uint8(math.Round(c[k]))
		}
	}
	p.n = len(boxes)
	for i := range inks {
		for k := range 3 {
			p.colors[3*(firstInk+i)+k] = uint8((int(paper[k])*(inks-1-i) + int(ink[k])*i) / (inks - 1))
		}
	}
	return p
}

// gather counts the colours of the picture and adds each geom's colour in lights from dim to bright.
func gather(img *image.RGBA, s *render.Scene) []cell {
	const steps, rampWeight = 12, 6
	sums := map[int]*cell{}
	add := func(c [3]float64, w float64) {
		key := cellOf(uint8(c[0]), uint8(c[1]), uint8(c[2]))
		at := sums[key]
		if at == nil {
			at = &cell{}
			sums[key] = at
		}
		for k := range c {
			at.rgb[k] += w * c[k]
		}
		at.weight += w
	}
	for i := 0; i+3 < len(img.Pix); i += 4 {
		add([3]float64{float64(img.Pix[i]), float64(img.Pix[i+1]), float64(img.Pix[i+2])}, 1)
	}
	seen := map[[4]float32]bool{}
	for i := range s.Geoms {
		c := s.Geoms[i].Color
		if seen[c] {
			continue
		}
		seen[c] = true
		for j := 1; j <= steps; j++ {
			f := 255 * (0.2 + 0.85*float64(j)/steps)
			add([3]float64{min(f*float64(c[0]), 255), min(f*float64(c[1]), 255), min(f*float64(c[2]), 255)}, rampWeight)
		}
	}
	cells := make([]cell, 0, len(sums))
	for _, at := range sums {
		for k := range at.rgb {
			at.rgb[k] /= at.weight
		}
		at.weight = math.Sqrt(at.weight) // small things matter, too
		cells = append(cells, *at)
	}
	slices.SortFunc(cells, func(a, b cell) int { return slices.Compare(a.rgb[:], b.rgb[:]) }) // no map order
	return cells
}

// cut splits the cells into at most n boxes, always the one with the widest spread of what matters (median cut).
func cut(cells []cell, n int) [][]cell {
	boxes := [][]cell{cells}
	for len(boxes) < n {
		worst, axis, most := -1, 0, 0.0
		for i, b := range boxes {
			if a, spread := widest(b); spread > most {
				worst, axis, most = i, a, spread
			}
		}
		if worst < 0 {
			break
		}
		b := boxes[worst]
		slices.SortStableFunc(b, func(x, y cell) int { return cmp.Compare(x.rgb[axis], y.rgb[axis]) })
		at := middle(b, mean(b)[axis], axis)
		boxes[worst] = b[:at]
		boxes = append(boxes, b[at:])
	}
	return boxes
}

// widest is the axis in which a box varies most, and how much: its weighted sum of squares.
func widest(b []cell) (axis int, spread float64) {
	m := mean(b)
	var sum [3]float64
	for i := range b {
		for k := range sum {
			d := b[i].rgb[k] - m[k]
			sum[k] += float64(b[i].weight * d * d)
		}
	}
	for k := range sum {
		if sum[k] > spread {
			axis, spread = k, sum[k]
		}
	}
	return axis, spread
}

// middle is where a sorted box is split: at the mean, with at least one cell on either side.
func middle(b []cell, at float64, axis int) int {
	i, _ := slices.BinarySearchFunc(b, at, func(c cell, t float64) int { return cmp.Compare(c.rgb[axis], t) })
	return min(max(i, 1), len(b)-1)
}

func mean(b []cell) (m [3]float64) {
	var w float64
	for i := range b {
		for k := range m {
			m[k] += float64(b[i].weight * b[i].rgb[k])
		}
		w += b[i].weight
	}
	for k := range m {
		m[k] /= w
	}
	return m
}

func cellOf(r, g, b uint8) int {
	return int(r>>cellShift)<<(2*cellBits) | int(g>>cellShift)<<cellBits | int(b>>cellShift)
}

// index is the entry nearest to a colour's cell.
func (p *palette) index(r, g, b uint8) uint8 {
	at := &p.near[cellOf(r, g, b)]
	if *at == 0 {
		*at = uint16(p.nearest(middleOf(r), middleOf(g), middleOf(b))) + 1
	}
	return uint8(*at - 1)
}

func middleOf(c uint8) int { return int(c>>cellShift<<cellShift) + 1<<(cellShift-1) }

func (p *palette) nearest(r, g, b int) int {
	best, least := 0, math.MaxInt
	for i := range p.n {
		dr, dg, db := int(p.colors[3*i])-r, int(p.colors[3*i+1])-g, int(p.colors[3*i+2])-b
		if d := 3*dr*dr + 6*dg*dg + 2*db*db; d < least { // as eyes weigh them
			best, least = i, d
		}
	}
	return best
}
