package app

import (
	"bytes"
	"image"
	"testing"
	"time"

	"github.com/rein-robotics/rein/config"
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/vision"
)

// flatGrey is a picture of one colour, taken at an instant.
func flatGrey(at time.Duration) *robot.Frame {
	r := image.Rect(0, 0, 64, 48)
	img := image.NewRGBA(r)
	for i := range img.Pix {
		img.Pix[i] = 128
	}
	return &robot.Frame{Camera: "cam", At: at, Intrinsics: geom.Pinhole(64, 48, 1), Region: r, Color: img}
}

func TestPlannerPicturesShowWhatTrackersMarked(t *testing.T) {
	tests := map[string]struct {
		on    bool
		later time.Duration
		want  bool
	}{
		"marked":          {true, 100 * time.Millisecond, true},
		"overlays_off":    {false, 100 * time.Millisecond, false},
		"lost_since_long": {true, time.Second, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			e := newEyes(&config.Agent{ImageMaxSide: 64, ImageOverlays: tc.on}, &robot.Description{}, nil, func() time.Duration { return 0 })
			now := flatGrey(time.Second + tc.later)
			plain, err := e.Send(now)
			if err != nil {
				t.Fatal(err)
			}
			box := image.Rect(20, 20, 40, 40)
			bits := make([]bool, 400)
			for i := range bits {
				bits[i] = true
			}
			e.mark("cam/target", vision.Track{At: time.Second, Frame: flatGrey(time.Second), Mask: &vision.Mask{Rect: box, Bits: bits}, Box: box})
			marked, err := e.Send(now)
			if err != nil {
				t.Fatal(err)
			}
			if got := !bytes.Equal(plain.Data, marked.Data); got != tc.want {
				t.Errorf("got a marked picture %t, want %t", got, tc.want)
			}
			if now.Color.Pix[30*64*4+30*4] != 128 {
				t.Error("the capture itself was drawn on")
			}
		})
	}
}
