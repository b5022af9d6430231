package render_test

import (
	"image/png"
	"os"
	"testing"

	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/sim/render"
)

func TestLook(t *testing.T) {
	for name, c := range map[string]render.Camera{"front": frontCamera(640, 480), "film": filmCamera(960, 720)} {
		for _, q := range []robot.Quality{robot.Plain, robot.Fine} {
			var r render.Renderer
			img, _ := r.Render(tabletop(), c, render.Options{Quality: q})
			f, _ := os.Create("/tmp/w/" + name + []string{"-plain", "-fine"}[q] + ".png")
			png.Encode(f, img)
			f.Close()
		}
	}
}
