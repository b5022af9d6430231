package film

import (
	"image"
	"math"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/sim/render"
)

// skyReach is how far from a geom the renderer lets it take light of the sky from its neighbours, in metres.
const skyReach = 0.06

// changed is the part of the camera's picture in which b may look different from a: where a geom that moved was and is
// and darkens its neighbours, and where its shadow fell and falls. It is never too small for geoms above the ground z = 0 that throw their shadow
// onto things above it.
func changed(a, b *render.Scene, c render.Camera) image.Rectangle {
	whole := image.Rect(0, 0, c.Intrinsics.Width, c.Intrinsics.Height)
	if a == nil || len(a.Geoms) != len(b.Geoms) || a.Light != b.Light || a.Background != b.Background {
		return whole
	}
	light := b.Light
	if light == (render.Light{}) {
		light = render.Studio()
	}
	v := view{camera: c, back: c.Pose.Inv(), light: light}
	for i := range a.Geoms {
		if a.Geoms[i] == b.Geoms[i] {
			continue
		}
		v.add(&a.Geoms[i])
		v.add(&b.Geoms[i])
	}
	if v.unsure {
		return whole
	}
	return v.rect.Intersect(whole)
}

// view collects what a camera may see of geoms and their shadows.
type view struct {
	camera render.Camera
	back   geom.Pose // world to camera
	light  render.Light
	rect   image.Rectangle
	unsure bool // something has no bounds in the picture
}

func (v *view) add(g *render.Geom) {
	half, ok := bounds(g)
	if !ok || !(v.light.Dir[2] > 0.1) {
		v.unsure = true
		return
	}
	far := skyReach + math.Sqrt(half.X*half.X+half.Y*half.Y+half.Z*half.Z)
	var points []geom.Vec
	for i := range 8 {
		side := geom.Vec{X: float64(i&1*2 - 1), Y: float64(i&2 - 1), Z: float64(i&4/2 - 1)}
		corner := g.Pose.Apply(geom.Vec{X: side.X * half.X, Y: side.Y * half.Y, Z: side.Z * half.Z})
		points = append(points, v.shadow(corner)...)
		around := g.Pose.Pos
		points = append(points, geom.Vec{X: around.X + side.X*far, Y: around.Y + side.Y*far, Z: max(around.Z+side.Z*far, min(around.Z, 0))})
	}
	v.cover(points)
}

// shadow is where the penumbra of a point meets the ground, as the corners of a square around it.
func (v *view) shadow(p geom.Vec) []geom.Vec {
	d := v.light.Dir
	far := max(p.Z, 0) / d[2]
	x, y := p.X-far*d[0], p.Y-far*d[1]
	n := math.Sqrt(d[0]*d[0] + d[1]*d[1] + d[2]*d[2])
	soft := 1.5 * v.light.Spread * far * n * n / d[2]
	return []geom.Vec{{X: x - soft, Y: y - soft}, {X: x + soft, Y: y - soft}, {X: x - soft, Y: y + soft}, {X: x + soft, Y: y + soft}}
}

// cover grows the rectangle by the points' bounding box in the picture and a margin for edges.
func (v *view) cover(points []geom.Vec) {
	const margin = 2
	lo, hi := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for _, p := range points {
		q := v.back.Apply(p)
		if q.Z < render.Near {
			v.unsure = true
			return
		}
		x, y, _ := v.camera.Intrinsics.Project(q)
		lo, hi = [2]float64{min(lo[0], x), min(lo[1], y)}, [2]float64{max(hi[0], x), max(hi[1], y)}
	}
	w, h := float64(v.camera.Intrinsics.Width), float64(v.camera.Intrinsics.Height)
	r := image.Rect(
		int(math.Floor(min(max(lo[0], -w), 2*w)))-margin, int(math.Floor(min(max(lo[1], -h), 2*h)))-margin,
		int(math.Ceil(min(max(hi[0], -w), 2*w)))+margin, int(math.Ceil(min(max(hi[1], -h), 2*h)))+margin,
	)
	v.rect = v.rect.Union(r)
}

// bounds is half the size of a geom's box in its own frame; ok is false for what has no end.
func bounds(g *render.Geom) (half geom.Vec, ok bool) {
	s := g.Size
	switch g.Shape {
	case render.Box, render.Ellipsoid:
		return s, true
	case render.Sphere:
		return geom.Vec{X: s.X, Y: s.X, Z: s.X}, true
	case render.Cylinder:
		return geom.Vec{X: s.X, Y: s.X, Z: s.Y}, true
	case render.Capsule:
		return geom.Vec{X: s.X, Y: s.X, Z: s.Y + s.X}, true
	}
	return geom.Vec{}, false
}
