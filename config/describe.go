package config

import (
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
)

// Description is the robot as the rest of the program knows it. Its fields: of an arm one for each joint (rad), x, y, z (m,
// of the fingertips) and turn (rad, of the gripper); of a gripper aperture_mm; of a camera image.
func (r *Robot) Description() *robot.Description {
	d := &robot.Description{Name: r.Name}
	for _, m := range r.Modules {
		out := robot.Module{Name: m.Name, Kind: robot.ModuleKind(m.kind())}
		switch {
		case m.Arm != nil:
			out.Arm, out.Fields = m.Arm.describe()
		case m.Gripper != nil:
			out.Gripper, out.Fields = m.Gripper.describe()
		case m.Camera != nil:
			out.Camera = m.Camera.describe()
			out.Fields = []robot.Field{{Name: ImageField}}
		}
		d.Modules = append(d.Modules, out)
	}
	return d
}

// ImageField is the field of a camera that its pictures come on.
const ImageField = "image"

func (a *Arm) describe() (*robot.Arm, []robot.Field) {
	shape := geom.ArmShape{
		ShoulderUp: a.Shape.ShoulderUpM, ShoulderForward: a.Shape.ShoulderForwardM, UpperArm: a.Shape.UpperArmM,
		Forearm: a.Shape.ForearmM, WristToTip: a.Shape.WristToTipM, RollForward: a.Shape.RollForwardM,
	}
	out := &robot.Arm{
		Gripper: a.Gripper, Workspace: geom.Box{Min: vec(a.WorkspaceM[0]), Max: vec(a.WorkspaceM[1])},
		MinTipZ: a.MinTipZM, LinkRadius: a.LinkRadiusM,
	}
	joints := a.Joints.All()
	for i, j := range joints {
		shape.Limits[i] = [2]float64{geom.Rad(j.LimitsDeg[0]), geom.Rad(j.LimitsDeg[1])}
		out.MaxSpeed = append(out.MaxSpeed, geom.Rad(j.MaxSpeedDegS))
	}
	out.Chain = shape.Chain()
	var fields []robot.Field
	for i, j := range joints {
		fields = append(fields, robot.Field{
			Name: out.Chain.Joints[i].Name, Unit: "rad", NoiseFloor: geom.Rad(j.NoiseDeg), StillSpeed: geom.Rad(j.StillDegS),
		})
	}
	for _, axis := range []string{"x", "y", "z"} {
		fields = append(fields, robot.Field{Name: axis, Unit: "m", NoiseFloor: a.PlaceNoiseM, StillSpeed: a.PlaceStillMS})
	}
	return out, append(fields, robot.Field{Name: "turn", Unit: "rad", NoiseFloor: geom.Rad(a.TurnNoiseDeg)})
}

func (g *Gripper) describe() (*robot.Gripper, []robot.Field) {
	out := &robot.Gripper{
		MinApertureM: g.ApertureMM[0] / 1000, MaxApertureM: g.ApertureMM[1] / 1000, MaxSpeed: g.MaxSpeedMMS / 1000,
		FingerM:   geom.Vec{X: g.FingerMM[0] / 1000, Y: g.FingerMM[1] / 1000, Z: g.FingerMM[2] / 1000},
		MaxForceN: g.MaxForceN,
	}
	return out, []robot.Field{{Name: "aperture_mm", Unit: "mm", NoiseFloor: g.NoiseMM, StillSpeed: g.StillMMS}}
}

func (cam *Camera) describe() *robot.Camera {
	pose := geom.LookAt(vec(cam.EyeM), vec(cam.LookAtM), vec(cam.Up))
	out := &robot.Camera{
		Intrinsics: geom.Pinhole(cam.Size[0], cam.Size[1], geom.Rad(cam.FovyDeg)),
		Mount:      robot.Mount(cam.Mount), Arm: cam.Arm, Depth: cam.Depth,
	}
	if out.Mount == robot.MountMoving {
		out.InTool, out.InWorld = pose, geom.Identity()
	} else {
		out.InWorld, out.InTool = pose, geom.Identity()
	}
	return out
}

func vec(a [3]float64) geom.Vec { return geom.Vec{X: a[0], Y: a[1], Z: a[2]} }
