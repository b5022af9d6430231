package config

// Robot is robot.yaml: which robot, and what it is made of.
type Robot struct {
	// Which robot this is. `sim` is the embedded simulator.
	Robot string `yaml:"robot" check:"required,oneof=sim"`
	// The robot's name, for people.
	Name string `yaml:"name" check:"required,name"`
	// Which of the configuration's scenes the simulator shows when no other is asked for.
	Scene string `yaml:"scene" check:"name"`
	// The robot's parts. Everything else calls them by their names.
	Modules []Module `yaml:"modules" check:"required,size=1"`
}

// DefaultScene is the scene of a configuration that names none.
const DefaultScene = "tabletop"

// SetDefaults gives the values of keys that are left out.
func (r *Robot) SetDefaults() { r.Scene = DefaultScene }

// Validate checks the names of modules against each other.
func (r *Robot) Validate(c *Check) {
	kinds := map[string]string{}
	for i, m := range r.Modules {
		if _, twice := kinds[m.Name]; twice {
			c.Errorf(item("modules", i)+".name", "give each module a name of its own", "two modules are called %q", m.Name)
		}
		kinds[m.Name] = m.kind()
	}
	refer := func(path, name, kind string) {
		if name != "" && kinds[name] != kind {
			c.Errorf(path, "", "no %s is called %q%s", kind, name, didYouMean(name, sortedKeys(kinds)))
		}
	}
	for i, m := range r.Modules {
		switch at := item("modules", i); {
		case m.Arm != nil:
			refer(at+".arm.gripper", m.Arm.Gripper, "gripper")
		case m.Camera != nil:
			refer(at+".camera.arm", m.Camera.Arm, "arm")
		}
	}
}

// Module is one part of the robot: an arm, a gripper or a camera.
type Module struct {
	// Its name, in fields (`right_arm/x`), tools and logs.
	Name string `yaml:"name" check:"required,name"`
	// What an arm is.
	Arm *Arm `yaml:"arm"`
	// What a gripper is.
	Gripper *Gripper `yaml:"gripper"`
	// What a camera is.
	Camera *Camera `yaml:"camera"`
}

func (m *Module) kind() string {
	switch {
	case m.Arm != nil:
		return "arm"
	case m.Gripper != nil:
		return "gripper"
	case m.Camera != nil:
		return "camera"
	}
	return ""
}

// Validate wants just one of the kinds.
func (m *Module) Validate(c *Check) {
	n := 0
	for _, is := range []bool{m.Arm != nil, m.Gripper != nil, m.Camera != nil} {
		if is {
			n++
		}
	}
	if n != 1 {
		c.Errorf("", "give it one of the keys arm, gripper, camera", "a module is just one of arm, gripper and camera")
	}
}

// Arm is a six-joint arm with a spherical wrist: shoulder_pan, shoulder_lift, elbow_flex, wrist_flex, wrist_yaw,
// wrist_roll. Its foot stands at the world's origin.
type Arm struct {
	// The gripper that it carries.
	Gripper string `yaml:"gripper" check:"name"`
	// Its lengths.
	Shape ArmShape `yaml:"shape" check:"required"`
	// Its joints, from the foot to the wrist; all six.
	Joints Joints `yaml:"joints" check:"required"`
	// Where the fingertips may be: two opposite corners of a box in the world, metres.
	WorkspaceM [2][3]float64 `yaml:"workspace_m" check:"required"`
	// How far above the table the fingertips stay at least, metres.
	MinTipZM float64 `yaml:"min_tip_z_m" check:"min=0,max=0.1"`
	// Half the thickness of a link, metres.
	LinkRadiusM float64 `yaml:"link_radius_m" check:"above=0,max=0.2"`
	// A change of the fingertips' place up to this is no motion, metres.
	PlaceNoiseM float64 `yaml:"place_noise_m" check:"min=0"`
	// A change of the gripper's direction up to this is no motion, degrees.
	TurnNoiseDeg float64 `yaml:"turn_noise_deg" check:"min=0"`
	// Fingertips slower than this are at rest, metres a second.
	PlaceStillMS float64 `yaml:"place_still_m_s" check:"above=0"`
}

// Defaults of an arm.
const (
	DefaultMinTipZM     = 0.001
	DefaultLinkRadiusM  = 0.02
	DefaultPlaceNoiseM  = 0.0005
	DefaultTurnNoiseDeg = 0.3
	DefaultPlaceStillMS = 0.005
)

// SetDefaults gives the values of keys that are left out.
func (a *Arm) SetDefaults() {
	a.MinTipZM, a.LinkRadiusM = DefaultMinTipZM, DefaultLinkRadiusM
	a.PlaceNoiseM, a.TurnNoiseDeg, a.PlaceStillMS = DefaultPlaceNoiseM, DefaultTurnNoiseDeg, DefaultPlaceStillMS
}

// Validate checks that the workspace is a box.
func (a *Arm) Validate(c *Check) {
	for i, axis := range []string{"x", "y", "z"} {
		if a.WorkspaceM[0][i] >= a.WorkspaceM[1][i] {
			c.Errorf("workspace_m", "write the smaller corner first", "the workspace has no extent along %s", axis)
		}
	}
}

// ArmShape is the lengths of an arm, metres.
type ArmShape struct {
	// How high the shoulder is above the table.
	ShoulderUpM float64 `yaml:"shoulder_up_m" check:"required,above=0,max=2"`
	// How far the shoulder is in front of the foot's axis.
	ShoulderForwardM float64 `yaml:"shoulder_forward_m" check:"min=0,max=1"`
	// From shoulder to elbow.
	UpperArmM float64 `yaml:"upper_arm_m" check:"required,above=0,max=2"`
	// From elbow to wrist.
	ForearmM float64 `yaml:"forearm_m" check:"required,above=0,max=2"`
	// From the wrist's centre to the point between the fingertips.
	WristToTipM float64 `yaml:"wrist_to_tip_m" check:"required,above=0,max=1"`
	// From the wrist's centre to the joint that rolls the gripper; a part of wrist_to_tip_m.
	RollForwardM float64 `yaml:"roll_forward_m" check:"min=0,max=1"`
}

// Joints are the joints of an arm.
type Joints struct {
	// Turns the arm about the vertical; positive to the left.
	ShoulderPan Joint `yaml:"shoulder_pan" check:"required"`
	// Lowers the upper arm when positive; 0 is level.
	ShoulderLift Joint `yaml:"shoulder_lift" check:"required"`
	// Bends the forearm down; 0 is stretched.
	ElbowFlex Joint `yaml:"elbow_flex" check:"required"`
	// Bends the gripper down; 0 is in line with the forearm.
	WristFlex Joint `yaml:"wrist_flex" check:"required"`
	// Turns the gripper sideways; positive to the left.
	WristYaw Joint `yaml:"wrist_yaw" check:"required"`
	// Turns the gripper about its own axis.
	WristRoll Joint `yaml:"wrist_roll" check:"required"`
}

// All are the joints in the order of the chain.
func (j Joints) All() [6]Joint {
	return [6]Joint{j.ShoulderPan, j.ShoulderLift, j.ElbowFlex, j.WristFlex, j.WristYaw, j.WristRoll}
}

// Joint is one joint.
type Joint struct {
	// Lowest and highest angle, degrees.
	LimitsDeg [2]float64 `yaml:"limits_deg" check:"required,min=-360,max=360"`
	// Its fastest turn, degrees a second.
	MaxSpeedDegS float64 `yaml:"max_speed_deg_s" check:"above=0,max=720"`
	// A change up to this is no motion, degrees.
	NoiseDeg float64 `yaml:"noise_deg" check:"min=0"`
	// Slower than this is at rest, degrees a second.
	StillDegS float64 `yaml:"still_deg_s" check:"above=0"`
}

// Defaults of a joint.
const (
	DefaultMaxSpeedDegS = 86.0 // 1.5 rad/s
	DefaultNoiseDeg     = 0.1
	DefaultStillDegS    = 1.0
)

// SetDefaults gives the values of keys that are left out.
func (j *Joint) SetDefaults() {
	j.MaxSpeedDegS, j.NoiseDeg, j.StillDegS = DefaultMaxSpeedDegS, DefaultNoiseDeg, DefaultStillDegS
}

// Validate checks that the joint can turn.
func (j *Joint) Validate(c *Check) {
	if j.LimitsDeg[0] >= j.LimitsDeg[1] {
		c.Errorf("limits_deg", "write the lower limit first", "the joint cannot turn from %v to %v", j.LimitsDeg[0], j.LimitsDeg[1])
	}
}
