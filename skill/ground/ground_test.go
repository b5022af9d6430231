package ground_test

import (
	"math"
	"testing"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill/ground"
	"github.com/rein-robotics/rein/skill/skilltest"
)

func TestHeights(t *testing.T) {
	m := ground.New(skilltest.Photo(skilltest.OnTable(0.25, 0.05, 0.3, geom.Vec{X: 0.04, Y: 0.04, Z: 0.04})), nil)
	if z, known := over(m, geom.Vec{X: 0.25, Y: 0.05}, 0.03); math.Abs(z-0.04) > 0.002 || known < 0.9 {
		t.Errorf("over the block: got %.3f, %.2f; want 0.040", z, known)
	}
	if z, known := over(m, geom.Vec{X: 0.25, Y: -0.1}, 0.03); math.Abs(z) > 0.002 || known < 0.9 {
		t.Errorf("over the table: got %.3f, %.2f; want 0", z, known)
	}
	if _, known := over(m, geom.Vec{X: 5}, 0.03); known != 0 {
		t.Errorf("far outside: %.2f known, want 0", known)
	}
	strip := ground.Box{Centre: geom.Vec{X: 0.25, Y: 0.10}, Yaw: 0, HalfX: 0.01, HalfY: 0.04}
	if z, _ := m.Over(strip); math.Abs(z-0.04) > 0.002 {
		t.Errorf("over a strip that touches the block: got %.3f, want 0.040", z)
	}
	if z, _ := m.Without(geom.Vec{X: 0.25, Y: 0.05}, 0.04).Over(strip); z > 0.003 {
		t.Errorf("without the block: got %.3f, want 0", z)
	}
	if z, known := over(ground.New(nil, nil), geom.Vec{X: 0.25}, 0.03); z != 0 || known != 0 {
		t.Errorf("without a picture: got %.3f, %.2f", z, known)
	}
}

func TestBasin(t *testing.T) {
	inner := geom.Vec{X: 0.12, Y: 0.16, Z: 0.06}
	box := skilltest.OpenBox(0.26, 0.12, 0.5, inner)
	tests := []struct {
		name   string
		extra  []skilltest.Block
		at     geom.Vec
		is     bool
		rim    float64
		fits   bool // 50 × 14 mm at the point
		inside float64
	}{
		{"middle", nil, geom.Vec{X: 0.26, Y: 0.12}, true, 0.064, true, 0.05},
		{"near_a_wall", nil, geom.Vec{X: 0.26 + 0.045*math.Cos(0.5), Y: 0.12 + 0.045*math.Sin(0.5)}, true, 0.064, false, 0.01},
		{"beside_something_in_it", []skilltest.Block{skilltest.OnTable(0.24, 0.14, 0.2, geom.Vec{X: 0.05, Y: 0.014, Z: 0.018})}, geom.Vec{X: 0.27, Y: 0.10}, true, 0.064, true, 0.02},
		{"on_the_table", nil, geom.Vec{X: 0.22, Y: -0.12}, false, 0, false, 0},
		{"beside_a_block", []skilltest.Block{skilltest.OnTable(0.25, -0.1, 0, geom.Vec{X: 0.05, Y: 0.05, Z: 0.05})}, geom.Vec{X: 0.25, Y: -0.15}, false, 0, false, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := ground.New(skilltest.Photo(append(test.extra, box...)...), nil)
			b, ok := m.Basin(test.at)
			if ok != test.is {
				t.Fatalf("is a container: got %v, want %v (%+v)", ok, test.is, b)
			}
			if !ok {
				return
			}
			if math.Abs(b.Rim-test.rim) > 0.004 {
				t.Errorf("rim: got %.3f, want %.3f", b.Rim, test.rim)
			}
			room := b.Clearance(ground.Box{Centre: test.at, Yaw: 0.5, HalfX: 0.025, HalfY: 0.007})
			if fits := room > 0; fits != test.fits {
				t.Errorf("clearance of 50 × 14 mm: got %.1f mm, want it to fit: %v", room*1000, test.fits)
			}
			if in := b.Inside(test.at); in < test.inside {
				t.Errorf("inside by %.1f mm, want at least %.1f mm", in*1000, test.inside*1000)
			}
		})
	}
}

func TestFace(t *testing.T) {
	f := skilltest.Photo(skilltest.OnTable(0.25, 0.05, 0.4, geom.Vec{X: 0.06, Y: 0.04, Z: 0.04}))
	m := ground.New(f, nil)
	face, ok := m.Face(geom.Vec{X: 0.255, Y: 0.045})
	if !ok || !face.Small || math.Abs(face.Height-0.04) > 0.002 {
		t.Fatalf("got %+v, %v", face, ok)
	}
	if d := math.Hypot(face.Rect.C.X-0.25, face.Rect.C.Y-0.05); d > 0.003 {
		t.Errorf("its middle is %.1f mm off", d*1000)
	}
	if a := math.Abs(geom.WrapHalf(face.Rect.Yaw - 0.4)); a > 0.12 {
		t.Errorf("its angle is off by %.2f rad", a)
	}
	if table, ok := m.Face(geom.Vec{X: 0.25, Y: -0.12}); !ok || table.Small {
		t.Errorf("the table: got %+v, %v", table, ok)
	}
}

func TestOffEdge(t *testing.T) {
	m := ground.New(skilltest.Photo(skilltest.OpenBox(0.26, 0.12, 0, geom.Vec{X: 0.12, Y: 0.16, Z: 0.06})...), nil)
	wall := geom.Vec{X: 0.26 + 0.062, Y: 0.12}
	got := m.OffEdge(wall)
	if z, _ := over(m, got, 0.002); z > 0.01 {
		t.Errorf("from the rim it goes to ground of %.0f mm", z*1000)
	}
	floor := geom.Vec{X: 0.26, Y: 0.12}
	if got := m.OffEdge(floor); got != floor {
		t.Errorf("a point on the floor was moved to %v", got)
	}
	top := ground.New(skilltest.Photo(skilltest.OnTable(0.25, 0.05, 0.4, geom.Vec{X: 0.04, Y: 0.04, Z: 0.04})), nil)
	block := geom.Vec{X: 0.25, Y: 0.05}
	if got := top.OffEdge(block); got != block {
		t.Errorf("a point on a block's top was moved to %v", got)
	}
}

func TestAtAndThing(t *testing.T) {
	f := skilltest.Photo(skilltest.OnTable(0.25, 0.05, 0.3, geom.Vec{X: 0.04, Y: 0.04, Z: 0.04}))
	u, v, _, _ := geom.View{Intrinsics: f.Intrinsics, Pose: f.Pose}.Pixel(geom.Vec{X: 0.25, Y: 0.05, Z: 0.04})
	p, ok := ground.At(f, [2]float64{u, v})
	if !ok || math.Hypot(p.X-0.25, p.Y-0.05) > 0.002 || math.Abs(p.Z-0.04) > 0.001 {
		t.Errorf("got %v, %v", p, ok)
	}
	if th := ground.ThingAt(f, [2]float64{u, v}); th == nil || math.Abs(th.Width-0.04) > 0.005 {
		t.Errorf("got %+v", th)
	}
	if th := ground.ThingAt(f, [2]float64{u + 80, v}); th != nil {
		t.Errorf("beside it: got %+v, want nothing", th)
	}
	if _, ok := ground.At(&robot.Frame{}, [2]float64{1, 1}); ok {
		t.Error("a picture without depth has a point")
	}
}

// over is the highest point within a square around p, and how much of it was seen.
func over(m *ground.Map, p geom.Vec, half float64) (z, known float64) {
	return m.Over(ground.Box{Centre: p, HalfX: half, HalfY: half})
}
