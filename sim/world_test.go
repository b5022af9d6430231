package sim_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/spatial/r3"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/sim"
	"github.com/rein-robotics/rein/sim/mujoco"
)

// theEngine is opened once for all tests; it ends with the process.
var theEngine = sync.OnceValues(func() (*mujoco.Engine, error) {
	return mujoco.Open(context.Background(), mujoco.Options{})
})

func openEngine(tb testing.TB) *mujoco.Engine {
	tb.Helper()
	e, err := theEngine()
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

func newWorld(tb testing.TB, e *mujoco.Engine, text string, seed uint64, arms ...sim.Arm) *sim.World {
	tb.Helper()
	s, err := sim.Parse("s.yaml", []byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	w, err := sim.NewWorld(tb.Context(), e, sim.Options{Scene: s, Seed: seed, Arms: arms})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := w.Close(); err != nil {
			tb.Error(err)
		}
	})
	return w
}

func run(tb testing.TB, w *sim.World, ticks int) {
	tb.Helper()
	for range ticks {
		if err := w.Tick(); err != nil {
			tb.Fatal(err)
		}
	}
}

func theArm() sim.Arm {
	s := geom.DefaultArmShape()
	return sim.Arm{
		Chain: s.Chain(), Home: s.Home(), MaxSpeed: []float64{1.5, 1.5, 1.5, 1.5, 1.5, 1.5}, LinkRadius: 0.022,
		Gripper: &sim.Gripper{MaxApertureM: 0.07, MaxSpeed: 0.1, FingerM: geom.Vec{X: 0.016, Y: 0.008, Z: 0.05}, MaxForceN: 8},
	}
}

func objectNames(w *sim.World) (names []string) {
	for i := range w.Scene().Objects {
		names = append(names, w.Scene().Objects[i].Name)
	}
	return names
}

// TestNothingMovesOnceSettled: for 20 seeds of the default table, half a second after the start all lies still for good.
func TestNothingMovesOnceSettled(t *testing.T) {
	t.Parallel()
	e := openEngine(t)
	data, err := os.ReadFile("../conf/tabletop/scenes/tabletop.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(20) {
		w := newWorld(t, e, string(data), seed, theArm())
		run(t, w, 50)
		before := map[string]geom.Pose{}
		for _, name := range objectNames(w) {
			before[name] = *w.Pose(name)
		}
		run(t, w, 100)
		for name, p := range before {
			now := *w.Pose(name)
			d, a := r3.Norm(r3.Sub(now.Pos, p.Pos)), geom.AngleOf(geom.MulRot(now.Rot, geom.InvRot(p.Rot)))
			if d > 0.0005 || a > 0.01 {
				t.Errorf("seed %d: %s moved by %.2f mm and %.3f rad after settling", seed, name, d*1000, a)
			}
		}
	}
}

// TestTwoWorldsAreBitIdentical, also when the file's order and names differ.
func TestTwoWorldsAreBitIdentical(t *testing.T) {
	t.Parallel()
	e := openEngine(t)
	const head = "name: s\nseed_jitter: {xy_m: 0.02, yaw_deg: 90}\nobjects:\n"
	one := func(name, kind, color string, x, y float64) string {
		return fmt.Sprintf("  - {name: %s, kind: %s, shape: box, size_m: [0.03, 0.03, 0.03], color: %s, pose: {xy: [%g, %g], z: 0.02}}\n", name, kind, color, x, y)
	}
	first := head + one("a", "block", "[1, 0, 0]", 0.2, 0) + one("b", "block", "[0, 1, 0]", 0.28, 0.1)
	second := head + one("zebra", "thing", "[0, 1, 0]", 0.28, 0.1) + one("yak", "thing", "[1, 0, 0]", 0.2, 0)
	arm := theArm()
	v, w := newWorld(t, e, first, 7, arm), newWorld(t, e, second, 7, arm)
	target := append([]float64(nil), arm.Home...)
	for i := range 200 {
		target[0] = math.Sin(float64(i) / 20)
		for _, x := range []*sim.World{v, w} {
			x.SetJoints(0, target)
			run(t, x, 1)
		}
		for a, b := range map[string]string{"a": "yak", "b": "zebra"} {
			if *v.Pose(a) != *w.Pose(b) {
				t.Fatalf("tick %d: %v and %v differ", i, *v.Pose(a), *w.Pose(b))
			}
		}
	}
	if *v.Pose("a") == (geom.Pose{}) || v.Pose("a").Pos.X == 0.2 {
		t.Error("the seed moved nothing")
	}
}

func TestSeeds(t *testing.T) {
	t.Parallel()
	e := openEngine(t)
	data, err := os.ReadFile("../conf/tabletop/scenes/batteries.yaml")
	if err != nil {
		t.Fatal(err)
	}
	written, drawn := newWorld(t, e, string(data), 0), newWorld(t, e, string(data), 3)
	for _, name := range objectNames(written) {
		a, b := written.Pose(name), drawn.Pose(name)
		d := r3.Sub(a.Pos, b.Pos)
		free := strings.HasPrefix(name, "battery")
		if moved := r3.Norm(d) > 1e-6; moved != free {
			t.Errorf("%s moved: %t, want %t", name, moved, free)
		}
		if math.Abs(d.X) > 0.03 || math.Abs(d.Y) > 0.03 {
			t.Errorf("%s moved by %v, want at most 0.03", name, d)
		}
		if r := math.Hypot(b.Pos.X, b.Pos.Y); free && (r < 0.17 || r > 0.36) {
			t.Errorf("%s is %.3f m away, want 0.17 to 0.36", name, r)
		}
	}
}

// TestRidersGoWithTheirCarrier: what is written on top of a thing stays there for every seed.
func TestRidersGoWithTheirCarrier(t *testing.T) {
	t.Parallel()
	text := `name: s
seed_jitter: {xy_m: 0.03, yaw_deg: 180}
objects:
  - {name: low, shape: box, size_m: [0.04, 0.04, 0.04], pose: {xy: [0.25, 0]}}
  - {name: top, shape: box, size_m: [0.03, 0.03, 0.03], pose: {xy: [0.25, 0.004], z: 0.04}}
  - {name: box, shape: open_box, inner_m: [0.1, 0.1, 0.05], wall_m: 0.004, fixed: true, pose: {xy: [0.2, 0.2]}}
  - {name: in_box, shape: sphere, radius_m: 0.015, pose: {xy: [0.2, 0.21], z: 0.004}}
`
	e := openEngine(t)
	for seed := range uint64(5) {
		w := newWorld(t, e, text, seed)
		run(t, w, 50)
		rel := w.Pose("low").Inv().Mul(*w.Pose("top")).Pos
		if math.Abs(rel.X) > 0.002 || math.Abs(rel.Y-0.004) > 0.002 || math.Abs(rel.Z-0.035) > 0.002 {
			t.Errorf("seed %d: the top block stands at %v of the low one", seed, rel)
		}
		if p := w.Pose("in_box").Pos; math.Abs(p.X-0.2) > 0.04 || math.Abs(p.Y-0.21) > 0.04 {
			t.Errorf("seed %d: the ball in the box is at %v", seed, p)
		}
	}
}

func TestNoRoomIsAnError(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("name: crowd\nseed_jitter: {xy_m: 0.001, yaw_deg: 0}\nobjects:\n")
	for i := range 4 {
		fmt.Fprintf(&text, "  - {name: b%d, shape: box, size_m: [0.03, 0.03, 0.03], pose: {xy: [%.3f, 0]}}\n", i, 0.2+0.032*float64(i))
	}
	s, err := sim.Parse("s.yaml", []byte(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	if err := sim.ArrangeForTest(s, 1); err == nil || !strings.Contains(err.Error(), "seed 1") {
		t.Errorf("error %v, want one that names the seed", err)
	}
}

func TestThingsFallAsleep(t *testing.T) {
	t.Parallel()
	w := newWorld(t, openEngine(t), scene(battery, ""), 0)
	run(t, w, 100)
	if !w.AsleepForTest() {
		t.Error("a lying battery is awake after a second")
	}
}

// TestPosesAreTheEngines: what pictures and checks see is the state of the physics, exactly.
func TestPosesAreTheEngines(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../conf/tabletop/scenes/tabletop.yaml")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, openEngine(t), string(data), 2, theArm())
	w.SetJoints(0, []float64{0.5, -1, 1, 1, 0.3, 0.4})
	w.SetGrip(0, 0.05, 0)
	w.PushForTest("drawer", 2, 0, 0)
	w.PushForTest("mug", 0, 0.6, 0.3)
	for range 5 {
		run(t, w, 20)
		if d, err := w.PoseErrorForTest(); err != nil || d > 1e-7 {
			t.Fatalf("poses are off by %g, %v", d, err)
		}
	}
}

func TestDisturb(t *testing.T) {
	t.Parallel()
	w := newWorld(t, openEngine(t), trialScene+"{upright: {object: can}}\n", 0)
	run(t, w, 200)
	if !w.AsleepForTest() {
		t.Fatal("something is awake")
	}
	to := geom.Pose{Pos: geom.Vec{X: 0.1, Y: 0.3, Z: 0.06}, Rot: geom.RotZ(1)}
	if err := w.Disturb("near", to); err != nil {
		t.Fatal(err)
	}
	if got := w.Pose("near").Pos; got != to.Pos {
		t.Errorf("it is at %v, want %v", got, to.Pos)
	}
	run(t, w, 100)
	if got := w.Pose("near").Pos; math.Abs(got.Z-0.02) > 0.001 || math.Abs(got.X-0.1) > 0.005 {
		t.Errorf("it lies at %v, want on the table below where it was put", got)
	}
	for _, name := range []string{"box", "nothing"} {
		if err := w.Disturb(name, to); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestOverlappingThingsDoNotBreakTheWorld: what a file writes into one place is pushed apart.
func TestOverlappingThingsDoNotBreakTheWorld(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("name: s\nobjects:\n")
	for _, name := range []string{"a", "b"} {
		text.WriteString("  - {name: " + name + ", shape: box, size_m: [0.04, 0.04, 0.04], pose: {xy: [0.25, 0]}}\n")
	}
	w := newWorld(t, openEngine(t), text.String(), 0, theArm())
	run(t, w, 200)
	if d := w.Pose("a").Pos; math.IsNaN(d.X) {
		t.Errorf("a is at %v", d)
	}
}
