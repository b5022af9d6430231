package main

import (
	"math"

	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
)

var trackers control.TrackerFactory

func describe(string) (*robot.Description, map[string][]float64, error) {
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
	for _, j := range chain.Joints {
		fields = append(fields, robot.Field{Name: j.Name, Unit: "rad", NoiseFloor: 0.002, StillSpeed: 0.02})
	}
	for _, axis := range []string{"x", "y", "z"} {
		fields = append(fields, robot.Field{Name: axis, Unit: "m", NoiseFloor: 0.0005, StillSpeed: 0.005})
	}
	return &robot.Description{Name: "tabletop", Modules: []robot.Module{
		{Name: "right_arm", Kind: robot.KindArm, Fields: fields, Arm: &robot.Arm{
			Chain: chain, MaxSpeed: speeds, Gripper: "right_gripper",
			Workspace: geom.Box{Min: geom.Vec{X: -0.2, Y: -0.5}, Max: geom.Vec{X: 0.5, Y: 0.5, Z: 0.6}}, MinTipZ: 0.001, LinkRadius: 0.022,
		}},
		{Name: "right_gripper", Kind: robot.KindGripper, Fields: []robot.Field{{Name: "aperture_mm", Unit: "mm", NoiseFloor: 0.1, StillSpeed: 2}}, Gripper: &robot.Gripper{
			MaxApertureM: 0.070, MaxSpeed: 0.10, FingerM: geom.Vec{X: 0.016, Y: 0.008, Z: 0.050}, MaxForceN: 8,
		}},
		{Name: "front_camera", Kind: robot.KindCamera, Fields: image, Camera: &robot.Camera{
			Intrinsics: geom.Pinhole(640, 480, geom.Rad(48)), Mount: robot.MountFixed, InWorld: front, Depth: true,
		}},
		{Name: "right_wrist_camera", Kind: robot.KindCamera, Fields: image, Camera: &robot.Camera{
			Intrinsics: geom.Pinhole(640, 480, geom.Rad(70)), Mount: robot.MountMoving, Arm: "right_arm", InTool: inTool, Depth: true,
		}},
	}}, map[string][]float64{"right_arm": geom.DefaultArmShape().Home()}, nil
}
