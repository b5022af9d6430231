package sim

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/sim/render"
)

// timestep is the engine's. Twice as long is not safe for a cylinder between two pads.
const timestep = 2 * time.Millisecond

// mjcf writes the engine's file. All names in it are made here; nothing of a scene file but numbers gets in.
type mjcf struct {
	strings.Builder
	m        *model
	children [][]int // by body; those of the world are the last
}

// document is the whole model for the engine.
func (m *model) document() string {
	w := &mjcf{m: m, children: make([][]int, len(m.bodies)+1)}
	for i := range m.bodies {
		p := m.bodies[i].parent
		if p < 0 {
			p = len(m.bodies)
		}
		w.children[p] = append(w.children[p], i)
	}
	w.f("<mujoco model=%q>\n<compiler angle=\"radian\" autolimits=\"true\"/>\n", "rein")
	w.f("<option timestep=%q integrator=\"implicitfast\" solver=\"Newton\" cone=\"elliptic\" impratio=\"10\"><flag sleep=\"enable\"/></option>\n", num(timestep.Seconds()))
	w.f("<worldbody>\n<geom name=\"table\" type=\"plane\" size=\"2 2 0.1\" friction=\"0.1 0.005 0.0001\" contype=\"1\" conaffinity=\"1\"/>\n")
	for _, i := range w.children[len(m.bodies)] {
		w.body(i)
	}
	w.f("</worldbody>\n")
	w.contacts()
	w.drives()
	w.f("</mujoco>\n")
	return w.String()
}

func (w *mjcf) f(format string, args ...any) { fmt.Fprintf(&w.Builder, format, args...) }

func (w *mjcf) body(i int) {
	b := &w.m.bodies[i]
	gravity := ""
	if !b.weigh {
		gravity = ` gravcomp="1"`
	}
	w.f("<body name=%q %s%s>\n", b.name, where(b.at), gravity)
	w.joint(b)
	for j := range b.parts {
		if b.parts[j].collides {
			w.geom(b, j)
		}
	}
	for _, c := range w.children[i] {
		w.body(c)
	}
	w.f("</body>\n")
}

func (w *mjcf) joint(b *body) {
	j := &b.joint
	name := "j" + b.name
	switch j.kind {
	case jointNone:
	case jointFree:
		w.f("<freejoint name=%q/>\n", name)
	case jointSlide, jointHinge:
		kind := "slide"
		if j.kind == jointHinge {
			kind = "hinge"
		}
		w.f("<joint name=%q type=%q axis=%q range=%q damping=%q frictionloss=%q stiffness=%q springref=%q armature=%q/>\n", name, kind,
			nums(j.axis.X, j.axis.Y, j.axis.Z), nums(j.lower, j.upper), num(j.damping), num(j.frictionLoss),
			num(j.stiffness), num(j.springRef), num(j.armature))
	}
}

func (w *mjcf) geom(b *body, part int) {
	p := &b.parts[part]
	kind, size := "", ""
	switch p.shape {
	case render.Box:
		kind, size = "box", nums(p.size.X, p.size.Y, p.size.Z)
	case render.Sphere:
		kind, size = "sphere", num(p.size.X)
	case render.Cylinder:
		kind, size = "cylinder", nums(p.size.X, p.size.Y)
	case render.Capsule:
		kind, size = "capsule", nums(p.size.X, p.size.Y)
	}
	w.f("<geom name=%q type=%q size=%q %s mass=%q %s/>\n", geomName(b, part), kind, size, where(p.at), num(p.mass), contactOf(p))
}

// hard makes a contact four times as quick, whatever it is with. A light thing sinks several millimetres into what it is
// dropped on; in a floor no thicker than that it would be stuck, or fall through.
const hard = ` solref="0.005 1" solmix="1000"`

// contactOf is how a part meets others: things meet all, parts of arms meet only things and what does not move.
func contactOf(p *part) string {
	if p.surface == surfaceThing {
		c := fmt.Sprintf(`condim="6" friction=%q contype="1" conaffinity="1"`, nums(p.friction, 0.005, 3e-4))
		if p.thin {
			c += hard
		}
		return c
	}
	return fmt.Sprintf(`condim="4" friction=%q contype="0" conaffinity="1"`, nums(p.friction, padTorsion, 1e-4))
}

func geomName(b *body, part int) string { return "g" + b.name[1:] + "_" + strconv.Itoa(part) }

// contacts sets how pads grip free things, and keeps what slides in something from rubbing on it.
func (w *mjcf) contacts() {
	w.f("<contact>\n")
	for i := range w.m.things {
		t := &w.m.things[i]
		if t.moving != t.root {
			w.f("<exclude body1=%q body2=%q/>\n", w.m.bodies[t.root].name, w.m.bodies[t.moving].name)
		}
		if !t.object.Free() {
			continue
		}
		for l := range w.m.limbs {
			for _, finger := range w.m.limbs[l].fingers {
				w.grips(finger, t.root)
			}
		}
	}
	w.f("</contact>\n")
}

func (w *mjcf) grips(finger, thing int) {
	if finger < 0 {
		return
	}
	f, t := &w.m.bodies[finger], &w.m.bodies[thing]
	for i := range t.parts {
		if !t.parts[i].collides {
			continue
		}
		mu := padFriction * t.parts[i].friction
		w.f("<pair geom1=%q geom2=%q condim=\"4\" solref=\"0.005 1\" friction=%q/>\n",
			geomName(f, 0), geomName(t, i), nums(mu, mu, padTorsion, 1e-4, 1e-4))
	}
}

// drives writes the servos: one a joint, and one for each gripper that closes both fingers alike.
func (w *mjcf) drives() {
	var tendons, equal, servos strings.Builder
	for l := range w.m.limbs {
		limb := &w.m.limbs[l]
		for i, b := range limb.joints {
			torque := servoTorque
			if i >= 3 {
				torque = wristTorque
			}
			j := &w.m.bodies[b].joint
			fmt.Fprintf(&servos, "<position name=%q joint=%q kp=%q kv=%q forcerange=%q ctrlrange=%q/>\n", servoName(l, i), "j"+w.m.bodies[b].name,
				num(servoStiff), num(servoDamp), nums(-torque, torque), nums(j.lower, j.upper))
		}
		if limb.arm.Gripper == nil {
			continue
		}
		g := limb.arm.Gripper
		a, b := "j"+w.m.bodies[limb.fingers[0]].name, "j"+w.m.bodies[limb.fingers[1]].name
		tendon := "t" + strconv.Itoa(l)
		fmt.Fprintf(&tendons, "<fixed name=%q><joint joint=%q coef=\"1\"/><joint joint=%q coef=\"1\"/></fixed>\n", tendon, a, b)
		fmt.Fprintf(&equal, "<joint joint1=%q joint2=%q polycoef=\"0 1 0 0 0\" solref=\"0.005 1\"/>\n", a, b)
		fmt.Fprintf(&servos, "<position name=%q tendon=%q kp=%q kv=%q forcerange=%q ctrlrange=%q/>\n", servoName(l, gripServo), tendon,
			num(gripStiff), num(gripDamp), nums(-g.MaxForceN, g.MaxForceN), nums(0, g.MaxApertureM))
	}
	w.f("<tendon>\n%s</tendon>\n<equality>\n%s</equality>\n<actuator>\n%s</actuator>\n", tendons.String(), equal.String(), servos.String())
}

// gripServo stands for the gripper's servo where joints are counted.
const gripServo = -1

func servoName(limb, joint int) string {
	if joint == gripServo {
		return fmt.Sprintf("s%d_grip", limb)
	}
	return fmt.Sprintf("s%d_%d", limb, joint)
}

func where(p geom.Pose) string {
	return fmt.Sprintf("pos=%q quat=%q", nums(p.Pos.X, p.Pos.Y, p.Pos.Z), nums(p.Rot.Real, p.Rot.Imag, p.Rot.Jmag, p.Rot.Kmag))
}

func num(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

func nums(values ...float64) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = num(v)
	}
	return strings.Join(texts, " ")
}
