package measure

import (
	"slices"
	"time"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/monitor/question"
)

// Key names one tick of one action.
type Key struct {
	Episode string `json:"episode"` // "<session>/<episode>"
	Action  string `json:"action"`
	Tick    int    `json:"tick"` // from 1
}

// ofAction is the key of all ticks of the action.
func (k Key) ofAction() Key { return Key{Episode: k.Episode, Action: k.Action} }

// Unsure is the label of a tick that a person could not tell. It is asked and replayed, and not scored.
const Unsure = "unsure"

// Sample is the answers to one tick, asked once.
type Sample struct {
	Key

	At      time.Duration // capture time of the tick's newest frame since the action started, robot clock
	Behind  time.Duration // how much older the current picture of another camera is, at most
	Label   string        // of the scored question, or Unsure
	Repeat  int           // from 0
	Answers []question.Answer
	Latency time.Duration // wall clock
	Usage   model.Usage
	Err     string // the whole call failed, or ran into its limit
}

// timedOut says that no answer came within the limit.
func (s *Sample) timedOut() bool {
	return s.Err != "" && slices.ContainsFunc(s.Answers, func(a question.Answer) bool { return a.Missing == question.TimedOut })
}

// Broken says that the call went wrong: nothing was measured, and it is asked again.
func (s *Sample) Broken() bool { return s.Err != "" && !s.timedOut() }

// answer is the answer to a question; ok is false when it is missing.
func (s *Sample) answer(name string) (question.Answer, bool) {
	for _, a := range s.Answers {
		if a.Question == name {
			return a, a.Missing == ""
		}
	}
	return question.Answer{Question: name, Missing: question.Unknown}, false
}
