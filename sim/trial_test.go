package sim_test

import (
	"testing"

	"github.com/rein-robotics/rein/sim"
)

const trialScene = `name: s
objects:
  - {name: box, shape: open_box, inner_m: [0.12, 0.12, 0.06], wall_m: 0.004, fixed: true, pose: {xy: [0.25, 0.15], yaw_deg: 30}}
  - {name: in, kind: in, shape: cylinder, radius_m: 0.007, length_m: 0.05, pose: {xy: [0.25, 0.16], z: 0.01}}
  - {name: beside, kind: out, shape: cylinder, radius_m: 0.007, length_m: 0.05, pose: {xy: [0.25, 0.26]}}
  - {name: low, shape: box, size_m: [0.04, 0.04, 0.04], pose: {xy: [0.25, -0.1]}}
  - {name: high, shape: box, size_m: [0.04, 0.04, 0.04], pose: {xy: [0.255, -0.1], z: 0.04}}
  - {name: near, shape: box, size_m: [0.04, 0.04, 0.04], pose: {xy: [0.25, -0.15]}}
  - {name: can, shape: cylinder, radius_m: 0.02, length_m: 0.08, upright: true, pose: {xy: [0.3, 0]}}
  - {name: mug, shape: mug, radius_m: 0.03, height_m: 0.07, pose: {xy: [0.2, 0]}}
  - {name: drawer, shape: drawer, inner_m: [0.1, 0.1, 0.05], wall_m: 0.004, travel_m: 0.08, pose: {xy: [0.38, -0.2]}}
  - {name: button, shape: button, radius_m: 0.02, travel_m: 0.006, pose: {xy: [0.15, -0.2]}}
tasks:
  - instruction: it
    success: `

// trial makes a world of trialScene settle and begins the check.
func trial(t *testing.T, check string) (*sim.World, *sim.Trial) {
	t.Helper()
	w := newWorld(t, openEngine(t), trialScene+check+"\n", 0)
	run(t, w, 50)
	return w, w.Begin(w.Scene().Task("it"))
}

func TestChecksOfStandingThings(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		check string
		want  bool
	}{
		{"{all_inside: {objects: in, container: box}}", true},
		{"{all_inside: {objects: {name: [in]}, container: {name: box}}}", true},
		{"{all_inside: {objects: beside, container: box}}", false},
		{"{all_inside: {objects: {name: [in, beside]}, container: box}}", false},
		{"{all_inside: {objects: {kind: in}, container: drawer}}", false},
		{"{on_top_of: {object: high, support: low}}", true},
		{"{on_top_of: {object: low, support: high}}", false},
		{"{on_top_of: {object: near, support: low}}", false},
		{"{near: {object: can, xy: [0.3, 0.01], within_m: 0.02}}", true},
		{"{near: {object: can, xy: [0.3, 0.03], within_m: 0.02}}", false},
		{"{moved: {object: can, direction: left, at_least_m: 0.01}}", false},
		{"{drawer_open: {object: drawer, at_least_m: 0.01}}", false},
		{"{pressed: {object: button}}", false},
		{"{upright: {object: can}}", true},
		{"{upright: {object: mug}}", true},
		{"{upright: {object: beside}}", false},
		{"{lifted: {object: can, at_least_m: 0.01}}", false},
		{"{all: [{upright: {object: can}}, {upright: {object: mug}}]}", true},
		{"{all: [{upright: {object: can}}, {upright: {object: beside}}]}", false},
		{"{any: [{upright: {object: beside}}, {upright: {object: can}}]}", true},
		{"{any: [{upright: {object: beside}}, {pressed: {object: button}}]}", false},
		{"{not: {upright: {object: beside}}}", true},
		{"{not: {upright: {object: can}}}", false},
	} {
		t.Run(tc.check, func(t *testing.T) {
			t.Parallel()
			w, trial := trial(t, tc.check)
			if got := trial.Met(); got != tc.want {
				t.Errorf("met %t when settled, want %t", got, tc.want)
			}
			run(t, w, 200)
			if !w.AsleepForTest() {
				t.Fatal("something is awake after 2.5 s")
			}
			if got := trial.Met(); got != tc.want {
				t.Errorf("met %t when all sleeps, want %t", got, tc.want)
			}
		})
	}
}

func TestChecksOfWhatMoves(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		check, object string
		x, y, z       float64 // N for 0.3 s
		want          bool
		after         bool // also when the force is gone
	}{
		{"{moved: {object: near, direction: right, at_least_m: 0.01}}", "near", 0, -0.5, 0, true, true},
		{"{moved: {object: near, direction: left, at_least_m: 0.01}}", "near", 0, -0.5, 0, false, false},
		{"{moved: {object: near, direction: away, at_least_m: 0.01}}", "near", 0.5, 0, 0, true, true},
		{"{moved: {object: near, direction: closer, at_least_m: 0.01}}", "near", -0.5, 0, 0, true, true},
		{"{lifted: {object: near, at_least_m: 0.01}}", "near", 0, 0, 0.6, true, false},
		{"{drawer_open: {object: drawer, at_least_m: 0.05}}", "drawer", 3, 0, 0, true, true},
		{"{drawer_open: {object: drawer, at_least_m: 0.05}}", "drawer", 0.4, 0, 0, false, false},
		{"{pressed: {object: button}}", "button", 4, 0, 0, true, true},
		{"{pressed: {object: button}}", "button", 0.5, 0, 0, false, false},
	} {
		t.Run(tc.check, func(t *testing.T) {
			t.Parallel()
			w, trial := trial(t, tc.check)
			w.PushForTest(tc.object, tc.x, tc.y, tc.z)
			run(t, w, 30)
			if got := trial.Met(); got != tc.want {
				t.Errorf("met %t while pushed, want %t", got, tc.want)
			}
			w.PushForTest(tc.object, 0, 0, 0)
			run(t, w, 150)
			if got := trial.Met(); got != tc.after {
				t.Errorf("met %t afterwards, want %t", got, tc.after)
			}
		})
	}
}

// TestFallingOntoIsNotOnTop: within 5 mm of the support's top and over it, but not touching yet.
func TestFallingOntoIsNotOnTop(t *testing.T) {
	t.Parallel()
	text := `name: s
objects:
  - {name: low, shape: box, size_m: [0.04, 0.04, 0.04], fixed: true, pose: {xy: [0.25, 0]}}
  - {name: high, shape: box, size_m: [0.04, 0.04, 0.04], pose: {xy: [0.25, 0], z: 0.044}}
tasks:
  - instruction: it
    success: {on_top_of: {object: high, support: low}}
`
	w := newWorld(t, openEngine(t), text, 0)
	run(t, w, 1)
	trial := w.Begin(w.Scene().Task("it"))
	if trial.Met() {
		t.Error("met in the air")
	}
	run(t, w, 50)
	if !trial.Met() {
		t.Error("not met when it has landed")
	}
}

// TestPressedIsPerTrial: a press before the run does not count.
func TestPressedIsPerTrial(t *testing.T) {
	t.Parallel()
	w, first := trial(t, "{pressed: {object: button}}")
	w.PushForTest("button", 4, 0, 0)
	run(t, w, 20)
	w.PushForTest("button", 0, 0, 0)
	run(t, w, 50)
	if second := w.Begin(w.Scene().Task("it")); !first.Met() || second.Met() {
		t.Errorf("met %t in the trial of the press and %t in the next, want true and false", first.Met(), second.Met())
	}
}

// judge ticks until the verdict is there.
func judge(t *testing.T, w *sim.World, trial *sim.Trial) (passed bool, ticks int) {
	t.Helper()
	for ticks = 1; ticks < 1000; ticks++ {
		run(t, w, 1)
		if passed, done := trial.Judge(); done {
			return passed, ticks
		}
	}
	t.Fatal("no verdict")
	return false, 0
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	t.Run("holds-at-rest", func(t *testing.T) {
		t.Parallel()
		w, trial := trial(t, "{upright: {object: can}}")
		if passed, ticks := judge(t, w, trial); !passed || ticks != 50 {
			t.Errorf("verdict %t after %d ticks, want true after 50", passed, ticks)
		}
	})
	t.Run("never-holds", func(t *testing.T) {
		t.Parallel()
		w, trial := trial(t, "{upright: {object: beside}}")
		if passed, _ := judge(t, w, trial); passed {
			t.Error("verdict true, want false")
		}
	})
	t.Run("is-lost-while-judged", func(t *testing.T) {
		t.Parallel()
		w, trial := trial(t, "{lifted: {object: near, at_least_m: 0.01}}")
		w.PushForTest("near", 0, 0, 0.33)
		run(t, w, 30)
		for range 20 {
			run(t, w, 1)
			if _, done := trial.Judge(); done {
				t.Fatal("a verdict before half a second")
			}
		}
		w.PushForTest("near", 0, 0, 0)
		if passed, ticks := judge(t, w, trial); passed {
			t.Errorf("verdict true %d ticks after the block was let fall", ticks)
		}
	})
	t.Run("counts-the-last-half-second", func(t *testing.T) {
		t.Parallel()
		w, trial := trial(t, "{near: {object: near, xy: [0.25, -0.15], within_m: 0.2}}")
		w.PushForTest("near", 0, -0.28, 0) // it slides out of the circle slowly, after more than half a second inside
		if passed, ticks := judge(t, w, trial); passed || ticks != 200 {
			t.Errorf("verdict %t after %d ticks, want false after 200: the block left", passed, ticks)
		}
	})
	t.Run("waits-for-rest", func(t *testing.T) {
		t.Parallel()
		w, trial := trial(t, "{near: {object: near, xy: [0.25, -0.15], within_m: 0.1}}")
		w.PushForTest("near", 0, -0.35, 0)
		run(t, w, 10)
		if passed, ticks := judge(t, w, trial); ticks <= 50 {
			t.Errorf("verdict %t after %d ticks, while the block slides", passed, ticks)
		}
	})
}

// TestLeaningOverTheRim: a long thing whose end is in the box and whose middle is not, or is above the rim, is outside.
func TestLeaningOverTheRim(t *testing.T) {
	t.Parallel()
	text := `name: s
objects:
  - {name: box, shape: open_box, inner_m: [0.08, 0.08, 0.05], wall_m: 0.004, fixed: true, pose: {xy: [0.25, 0]}}
  - {name: bridge, shape: box, size_m: [0.12, 0.015, 0.015], pose: {xy: [0.25, 0], z: 0.054}}
tasks:
  - instruction: it
    success: {all_inside: {objects: bridge, container: box}}
`
	w := newWorld(t, openEngine(t), text, 0)
	run(t, w, 50)
	trial := w.Begin(w.Scene().Task("it"))
	if passed, _ := judge(t, w, trial); passed {
		t.Errorf("a bar across the rim counts as inside: it is at %v", *w.Pose("bridge"))
	}
}
