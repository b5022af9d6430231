package detect_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/sim/render/rendertest"
	"github.com/rein-robotics/rein/vision/detect"
)

// graspAt is the grasp of the thing that the front camera sees at p.
func graspAt(t *testing.T, s rendertest.Scene, p geom.Vec) (detect.Grasp, error) {
	t.Helper()
	f := rendertest.Draw(s, rendertest.Front(640, 480))
	_, tr := detect.NewTracker(f, rendertest.PixelOf(f, p))
	return detect.EstimateGrasp(f, tr.Mask, nil)
}

// turn is the angle between two axes.
func turn(a, b float64) float64 {
	d := math.Mod(math.Abs(a-b), math.Pi)
	return min(d, math.Pi-d)
}

func TestGraspOfABatteryCrossesIt(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 12 {
		d, a := 0.17+0.19*r.Float64(), (r.Float64()*2-1)*1.1
		yaw := r.Float64() * math.Pi
		b := rendertest.Battery(d*math.Cos(a), d*math.Sin(a), yaw, rendertest.Gold)
		g, err := graspAt(t, rendertest.Scene{Objects: []rendertest.Object{b}}, geom.Vec{X: b.Pos.X, Y: b.Pos.Y, Z: 0.014})
		if err != nil {
			t.Errorf("battery at %.3f yaw %.2f: %v", b.Pos, yaw, err)
			continue
		}
		off := math.Hypot(g.Centre.X-b.Pos.X, g.Centre.Y-b.Pos.Y)
		if off > 0.004 || turn(g.Yaw, yaw+math.Pi/2) > 0.09 || math.Abs(g.Width-0.014) > 0.004 || math.Abs(g.Top-0.014) > 0.002 {
			t.Errorf("battery at %.3f yaw %.2f: %.1f mm off, turned by %.2f, width %.3f, top %.3f",
				b.Pos, yaw, off*1000, turn(g.Yaw, yaw+math.Pi/2), g.Width, g.Top)
		}
		if g.Centre.Z < 0.001 || g.Centre.Z > 0.005 {
			t.Errorf("fingertips at %.4f m, want 2 to 4 mm above the table", g.Centre.Z)
		}
	}
}

func TestGraspOfABlockTakesTheNarrowSide(t *testing.T) {
	b := rendertest.Block(0.25, 0.05, 0.4, rendertest.Red)
	b.Size = [3]float64{0.06, 0.03, 0.03}
	g, err := graspAt(t, rendertest.Scene{Objects: []rendertest.Object{b}}, geom.Vec{X: 0.25, Y: 0.05, Z: 0.03})
	if err != nil || turn(g.Yaw, 0.4+math.Pi/2) > 0.08 || math.Abs(g.Width-0.03) > 0.004 {
		t.Errorf("got %+v, %v", g, err)
	}
}

func TestGraspAvoidsANeighbour(t *testing.T) {
	b := rendertest.Block(0.25, 0, 0, rendertest.Red)
	b.Size = [3]float64{0.04, 0.03, 0.03}
	wall := rendertest.Block(0.25, 0.028, 0, rendertest.Blue)
	wall.Size = [3]float64{0.05, 0.02, 0.05}
	g, err := graspAt(t, rendertest.Scene{Objects: []rendertest.Object{b, wall}}, geom.Vec{X: 0.25, Z: 0.03})
	if err != nil || turn(g.Yaw, 0) > 0.1 {
		t.Errorf("got yaw %.2f free %.3f, %v; want the fingers along x", g.Yaw, g.Free, err)
	}
}

func TestGraspMovesAlongABlockedBattery(t *testing.T) {
	b := rendertest.Battery(0.25, 0, 0, rendertest.Gold)
	stop := rendertest.Block(0.25, 0.024, 0, rendertest.Blue)
	stop.Size = [3]float64{0.006, 0.02, 0.04}
	g, err := graspAt(t, rendertest.Scene{Objects: []rendertest.Object{b, stop}}, geom.Vec{X: 0.25, Y: -0.002, Z: 0.014})
	if err != nil || math.Abs(g.Centre.X-0.25) < 0.006 || math.Abs(g.Centre.X-0.25) > 0.02 || g.Free < 0 {
		t.Errorf("got %+v, %v; want it moved along x", g, err)
	}
}

func TestGraspOfAMugTakesItsWall(t *testing.T) {
	m := rendertest.Object{Kind: detect.Mug, Shape: "mug", RGB: rendertest.Blue, Pos: rendertest.At(0.27, 0.05), Yaw: 0.5, Size: [3]float64{0.038, 0.08}}
	g, err := graspAt(t, rendertest.Scene{Objects: []rendertest.Object{m}}, geom.Vec{X: 0.27 + 0.036, Y: 0.05, Z: 0.08})
	off := math.Hypot(g.Centre.X-0.27, g.Centre.Y-0.05)
	if err != nil || !g.Wall || math.Abs(off-0.036) > 0.004 || g.Width > 0.012 || math.Abs(g.Top-0.08) > 0.004 {
		t.Errorf("got %+v, %.3f from the middle, %v", g, off, err)
	}
	dir := math.Atan2(g.Centre.Y-0.05, g.Centre.X-0.27)
	if turn(dir, g.Yaw) > 0.1 || math.Abs(math.Mod(dir-0.5+3*math.Pi, 2*math.Pi)-math.Pi) < 0.6 {
		t.Errorf("the wall is taken in direction %.2f with the fingers along %.2f; the handle is at 0.5", dir, g.Yaw)
	}
}

func TestGraspErrorsAreForThePlanner(t *testing.T) {
	big := rendertest.Block(0.25, 0, 0, rendertest.Red)
	big.Size = [3]float64{0.09, 0.084, 0.04}
	shut := []rendertest.Object{rendertest.Battery(0.25, 0, 0, rendertest.Gold)}
	for _, y := range []float64{-0.02, 0.02} {
		w := rendertest.Block(0.25, y, 0, rendertest.Blue)
		w.Size = [3]float64{0.08, 0.012, 0.05}
		shut = append(shut, w)
	}
	for _, x := range []float64{0.25 - 0.038, 0.25 + 0.038} {
		w := rendertest.Block(x, 0, 0, rendertest.Green)
		w.Size = [3]float64{0.012, 0.026, 0.05}
		shut = append(shut, w)
	}
	cases := map[string]struct {
		s    rendertest.Scene
		p    geom.Vec
		want string
	}{
		"wide":  {rendertest.Scene{Objects: []rendertest.Object{big}}, geom.Vec{X: 0.25, Z: 0.04}, "mm wide, the gripper opens 70 mm"},
		"table": {rendertest.Scene{}, geom.Vec{X: 0.25}, "nothing stands out"},
		"shut":  {rendertest.Scene{Objects: shut}, geom.Vec{X: 0.25, Z: 0.014}, "no room for the fingers"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := graspAt(t, c.s, c.p)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	if _, err := detect.EstimateGrasp(rendertest.Draw(rendertest.Scene{}, rendertest.Front(160, 120)), nil, nil); err == nil {
		t.Error("no mask: no error")
	}
}

func TestHeightMapKnowsWhatIsHighAndWhatIsHidden(t *testing.T) {
	tall := rendertest.Block(0.30, 0, 0, rendertest.Red)
	tall.Size = [3]float64{0.04, 0.04, 0.12}
	f := rendertest.Draw(rendertest.Scene{Objects: []rendertest.Object{tall, rendertest.WhiteBox(0.25, 0.17)}}, rendertest.Front(640, 480))
	m := detect.NewHeightMap(f, detect.Area{X0: 0.1, Y0: -0.3, X1: 0.45, Y1: 0.3}, 0, nil)
	if z, seen := m.At(0.2, 0); !seen || math.Abs(z) > 0.004 {
		t.Errorf("bare table: %.3f, seen %v", z, seen)
	}
	if z, _ := m.HighestAlong(geom.Vec{X: 0.2, Y: -0.2}, geom.Vec{X: 0.4, Y: 0.2}, 0.03); math.Abs(z-0.12) > 0.006 {
		t.Errorf("highest on the way over the block: %.3f, want 0.120", z)
	}
	if z, _ := m.HighestAlong(geom.Vec{X: 0.2, Y: -0.2}, geom.Vec{X: 0.2, Y: 0.05}, 0.02); z > 0.006 {
		t.Errorf("highest on a free way: %.3f", z)
	}
	if _, seen := m.Highest(0.345, 0, 0.008); seen > 0.3 {
		t.Errorf("behind the block %.2f is seen, want nearly nothing", seen)
	}
	if _, seen := m.Highest(0.9, 0, 0.01); seen != 0 {
		t.Errorf("outside the map %.2f is seen", seen)
	}
	if p, ok := m.FreePlace(geom.Vec{X: 0.29, Y: -0.01}, 0.03, 0.15, 0); !ok || math.Hypot(p.X-0.3, p.Y) < 0.045 {
		t.Errorf("free place %v at %.3f", ok, p)
	}
	if p, ok := m.FreePlace(geom.Vec{X: 0.25, Y: 0.17}, 0.02, 0.03, 0.004); !ok {
		t.Errorf("free place on the box's floor %v at %.3f", ok, p)
	}
}
