package skill

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/rein-robotics/rein/config"
)

// AgentBlock is the agent: block of a skill's configuration. What it gives replaces what the skill says of itself.
type AgentBlock struct {
	Description   string          `yaml:"description"`
	Parameters    json.RawMessage `yaml:"parameters"`
	ImagePoints   []string        `yaml:"image_points"`
	Examples      []BlockExample  `yaml:"examples"`
	EndsByItself  *bool           `yaml:"ends_by_itself"`
	MaxDurationS  *float64        `yaml:"max_duration_s" check:"above=0,max=1000000"`
	MaxTargetArea *float64        `yaml:"max_target_area" check:"above=0,max=1"`
	Monitor       json.RawMessage `yaml:"monitor"`
}

// BlockExample is an example call.
type BlockExample struct {
	Params json.RawMessage `yaml:"params" check:"required"`
	When   string          `yaml:"when" check:"required"`
}

// Apply replaces in the spec what the block gives.
func (a AgentBlock) Apply(s *Spec) {
	if a.Description != "" {
		s.Description = a.Description
	}
	if a.Parameters != nil {
		s.Parameters = a.Parameters
	}
	if a.ImagePoints != nil {
		s.ImagePoints = a.ImagePoints
	}
	if a.Examples != nil {
		s.Examples = nil
	}
	for _, e := range a.Examples {
		s.Examples = append(s.Examples, Example(e))
	}
	if a.EndsByItself != nil {
		s.EndsByItself = *a.EndsByItself
	}
	if a.MaxDurationS != nil {
		s.MaxDuration = time.Duration(*a.MaxDurationS * float64(time.Second))
	}
	if a.MaxTargetArea != nil {
		s.MaxTargetArea = *a.MaxTargetArea
	}
	if a.Monitor != nil {
		s.Monitor = a.Monitor
	}
}

// Load reads a file of the configuration's folder skills/ into a T, strictly.
func Load[T any](e *Env, file string) (T, error) {
	var zero T
	data, err := config.Read(e.Config, file)
	if err != nil {
		return zero, fmt.Errorf("read %s of the configuration's skills: %w", file, err)
	}
	return config.Decode[T]("skills/"+file, data)
}
