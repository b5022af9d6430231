package film_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rein-robotics/rein/app/film"
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/robot/sim/simtest"
	"github.com/rein-robotics/rein/sim/render"
)

// BenchmarkFilm films ten simulated seconds of an arm that never rests, without the physics.
func BenchmarkFilm(b *testing.B) {
	r := simtest.Open(b, simtest.Config(b, simtest.Engine(b), simtest.Batteries(3)))
	var shots []film.Shot
	stop := r.Film(film.Every, func(at time.Duration, s *render.Scene) { shots = append(shots, film.Shot{At: at, Scene: s}) })
	defer stop()
	s := geom.DefaultArmShape()
	from := s.Home()
	to, err := s.ToolDown(geom.Vec{X: 0.25, Y: 0.1, Z: 0.05}, 0.4, from)
	if err != nil {
		b.Fatal(err)
	}
	q := make([]float64, len(to))
	for i := range 1000 {
		w := (1 - math.Cos(float64(i)/100)) / 2
		for j := range q {
			q[j] = from[j] + w*(to[j]-from[j])
		}
		if err := r.Do(robot.Command{Target: robot.Target{Module: simtest.Arm, Joints: q}}); err != nil {
			b.Fatal(err)
		}
		if err := r.Clock().Advance(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	path := filepath.Join(b.TempDir(), "film.gif")
	for b.Loop() {
		f, err := film.Start(film.Options{Path: path, Camera: camera(320, 240)})
		if err != nil {
			b.Fatal(err)
		}
		for _, s := range shots {
			s.Lines = [2]string{s.At.String(), "moving to and fro"}
			f.Shoot(s)
		}
		if err := f.Close("succeeded"); err != nil {
			b.Fatal(err)
		}
	}
	st, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(st.Size())/10, "bytes/sim-s")
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N)/10, "ms/sim-s")
}
