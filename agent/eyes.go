package agent

import (
	"context"
	"fmt"
	"image"

	"github.com/rein-robotics/rein/agent/point"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/robot"
)

// Sent is a picture as it goes to the planner.
type Sent struct {
	Media   string
	Data    []byte
	Width   int
	Height  int
	Mapping view.Mapping
}

// Eyes turns a captured frame into what a planner is sent, and judges whether the camera is live. Its methods may be
// called from several goroutines.
type Eyes interface {
	// Send scales, draws the grid and the overlays, and encodes.
	Send(f *robot.Frame) (Sent, error)
	// Live says why the camera that took f is not to be trusted, "" when it is.
	Live(f *robot.Frame) (why string)
	// Glance says what to take of a camera's picture to know whether it is live.
	Glance(camera string, now *robot.Readings) Glance
	// SeeMotion takes a picture of what Glance gave as Moved for the same readings; what it shows counts in Live.
	SeeMotion(f *robot.Frame, now *robot.Readings)
}

// Glance is what is taken of a camera's picture between two looks, in capture pixels.
type Glance struct {
	Still image.Rectangle // for Live, fine; empty = the whole
	Moved image.Rectangle // for SeeMotion, plain; empty = nothing
}

// Shot is one picture of an observation, for the log.
type Shot struct {
	ID    string // "o12.front_camera"
	Frame *robot.Frame
	Sent  Sent
}

// Turn is one planner call, for the log.
type Turn struct {
	Thread  string        // "" = the planner; a sub-agent's name keeps its calls apart
	Request model.Request // the whole request as sent
	Reply   []model.Part
	Err     string // why the reply is not whole; "" = it is
}

// look takes the pictures of an observation, one camera after the other.
func (a *Agent) look(ctx context.Context, e run.Look) run.Event {
	ctx, cancel := context.WithTimeout(ctx, a.cfg.Waits.Frame)
	defer cancel()
	out := run.Looked{ID: e.ID, Readings: a.cfg.Robot.Readings()}
	for _, cam := range e.Cameras {
		s, err := a.shoot(ctx, e, cam)
		if err != nil {
			out.Err = fmt.Errorf("%s: %w", cam, err)
			return out
		}
		out.Shots = append(out.Shots, s)
	}
	return out
}

func (a *Agent) shoot(ctx context.Context, e run.Look, cam string) (run.Shot, error) {
	if e.Number > 0 && !a.cfg.Clock.Simulated() { // nobody may have looked for long: a live picture differs from this one
		a.blindness(ctx, cam)
		if ctx.Err() != nil {
			return run.Shot{}, context.Cause(ctx)
		}
	}
	req := robot.FrameRequest{Camera: cam, Quality: robot.Fine}
	if e.Region != nil {
		req.Region = *e.Region
	}
	f, err := a.cfg.Robot.Frame(ctx, req)
	if err != nil {
		return run.Shot{}, err
	}
	if e.Number == 0 {
		return run.Shot{Look: point.Look{Frame: f}}, nil
	}
	notLive := a.cfg.Eyes.Live(f) // at once: encoding and keeping it may take their time
	f = asKept(f)
	id := fmt.Sprintf("o%d.%s", e.Number, cam)
	sent, err := a.cfg.Eyes.Send(f)
	if err != nil {
		return run.Shot{}, err
	}
	if err := a.cfg.Log.SaveShot(Shot{ID: id, Frame: f, Sent: sent}); err != nil {
		a.post(run.LogBroken{Err: err})
		return run.Shot{}, err
	}
	return run.Shot{
		Look: point.Look{ID: id, Frame: f, Mapping: sent.Mapping, Width: sent.Width, Height: sent.Height, Motions: e.Motions, NotLive: notLive},
		Sent: model.ImageBlock{ID: id, Media: sent.Media, Data: sent.Data},
	}, nil
}

// asKept is the frame with the depth that the log keeps: whoever decides on it decides the same in a replay.
func asKept(f *robot.Frame) *robot.Frame {
	if f.Depth == nil {
		return f
	}
	kept := *f
	kept.Depth = episode.QuantiseDepth(f.Depth)
	return &kept
}
