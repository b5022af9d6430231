package run

import (
	"errors"
	"fmt"
	"slices"

	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/monitor/question"
)

// Looks is what the monitor's looks of a run came to.
type Looks struct {
	Asked      int            // that a question was due for
	Partly     int            // of them: some questions have an answer, and some have none
	Unanswered map[string]int // of them, those without any answer: how many by why, a question.Missing or LookLate
	Why        string         // why the newest answer is missing, in words; in a look that has others, with its question
}

// LookLate is why a look has no answer when its action had ended before the first one came.
const LookLate = "late"

// without counts a look without any answer.
func (l *Looks) without(missing, why string) {
	if l.Unanswered == nil {
		l.Unanswered = map[string]int{}
	}
	l.Unanswered[missing]++
	l.Why = why
}

// count takes the answers of one look. answered says that there is one among them.
func (l *Looks) count(answers []question.Answer) (answered bool) {
	if len(answers) == 0 {
		return false
	}
	l.Asked++
	missing, first := 0, question.Answer{}
	for _, a := range answers {
		if a.Missing == "" {
			continue
		}
		if missing++; missing == 1 {
			first = a
		}
	}
	switch missing {
	case 0:
	case len(answers):
		l.without(string(first.Missing), first.Why)
	default:
		l.Partly++
		l.Why = first.Question + ": " + first.Why
	}
	return missing < len(answers)
}

// givenUp notes the look that is under way when its action ends. Where no look before it had an answer, the action was not
// watched.
func (s *State) givenUp(w *monitoring) {
	if w.asking == 0 {
		return
	}
	s.lost[w.asking] = w.name()
	due := func(q question.Question) bool { return w.due-w.of.Started >= q.AskFrom }
	if w.number > 0 && !w.answered && slices.ContainsFunc(w.questions, due) {
		s.watched.Asked++
		s.watched.without(LookLate, "the action ended before the answer came")
	}
}

// name says which look is under way.
func (w *monitoring) name() string {
	if w.number == 0 {
		return "monitor's first look at " + w.of.Action
	}
	return fmt.Sprintf("monitor's answer on %s, tick %d", w.of.Action, w.number)
}

// lateLook drops what a look came to after its action had ended.
func (s *State) lateLook(id EffectID) {
	what, known := s.lost[id]
	if !known {
		what = "monitor's answer"
	}
	delete(s.lost, id)
	s.late(what, id)
}

// monitorFault logs a call of the monitor's model that failed, or that came to nothing in its time.
func (s *State) monitorFault(e Monitored) {
	class := model.ClassOf(e.Err)
	if e.Asked && errors.Is(e.Err, ErrMonitorSlow) {
		class = model.Timeout
	}
	if class != "" {
		s.log(episode.ProviderError{Tag: s.Tag(), Component: episode.MonitorOf(s.set.Models["monitor"]), Class: string(class), Attempt: 1})
	}
}

// whyMissing is an error in words, without advice that is meant for the planner's model: the next look comes by itself.
func whyMissing(err error) string {
	e, is := errors.AsType[*model.Error](err)
	if !is {
		return err.Error()
	}
	switch e.Class {
	case model.Auth, model.Quota, model.NotFound, model.Incompatible:
		return e.Error()
	}
	return e.Cause()
}
