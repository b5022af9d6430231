package mujoco

// Kind says which list of named elements an id counts in. The values are those of mjtObj.
type Kind int

// The kinds of elements that have names.
const (
	KindBody     Kind = 1
	KindJoint    Kind = 3
	KindGeom     Kind = 5
	KindSite     Kind = 6
	KindCamera   Kind = 7
	KindLight    Kind = 8
	KindMesh     Kind = 10
	KindMaterial Kind = 14
	KindPair     Kind = 15
	KindEquality Kind = 17
	KindTendon   Kind = 18
	KindActuator Kind = 19
	KindSensor   Kind = 20
	KindNumeric  Kind = 21
	KindText     Kind = 22
	KindKey      Kind = 24
)

// Geom types: the values found in Sim.GeomType.
const (
	GeomPlane     int32 = 0
	GeomHfield    int32 = 1
	GeomSphere    int32 = 2
	GeomCapsule   int32 = 3
	GeomEllipsoid int32 = 4
	GeomCylinder  int32 = 5
	GeomBox       int32 = 6
	GeomMesh      int32 = 7
)

// Joint types: the values found in Sim.JntType.
const (
	JointFree  int32 = 0
	JointBall  int32 = 1
	JointSlide int32 = 2
	JointHinge int32 = 3
)
