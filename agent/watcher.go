package agent

import (
	"context"
	"encoding/json"
	"time"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/monitor/question"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
)

// Watcher judges running actions through the cameras: the monitor. Its method may be called from several goroutines.
//
// A Watcher with a method Instant() bool that gives true takes no time worth counting, as a Reasoner with one does.
type Watcher interface {
	// Watch gives the watching of an action that has just started. It must not block.
	Watch(w Watched) Watch
}

// Watched is an action that is to be watched. It is immutable.
type Watched struct {
	Action      string
	Tool        string
	Description string // of the tool
	Args        json.RawMessage
	Points      map[string]skill.Point // of the planner, by parameter
	Fields      []string               // that trackers of the action publish on, "module/field"
	Started     time.Duration          // robot clock
}

// Watch is the watching of one action: it owns the pictures of the ticks before. One goroutine at a time calls it.
type Watch interface {
	// Look takes the pictures of a tick. Number 0 is the look that is only kept.
	Look(ctx context.Context, number int) (*Sighting, error)
	// Ask has a sighting judged. It gives one answer to each question, in their order; an error says that the whole call
	// went wrong.
	Ask(ctx context.Context, s *Sighting, questions []question.Question) (Assessed, error)
}

// Sighting is what a tick is judged by.
type Sighting struct {
	At       time.Duration   // capture time of its newest frame, robot clock
	Images   []string        // names of the pictures in the log
	Readings *robot.Readings // nil = none
	NotLive  string          // why a camera of it is not to be trusted, and its answers are void; "" = all are
	Kept     bool            // there is nothing to compare it with: it is not judged
	Shown    any             // the pictures, as the Watch that took them knows them
}

// Assessed is what the monitor said on one tick.
type Assessed struct {
	Answers []question.Answer
	Usage   model.Usage
}
