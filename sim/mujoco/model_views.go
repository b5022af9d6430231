package mujoco

import "github.com/rein-robotics/rein/sim/mujoco/layout"

// The methods of this file are live views of mjModel, with the same rules as those of mjData. They are sized in values, not elements. Writing to
// them changes the model; what MuJoCo derived from a field when it compiled the scene is not derived again.

// QPos0 is the initial position of every joint.
func (s *Sim) QPos0() []float64 {
	return array[float64](s, s.model+layout.ModelQpos0, s.n.q)
}

// BodyParentID is the parent of every body; the world is body 0.
func (s *Sim) BodyParentID() []int32 {
	return array[int32](s, s.model+layout.ModelBodyParentid, s.n.body)
}

// BodyRootID is the topmost ancestor below the world of every body.
func (s *Sim) BodyRootID() []int32 {
	return array[int32](s, s.model+layout.ModelBodyRootid, s.n.body)
}

// BodyTreeID is the kinematic tree of every body, -1 for a body that cannot move.
func (s *Sim) BodyTreeID() []int32 {
	return array[int32](s, s.model+layout.ModelBodyTreeid, s.n.body)
}

// BodyMocapID is the mocap index of every body, -1 for none.
func (s *Sim) BodyMocapID() []int32 {
	return array[int32](s, s.model+layout.ModelBodyMocapid, s.n.body)
}

// BodyGeomAdr is the first geom of every body, -1 for none.
func (s *Sim) BodyGeomAdr() []int32 {
	return array[int32](s, s.model+layout.ModelBodyGeomadr, s.n.body)
}

// BodyGeomNum is the number of geoms of every body.
func (s *Sim) BodyGeomNum() []int32 {
	return array[int32](s, s.model+layout.ModelBodyGeomnum, s.n.body)
}

// BodyJntAdr is the first joint of every body, -1 for none.
func (s *Sim) BodyJntAdr() []int32 {
	return array[int32](s, s.model+layout.ModelBodyJntadr, s.n.body)
}

// BodyJntNum is the number of joints of every body.
func (s *Sim) BodyJntNum() []int32 {
	return array[int32](s, s.model+layout.ModelBodyJntnum, s.n.body)
}

// BodyDofAdr is the first degree of freedom of every body, -1 for none.
func (s *Sim) BodyDofAdr() []int32 {
	return array[int32](s, s.model+layout.ModelBodyDofadr, s.n.body)
}

// BodyPos is the position of every body in its parent.
func (s *Sim) BodyPos() []float64 {
	return array[float64](s, s.model+layout.ModelBodyPos, 3*s.n.body)
}

// BodyQuat is the orientation of every body in its parent.
func (s *Sim) BodyQuat() []float64 {
	return array[float64](s, s.model+layout.ModelBodyQuat, 4*s.n.body)
}

// BodyMass is the mass of every body in kg.
func (s *Sim) BodyMass() []float64 {
	return array[float64](s, s.model+layout.ModelBodyMass, s.n.body)
}

// BodyInertia is the diagonal inertia of every body in its inertial frame, kg·m².
func (s *Sim) BodyInertia() []float64 {
	return array[float64](s, s.model+layout.ModelBodyInertia, 3*s.n.body)
}

// BodySubtreeMass is the mass of every body with all its children.
func (s *Sim) BodySubtreeMass() []float64 {
	return array[float64](s, s.model+layout.ModelBodySubtreemass, s.n.body)
}

// JntType is JointFree, JointBall, JointSlide or JointHinge for every joint.
func (s *Sim) JntType() []int32 {
	return array[int32](s, s.model+layout.ModelJntType, s.n.jnt)
}

// JntQposAdr is where every joint begins in QPos.
func (s *Sim) JntQposAdr() []int32 {
	return array[int32](s, s.model+layout.ModelJntQposadr, s.n.jnt)
}

// JntDofAdr is where every joint begins in QVel.
func (s *Sim) JntDofAdr() []int32 {
	return array[int32](s, s.model+layout.ModelJntDofadr, s.n.jnt)
}

// JntBodyID is the body of every joint.
func (s *Sim) JntBodyID() []int32 {
	return array[int32](s, s.model+layout.ModelJntBodyid, s.n.jnt)
}

// JntLimited is 1 for every joint with limits.
func (s *Sim) JntLimited() []uint8 {
	return array[uint8](s, s.model+layout.ModelJntLimited, s.n.jnt)
}

// JntRange is the lower and upper limit of every joint, in radians or metres.
func (s *Sim) JntRange() []float64 {
	return array[float64](s, s.model+layout.ModelJntRange, 2*s.n.jnt)
}

// JntAxis is the axis of every joint in its body.
func (s *Sim) JntAxis() []float64 {
	return array[float64](s, s.model+layout.ModelJntAxis, 3*s.n.jnt)
}

// JntPos is the anchor of every joint in its body.
func (s *Sim) JntPos() []float64 {
	return array[float64](s, s.model+layout.ModelJntPos, 3*s.n.jnt)
}

// JntStiffness is the spring stiffness of every joint.
func (s *Sim) JntStiffness() []float64 {
	return array[float64](s, s.model+layout.ModelJntStiffness, s.n.jnt)
}

// DofDamping is the damping of every degree of freedom, N·m·s/rad or N·s/m.
func (s *Sim) DofDamping() []float64 {
	return array[float64](s, s.model+layout.ModelDofDamping, s.n.v)
}

// DofArmature is the rotor inertia of every degree of freedom.
func (s *Sim) DofArmature() []float64 {
	return array[float64](s, s.model+layout.ModelDofArmature, s.n.v)
}

// DofFrictionloss is the dry friction of every degree of freedom.
func (s *Sim) DofFrictionloss() []float64 {
	return array[float64](s, s.model+layout.ModelDofFrictionloss, s.n.v)
}

// DofTreeID is the kinematic tree of every degree of freedom.
func (s *Sim) DofTreeID() []int32 {
	return array[int32](s, s.model+layout.ModelDofTreeid, s.n.v)
}

// GeomType is GeomPlane, GeomSphere, … for every geom.
func (s *Sim) GeomType() []int32 {
	return array[int32](s, s.model+layout.ModelGeomType, s.n.geom)
}

// GeomBodyID is the body of every geom.
func (s *Sim) GeomBodyID() []int32 {
	return array[int32](s, s.model+layout.ModelGeomBodyid, s.n.geom)
}

// GeomGroup is the display group of every geom.
func (s *Sim) GeomGroup() []int32 {
	return array[int32](s, s.model+layout.ModelGeomGroup, s.n.geom)
}

// GeomConType is the contact type bits of every geom.
func (s *Sim) GeomConType() []int32 {
	return array[int32](s, s.model+layout.ModelGeomContype, s.n.geom)
}

// GeomConAffinity is the contact affinity bits of every geom.
func (s *Sim) GeomConAffinity() []int32 {
	return array[int32](s, s.model+layout.ModelGeomConaffinity, s.n.geom)
}

// GeomConDim is the contact dimension of every geom: 1, 3, 4 or 6.
func (s *Sim) GeomConDim() []int32 {
	return array[int32](s, s.model+layout.ModelGeomCondim, s.n.geom)
}

// GeomDataID is the mesh of every geom, -1 for none.
func (s *Sim) GeomDataID() []int32 {
	return array[int32](s, s.model+layout.ModelGeomDataid, s.n.geom)
}

// GeomMatID is the material of every geom, -1 for none.
func (s *Sim) GeomMatID() []int32 {
	return array[int32](s, s.model+layout.ModelGeomMatid, s.n.geom)
}

// GeomSize is the size of every geom, 3 values as MuJoCo defines them for its type: half lengths, radius first.
func (s *Sim) GeomSize() []float64 {
	return array[float64](s, s.model+layout.ModelGeomSize, 3*s.n.geom)
}

// GeomRBound is the radius of a sphere around every geom, 0 for a plane.
func (s *Sim) GeomRBound() []float64 {
	return array[float64](s, s.model+layout.ModelGeomRbound, s.n.geom)
}

// GeomPos is the position of every geom in its body.
func (s *Sim) GeomPos() []float64 {
	return array[float64](s, s.model+layout.ModelGeomPos, 3*s.n.geom)
}

// GeomQuat is the orientation of every geom in its body.
func (s *Sim) GeomQuat() []float64 {
	return array[float64](s, s.model+layout.ModelGeomQuat, 4*s.n.geom)
}

// GeomFriction is the sliding, torsional and rolling friction of every geom.
func (s *Sim) GeomFriction() []float64 {
	return array[float64](s, s.model+layout.ModelGeomFriction, 3*s.n.geom)
}

// GeomSolRef is the solver reference (time constant, damping ratio) of every geom.
func (s *Sim) GeomSolRef() []float64 {
	return array[float64](s, s.model+layout.ModelGeomSolref, 2*s.n.geom)
}

// GeomMargin is the contact margin of every geom in metres.
func (s *Sim) GeomMargin() []float64 {
	return array[float64](s, s.model+layout.ModelGeomMargin, s.n.geom)
}

// GeomRGBA is the colour of every geom, 0 to 1; a material overrides it.
func (s *Sim) GeomRGBA() []float32 {
	return array[float32](s, s.model+layout.ModelGeomRgba, 4*s.n.geom)
}

// MatRGBA is the colour of every material, 0 to 1.
func (s *Sim) MatRGBA() []float32 {
	return array[float32](s, s.model+layout.ModelMatRgba, 4*s.n.mat)
}

// MatSpecular is the specular part of every material, 0 to 1.
func (s *Sim) MatSpecular() []float32 {
	return array[float32](s, s.model+layout.ModelMatSpecular, s.n.mat)
}

// MatShininess is the shininess of every material, 0 to 1.
func (s *Sim) MatShininess() []float32 {
	return array[float32](s, s.model+layout.ModelMatShininess, s.n.mat)
}

// SiteBodyID is the body of every site.
func (s *Sim) SiteBodyID() []int32 {
	return array[int32](s, s.model+layout.ModelSiteBodyid, s.n.site)
}

// SitePos is the position of every site in its body.
func (s *Sim) SitePos() []float64 {
	return array[float64](s, s.model+layout.ModelSitePos, 3*s.n.site)
}

// SiteQuat is the orientation of every site in its body.
func (s *Sim) SiteQuat() []float64 {
	return array[float64](s, s.model+layout.ModelSiteQuat, 4*s.n.site)
}

// CamBodyID is the body of every camera, 0 for one fixed in the world.
func (s *Sim) CamBodyID() []int32 {
	return array[int32](s, s.model+layout.ModelCamBodyid, s.n.cam)
}

// CamFovy is the vertical field of view of every camera, in degrees.
func (s *Sim) CamFovy() []float64 {
	return array[float64](s, s.model+layout.ModelCamFovy, s.n.cam)
}

// CamResolution is the width and height of every camera in pixels.
func (s *Sim) CamResolution() []int32 {
	return array[int32](s, s.model+layout.ModelCamResolution, 2*s.n.cam)
}

// MeshVertAdr is the first vertex of every mesh, counted in vertices of MeshVert.
func (s *Sim) MeshVertAdr() []int32 {
	return array[int32](s, s.model+layout.ModelMeshVertadr, s.n.mesh)
}

// MeshVertNum is the number of vertices of every mesh.
func (s *Sim) MeshVertNum() []int32 {
	return array[int32](s, s.model+layout.ModelMeshVertnum, s.n.mesh)
}

// MeshNormalAdr is the first normal of every mesh.
func (s *Sim) MeshNormalAdr() []int32 {
	return array[int32](s, s.model+layout.ModelMeshNormaladr, s.n.mesh)
}

// MeshNormalNum is the number of normals of every mesh.
func (s *Sim) MeshNormalNum() []int32 {
	return array[int32](s, s.model+layout.ModelMeshNormalnum, s.n.mesh)
}

// MeshFaceAdr is the first face of every mesh, counted in faces of MeshFace.
func (s *Sim) MeshFaceAdr() []int32 {
	return array[int32](s, s.model+layout.ModelMeshFaceadr, s.n.mesh)
}

// MeshFaceNum is the number of faces of every mesh.
func (s *Sim) MeshFaceNum() []int32 {
	return array[int32](s, s.model+layout.ModelMeshFacenum, s.n.mesh)
}

// MeshVert is all vertices of all meshes in their geom frames, 3 values a vertex.
func (s *Sim) MeshVert() []float32 {
	return array[float32](s, s.model+layout.ModelMeshVert, 3*s.n.meshvert)
}

// MeshNormal is all normals of all meshes.
func (s *Sim) MeshNormal() []float32 {
	return array[float32](s, s.model+layout.ModelMeshNormal, 3*s.n.meshnormal)
}

// MeshFace is all faces of all meshes: 3 vertex indices, counted from the mesh's first vertex.
func (s *Sim) MeshFace() []int32 {
	return array[int32](s, s.model+layout.ModelMeshFace, 3*s.n.meshface)
}

// MeshFaceNormal is the normal index of every corner of every face, counted from the mesh's first normal.
func (s *Sim) MeshFaceNormal() []int32 {
	return array[int32](s, s.model+layout.ModelMeshFacenormal, 3*s.n.meshface)
}

// ActuatorTrnID is what every actuator drives: for a joint transmission the joint id, then -1.
func (s *Sim) ActuatorTrnID() []int32 {
	return array[int32](s, s.model+layout.ModelActuatorTrnid, 2*s.n.actuator)
}

// ActuatorCtrlLimited is 1 for every actuator input with limits.
func (s *Sim) ActuatorCtrlLimited() []uint8 {
	return array[uint8](s, s.model+layout.ModelActuatorCtrllimited, s.n.u)
}

// ActuatorCtrlRange is the lower and upper limit of every actuator input.
func (s *Sim) ActuatorCtrlRange() []float64 {
	return array[float64](s, s.model+layout.ModelActuatorCtrlrange, 2*s.n.u)
}

// ActuatorForceLimited is 1 for every actuator with a force limit.
func (s *Sim) ActuatorForceLimited() []uint8 {
	return array[uint8](s, s.model+layout.ModelActuatorForcelimited, s.n.out)
}

// ActuatorForceRange is the lower and upper force limit of every actuator, N or N·m.
func (s *Sim) ActuatorForceRange() []float64 {
	return array[float64](s, s.model+layout.ModelActuatorForcerange, 2*s.n.out)
}

// SensorType is the mjtSensor type of every sensor.
func (s *Sim) SensorType() []int32 {
	return array[int32](s, s.model+layout.ModelSensorType, s.n.sensor)
}

// SensorAdr is where every sensor begins in Sensordata.
func (s *Sim) SensorAdr() []int32 {
	return array[int32](s, s.model+layout.ModelSensorAdr, s.n.sensor)
}

// SensorDim is the number of values of every sensor.
func (s *Sim) SensorDim() []int32 {
	return array[int32](s, s.model+layout.ModelSensorDim, s.n.sensor)
}

// KeyQPos is QPos of every keyframe, NQ values a key.
func (s *Sim) KeyQPos() []float64 {
	return array[float64](s, s.model+layout.ModelKeyQpos, s.n.key*s.n.q)
}

// KeyCtrl is Ctrl of every keyframe, NU values a key.
func (s *Sim) KeyCtrl() []float64 {
	return array[float64](s, s.model+layout.ModelKeyCtrl, s.n.key*s.n.u)
}

// LightDir is the direction of every light in its body.
func (s *Sim) LightDir() []float64 {
	return array[float64](s, s.model+layout.ModelLightDir, 3*s.n.light)
}

// LightAmbient is the ambient colour of every light.
func (s *Sim) LightAmbient() []float32 {
	return array[float32](s, s.model+layout.ModelLightAmbient, 3*s.n.light)
}

// LightDiffuse is the diffuse colour of every light.
func (s *Sim) LightDiffuse() []float32 {
	return array[float32](s, s.model+layout.ModelLightDiffuse, 3*s.n.light)
}
