package detect

import "math"

// shine bounds what light does to one body: how much darker one of its faces may be than another, and how much white
// (linear, 0–1) a gloss adds.
type shine struct{ face, gloss float32 }

// usualShine is what an even light does, anyShine what shadow and gloss do.
func usualShine() shine { return shine{face: 0.27, gloss: 0.03} }
func anyShine() shine   { return shine{face: 0.14, gloss: 0.13} }

// tones turns sRGB bytes into linear light.
type tones struct {
	light [256]float32
	noise [256]float32 // two steps of the byte, as light
}

func newTones() *tones {
	t := &tones{}
	for i := range t.light {
		t.light[i] = float32(linearOf(float64(i) / 255))
	}
	for i := range t.noise {
		t.noise[i] = (t.light[min(i+3, 255)] - t.light[max(i-3, 0)]) / 3
	}
	return t
}

// same says whether two colours can be of one body under any light.
func (t *tones) same(pa, pb []uint8) bool { return t.match(pa, pb, anyShine(), math.MaxFloat32) }

// match says whether two pixels can be of one colour: light a = m·b + s with m what faces do and s a gloss. step is how
// much higher, metres, one lies than the other: on one level the light is alike, so there a big step in brightness means
// two colours too.
func (t *tones) match(pa, pb []uint8, l shine, step float32) bool {
	a := [3]float32{t.light[pa[0]], t.light[pa[1]], t.light[pa[2]]}
	b := [3]float32{t.light[pb[0]], t.light[pb[1]], t.light[pb[2]]}
	ma, mb := (a[0]+a[1]+a[2])/3, (b[0]+b[1]+b[2])/3
	if abs32(step) < 0.004 && (ma+0.02 > 4*(mb+0.02) || mb+0.02 > 4*(ma+0.02)) {
		return false
	}
	noise := max(t.noise[pa[0]], t.noise[pa[1]], t.noise[pa[2]]) + max(t.noise[pb[0]], t.noise[pb[1]], t.noise[pb[2]])
	for i := range 3 {
		a[i], b[i] = a[i]-ma, b[i]-mb
	}
	na, nb := a[0]*a[0]+a[1]*a[1]+a[2]*a[2], b[0]*b[0]+b[1]*b[1]+b[2]*b[2]
	if na > nb {
		a, b, na, nb, ma, mb = b, a, nb, na, mb, ma
	}
	tol := 1.8*noise + 0.012
	if nb < tol*tol {
		return ma < mb/l.face+l.gloss && mb < ma/l.face+l.gloss // both grey
	}
	m := max(l.face, (a[0]*b[0]+a[1]*b[1]+a[2]*b[2])/nb)
	var off float32
	for i := range 3 {
		d := a[i] - m*b[i]
		off += d * d
	}
	tol += 0.06 * float32(math.Sqrt(float64(na)))
	return off < tol*tol && abs32(ma-m*mb) < l.gloss+2*noise
}
