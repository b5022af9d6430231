package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/rein-robotics/rein/eval/measure"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/monitor/question"
)

// answerLine is what a model answered about one tick, asked once: one line of evals/answers/<card>.jsonl. A later line of
// the same tick and repeat replaces it.
type answerLine struct {
	measure.Key

	Repeat   int          `json:"repeat"` // from 1
	Model    string       `json:"model"`
	Wording  string       `json:"wording"` // as on the card
	Sent     string       `json:"sent"`    // hash of the pictures, their labels, the readings and the arguments
	Label    string       `json:"label"`   // of the tick when it was asked
	Answers  []wireAnswer `json:"answers"` // to all questions
	LatencyS float64      `json:"latency_s"`
	Usage    model.Usage  `json:"usage"`
	Error    string       `json:"error,omitempty"` // the whole call failed
}

// wireAnswer is the answer to one question, as the file has it.
type wireAnswer struct {
	Question   string           `json:"question"`
	Value      json.RawMessage  `json:"value"` // true, false or an option; null when it is missing
	P          *float64         `json:"p"`     // of a predicate: that it is true; of a choice: of the value
	Confidence *float64         `json:"confidence,omitempty"`
	Missing    question.Missing `json:"missing,omitempty"`
	Why        string           `json:"why,omitempty"`
}

// answerNames are those that each line has.
func answerNames() []string {
	return []string{"episode", "action", "tick", "repeat", "model", "wording", "sent", "label", "answers", "latency_s", "usage"}
}

func (a *Answers) check(r answerLine) error {
	switch {
	case r.Episode == "" || r.Action == "" || r.Tick < 1 || r.Repeat < 1:
		return errors.New("an answer names episode, action, tick and repeat")
	case r.Model != a.of.Model || r.Wording != a.of.Wording:
		return errors.New("it is of another model or wording than the name of the file says")
	case !(r.LatencyS >= 0 && r.LatencyS < 1e6):
		return errors.New("latency_s is no time")
	case !counts(r.Usage):
		return errors.New("the usage is less than nothing")
	}
	answers, err := r.answers(a.questions)
	if err == nil && r.Error != "" && slices.ContainsFunc(answers, func(x question.Answer) bool { return x.Missing == "" }) {
		err = errors.New("a call that failed has an answer")
	}
	return err
}

// counts says that a usage can be added up.
func counts(u model.Usage) bool {
	return min(u.Input, u.Output, u.CachedRead, u.CachedWrite, u.Reasoning) >= 0 && u.CostUSD >= 0
}

// answers are those of a line, for the rules.
func (r *answerLine) answers(questions []question.Question) ([]question.Answer, error) {
	var out []question.Answer
	said := map[string]bool{}
	for _, s := range r.Answers {
		i := indexOf(questions, s.Question)
		if i < 0 {
			return nil, fmt.Errorf("%q is none of the questions", s.Question)
		}
		if said[s.Question] {
			return nil, fmt.Errorf("%s is answered twice", s.Question)
		}
		said[s.Question] = true
		x, err := s.answer(questions[i])
		if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, nil
}

func indexOf(questions []question.Question, name string) int {
	for i := range questions {
		if questions[i].Name == name {
			return i
		}
	}
	return -1
}

func (s wireAnswer) answer(q question.Question) (question.Answer, error) {
	if s.Missing != "" {
		return s.missing(q)
	}
	if s.P == nil {
		return question.Answer{}, fmt.Errorf("%s has neither p nor missing", s.Question)
	}
	out := q.Is(*s.P)
	if q.Kind == question.Choice {
		var value *string
		if err := json.Unmarshal(s.Value, &value); err != nil || value == nil {
			return out, fmt.Errorf("the value of %s is no option", s.Question)
		}
		out = q.Chosen(*value, *s.P)
		out.Confidence = s.Confidence
	}
	switch {
	case out.Missing != "":
		return out, fmt.Errorf("%s: %s", s.Question, out.Why)
	case q.Kind == question.Predicate && string(s.Value) != out.Value:
		return out, fmt.Errorf("the value of %s is not what its p of %g says", s.Question, *s.P)
	}
	return out, nil
}

// missing is an answer that did not come.
func (s wireAnswer) missing(q question.Question) (question.Answer, error) {
	known := []question.Missing{question.Refused, question.TimedOut, question.Failed, question.Invalid, question.Unknown, question.NotLive}
	switch {
	case !slices.Contains(known, s.Missing):
		return question.Answer{}, fmt.Errorf("%s is missing for no reason that there is: %q", s.Question, s.Missing)
	case s.P != nil || len(s.Value) > 0 && string(s.Value) != "null":
		return question.Answer{}, fmt.Errorf("%s has both an answer and missing", s.Question)
	}
	return q.No(s.Missing, s.Why), nil
}

func saidOf(a question.Answer) wireAnswer {
	s := wireAnswer{Question: a.Question, Value: a.ValueJSON(), Confidence: a.Confidence, Missing: a.Missing, Why: a.Why}
	if a.Missing == "" {
		s.P = &a.P
	}
	return s
}
