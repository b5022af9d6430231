package sim

import (
	"math"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/sim/render"
)

const (
	defaultFriction = 0.8
	// thinRadius is below what a lying cylinder collides as a capsule: two pads squeeze a cylinder's flat contacts out,
	// a capsule's they hold.
	thinRadius   = 0.012
	drawerPlay   = 0.002 // between tray and case, both sides together
	handleGap    = 0.025 // clear space behind a drawer's handle
	handleThick  = 0.010
	handleLength = 0.060
	handleZ      = 0.035 // height of the handle's middle above the table
	buttonHouse  = 0.012 // height of a button's housing
	buttonProud  = 0.008 // how far a pressed button's cap still stands out
)

var defaultColor = [4]float32{0.6, 0.6, 0.6, 1}

// builder makes the bodies of one object. Its methods append; the first body is the root.
type builder struct {
	o      *Object
	bodies []body
	thing  thing
}

func (b *builder) color() [4]float32 {
	if b.o.Color == nil {
		return defaultColor
	}
	return [4]float32{float32(b.o.Color[0]), float32(b.o.Color[1]), float32(b.o.Color[2]), 1}
}

func (b *builder) friction() float64 {
	if b.o.Friction == nil {
		return defaultFriction
	}
	return *b.o.Friction
}

// solid is a part that collides and is seen as it is.
func (b *builder) solid(p prim) part {
	return part{prim: p, friction: b.friction(), color: b.color(), collides: true, visible: true}
}

// build makes the object's bodies in its own frame. Indices are those within the builder.
func build(o *Object) *builder {
	b := &builder{o: o, thing: thing{name: o.Name, object: o}}
	switch o.Shape {
	case ShapeBox:
		b.box()
	case ShapeCylinder, ShapeCapsule:
		b.rod()
	case ShapeSphere:
		b.sphere()
	case ShapeMug:
		b.mug()
	case ShapeOpenBox:
		b.openBox()
	case ShapeDrawer:
		b.drawer()
	case ShapeButton:
		b.button()
	}
	mass := 0.0
	if o.MassKg != nil {
		mass = *o.MassKg
	}
	for i := range b.bodies {
		if b.bodies[i].joint.kind != jointNone || i == 0 {
			b.bodies[i].weighIn(mass)
		}
		b.bodies[i].weigh = true
	}
	return b
}

func (b *builder) root(parts ...part) {
	root := body{parent: -1, at: geom.Identity(), parts: parts}
	if b.o.Free() {
		root.joint = joint{kind: jointFree}
	}
	b.bodies = append(b.bodies, root)
}

func (b *builder) box() {
	s := b.o.SizeM
	b.root(b.solid(boxPrim(geom.Identity(), s[0], s[1], s[2])))
	b.thing.top = face{half: geom.Vec{X: s[0] / 2, Y: s[1] / 2, Z: s[2] / 2}}
	b.thing.axis = geom.Vec{Z: 1}
}

// rod is a cylinder or a capsule, lying along x or standing.
func (b *builder) rod() {
	r, l := *b.o.RadiusM, *b.o.LengthM
	standing := b.o.Upright != nil && *b.o.Upright
	pose := lying()
	b.thing.axis = geom.Vec{X: 1}
	b.thing.top = face{half: geom.Vec{X: l / 2, Y: r, Z: r}}
	if standing {
		pose = geom.Identity()
		b.thing.axis = geom.Vec{Z: 1}
		b.thing.top = face{half: geom.Vec{X: r, Y: r, Z: l / 2}, round: true}
	}
	capsule := prim{shape: render.Capsule, at: pose, size: geom.Vec{X: r, Y: max(l/2-r, 0)}}
	cylinder := prim{shape: render.Cylinder, at: pose, size: geom.Vec{X: r, Y: l / 2}}
	switch {
	case b.o.Shape == ShapeCapsule:
		b.root(b.solid(capsule))
	case standing || r >= thinRadius || l <= 2*r:
		b.root(b.solid(cylinder))
	default:
		hits, shows := b.solid(capsule), b.solid(cylinder)
		hits.visible, shows.collides = false, false
		b.root(hits, shows)
	}
}

func (b *builder) sphere() {
	r := *b.o.RadiusM
	b.root(b.solid(prim{shape: render.Sphere, at: geom.Identity(), size: geom.Vec{X: r}}))
	b.thing.top = face{half: geom.Vec{X: r, Y: r, Z: r}, round: true}
}

// mug is a ring of staves on a disc, with a handle of three bars on its +x side. Only the disc meets the table.
func (b *builder) mug() {
	const staves, floor, clear = 16, 0.004, 0.0005
	r, h := *b.o.RadiusM, *b.o.HeightM
	wall := b.mugWall()
	parts := []part{b.solid(prim{shape: render.Cylinder, at: at(0, 0, -h/2+floor/2), size: geom.Vec{X: r, Y: floor / 2}})}
	mid := r - wall/2
	width := 2 * r * math.Tan(math.Pi/staves)
	for i := range staves {
		turn := geom.Pose{Rot: geom.RotZ(2 * math.Pi * float64(i) / staves)}
		parts = append(parts, b.solid(boxPrim(turn.Mul(at(mid, 0, clear/2)), wall, width, h-clear)))
	}
	const bar = 0.006
	reach, tall := mugHandle(r), h*0.55
	x := r + reach - bar/2
	parts = append(parts,
		b.solid(boxPrim(at(x, 0, 0), bar, 2*bar, tall)),
		b.solid(boxPrim(at(r+reach/2-bar/2, 0, tall/2-bar/2), reach-bar, 2*bar, bar)),
		b.solid(boxPrim(at(r+reach/2-bar/2, 0, -tall/2+bar/2), reach-bar, 2*bar, bar)))
	b.root(parts...)
	in := (r - wall) / math.Sqrt2
	b.thing.inner = &interior{min: geom.Vec{X: -in, Y: -in, Z: -h/2 + floor}, max: geom.Vec{X: in, Y: in, Z: h / 2}}
	b.thing.top = face{half: geom.Vec{X: r, Y: r, Z: h / 2}, round: true}
	b.thing.axis, b.thing.oneWay = geom.Vec{Z: 1}, true
}

func (b *builder) mugWall() float64 {
	if b.o.WallM != nil {
		return *b.o.WallM
	}
	return 0.004
}

// mugHandle is how far a mug's handle stands out from its wall.
func mugHandle(radius float64) float64 { return max(0.018, 0.6*radius) }

func (b *builder) openBox() {
	in, w := b.o.InnerM, *b.o.WallM
	b.root(b.tray(in, w, geom.Vec{})...)
	outer := geom.Vec{X: in[0]/2 + w, Y: in[1]/2 + w, Z: (in[2] + w) / 2}
	b.thing.top = face{half: outer}
	b.thing.inner = insideOf(in, w)
	b.thing.axis, b.thing.oneWay = geom.Vec{Z: 1}, true
}

// tray is the floor and four walls of an open box centred at c.
func (b *builder) tray(in *[3]float64, w float64, c geom.Vec) []part {
	x, y, z := in[0], in[1], in[2]
	walls := []prim{
		boxPrim(at(0, 0, -z/2), x+2*w, y+2*w, w),
		boxPrim(at(x/2+w/2, 0, w/2), w, y+2*w, z),
		boxPrim(at(-x/2-w/2, 0, w/2), w, y+2*w, z),
		boxPrim(at(0, y/2+w/2, w/2), x, w, z),
		boxPrim(at(0, -y/2-w/2, w/2), x, w, z),
	}
	parts := make([]part, len(walls))
	for i := range walls {
		walls[i].at.Pos.X += c.X
		walls[i].at.Pos.Y += c.Y
		walls[i].at.Pos.Z += c.Z
		parts[i] = b.solid(walls[i])
		parts[i].thin = true
	}
	return parts
}

func insideOf(in *[3]float64, w float64) *interior {
	half := geom.Vec{X: in[0] / 2, Y: in[1] / 2}
	floor := -(in[2]+w)/2 + w
	return &interior{min: geom.Vec{X: -half.X, Y: -half.Y, Z: floor}, max: geom.Vec{X: half.X, Y: half.Y, Z: floor + in[2]}}
}
