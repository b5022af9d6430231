// Package render is the simulator's cameras: it draws a scene of simple shapes in plain Go, as colour and as metric depth.
//
// Its one invariant: a picture is a function of scene, camera and options alone. The same input gives the same bytes
// whatever was drawn before, and a region is exactly that part of the whole picture, noise included.
//
// Every pixel is a ray through its centre that meets the shapes analytically, so depth is exact, not rasterised.
// Products that are summed are rounded one by one (float64(a*b)+c), so that no processor fuses them differently.
package render

import (
	"image"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
)

// Shape is what a geom looks like. The conventions are MuJoCo's.
type Shape int

// The shapes, with what Size means. A cylinder, a capsule and a plane stand along z of their pose.
const (
	Plane     Shape = iota // half extents x, y (0 = without end); seen from its +z side only
	Box                    // half extents x, y, z
	Sphere                 // radius
	Cylinder               // radius, half length
	Capsule                // radius, half length of the straight part
	Ellipsoid              // half axes x, y, z
	Mesh                   // unused; the shape is Geom.Mesh
)

// Near is the distance along the optical axis, in metres, below which a camera sees nothing. A solid that reaches
// nearer than this is cut open, and its inside is not drawn.
const Near = 0.010

// Geom is one shape of a scene.
type Geom struct {
	Shape   Shape
	Pose    geom.Pose  // in the world
	Size    geom.Vec   // metres, see Shape
	Color   [4]float32 // as people write colours: sRGB, 0–1. Alpha 0 = not drawn and no shadow; everything else is opaque
	Mesh    *TriMesh   // for Shape Mesh
	ID      int        // what IDs reports
	Texture *Texture   // nil = Color everywhere
}

// Texture is a pattern of squares on a plane or a box, in Geom.Color and Color by turns.
type Texture struct {
	Color   [4]float32
	SquareM float64 // side of one square, metres
}

// Scene is what there is to see. Nobody changes it while it is drawn.
type Scene struct {
	Geoms      []Geom
	Light      Light      // the zero value means Studio()
	Background Background // the zero value is black
}

// Background is what a ray meets that meets no geom: two sRGB colours, blended by the ray's elevation.
type Background struct{ Zenith, Horizon [3]float32 }

// Camera is an ideal pinhole camera; Pose is of the OpenCV frame (x right, y down, z forward) in the world.
type Camera struct {
	Intrinsics geom.Intrinsics
	Pose       geom.Pose
}

// Options say how a picture is drawn.
type Options struct {
	Region  image.Rectangle // in pixels of the whole picture; empty = the whole; what lies outside the picture is cut off
	Quality robot.Quality
	Noise   *Noise // nil = a perfect sensor
}

// Renderer draws pictures. It keeps scratch memory between them, so one goroutine at a time may use it; the zero value
// is ready for use.
type Renderer struct {
	cast   caster
	shade  shader
	shadow shadower
	fine   finer
	bell   *normals
}

// Render draws the scene as the camera sees it. The images are new and the caller's own; their bounds are the region.
// Depth is in metres along the optical axis at the pixels' centres, 0 where nothing is hit, the same in both qualities.
func (r *Renderer) Render(s *Scene, c Camera, o Options) (*image.RGBA, *robot.Depth) {
	region := regionOf(c, o.Region)
	depth := &robot.Depth{Rect: region, Pix: make([]float32, region.Dx()*region.Dy())}
	color := image.NewRGBA(region)
	if region.Empty() {
		return color, depth
	}
	r.cast.run(s, c, region)
	r.shade.prepare(s, &r.cast)
	if o.Quality == robot.Fine {
		r.shadow.prepare(s, &r.shade)
		r.fine.shader, r.fine.k, r.fine.dark = &r.shade, &r.cast, &r.shadow
		r.fine.draw(color)
	} else {
		r.shade.plain(color, &r.cast)
	}
	r.cast.depth(depth)
	if o.Noise != nil {
		if r.bell == nil {
			r.bell = new(normals)
			r.bell.fill()
		}
		o.Noise.apply(color, depth, &r.cast, r.bell)
	}
	return color, depth
}

// IDs is Geom.ID of what each pixel's centre sees, row by row over the region (empty = the whole), -1 for nothing. It is
// for tests and films: no frame of a robot carries it.
func IDs(s *Scene, c Camera, region image.Rectangle) []int32 {
	region = regionOf(c, region)
	var k caster
	ids := make([]int32, 0, region.Dx()*region.Dy())
	if region.Empty() {
		return ids
	}
	k.run(s, c, region)
	for y := region.Min.Y; y < region.Max.Y; y++ {
		for _, h := range k.regionRow(y) {
			if h.body < 0 {
				ids = append(ids, -1)
				continue
			}
			ids = append(ids, int32(k.bodies[h.body].geom.ID))
		}
	}
	return ids
}

func regionOf(c Camera, region image.Rectangle) image.Rectangle {
	whole := image.Rect(0, 0, c.Intrinsics.Width, c.Intrinsics.Height)
	if region.Empty() {
		return whole
	}
	return region.Intersect(whole)
}
