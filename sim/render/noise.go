package render

import (
	"image"
	"math"

	"github.com/rein-robotics/rein/robot"
)

// Noise is what a sensor adds. The same seed, sequence and pixel give the same noise, in a region as in the whole
// picture; another seed or sequence gives another.
type Noise struct {
	Seed   uint64  // of the run and the camera
	Seq    uint64  // of the frame
	Color  float64 // σ in steps of 1/255 of the sRGB value
	DepthM float64 // σ in metres
	Flying bool    // at a step in depth, half of the pixels on both sides lie anywhere between near and far
}

// Sensor is the noise of the embedded cameras: colour 2/255, depth 1 mm, one pixel of flying edges.
func Sensor(seed, seq uint64) *Noise {
	return &Noise{Seed: seed, Seq: seq, Color: 2, DepthM: 0.001, Flying: true}
}

// normals is the normal distribution at its 4096 equally likely places.
type normals [4096]float64

// fill rounds, so that the last bits of the library's functions do not matter.
func (t *normals) fill() {
	for i := range t {
		p := (float64(i) + 0.5) / float64(len(t))
		t[i] = math.Round(math.Erfinv(float64(2*p)-1)*(math.Sqrt2*4096)) / 4096
	}
}

// mixed is a hash whose every bit depends on every bit of x (splitmix64).
func mixed(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func (n *Noise) apply(img *image.RGBA, d *robot.Depth, k *caster, table *normals) {
	key := mixed(mixed(n.Seed) + n.Seq)
	r := k.region
	for y := r.Min.Y; y < r.Max.Y; y++ {
		pix := img.Pix[img.PixOffset(r.Min.X, y):][:4*r.Dx()]
		from := k.index(r.Min.X, y)
		out := d.Pix[(y-r.Min.Y)*r.Dx():][:r.Dx()]
		for x := range out {
			at := key + uint64(y)<<32 + uint64(r.Min.X+x)
			h := mixed(at)
			px := pix[4*x : 4*x+3]
			px[0] = shifted(px[0], float64(n.Color*table[h&4095]))
			px[1] = shifted(px[1], float64(n.Color*table[h>>12&4095]))
			px[2] = shifted(px[2], float64(n.Color*table[h>>24&4095]))
			if out[x] == 0 {
				continue
			}
			t := float64(out[x])
			if n.Flying && k.bends(from+x) {
				t = k.flying(from+x, t, mixed(^at))
			}
			out[x] = float32(max(t+float64(n.DepthM*table[h>>36&4095]), 0))
		}
	}
}

func shifted(c uint8, by float64) uint8 {
	return uint8(min(max(int(float64(c)+by+256.5)-256, 0), 255))
}

// stepM is the bend in depth, in metres a pixel, that counts as an edge.
const stepM = 0.005

// bends says, in a hurry, whether there may be an edge at hit i.
func (k *caster) bends(i int) bool {
	w := k.seen.Dx()
	if i < w || i+w >= len(k.hits) {
		return true
	}
	t := 2 * k.hits[i].t
	return math.Abs(k.hits[i-1].t-t+k.hits[i+1].t) >= stepM || math.Abs(k.hits[i-w].t-t+k.hits[i+w].t) >= stepM
}

// flying is the depth of hit i as a sensor sees it that mixes what lies on both sides of an edge.
func (k *caster) flying(i int, t float64, h uint64) float64 {
	w := k.seen.Dx()
	x := i % w
	other, most := t, stepM
	bend := func(a, b float64) {
		if a == miss || b == miss || math.Abs(a-float64(2*t)+b) < most {
			return
		}
		most = math.Abs(a - float64(2*t) + b)
		other = a
		if math.Abs(b-t) > math.Abs(a-t) {
			other = b
		}
	}
	if x > 0 && x+1 < w {
		bend(k.hits[i-1].t, k.hits[i+1].t)
	}
	if i >= w && i+w < len(k.hits) {
		bend(k.hits[i-w].t, k.hits[i+w].t)
	}
	if other == t || h&1 == 0 {
		return t
	}
	share := float64(h>>11) / (1 << 53)
	return t + float64(share*(other-t))
}
