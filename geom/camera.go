package geom

import (
	"math"

	"gonum.org/v1/gonum/spatial/r3"
)

// Intrinsics is an ideal pinhole camera of Width × Height pixels. Fx, Fy are focal lengths and Cx, Cy the principal
// point, all in continuous pixels.
type Intrinsics struct {
	Width, Height  int
	Fx, Fy, Cx, Cy float64
}

// Pinhole is a camera with square pixels, the principal point in the image's middle and the vertical field of view
// fovy in radians.
func Pinhole(width, height int, fovy float64) Intrinsics {
	f := float64(height) / 2 / math.Tan(fovy/2)
	return Intrinsics{Width: width, Height: height, Fx: f, Fy: f, Cx: float64(width) / 2, Cy: float64(height) / 2}
}

// Project maps a point of the camera frame to continuous pixels; ok is false for a point behind the camera.
// The result may lie outside the image.
func (in Intrinsics) Project(p Vec) (u, v float64, ok bool) {
	if p.Z <= 0 {
		return 0, 0, false
	}
	return in.Cx + in.Fx*p.X/p.Z, in.Cy + in.Fy*p.Y/p.Z, true
}

// Unproject is the point of the camera frame seen at (u, v) with the given depth along the optical axis.
func (in Intrinsics) Unproject(u, v, depth float64) Vec {
	return Vec{X: (u - in.Cx) / in.Fx * depth, Y: (v - in.Cy) / in.Fy * depth, Z: depth}
}

// LookAt is the camera pose at eye whose optical axis goes through target, with image-up as close to up as it can be.
// When the axis is parallel to up, up must be chosen otherwise by the caller.
func LookAt(eye, target, up Vec) Pose {
	z := r3.Unit(r3.Sub(target, eye))
	x := r3.Unit(r3.Cross(z, up))
	y := r3.Cross(z, x)
	return Pose{Pos: eye, Rot: RotFromMat([9]float64{x.X, y.X, z.X, x.Y, y.Y, z.Y, x.Z, y.Z, z.Z})}
}
