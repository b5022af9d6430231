// Package simtest opens simulated robots for tests.
//
// Its one invariant: a robot that it opens is closed when the test ends.
package simtest

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	simrobot "github.com/rein-robotics/rein/robot/sim"
	"github.com/rein-robotics/rein/sim"
	"github.com/rein-robotics/rein/sim/mujoco"
)

// The module names of Description.
const (
	Arm     = "right_arm"
	Gripper = "right_gripper"
	Front   = "front_camera"
	Wrist   = "right_wrist_camera"
)

// Description is the embedded arm with both cameras, of pictures width × height.
func Description(width, height int) *robot.Description {
	chain := geom.DefaultArmShape().Chain()
	speeds := make([]float64, len(chain.Joints))
	for i := range speeds {
		speeds[i] = 1.5
	}
	const tilt = 22 * math.Pi / 180
	eye := geom.Vec{X: 0.05, Z: -0.085}
	inTool := geom.LookAt(eye, geom.Vec{X: eye.X - math.Sin(tilt), Z: eye.Z + math.Cos(tilt)}, geom.Vec{X: 1})
	front := geom.LookAt(geom.Vec{X: 0.02, Z: 0.80}, geom.Vec{X: 0.25}, geom.Vec{Z: 1})
	image := []robot.Field{{Name: "image"}}
	var fields []robot.Field
	for i := range chain.Joints {
		fields = append(fields, robot.Field{Name: chain.Joints[i].Name, Unit: "rad", NoiseFloor: 0.002, StillSpeed: 0.02})
	}
	for _, axis := range [3]string{"x", "y", "z"} {
		fields = append(fields, robot.Field{Name: axis, Unit: "m", NoiseFloor: 0.0005, StillSpeed: 0.005})
	}
	return &robot.Description{Name: "tabletop", Modules: []robot.Module{
		{Name: Arm, Kind: robot.KindArm, Fields: fields, Arm: &robot.Arm{
			Chain: chain, MaxSpeed: speeds, Gripper: Gripper,
			Workspace: geom.Box{Min: geom.Vec{X: -0.2, Y: -0.5}, Max: geom.Vec{X: 0.5, Y: 0.5, Z: 0.6}}, MinTipZ: 0.001, LinkRadius: 0.022,
		}},
		{Name: Gripper, Kind: robot.KindGripper, Fields: []robot.Field{{Name: "aperture_mm", Unit: "mm", NoiseFloor: 0.3, StillSpeed: 2}}, Gripper: &robot.Gripper{
			MaxApertureM: 0.070, MaxSpeed: 0.10, FingerM: geom.Vec{X: 0.016, Y: 0.008, Z: 0.050}, MaxForceN: 8,
		}},
		{Name: Front, Kind: robot.KindCamera, Fields: image, Camera: &robot.Camera{
			Intrinsics: geom.Pinhole(width, height, geom.Rad(48)), Mount: robot.MountFixed, InWorld: front, Depth: true,
		}},
		{Name: Wrist, Kind: robot.KindCamera, Fields: image, Camera: &robot.Camera{
			Intrinsics: geom.Pinhole(width, height, geom.Rad(70)), Mount: robot.MountMoving, Arm: Arm, InTool: inTool, Depth: true,
		}},
	}}
}

// Config is Description at 160 × 120 pixels in the home pose, on a scene file's text.
func Config(tb testing.TB, e *mujoco.Engine, scene string) simrobot.Config {
	tb.Helper()
	s, err := sim.Parse("scene.yaml", []byte(scene))
	if err != nil {
		tb.Fatal(err)
	}
	return simrobot.Config{
		Description: Description(160, 120), Home: map[string][]float64{Arm: geom.DefaultArmShape().Home()}, Scene: s, Engine: e,
	}
}

// theEngine is the process's: opening one costs a tenth of a second, and nothing in it changes.
var theEngine = sync.OnceValues(func() (*mujoco.Engine, error) {
	return mujoco.Open(context.Background(), mujoco.Options{})
})

// Engine is the physics engine, opened once for all tests of the process.
func Engine(tb testing.TB) *mujoco.Engine {
	tb.Helper()
	e, err := theEngine()
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// Open opens a robot.
func Open(tb testing.TB, c simrobot.Config) *simrobot.Robot {
	tb.Helper()
	r, err := simrobot.Open(tb.Context(), c)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := r.Close(); err != nil {
			tb.Error(err)
		}
	})
	return r
}

// Batteries is a scene of n lying batteries and a white box, with the task to put them into it.
func Batteries(n int) string {
	var text strings.Builder
	text.WriteString("name: batteries\nseed_jitter: {xy_m: 0.02, yaw_deg: 180}\nobjects:\n")
	for i := range n {
		fmt.Fprintf(&text, "  - {name: battery_%d, kind: battery, shape: cylinder, radius_m: 0.007, length_m: 0.05, mass_kg: 0.023,\n"+
			"     color: [0.75, 0.55, 0.2], pose: {xy: [%.2f, %.2f], yaw_deg: 30}}\n", i+1, 0.20+0.09*float64(i%2), -0.05-0.1*float64(i/2))
	}
	return text.String() + `  - {name: white_box, kind: box, shape: open_box, inner_m: [0.12, 0.16, 0.06], wall_m: 0.004, color: [1, 1, 1],
     pose: {xy: [0.26, 0.16]}, fixed: true}
tasks:
  - instruction: put all the batteries in the white box
    success: {all_inside: {objects: {kind: battery}, container: white_box}}
`
}
