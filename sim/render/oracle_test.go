package render_test

import (
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/sim/render"
)

// The oracle is slow and obvious: it lists every place where a ray crosses the whole surface of a shape, keeps those
// where it goes in and that are not too near, and takes the nearest.

// crossing is where a ray in the shape's frame meets its surface, with the normal there.
type crossing struct {
	t float64
	n geom.Vec
}

func point(o, d geom.Vec, t float64) geom.Vec {
	return geom.Vec{X: o.X + t*d.X, Y: o.Y + t*d.Y, Z: o.Z + t*d.Z}
}

func dot(a, b geom.Vec) float64 { return a.X*b.X + a.Y*b.Y + a.Z*b.Z }

// roots of at² + bt + c.
func roots(a, b, c float64) []float64 {
	d := b*b - 4*a*c
	if a == 0 || d < 0 {
		return nil
	}
	r := math.Sqrt(d)
	return []float64{(-b - r) / (2 * a), (-b + r) / (2 * a)}
}

func planeCrossings(g *render.Geom, o, d geom.Vec) (out []crossing) {
	t := -o.Z / d.Z
	p := point(o, d, t)
	if (g.Size.X == 0 || math.Abs(p.X) <= g.Size.X) && (g.Size.Y == 0 || math.Abs(p.Y) <= g.Size.Y) {
		out = append(out, crossing{t, geom.Vec{Z: 1}})
	}
	return out
}

func boxCrossings(g *render.Geom, o, d geom.Vec) (out []crossing) {
	half := [3]float64{g.Size.X, g.Size.Y, g.Size.Z}
	oo, dd := [3]float64{o.X, o.Y, o.Z}, [3]float64{d.X, d.Y, d.Z}
	for axis := range 3 {
		for _, side := range []float64{-1, 1} {
			t := (side*half[axis] - oo[axis]) / dd[axis]
			inside := true
			for other := range 3 {
				if other != axis && math.Abs(oo[other]+t*dd[other]) > half[other] {
					inside = false
				}
			}
			if inside {
				var n [3]float64
				n[axis] = side
				out = append(out, crossing{t, geom.Vec{X: n[0], Y: n[1], Z: n[2]}})
			}
		}
	}
	return out
}

func ballCrossings(r, z float64, o, d geom.Vec) (out []crossing) {
	o.Z -= z
	for _, t := range roots(dot(d, d), 2*dot(o, d), dot(o, o)-r*r) {
		out = append(out, crossing{t, point(o, d, t)})
	}
	return out
}

func tubeCrossings(r, half float64, o, d geom.Vec) (out []crossing) {
	for _, t := range roots(d.X*d.X+d.Y*d.Y, 2*(o.X*d.X+o.Y*d.Y), o.X*o.X+o.Y*o.Y-r*r) {
		if p := point(o, d, t); math.Abs(p.Z) <= half {
			out = append(out, crossing{t, geom.Vec{X: p.X, Y: p.Y}})
		}
	}
	return out
}

func cylinderCrossings(g *render.Geom, o, d geom.Vec) []crossing {
	out := tubeCrossings(g.Size.X, g.Size.Y, o, d)
	for _, side := range []float64{-1, 1} {
		t := (side*g.Size.Y - o.Z) / d.Z
		if p := point(o, d, t); math.Hypot(p.X, p.Y) <= g.Size.X {
			out = append(out, crossing{t, geom.Vec{Z: side}})
		}
	}
	return out
}

func capsuleCrossings(g *render.Geom, o, d geom.Vec) []crossing {
	out := tubeCrossings(g.Size.X, g.Size.Y, o, d)
	for _, side := range []float64{-1, 1} {
		for _, c := range ballCrossings(g.Size.X, side*g.Size.Y, o, d) {
			if c.n.Z*side > 0 {
				out = append(out, c)
			}
		}
	}
	return out
}

func ellipsoidCrossings(g *render.Geom, o, d geom.Vec) []crossing {
	s := g.Size
	div := func(v geom.Vec) geom.Vec { return geom.Vec{X: v.X / s.X, Y: v.Y / s.Y, Z: v.Z / s.Z} }
	out := ballCrossings(1, 0, div(o), div(d))
	for i := range out {
		out[i].n = div(out[i].n)
	}
	return out
}

func crossings(g *render.Geom, o, d geom.Vec) []crossing {
	switch g.Shape {
	case render.Plane:
		return planeCrossings(g, o, d)
	case render.Box:
		return boxCrossings(g, o, d)
	case render.Sphere:
		return ballCrossings(g.Size.X, 0, o, d)
	case render.Cylinder:
		return cylinderCrossings(g, o, d)
	case render.Capsule:
		return capsuleCrossings(g, o, d)
	case render.Ellipsoid:
		return ellipsoidCrossings(g, o, d)
	}
	return nil
}

// oracle is depth and id of what the camera sees at (u, v).
func oracle(s *render.Scene, c render.Camera, u, v float64) (depth float64, id int) {
	depth, id = math.Inf(1), -1
	d := geom.Rotate(c.Pose.Rot, c.Intrinsics.Unproject(u, v, 1))
	for i := range s.Geoms {
		g := &s.Geoms[i]
		back := g.Pose.Inv()
		o, dir := back.Apply(c.Pose.Pos), geom.Rotate(back.Rot, d)
		for _, x := range crossings(g, o, dir) {
			if x.t >= render.Near && x.t < depth && dot(x.n, dir) < 0 {
				depth, id = x.t, g.ID
			}
		}
	}
	if id < 0 {
		depth = 0
	}
	return depth, id
}

func randomRot(r *rand.Rand) geom.Rot {
	axis := geom.Vec{X: r.NormFloat64(), Y: r.NormFloat64(), Z: r.NormFloat64()}
	return geom.AxisAngle(axis, r.Float64()*2*math.Pi)
}

// randomScene has shapes within ±0.3 m, some of them around the camera.
func randomScene(r *rand.Rand) *render.Scene {
	s := &render.Scene{}
	for i := range 1 + r.IntN(6) {
		length := func() float64 { return 0.01 + 0.2*r.Float64() }
		g := render.Geom{
			Shape: render.Shape(r.IntN(int(render.Mesh))), ID: i,
			Pose:  turned(at(0.6*r.Float64()-0.3, 0.6*r.Float64()-0.3, 0.6*r.Float64()-0.3), randomRot(r)),
			Size:  size(length(), length(), length()),
			Color: rgba(r.Float32(), r.Float32(), r.Float32()),
		}
		if g.Shape == render.Plane && r.IntN(2) == 0 {
			g.Size = size(0, 0, 0)
		}
		s.Geoms = append(s.Geoms, g)
	}
	return s
}

func randomCamera(r *rand.Rand, w, h int) render.Camera {
	in := geom.Pinhole(w, h, (20+80*r.Float64())*math.Pi/180)
	in.Cx += 3 * r.NormFloat64()
	in.Cy += 3 * r.NormFloat64()
	in.Fx *= 0.8 + 0.4*r.Float64()
	return render.Camera{Intrinsics: in, Pose: turned(at(0.5*r.NormFloat64(), 0.5*r.NormFloat64(), 0.5*r.NormFloat64()), randomRot(r))}
}

func TestDepthAndIDsAreThoseOfASlowRayCaster(t *testing.T) {
	hits := 0
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 7))
		s, c := randomScene(r), randomCamera(r, 32, 24)
		quality := robot.Quality(r.IntN(2))
		var rr render.Renderer
		_, depth := rr.Render(s, c, render.Options{Quality: quality})
		ids := render.IDs(s, c, image.Rectangle{})
		for y := range 24 {
			for x := range 32 {
				want, wantID := oracle(s, c, float64(x)+0.5, float64(y)+0.5)
				if got := depth.At(x, y); math.Abs(got-want) > 1e-6*(1+want) {
					t.Fatalf("quality %d: depth at (%d, %d) = %v, want %v (geom %d)", quality, x, y, got, want, wantID)
				}
				if got := int(ids[y*32+x]); got != wantID {
					t.Fatalf("id at (%d, %d) = %d, want %d", x, y, got, wantID)
				}
				if wantID >= 0 {
					hits++
				}
			}
		}
	})
	if hits < 1000 {
		t.Errorf("only %d pixels met anything: the scenes test nothing", hits)
	}
}
