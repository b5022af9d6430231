package detect_test

import (
	"image"
	"math"
	"testing"
	"time"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/sim/render"
	"github.com/rein-robotics/rein/sim/render/rendertest"
	"github.com/rein-robotics/rein/vision"
	"github.com/rein-robotics/rein/vision/detect"
)

func TestSeedPicksTheThingUnderThePoint(t *testing.T) {
	s := rendertest.Tabletop()
	b := rendertest.Battery(0.27, 0.17, 0.4, rendertest.Gold)
	b.Pos.Z = 0.004
	s.Objects = append(s.Objects, b)
	f := rendertest.Draw(s, rendertest.Front(640, 480))
	cases := []struct {
		name string
		p    geom.Vec
		size [2]int // pixels of the mask
	}{
		{"battery", geom.Vec{X: 0.25, Y: -0.08, Z: 0.014}, [2]int{180, 420}},
		{"in_box", geom.Vec{X: 0.27, Y: 0.17, Z: 0.018}, [2]int{180, 420}},
		{"block", geom.Vec{X: 0.19, Y: 0.02, Z: 0.04}, [2]int{600, 1300}},
		{"handle", geom.Vec{X: 0.31 - 0.059 - 0.03, Y: -0.17, Z: 0.04}, [2]int{150, 700}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			at := rendertest.PixelOf(f, c.p)
			_, tr := detect.NewTracker(f, at)
			if tr.Pixels < c.size[0] || tr.Pixels > c.size[1] || !near(tr.Mask, at, 5) {
				t.Errorf("%d pixels around %v for the point %v, want %v", tr.Pixels, tr.Point, at, c.size)
			}
		})
	}
}

// near says whether a mask comes within d pixels of a point.
func near(m *vision.Mask, at [2]float64, d int) bool {
	for y := int(at[1]) - d; y <= int(at[1])+d; y++ {
		for x := int(at[0]) - d; x <= int(at[0])+d; x++ {
			if m.At(x, y) {
				return true
			}
		}
	}
	return false
}

func TestPointBesideAThingIsTheTable(t *testing.T) {
	s := rendertest.Scene{Objects: []rendertest.Object{rendertest.Battery(0.25, 0, 0, rendertest.Gold)}}
	f := rendertest.Draw(s, rendertest.Front(640, 480))
	c := rendertest.PixelOf(f, geom.Vec{X: 0.25, Z: 0.007})
	for _, off := range []float64{14, 18, 25, 60} {
		_, tr := detect.NewTracker(f, [2]float64{c[0] + off, c[1]})
		if tr.Area < 0.3 {
			t.Errorf("%.0f px beside the middle of a battery 9 px wide: a mask of %d pixels", off, tr.Pixels)
		}
	}
	f.Depth.Pix[0] = 0
	if _, tr := detect.NewTracker(f, [2]float64{0.5, 0.5}); tr.Mask != nil {
		t.Errorf("no depth at the point: a mask of %d pixels, want none", tr.Pixels)
	}
}

// finger is a part of a gripper.
func finger(x, y, z float64) render.Geom {
	return render.Geom{Shape: render.Box, Pose: rendertest.Place(x, y, z+0.03), Size: geom.Vec{X: 0.008, Y: 0.005, Z: 0.03}, Color: [4]float32{0.75, 0.76, 0.78, 1}}
}

func TestTrackerHoldsWhileAGripperComesIn(t *testing.T) {
	s := rendertest.Scene{Objects: []rendertest.Object{rendertest.Battery(0.25, 0, 0, rendertest.Gold), rendertest.Block(0.25, 0.06, 0, rendertest.Red)}}
	shot := rendertest.Front(640, 480)
	f := rendertest.Draw(s, shot)
	at := rendertest.PixelOf(f, geom.Vec{X: 0.25, Z: 0.014})
	tr, first := detect.NewTracker(f, at)
	for k := range 12 {
		z := 0.13 - 0.01*float64(k)
		s.Extra = []render.Geom{finger(0.25, 0.016, z), finger(0.25, -0.016, z)}
		shot.Seq, shot.Region = uint64(k+1), tr.Region()
		if got := shot.Region.Size(); got.X > 200 || got.Y > 200 {
			t.Fatalf("region %v, want about 192 × 192", shot.Region)
		}
		g := rendertest.Draw(s, shot)
		g.At = time.Duration(k) * 100 * time.Millisecond
		now := tr.Update(g)
		if now.At != g.At || now.Frame != g {
			t.Errorf("step %d: track of %v, want %v", k, now.At, g.At)
		}
		if now.Mask == nil {
			continue // hidden by the fingers
		}
		if d := math.Hypot(now.Point[0]-first.Point[0], now.Point[1]-first.Point[1]); now.Visibility > 0.5 && d > 4 {
			t.Errorf("step %d: the point moved %.1f px, visibility %.2f", k, d, now.Visibility)
		}
		if now.Pixels > 2*first.Pixels {
			t.Errorf("step %d: the mask grew from %d to %d pixels", k, first.Pixels, now.Pixels)
		}
	}
	s.Extra, shot.Seq, shot.Region = nil, 99, tr.Region()
	if now := tr.Update(rendertest.Draw(s, shot)); now.Visibility < 0.8 {
		t.Errorf("the gripper is gone: visibility %.2f", now.Visibility)
	}
}

func TestTrackerFollowsAPushedThing(t *testing.T) {
	b := rendertest.Block(0.25, 0, 0.2, rendertest.Red)
	shot := rendertest.Front(640, 480)
	f := rendertest.Draw(rendertest.Scene{Objects: []rendertest.Object{b}}, shot)
	tr, _ := detect.NewTracker(f, rendertest.PixelOf(f, geom.Vec{X: 0.25, Z: 0.04}))
	for k := range 15 {
		b.Pos.Y += 0.008
		b.Yaw += 0.05
		shot.Seq, shot.Region = uint64(k+1), tr.Region()
		g := rendertest.Draw(rendertest.Scene{Objects: []rendertest.Object{b}}, shot)
		now := tr.Update(g)
		want := rendertest.PixelOf(g, geom.Vec{X: 0.25, Y: b.Pos.Y, Z: 0.035})
		if d := math.Hypot(now.Point[0]-want[0], now.Point[1]-want[1]); now.Mask == nil || d > 6 || now.Visibility < 0.7 {
			t.Fatalf("step %d: %.1f px off, visibility %.2f", k, d, now.Visibility)
		}
	}
}

func TestTrackerFollowsALiftedThing(t *testing.T) {
	b := rendertest.Battery(0.25, 0, 0.2, rendertest.Gold)
	shot := rendertest.Front(640, 480)
	f := rendertest.Draw(rendertest.Scene{Objects: []rendertest.Object{b}}, shot)
	tr, _ := detect.NewTracker(f, rendertest.PixelOf(f, geom.Vec{X: 0.25, Z: 0.014}))
	for k := range 10 {
		b.Pos.Z += 0.009
		shot.Seq, shot.Region = uint64(k+1), tr.Region()
		if now := tr.Update(rendertest.Draw(rendertest.Scene{Objects: []rendertest.Object{b}}, shot)); now.Mask == nil || now.Visibility < 0.5 {
			t.Fatalf("step %d: lost at height %.3f, visibility %.2f", k, b.Pos.Z, now.Visibility)
		}
	}
}

func TestTrackerSaysWhenTheThingIsGone(t *testing.T) {
	shot := rendertest.Front(640, 480)
	f := rendertest.Draw(rendertest.Scene{Objects: []rendertest.Object{rendertest.Battery(0.25, 0, 0, rendertest.Gold)}}, shot)
	tr, _ := detect.NewTracker(f, rendertest.PixelOf(f, geom.Vec{X: 0.25, Z: 0.014}))
	shot.Seq = 1
	if now := tr.Update(rendertest.Draw(rendertest.Scene{}, shot)); now.Mask != nil || now.Visibility != 0 || now.Pixels != 0 {
		t.Errorf("an empty table: %d pixels, visibility %.2f", now.Pixels, now.Visibility)
	}
	other := rendertest.Battery(0.25, 0, 0, rendertest.Blue)
	shot.Seq = 2
	if now := tr.Update(rendertest.Draw(rendertest.Scene{Objects: []rendertest.Object{other}}, shot)); now.Visibility > 0.3 {
		t.Errorf("another thing in its place: visibility %.2f", now.Visibility)
	}
}

func TestTrackerOfAMovingCameraFindsTheThingAgain(t *testing.T) {
	s := rendertest.Scene{Objects: []rendertest.Object{rendertest.Battery(0.27, 0.03, 0.5, rendertest.Gold), rendertest.Battery(0.22, -0.03, 1, rendertest.Gold)}}
	shot := rendertest.Wrist(geom.Vec{X: 0.25}, 0.40)
	f := rendertest.Draw(s, shot)
	tr, _ := detect.NewTracker(f, rendertest.PixelOf(f, geom.Vec{X: 0.27, Y: 0.03, Z: 0.014}))
	for k := range 14 {
		shot = rendertest.Wrist(geom.Vec{X: 0.25 + 0.002*float64(k), Y: 0.003 * float64(k)}, 0.40-0.02*float64(k))
		shot.Seq = uint64(k + 1)
		shot.Region = tr.RegionAt(shot.Pose)
		g := rendertest.Draw(s, shot)
		now := tr.Update(g)
		want := rendertest.PixelOf(g, geom.Vec{X: 0.27, Y: 0.03, Z: 0.007})
		if !image.Pt(int(want[0]), int(want[1])).In(image.Rect(0, 0, 640, 480)) {
			break
		}
		if d := math.Hypot(now.Point[0]-want[0], now.Point[1]-want[1]); now.Mask == nil || d > 12 {
			t.Fatalf("step %d: %.1f px off, visibility %.2f, region %v", k, d, now.Visibility, shot.Region)
		}
	}
}

func BenchmarkTrackerUpdate(b *testing.B) {
	shot := rendertest.Front(640, 480)
	f := rendertest.Draw(rendertest.Tabletop(), shot)
	tr, _ := detect.NewTracker(f, rendertest.PixelOf(f, geom.Vec{X: 0.25, Y: -0.08, Z: 0.014}))
	shot.Region, shot.Seq = tr.Region(), 1
	g := rendertest.Draw(rendertest.Tabletop(), shot)
	for b.Loop() {
		tr.Update(g)
	}
}
