package render_test

import (
	"math"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/sim/render"
)

func at(x, y, z float64) geom.Pose {
	return geom.Pose{Pos: geom.Vec{X: x, Y: y, Z: z}, Rot: geom.Rot{Real: 1}}
}

func turned(p geom.Pose, rs ...geom.Rot) geom.Pose {
	for _, r := range rs {
		p.Rot = geom.MulRot(p.Rot, r)
	}
	return p
}

func size(x, y, z float64) geom.Vec { return geom.Vec{X: x, Y: y, Z: z} }

func rgba(r, g, b float32) [4]float32 { return [4]float32{r, g, b, 1} }

// frontCamera is the fixed camera of the embedded arm.
func frontCamera(w, h int) render.Camera {
	return render.Camera{
		Intrinsics: geom.Pinhole(w, h, 48*math.Pi/180),
		Pose:       geom.LookAt(geom.Vec{X: 0.02, Z: 0.80}, geom.Vec{X: 0.25}, geom.Vec{Z: 1}),
	}
}

// filmCamera looks at the table from the side.
func filmCamera(w, h int) render.Camera {
	return render.Camera{
		Intrinsics: geom.Pinhole(w, h, 40*math.Pi/180),
		Pose:       geom.LookAt(geom.Vec{X: 0.85, Y: -0.55, Z: 0.55}, geom.Vec{X: 0.17, Y: 0.02, Z: 0.06}, geom.Vec{Z: 1}),
	}
}

// tabletop is a table like the default scene: about forty geoms.
func tabletop() *render.Scene {
	s := &render.Scene{Background: render.Room()}
	put := func(shape render.Shape, p geom.Pose, sz geom.Vec, c [4]float32) {
		s.Geoms = append(s.Geoms, render.Geom{Shape: shape, Pose: p, Size: sz, Color: c, ID: len(s.Geoms)})
	}
	put(render.Plane, at(0, 0, 0), size(0, 0, 0), rgba(0.58, 0.585, 0.59))
	lying := geom.RotY(math.Pi / 2)
	for i, p := range [][3]float64{{0.25, -0.08, 0.5}, {0.22, -0.16, -0.4}, {0.32, -0.10, 1.2}} {
		pose := turned(at(p[0], p[1], 0.007), geom.RotZ(p[2]), lying)
		put(render.Cylinder, pose, size(0.007, 0.025, 0), rgba(0.75, 0.55, 0.2))
		_ = i
	}
	openBox(put, at(0.28, 0.16, 0), size(0.06, 0.08, 0.03), rgba(0.97, 0.97, 0.97))
	for i, c := range [][4]float32{rgba(0.85, 0.16, 0.14), rgba(0.15, 0.32, 0.80), rgba(0.18, 0.62, 0.25)} {
		put(render.Box, turned(at(0.20+0.04*float64(i), 0.01+0.03*float64(i%2), 0.02), geom.RotZ(0.3*float64(i))), size(0.02, 0.02, 0.02), c)
	}
	mug(put, at(0.36, 0.02, 0), rgba(0.93, 0.75, 0.25))
	drawer(put, at(0.30, -0.25, 0))
	put(render.Cylinder, at(0.19, -0.24, 0.008), size(0.03, 0.008, 0), rgba(0.25, 0.25, 0.27))
	put(render.Cylinder, at(0.19, -0.24, 0.018), size(0.018, 0.004, 0), rgba(0.85, 0.15, 0.12))
	arm(put)
	return s
}

type putter func(render.Shape, geom.Pose, geom.Vec, [4]float32)

// openBox has half inner extents in, standing on the table.
func openBox(put putter, p geom.Pose, in geom.Vec, c [4]float32) {
	const w = 0.002
	put(render.Box, p.Mul(at(0, 0, w)), size(in.X+2*w, in.Y+2*w, w), c)
	for _, side := range []float64{-1, 1} {
		put(render.Box, p.Mul(at(side*(in.X+w), 0, in.Z+2*w)), size(w, in.Y+2*w, in.Z), c)
		put(render.Box, p.Mul(at(0, side*(in.Y+w), in.Z+2*w)), size(in.X, w, in.Z), c)
	}
}

func mug(put putter, p geom.Pose, c [4]float32) {
	const n, r, h, w = 12, 0.035, 0.045, 0.003
	put(render.Cylinder, p.Mul(at(0, 0, w)), size(r, w, 0), c)
	for i := range n {
		a := 2 * math.Pi * float64(i) / n
		half := r * math.Tan(math.Pi/n)
		put(render.Box, p.Mul(turned(at(0, 0, 0), geom.RotZ(a))).Mul(at(r-w/2, 0, h)), size(w/2, half, h), c)
	}
	put(render.Capsule, p.Mul(turned(at(-0.055, 0, 0.045), geom.Rot{Real: 1})), size(0.005, 0.022, 0), c)
	put(render.Capsule, p.Mul(turned(at(-0.044, 0, 0.067), geom.RotY(math.Pi/2))), size(0.005, 0.011, 0), c)
	put(render.Capsule, p.Mul(turned(at(-0.044, 0, 0.023), geom.RotY(math.Pi/2))), size(0.005, 0.011, 0), c)
}

func drawer(put putter, p geom.Pose) {
	wood := rgba(0.62, 0.47, 0.33)
	put(render.Box, p.Mul(at(0.005, 0, 0.072)), size(0.06, 0.06, 0.002), wood)
	put(render.Box, p.Mul(at(0.005, 0.058, 0.035)), size(0.06, 0.002, 0.035), wood)
	put(render.Box, p.Mul(at(0.005, -0.058, 0.035)), size(0.06, 0.002, 0.035), wood)
	put(render.Box, p.Mul(at(0.063, 0, 0.035)), size(0.002, 0.056, 0.035), wood)
	openBox(put, p.Mul(at(-0.02, 0, 0.002)), size(0.05, 0.05, 0.03), rgba(0.80, 0.66, 0.48))
	put(render.Box, p.Mul(at(-0.105, 0, 0.035)), size(0.005, 0.03, 0.005), rgba(0.3, 0.3, 0.32))
}

func arm(put putter) {
	dark, light := rgba(0.20, 0.21, 0.23), rgba(0.90, 0.55, 0.16)
	put(render.Cylinder, at(0, 0, 0.03), size(0.045, 0.03, 0), dark)
	put(render.Capsule, at(0.015, 0, 0.10), size(0.028, 0.05, 0), light)
	put(render.Capsule, turned(at(-0.005, 0, 0.23), geom.RotY(-0.4)), size(0.022, 0.09, 0), light)
	put(render.Capsule, turned(at(0.03, 0, 0.33), geom.RotY(1.35)), size(0.020, 0.08, 0), light)
	put(render.Sphere, at(-0.04, 0, 0.315), size(0.027, 0, 0), dark)
	put(render.Sphere, at(0.11, 0, 0.35), size(0.024, 0, 0), dark)
	put(render.Box, at(0.125, 0, 0.30), size(0.022, 0.042, 0.015), dark)
	put(render.Box, at(0.125, 0.03, 0.255), size(0.008, 0.005, 0.035), rgba(0.75, 0.76, 0.78))
	put(render.Box, at(0.125, -0.03, 0.255), size(0.008, 0.005, 0.035), rgba(0.75, 0.76, 0.78))
}
