package run

import (
	"encoding/json"
	"time"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/monitor/question"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
)

// View is what one round is decided on. It is immutable.
type View struct {
	// Request is the whole conversation of the segment. User messages written by the harness carry a view.Report as
	// the Data of their first text block; the result of observe is a view.Observed.
	Request model.Request
	// Frames are the raw pictures, with depth where the camera has it, behind the images of Request that a point may
	// still be read from, by image id.
	// A reasoner that is a program may look at them; it learns nothing that the camera did not see.
	Frames map[string]*robot.Frame
	// Left is what is left of the run's minutes, robot clock; 0 = there is no limit. Waits beyond it are not begun.
	Left time.Duration
}

// Watched is an action that is to be watched. It is immutable.
type Watched struct {
	Action      string
	Tool        string
	Description string // of the tool
	Args        json.RawMessage
	Points      map[string]skill.Point // that the planner gave, by parameter
	Fields      []string               // that trackers of the action publish on, "module/field"
	Started     time.Duration          // robot clock
}

// Sighting is what a tick is judged by.
type Sighting struct {
	At       time.Duration   // capture time of its newest frame, robot clock
	Behind   time.Duration   // how much older than At the current frame of another camera is, at most
	Images   []Recorded      // in the order in which they are shown
	Readings *robot.Readings // nil = none
	NotLive  string          // why a camera of it is not to be trusted, and its answers are void; "" = all are
	Kept     bool            // there is nothing to compare it with, or nothing new in it: it is not judged
	Shown    any             // the pictures, for whoever took them; the step does not look
}

// Oldest is the capture time of the oldest frame that it shows as current, robot clock: an answer is as old as that.
func (s *Sighting) Oldest() time.Duration { return s.At - s.Behind }

// Recorded is a picture in the log.
type Recorded struct {
	Name string
	At   time.Duration // of its capture, robot clock
}

// Assessed is what the monitor said on one tick.
type Assessed struct {
	Answers []question.Answer
	Usage   model.Usage
}

// Saying is a piece of what the planner says.
type Saying struct {
	Text      string // goes on where the piece before ended
	Withdrawn bool   // what this reply has said so far is taken back
	Over      bool   // the reply says nothing more
}
