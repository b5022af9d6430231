package detect_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/sim/render"
	"github.com/rein-robotics/rein/sim/render/rendertest"
	"github.com/rein-robotics/rein/vision/detect"
)

// mustSee checks that every object of the scene is seen as what it is, and nothing else is seen.
func mustSee(t *testing.T, s rendertest.Scene, things []detect.Thing) {
	t.Helper()
	for _, o := range s.Objects {
		k := matched(o, things)
		if k < 0 {
			t.Errorf("%s at %.3f %.3f is not seen", o.Kind, o.Pos.X, o.Pos.Y)
			continue
		}
		if things[k].Kind != o.Kind {
			t.Errorf("%s at %.3f %.3f is seen as %s", o.Kind, o.Pos.X, o.Pos.Y, describe(&things[k]))
		}
	}
	if len(things) != len(s.Objects) {
		t.Errorf("%d things are seen, want %d", len(things), len(s.Objects))
		for i := range things {
			t.Log(describe(&things[i]))
		}
	}
}

func TestTabletopIsSeenByEveryCamera(t *testing.T) {
	moved := rendertest.Front(640, 480)
	moved.Pose = geom.LookAt(geom.Vec{X: 0.06, Y: 0.03, Z: 0.82}, geom.Vec{X: 0.25, Y: 0.02}, geom.Vec{Z: 1})
	fine := rendertest.Front(640, 480)
	fine.Fine = true
	for name, shot := range map[string]rendertest.Shot{"front": rendertest.Front(640, 480), "moved": moved, "fine": fine, "half": rendertest.Front(320, 240)} {
		t.Run(name, func(t *testing.T) {
			mustSee(t, rendertest.Tabletop(), detect.Things(rendertest.Draw(rendertest.Tabletop(), shot), nil))
		})
	}
}

func TestEveryPointLiesOnItsThing(t *testing.T) {
	f := rendertest.Draw(rendertest.Tabletop(), rendertest.Front(640, 480))
	for _, th := range detect.Things(f, nil) {
		if !th.Mask.At(int(th.Point[0]), int(th.Point[1])) {
			t.Errorf("point %v of %s lies outside its mask", th.Point, describe(&th))
		}
		for _, s := range th.Spots {
			w, ok := f.World(int(s.Pixel[0]), int(s.Pixel[1]))
			if d := math.Hypot(w.X-s.World.X, w.Y-s.World.Y); !ok || d > 0.012 {
				t.Errorf("spot %s of %s: its pixel shows a place %.3f m beside it", s.Name, th.Kind, d)
			}
		}
	}
}

func TestLightDoesNotChangeWhatIsSeen(t *testing.T) {
	for _, light := range []float64{0.75, 1.25} {
		s := rendertest.Tabletop()
		want := detect.Things(rendertest.Draw(s, rendertest.Front(640, 480)), nil)
		s.Light = light
		got := detect.Things(rendertest.Draw(s, rendertest.Front(640, 480)), nil)
		mustSee(t, s, got)
		for i := range min(len(got), len(want)) {
			if got[i].Kind != want[i].Kind || got[i].Colour != want[i].Colour {
				t.Errorf("light %.2f: %s, want %s", light, describe(&got[i]), describe(&want[i]))
			}
		}
	}
}

func TestTurnedHuesChangeColoursOnly(t *testing.T) {
	s := rendertest.Tabletop()
	for i := range s.Objects {
		c := s.Objects[i].RGB
		s.Objects[i].RGB = [3]float64{c[1], c[2], c[0]}
	}
	mustSee(t, s, detect.Things(rendertest.Draw(s, rendertest.Front(640, 480)), nil))
}

func TestMirroredSceneGivesMirroredPoints(t *testing.T) {
	for seed := range 6 {
		s := rendertest.RandomScene(rand.New(rand.NewPCG(uint64(seed), 5)), 5)
		a, b := detect.Things(rendertest.Draw(s, rendertest.Front(640, 480)), nil), detect.Things(rendertest.Draw(s.Mirrored(), rendertest.Front(640, 480)), nil)
		for _, o := range s.Objects {
			m := o
			m.Pos.Y = -m.Pos.Y
			i, j := matched(o, a), matched(m, b)
			if i < 0 || j < 0 {
				t.Errorf("seed %d: %s is seen in one of the two only", seed, o.Kind)
				continue
			}
			if d := math.Hypot(640-a[i].Point[0]-b[j].Point[0], a[i].Point[1]-b[j].Point[1]); d > 3 && o.Kind != detect.Mug && o.Kind != detect.Box {
				t.Errorf("seed %d: %s %v and %v are %.1f px from being mirrored", seed, o.Kind, a[i].Point, b[j].Point, d)
			}
		}
	}
}

func TestCamouflageIsFoundAndPaintIsNot(t *testing.T) {
	hidden := rendertest.Battery(0.25, -0.08, 0.5, rendertest.Grey)
	s := rendertest.Scene{Objects: []rendertest.Object{hidden}}
	s.Extra = []render.Geom{{
		Shape: render.Plane, Pose: rendertest.Place(0.3, 0.08, 0.0002), Size: geom.Vec{X: 0.025, Y: 0.007},
		Color: [4]float32{0.75, 0.55, 0.2, 1},
	}}
	mustSee(t, s, detect.Things(rendertest.Draw(s, rendertest.Front(640, 480)), nil))
}

func TestWhiteBlockIsNotTheWhiteBox(t *testing.T) {
	s := rendertest.Scene{Objects: []rendertest.Object{
		rendertest.WhiteBox(0.27, 0.15),
		{Kind: detect.Block, Shape: "box", RGB: rendertest.White, Pos: rendertest.At(0.27, -0.1), Size: [3]float64{0.12, 0.16, 0.05}},
		rendertest.Block(0.18, 0.03, 0, rendertest.White),
	}}
	things := detect.Things(rendertest.Draw(s, rendertest.Front(640, 480)), nil)
	mustSee(t, s, things)
	for i := range things {
		if things[i].Colour != "white" {
			t.Errorf("not white: %s", describe(&things[i]))
		}
	}
}

func TestWhatLiesInTheBoxIsInIt(t *testing.T) {
	const floor = 0.004
	in := func(o rendertest.Object, z float64) rendertest.Object { o.Pos.Z = z; return o }
	standing := rendertest.Object{Kind: detect.Battery, Shape: "standing", RGB: rendertest.Gold, Pos: geom.Vec{X: 0.25, Y: 0.12, Z: floor}, Size: [3]float64{0.007, 0.05}}
	cases := map[string][]rendertest.Object{
		"lying":      {in(rendertest.Battery(0.28, 0.17, 0.4, rendertest.Gold), floor)},
		"three":      {in(rendertest.Battery(0.26, 0.20, 0.4, rendertest.Gold), floor), in(rendertest.Battery(0.28, 0.15, 1.3, rendertest.Gold), floor), in(rendertest.Battery(0.30, 0.11, 0, rendertest.Gold), floor)},
		"camouflage": {in(rendertest.Battery(0.28, 0.17, 0.4, rendertest.White), floor)},
		"by_wall":    {in(rendertest.Battery(0.28, 0.231, 0, rendertest.Gold), floor)},
		"standing":   {standing},
		"block":      {in(rendertest.Block(0.28, 0.17, 0.4, rendertest.Red), floor)},
	}
	for name, inside := range cases {
		t.Run(name, func(t *testing.T) {
			s := rendertest.Scene{Objects: append([]rendertest.Object{rendertest.WhiteBox(0.28, 0.16)}, inside...)}
			things := detect.Things(rendertest.Draw(s, rendertest.Front(640, 480)), nil)
			box := -1
			for i := range things {
				if things[i].Kind == detect.Box {
					box = i
				}
			}
			n := 0
			for i := range things {
				if i != box && things[i].Inside == box && things[i].Kind == inside[0].Kind {
					n++
				}
			}
			if box < 0 || n != len(inside) || len(things) != len(inside)+1 {
				t.Errorf("%d of %d things are seen in box %d", n, len(inside), box)
				for i := range things {
					t.Log(describe(&things[i]))
				}
			}
		})
	}
}

func TestLeaningBatteryCountsAsInside(t *testing.T) {
	s := rendertest.Scene{Objects: []rendertest.Object{rendertest.WhiteBox(0.28, 0.16)}}
	tilt := geom.MulRot(geom.RotZ(math.Pi/2), geom.RotY(math.Pi/2-0.6))
	s.Extra = []render.Geom{{
		Shape: render.Cylinder, Pose: geom.Pose{Pos: geom.Vec{X: 0.28, Y: 0.205, Z: 0.026}, Rot: tilt},
		Size: geom.Vec{X: 0.007, Y: 0.025}, Color: [4]float32{0.75, 0.55, 0.2, 1},
	}}
	things := detect.Things(rendertest.Draw(s, rendertest.Front(640, 480)), nil)
	n := 0
	for i := range things {
		if things[i].Inside >= 0 && things[things[i].Inside].Kind == detect.Box {
			n++
		}
	}
	if n != 1 || len(things) != 2 {
		t.Errorf("%d things lie in the box, want 1 of 2 seen", n)
		for i := range things {
			t.Log(describe(&things[i]))
		}
	}
}

func TestDrawerShowsHandleAndOpening(t *testing.T) {
	for _, open := range []float64{0, 0.03, 0.06, 0.09} {
		s := rendertest.Scene{Objects: []rendertest.Object{rendertest.Drawer(0.32, -0.12, open), rendertest.Battery(0.25, 0.1, 0, rendertest.Gold)}}
		if open >= 0.06 {
			b := rendertest.Battery(0.32-0.059-open/2, -0.12, 1.3, rendertest.Gold)
			b.Pos.Z = 0.009
			s.Objects = append(s.Objects, b)
		}
		things := detect.Things(rendertest.Draw(s, rendertest.Front(640, 480)), nil)
		mustSee(t, s, things)
		k := matched(s.Objects[0], things)
		if k < 0 || things[k].Kind != detect.Drawer {
			continue
		}
		d := things[k]
		if math.Abs(d.Opening-open) > 0.008 {
			t.Errorf("open %.2f: seen as %.3f", open, d.Opening)
		}
		h, ok := d.Spot(detect.SpotHandle)
		if want := 0.32 - 0.059 - 0.03 - open; !ok || math.Hypot(h.World.X-want, h.World.Y+0.12) > 0.006 {
			t.Errorf("open %.2f: handle %v at %.3f, want x %.3f", open, ok, h.World, want)
		}
		if _, ok := d.Spot(detect.SpotInside); ok != (open >= 0.03) {
			t.Errorf("open %.2f: a free place inside is %v", open, ok)
		}
	}
}

func TestStackIsTwoBlocks(t *testing.T) {
	upper := rendertest.Block(0.25, 0.05, 0.4, rendertest.Blue)
	upper.Size = [3]float64{0.03, 0.03, 0.03}
	upper.Pos.Z = 0.04
	s := rendertest.Scene{Objects: []rendertest.Object{rendertest.Block(0.25, 0.05, 0.2, rendertest.Red), upper}}
	things := detect.Things(rendertest.Draw(s, rendertest.Front(640, 480)), nil)
	if len(things) != 2 {
		t.Fatalf("%d things are seen, want 2", len(things))
	}
	top, low := 0, 1
	if things[0].Base < things[1].Base {
		top, low = 1, 0
	}
	if things[top].On != low || !things[top].Is("blue") || !things[low].Is("red") || things[low].On != -1 {
		t.Errorf("got %s and %s", describe(&things[top]), describe(&things[low]))
	}
}

func TestTouchingThingsOfOtherColoursAreTwo(t *testing.T) {
	for _, pair := range [][2][3]float64{{rendertest.Red, rendertest.Blue}, {rendertest.White, rendertest.Gold}, {rendertest.Green, {0.1, 0.1, 0.1}}, {rendertest.White, {0.1, 0.1, 0.1}}} {
		s := rendertest.Scene{Objects: []rendertest.Object{rendertest.Block(0.25, 0.021, 0, pair[0]), rendertest.Block(0.25, -0.0205, 0, pair[1])}}
		mustSee(t, s, detect.Things(rendertest.Draw(s, rendertest.Front(640, 480)), nil))
	}
}

func TestTouchingBatteriesOfOneColourAreTold(t *testing.T) {
	b := func(x, y, yaw float64) rendertest.Object { return rendertest.Battery(x, y, yaw, rendertest.Gold) }
	for name, objects := range map[string][]rendertest.Object{
		"side_by_side": {b(0.25, 0, 0.3), b(0.25-0.0145*math.Sin(0.3), 0.0145*math.Cos(0.3), 0.3)},
		"in_line":      {b(0.25, 0, 1.2), b(0.25+0.051*math.Cos(1.2), 0.051*math.Sin(1.2), 1.2)},
		"corner":       {b(0.25, 0, 0), b(0.25+0.0325, 0.01, math.Pi/2)},
		"three":        {b(0.25, 0, 0), b(0.25, 0.0145, 0), b(0.25, 0.029, 0)},
	} {
		t.Run(name, func(t *testing.T) {
			s := rendertest.Scene{Objects: objects}
			mustSee(t, s, detect.Things(rendertest.Draw(s, rendertest.Front(640, 480)), nil))
		})
	}
}

func TestTheRobotItselfIsNoThing(t *testing.T) {
	s := rendertest.Scene{Objects: []rendertest.Object{rendertest.Battery(0.28, 0.1, 0.3, rendertest.Gold)}}
	s.Extra = []render.Geom{{Shape: render.Capsule, Pose: rendertest.Place(0.2, 0, 0.1), Size: geom.Vec{X: 0.02, Y: 0.08}, Color: [4]float32{0.9, 0.5, 0.1, 1}}}
	link := geom.Capsule{Segment: geom.Segment{A: geom.Vec{X: 0.2, Z: 0.02}, B: geom.Vec{X: 0.2, Z: 0.18}}, Radius: 0.022}
	arm := func(p geom.Vec) bool { return link.DistanceTo(p) <= link.Radius }
	mustSee(t, s, detect.Things(rendertest.Draw(s, rendertest.Front(640, 480)), arm))
}

func TestWristCameraSeesTheSameThings(t *testing.T) {
	for _, height := range []float64{0.25, 0.35, 0.45} {
		s := rendertest.Scene{Objects: []rendertest.Object{
			rendertest.Battery(0.25, 0.02, 0.5, rendertest.Gold), rendertest.Block(0.25, 0.08, 0.3, rendertest.Red), rendertest.Battery(0.28, -0.05, -0.9, rendertest.Blue),
		}}
		shot := rendertest.Wrist(geom.Vec{X: 0.25}, height)
		mustSee(t, s, detect.Things(rendertest.Draw(s, shot), nil))
	}
}

func TestFrameWithoutDepthShowsNothing(t *testing.T) {
	f := rendertest.Draw(rendertest.Tabletop(), rendertest.Front(160, 120))
	f.Depth = nil
	if got := detect.Things(f, nil); len(got) != 0 {
		t.Errorf("%d things, want none", len(got))
	}
}

func TestTheSamePictureGivesTheSameThings(t *testing.T) {
	f := rendertest.Draw(rendertest.Tabletop(), rendertest.Front(640, 480))
	want := detect.Things(f, nil)
	if d := cmp.Diff(want, detect.Things(f, nil)); d != "" {
		t.Fatal(d)
	}
}

func BenchmarkDetect(b *testing.B) {
	f := rendertest.Draw(rendertest.Tabletop(), rendertest.Front(640, 480))
	for b.Loop() {
		detect.Things(f, nil)
	}
}
