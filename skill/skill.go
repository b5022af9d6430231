// Package skill holds what a unit of work is: Skill, the Spec that planner and monitor know it by, and Tool, a skill with
// its bound parameters.
//
// Its one invariant: a skill reaches the robot only through the Body it is ticked with, on the control loop's goroutine.
package skill

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/vision"
)

// Skill is one run of a unit of work. All methods are called by the control loop, none may block or take a picture.
type Skill interface {
	// Start is called once, between two ticks. An error means that nothing was begun.
	Start(b *Body) error
	// Tick is called every control period until it returns true or an error. true is COMPLETED; an error of Failf is
	// FAILED with its reason, any other error too.
	Tick(b *Body) (done bool, err error)
}

// Stopper is a skill that wants to know that it was stopped from outside. The control loop holds its modules afterwards.
type Stopper interface{ Stopped(b *Body) }

// Doer is a skill that can say in a few words what it is at, for people.
type Doer interface{ Doing() string }

// Arriver is a skill that can say how its move ended.
type Arriver interface{ Arrival() *ArrivalReport }

// Failed is a failure that the planner can act on.
type Failed struct{ Reason string }

func (f *Failed) Error() string { return f.Reason }

// Failf is the error by which a skill reports that it failed, in words for the planner.
func Failf(format string, args ...any) error { return &Failed{Reason: fmt.Sprintf(format, args...)} }

// Body is a skill's hold on the robot during one tick. It is valid only during the call it is passed to.
type Body struct {
	Now         time.Duration // robot clock
	Period      time.Duration // of the control loop
	Description *robot.Description
	Readings    *robot.Readings
	// Track is the newest result of the tracker that publishes on field ("front_camera/target"), ok false before the first.
	Track func(field string) (t vision.Track, ok bool)
	// Send hands a target to the shield and the robot at the end of the tick; the last one for a module wins.
	// The loop fills in owner, generation and action.
	Send func(robot.Target)
}

// Point is an image point that the planner gave, mapped to the capture.
type Point struct {
	Observation string
	Pixel       [2]float64   // continuous capture pixels
	Frame       *robot.Frame // the picture that the planner saw, as captured
}

// Call is what a tool is started with.
type Call struct {
	Args   json.RawMessage  // an object that has passed the tool's schema, points included as the planner gave them
	Points map[string]Point // by parameter name
	Now    *robot.Readings  // at the time of the call
}

// Service asks for a tracker seeded with a point, publishing on Module/Field while the action runs.
type Service struct {
	Module string // the camera
	Field  string // "target"
	Seed   Point
	RateHz float64 // 0 = 10
}

// Name is the field the service publishes on: "front_camera/target".
func (s Service) Name() string { return s.Module + "/" + s.Field }

// Example is a call that the planner is shown.
type Example struct {
	Params json.RawMessage `json:"params"`
	When   string          `json:"when"`
}

// Spec is everything that planner and monitor know about a tool.
type Spec struct {
	Description   string          // "" keeps the tool off every list
	Parameters    json.RawMessage // JSON Schema of an object: what the planner chooses
	ImagePoints   []string        // parameters that are [x, y] pixels
	Camera        string          // module whose images the points are read from; "" when there are none
	Examples      []Example
	EndsByItself  bool
	MaxDuration   time.Duration   // robot clock; 0 = no deadline
	MaxTargetArea float64         // 0 to 1; 0 checks nothing
	Monitor       json.RawMessage // the questions as configured, a list; nil = none
	Commands      []string        // modules it moves, held exclusively
	Reads         []string        // fields it reads, "module/field"
}

// Tool is a skill with its bound parameters: what a planner may call.
type Tool struct {
	Name  string
	Skill string // the skill's name in the configuration: move, policy, place …
	Spec  Spec
	// New makes one run of the skill. An error of *Refusal is told to the planner with its code.
	New func(Call) (Skill, error)
	// Services says which trackers must run; nil = none.
	Services func(Call) []Service
}

// Tracked is the camera on whose pictures trackers follow the targets of the tool's actions, "" when none does.
func (t *Tool) Tracked() string {
	if t.Services == nil {
		return ""
	}
	return t.Spec.Camera
}

// Refusal is why a call was not started: out_of_reach, cannot_start, bad_arguments.
type Refusal struct {
	Code    string
	Message string
	Hint    string
}

func (r *Refusal) Error() string { return r.Code + ": " + r.Message }

// ArrivalReport says how a move ended.
type ArrivalReport struct {
	How      string             `json:"how"`      // reached | stalled | capped
	Residual map[string]float64 `json:"residual"` // by field, in the field's unit
}
