package mujoco

import "github.com/rein-robotics/rein/sim/mujoco/layout"

// The methods of this file are live views of mjData: they share memory with the engine, cost no allocation, and stay valid until the next Step,
// Forward, Reset, SetState or Close. Writing to them writes the engine.

// QPos is the position of every joint, NQ values laid out by JntQposAdr (a free joint: x, y, z, then quaternion w, x, y, z).
func (s *Sim) QPos() []float64 {
	return array[float64](s, s.data+layout.DataQpos, s.n.q)
}

// QVel is the velocity of every degree of freedom, NV values laid out by JntDofAdr (a free joint: linear in the world, then angular in the body frame).
func (s *Sim) QVel() []float64 {
	return array[float64](s, s.data+layout.DataQvel, s.n.v)
}

// QAcc is the acceleration of every degree of freedom.
func (s *Sim) QAcc() []float64 {
	return array[float64](s, s.data+layout.DataQacc, s.n.v)
}

// Ctrl is the input of every actuator, NU values; write it before Step.
func (s *Sim) Ctrl() []float64 {
	return array[float64](s, s.data+layout.DataCtrl, s.n.u)
}

// Act is the activation state of actuators that have one.
func (s *Sim) Act() []float64 {
	return array[float64](s, s.data+layout.DataAct, s.n.act)
}

// QfrcApplied is a generalised force the user applies, in N or N·m; it stays until overwritten.
func (s *Sim) QfrcApplied() []float64 {
	return array[float64](s, s.data+layout.DataQfrcApplied, s.n.v)
}

// XfrcApplied is a force and torque the user applies at each body's centre of mass, 6 values a body (force, torque) in world axes; it stays until overwritten.
func (s *Sim) XfrcApplied() []float64 {
	return array[float64](s, s.data+layout.DataXfrcApplied, 6*s.n.body)
}

// QfrcActuator is the force of all actuators in joint space, in N or N·m.
func (s *Sim) QfrcActuator() []float64 {
	return array[float64](s, s.data+layout.DataQfrcActuator, s.n.v)
}

// QfrcBias is gravity, Coriolis and centrifugal force in joint space, in N or N·m.
func (s *Sim) QfrcBias() []float64 {
	return array[float64](s, s.data+layout.DataQfrcBias, s.n.v)
}

// QfrcPassive is the passive force (springs, dampers, gravity compensation) in joint space.
func (s *Sim) QfrcPassive() []float64 {
	return array[float64](s, s.data+layout.DataQfrcPassive, s.n.v)
}

// QfrcConstraint is the force of contacts and limits in joint space.
func (s *Sim) QfrcConstraint() []float64 {
	return array[float64](s, s.data+layout.DataQfrcConstraint, s.n.v)
}

// ActuatorForce is the force of every actuator, in N or N·m.
func (s *Sim) ActuatorForce() []float64 {
	return array[float64](s, s.data+layout.DataActuatorForce, s.n.out)
}

// ActuatorLength is the length of every actuator's transmission: for a joint its position times the gear.
func (s *Sim) ActuatorLength() []float64 {
	return array[float64](s, s.data+layout.DataActuatorLength, s.n.actuator)
}

// ActuatorVelocity is the velocity of every actuator's transmission.
func (s *Sim) ActuatorVelocity() []float64 {
	return array[float64](s, s.data+layout.DataActuatorVelocity, s.n.actuator)
}

// Sensordata is the output of all sensors, laid out by SensorAdr and SensorDim.
func (s *Sim) Sensordata() []float64 {
	return array[float64](s, s.data+layout.DataSensordata, s.n.sensordata)
}

// MocapPos is the position of every mocap body; write it to move the body.
func (s *Sim) MocapPos() []float64 {
	return array[float64](s, s.data+layout.DataMocapPos, 3*s.n.mocap)
}

// MocapQuat is the orientation of every mocap body; write it to turn the body.
func (s *Sim) MocapQuat() []float64 {
	return array[float64](s, s.data+layout.DataMocapQuat, 4*s.n.mocap)
}

// XPos is the position of every body frame in the world, 3 values a body.
func (s *Sim) XPos() []float64 {
	return array[float64](s, s.data+layout.DataXpos, 3*s.n.body)
}

// XQuat is the orientation of every body frame in the world, 4 values (w, x, y, z) a body.
func (s *Sim) XQuat() []float64 {
	return array[float64](s, s.data+layout.DataXquat, 4*s.n.body)
}

// XMat is the orientation of every body frame in the world, 9 values a body, row by row.
func (s *Sim) XMat() []float64 {
	return array[float64](s, s.data+layout.DataXmat, 9*s.n.body)
}

// XIPos is the centre of mass of every body in the world.
func (s *Sim) XIPos() []float64 {
	return array[float64](s, s.data+layout.DataXipos, 3*s.n.body)
}

// SubtreeCom is the centre of mass of every body with all its children, in the world.
func (s *Sim) SubtreeCom() []float64 {
	return array[float64](s, s.data+layout.DataSubtreeCom, 3*s.n.body)
}

// CVel is the velocity of every body about the centre of mass of its tree: 3 rotational, 3 linear values, world axes.
func (s *Sim) CVel() []float64 {
	return array[float64](s, s.data+layout.DataCvel, 6*s.n.body)
}

// GeomXPos is the position of every geom in the world, 3 values a geom.
func (s *Sim) GeomXPos() []float64 {
	return array[float64](s, s.data+layout.DataGeomXpos, 3*s.n.geom)
}

// GeomXMat is the orientation of every geom in the world, 9 values a geom, row by row.
func (s *Sim) GeomXMat() []float64 {
	return array[float64](s, s.data+layout.DataGeomXmat, 9*s.n.geom)
}

// SiteXPos is the position of every site in the world.
func (s *Sim) SiteXPos() []float64 {
	return array[float64](s, s.data+layout.DataSiteXpos, 3*s.n.site)
}

// SiteXMat is the orientation of every site in the world, 9 values a site, row by row.
func (s *Sim) SiteXMat() []float64 {
	return array[float64](s, s.data+layout.DataSiteXmat, 9*s.n.site)
}

// CamXPos is the position of every camera in the world.
func (s *Sim) CamXPos() []float64 {
	return array[float64](s, s.data+layout.DataCamXpos, 3*s.n.cam)
}

// CamXMat is the orientation of every camera in the world, row by row; its columns are right, up and backward.
func (s *Sim) CamXMat() []float64 {
	return array[float64](s, s.data+layout.DataCamXmat, 9*s.n.cam)
}

// LightXPos is the position of every light in the world.
func (s *Sim) LightXPos() []float64 {
	return array[float64](s, s.data+layout.DataLightXpos, 3*s.n.light)
}

// LightXDir is the direction of every light in the world.
func (s *Sim) LightXDir() []float64 {
	return array[float64](s, s.data+layout.DataLightXdir, 3*s.n.light)
}

// TreeAsleep says for every kinematic tree whether it sleeps: negative is awake, else the index of the next tree of its sleeping group.
func (s *Sim) TreeAsleep() []int32 {
	return array[int32](s, s.data+layout.DataTreeAsleep, s.n.tree)
}
