// Package robot holds the words for bodies: modules, fields, readings, frames, commands, and Robot, the one door to the
// actuators.
//
// Its one invariant: nothing moves but by a Command that went through Robot.Do, and only the control loop calls it.
package robot

import (
	"context"
	"image"
	"time"

	"github.com/rein-robotics/rein/geom"
)

// ModuleKind says what a module can do.
type ModuleKind string

// The kinds of modules that exist.
const (
	KindArm     ModuleKind = "arm"
	KindGripper ModuleKind = "gripper"
	KindCamera  ModuleKind = "camera"
	KindBase    ModuleKind = "base"
)

// Mount says whether a camera's pose can change.
type Mount string

// A fixed camera never moves; a moving one is carried by an arm.
const (
	MountFixed  Mount = "fixed"
	MountMoving Mount = "moving"
)

// Module is one part of the robot. It is fixed when the robot is opened.
type Module struct {
	Name   string
	Kind   ModuleKind
	Fields []Field

	Arm     *Arm     // set for an arm
	Gripper *Gripper // set for a gripper
	Camera  *Camera  // set for a camera
}

// Field is one typed quantity that a module reports.
type Field struct {
	Name       string
	Unit       string  // "m", "mm", "rad", "" for a camera image
	NoiseFloor float64 // a change up to this is no motion, in Unit
	StillSpeed float64 // slower than this is at rest, in Unit per second; 0 = the field says nothing about rest
}

// Arm describes a serial arm. Joint values are radians in the order of Chain.
type Arm struct {
	Chain      geom.Chain // kinematics without the engine; zero when TakesPose
	MaxSpeed   []float64  // rad/s for each joint
	TakesPose  bool       // the robot does its own inverse kinematics and takes Cartesian targets
	Gripper    string     // the gripper module that the arm carries; "" = none
	Workspace  geom.Box   // where the fingertips may be, world frame
	MinTipZ    float64    // metres above the table that the fingertips keep at least
	LinkRadius float64    // metres; half the thickness of a link, to know what the arm hides from a camera
}

// Gripper describes a parallel gripper.
type Gripper struct {
	MinApertureM, MaxApertureM float64
	MaxSpeed                   float64  // m/s of the aperture
	FingerM                    geom.Vec // size of one finger along the tool's x, y (thickness) and z (length)
	MaxForceN                  float64
}

// Camera describes a camera of the robot. Field of the image: "image".
type Camera struct {
	Intrinsics geom.Intrinsics // of the whole capture
	Mount      Mount
	Arm        string    // the arm that carries a moving camera
	InTool     geom.Pose // pose of a moving camera in the tool frame of Arm
	InWorld    geom.Pose // pose of a fixed camera
	Depth      bool      // frames carry depth
}

// Description is what a robot is. It is fixed when the robot is opened, and shared: nobody changes it.
type Description struct {
	Name    string
	Modules []Module
}

// Module finds a module by its name, or nil.
func (d *Description) Module(name string) *Module {
	for i := range d.Modules {
		if d.Modules[i].Name == name {
			return &d.Modules[i]
		}
	}
	return nil
}

// Readings is one snapshot of everything but images. It is immutable: a robot makes a new one each control period.
type Readings struct {
	Seq      uint64              // grows by one each control period
	At       time.Duration       // robot clock
	Arms     map[string]ArmState // by module
	Grippers map[string]GripperState
}

// ArmState is what an arm feels.
type ArmState struct {
	Joints   []float64 // rad, in the order of the chain
	Speeds   []float64 // rad/s
	Targets  []float64 // rad; what the servos were last told
	Efforts  []float64 // N·m of each servo; nil when the arm has no such sensor
	Tip      geom.Pose // of the tool frame in the world: origin between the fingertips, z out of the gripper, y the closing axis
	TipSpeed float64   // m/s
}

// GripperState is what a gripper feels.
type GripperState struct {
	ApertureM float64
	SpeedMS   float64
	TargetM   float64
	ForceN    float64 // of the servo, positive = closing; it says nothing sure about a grip
}

// Owner says who decided on a command.
type Owner string

// The owners.
const (
	OwnerAgent    Owner = "agent"
	OwnerOperator Owner = "operator"
	OwnerHarness  Owner = "harness" // holds and stops
)

// Target is what a command asks of one module. Exactly one of the pointers or slices is set.
type Target struct {
	Module    string
	Joints    []float64  // rad; for an arm
	Pose      *geom.Pose // tool frame in the world; for an arm that TakesPose
	ApertureM *float64   // for a gripper
	ForceN    float64    // limit of a gripper's force; 0 = the gripper's own limit
	Hold      bool       // stay where the module is now
}

// Command is the only thing that moves a robot.
type Command struct {
	Owner      Owner
	Generation uint64
	Action     string        // id of the action that decided it; "" for the operator's and the harness's
	IssuedAt   time.Duration // robot clock; the shield refuses an old one
	Target     Target
}

// Quality chooses between a picture for a model's eyes and a quick one.
type Quality int

// Plain is for trackers, detectors and patches; Fine is anti-aliased with soft light, for images a model sees.
const (
	Plain Quality = iota
	Fine
)

// FrameRequest asks for one picture.
type FrameRequest struct {
	Camera  string          // module
	Region  image.Rectangle // in capture pixels; empty = the whole capture
	Quality Quality
}

// Frame is one picture. It is immutable after it was made: nobody writes to its images.
type Frame struct {
	Camera     string // module
	Seq        uint64 // grows by one with every frame of the camera
	At         time.Duration
	Intrinsics geom.Intrinsics // of the whole capture, also when Region is a part
	Pose       geom.Pose       // camera frame in the world when it was taken
	Mount      Mount
	Region     image.Rectangle // what Color and Depth cover, in capture pixels; their bounds equal it
	Color      *image.RGBA
	Depth      *Depth // nil = the camera has none
}

// Depth is metric depth along the optical axis in metres; 0 = nothing came back.
type Depth struct {
	Rect image.Rectangle
	Pix  []float32 // row by row, Rect.Dx() a row
}

// At is the depth of one pixel, 0 outside.
func (d *Depth) At(x, y int) float64 {
	if d == nil || !(image.Point{X: x, Y: y}).In(d.Rect) {
		return 0
	}
	return float64(d.Pix[(y-d.Rect.Min.Y)*d.Rect.Dx()+x-d.Rect.Min.X])
}

// World is the world point that pixel (x, y) shows; ok is false where there is no depth.
func (f *Frame) World(x, y int) (p geom.Vec, ok bool) {
	d := f.Depth.At(x, y)
	if d <= 0 {
		return geom.Vec{}, false
	}
	return f.Pose.Apply(f.Intrinsics.Unproject(float64(x)+0.5, float64(y)+0.5, d)), true
}

// Robot is a body. Readings and Frame may be called from any goroutine; Do and Hold only from the control loop.
// Nobody steps a robot: it lives by its clock.
type Robot interface {
	Description() *Description
	// Readings is the newest snapshot; it never blocks.
	Readings() *Readings
	// Do hands one command to the actuators at once. An error means that it was not carried out.
	Do(Command) error
	// Frame takes a picture and waits for it: of the world as it stands at the call when time stands still, else of
	// the last finished control period, delivered one period later.
	Frame(ctx context.Context, r FrameRequest) (*Frame, error)
	// Err is the robot's standing fault, nil while it is well.
	Err() error
	Close() error
}
