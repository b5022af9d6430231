package sim

import (
	"math"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/sim/render"
)

// prim is one convex shape in the frame of its body. Shape is Box, Sphere, Cylinder or Capsule, with package render's
// conventions for size.
type prim struct {
	shape render.Shape
	at    geom.Pose
	size  geom.Vec
}

// part is one prim of a body: something that collides, something that is seen, or both.
type part struct {
	prim
	mass     float64 // kg; 0 for what only is seen
	surface  surface
	friction float64 // sliding
	color    [4]float32
	collides bool
	visible  bool
	thin     bool // a wall or floor of a hollow thing
}

// surface says how a part meets others.
type surface int

const (
	surfaceThing surface = iota // a thing on the table
	surfaceLink                 // a part of an arm: meets things and the table, no other arm
	surfacePad                  // a finger's pad
)

type jointKind int

const (
	jointNone jointKind = iota // moves with its parent
	jointFree
	jointSlide
	jointHinge
)

// joint is how a body moves in its parent. Units: metres or radians, N or N·m.
type joint struct {
	kind         jointKind
	axis         geom.Vec
	lower, upper float64
	damping      float64
	frictionLoss float64
	stiffness    float64
	springRef    float64
	armature     float64
}

// body is one rigid body. A free body's at is its pose at the beginning.
type body struct {
	name    string // engine name, made here
	parent  int    // index of a body before it; -1 = the world
	at      geom.Pose
	joint   joint
	parts   []part
	weigh   bool // gravity counts; false for the links of an arm, whose weight is carried
	gripper int  // 1 + index of the arm whose gripper it belongs to; 0 = none
}

// thing is an object of the scene as bodies.
type thing struct {
	name   string
	object *Object
	root   int       // its body; the frame's origin is the centre of the thing
	moving int       // the body that moves by itself: the drawer's tray, the button's cap; else root
	seen   int       // id for render
	inner  *interior // what can be inside it; in the moving body's frame
	top    face      // what can stand on it, in the root body's frame
	axis   geom.Vec  // the axis that is vertical when it is upright; zero = always upright
	oneWay bool      // axis must point up, not down
	press  float64   // a button's travel that counts as pressed, m
}

// interior is the space inside a container: an axis-aligned box.
type interior struct{ min, max geom.Vec }

// face is the outer shape that stands in for a thing when something lies on it.
type face struct {
	half  geom.Vec // of its bounding box
	round bool     // x and y are one radius about z
}

func at(x, y, z float64) geom.Pose {
	return geom.Pose{Pos: geom.Vec{X: x, Y: y, Z: z}, Rot: geom.Rot{Real: 1}}
}

// lying turns a prim that stands along z to lie along x.
func lying() geom.Pose { return geom.Pose{Rot: geom.RotY(math.Pi / 2)} }

func boxPrim(where geom.Pose, x, y, z float64) prim {
	return prim{shape: render.Box, at: where, size: geom.Vec{X: x / 2, Y: y / 2, Z: z / 2}}
}

func (p *prim) volume() float64 {
	s := p.size
	switch p.shape {
	case render.Box:
		return 8 * s.X * s.Y * s.Z
	case render.Sphere:
		return 4.0 / 3 * math.Pi * s.X * s.X * s.X
	case render.Cylinder:
		return 2 * math.Pi * s.X * s.X * s.Y
	case render.Capsule:
		return 2*math.Pi*s.X*s.X*s.Y + 4.0/3*math.Pi*s.X*s.X*s.X
	}
	return 0
}

// extent is how far the prim, with its body at pose, reaches from its own centre along the world direction d (unit).
func (p *prim) extent(pose geom.Pose, d geom.Vec) float64 {
	local := geom.Rotate(geom.InvRot(geom.MulRot(pose.Rot, p.at.Rot)), d)
	s := p.size
	switch p.shape {
	case render.Box:
		return math.Abs(local.X)*s.X + math.Abs(local.Y)*s.Y + math.Abs(local.Z)*s.Z
	case render.Sphere:
		return s.X
	case render.Cylinder:
		return math.Hypot(local.X, local.Y)*s.X + math.Abs(local.Z)*s.Y
	case render.Capsule:
		return s.X + math.Abs(local.Z)*s.Y
	}
	return 0
}

// lowest is the least height of the colliding parts of a body at pose.
func (b *body) lowest(pose geom.Pose) float64 {
	low := math.Inf(1)
	for i := range b.parts {
		p := &b.parts[i]
		if !p.collides {
			continue
		}
		c := pose.Apply(p.at.Pos)
		low = min(low, c.Z-p.extent(pose, geom.Vec{Z: -1}))
	}
	return low
}

// weighIn shares mass among the colliding parts by volume; a mass of 0 stands for 500 kg/m³.
func (b *body) weighIn(mass float64) {
	const density = 500
	total := 0.0
	for i := range b.parts {
		if b.parts[i].collides {
			total += b.parts[i].volume()
		}
	}
	if mass == 0 {
		mass = density * total
	}
	for i := range b.parts {
		if b.parts[i].collides {
			b.parts[i].mass = mass * b.parts[i].volume() / total
		}
	}
}
