package ground

import (
	"math"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
)

const (
	hideFrom = 0.01 // metres over the table: lower points are never the robot
	hideRing = 3    // pixels around the robot that are a mixture of it and what lies behind
)

// Without is the picture without depth where it shows the robot, and beside it, where a sensor mixes it with what lies
// behind. hide says which world points are the robot; with nil it is the picture itself.
func Without(f *robot.Frame, hide func(geom.Vec) bool) *robot.Frame {
	if hide == nil || f == nil || f.Depth == nil {
		return f
	}
	r := f.Depth.Rect
	hidden := make([]bool, len(f.Depth.Pix))
	found := false
	m, at, in := geom.Mat(f.Pose.Rot), f.Pose.Pos, f.Intrinsics
	for y := range r.Dy() {
		b := (float64(r.Min.Y+y) + 0.5 - in.Cy) / in.Fy
		for x := range r.Dx() {
			k := y*r.Dx() + x
			d := float64(f.Depth.Pix[k])
			a := (float64(r.Min.X+x) + 0.5 - in.Cx) / in.Fx
			p := geom.Vec{X: d*(m[0]*a+m[1]*b+m[2]) + at.X, Y: d*(m[3]*a+m[4]*b+m[5]) + at.Y, Z: d*(m[6]*a+m[7]*b+m[8]) + at.Z}
			if d > 0 && !math.IsNaN(d) && p.Z > hideFrom && hide(p) {
				hidden[k], found = true, true
			}
		}
	}
	if !found {
		return f
	}
	out := *f
	out.Depth = &robot.Depth{Rect: r, Pix: append([]float32(nil), f.Depth.Pix...)}
	for k, h := range hidden {
		if h {
			blank(out.Depth, k%r.Dx(), k/r.Dx())
		}
	}
	return &out
}

// blank takes out the depths around a pixel.
func blank(d *robot.Depth, x, y int) {
	w, h := d.Rect.Dx(), d.Rect.Dy()
	for j := max(0, y-hideRing); j <= min(h-1, y+hideRing); j++ {
		for i := max(0, x-hideRing); i <= min(w-1, x+hideRing); i++ {
			d.Pix[j*w+i] = 0
		}
	}
}
