package point_test

import (
	"image"
	"testing"

	"github.com/rein-robotics/rein/agent/point"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/vision"
)

// mask is a track whose mask fills rect, of a capture of 640 × 480.
func mask(rect image.Rectangle) vision.Track {
	bits := make([]bool, rect.Dx()*rect.Dy())
	for i := range bits {
		bits[i] = true
	}
	return vision.Track{Mask: &vision.Mask{Rect: rect, Bits: bits}, Pixels: len(bits), Area: float64(len(bits)) / (640 * 480), Box: rect}
}

func TestTarget(t *testing.T) {
	at := skill.Point{Observation: "o1.front", Pixel: [2]float64{100.5, 100.5}}
	hole := mask(image.Rect(90, 90, 111, 111))
	for y := 94; y < 107; y++ {
		for x := 94; x < 107; x++ {
			hole.Mask.Bits[(y-90)*21+x-90] = false
		}
	}
	tests := map[string]struct {
		track vision.Track
		want  string
	}{
		"on_it":            {mask(image.Rect(95, 95, 106, 106)), ""},
		"no_mask":          {vision.Track{}, "no_target"},
		"eleven_pixels":    {mask(image.Rect(100, 100, 111, 101)), "no_target"},
		"twelve_pixels":    {mask(image.Rect(100, 100, 112, 101)), ""},
		"five_px_away":     {mask(image.Rect(105, 95, 125, 115)), ""},
		"six_px_away":      {mask(image.Rect(106, 95, 126, 115)), "no_target"},
		"five_by_five_off": {mask(image.Rect(105, 105, 125, 125)), "no_target"},
		"ring_around_it":   {hole, "no_target"},
		"too_large":        {mask(image.Rect(0, 0, 200, 200)), "target_rejected"},
		"large_elsewhere":  {mask(image.Rect(200, 200, 400, 400)), "target_rejected"},
		"just_small":       {mask(image.Rect(90, 90, 90+128, 90+120)), ""}, // 5 % of the capture
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := point.Target(tc.track, at, 0.05)
			got := ""
			if r != nil {
				got = r.Code
			}
			if got != tc.want {
				t.Errorf("got %q (%v), want %q", got, r, tc.want)
			}
			if r != nil && (r.Message == "" || r.Hint == "") {
				t.Errorf("got %+v: no words", r)
			}
		})
	}
}
