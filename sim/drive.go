package sim

import (
	"fmt"
	"math"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/sim/mujoco"
)

// servo follows a target with its reference at no more than its speed, and the engine's servo follows the reference.
type servo struct {
	id           int // actuator
	target, ref  float64
	speed        float64 // per second
	lower, upper float64
}

// jump sets target and reference at once.
func (s *servo) jump(x float64) { s.target, s.ref = s.clamp(x), s.clamp(x) }

func (s *servo) clamp(x float64) float64 { return geom.Clamp(x, s.lower, s.upper) }

// armDrive is where an arm's servos are.
type armDrive struct {
	arm   *Arm
	first int // in World.servos: one a joint, then the gripper's
	grip  int // -1 = no gripper

	aperture, speed float64 // of the gripper at the end of the last period, and on average over it
}

func (w *World) bindServos() error {
	for l := range w.m.limbs {
		limb := &w.m.limbs[l]
		d := armDrive{arm: limb.arm, first: len(w.servos), grip: -1}
		for i, b := range limb.joints {
			j := &w.m.bodies[b].joint
			w.servos = append(w.servos, servo{id: w.sim.ID(mujoco.KindActuator, servoName(l, i)), speed: limb.arm.MaxSpeed[i], lower: j.lower, upper: j.upper})
		}
		if g := limb.arm.Gripper; g != nil {
			d.grip = len(w.servos)
			w.servos = append(w.servos, servo{id: w.sim.ID(mujoco.KindActuator, servoName(l, gripServo)), speed: g.MaxSpeed, lower: g.MinApertureM, upper: g.MaxApertureM})
		}
		w.arms = append(w.arms, d)
	}
	for i := range w.servos {
		if w.servos[i].id < 0 {
			return fmt.Errorf("building the world: the engine lost servo %d", i)
		}
	}
	return nil
}

func (w *World) servosMoving() bool {
	for i := range w.servos {
		if w.servos[i].ref != w.servos[i].target {
			return true
		}
	}
	return false
}

// writeServos moves every reference on by dt seconds and hands them to the engine.
func (w *World) writeServos(dt float64) {
	ctrl := w.sim.Ctrl()
	for i := range w.servos {
		s := &w.servos[i]
		s.ref += geom.Clamp(s.target-s.ref, -s.speed*dt, s.speed*dt)
		ctrl[s.id] = s.ref
	}
}

// Arms is the number of arms.
func (w *World) Arms() int { return len(w.arms) }

// SetJoints gives an arm's servos new targets in rad; they are clamped to the limits and reached at the servos' speed.
func (w *World) SetJoints(arm int, q []float64) {
	a := &w.arms[arm]
	for i, x := range q[:len(a.arm.Chain.Joints)] {
		s := &w.servos[a.first+i]
		s.target = s.clamp(x)
	}
}

// HoldArm makes an arm stay where it is now.
func (w *World) HoldArm(arm int) {
	const still = 0.02 // rad/s; a servo that rests keeps its target, or it would sag a little with every hold
	a := &w.arms[arm]
	q, v := w.sim.QPos(), w.sim.QVel()
	for i, b := range w.m.limbs[arm].joints {
		s := &w.servos[a.first+i]
		if math.Abs(v[w.qvel[b]]) < still && math.Abs(s.ref-q[w.qpos[b]]) < still {
			s.target = s.ref
			continue
		}
		s.jump(q[w.qpos[b]])
	}
}

// SetGrip gives a gripper a new aperture in metres and the most force in N that a finger may press with (0 = all it has).
func (w *World) SetGrip(arm int, apertureM, forceN float64) {
	a := &w.arms[arm]
	if a.grip < 0 {
		return
	}
	s := &w.servos[a.grip]
	s.target = s.clamp(apertureM)
	if limit := a.arm.Gripper.MaxForceN; forceN <= 0 || forceN > limit {
		forceN = limit
	}
	limits := w.sim.ActuatorForceRange()
	limits[2*s.id], limits[2*s.id+1] = -forceN, forceN
}

// HoldGrip makes a gripper stay as it is now: one that presses on something goes on pressing.
func (w *World) HoldGrip(arm int) {
	const still = 0.002 // m/s
	a := &w.arms[arm]
	if a.grip < 0 {
		return
	}
	s := &w.servos[a.grip]
	g := w.Grip(arm)
	if math.Abs(g.SpeedMS) < still {
		s.target = s.ref
		return
	}
	s.jump(g.ApertureM)
}

// JointState is what the joints of an arm feel, in the order of its chain.
type JointState struct {
	Angles, Speeds, Targets []float64 // rad, rad/s, rad
	Efforts                 []float64 // N·m of each servo
}

// Joints is the state of an arm's joints. It belongs to the caller.
func (w *World) Joints(arm int) JointState {
	a := &w.arms[arm]
	n := len(a.arm.Chain.Joints)
	values := make([]float64, 4*n)
	s := JointState{Angles: values[:n:n], Speeds: values[n : 2*n : 2*n], Targets: values[2*n : 3*n : 3*n], Efforts: values[3*n:]}
	qpos, qvel, force := w.sim.QPos(), w.sim.QVel(), w.sim.ActuatorForce()
	for i, b := range w.m.limbs[arm].joints {
		servo := &w.servos[a.first+i]
		s.Angles[i], s.Speeds[i] = qpos[w.qpos[b]], qvel[w.qvel[b]]
		s.Targets[i], s.Efforts[i] = servo.target, force[servo.id]
	}
	return s
}

// GripState is what a gripper feels. Its speed is the mean over the last period.
type GripState struct {
	ApertureM, SpeedMS, TargetM float64
	ForceN                      float64 // of the servo on each finger, positive closes
}

// Grip is the state of an arm's gripper; zero without one.
func (w *World) Grip(arm int) GripState {
	a := &w.arms[arm]
	if a.grip < 0 {
		return GripState{}
	}
	return GripState{
		ApertureM: w.aperture(arm), SpeedMS: a.speed,
		TargetM: w.servos[a.grip].target, ForceN: -w.sim.ActuatorForce()[w.servos[a.grip].id],
	}
}

// aperture is how far an arm's fingers are apart now, metres.
func (w *World) aperture(arm int) (m float64) {
	for _, b := range w.m.limbs[arm].fingers {
		m += w.sim.QPos()[w.qpos[b]]
	}
	return m
}

// gauge measures how fast each gripper moved over the last period. At any one instant, pads that hold a thin wall tremble
// at several mm/s by a few micrometres; that is no motion.
func (w *World) gauge() {
	for i := range w.arms {
		if a := &w.arms[i]; a.grip >= 0 {
			now := w.aperture(i)
			a.speed, a.aperture = (now-a.aperture)/w.period.Seconds(), now
		}
	}
}
