// Package sight takes the pictures of the actions that a monitor watches: a monitor.Sight on a robot's cameras.
//
// Its one invariant: what is shown has been kept. A picture that the log could not take is not judged.
package sight

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"maps"
	"slices"
	"time"

	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/monitor"
	"github.com/rein-robotics/rein/monitor/frames"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/vision"
)

// Config is what sights are made of. Robot, Settings and Cameras are required.
type Config struct {
	Robot    robot.Robot
	Settings frames.Settings
	Cameras  []string      // modules, in the order in which their pictures are shown
	Limit    time.Duration // of the wait for one look; 0 = none
	// Live says why the camera that took f is not to be trusted, "" when it is; nil = all are.
	Live func(f *robot.Frame) (why string)
	// Tracks are the newest results of trackers, by "module/field"; nil = none.
	Tracks func() map[string]vision.Track
	// Keep puts a picture into the log and gives its name there: as the camera took it, and as it was sent when that
	// differs; nil = nothing is kept. An error voids the look.
	Keep func(id string, plain, sent []byte) (name string, err error)
}

// New makes the sights of a robot's cameras.
func New(c Config) monitor.Sights {
	return func(w run.Watched) monitor.Sight {
		return &sight{Config: c, of: w, newest: map[string]time.Duration{}, names: map[string]string{}}
	}
}

// sight is the pictures of one action. One goroutine at a time uses it.
type sight struct {
	Config

	of      run.Watched
	history frames.History
	newest  map[string]time.Duration // by camera: capture time of the newest frame that was shown, robot clock
	names   map[string]string        // in the log, by id of the picture
	at      time.Duration            // of the last look: capture time of its newest frame, robot clock
	looked  bool                     // there was one
}

// Look takes a picture of each camera. Number 0 is the reference, too. A camera that has no newer frame than at the look
// before shows its last ones on: a picture is never compared with itself.
func (s *sight) Look(ctx context.Context, number int) (*monitor.Look, error) {
	if s.Limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.Limit)
		defer cancel()
	}
	out := &monitor.Look{Readings: s.Robot.Readings(), Tracks: s.tracks()}
	taken, err := s.takeAll(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range taken {
		if s.Live != nil && out.NotLive == "" {
			if why := s.Live(f); why != "" {
				out.NotLive = f.Camera + ": " + why
			}
		}
		out.At = max(out.At, f.At)
	}
	last := laggard(taken)
	if out.Behind = out.At - last.At; out.Behind > mostBehind && out.NotLive == "" {
		out.NotLive = fmt.Sprintf("%s: its newest picture is %.1f s older than that of another camera", last.Camera, out.Behind.Seconds())
	}
	out.Repeats = s.looked && out.At <= s.at && out.NotLive == ""
	if err := s.add(number, s.fresh(taken), slices.Collect(maps.Values(out.Tracks))); err != nil {
		return nil, err
	}
	s.at, s.looked = out.At, true
	s.show(out)
	return out, nil
}

// mostBehind is how much older than the newest picture of a look any other may be, robot clock. Answers go by the time of
// the newest one, and what decides may be on the other: pictures of two moments are not judged together.
const mostBehind = 500 * time.Millisecond

// laggard is the oldest of the frames, the first of equals. There is at least one.
func laggard(taken []*robot.Frame) *robot.Frame {
	return slices.MinFunc(taken, func(a, b *robot.Frame) int { return cmp.Compare(a.At, b.At) })
}

// fresh are the frames that are newer than what their cameras have shown.
func (s *sight) fresh(taken []*robot.Frame) (out []*robot.Frame) {
	for _, f := range taken {
		if at, seen := s.newest[f.Camera]; !seen || f.At > at {
			out = append(out, f)
		}
	}
	return out
}

// add makes and keeps pictures of one look.
func (s *sight) add(number int, fresh []*robot.Frame, tracks []vision.Track) error {
	var shots []frames.Shot
	for _, f := range fresh {
		shot, err := s.Settings.Shot(s.id(fmt.Sprintf("m%d", number), f.Camera), f, tracks)
		if err != nil {
			return err
		}
		if err := s.keep(shot); err != nil {
			return err
		}
		shots = append(shots, shot)
		if number > 0 || !s.Settings.Reference {
			continue
		}
		if err := s.refer(f); err != nil {
			return err
		}
	}
	for _, f := range fresh {
		s.newest[f.Camera] = f.At
	}
	s.history.Add(s.Settings.History, shots...)
	return nil
}

// takeAll takes a picture of each camera, in their order.
func (s *sight) takeAll(ctx context.Context) ([]*robot.Frame, error) {
	if len(s.Cameras) == 0 {
		return nil, errors.New("no camera is shown to the monitor")
	}
	var out []*robot.Frame
	for _, camera := range s.Cameras {
		f, err := s.take(ctx, camera)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// take asks the robot for what is seen of a camera.
func (s *sight) take(ctx context.Context, camera string) (*robot.Frame, error) {
	region := image.Rectangle{}
	if m := s.Robot.Description().Module(camera); m != nil && m.Camera != nil {
		region = s.Settings.Region(camera, m.Camera.Intrinsics)
	}
	f, err := s.Robot.Frame(ctx, robot.FrameRequest{Camera: camera, Region: region, Quality: robot.Fine})
	if err != nil {
		return nil, fmt.Errorf("picture of %s: %w", camera, err)
	}
	return f, nil
}

// refer keeps a picture with the planner's points on it.
func (s *sight) refer(f *robot.Frame) error {
	var points [][2]float64
	for _, name := range slices.Sorted(maps.Keys(s.of.Points)) {
		if p := s.of.Points[name]; p.Frame != nil && p.Frame.Camera == f.Camera {
			points = append(points, p.Pixel)
		}
	}
	shot, err := s.Settings.ReferenceShot(s.id("r", f.Camera), f, points)
	if err != nil {
		return err
	}
	s.history.Refer(shot)
	return s.keep(shot)
}

// id is unique in the run: an action's id is never used again.
func (s *sight) id(look, camera string) string { return s.of.Action + look + "." + camera }

func (s *sight) keep(shot frames.Shot) error {
	if s.Keep == nil {
		return nil
	}
	plain, err := shot.Plain()
	if err != nil {
		return err
	}
	sent := shot.Data
	if !shot.Marked && !shot.Pointed {
		sent = nil
	}
	s.names[shot.ID], err = s.Keep(shot.ID, plain, sent)
	return err
}

// tracks are the newest results of the action's own trackers.
func (s *sight) tracks() map[string]vision.Track {
	out := map[string]vision.Track{}
	if s.Tracks == nil {
		return out
	}
	all := s.Tracks()
	for _, field := range s.of.Fields {
		if t, ok := all[field]; ok {
			out[field] = t
		}
	}
	return out
}

// show fills a look with what the history shows.
func (s *sight) show(l *monitor.Look) {
	for _, p := range s.history.Pictures() {
		l.Pictures = append(l.Pictures, monitor.Picture{
			Label: p.Label, Image: model.ImageBlock{ID: p.ID, Media: string(vision.JPEG), Data: p.Data},
		})
		if name := s.names[p.ID]; name != "" {
			l.Recorded = append(l.Recorded, run.Recorded{Name: name, At: p.At})
		}
	}
}
