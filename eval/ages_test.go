package eval_test

import (
	"image"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/monitor/frames"
)

// A picture is as old as the log says: it is shown and labelled as the robot did. A recording that does not tell has the
// new pictures of a tick at one time.
func TestPicturesAreAsOldAsTheLogSays(t *testing.T) {
	for name, tc := range map[string]struct {
		ages [3][]float64 // of the images of each look
		want []string     // labels of the second tick
		late time.Duration
	}{
		"told": {
			[3][]float64{{0.1, 0.4}, {1.5, 0.5, 1.4, 0.9}, {1.5, 0.5, 1.9, 0.9}},
			[]string{"front, previous, 1.0 s ago", "front, current", "wrist, previous, 1.4 s ago", "wrist, current, 0.4 s old"}, 400 * time.Millisecond,
		},
		"not_told": {want: []string{"front, previous, 1.0 s ago", "front, current", "wrist, previous, 1.0 s ago", "wrist, current"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newTape(t)
			var front, wrist []string
			for _, n := range []string{"a1m0", "a1m1", "a1m2"} {
				front = append(front, p.picture(t, n+"_front", image.Pt(160, 120), 50))
				wrist = append(wrist, p.picture(t, n+"_wrist", image.Pt(160, 120), 60))
			}
			p.ages = tc.ages[:]
			p.start(front[0], wrist[0])
			p.tick(1, front[0], front[1], wrist[0], wrist[1])
			p.tick(2, front[1], front[2], wrist[1], wrist[2])
			ticks := p.ticks(t)
			if got := ticks[1]; got.At != 2*time.Second || got.Behind != tc.late {
				t.Errorf("the newest is of %v and %v before another; want 2s and %v", got.At, got.Behind, tc.late)
			}
			if d := cmp.Diff(tc.want, labelsOf(show(t, shower(t, frames.Settings{History: 2, MaxSide: 160}), &ticks[1]))); d != "" {
				t.Error(d)
			}
		})
	}
}
