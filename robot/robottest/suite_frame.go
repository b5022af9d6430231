package robottest

import (
	"bytes"
	"context"
	"image"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
)

func (r *rig) cameras() []*robot.Module {
	var ms []*robot.Module
	for i := range r.desc.Modules {
		if m := &r.desc.Modules[i]; m.Camera != nil {
			ms = append(ms, m)
		}
	}
	return ms
}

// frame takes a picture as an agent does: with a hold out. Where holds do nothing the world goes on meanwhile.
func (r *rig) frame(t *testing.T, req robot.FrameRequest) *robot.Frame {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	type result struct {
		f   *robot.Frame
		err error
	}
	release := r.clock.Hold("frame of the contract suite")
	defer release()
	got := make(chan result, 1)
	go func() {
		f, err := r.Frame(ctx, req)
		got <- result{f, err}
	}()
	for {
		select {
		case g := <-got:
			if g.err != nil {
				t.Fatalf("Frame(%+v) = %v", req, g.err)
			}
			return g.f
		case <-r.clock.Due():
			if err := r.clock.Advance(ctx); err != nil {
				t.Fatalf("Advance() = %v", err)
			}
		}
	}
}

func testFrames(t *testing.T, r *rig) {
	r.period(t)
	for _, m := range r.cameras() {
		in := m.Camera.Intrinsics
		whole := image.Rect(0, 0, in.Width, in.Height)
		middle := image.Rect(in.Width/4, in.Height/4, in.Width/2, in.Height/2)
		last := uint64(0)
		for _, c := range []struct {
			name        string
			region, got image.Rectangle
			quality     robot.Quality
		}{
			{"whole", image.Rectangle{}, whole, robot.Plain},
			{"fine", image.Rectangle{}, whole, robot.Fine},
			{"region", middle, middle, robot.Plain},
		} {
			f := r.frame(t, robot.FrameRequest{Camera: m.Name, Region: c.region, Quality: c.quality})
			if f.Camera != m.Name || f.Region != c.got || f.Color.Bounds() != c.got {
				t.Errorf("%s %s: camera %s, region %v, bounds %v, want %v", m.Name, c.name, f.Camera, f.Region, f.Color.Bounds(), c.got)
			}
			if f.Intrinsics != in || f.Mount != m.Camera.Mount {
				t.Errorf("%s %s: intrinsics %+v, want those of the whole capture %+v; mount %s", m.Name, c.name, f.Intrinsics, in, f.Mount)
			}
			if f.Seq <= last || f.At > r.clock.Now() {
				t.Errorf("%s %s: frame %d of %v after frame %d, at %v", m.Name, c.name, f.Seq, f.At, last, r.clock.Now())
			}
			last = f.Seq
			if m.Camera.Depth != (f.Depth != nil) {
				t.Errorf("%s %s: depth %v, described as %v", m.Name, c.name, f.Depth != nil, m.Camera.Depth)
			}
			if f.Depth != nil && (f.Depth.Rect != c.got || len(f.Depth.Pix) != c.got.Dx()*c.got.Dy()) {
				t.Errorf("%s %s: depth covers %v with %d pixels", m.Name, c.name, f.Depth.Rect, len(f.Depth.Pix))
			}
			if d := apart(f.Pose, r.cameraPose(m)); d > 0.005 {
				t.Errorf("%s %s: its pose is %.3f m or rad from where it is mounted", m.Name, c.name, d)
			}
		}
	}
}

func (r *rig) cameraPose(m *robot.Module) geom.Pose {
	if m.Camera.Mount == robot.MountMoving {
		return r.Readings().Arms[m.Camera.Arm].Tip.Mul(m.Camera.InTool)
	}
	return m.Camera.InWorld
}

func testFramesLive(t *testing.T, r *rig) {
	r.period(t)
	for _, m := range r.cameras() {
		req := robot.FrameRequest{Camera: m.Name}
		first := r.frame(t, req)
		kept := slices.Clone(first.Color.Pix)
		r.period(t)
		second := r.frame(t, req)
		if second.At <= first.At {
			t.Errorf("%s: frame of %v after frame of %v", m.Name, second.At, first.At)
		}
		if bytes.Equal(second.Color.Pix, kept) {
			t.Errorf("%s: two periods gave the same bytes; a frozen camera could not be told", m.Name)
		}
		if !bytes.Equal(first.Color.Pix, kept) {
			t.Errorf("%s: an old frame changed when a new one was taken", m.Name)
		}
	}
}

func testFrameContext(t *testing.T, r *rig) {
	r.period(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, m := range r.cameras() {
		if _, err := r.Frame(ctx, robot.FrameRequest{Camera: m.Name}); err == nil {
			t.Errorf("%s: Frame with an ended context gave no error", m.Name)
		}
	}
	if _, err := r.Frame(t.Context(), robot.FrameRequest{Camera: "no such camera"}); err == nil {
		t.Error("Frame of a camera that is not there gave no error")
	}
}

// testBeside reads and looks from other goroutines while the world goes on; the race detector is the judge.
func testBeside(t *testing.T, r *rig) {
	r.period(t)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for _, m := range r.cameras() {
		wg.Go(func() {
			for ctx.Err() == nil {
				f, err := r.Frame(ctx, robot.FrameRequest{Camera: m.Name, Region: image.Rect(0, 0, 8, 8)})
				if err == nil && f.Region.Dx() != 8 {
					t.Errorf("%s: region %v", m.Name, f.Region)
				}
			}
		})
	}
	wg.Go(func() {
		for ctx.Err() == nil {
			_ = r.Readings()
			_ = r.Err()
		}
	})
	goals := make([]goal, 0, 4)
	for _, m := range r.movers() {
		goals = append(goals, r.goalOf(m))
	}
	for range 20 {
		for _, g := range goals {
			r.do(t, g.step(10*time.Millisecond))
		}
		r.period(t)
	}
	cancel()
	wg.Wait()
}
