package skill

import (
	"encoding/json"
	"fmt"

	"github.com/rein-robotics/rein/config"
)

// AgentBlock is the agent: block of a skill's configuration. What it gives replaces what the skill says of itself.
type AgentBlock struct {
	// What the tool does, for the planner. A skill without a description is not shown to it.
	Description string `yaml:"description"`
	// A JSON Schema of what the planner gives: its type is object.
	Parameters json.RawMessage `yaml:"parameters"`
	// Which of the parameters are points in a picture, [x, y] beside an observation_id.
	ImagePoints []string `yaml:"image_points"`
	// Example calls that the planner reads.
	Examples []BlockExample `yaml:"examples"`
	// Whether the skill knows by itself when it has done its work.
	EndsByItself *bool `yaml:"ends_by_itself"`
	// An action that takes longer is stopped and has timed out, seconds. Needed when nothing else ends it.
	MaxDurationS *float64 `yaml:"max_duration_s" check:"above=0,max=1000000"`
	// A target that covers more of the picture than this share is refused.
	MaxTargetArea *float64 `yaml:"max_target_area" check:"above=0,max=1"`
	// What the monitor is asked while the skill runs, see monitor questions.
	Monitor json.RawMessage `yaml:"monitor"`
}

// BlockExample is an example call.
type BlockExample struct {
	// The arguments.
	Params json.RawMessage `yaml:"params" check:"required"`
	// When one calls it so.
	When string `yaml:"when" check:"required"`
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
		s.MaxDuration = config.Seconds(*a.MaxDurationS)
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
