package render_test

import (
	"image"
	"math"
	"testing"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/sim/render"
)

// above looks straight down from height h; image-up is +x.
func above(w, h int, height float64) render.Camera {
	return render.Camera{
		Intrinsics: geom.Pinhole(w, h, 60*math.Pi/180),
		Pose:       geom.LookAt(geom.Vec{Z: height}, geom.Vec{}, geom.Vec{X: 1}),
	}
}

func one(g render.Geom) *render.Scene {
	if g.Color == ([4]float32{}) {
		g.Color = rgba(0.5, 0.5, 0.5)
	}
	return &render.Scene{Geoms: []render.Geom{g}}
}

func depthOf(s *render.Scene, c render.Camera) *robot.Depth {
	var r render.Renderer
	_, d := r.Render(s, c, render.Options{})
	return d
}

func TestDepthIsAlongTheOpticalAxisNotTheRay(t *testing.T) {
	c := above(64, 48, 0.5)
	d := depthOf(one(render.Geom{Shape: render.Plane}), c)
	for _, p := range []image.Point{{0, 0}, {63, 0}, {32, 24}, {0, 47}, {63, 47}} {
		if got := d.At(p.X, p.Y); math.Abs(got-0.5) > 1e-7 {
			t.Errorf("depth of a plane square to the axis at %v = %v, want 0.5", p, got)
		}
	}
}

func TestFrameUnprojectsToTheWorldPointItShows(t *testing.T) {
	c := frontCamera(160, 120)
	f := robot.Frame{Intrinsics: c.Intrinsics, Pose: c.Pose, Depth: depthOf(one(render.Geom{Shape: render.Plane}), c)}
	for _, want := range []geom.Vec{{X: 0.25}, {X: 0.30, Y: 0.10}, {X: 0.20, Y: -0.15}} {
		u, v, _ := c.Intrinsics.Project(c.Pose.Inv().Apply(want))
		got, ok := f.World(int(u), int(v))
		pixel := f.Depth.At(int(u), int(v)) / c.Intrinsics.Fx
		if !ok || math.Hypot(got.X-want.X, got.Y-want.Y) > pixel || math.Abs(got.Z) > 1e-6 {
			t.Errorf("world point shown where %v projects = %v, want within a pixel of it on the table", want, got)
		}
	}
}

func TestWhatIsNotSeen(t *testing.T) {
	c := above(16, 12, 0.5)
	nan := at(0, 0, math.NaN())
	invisible := render.Geom{Shape: render.Sphere, Size: size(0.1, 0, 0), Color: [4]float32{1, 1, 1, 0}}
	for name, s := range map[string]*render.Scene{
		"nothing":                 {},
		"alpha-zero":              {Geoms: []render.Geom{invisible}},
		"plane-from-below":        one(render.Geom{Shape: render.Plane, Pose: turned(at(0, 0, 0), geom.RotX(math.Pi))}),
		"behind-the-camera":       one(render.Geom{Shape: render.Sphere, Pose: at(0, 0, 1), Size: size(0.2, 0, 0)}),
		"camera-inside-a-sphere":  one(render.Geom{Shape: render.Sphere, Pose: at(0, 0, 0.5), Size: size(0.2, 0, 0)}),
		"camera-inside-a-box":     one(render.Geom{Shape: render.Box, Pose: at(0, 0, 0.5), Size: size(1, 1, 1)}),
		"plane-nearer-than-near":  one(render.Geom{Shape: render.Plane, Pose: at(0, 0, 0.495)}),
		"nearer-than-near":        one(render.Geom{Shape: render.Box, Pose: at(0, 0, 0.494), Size: size(0.001, 0.001, 0.001)}),
		"a-mesh-without-its-mesh": one(render.Geom{Shape: render.Mesh}),
		"a-pose-that-is-no-pose":  one(render.Geom{Shape: render.Sphere, Pose: nan, Size: size(0.2, 0, 0)}),
	} {
		for _, q := range []robot.Quality{robot.Plain, robot.Fine} {
			var r render.Renderer
			img, d := r.Render(s, c, render.Options{Quality: q, Noise: nil})
			for i, z := range d.Pix {
				if z != 0 {
					t.Fatalf("%s, quality %d: depth of pixel %d = %v, want 0", name, q, i, z)
				}
			}
			if got := img.RGBAAt(8, 6); got.R != 0 || got.A != 255 {
				t.Errorf("%s, quality %d: colour = %v, want opaque black", name, q, got)
			}
		}
	}
}

func TestFingersAroundTheCameraDoNotHideTheTable(t *testing.T) {
	s := one(render.Geom{Shape: render.Plane})
	for _, side := range []float64{-1, 1} {
		s.Geoms = append(s.Geoms, render.Geom{
			Shape: render.Box, Pose: at(0, side*0.03, 0.5), Size: size(0.01, 0.01, 0.06), Color: rgba(1, 1, 1),
		})
	}
	d := depthOf(s, above(64, 48, 0.5))
	if got := d.At(32, 24); math.Abs(got-0.5) > 1e-7 {
		t.Errorf("depth between the fingers = %v, want the table at 0.5", got)
	}
	// A finger's inner side is at y = 0.02; the camera looks down with -y to the right, so the picture's rim sees it.
	if got := d.At(63, 24); got < render.Near || got > 0.061 {
		t.Errorf("depth at the rim = %v, want a finger between %v and 0.06", got, render.Near)
	}
}

func TestRegionsThatDoNotFit(t *testing.T) {
	for name, c := range map[string]struct{ region, want image.Rectangle }{
		"empty-is-the-whole": {image.Rectangle{}, image.Rect(0, 0, 32, 24)},
		"cut-at-the-border":  {image.Rect(-5, 20, 40, 60), image.Rect(0, 20, 32, 24)},
		"outside":            {image.Rect(40, 0, 50, 9), image.Rectangle{}},
		"one-pixel":          {image.Rect(31, 23, 32, 24), image.Rect(31, 23, 32, 24)},
		"upside-down":        {image.Rectangle{Min: image.Pt(9, 9), Max: image.Pt(3, 3)}, image.Rect(0, 0, 32, 24)},
	} {
		var r render.Renderer
		img, d := r.Render(tabletop(), frontCamera(32, 24), render.Options{Region: c.region, Quality: robot.Fine, Noise: render.Sensor(1, 1)})
		if !img.Rect.Eq(c.want) || !d.Rect.Eq(c.want) || len(d.Pix) != c.want.Dx()*c.want.Dy() {
			t.Errorf("%s: bounds %v and %v with %d depths, want %v", name, img.Rect, d.Rect, len(d.Pix), c.want)
		}
		if got := len(render.IDs(tabletop(), frontCamera(32, 24), c.region)); got != c.want.Dx()*c.want.Dy() {
			t.Errorf("%s: %d ids, want %d", name, got, c.want.Dx()*c.want.Dy())
		}
	}
}
