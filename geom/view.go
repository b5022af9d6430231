package geom

import "gonum.org/v1/gonum/spatial/r3"

// View is a camera where it stands: Pose is its frame in the world.
type View struct {
	Intrinsics Intrinsics
	Pose       Pose
}

// Pixel maps a world point to continuous pixels and its depth in metres; ok is false for a point behind the camera. The
// result may lie outside the image.
func (v View) Pixel(p Vec) (x, y, depth float64, ok bool) {
	c := v.Pose.Inv().Apply(p)
	x, y, ok = v.Intrinsics.Project(c)
	return x, y, c.Z, ok
}

// Sees says whether the world point p lies in front of the camera and within its image.
func (v View) Sees(p Vec) bool {
	x, y, _, ok := v.Pixel(p)
	return ok && x >= 0 && y >= 0 && x < float64(v.Intrinsics.Width) && y < float64(v.Intrinsics.Height)
}

// World is the world point seen at continuous pixel (x, y) with the given depth along the optical axis.
func (v View) World(x, y, depth float64) Vec {
	return v.Pose.Apply(v.Intrinsics.Unproject(x, y, depth))
}

// Ray is the world ray through continuous pixel (x, y): its start is the camera, its direction has unit length.
func (v View) Ray(x, y float64) (start, direction Vec) {
	return v.Pose.Pos, r3.Unit(Rotate(v.Pose.Rot, v.Intrinsics.Unproject(x, y, 1)))
}
