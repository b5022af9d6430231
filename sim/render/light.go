package render

import "math"

// Light is what falls on the scene: one far lamp and a sky. Strengths are linear; a surface that faces up and gets
// 1 in all shows its colour as it is written.
type Light struct {
	Dir    [3]float64 // towards the lamp, in the world
	Lamp   [3]float64 // of a surface that faces the lamp
	Sky    [3]float64 // from above
	Ground [3]float64 // what the table throws back, from below
	Spread float64    // the lamp's radius over its distance, at most 0.5: it makes shadows soft
	Gloss  float64    // strength of highlights on bodies; planes are matte
}

// Studio is a big lamp above the far left of the table and a bright room.
func Studio() Light {
	return Light{
		Dir:    [3]float64{0.40, 0.30, 0.87},
		Lamp:   [3]float64{0.62, 0.61, 0.58},
		Sky:    [3]float64{0.46, 0.47, 0.49},
		Ground: [3]float64{0.30, 0.30, 0.30},
		Spread: 0.07,
		Gloss:  0.10,
	}
}

// Room is the background that goes with Studio: light grey walls.
func Room() Background {
	return Background{Zenith: [3]float32{0.80, 0.84, 0.90}, Horizon: [3]float32{0.62, 0.64, 0.67}}
}

// Scaled is the same light f times as strong.
func (l Light) Scaled(f float64) Light {
	for i := range 3 {
		l.Lamp[i] *= f
		l.Sky[i] *= f
		l.Ground[i] *= f
	}
	l.Gloss *= f
	return l
}

// rgb is linear light.
type rgb struct{ r, g, b float64 }

func rgbOf(c [3]float64) rgb { return rgb{c[0], c[1], c[2]} }

func (c rgb) times(f float64) rgb { return rgb{c.r * f, c.g * f, c.b * f} }

func (c rgb) plus(d rgb) rgb { return rgb{c.r + d.r, c.g + d.g, c.b + d.b} }

// mix is a·c + b·d.
func mix(a float64, c rgb, b float64, d rgb) rgb {
	return rgb{
		float64(a*c.r) + float64(b*d.r),
		float64(a*c.g) + float64(b*d.g),
		float64(a*c.b) + float64(b*d.b),
	}
}

// lut turns linear light, in steps of 1/lutMax, into sRGB bytes.
const lutMax = 8191

type srgbTable [lutMax + 1]uint8

// fill computes the table by exact thresholds: byte n begins where the light of n-½ lies.
func (t *srgbTable) fill() {
	i := 0
	for n := range 256 {
		end := lutMax + 1.0
		if n < 255 {
			end = linear((float64(n)+0.5)/255) * lutMax
		}
		for ; i <= lutMax && float64(i) < end; i++ {
			t[i] = uint8(n)
		}
	}
}

func (t *srgbTable) at(x float64) uint8 {
	switch {
	case x >= 1:
		return 255
	case !(x > 0):
		return 0
	}
	return t[int(float64(x*lutMax)+0.5)]
}

// linear is the light of an sRGB value 0–1. It uses no library power, whose last bit differs between processors.
func linear(s float64) float64 {
	s = min(max(s, 0), 1)
	if s <= 0.04045 {
		return s / 12.92
	}
	x := (s + 0.055) / 1.055
	return float64(x*x) * fifthRoot(float64(x*x))
}

// fifthRoot is x^(1/5) for 0 < x ≤ 1, by Newton's method.
func fifthRoot(x float64) float64 {
	r := math.Sqrt(math.Sqrt(x))
	for range 30 {
		r4 := float64(r*r) * float64(r*r)
		r = (float64(4*r) + x/r4) / 5
	}
	return r
}

func linearColor(c [4]float32) rgb {
	return rgb{linear(float64(c[0])), linear(float64(c[1])), linear(float64(c[2]))}
}
