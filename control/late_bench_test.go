package control_test

import (
	"image"
	"sync"
	"testing"
	"time"

	"github.com/rein-robotics/rein/clock"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/monitor/frames"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
)

// BenchmarkLateness is how much later than its time a control tick of the real clock comes, alone and beside the picture
// work of a monitor that looks twice a second. Use -benchtime 500x: a tick is 10 ms of wall clock.
func BenchmarkLateness(b *testing.B) {
	for _, name := range []string{"monitor_off", "monitor_on"} {
		b.Run(name, func(b *testing.B) {
			over := make(chan struct{})
			var g sync.WaitGroup
			if name == "monitor_on" {
				g.Go(func() { pictures(b, over) })
			}
			late := tickTimes(b, b.N)
			close(over)
			g.Wait()
			b.ReportMetric(float64(late.at(0.5).Microseconds()), "p50-µs-late")
			b.ReportMetric(float64(late.at(0.95).Microseconds()), "p95-µs-late")
		})
	}
}

// tickTimes are the wall-clock times of n ticks, less what they should be after the earliest of them.
func tickTimes(b *testing.B, n int) leg {
	r := newRigAt(b, clock.Real, control.Waits{})
	var came []time.Duration
	done := make(chan struct{})
	from := time.Now()
	s := &script{onTick: func(*skill.Body, int) (bool, error) {
		came = append(came, time.Since(from)-time.Duration(len(came))*period)
		if len(came) == n {
			close(done)
		}
		return len(came) >= n, nil
	}}
	r.mustStart("a1", tool("t", s, "left_arm"))
	<-done
	if err := r.end(); err != nil {
		b.Error(err)
	}
	first := came[0]
	for _, c := range came {
		first = min(first, c)
	}
	for i := range came {
		came[i] -= first
	}
	return came
}

// pictures does the monitor's picture work twice a second, until over is closed.
func pictures(b *testing.B, over <-chan struct{}) {
	s := frames.Settings{History: 2, MaxSide: 512}
	var captures []*robot.Frame
	for _, cam := range []string{"front", "wrist"} {
		img := image.NewRGBA(image.Rect(0, 0, 640, 480))
		captures = append(captures, &robot.Frame{Camera: cam, Region: img.Rect, Color: img, Intrinsics: geom.Intrinsics{Width: 640, Height: 480}})
	}
	beat := time.NewTicker(500 * time.Millisecond)
	defer beat.Stop()
	for {
		for range s.History {
			for _, f := range captures {
				if _, err := s.Shot("a1.m1."+f.Camera, f, nil); err != nil {
					b.Error(err)
					return
				}
			}
		}
		select {
		case <-beat.C:
		case <-over:
			return
		}
	}
}
