package liveness

import (
	"image"
	"math"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
)

// knot is a ball of an arm as a camera sees it.
type knot struct {
	u, v float64 // pixels
	r    float64 // radius, pixels
	z    float64 // metres along the camera's axis
}

// knotsEach is how many knots stand for one link.
const knotsEach = 8

// knotsOf are an arm's links as a fixed camera sees them, from the foot outwards. A module that is no arm, or an arm of
// which no readings or no kinematics are known, has none.
func knotsOf(m *robot.Module, r *robot.Readings, c *robot.Camera) (out []knot) {
	state, ok := r.Arms[m.Name]
	if m.Arm == nil || !ok || len(m.Arm.Chain.Joints) == 0 || len(state.Joints) != len(m.Arm.Chain.Joints) {
		return nil
	}
	toCam, in := c.InWorld.Inv(), c.Intrinsics
	links := m.Arm.Chain.Links(state.Joints)
	for i := 1; i < len(links); i++ {
		a, b := toCam.Apply(links[i-1].Pos), toCam.Apply(links[i].Pos)
		for k := range knotsEach + 1 {
			t := float64(k) / knotsEach
			p := geom.Vec{X: a.X + t*(b.X-a.X), Y: a.Y + t*(b.Y-a.Y), Z: a.Z + t*(b.Z-a.Z)}
			if u, v, ok := in.Project(p); ok {
				out = append(out, knot{u, v, m.Arm.LinkRadius * in.Fx / p.Z, p.Z})
			}
		}
	}
	return out
}

// seenAt says whether one of the knots covers the pixel, and how far away the nearest of them is.
func seenAt(arms []knot, x, y float64) (z float64, ok bool) {
	z = math.Inf(1)
	for _, k := range arms {
		if (k.u-x)*(k.u-x)+(k.v-y)*(k.v-y) <= k.r*k.r {
			z, ok = min(z, k.z), true
		}
	}
	return z, ok
}

// blocksIn are the upper left corners of the whole blocks in r. Blocks are counted from the corner of the capture.
func blocksIn(r image.Rectangle) (out []image.Point) {
	up := func(v int) int { return (v + blockSide - 1) / blockSide * blockSide }
	for y := up(r.Min.Y); y+blockSide <= r.Max.Y; y += blockSide {
		for x := up(r.Min.X); x+blockSide <= r.Max.X; x += blockSide {
			out = append(out, image.Pt(x, y))
		}
	}
	return out
}

// blockMean is the mean colour of a block.
func blockMean(img *image.RGBA, at image.Point) (mean [3]float64) {
	var sum [3]int
	for y := at.Y; y < at.Y+blockSide; y++ {
		p := img.Pix[img.PixOffset(at.X, y):]
		for i := 0; i < 4*blockSide; i += 4 {
			sum[0], sum[1], sum[2] = sum[0]+int(p[i]), sum[1]+int(p[i+1]), sum[2]+int(p[i+2])
		}
	}
	for i := range mean {
		mean[i] = float64(sum[i]) / (blockSide * blockSide)
	}
	return mean
}

// apart is how much two colours differ, the mean of their channels.
func apart(a, b [3]float64) float64 {
	return (math.Abs(a[0]-b[0]) + math.Abs(a[1]-b[1]) + math.Abs(a[2]-b[2])) / 3
}

// corners are the blocks of r that stand out from what is beside them and from what is above or below: whichever way they
// move, something else comes into their place.
func corners(img *image.RGBA, r image.Rectangle) (out []image.Point) {
	means := map[image.Point][3]float64{}
	for _, b := range blocksIn(r) {
		means[b] = blockMean(img, b)
	}
	differs := func(b, other image.Point) bool {
		o, ok := means[other]
		return ok && apart(means[b], o) >= outstanding
	}
	for _, b := range blocksIn(r) {
		beside := differs(b, b.Add(image.Pt(-blockSide, 0))) || differs(b, b.Add(image.Pt(blockSide, 0)))
		above := differs(b, b.Add(image.Pt(0, -blockSide))) || differs(b, b.Add(image.Pt(0, blockSide)))
		if beside && above {
			out = append(out, b)
		}
	}
	return out
}
