package eval

import (
	"slices"
	"time"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/monitor/question"
)

// Sample is the answers to one tick, asked once.
type Sample struct {
	Tick    *Tick
	Label   string // of the scored question, or Unsure
	Repeat  int    // from 0
	Answers []question.Answer
	Latency time.Duration // wall clock
	Usage   model.Usage
	Err     string // the whole call failed, or ran into its limit
}

// timedOut says that no answer came within the limit.
func (s *Sample) timedOut() bool {
	return s.Err != "" && slices.ContainsFunc(s.Answers, func(a question.Answer) bool { return a.Missing == question.TimedOut })
}

// broken says that the call went wrong: nothing was measured, and it is asked again.
func (s *Sample) broken() bool { return s.Err != "" && !s.timedOut() }

// answer is the answer to a question; ok is false when it is missing.
func (s *Sample) answer(name string) (question.Answer, bool) {
	for _, a := range s.Answers {
		if a.Question == name {
			return a, a.Missing == ""
		}
	}
	return question.Answer{Question: name, Missing: question.Unknown}, false
}
