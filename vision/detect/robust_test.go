package detect_test

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/sim/render/rendertest"
	"github.com/rein-robotics/rein/vision/detect"
)

func TestDrawersOfManyKindsAreSeen(t *testing.T) {
	for i := *first; i < *first+*scenes; i++ {
		r := rand.New(rand.NewPCG(uint64(i), 4))
		u := func(a, b float64) float64 { return a + (b-a)*r.Float64() }
		a := u(-0.9, 0.9)
		d := rendertest.Drawer(u(0.28, 0.34)*math.Cos(a), u(0.28, 0.34)*math.Sin(a), 0)
		d.Yaw = a + u(-0.15, 0.15)
		d.Size = [3]float64{u(0.08, 0.12), u(0.08, 0.14), u(0.04, 0.07)}
		if r.IntN(2) == 0 {
			d.Open = u(0.02, 0.08)
		}
		d.RGB = rendertest.Palette[rendertest.PaletteNames[r.IntN(len(rendertest.PaletteNames))]][0]
		shot := rendertest.Front(640, 480)
		shot.Seq = uint64(i)
		things := detect.Things(rendertest.Draw(rendertest.Scene{Objects: []rendertest.Object{d}}, shot), nil)
		if len(things) != 1 || things[0].Kind != detect.Drawer {
			t.Errorf("scene %d: open %.3f size %.3f yaw %.2f at %.3f: %d things", i, d.Open, d.Size, d.Yaw, d.Pos, len(things))
			for k := range things {
				t.Log(describe(&things[k]))
			}
			continue
		}
		if got := things[0].Opening; math.Abs(got-d.Open) > 0.008 {
			t.Errorf("scene %d: opening %.3f, want %.3f", i, got, d.Open)
		}
		front := d.Size[0]/2 + 0.009
		want := geom.Pose{Pos: d.Pos, Rot: geom.RotZ(d.Yaw)}.Apply(geom.Vec{X: -front - 0.030 - d.Open})
		h, ok := things[0].Spot(detect.SpotHandle)
		if off := math.Hypot(h.World.X-want.X, h.World.Y-want.Y); !ok || off > 0.008 {
			t.Errorf("scene %d: handle %v, %.1f mm off", i, ok, off*1000)
		}
	}
}

func TestCoarsePicturesStillShowBatteriesAndTheBox(t *testing.T) {
	s := rendertest.Scene{Objects: []rendertest.Object{rendertest.WhiteBox(0.27, 0.16), rendertest.Battery(0.25, -0.08, 0.5, rendertest.Gold), rendertest.Battery(0.2, -0.02, 2, rendertest.Gold), rendertest.Block(0.3, 0.0, 0.3, rendertest.Red)}}
	for _, w := range []int{320, 160} {
		t.Run(fmt.Sprint(w), func(t *testing.T) {
			things := detect.Things(rendertest.Draw(s, rendertest.Front(w, w*3/4)), nil)
			for _, o := range s.Objects {
				k := matched(o, things)
				if k < 0 || things[k].Kind != o.Kind {
					t.Errorf("%s at %.3f is not seen as one", o.Kind, o.Pos)
					for k := range things {
						t.Log(describe(&things[k]))
					}
				}
			}
			if len(things) != len(s.Objects) {
				t.Errorf("%d things", len(things))
				for k := range things {
					t.Log(describe(&things[k]))
				}
			}
		})
	}
}

func TestGraspsFromTheWristAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for range 10 {
		yaw := r.Float64() * math.Pi
		b := rendertest.Battery(0.25+0.04*r.Float64(), -0.05+0.1*r.Float64(), yaw, rendertest.Gold)
		height := 0.2 + 0.2*r.Float64()
		f := rendertest.Draw(rendertest.Scene{Objects: []rendertest.Object{b}}, rendertest.Wrist(geom.Vec{X: b.Pos.X, Y: b.Pos.Y}, height))
		_, tr := detect.NewTracker(f, rendertest.PixelOf(f, geom.Vec{X: b.Pos.X, Y: b.Pos.Y, Z: 0.013}))
		g, err := detect.EstimateGrasp(f, tr.Mask, nil)
		if err != nil {
			t.Errorf("height %.2f: %v", height, err)
			continue
		}
		off := math.Hypot(g.Centre.X-b.Pos.X, g.Centre.Y-b.Pos.Y)
		if off > 0.003 || turn(g.Yaw, yaw+math.Pi/2) > 0.06 || math.Abs(g.Width-0.014) > 0.003 {
			t.Errorf("height %.2f: %.1f mm off, turned by %.3f, width %.4f", height, off*1000, turn(g.Yaw, yaw+math.Pi/2), g.Width)
		}
	}
}

func TestGraspInTheBoxKnowsItsFloor(t *testing.T) {
	b := rendertest.Battery(0.28, 0.17, 0.4, rendertest.Gold)
	b.Pos.Z = 0.004
	g, err := graspAt(t, rendertest.Scene{Objects: []rendertest.Object{rendertest.WhiteBox(0.28, 0.16), b}}, geom.Vec{X: 0.28, Y: 0.17, Z: 0.018})
	if err != nil || math.Abs(g.Base-0.004) > 0.002 || math.Abs(g.Top-0.018) > 0.002 || turn(g.Yaw, 0.4+math.Pi/2) > 0.1 {
		t.Errorf("got %+v, %v", g, err)
	}
}

// FuzzAnyDepthIsSurvived feeds depth that no camera should give.
func FuzzAnyDepthIsSurvived(f *testing.F) {
	f.Add(uint64(1), float32(0.8), float32(0))
	f.Add(uint64(2), float32(math.Inf(1)), float32(1))
	f.Add(uint64(3), float32(math.NaN()), float32(0.5))
	f.Add(uint64(4), float32(-1), float32(0.1))
	f.Add(uint64(5), float32(1e30), float32(0.01))
	f.Fuzz(func(t *testing.T, seed uint64, odd, noise float32) {
		r := rand.New(rand.NewPCG(seed, 0))
		frame := rendertest.Draw(rendertest.Scene{Objects: []rendertest.Object{rendertest.WhiteBox(0.27, 0.1), rendertest.Battery(0.25, -0.08, 0.5, rendertest.Gold)}}, rendertest.Front(160, 120))
		pix := frame.Depth.Pix
		for range 2000 {
			pix[r.IntN(len(pix))] = odd
		}
		for i := range pix {
			pix[i] += noise * (r.Float32() - 0.5)
		}
		survive(frame, r)
	})
}

func survive(f *robot.Frame, r *rand.Rand) {
	for _, th := range detect.Things(f, nil) {
		_, _ = detect.EstimateGrasp(f, th.Mask, nil)
	}
	at := [2]float64{160 * r.Float64(), 120 * r.Float64()}
	tr, _ := detect.NewTracker(f, at)
	part := *f
	part.Region = tr.Region()
	tr.Update(&part)
	detect.NewHeightMap(f, detect.Area{X0: 0.1, Y0: -0.2, X1: 0.4, Y1: 0.2}, 0, nil).FreePlace(geom.Vec{X: 0.2}, 0.02, 0.1, 0)
}

func TestFramesOfOnePixelAndNoneAreSurvived(t *testing.T) {
	whole := rendertest.Draw(rendertest.Scene{}, rendertest.Front(160, 120))
	for _, r := range []image.Rectangle{image.Rect(5, 5, 6, 6), image.Rect(0, 0, 160, 1), image.Rect(0, 0, 3, 3)} {
		shot := rendertest.Front(160, 120)
		shot.Region = r
		survive(rendertest.Draw(rendertest.Scene{}, shot), rand.New(rand.NewPCG(1, 1)))
	}
	whole.Color = nil
	survive(whole, rand.New(rand.NewPCG(1, 1)))
	whole.Depth = nil
	survive(whole, rand.New(rand.NewPCG(1, 1)))
}
