package detect

import (
	"image"
	"math"
	"slices"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
)

// standsOut is how far above what it rests on (metres) a pixel must be to belong to a thing: four times the depth noise.
const standsOut = 0.004

// pixelState says what a pixel of a cloud is good for.
type pixelState uint8

const (
	pixelDark   pixelState = iota // no depth
	pixelSeen                     // a world point
	pixelFlying                   // a mixture of what lies before and behind an edge
	pixelHidden                   // part of the robot itself
)

// cloud is a frame as world points, row by row of rect.
type cloud struct {
	f       *robot.Frame
	rect    image.Rectangle
	w, h    int
	x, y, z []float32
	d       []float32 // depth along the optical axis
	state   []pixelState
	step    float64 // metres between neighbouring pixels, at the median depth
	cam     geom.Pose
}

// newCloud reads the part of f inside rect (empty = all). exclude, when not nil, says which world points are the robot.
func newCloud(f *robot.Frame, rect image.Rectangle, exclude func(geom.Vec) bool) *cloud {
	c := &cloud{f: f, cam: f.Pose.Inv()}
	if f.Depth == nil {
		return c
	}
	if c.rect = f.Depth.Rect; !rect.Empty() {
		c.rect = rect.Intersect(f.Depth.Rect)
	}
	c.w, c.h = c.rect.Dx(), c.rect.Dy()
	n := c.w * c.h
	buf := make([]float32, 4*n)
	c.x, c.y, c.z, c.d, c.state = buf[:n], buf[n:2*n], buf[2*n:3*n], buf[3*n:], make([]pixelState, n)
	c.unproject()
	c.markFlying()
	c.step = c.medianStep()
	if exclude != nil {
		c.hide(exclude)
	}
	return c
}

// unproject fills in the world points.
func (c *cloud) unproject() {
	m, p, in := geom.Mat(c.f.Pose.Rot), c.f.Pose.Pos, c.f.Intrinsics
	for j := range c.h {
		row := c.depthRow(j)
		b := (float64(c.rect.Min.Y+j) + 0.5 - in.Cy) / in.Fy
		for i, d32 := range row {
			if d32 <= 0 || d32 != d32 {
				continue
			}
			d := float64(d32)
			a := (float64(c.rect.Min.X+i) + 0.5 - in.Cx) / in.Fx
			k := j*c.w + i
			c.x[k] = float32(d*(m[0]*a+m[1]*b+m[2]) + p.X)
			c.y[k] = float32(d*(m[3]*a+m[4]*b+m[5]) + p.Y)
			c.z[k] = float32(d*(m[6]*a+m[7]*b+m[8]) + p.Z)
			c.d[k], c.state[k] = d32, pixelSeen
		}
	}
}

// depthRow is row j of the cloud's part of the depth image.
func (c *cloud) depthRow(j int) []float32 {
	d := c.f.Depth
	o := (c.rect.Min.Y-d.Rect.Min.Y+j)*d.Rect.Dx() + c.rect.Min.X - d.Rect.Min.X
	return d.Pix[o : o+c.w]
}

// leap is the least step in depth, metres, at which pixels fly.
const leap = 0.010

// markFlying finds pixels between two depths that both go on beyond them: a lone mixture at an edge, no slope.
func (c *cloud) markFlying() {
	w := c.w
	for j := 2; j < c.h-2; j++ {
		for k := j*w + 2; k < j*w+w-2; k++ {
			across, down := c.d[k-1]-c.d[k+1], c.d[k-w]-c.d[k+w]
			if across < leap && across > -leap && down < leap && down > -leap || c.state[k] != pixelSeen {
				continue
			}
			if flying(c.d, k, 1) || flying(c.d, k, w) {
				c.state[k] = pixelFlying
			}
		}
	}
}

// flying says whether depth k is a mixture of its two neighbours along the given step.
func flying(d []float32, k, step int) bool {
	lo, hi := d[k-step], d[k+step]
	loFar, hiFar := d[k-2*step], d[k+2*step]
	if lo > hi {
		lo, hi, loFar, hiFar = hi, lo, hiFar, loFar
	}
	jump := hi - lo
	if jump < leap || d[k]-lo < 0.003 || hi-d[k] < 0.003 {
		return false
	}
	return abs32(loFar-lo) < 0.3*jump && abs32(hiFar-hi) < 0.3*jump
}

func abs32(v float32) float32 {
	if v < 0 {
		return -v
	}
	return v
}

// medianStep is the width of a pixel at the median depth.
func (c *cloud) medianStep() float64 {
	var ds []float32
	for j := 0; j < c.h; j += 8 {
		row := c.depthRow(j)
		for i := 0; i < c.w; i += 8 {
			if row[i] > 0 {
				ds = append(ds, row[i])
			}
		}
	}
	if len(ds) == 0 {
		return 0.0015
	}
	slices.Sort(ds)
	return float64(ds[len(ds)/2]) / c.f.Intrinsics.Fx
}

// hide takes the robot's own points out. Only what stands above the table can be the robot.
func (c *cloud) hide(exclude func(geom.Vec) bool) {
	for k, s := range c.state {
		if s != pixelDark && c.z[k] > standsOut && exclude(c.at(k)) {
			c.state[k] = pixelHidden
		}
	}
}

// at is the world point of pixel k.
func (c *cloud) at(k int) geom.Vec {
	return geom.Vec{X: float64(c.x[k]), Y: float64(c.y[k]), Z: float64(c.z[k])}
}

// pixel is the capture pixel of index k.
func (c *cloud) pixel(k int) image.Point {
	return image.Pt(c.rect.Min.X+k%c.w, c.rect.Min.Y+k/c.w)
}

// index is the cloud's index of a capture pixel; ok is false outside.
func (c *cloud) index(p image.Point) (k int, ok bool) {
	if !p.In(c.rect) {
		return 0, false
	}
	return (p.Y-c.rect.Min.Y)*c.w + p.X - c.rect.Min.X, true
}

// project maps a world point to continuous capture pixels.
func (c *cloud) project(p geom.Vec) (u, v float64, ok bool) {
	return c.f.Intrinsics.Project(c.cam.Apply(p))
}

// above are the pixels standing out over base, metres above the table, and below ceiling.
func (c *cloud) above(base, ceiling float64) []int32 {
	var ks []int32
	lo, hi := float32(base+standsOut), float32(min(ceiling, 1e6))
	for k, s := range c.state {
		if s == pixelSeen && c.z[k] > lo && c.z[k] < hi {
			ks = append(ks, int32(k))
		}
	}
	return ks
}

// window is the part of the frame onto which a disc of the given radius (metres) around the world point falls.
func window(f *robot.Frame, p geom.Vec, radius float64) image.Rectangle {
	cam := f.Pose.Inv()
	q := cam.Apply(p)
	if q.Z < 0.01 {
		return image.Rectangle{}
	}
	u, v, _ := f.Intrinsics.Project(q)
	r := radius / q.Z * f.Intrinsics.Fx * 1.3
	if math.IsNaN(u) || math.IsNaN(v) || math.Abs(u) > 1e6 || math.Abs(v) > 1e6 || r > 1e6 {
		return image.Rectangle{}
	}
	return image.Rect(int(u-r), int(v-r), int(u+r)+1, int(v+r)+1)
}
