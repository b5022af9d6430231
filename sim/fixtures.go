package sim

import (
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/sim/render"
)

// drawerOuter is the outside of a drawer's case.
func drawerOuter(in *[3]float64, w float64) geom.Vec {
	return geom.Vec{X: in[0] + 4*w + drawerPlay, Y: in[1] + 4*w + drawerPlay, Z: in[2] + 4*w + drawerPlay}
}

// handleReach is how far the middle of a closed drawer's handle lies before the middle of its case.
func handleReach(o *Object) float64 {
	return drawerOuter(o.InnerM, *o.WallM).X/2 + handleGap + handleThick/2
}

// drawer is a case, open towards −x, with a tray that slides out of it.
func (b *builder) drawer() {
	in, w, travel := b.o.InnerM, *b.o.WallM, *b.o.TravelM
	out := drawerOuter(in, w)
	b.root(
		b.solid(boxPrim(at(0, 0, -out.Z/2+w/2), out.X, out.Y, w)),
		b.solid(boxPrim(at(0, 0, out.Z/2-w/2), out.X, out.Y, w)),
		b.solid(boxPrim(at(out.X/2-w/2, 0, 0), w, out.Y, out.Z-2*w)),
		b.solid(boxPrim(at(-w/2, out.Y/2-w/2, 0), out.X-w, w, out.Z-2*w)),
		b.solid(boxPrim(at(-w/2, -out.Y/2+w/2, 0), out.X-w, w, out.Z-2*w)),
	)
	tray := body{parent: 0, parts: b.tray(in, w, geom.Vec{})}
	tray.at = at(-out.X/2+w+in[0]/2, 0, -out.Z/2+w+drawerPlay/4+(in[2]+w)/2)
	tray.joint = joint{kind: jointSlide, axis: geom.Vec{X: -1}, upper: travel, damping: 3, frictionLoss: 0.5}
	z := handleZ - (out.Z/2 + tray.at.Pos.Z) // in the tray's frame
	z = min(z, (in[2]+w)/2-handleThick/2)
	bar := -in[0]/2 - w - handleGap - handleThick/2
	const post = 0.006
	tray.parts = append(tray.parts, b.handle(boxPrim(at(bar, 0, z), handleThick, handleLength, handleThick)))
	for _, side := range [2]float64{-1, 1} {
		y := side * (handleLength - post) / 2
		tray.parts = append(tray.parts, b.handle(boxPrim(at(bar+(handleThick+handleGap)/2, y, z), handleGap, post, handleThick)))
	}
	b.bodies = append(b.bodies, tray)
	b.thing.moving = 1
	b.thing.inner = insideOf(in, w)
	b.thing.top = face{half: geom.Vec{X: out.X / 2, Y: out.Y / 2, Z: out.Z / 2}}
	b.thing.axis, b.thing.oneWay = geom.Vec{Z: 1}, true
}

// handle is a solid part in dark grey, so that it stands out.
func (b *builder) handle(p prim) part {
	h := b.solid(p)
	for i := range 3 {
		h.color[i] *= 0.35
	}
	return h
}

// button is a square housing with a round cap on a spring. The cap stands proud of the housing also when pressed.
func (b *builder) button() {
	const force = 3.0 // N at the end of the travel
	r, travel := *b.o.RadiusM, *b.o.TravelM
	height := buttonHouse + buttonProud + travel
	side := 2*r + 0.016
	house := b.solid(boxPrim(at(0, 0, -height/2+buttonHouse/2), side, side, buttonHouse))
	house.color = [4]float32{0.16, 0.16, 0.17, 1}
	b.root(house)
	capHeight := buttonProud + travel
	c := body{parent: 0, at: at(0, 0, height/2-capHeight/2)}
	c.parts = []part{b.solid(prim{shape: render.Cylinder, at: geom.Identity(), size: geom.Vec{X: r, Y: capHeight / 2}})}
	c.joint = joint{
		kind: jointSlide, axis: geom.Vec{Z: -1}, upper: travel,
		damping: 2, stiffness: 0.8 * force / travel, springRef: -0.25 * travel,
	}
	b.bodies = append(b.bodies, c)
	b.thing.moving = 1
	b.thing.press = 0.6 * travel
	b.thing.top = face{half: geom.Vec{X: r, Y: r, Z: height / 2}, round: true}
	b.thing.axis, b.thing.oneWay = geom.Vec{Z: 1}, true
}

// height of an object's frame above its underside.
func (b *builder) rise() float64 {
	return -b.bodies[0].lowest(geom.Identity())
}
