package vision_test

import (
	"math"
	"testing"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/sim/render/rendertest"
	"github.com/rein-robotics/rein/vision"
)

const patchLimit = 10 // what callers use

func TestPatchTellsAMovedThingFromNoiseAndLight(t *testing.T) {
	s := rendertest.Tabletop()
	shot := rendertest.Front(640, 480)
	old := rendertest.Draw(s, shot)
	at := rendertest.PixelOf(old, geom.Vec{X: 0.25, Y: -0.08, Z: 0.007})
	same := shot
	same.Seq = 5
	if got := vision.PatchDiff(old, rendertest.Draw(s, same), at); got > 4 {
		t.Errorf("the same scene: %.1f", got)
	}
	brighter := s
	brighter.Light = 1.15
	if got := vision.PatchDiff(old, rendertest.Draw(brighter, same), at); got > patchLimit {
		t.Errorf("in other light: %.1f", got)
	}
	part := same
	part.Region = vision.PatchRegion(at)
	if got := vision.PatchDiff(old, rendertest.Draw(s, part), at); got > 4 {
		t.Errorf("against a patch alone: %.1f", got)
	}
	moved := rendertest.Tabletop()
	moved.Objects[0].Pos.Y -= 0.02
	if got := vision.PatchDiff(old, rendertest.Draw(moved, part), at); got <= patchLimit {
		t.Errorf("the battery moved 20 mm: %.1f", got)
	}
	gone := rendertest.Tabletop()
	gone.Objects = gone.Objects[1:]
	if got := vision.PatchDiff(old, rendertest.Draw(gone, part), at); got <= patchLimit {
		t.Errorf("the battery is gone: %.1f", got)
	}
}

func TestPatchAtTheBorder(t *testing.T) {
	shot := rendertest.Front(160, 120)
	a := rendertest.Draw(rendertest.Scene{}, shot)
	shot.Seq = 1
	b := rendertest.Draw(rendertest.Scene{}, shot)
	for _, at := range [][2]float64{{0, 0}, {159.9, 119.9}, {80, 0}} {
		if got := vision.PatchDiff(a, b, at); got > 4 {
			t.Errorf("at %v: %.1f", at, got)
		}
	}
	for name, c := range map[string]struct {
		f  *robot.Frame
		at [2]float64
	}{
		"outside":    {b, [2]float64{-200, -200}},
		"none":       {nil, [2]float64{80, 60}},
		"other_size": {rendertest.Draw(rendertest.Scene{}, rendertest.Front(320, 240)), [2]float64{80, 60}},
	} {
		if got := vision.PatchDiff(a, c.f, c.at); !math.IsInf(got, 1) {
			t.Errorf("%s: %.1f, want +Inf", name, got)
		}
	}
}
