package render

import (
	"image"
	"math"
)

// paint is how one body takes light, in the body's own frame.
type paint struct {
	lamp, up    vec
	color, then rgb // the second colour of a texture
	gloss       float64
	face        [6]glow     // of a flat body's faces
	matte       bool        // flat, of one colour and without highlight
	bytes       [6][4]uint8 // colours of a matte body's faces in full light
}

// glow is the light that comes back from a surface, without highlight: from the sky, and from the lamp where nothing
// is in the way.
type glow struct{ sky, lamp rgb }

// shader turns hits into colours.
type shader struct {
	light  Light
	dir    vec // unit, towards the lamp, in the world
	lamp   rgb
	sky    rgb
	ground rgb
	paints []paint
	srgb   *srgbTable
	horiz  rgb
	zenith rgb
}

func (s *shader) prepare(sc *Scene, k *caster) {
	if s.srgb == nil {
		s.srgb = new(srgbTable)
		s.srgb.fill()
	}
	s.light = sc.Light
	if s.light == (Light{}) {
		s.light = Studio()
	}
	s.dir = unit(vec{X: s.light.Dir[0], Y: s.light.Dir[1], Z: s.light.Dir[2]})
	s.lamp, s.sky, s.ground = rgbOf(s.light.Lamp), rgbOf(s.light.Sky), rgbOf(s.light.Ground)
	bg := &sc.Background
	s.horiz = linearColor([4]float32{bg.Horizon[0], bg.Horizon[1], bg.Horizon[2]})
	s.zenith = linearColor([4]float32{bg.Zenith[0], bg.Zenith[1], bg.Zenith[2]})
	s.paints = s.paints[:0]
	for i := range k.bodies {
		s.paints = append(s.paints, s.paintOf(&k.bodies[i]))
	}
}

func (s *shader) paintOf(b *body) paint {
	p := paint{
		lamp:  b.rot.mulT(s.dir),
		up:    b.rot.mulT(vec{Z: 1}),
		color: linearColor(b.geom.Color),
		gloss: s.light.Gloss,
	}
	if t := b.geom.Texture; t != nil {
		p.then = linearColor(t.Color)
	}
	if b.shape == Plane {
		p.gloss = 0
	}
	if b.flat() {
		for f := range p.face {
			p.face[f] = s.glow(&p, b.normal(vec{}, int32(f)))
			u := surface{glow: p.face[f], color: p.color}
			s.put(p.bytes[f][:], p.shade(&u, vec{}, veil{1, 1}))
		}
		p.matte = p.gloss == 0 && b.square == 0
	}
	return p
}

// glow is what a white surface with this normal throws back.
func (s *shader) glow(p *paint, n vec) glow {
	up := 0.5 + float64(0.5*dot(n, p.up))
	lamp := max(dot(n, p.lamp), 0)
	return glow{sky: mix(up, s.sky, 1-up, s.ground), lamp: s.lamp.times(lamp)}
}

// surface is the point of a body that a ray met, in the body's frame.
type surface struct {
	at, normal vec
	color      rgb
	glow       glow
}

func (s *shader) surface(b *body, p *paint, h *hitPoint, d vec) surface {
	f := surface{at: along(b.eye, h.t, d), color: p.color}
	f.normal = b.normal(f.at, h.face)
	if b.flat() {
		f.glow = p.face[h.face&7]
		if b.square > 0 && h.face&second != 0 {
			f.color = p.then
		}
	} else {
		f.glow = s.glow(p, f.normal)
	}
	return f
}

// veil is the share of the sky and of the lamp that a surface sees.
type veil struct{ open, lit float64 }

// shade is the light that comes back along d.
func (p *paint) shade(f *surface, d vec, v veil) rgb {
	shine := 0.0
	if p.gloss > 0 && v.lit > 0 {
		shine = float64(float64(p.gloss*v.lit) * highlight(f.normal, p.lamp, d))
	}
	c := f.color
	g := mix(v.open, f.glow.sky, v.lit, f.glow.lamp)
	return rgb{float64(c.r*g.r) + shine, float64(c.g*g.g) + shine, float64(c.b*g.b) + shine}
}

// highlight is Blinn's, with exponent 32.
func highlight(n, lamp, d vec) float64 {
	if dot(n, lamp) <= 0 {
		return 0
	}
	h := along(lamp, -1/math.Sqrt(dot(d, d)), d)
	nh := dot(n, h)
	if nh <= 0 {
		return 0
	}
	c := float64(nh*nh) / dot(h, h)
	if c < 0.75 {
		return 0
	}
	c *= c
	c *= c
	c *= c
	return c * c
}

// background is the light of a ray that met nothing; d is in the world.
func (s *shader) background(d vec) rgb {
	if s.horiz == s.zenith {
		return s.horiz
	}
	e := max(d.Z, 0) / math.Sqrt(dot(d, d))
	return mix(1-e, s.horiz, e, s.zenith)
}

func (s *shader) put(px []uint8, c rgb) {
	px[0], px[1], px[2], px[3] = s.srgb.at(c.r), s.srgb.at(c.g), s.srgb.at(c.b), 255
}

// plain draws the region without shadows and with one ray a pixel.
func (s *shader) plain(img *image.RGBA, k *caster) {
	for y := k.region.Min.Y; y < k.region.Max.Y; y++ {
		row := k.regionRow(y)
		us := k.u[k.region.Min.X-k.seen.Min.X:]
		v := k.v[y-k.seen.Min.Y]
		pix := img.Pix[img.PixOffset(k.region.Min.X, y):]
		for x := range row {
			if h := &row[x]; h.body >= 0 && s.paints[h.body].matte {
				copy(pix[4*x:4*x+4], s.paints[h.body].bytes[h.face][:])
				continue
			}
			s.put(pix[4*x:4*x+4], s.pixel(k, &row[x], us[x], v))
		}
	}
}

// pixel is the light of one hit when nothing is in the way of lamp and sky.
func (s *shader) pixel(k *caster, h *hitPoint, u, v float64) rgb {
	if h.body < 0 {
		return s.background(along(along(k.rot.z, v, k.rot.y), u, k.rot.x))
	}
	b, p := &k.bodies[h.body], &s.paints[h.body]
	d := b.ray(u, v)
	f := s.surface(b, p, h, d)
	return p.shade(&f, d, veil{1, 1})
}
