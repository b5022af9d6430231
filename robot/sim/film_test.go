package sim_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/robot/sim/simtest"
	"github.com/rein-robotics/rein/sim/render"
)

func TestFilmTakesCopiesAtItsRate(t *testing.T) {
	r := simtest.Open(t, simtest.Config(t, simtest.Engine(t), simtest.Batteries(1)))
	p := newPilot(t, r)
	var at []time.Duration
	var scenes []*render.Scene
	stop := r.Film(200*time.Millisecond, func(now time.Duration, s *render.Scene) {
		at, scenes = append(at, now), append(scenes, s)
	})
	p.joints(p.down(geom.Vec{X: 0.25, Z: 0.10}, 0))
	for i, now := range at {
		if want := at[0] + time.Duration(i)*200*time.Millisecond; now != want {
			t.Errorf("copy %d was taken at %v, want %v", i, now, want)
		}
	}
	if n := len(at); n < 5 || at[0] != 500*time.Millisecond {
		t.Fatalf("%d copies, the first at %v; want one at once and then five a second", n, at[0])
	}
	if cmp.Equal(scenes[0].Geoms, scenes[3].Geoms) {
		t.Error("the arm moved, but not in the copies")
	}
	stop()
	n := len(at)
	p.tick(50)
	if len(at) != n {
		t.Errorf("%d more copies after the end", len(at)-n)
	}
}

func TestFilmDisturbsNothing(t *testing.T) {
	e := simtest.Engine(t)
	run := func(filmed bool) (*robot.Readings, *robot.Frame) {
		c := simtest.Config(t, e, simtest.Batteries(1))
		c.Seed = 3
		r := simtest.Open(t, c)
		if filmed {
			defer r.Film(50*time.Millisecond, func(time.Duration, *render.Scene) {})()
		}
		p := newPilot(t, r)
		p.joints(p.down(geom.Vec{X: 0.22, Y: 0.05, Z: 0.08}, 0.3))
		f, err := r.Frame(t.Context(), robot.FrameRequest{Camera: simtest.Wrist})
		if err != nil {
			t.Fatal(err)
		}
		return r.Readings(), f
	}
	plain, plainFrame := run(false)
	filmed, filmedFrame := run(true)
	if diff := cmp.Diff(plain, filmed); diff != "" {
		t.Errorf("readings differ (-plain +filmed):\n%s", diff)
	}
	if plainFrame.Seq != filmedFrame.Seq || plainFrame.At != filmedFrame.At || !bytes.Equal(plainFrame.Color.Pix, filmedFrame.Color.Pix) {
		t.Errorf("frame %d of %v differs from frame %d of %v", filmedFrame.Seq, filmedFrame.At, plainFrame.Seq, plainFrame.At)
	}
}
