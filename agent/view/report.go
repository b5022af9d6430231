// Package view turns what the agent knows into what a reasoner is shown: a Report, its text, and the blocks of a message.
//
// Its one invariant: the text is rendered from the Report and from nothing else, so that a program reading the Report and
// a model reading the text know the same.
package view

import (
	"encoding/json"

	"github.com/rein-robotics/rein/geom"
)

// Wake is why the planner is asked.
type Wake string

// What wakes the planner.
const (
	WakeMessage    Wake = "user_message"
	WakeEnded      Wake = "action_ended"    // badly, or well with nothing to follow
	WakeStep       Wake = "step_needs_look" // the next step needs a point in a fresh image, or its point is no longer true
	WakeStepNoTool Wake = "step_has_no_tool"
	WakeStepStart  Wake = "step_cannot_start"
	WakeUnresolved Wake = "step_not_resolved"
	WakePlanDone   Wake = "every_step_is_done"
	WakeFlag       Wake = "monitor_flag"
	WakeCheck      Wake = "controller_check"
	WakeOperator   Wake = "operator"
	WakeSafety     Wake = "safety"
	WakeHeartbeat  Wake = "heartbeat"
	WakeJob        Wake = "job_done"
	WakeDelegated  Wake = "delegated" // the task of a sub-agent
	WakeInjected   Wake = "injected"
	WakeAgain      Wake = "regenerate" // the last request is sent once more; it stands in the log only
	WakeResults    Wake = "results"    // a later round of the same turn
	WakeReminder   Wake = "reminder"
	WakeNotice     Wake = "notice"
)

// Report is the structured form of a user message that the harness wrote. It is what the log keeps beside the text.
type Report struct {
	Woke     []Wake      `json:"woke"`
	Task     string      `json:"task,omitempty"`
	Messages []string    `json:"messages,omitempty"` // of the user, new since the last message
	Happened []Happening `json:"happened,omitempty"` // in order
	Plan     []Step      `json:"plan,omitempty"`
	Running  []Running   `json:"running,omitempty"`
	Jobs     []Job       `json:"jobs,omitempty"` // that run
	Readings []Reading   `json:"readings,omitempty"`
	Images   []Image     `json:"images,omitempty"`
	Budget   *Budget     `json:"budget,omitempty"`
	Notices  []string    `json:"notices,omitempty"`
	// What a new segment opens with: the conversation before it is gone.
	Earlier []string `json:"earlier,omitempty"`  // runs before this one, a line each
	SoFar   []string `json:"so_far,omitempty"`   // of this run, a line each
	Said    []string `json:"said,omitempty"`     // by the user in this run before this message, the task first
	Results []Result `json:"results,omitempty"`  // of the last calls before it
	LeftOut []string `json:"left_out,omitempty"` // ids of images that are not in it
	Why     string   `json:"why,omitempty"`      // the closing line: what is wanted now
}

// Happening is one thing that happened since the last message.
type Happening struct {
	Kind    string          `json:"kind"` // action_started, action_ended, plan_step, flag, check, operator, refused, estop, job_done, injected
	Action  string          `json:"action,omitempty"`
	Tool    string          `json:"tool,omitempty"`
	Args    json.RawMessage `json:"args,omitempty"`
	Step    string          `json:"step,omitempty"`
	Outcome string          `json:"outcome,omitempty"` // succeeded, failed, stopped, timed_out; or the code of a refusal
	Cause   string          `json:"cause,omitempty"`
	Reason  string          `json:"reason,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"`    // of an injected event; no model sees it
	Answers []Answer        `json:"answers,omitempty"` // the newest of the monitor, of an action that ended
	AtS     float64         `json:"at_s"`              // robot clock
}

// Result is a call whose answer the planner has not used yet, told in words.
type Result struct {
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args"`
	Answer json.RawMessage `json:"answer"`
}

// Step is one step of the plan as the planner sees it.
type Step struct {
	ID    string          `json:"id"`
	Text  string          `json:"text"`
	Tool  string          `json:"tool,omitempty"`
	Args  json.RawMessage `json:"args,omitempty"`
	State string          `json:"state"`
}

// Running is one action that is under way.
type Running struct {
	Action   string          `json:"action"`
	Tool     string          `json:"tool"`
	Args     json.RawMessage `json:"args,omitempty"`
	Step     string          `json:"step,omitempty"`
	ElapsedS float64         `json:"elapsed_s"`
	Doing    string          `json:"doing,omitempty"`
	Phase    string          `json:"phase"` // starting, running, stopping
	Answers  []Answer        `json:"answers,omitempty"`
}

// Answer is the newest answer of the monitor to one question about an action.
type Answer struct {
	Question string  `json:"question"`
	Value    string  `json:"value"` // true, false or one of the choices
	P        float64 `json:"p"`     // of a predicate: that it is true; of a choice: of Value
	AgeS     float64 `json:"age_s"` // of the oldest of the frames that it calls current
}

// Job is one call in the background that has not ended.
type Job struct {
	Job      string          `json:"job"`
	Tool     string          `json:"tool"`
	Args     json.RawMessage `json:"args,omitempty"`
	ElapsedS float64         `json:"elapsed_s"`
}

// Reading is one field's value.
type Reading struct {
	Field string  `json:"field"` // "right_arm/x"
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
}

// Image says what an image block is. Points count in pixels of the image as sent: Width × Height.
type Image struct {
	ID      string          `json:"id"`     // "o12.front_camera"
	Camera  string          `json:"camera"` // module
	Fixed   bool            `json:"fixed"`
	AgeS    float64         `json:"age_s"`
	AtS     float64         `json:"at_s"` // capture time, robot clock
	Width   int             `json:"width"`
	Height  int             `json:"height"`
	Mapping Mapping         `json:"mapping"`
	Lens    geom.Intrinsics `json:"lens"`               // of the whole capture
	Pose    geom.Pose       `json:"pose"`               // camera frame in the world, from the robot's own description and joints
	NotLive string          `json:"not_live,omitempty"` // why the camera is not trusted; such an image takes no points
}

// Mapping carries points between the image as sent and the capture: capture = (sent − margin) / scale + crop.
type Mapping struct {
	Scale  [2]float64 `json:"scale"`  // along x and y; sent pixels for one capture pixel
	Margin [2]float64 `json:"margin"` // pixels of the sent image left of and above the picture
	Crop   [2]float64 `json:"crop"`   // capture pixel at the picture's corner
}

// ToCapture maps a point of the image as sent to continuous capture pixels.
func (m Mapping) ToCapture(p [2]float64) [2]float64 {
	return [2]float64{(p[0]-m.Margin[0])/m.Scale[0] + m.Crop[0], (p[1]-m.Margin[1])/m.Scale[1] + m.Crop[1]}
}

// ToSent maps continuous capture pixels to the image as sent.
func (m Mapping) ToSent(p [2]float64) [2]float64 {
	return [2]float64{(p[0]-m.Crop[0])*m.Scale[0] + m.Margin[0], (p[1]-m.Crop[1])*m.Scale[1] + m.Margin[1]}
}

// Budget is what is left of each budget; nil = it has no limit.
type Budget struct {
	Turns   *int     `json:"turns,omitempty"`
	Minutes *float64 `json:"minutes,omitempty"`
	Motions *int     `json:"motions,omitempty"`
	Tokens  *int     `json:"tokens,omitempty"`
	CostUSD *float64 `json:"cost_usd,omitempty"`
}

// Observed is the answer of an observe call.
type Observed struct {
	Observation string    `json:"observation"` // "o12"
	Images      []Image   `json:"images"`
	Readings    []Reading `json:"readings,omitempty"`
}
