package ground

import (
	"math"
	"slices"

	"github.com/rein-robotics/rein/geom"
)

const (
	rays      = 48
	rayLength = 0.19  // metres from the point to the far wall of a container
	wallStep  = 0.010 // metres that a rim stands over what is inside, at least
	rimSpread = 0.014 // metres between the lowest and the highest part of one rim
	wallShare = 0.7   // of all directions must meet the rim
)

// Basin is the inside of a container: a star around the point it was found from.
type Basin struct {
	Centre geom.Vec // the point it was found from
	Floor  float64  // what was seen at the point, metres
	Rim    float64  // the highest point of the rim around it, metres

	free [rays]float64 // metres from Centre to the rim in each direction
}

// Basin looks for a container around p: higher ground in nearly every direction.
func (m *Map) Basin(p geom.Vec) (Basin, bool) {
	b := Basin{Centre: geom.Vec{X: p.X, Y: p.Y}, Floor: Quantile(m.Around(p, 0.016), 0.35)}
	if math.IsNaN(b.Floor) {
		return b, false
	}
	rim, ok := m.rim(b)
	if !ok {
		return b, false
	}
	met, high := 0, 0.0
	for i := range b.free {
		b.free[i] = math.NaN()
		for d := cell / 2; d <= rayLength; d += cell / 2 {
			if h, seen := m.at(b.out(i, d)); seen && h > rim-rimSpread/2 {
				b.free[i] = d
				met++
				break
			}
		}
		if !math.IsNaN(b.free[i]) {
			high = math.Max(high, m.crest(b, i, rim))
		}
	}
	if float64(met) < wallShare*rays {
		return b, false
	}
	b.Rim = high
	b.fill()
	return b, true
}

// rim is the usual height of what stands around the basin's centre.
func (m *Map) rim(b Basin) (float64, bool) {
	var tops []float64
	for i := range rays {
		best := math.Inf(-1)
		for d := cell; d <= rayLength; d += cell / 2 {
			h, seen := m.at(b.out(i, d))
			if !seen {
				continue
			}
			if h > best {
				best = h
			}
			if best > b.Floor+wallStep && h < best-wallStep {
				if best > b.Floor+3*wallStep {
					break // over a wall and down again: what lies outside is not the container
				}
			}
		}
		if best > b.Floor+wallStep {
			tops = append(tops, best)
		}
	}
	if float64(len(tops)) < wallShare*rays {
		return 0, false
	}
	slices.Sort(tops)
	return Quantile(tops, 0.5), true
}

// crest is the highest point of the rim where ray i meets it.
func (m *Map) crest(b Basin, i int, rim float64) float64 {
	high := 0.0
	for d := b.free[i]; d <= b.free[i]+0.012; d += cell / 2 {
		if h, seen := m.at(b.out(i, d)); seen && h < rim+rimSpread {
			high = math.Max(high, h)
		}
	}
	return high
}

// fill gives the directions in which no rim was seen the distance of their nearest neighbours that have one.
func (b *Basin) fill() {
	found := b.free
	for i := range b.free {
		if !math.IsNaN(b.free[i]) {
			continue
		}
		for n := 1; n < rays; n++ {
			l, r := found[(i+n)%rays], found[(i-n+rays)%rays]
			if !math.IsNaN(l) || !math.IsNaN(r) {
				b.free[i] = math.Min(orFar(l), orFar(r))
				break
			}
		}
	}
}

func orFar(d float64) float64 {
	if math.IsNaN(d) {
		return math.Inf(1)
	}
	return d
}

func (b *Basin) out(i int, d float64) geom.Vec {
	s, c := math.Sincos(2 * math.Pi * float64(i) / rays)
	return geom.Vec{X: b.Centre.X + d*c, Y: b.Centre.Y + d*s}
}

// Inside is how far p lies inside the rim, metres along the ray from the centre; negative outside.
func (b *Basin) Inside(p geom.Vec) float64 {
	x, y := p.X-b.Centre.X, p.Y-b.Centre.Y
	d := math.Hypot(x, y)
	at := math.Atan2(y, x) / (2 * math.Pi) * rays
	if at < 0 {
		at += rays
	}
	i := int(at) % rays
	share := at - math.Floor(at)
	return b.free[i]*(1-share) + b.free[(i+1)%rays]*share - d
}

// Clearance is the least distance between a rectangle and the rim; negative when it does not fit.
func (b *Basin) Clearance(r Box) float64 {
	least := math.Inf(1)
	for _, u := range []float64{-1, -0.5, 0, 0.5, 1} {
		for _, v := range []float64{-1, 0, 1} {
			p := r.Corner(u*r.HalfX, v*r.HalfY)
			for i := range rays {
				wall := b.out(i, b.free[i])
				if d := math.Hypot(wall.X-p.X, wall.Y-p.Y); d < least {
					least = d
				}
			}
			if in := b.Inside(p); in < 0 {
				least = math.Min(least, in)
			}
		}
	}
	return least
}
