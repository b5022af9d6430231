package render_test

import (
	"image"
	"testing"

	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/sim/render"
)

func BenchmarkRender(b *testing.B) {
	s := tabletop()
	b.Logf("%d geoms", len(s.Geoms))
	for _, c := range []struct {
		name string
		cam  render.Camera
		o    render.Options
	}{
		{"plain-640x480", frontCamera(640, 480), render.Options{}},
		{"plain-640x480-noise", frontCamera(640, 480), render.Options{Noise: render.Sensor(1, 1)}},
		{"plain-192x192", frontCamera(640, 480), render.Options{Region: image.Rect(200, 150, 392, 342)}},
		{"plain-25x25", frontCamera(640, 480), render.Options{Region: image.Rect(300, 200, 325, 225)}},
		{"plain-320x240", frontCamera(320, 240), render.Options{}},
		{"fine-640x480", frontCamera(640, 480), render.Options{Quality: robot.Fine}},
		{"fine-640x480-noise", frontCamera(640, 480), render.Options{Quality: robot.Fine, Noise: render.Sensor(1, 1)}},
		{"fine-320x240", frontCamera(320, 240), render.Options{Quality: robot.Fine}},
		{"fine-320x240-film", filmCamera(320, 240), render.Options{Quality: robot.Fine}},
		{"fine-960x720-film", filmCamera(960, 720), render.Options{Quality: robot.Fine}},
	} {
		b.Run(c.name, func(b *testing.B) {
			var r render.Renderer
			b.ReportAllocs()
			for b.Loop() {
				r.Render(s, c.cam, c.o)
			}
		})
	}
}
