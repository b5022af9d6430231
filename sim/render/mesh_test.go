package render_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/sim/render"
)

// boxMesh is a box of twelve triangles; the sizes are powers of two, so that float32 holds them.
func boxMesh(t testing.TB, x, y, z float32) *render.TriMesh {
	t.Helper()
	var verts []float32
	for i := range 8 {
		v := [3]float32{-x, -y, -z}
		if i&1 != 0 {
			v[0] = x
		}
		if i&2 != 0 {
			v[1] = y
		}
		if i&4 != 0 {
			v[2] = z
		}
		verts = append(verts, v[:]...)
	}
	return newMesh(t, verts, []int32{
		0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5,
		0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7,
		0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6,
	})
}

func newMesh(t testing.TB, verts []float32, faces []int32) *render.TriMesh {
	t.Helper()
	m, err := render.NewMesh(verts, faces)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// ballMesh is a sphere of n × 2n patches.
func ballMesh(t testing.TB, radius float64, n int) *render.TriMesh {
	var verts []float32
	for i := range n + 1 {
		for j := range 2 * n {
			a, b := math.Pi*float64(i)/float64(n), math.Pi*float64(j)/float64(n)
			verts = append(verts, float32(radius*math.Sin(a)*math.Cos(b)), float32(radius*math.Sin(a)*math.Sin(b)), float32(radius*math.Cos(a)))
		}
	}
	at := func(i, j int) int32 { return int32(i*2*n + j%(2*n)) }
	var faces []int32
	for i := range n {
		for j := range 2 * n {
			faces = append(faces, at(i, j), at(i+1, j), at(i+1, j+1), at(i, j), at(i+1, j+1), at(i, j+1))
		}
	}
	return newMesh(t, verts, faces)
}

func TestMeshOfABoxLooksLikeTheBox(t *testing.T) {
	mesh := boxMesh(t, 0.125, 0.0625, 0.03125)
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 5))
		g := render.Geom{
			Shape: render.Box, Pose: turned(at(0.1*r.NormFloat64(), 0.1*r.NormFloat64(), 0.1*r.NormFloat64()), randomRot(r)),
			Size: size(0.125, 0.0625, 0.03125), Color: rgba(0.8, 0.3, 0.2),
		}
		c := randomCamera(r, 48, 36)
		var rr render.Renderer
		o := render.Options{Quality: robot.Quality(r.IntN(2))}
		wantImg, want := rr.Render(one(g), c, o)
		g.Shape, g.Mesh = render.Mesh, mesh
		gotImg, got := rr.Render(one(g), c, o)
		for i := range want.Pix {
			if math.Abs(float64(got.Pix[i]-want.Pix[i])) > 1e-6 {
				t.Fatalf("depth of pixel %d = %v, want the box's %v", i, got.Pix[i], want.Pix[i])
			}
		}
		if o.Quality == robot.Plain && !bytes.Equal(gotImg.Pix, wantImg.Pix) {
			for i := range wantImg.Pix {
				if d := int(gotImg.Pix[i]) - int(wantImg.Pix[i]); d < -1 || d > 1 {
					t.Fatalf("colour byte %d = %d, want the box's %d", i, gotImg.Pix[i], wantImg.Pix[i])
				}
			}
		}
	})
}

func TestMeshOfABallIsSmooth(t *testing.T) {
	ball := render.Geom{Shape: render.Sphere, Size: size(0.1, 0, 0), Color: rgba(0.3, 0.5, 0.8)}
	c := above(80, 60, 0.5)
	want := picture(one(ball), c, robot.Plain)
	ball.Shape, ball.Mesh = render.Mesh, ballMesh(t, 0.1, 24)
	got := picture(one(ball), c, robot.Plain)
	for y := 24; y < 36; y++ {
		for x := 34; x < 46; x++ {
			if g, w := got.RGBAAt(x, y), want.RGBAAt(x, y); apart(g, w) > 8 {
				t.Fatalf("pixel (%d, %d) of the mesh is %v, of the sphere %v: want within 8", x, y, g, w)
			}
		}
	}
}

func TestMeshesThatAreNone(t *testing.T) {
	for name, m := range map[string]struct {
		verts []float32
		faces []int32
	}{
		"half-a-vertex":     {[]float32{0, 0, 0, 1}, nil},
		"half-a-face":       {[]float32{0, 0, 0}, []int32{0, 0}},
		"unknown-vertex":    {[]float32{0, 0, 0}, []int32{0, 0, 1}},
		"a-negative-vertex": {[]float32{0, 0, 0}, []int32{0, 0, -1}},
	} {
		if _, err := render.NewMesh(m.verts, m.faces); err == nil {
			t.Errorf("%s: made a mesh, want an error", name)
		}
	}
	m := newMesh(t, []float32{0, 0, 0, 1, 0, 0}, []int32{0, 0, 1, 0, 1, 1})
	d := depthOf(one(render.Geom{Shape: render.Mesh, Mesh: m}), above(8, 8, 0.5))
	if d.At(4, 4) != 0 {
		t.Error("a mesh without area is seen")
	}
}

func TestMeshHasAShadow(t *testing.T) {
	s := underLamp(at(0, 0, 0.60))
	s.Geoms[1].Shape, s.Geoms[1].Mesh = render.Mesh, boxMesh(t, 0.0625, 0.0625, 0.0078125)
	c := above(40, 40, 0.5)
	if got := lampShare(s.Light, picture(s, c, robot.Plain).RGBAAt(20, 20), picture(s, c, robot.Fine).RGBAAt(20, 20)); got > 0.05 {
		t.Errorf("%.2f of the lamp comes through a mesh, want nothing", got)
	}
}
