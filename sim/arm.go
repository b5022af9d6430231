package sim

import (
	"math"

	"gonum.org/v1/gonum/spatial/r3"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/sim/render"
)

// Arm is an arm as physics needs it.
type Arm struct {
	Chain      geom.Chain // its foot stands where the first joint's Origin says
	Home       []float64  // rad; where it is at the beginning
	MaxSpeed   []float64  // rad/s of each servo
	LinkRadius float64    // metres
	Gripper    *Gripper   // nil = none
}

// Gripper is a parallel gripper whose fingers move along the tool's y.
type Gripper struct {
	MinApertureM, MaxApertureM float64
	MaxSpeed                   float64  // m/s of the aperture
	FingerM                    geom.Vec // one finger along the tool's x, y (thickness) and z (length)
	MaxForceN                  float64
}

// The servos and masses of an arm. A servo's lag is servoDamp/servoStiff seconds.
const (
	servoStiff     = 250.0 // N·m/rad
	servoDamp      = 8.0   // N·m·s/rad
	servoTorque    = 8.0   // N·m of the joints before the wrist
	wristTorque    = 4.0
	jointDamping   = 0.5
	jointArmature  = 0.02
	linkDensity    = 1000.0
	gripStiff      = 2000.0 // N/m of aperture
	gripDamp       = 20.0
	fingerMass     = 0.02
	palmMass       = 0.10
	palmThick      = 0.030
	palmWide       = 0.028
	padFriction    = 1.25 // of a pad against a thing, in shares of the thing's own friction
	padTorsion     = 0.01
	linkFriction   = 0.6
	fingerDamping  = 2.0
	fingerArmature = 0.01
)

var (
	linkColor   = [4]float32{0.23, 0.25, 0.29, 1}
	jointColor  = [4]float32{0.33, 0.36, 0.42, 1}
	fingerColor = [4]float32{0.10, 0.10, 0.11, 1}
)

// limb is an arm as bodies of a model.
type limb struct {
	arm     *Arm
	joints  []int // bodies, in the order of the chain
	tool    int   // body of the palm, whose frame is the last joint's
	fingers [2]int
}

// linkPart is a capsule between two points of a body.
func linkPart(a, b geom.Vec, radius float64, color [4]float32) part {
	d := r3.Sub(b, a)
	length := r3.Norm(d)
	pose := geom.Pose{Pos: r3.Scale(0.5, r3.Add(a, b)), Rot: alongZ(d)}
	p := part{
		prim:    prim{shape: render.Capsule, at: pose, size: geom.Vec{X: radius, Y: length / 2}},
		surface: surfaceLink, friction: linkFriction, color: color, collides: true, visible: true,
	}
	p.mass = linkDensity * p.volume()
	return p
}

// alongZ is a turn that takes +z to the direction d.
func alongZ(d geom.Vec) geom.Rot {
	n := r3.Norm(d)
	if n == 0 {
		return geom.Rot{Real: 1}
	}
	u := r3.Scale(1/n, d)
	axis := geom.Vec{X: -u.Y, Y: u.X}
	if r3.Norm(axis) < 1e-12 {
		axis = geom.Vec{X: 1}
	}
	return geom.AxisAngle(axis, math.Acos(geom.Clamp(u.Z, -1, 1)))
}

// addArm appends an arm's bodies to the model.
func (m *model) addArm(a *Arm) {
	l := limb{arm: a, tool: -1, fingers: [2]int{-1, -1}}
	foot := a.Chain.Joints[0].Origin
	m.bodies = append(m.bodies, body{parent: -1, at: geom.Identity(), parts: []part{
		linkPart(geom.Vec{X: foot.Pos.X, Y: foot.Pos.Y}, foot.Pos, 1.6*a.LinkRadius, linkColor),
	}})
	parent := -1
	for i := range a.Chain.Joints {
		j := &a.Chain.Joints[i]
		b := body{parent: parent, at: j.Origin, joint: joint{
			kind: jointHinge, axis: j.Axis, lower: j.Lower, upper: j.Upper, damping: jointDamping, armature: jointArmature,
		}}
		b.parts = a.linkParts(i)
		parent = len(m.bodies)
		l.joints = append(l.joints, parent)
		m.bodies = append(m.bodies, b)
	}
	l.tool = parent
	if a.Gripper != nil {
		m.addGripper(&l, len(m.limbs)+1)
	}
	m.limbs = append(m.limbs, l)
}

// linkParts is what joint i carries: its hub, and the link to the next joint or to the gripper.
func (a *Arm) linkParts(i int) []part {
	r := a.LinkRadius
	joints := a.Chain.Joints
	last := i == len(joints)-1
	end := a.Chain.Tool.Pos
	if !last {
		end = joints[i+1].Origin.Pos
	} else if a.Gripper != nil {
		end = a.Chain.Tool.Apply(geom.Vec{Z: -a.Gripper.FingerM.Z - palmThick/2})
	}
	wrist := i >= 3
	if wrist {
		r *= 0.8
	}
	if r3.Norm(end) < 1e-9 {
		hub := part{
			prim:    prim{shape: render.Sphere, at: geom.Identity(), size: geom.Vec{X: r}},
			surface: surfaceLink, friction: linkFriction, color: jointColor, collides: true, visible: true,
		}
		hub.mass = linkDensity * hub.volume()
		return []part{hub}
	}
	color := linkColor
	if i%2 == 1 {
		color = jointColor
	}
	return []part{linkPart(geom.Vec{}, end, r, color)}
}

// addGripper appends the palm and the two fingers.
func (m *model) addGripper(l *limb, number int) {
	g, tool := l.arm.Gripper, l.arm.Chain.Tool
	palm := part{
		prim: prim{
			shape: render.Box, at: tool.Mul(at(0, 0, -g.FingerM.Z-palmThick/2)),
			size: geom.Vec{X: palmWide / 2, Y: g.MaxApertureM/2 + g.FingerM.Y, Z: palmThick / 2},
		},
		mass: palmMass, surface: surfaceLink, friction: linkFriction, color: jointColor, collides: true, visible: true,
	}
	last := &m.bodies[l.tool]
	last.parts = append(last.parts, palm)
	last.gripper = number
	for i, side := range [2]float64{1, -1} {
		finger := body{parent: l.tool, at: tool, gripper: number, joint: joint{
			kind: jointSlide, axis: geom.Vec{Y: side}, upper: g.MaxApertureM / 2, damping: fingerDamping, armature: fingerArmature,
		}}
		pad := boxPrim(at(0, side*g.FingerM.Y/2, -g.FingerM.Z/2), g.FingerM.X, g.FingerM.Y, g.FingerM.Z)
		finger.parts = []part{{
			prim: pad, mass: fingerMass, surface: surfacePad, friction: 1, color: fingerColor, collides: true, visible: true,
		}}
		l.fingers[i] = len(m.bodies)
		m.bodies = append(m.bodies, finger)
	}
}
