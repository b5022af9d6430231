package detect_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/sim/render"
	"github.com/rein-robotics/rein/sim/render/rendertest"
	"github.com/rein-robotics/rein/vision/detect"
)

// filledBox is a box with n batteries lying, standing or leaning in it, and three batteries outside, two of them close to
// its walls. It returns the scene and the batteries outside.
func filledBox(r *rand.Rand, n int) (s rendertest.Scene, outside []rendertest.Object) {
	u := func(a, b float64) float64 { return a + (b-a)*r.Float64() }
	o := rendertest.Object{Kind: detect.Box, Shape: "open_box", RGB: rendertest.White, Pos: rendertest.At(u(0.24, 0.3), u(0.12, 0.18)), Yaw: u(-0.3, 0.3)}
	if r.IntN(2) == 0 {
		o.RGB = rendertest.Palette[rendertest.PaletteNames[r.IntN(len(rendertest.PaletteNames))]][0]
	}
	o.Size = [3]float64{u(0.1, 0.13), u(0.12, 0.17), u(0.04, 0.07)}
	s.Objects = append(s.Objects, o)
	rgb := rendertest.Palette[rendertest.PaletteNames[r.IntN(len(rendertest.PaletteNames))]][0]
	frame := geom.Pose{Pos: o.Pos, Rot: geom.RotZ(o.Yaw)}
	for range n {
		local := geom.Vec{X: u(-0.5, 0.5) * (o.Size[0] - 0.05), Y: u(-0.5, 0.5) * (o.Size[1] - 0.05), Z: 0.004 + u(0, 0.01)}
		tilt := geom.MulRot(geom.RotZ(u(-3, 3)), geom.RotY(math.Pi/2))
		if r.IntN(4) == 0 {
			tilt = geom.MulRot(geom.RotZ(u(-3, 3)), geom.RotY(u(0, 1)))
			local.Z = 0.03
		} else {
			local.Z += 0.007
		}
		s.Extra = append(s.Extra, render.Geom{
			Shape: render.Cylinder, Pose: frame.Mul(geom.Pose{Pos: local, Rot: tilt}), Size: geom.Vec{X: 0.007, Y: 0.025},
			Color: [4]float32{float32(rgb[0]), float32(rgb[1]), float32(rgb[2]), 1},
		})
	}
	far := rendertest.Battery(0.2, -0.15, u(-3, 3), rgb)
	side := rendertest.Battery(0, 0, o.Yaw+math.Pi/2, rgb)
	side.Pos = frame.Apply(geom.Vec{X: -o.Size[0]/2 - 0.004 - 0.007 - u(0.001, 0.02), Y: u(-0.03, 0.03)})
	end := rendertest.Battery(0, 0, o.Yaw+u(-0.1, 0.1), rgb)
	end.Pos = frame.Apply(geom.Vec{X: u(-0.02, 0.02), Y: -o.Size[1]/2 - 0.004 - 0.010 - u(0.003, 0.02)})
	outside = []rendertest.Object{far, side, end}
	s.Objects = append(s.Objects, outside...)
	return s, outside
}

func TestOutsideAndInsideAreNotConfused(t *testing.T) {
	lost, wrong, ghosts := 0, 0, 0
	for i := *first; i < *first+*scenes; i++ {
		r := rand.New(rand.NewPCG(uint64(i), 9))
		s, outside := filledBox(r, r.IntN(5))
		shot := rendertest.Front(640, 480)
		shot.Seq = uint64(i)
		things := detect.Things(rendertest.Draw(s, shot), nil)
		used := map[int]bool{}
		for _, o := range outside {
			k := matched(o, things)
			if k < 0 || things[k].Kind != detect.Battery {
				lost++
				t.Logf("scene %d: battery outside at %.3f is not seen as one", i, o.Pos)
				continue
			}
			used[k] = true
			if things[k].Inside >= 0 {
				wrong++
			}
		}
		boxes := 0
		for k := range things {
			if things[k].Kind == detect.Box {
				boxes++
			} else if !used[k] && things[k].Inside < 0 {
				ghosts++
				t.Logf("scene %d: seen outside: %s", i, describe(&things[k]))
			}
		}
		if boxes != 1 {
			t.Errorf("scene %d: %d boxes", i, boxes)
			for k := range things {
				t.Log(describe(&things[k]))
			}
		}
	}
	t.Logf("%d scenes: outside not seen %d, taken for inside %d; inside taken for outside %d", *scenes, lost, wrong, ghosts)
	if all := 3 * *scenes; lost*50 > all || wrong > 0 || ghosts*50 > *scenes {
		t.Errorf("of %d batteries outside %d are not seen, %d taken for inside; %d things inside taken for outside", all, lost, wrong, ghosts)
	}
}
