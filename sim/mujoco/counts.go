package mujoco

// NQ is the number of position values.
func (s *Sim) NQ() int { return s.n.q }

// NV is the number of degrees of freedom.
func (s *Sim) NV() int { return s.n.v }

// NU is the number of actuator inputs.
func (s *Sim) NU() int { return s.n.u }

// NA is the number of activation states.
func (s *Sim) NA() int { return s.n.act }

// NActuator is the number of actuators.
func (s *Sim) NActuator() int { return s.n.actuator }

// NBody is the number of bodies, the world included.
func (s *Sim) NBody() int { return s.n.body }

// NJnt is the number of joints.
func (s *Sim) NJnt() int { return s.n.jnt }

// NGeom is the number of geoms.
func (s *Sim) NGeom() int { return s.n.geom }

// NSite is the number of sites.
func (s *Sim) NSite() int { return s.n.site }

// NCam is the number of cameras.
func (s *Sim) NCam() int { return s.n.cam }

// NLight is the number of lights.
func (s *Sim) NLight() int { return s.n.light }

// NMesh is the number of meshes.
func (s *Sim) NMesh() int { return s.n.mesh }

// NMat is the number of materials.
func (s *Sim) NMat() int { return s.n.mat }

// NTree is the number of kinematic trees: groups of bodies that move together.
func (s *Sim) NTree() int { return s.n.tree }

// NMocap is the number of mocap bodies.
func (s *Sim) NMocap() int { return s.n.mocap }

// NKey is the number of keyframes.
func (s *Sim) NKey() int { return s.n.key }

// NSensor is the number of sensors.
func (s *Sim) NSensor() int { return s.n.sensor }

// NSensordata is the number of sensor values.
func (s *Sim) NSensordata() int { return s.n.sensordata }
