package detect

import (
	"image"
	"math"
	"slices"
)

// tableGrey is the sRGB value (0–1) of the matte grey that the table is taken to have, to judge how bright the light is.
const tableGrey = 0.58

// rgbF is a colour as people write it: sRGB, 0–1.
type rgbF [3]float64

// colourRange is where a colour's word may be used: hue in degrees (from may exceed to, across 0), saturation and value.
// The sure part is where it is the first word that comes to mind.
type colourRange struct {
	name       string
	hue        [2]float64
	sat, value [2]float64
}

// sureColours is a division of all colours: exactly the first match is a colour's name. The value is at normal light.
func sureColours() []colourRange {
	return []colourRange{
		{"black", [2]float64{0, 360}, [2]float64{0, 1}, [2]float64{0, 0.17}},
		{"black", [2]float64{0, 360}, [2]float64{0, 0.18}, [2]float64{0, 0.42}},
		{"white", [2]float64{0, 360}, [2]float64{0, 0.15}, [2]float64{0.79, 9}},
		{"grey", [2]float64{0, 360}, [2]float64{0, 0.15}, [2]float64{0, 0.79}},
		{"pink", [2]float64{285, 20}, [2]float64{0, 0.52}, [2]float64{0.65, 9}},
		{"pink", [2]float64{305, 343}, [2]float64{0, 1}, [2]float64{0.55, 9}},
		{"red", [2]float64{343, 15}, [2]float64{0.5, 1}, [2]float64{0, 9}},
		{"brown", [2]float64{343, 48}, [2]float64{0, 1}, [2]float64{0, 0.64}},
		{"brown", [2]float64{15, 45}, [2]float64{0, 0.56}, [2]float64{0, 0.85}},
		{"red", [2]float64{343, 15}, [2]float64{0, 1}, [2]float64{0, 9}},
		{"orange", [2]float64{15, 42}, [2]float64{0, 1}, [2]float64{0, 9}},
		{"yellow", [2]float64{42, 68}, [2]float64{0, 1}, [2]float64{0, 9}},
		{"green", [2]float64{68, 172}, [2]float64{0, 1}, [2]float64{0, 9}},
		{"blue", [2]float64{172, 256}, [2]float64{0, 1}, [2]float64{0, 9}},
		{"purple", [2]float64{256, 343}, [2]float64{0, 1}, [2]float64{0, 9}},
	}
}

// wideColours says where else a colour's word is understood.
func wideColours() []colourRange {
	return []colourRange{
		{"red", [2]float64{338, 20}, [2]float64{0.42, 1}, [2]float64{0.3, 9}},
		{"orange", [2]float64{12, 48}, [2]float64{0.45, 1}, [2]float64{0.55, 9}},
		{"yellow", [2]float64{36, 75}, [2]float64{0.3, 1}, [2]float64{0.55, 9}},
		{"green", [2]float64{62, 182}, [2]float64{0.17, 1}, [2]float64{0.15, 9}},
		{"blue", [2]float64{165, 264}, [2]float64{0.17, 1}, [2]float64{0.17, 9}},
		{"purple", [2]float64{248, 345}, [2]float64{0.17, 1}, [2]float64{0.17, 9}},
		{"pink", [2]float64{295, 15}, [2]float64{0.18, 0.75}, [2]float64{0.55, 9}},
		{"brown", [2]float64{343, 48}, [2]float64{0.28, 1}, [2]float64{0.15, 0.78}},
		{"black", [2]float64{0, 360}, [2]float64{0, 0.30}, [2]float64{0, 0.46}},
		{"white", [2]float64{0, 360}, [2]float64{0, 0.2}, [2]float64{0.74, 9}},
		{"grey", [2]float64{0, 360}, [2]float64{0, 0.2}, [2]float64{0.36, 0.86}},
	}
}

// holds says whether the range covers a colour.
func (r colourRange) holds(h, s, v float64) bool {
	in := h >= r.hue[0] && h <= r.hue[1]
	if r.hue[0] > r.hue[1] {
		in = h >= r.hue[0] || h <= r.hue[1]
	}
	return in && s >= r.sat[0] && s <= r.sat[1] && v >= r.value[0] && v <= r.value[1]
}

// colourNames is the word for a colour and then the other words that are understood for it.
func colourNames(c rgbF) []string {
	h, s, v := hsv(c)
	var names []string
	for _, r := range sureColours() {
		if r.holds(h, s, v) {
			names = append(names, r.name)
			break
		}
	}
	for _, r := range wideColours() {
		if r.holds(h, s, v) && !slices.Contains(names, r.name) {
			names = append(names, r.name)
		}
	}
	return names
}

// hsv is hue in degrees, saturation and value.
func hsv(c rgbF) (h, s, v float64) {
	v = max(c[0], c[1], c[2])
	d := v - min(c[0], c[1], c[2])
	if v <= 0 || d <= 0 {
		return 0, 0, v
	}
	switch v {
	case c[0]:
		h = math.Mod((c[1]-c[2])/d+6, 6)
	case c[1]:
		h = (c[2]-c[0])/d + 2
	default:
		h = (c[0]-c[1])/d + 4
	}
	return h * 60, d / v, v
}

// linearOf and srgbOf change between values as written and light.
func linearOf(s float64) float64 {
	if s <= 0.04045 {
		return s / 12.92
	}
	return math.Pow((s+0.055)/1.055, 2.4)
}

func srgbOf(l float64) float64 {
	if l <= 0.0031308 {
		return l * 12.92
	}
	return 1.055*math.Pow(l, 1/2.4) - 0.055
}

// medianColour is the colour of the pixels ks as it would be in normal light. gain is that of lightGain.
func medianColour(img *image.RGBA, c *cloud, ks []int32, gain float64) rgbF {
	var out rgbF
	for ch := range 3 {
		var hist [256]int
		for _, k := range ks {
			p := c.pixel(int(k))
			hist[img.Pix[img.PixOffset(p.X, p.Y)+ch]]++
		}
		out[ch] = srgbOf(linearOf(histMedian(&hist, len(ks))/255) * gain)
	}
	return out
}

// medianBytes is the median colour of pixels as it is in the picture.
func (c *cloud) medianBytes(ks []int32) []uint8 {
	out := make([]uint8, 4)
	for ch := range 3 {
		var hist [256]int
		for _, k := range ks {
			p := c.pixel(int(k))
			hist[c.f.Color.Pix[c.f.Color.PixOffset(p.X, p.Y)+ch]]++
		}
		out[ch] = uint8(min(max(histMedian(&hist, len(ks)), 0), 255))
	}
	return out
}

// histMedian is the middle of n bytes counted in hist, with the share of the middle bin.
func histMedian(hist *[256]int, n int) float64 {
	seen := 0
	for v, m := range hist {
		if m > 0 && 2*(seen+m) >= n {
			return float64(v) - 0.5 + (float64(n)/2-float64(seen))/float64(m)
		}
		seen += m
	}
	return 0
}

// lightGain is what light must be multiplied by so that the table looks its normal grey. It corrects the light within a
// factor of two; beyond, the table is of another colour.
func lightGain(c *cloud) float64 {
	var hist [256]int
	n := 0
	for k := 0; k < len(c.z); k += 7 {
		if c.state[k] != pixelSeen || abs32(c.z[k]) > 0.003 {
			continue
		}
		p := c.pixel(k)
		o := c.f.Color.PixOffset(p.X, p.Y)
		pix := c.f.Color.Pix[o : o+3]
		hist[(int(pix[0])+int(pix[1])+int(pix[2]))/3]++
		n++
	}
	if n < 20 {
		return 1
	}
	g := linearOf(tableGrey) / max(0.01, linearOf(histMedian(&hist, n)/255))
	if g > 2 || g < 0.5 {
		return 1
	}
	return g
}
