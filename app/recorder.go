package app

import (
	"fmt"

	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/episode"
)

// recorder is the episode log as the agent and the control loop write it.
type recorder struct {
	*episode.Log

	field string // of cameras
}

// SaveShot puts a picture, its depth and the copy as sent in place.
func (r recorder) SaveShot(s agent.Shot) error {
	return r.Log.SaveShot(episode.Shot{
		Observation: s.ID, Module: s.Frame.Camera, Field: r.field, Color: s.Frame.Color, Depth: s.Frame.Depth, Sent: s.Sent.Data,
	})
}

// SaveTurn writes one planner call.
func (r recorder) SaveTurn(t agent.Turn) (string, error) {
	file, err := r.Log.SaveTurn(episode.Turn{Request: t.Request, Reply: t.Reply})
	if err != nil {
		return "", fmt.Errorf("writing the planner's turn: %w", err)
	}
	return file, nil
}
