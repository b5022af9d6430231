package vision_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/sim/render"
	"github.com/rein-robotics/rein/vision"
)

func at(x, y float64) geom.Vec { return geom.Vec{X: x, Y: y} }

var (
	white = [3]float64{1, 1, 1}
	gold  = [3]float64{0.75, 0.55, 0.2}
	grey  = [3]float64{0.58, 0.585, 0.59}
	red   = [3]float64{0.85, 0.16, 0.14}
	blue  = [3]float64{0.15, 0.32, 0.8}
	green = [3]float64{0.18, 0.62, 0.25}
	wood  = [3]float64{0.62, 0.47, 0.33}
)

func battery(x, y, yaw float64, rgb [3]float64) object {
	return object{kind: vision.Battery, shape: "lying", rgb: rgb, pos: at(x, y), yaw: yaw, size: [3]float64{0.007, 0.05}}
}

func block(x, y, yaw float64, rgb [3]float64) object {
	return object{kind: vision.Block, shape: "box", rgb: rgb, pos: at(x, y), yaw: yaw, size: [3]float64{0.04, 0.04, 0.04}}
}

func whiteBox(x, y float64) object {
	return object{kind: vision.Box, shape: "open_box", rgb: white, pos: at(x, y), size: [3]float64{0.12, 0.16, 0.06}}
}

func drawer(x, y, open float64) object {
	return object{kind: vision.Drawer, shape: "drawer", rgb: wood, pos: at(x, y), size: [3]float64{0.1, 0.1, 0.06}, open: open}
}

// tabletop is a scene with everything in it.
func tabletop() scene {
	return scene{objects: []object{
		battery(0.25, -0.08, 0.5, gold), battery(0.19, -0.09, -0.4, gold), battery(0.30, -0.03, 1.2, gold),
		whiteBox(0.27, 0.17), block(0.19, 0.02, 0.3, red), block(0.25, 0.03, 0, blue), block(0.17, 0.09, 0.8, green),
		{kind: vision.Mug, shape: "mug", rgb: [3]float64{0.93, 0.75, 0.25}, pos: at(0.36, 0.03), yaw: 1, size: [3]float64{0.035, 0.08}},
		drawer(0.31, -0.17, 0),
		{kind: vision.Button, shape: "button", rgb: red, pos: at(0.16, -0.22), size: [3]float64{0.018}},
	}}
}

// mustSee checks that every object of the scene is seen as what it is, and nothing else is seen.
func mustSee(t *testing.T, s scene, things []vision.Thing) {
	t.Helper()
	for _, o := range s.objects {
		k := matched(o, things)
		if k < 0 {
			t.Errorf("%s at %.3f %.3f is not seen", o.kind, o.pos.X, o.pos.Y)
			continue
		}
		if things[k].Kind != o.kind {
			t.Errorf("%s at %.3f %.3f is seen as %s", o.kind, o.pos.X, o.pos.Y, describe(&things[k]))
		}
	}
	if len(things) != len(s.objects) {
		t.Errorf("%d things are seen, want %d", len(things), len(s.objects))
		for i := range things {
			t.Log(describe(&things[i]))
		}
	}
}

func TestTabletopIsSeenByEveryCamera(t *testing.T) {
	moved := front(640, 480)
	moved.pose = geom.LookAt(geom.Vec{X: 0.06, Y: 0.03, Z: 0.82}, geom.Vec{X: 0.25, Y: 0.02}, geom.Vec{Z: 1})
	fine := front(640, 480)
	fine.fine = true
	for name, shot := range map[string]shot{"front": front(640, 480), "moved": moved, "fine": fine, "half": front(320, 240)} {
		t.Run(name, func(t *testing.T) {
			mustSee(t, tabletop(), vision.Detect(draw(tabletop(), shot), nil))
		})
	}
}

func TestEveryPointLiesOnItsThing(t *testing.T) {
	f := draw(tabletop(), front(640, 480))
	for _, th := range vision.Detect(f, nil) {
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
		s := tabletop()
		want := vision.Detect(draw(s, front(640, 480)), nil)
		s.light = light
		got := vision.Detect(draw(s, front(640, 480)), nil)
		mustSee(t, s, got)
		for i := range min(len(got), len(want)) {
			if got[i].Kind != want[i].Kind || got[i].Colour != want[i].Colour {
				t.Errorf("light %.2f: %s, want %s", light, describe(&got[i]), describe(&want[i]))
			}
		}
	}
}

func TestTurnedHuesChangeColoursOnly(t *testing.T) {
	s := tabletop()
	for i := range s.objects {
		c := s.objects[i].rgb
		s.objects[i].rgb = [3]float64{c[1], c[2], c[0]}
	}
	mustSee(t, s, vision.Detect(draw(s, front(640, 480)), nil))
}

func TestMirroredSceneGivesMirroredPoints(t *testing.T) {
	for seed := range 6 {
		s := randomScene(rand.New(rand.NewPCG(uint64(seed), 5)), 5)
		a, b := vision.Detect(draw(s, front(640, 480)), nil), vision.Detect(draw(s.mirrored(), front(640, 480)), nil)
		for _, o := range s.objects {
			m := o
			m.pos.Y = -m.pos.Y
			i, j := matched(o, a), matched(m, b)
			if i < 0 || j < 0 {
				t.Errorf("seed %d: %s is seen in one of the two only", seed, o.kind)
				continue
			}
			if d := math.Hypot(640-a[i].Point[0]-b[j].Point[0], a[i].Point[1]-b[j].Point[1]); d > 3 && o.kind != vision.Mug && o.kind != vision.Box {
				t.Errorf("seed %d: %s %v and %v are %.1f px from being mirrored", seed, o.kind, a[i].Point, b[j].Point, d)
			}
		}
	}
}

func TestCamouflageIsFoundAndPaintIsNot(t *testing.T) {
	hidden := battery(0.25, -0.08, 0.5, grey)
	s := scene{objects: []object{hidden}}
	s.extra = []render.Geom{{
		Shape: render.Plane, Pose: place(0.3, 0.08, 0.0002), Size: geom.Vec{X: 0.025, Y: 0.007},
		Color: [4]float32{0.75, 0.55, 0.2, 1},
	}}
	mustSee(t, s, vision.Detect(draw(s, front(640, 480)), nil))
}

func TestWhiteBlockIsNotTheWhiteBox(t *testing.T) {
	s := scene{objects: []object{
		whiteBox(0.27, 0.15),
		{kind: vision.Block, shape: "box", rgb: white, pos: at(0.27, -0.1), size: [3]float64{0.12, 0.16, 0.05}},
		block(0.18, 0.03, 0, white),
	}}
	things := vision.Detect(draw(s, front(640, 480)), nil)
	mustSee(t, s, things)
	for i := range things {
		if things[i].Colour != "white" {
			t.Errorf("not white: %s", describe(&things[i]))
		}
	}
}

func TestWhatLiesInTheBoxIsInIt(t *testing.T) {
	const floor = 0.004
	in := func(o object, z float64) object { o.pos.Z = z; return o }
	standing := object{kind: vision.Battery, shape: "standing", rgb: gold, pos: geom.Vec{X: 0.25, Y: 0.12, Z: floor}, size: [3]float64{0.007, 0.05}}
	cases := map[string][]object{
		"lying":      {in(battery(0.28, 0.17, 0.4, gold), floor)},
		"three":      {in(battery(0.26, 0.20, 0.4, gold), floor), in(battery(0.28, 0.15, 1.3, gold), floor), in(battery(0.30, 0.11, 0, gold), floor)},
		"camouflage": {in(battery(0.28, 0.17, 0.4, white), floor)},
		"by_wall":    {in(battery(0.28, 0.231, 0, gold), floor)},
		"standing":   {standing},
		"block":      {in(block(0.28, 0.17, 0.4, red), floor)},
	}
	for name, inside := range cases {
		t.Run(name, func(t *testing.T) {
			s := scene{objects: append([]object{whiteBox(0.28, 0.16)}, inside...)}
			things := vision.Detect(draw(s, front(640, 480)), nil)
			box := -1
			for i := range things {
				if things[i].Kind == vision.Box {
					box = i
				}
			}
			n := 0
			for i := range things {
				if i != box && things[i].Inside == box && things[i].Kind == inside[0].kind {
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
	s := scene{objects: []object{whiteBox(0.28, 0.16)}}
	tilt := geom.MulRot(geom.RotZ(math.Pi/2), geom.RotY(math.Pi/2-0.6))
	s.extra = []render.Geom{{
		Shape: render.Cylinder, Pose: geom.Pose{Pos: geom.Vec{X: 0.28, Y: 0.205, Z: 0.026}, Rot: tilt},
		Size: geom.Vec{X: 0.007, Y: 0.025}, Color: [4]float32{0.75, 0.55, 0.2, 1},
	}}
	things := vision.Detect(draw(s, front(640, 480)), nil)
	n := 0
	for i := range things {
		if things[i].Inside >= 0 && things[things[i].Inside].Kind == vision.Box {
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
		s := scene{objects: []object{drawer(0.32, -0.12, open), battery(0.25, 0.1, 0, gold)}}
		if open >= 0.06 {
			b := battery(0.32-0.059-open/2, -0.12, 1.3, gold)
			b.pos.Z = 0.009
			s.objects = append(s.objects, b)
		}
		things := vision.Detect(draw(s, front(640, 480)), nil)
		mustSee(t, s, things)
		k := matched(s.objects[0], things)
		if k < 0 || things[k].Kind != vision.Drawer {
			continue
		}
		d := things[k]
		if math.Abs(d.Opening-open) > 0.008 {
			t.Errorf("open %.2f: seen as %.3f", open, d.Opening)
		}
		h, ok := d.Spot(vision.SpotHandle)
		if want := 0.32 - 0.059 - 0.03 - open; !ok || math.Hypot(h.World.X-want, h.World.Y+0.12) > 0.006 {
			t.Errorf("open %.2f: handle %v at %.3f, want x %.3f", open, ok, h.World, want)
		}
		if _, ok := d.Spot(vision.SpotInside); ok != (open >= 0.03) {
			t.Errorf("open %.2f: a free place inside is %v", open, ok)
		}
	}
}

func TestStackIsTwoBlocks(t *testing.T) {
	upper := block(0.25, 0.05, 0.4, blue)
	upper.size = [3]float64{0.03, 0.03, 0.03}
	upper.pos.Z = 0.04
	s := scene{objects: []object{block(0.25, 0.05, 0.2, red), upper}}
	things := vision.Detect(draw(s, front(640, 480)), nil)
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
	for _, pair := range [][2][3]float64{{red, blue}, {white, gold}, {green, {0.1, 0.1, 0.1}}, {white, {0.1, 0.1, 0.1}}} {
		s := scene{objects: []object{block(0.25, 0.021, 0, pair[0]), block(0.25, -0.0205, 0, pair[1])}}
		mustSee(t, s, vision.Detect(draw(s, front(640, 480)), nil))
	}
}

func TestTouchingBatteriesOfOneColourAreTold(t *testing.T) {
	b := func(x, y, yaw float64) object { return battery(x, y, yaw, gold) }
	for name, objects := range map[string][]object{
		"side_by_side": {b(0.25, 0, 0.3), b(0.25-0.0145*math.Sin(0.3), 0.0145*math.Cos(0.3), 0.3)},
		"in_line":      {b(0.25, 0, 1.2), b(0.25+0.051*math.Cos(1.2), 0.051*math.Sin(1.2), 1.2)},
		"corner":       {b(0.25, 0, 0), b(0.25+0.0325, 0.01, math.Pi/2)},
		"three":        {b(0.25, 0, 0), b(0.25, 0.0145, 0), b(0.25, 0.029, 0)},
	} {
		t.Run(name, func(t *testing.T) {
			s := scene{objects: objects}
			mustSee(t, s, vision.Detect(draw(s, front(640, 480)), nil))
		})
	}
}

func TestTheRobotItselfIsNoThing(t *testing.T) {
	s := scene{objects: []object{battery(0.28, 0.1, 0.3, gold)}}
	s.extra = []render.Geom{{Shape: render.Capsule, Pose: place(0.2, 0, 0.1), Size: geom.Vec{X: 0.02, Y: 0.08}, Color: [4]float32{0.9, 0.5, 0.1, 1}}}
	link := geom.Capsule{Segment: geom.Segment{A: geom.Vec{X: 0.2, Z: 0.02}, B: geom.Vec{X: 0.2, Z: 0.18}}, Radius: 0.022}
	arm := func(p geom.Vec) bool { return link.DistanceTo(p) <= link.Radius }
	mustSee(t, s, vision.Detect(draw(s, front(640, 480)), arm))
}

func TestWristCameraSeesTheSameThings(t *testing.T) {
	for _, height := range []float64{0.25, 0.35, 0.45} {
		s := scene{objects: []object{
			battery(0.25, 0.02, 0.5, gold), block(0.25, 0.08, 0.3, red), battery(0.28, -0.05, -0.9, blue),
		}}
		shot := wrist(geom.Vec{X: 0.25}, height)
		mustSee(t, s, vision.Detect(draw(s, shot), nil))
	}
}

func TestFrameWithoutDepthShowsNothing(t *testing.T) {
	f := draw(tabletop(), front(160, 120))
	f.Depth = nil
	if got := vision.Detect(f, nil); len(got) != 0 {
		t.Errorf("%d things, want none", len(got))
	}
}

func TestTheSamePictureGivesTheSameThings(t *testing.T) {
	f := draw(tabletop(), front(640, 480))
	want := vision.Detect(f, nil)
	if d := cmp.Diff(want, vision.Detect(f, nil)); d != "" {
		t.Fatal(d)
	}
}

func BenchmarkDetect(b *testing.B) {
	f := draw(tabletop(), front(640, 480))
	for b.Loop() {
		vision.Detect(f, nil)
	}
}
