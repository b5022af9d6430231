package liveness_test

import (
	"image"
	"testing"

	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/sim/render/rendertest"
	"github.com/rein-robotics/rein/vision/liveness"
)

// painted is a frame of one colour.
func painted(v uint8) *robot.Frame {
	img := image.NewRGBA(image.Rect(0, 0, 64, 48))
	for i := range img.Pix {
		img.Pix[i] = v + uint8(i%3)
	}
	return &robot.Frame{Color: img, Region: img.Rect}
}

func TestLiveCamera(t *testing.T) {
	shot := rendertest.Front(160, 120)
	a := rendertest.Draw(rendertest.Tabletop(), shot)
	shot.Seq = 1
	b := rendertest.Draw(rendertest.Tabletop(), shot)
	frozen := *a
	frozen.Seq = 9
	part := shot
	part.Region = image.Rect(20, 20, 60, 60)
	part.Seq = 0
	cases := map[string]struct {
		prev, cur *robot.Frame
		ok        bool
	}{
		"live":         {a, b, true},
		"first":        {nil, a, true},
		"same_frame":   {a, a, true},
		"frozen":       {a, &frozen, false},
		"frozen_patch": {a, rendertest.Draw(rendertest.Tabletop(), part), false},
		"black":        {nil, painted(3), false},
		"blinded":      {nil, painted(252), false},
		"nothing":      {a, nil, false},
	}
	for name, c := range cases {
		reason, ok := liveness.Live(c.prev, c.cur)
		if ok != c.ok || ok != (reason == "") {
			t.Errorf("%s: %v %q, want %v", name, ok, reason, c.ok)
		}
	}
}
