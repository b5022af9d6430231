package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/rein-robotics/rein/agent/inbox"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/episode"
)

// Class is where an injected event stands among what waits. Operator and safety always come first.
type Class int

// The classes.
const (
	ClassJob  Class = iota // with the ends of jobs: behind everything but a heartbeat
	ClassNews              // with bad ends and flags
	ClassUser              // with messages of the user
)

// Injection is something that happened outside, told from Go code. It wakes the planner.
type Injection struct {
	Class Class
	// Alone gives it a turn of its own, when nothing else waits; else it is folded, in order, with what else waits.
	Alone bool
	Text  string          // one line, which the planner reads
	Data  json.RawMessage // for reasoners that are programs; no model sees it. nil = there is none
}

// inboxClass is the class among all events.
func (c Class) inboxClass() inbox.Class {
	switch c {
	case ClassNews:
		return inbox.Bad
	case ClassUser:
		return inbox.User
	case ClassJob:
	}
	return inbox.Background
}

// Check says what is wrong with an injection; nil = nothing.
func (e *Injection) Check() error {
	switch {
	case e.Class < ClassJob || e.Class > ClassUser:
		return fmt.Errorf("agent: injected event: there is no class %d", e.Class)
	case e.Text == "":
		return errors.New("agent: injected event: it has no text, and the planner would not know what happened")
	case e.Data != nil && !json.Valid(e.Data):
		return errors.New("agent: injected event: its data are no JSON")
	}
	return nil
}

// Injected is an event from Go code.
type Injected struct{ What Injection }

func (e Injected) Class() (inbox.Class, Stackable) {
	return e.What.Class.inboxClass(), Stackable(!e.What.Alone)
}

// onInjected tells the planner of an event, at once or when its turn comes: nothing overtakes what came before it and is
// as urgent.
func (s *State) onInjected(m Moment, e Injected) {
	if s.Over() {
		s.lateEvent(e)
		return
	}
	urgent := func(x Injected) bool { return x.What.Class >= e.What.Class }
	if e.What.Alone || slices.ContainsFunc(s.outside, urgent) {
		at := 0
		for at < len(s.outside) && urgent(s.outside[at]) {
			at++
		}
		s.outside = slices.Insert(s.outside, at, e)
		return
	}
	s.hear(m, e)
}

func (s *State) hear(m Moment, e Injected) {
	s.tell(m, view.Happening{Kind: "injected", Reason: e.What.Text, Data: e.What.Data})
	s.news.wake(view.WakeInjected, e.What.Text)
}

func (s *State) lateEvent(e Injected) {
	s.log(episode.Late{Tag: s.Tag(), What: "injected event: " + e.What.Text})
}

// letIn takes what waits outside into the news, up to the next event that wants a turn of its own. That one is taken,
// alone, when there is no other news.
func (s *State) letIn(m Moment) (alone bool) {
	for len(s.outside) > 0 {
		alone = s.outside[0].What.Alone
		if alone && len(s.news.wakes) > 0 {
			return false
		}
		e := s.outside[0]
		s.outside = slices.Delete(s.outside, 0, 1)
		s.hear(m, e)
		if alone {
			return true
		}
	}
	return false
}

// keepApart keeps the news of a turn that an event has for its own from what comes before it is told.
func (s *State) keepApart() {
	own := s.news
	own.fresh, own.freshWhy = "", ""
	s.turn.apart = &own
	s.news = news{fresh: s.news.fresh, freshWhy: s.news.freshWhy}
}

// apart makes the news those of the turn, and gives what came since, when the turn is an event's own.
func (s *State) apart() (later news) {
	if s.turn.apart == nil {
		return news{}
	}
	later, s.news, s.turn.apart = s.news, *s.turn.apart, nil
	return later
}

// together puts the news of a turn that was not told with the others again.
func (s *State) together() {
	if s.turn.apart == nil {
		return
	}
	own, later := *s.turn.apart, s.news
	s.turn.apart = nil
	later.happened = append(own.happened, later.happened...)
	later.messages = append(own.messages, later.messages...)
	later.notices = append(own.notices, later.notices...)
	later.modules = append(own.modules, later.modules...)
	s.news = later
}

// dropOutside forgets the events that wait, when the run ends.
func (s *State) dropOutside() {
	for _, e := range s.outside {
		s.lateEvent(e)
	}
	s.outside = nil
}
