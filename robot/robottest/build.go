package robottest

import (
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
)

// addSet adds the modules of one set whose arm's foot stands at base.
func (f *Fake) addSet(s Set, base geom.Pose, image [2]int) {
	shape := geom.DefaultArmShape()
	chain := shape.Chain().Placed(base)
	if s.Arm != "" {
		f.arms[s.Arm] = newArmServo(chain, shape.Home())
		f.desc.Modules = append(f.desc.Modules, armModule(s, chain, base))
	}
	if s.Gripper != "" {
		f.grips[s.Gripper] = &gripServo{axis: axis{pos: gripOpen, target: gripOpen, fastest: gripSpeed, accel: gripAccel}}
		f.desc.Modules = append(f.desc.Modules, robot.Module{
			Name: s.Gripper, Kind: robot.KindGripper,
			Fields:  []robot.Field{{Name: "aperture_mm", Unit: "mm", NoiseFloor: 0.05, StillSpeed: stillM * 1000}},
			Gripper: &robot.Gripper{MaxApertureM: gripOpen, MaxSpeed: gripSpeed, FingerM: geom.Vec{X: 0.02, Y: 0.01, Z: 0.05}, MaxForceN: gripForce},
		})
	}
	in := geom.Pinhole(image[0], image[1], geom.Rad(48))
	if s.Camera != "" {
		at := base.Apply(geom.Vec{X: 0.02, Z: 0.8})
		f.addCamera(s.Camera, robot.Camera{
			Intrinsics: in, Mount: robot.MountFixed, Depth: true,
			InWorld: geom.LookAt(at, base.Apply(geom.Vec{X: 0.25}), geom.Vec{X: 1}),
		})
	}
	if s.WristCamera != "" {
		f.addCamera(s.WristCamera, robot.Camera{
			Intrinsics: in, Mount: robot.MountMoving, Depth: true, Arm: s.Arm,
			InTool: geom.Pose{Pos: geom.Vec{X: 0.05, Z: -0.1}, Rot: geom.Rot{Real: 1}},
		})
	}
}

func armModule(s Set, chain geom.Chain, base geom.Pose) robot.Module {
	m := robot.Module{Name: s.Arm, Kind: robot.KindArm, Arm: &robot.Arm{
		Chain: chain, Gripper: s.Gripper, MinTipZ: 0.001, LinkRadius: 0.02,
		Workspace: geom.Box{
			Min: base.Apply(geom.Vec{X: -0.6, Y: -0.6}), Max: base.Apply(geom.Vec{X: 0.6, Y: 0.6, Z: 0.8}),
		},
	}}
	for _, j := range chain.Joints {
		m.Fields = append(m.Fields, robot.Field{Name: j.Name, Unit: "rad", NoiseFloor: 0.001, StillSpeed: stillRad})
		m.Arm.MaxSpeed = append(m.Arm.MaxSpeed, armSpeed)
	}
	for _, axis := range []string{"x", "y", "z"} {
		m.Fields = append(m.Fields, robot.Field{Name: axis, Unit: "m", NoiseFloor: 0.0005, StillSpeed: 0.005})
	}
	return m
}

func (f *Fake) addCamera(name string, c robot.Camera) {
	f.cameras[name] = &camera{Camera: c}
	f.desc.Modules = append(f.desc.Modules, robot.Module{
		Name: name, Kind: robot.KindCamera, Fields: []robot.Field{{Name: "image"}}, Camera: &c,
	})
}
