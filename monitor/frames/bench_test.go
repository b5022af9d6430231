package frames_test

import (
	"testing"
	"time"

	"github.com/rein-robotics/rein/monitor/frames"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/vision"
)

// BenchmarkPictures is the pipeline of 2 cameras × 2 frames: one camera cut to a close-up, one made smaller, the target
// marked on all, all encoded. A tick of a running action makes half of that, for the frames before are kept as they were
// sent. encodes/op is the time of it in plain JPEG encodes of one whole capture, measured in the same run.
func BenchmarkPictures(b *testing.B) {
	s := frames.Settings{
		History: 2, MaxSide: 512, MarkTarget: true, CloseUps: map[string][4]float64{"wrist": {0.25, 0.5, 0.75, 0.9}},
	}
	var looks [2][]*robot.Frame
	var tracks []vision.Track
	for i := range looks {
		for _, camera := range []string{"wrist", "front"} {
			f := frame(camera, time.Duration(i)*time.Second, 640, 480)
			looks[i] = append(looks[i], f)
			tracks = append(tracks, track(f))
		}
	}
	var plain, whole time.Duration
	b.ReportAllocs()
	for b.Loop() {
		from := time.Now()
		var h frames.History
		for _, look := range looks {
			for _, f := range look {
				shot, err := s.Shot("a1m1."+f.Camera, f, tracks)
				if err != nil || !shot.Marked {
					b.Fatal(err)
				}
				h.Add(s.History, shot)
			}
		}
		if n := len(h.Pictures()); n != 4 {
			b.Fatalf("%d pictures", n)
		}
		whole += time.Since(from)
		b.StopTimer()
		from = time.Now()
		if _, err := vision.Encode(looks[0][0].Color, vision.JPEG); err != nil {
			b.Fatal(err)
		}
		plain += time.Since(from)
		b.StartTimer()
	}
	b.ReportMetric(float64(whole)/float64(plain), "encodes/op")
}
