package app

import (
	"errors"
	"fmt"
	"time"

	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/vision"
)

// recorder is the episode log as agent and control loop write it.
type recorder struct {
	*episode.Log

	on    bool      // an episode is recorded: pictures are worth encoding
	begun time.Time // of the run, wall clock
	tell  func(episode.Event)
}

// Episode is the ID that the run has: of its episode, or of its start when nothing is recorded.
func (r recorder) Episode() string {
	if id := r.Log.Episode(); id != "" {
		return id
	}
	return "unrecorded/" + r.begun.UTC().Format("2006-01-02T15:04:05.000Z")
}

// Append logs an event and tells the film's story.
func (r recorder) Append(e episode.Event) error {
	r.tell(e)
	return r.Log.Append(e)
}

// imageField is the field of a camera's picture.
const imageField = "image"

// SaveShot puts a picture as captured, its depth, and the copy as sent in place. The capture is kept without loss: a
// replay of the offline planner sees what it saw.
func (r recorder) SaveShot(s agent.Shot) error {
	if !r.on {
		return nil
	}
	name := episode.ImageName(s.ID, imageField)
	png, err := vision.Encode(s.Frame.Color, vision.PNG)
	if err != nil {
		return fmt.Errorf("keeping %s: %w", s.ID, err)
	}
	if err := r.SaveImage(name+".png", png); err != nil {
		return err
	}
	if err := r.SaveImage(name+".sent.jpg", s.Sent.Data); err != nil || s.Frame.Depth == nil {
		return err
	}
	depth, err := episode.EncodeDepth(s.Frame.Depth)
	if err != nil {
		return fmt.Errorf("keeping the depth of %s: %w", s.ID, err)
	}
	return r.SaveImage(name+".depth.png", depth)
}

// SaveTurn writes one planner call.
func (r recorder) SaveTurn(t agent.Turn) (string, error) {
	return r.Log.SaveTurn(episode.Turn{Thread: t.Thread, Request: t.Request, Response: t.Reply, Err: t.Err})
}

// SaveMonitored puts a picture that the monitor was shown in place, and the copy with marks as it was sent, if there is
// one. name is its file, "" when nothing is recorded.
func (r recorder) SaveMonitored(id string, plain, sent []byte) (name string, err error) {
	if !r.on {
		return "", nil
	}
	base := episode.ImageName(id, imageField)
	err = r.SaveImage(base+".jpg", plain)
	if sent != nil {
		err = errors.Join(err, r.SaveImage(base+".sent.jpg", sent))
	}
	return base + ".jpg", err
}
