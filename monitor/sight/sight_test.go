package sight_test

import (
	"context"
	"errors"
	"image"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/monitor"
	"github.com/rein-robotics/rein/monitor/frames"
	"github.com/rein-robotics/rein/monitor/sight"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/vision"
)

// body is a robot of two cameras whose clock goes on with each look.
type body struct {
	robot.Robot

	at    time.Duration
	asked []robot.FrameRequest
	fails string // a camera
	lags  map[string]time.Duration
}

func (b *body) Description() *robot.Description {
	in := geom.Pinhole(64, 48, 1)
	return &robot.Description{Modules: []robot.Module{
		{Name: "front", Camera: &robot.Camera{Intrinsics: in}}, {Name: "wrist", Camera: &robot.Camera{Intrinsics: in}},
	}}
}

func (b *body) Readings() *robot.Readings { return &robot.Readings{At: b.at} }

func (b *body) Frame(ctx context.Context, r robot.FrameRequest) (*robot.Frame, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r.Camera == b.fails {
		return nil, errors.New("no picture")
	}
	b.asked = append(b.asked, r)
	region := r.Region
	if region.Empty() {
		region = image.Rect(0, 0, 64, 48)
	}
	return &robot.Frame{Camera: r.Camera, At: b.at - b.lags[r.Camera], Region: region, Color: image.NewRGBA(region), Intrinsics: geom.Pinhole(64, 48, 1)}, nil
}

func labels(l *monitor.Look) []string {
	var out []string
	for _, p := range l.Pictures {
		out = append(out, p.Image.ID+" = "+p.Label)
	}
	return out
}

// An action's first frame is only kept for the next tick; the frames from when the action started stay.
func TestEachLookShowsWhatWasKept(t *testing.T) {
	b := &body{at: 10 * time.Second}
	kept := map[string]bool{}
	s := sight.New(sight.Config{
		Robot: b, Cameras: []string{"front", "wrist"},
		Settings: frames.Settings{History: 2, MaxSide: 32, Reference: true, CloseUps: map[string][4]float64{"wrist": {0.25, 0.5, 0.75, 1}}},
		Keep: func(id string, _, sent []byte) (string, error) {
			if kept[id] {
				t.Errorf("%s is kept twice", id)
			}
			kept[id] = true
			if (sent != nil) != (id == "a1r.front") {
				t.Errorf("%s as sent: %d bytes", id, len(sent))
			}
			return "images/" + id, nil
		},
	})(run.Watched{Action: "a1", Points: map[string]skill.Point{"point": {Pixel: [2]float64{20, 20}, Frame: &robot.Frame{Camera: "front"}}}})
	look := func(number int, want ...string) *monitor.Look {
		t.Helper()
		l, err := s.Look(t.Context(), number)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(labels(l), want); diff != "" {
			t.Error(diff)
		}
		if l.At != b.at || len(l.Recorded) != len(want) || l.Readings.At != b.at || l.NotLive != "" {
			t.Errorf("got %+v", l)
		}
		b.at += 1600 * time.Millisecond
		return l
	}
	front := "a1r.front = front, when the action started, 1.6 s ago, with the planner's point on the target"
	wrist := "a1r.wrist = wrist close-up, when the action started, 1.6 s ago"
	look(0, "a1r.front = front, when the action started, 0.0 s ago, with the planner's point on the target", "a1m0.front = front, current",
		"a1r.wrist = wrist close-up, when the action started, 0.0 s ago", "a1m0.wrist = wrist close-up, current")
	look(1, front, "a1m0.front = front, previous, 1.6 s ago", "a1m1.front = front, current",
		wrist, "a1m0.wrist = wrist close-up, previous, 1.6 s ago", "a1m1.wrist = wrist close-up, current")
	if got := b.asked[1].Region; got != image.Rect(16, 24, 48, 48) || !b.asked[0].Region.Empty() {
		t.Errorf("asked for %v", b.asked)
	}
	b.fails = "wrist"
	if _, err := s.Look(t.Context(), 2); err == nil {
		t.Error("a camera without a picture is passed over")
	}
	b.fails = ""
	look(3, "a1r.front = front, when the action started, 3.2 s ago, with the planner's point on the target",
		"a1m1.front = front, previous, 1.6 s ago", "a1m3.front = front, current",
		"a1r.wrist = wrist close-up, when the action started, 3.2 s ago", "a1m1.wrist = wrist close-up, previous, 1.6 s ago", "a1m3.wrist = wrist close-up, current")
}

// Only the action's own trackers mark, a camera that is not live is named, and a picture that cannot be kept is not judged.
func TestWhatALookIsMadeOf(t *testing.T) {
	b := &body{at: time.Second}
	mine := vision.Track{At: b.at, Frame: &robot.Frame{Camera: "front"}, Box: image.Rect(20, 20, 30, 30)}
	c := sight.Config{
		Robot: b, Cameras: []string{"front"}, Settings: frames.Settings{History: 1, MarkTarget: true},
		Tracks: func() map[string]vision.Track {
			return map[string]vision.Track{"front/target": mine, "front/other": mine}
		},
		Live: func(f *robot.Frame) string { return "it is frozen" },
	}
	w := run.Watched{Action: "a2", Fields: []string{"front/target"}}
	l, err := sight.New(c)(w).Look(t.Context(), 1)
	if err != nil || len(l.Tracks) != 1 || l.NotLive != "front: it is frozen" || l.Recorded != nil {
		t.Errorf("got %+v, %v", l, err)
	}
	full := errors.New("the disk is full")
	c.Keep = func(string, []byte, []byte) (string, error) { return "", full }
	if _, err := sight.New(c)(w).Look(t.Context(), 1); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sight.New(c)(w).Look(ctx, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// A camera without a newer frame shows its last ones on, which are not kept again; a look in which no camera has one
// shows nothing new.
func TestACameraWithoutANewerFrameIsNotComparedWithItself(t *testing.T) {
	b := &body{at: 10 * time.Second, lags: map[string]time.Duration{}}
	c := sight.Config{
		Robot: b, Cameras: []string{"front", "wrist"}, Settings: frames.Settings{History: 2},
		Keep: func(id string, _, _ []byte) (string, error) { return "images/" + id, nil },
	}
	s := sight.New(c)(run.Watched{Action: "a1"})
	both := []string{"a1m0.front = front, current", "a1m0.wrist = wrist, current"}
	caught := []string{
		"a1m0.front = front, previous, 0.4 s ago", "a1m2.front = front, current", "a1m0.wrist = wrist, previous, 0.3 s ago", "a1m4.wrist = wrist, current",
	}
	one := []string{"a1m0.front = front, previous, 0.4 s ago", "a1m2.front = front, current", "a1m0.wrist = wrist, current, 0.4 s old"}
	for i, want := range []struct {
		on      time.Duration // of the clock, before the look
		still   time.Duration // of the wrist
		repeats bool
		behind  time.Duration
		labels  []string
	}{
		{0, 0, false, 0, both},
		{0, 0, true, 0, both},
		{400 * time.Millisecond, 400 * time.Millisecond, false, 400 * time.Millisecond, one},
		{0, 400 * time.Millisecond, true, 400 * time.Millisecond, one},
		{0, 100 * time.Millisecond, true, 100 * time.Millisecond, caught}, // what it has caught up with is shown at the next look
	} {
		b.at += want.on
		b.lags["wrist"] = want.still
		l, err := s.Look(t.Context(), i)
		if err != nil || l.Repeats != want.repeats || l.Behind != want.behind || l.At != b.at {
			t.Errorf("look %d: got %+v, %v", i, l, err)
		}
		if diff := cmp.Diff(labels(l), want.labels); diff != "" {
			t.Errorf("look %d: %s", i, diff)
		}
		if n := l.Recorded[len(l.Recorded)-1]; len(l.Recorded) != len(want.labels) || n.At != l.At-l.Behind {
			t.Errorf("look %d: recorded %v", i, l.Recorded)
		}
	}
}

// A look of a camera that is not to be trusted is void, not a repetition: somebody has to be told.
func TestAFrozenCameraIsToldThoughNothingIsNew(t *testing.T) {
	b := &body{at: 10 * time.Second}
	c := sight.Config{Robot: b, Cameras: []string{"front"}, Settings: frames.Settings{History: 2}, Live: func(*robot.Frame) string { return "frozen" }}
	s := sight.New(c)(run.Watched{Action: "a1"})
	for n := range 2 {
		if l, err := s.Look(t.Context(), n); err != nil || l.NotLive == "" || l.Repeats {
			t.Errorf("look %d: got %+v, %v", n, l, err)
		}
	}
}

func TestNoCameraIsAnError(t *testing.T) {
	if _, err := sight.New(sight.Config{Robot: &body{}})(run.Watched{}).Look(t.Context(), 1); err == nil {
		t.Error("a look at nothing is a look")
	}
}

// A camera that is behind the others shows another moment than the one that answers go by: such a look is void.
func TestPicturesOfTwoMomentsAreNotJudgedTogether(t *testing.T) {
	for name, tc := range map[string]struct {
		lags map[string]time.Duration
		want string // NotLive
	}{
		"a_little": {map[string]time.Duration{"wrist": 500 * time.Millisecond}, ""},
		"much":     {map[string]time.Duration{"wrist": time.Second}, "wrist: its newest picture is 1.0 s older than that of another camera"},
		"first":    {map[string]time.Duration{"front": 700 * time.Millisecond}, "front: its newest picture is 0.7 s older than that of another camera"},
		"both":     {map[string]time.Duration{"front": time.Second, "wrist": time.Second}, ""}, // the limit of one camera's age is Live's
	} {
		t.Run(name, func(t *testing.T) {
			c := sight.Config{Robot: &body{at: 10 * time.Second, lags: tc.lags}, Cameras: []string{"front", "wrist"}, Settings: frames.Settings{History: 1}}
			l, err := sight.New(c)(run.Watched{Action: "a1"}).Look(t.Context(), 1)
			if err != nil || l.NotLive != tc.want {
				t.Errorf("got %q, %v; want %q", l.NotLive, err, tc.want)
			}
		})
	}
}
