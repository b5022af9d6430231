package config

import "math"

// Gripper is a parallel gripper.
type Gripper struct {
	// Smallest and largest distance between the fingers, millimetres.
	ApertureMM [2]float64 `yaml:"aperture_mm" check:"required,min=0,max=500"`
	// The fastest change of that distance, millimetres a second.
	MaxSpeedMMS float64 `yaml:"max_speed_mm_s" check:"above=0"`
	// One finger: its width, its thickness in the direction of closing, its length, millimetres.
	FingerMM [3]float64 `yaml:"finger_mm" check:"required,above=0,max=500"`
	// The strongest grip, newtons.
	MaxForceN float64 `yaml:"max_force_n" check:"above=0,max=200"`
	// A change up to this is no motion, millimetres.
	NoiseMM float64 `yaml:"noise_mm" check:"min=0"`
	// Slower than this is at rest, millimetres a second.
	StillMMS float64 `yaml:"still_mm_s" check:"above=0"`
}

// Defaults of a gripper.
const (
	DefaultGripSpeedMMS = 120.0
	DefaultGripForceN   = 8.0
	DefaultGripNoiseMM  = 0.2
	DefaultGripStillMMS = 1.5
)

// SetDefaults gives the values of keys that are left out.
func (g *Gripper) SetDefaults() {
	g.MaxSpeedMMS, g.MaxForceN, g.NoiseMM, g.StillMMS = DefaultGripSpeedMMS, DefaultGripForceN, DefaultGripNoiseMM, DefaultGripStillMMS
}

// Validate checks that the gripper can open.
func (g *Gripper) Validate(c *Check) {
	if g.ApertureMM[0] >= g.ApertureMM[1] {
		c.Errorf("aperture_mm", "write the smaller distance first", "the gripper cannot open from %v to %v mm", g.ApertureMM[0], g.ApertureMM[1])
	}
}

// Camera is a camera. Its field is called `image`.
type Camera struct {
	// `fixed` never moves; `moving` is carried by an arm.
	Mount string `yaml:"mount" check:"required,oneof=fixed|moving"`
	// The arm that carries a moving camera.
	Arm string `yaml:"arm" check:"name"`
	// Width and height of a picture, pixels.
	Size [2]int `yaml:"size" check:"required,min=16,max=4096"`
	// The vertical field of view, degrees.
	FovyDeg float64 `yaml:"fovy_deg" check:"required,above=1,below=170"`
	// Where it is, metres: in the world, or for a moving camera in the tool frame (origin between the fingertips, z out
	// of the gripper, y the closing axis).
	EyeM [3]float64 `yaml:"eye_m" check:"required,min=-10,max=10"`
	// What it looks at, in the same frame.
	LookAtM [3]float64 `yaml:"look_at_m" check:"required,min=-10,max=10"`
	// Which direction of that frame is up in the picture.
	Up [3]float64 `yaml:"up" check:"required,min=-1,max=1"`
	// Whether it measures depth, too.
	Depth bool `yaml:"depth"`
}

// Validate checks that the camera looks somewhere.
func (cam *Camera) Validate(c *Check) {
	switch {
	case cam.Mount == "moving" && cam.Arm == "":
		c.Errorf("mount", "add arm: and the name of the arm that carries it", "a moving camera is carried by an arm")
	case cam.Mount == "fixed" && cam.Arm != "":
		c.Errorf("arm", "remove it, or write mount: moving", "a fixed camera is carried by no arm")
	}
	var axis [3]float64
	for i := range axis {
		axis[i] = cam.LookAtM[i] - cam.EyeM[i]
	}
	cross := [3]float64{
		axis[1]*cam.Up[2] - axis[2]*cam.Up[1], axis[2]*cam.Up[0] - axis[0]*cam.Up[2], axis[0]*cam.Up[1] - axis[1]*cam.Up[0],
	}
	if math.Hypot(math.Hypot(cross[0], cross[1]), cross[2]) < 1e-6 {
		c.Errorf("up", "choose another direction", "up is the direction in which the camera looks, or nothing at all")
	}
}
