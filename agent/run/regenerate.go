package run

import (
	"fmt"
	"strings"

	"github.com/rein-robotics/rein/agent/inbox"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/tool"
)

// Regenerate wants the last request to be sent once more: TellCaller, with the same Ask, says whether it is.
type Regenerate struct{ Ask uint64 }

func (Regenerate) Class() (inbox.Class, Stackable) { return inbox.User, false }

// TellCaller answers whoever asked for something; Why says why it is refused, "" = it is done.
type TellCaller struct {
	Ask uint64
	Why string
}

func (TellCaller) effect() {}

// noteChange keeps what the reply changed: such a reply cannot be taken back. A function changes something when it is
// called, whatever comes of it.
func (s *State) noteChange(c call, v any) {
	if _, no := v.(refused); !no && !c.beside && c.name != toolAskUser && c.name != toolWait {
		s.changed = c.name
	}
}

func (s *State) onRegenerate(m Moment, e Regenerate) {
	why := s.fixed()
	var last model.Message
	if why == "" {
		var err error
		if last, err = s.book.Retract(); err != nil {
			why = err.Error()
		}
	}
	s.do(TellCaller{Ask: e.Ask, Why: why})
	if why != "" {
		return
	}
	s.takeBackText(last)
	wakes := []view.Wake{view.WakeAgain}
	s.turn = &turn{wakes: wakes, reminded: true} // it has been, if it had to be
	s.phase = inTurn
	if !s.askBefore(wakes, again) {
		s.send(m, wakes)
	}
}

// fixed says why the last reply stands, "" when it may be taken back.
func (s *State) fixed() string {
	switch {
	case s.Over():
		return "no run is on"
	case s.phase == paused:
		return "the run is paused: a message resumes it"
	case s.turn != nil:
		return "the planner is at it"
	case s.talk.due != "":
		return "the conversation goes on in a new segment: " + s.talk.due
	case s.changed != "":
		return fmt.Sprintf("the last reply changed something: %s was carried out", s.changed)
	}
	return ""
}

// takeBackText withdraws what the user saw of a reply.
func (s *State) takeBackText(last model.Message) {
	withdraw := func(text string) { s.log(episode.AgentMessageWithdrawn{Tag: s.Tag(), What: text}) }
	var text strings.Builder
	for _, b := range last.Blocks {
		if b.Text != nil {
			text.WriteString(b.Text.Text)
		}
	}
	if text.String() != "" {
		withdraw(text.String())
	}
	for _, b := range last.Blocks {
		if b.Call == nil || b.Call.Name != toolAskUser {
			continue
		}
		if in, err := tool.Decode[askUserInput](s.set.builtin[toolAskUser], b.Call.Args); err == nil {
			withdraw(in.words())
		}
	}
}
