package run

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/rein-robotics/rein/agent/hook"
	"github.com/rein-robotics/rein/agent/inbox"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/tool"
)

// AskPlugins asks the plugins at one point: Hooked.
type AskPlugins struct {
	ID   EffectID
	What hook.Ask
}

// Hooked is what the plugins of a point made of what they were asked about.
type Hooked struct {
	ID     EffectID
	Answer hook.Answer
}

// HookLate says that a hook answered after it had been given up.
type HookLate struct {
	ID     EffectID
	Plugin string
	Point  hook.Point
}

func (AskPlugins) effect() {}

func (Hooked) Class() (inbox.Class, Stackable)   { return inbox.Result, false }
func (HookLate) Class() (inbox.Class, Stackable) { return inbox.Result, false }

// Delays says that something waits for the answer. Nothing waits for plugins that are only told.
func (e AskPlugins) Delays() bool {
	q := inquiry{what: e.What}
	return !q.told()
}

// inquiry is what the plugins are being asked, and what waits for their answer.
type inquiry struct {
	what  hook.Ask
	call  *call       // of the planner, which waits for its ruling
	of    *begin      // start that waits for its ruling
	reply *Replied    // end of the reply whose text they may change
	done  *done       // answer of a call that they may change
	wakes []view.Wake // of the request that waits to be sent
}

// done is the answer of a call that was carried out.
type done struct {
	call   call
	images []model.ImageBlock
}

// calledStage is up to where a call has passed the plugins.
type calledStage int

const (
	notAsked calledStage = iota
	dispatchAsked
	executeAsked
)

// askPlugins sends a question to the plugins: Hooked.
func (s *State) askPlugins(q inquiry) {
	if s.questions == nil {
		s.questions = map[EffectID]*inquiry{}
	}
	id := s.id()
	s.questions[id] = &q
	s.do(AskPlugins{ID: id, What: q.what})
}

// askFirst asks the plugins about a call of the planner, true when it must wait for them. Nothing holds up a stop.
func (s *State) askFirst(c call) bool {
	if s.set.Plugins == nil || c.name == toolStopAction {
		return false
	}
	if c.stage == notAsked && s.set.Plugins.Has(hook.PreToolDispatch) {
		s.askAbout(c, hook.PreToolDispatch, dispatchAsked)
		return true
	}
	if c.stage != executeAsked && s.set.Plugins.Has(hook.PreToolExecute) && checked(s.set.schema(c.name), c) {
		s.askAbout(c, hook.PreToolExecute, executeAsked)
		return true
	}
	return false
}

func (s *State) askAbout(c call, at hook.Point, stage calledStage) {
	c.stage = stage
	s.askPlugins(inquiry{call: &c, what: hook.AskCall{At: at, Call: s.hookCall(c)}})
}

// checked says that the call passes its schema. A skill's has none here: plugins are asked about it when it is admitted.
func checked(schema *tool.Schema, c call) bool { return schema != nil && schema.Check(c.args) == nil }

func (s *State) hookCall(c call) hook.Call {
	return hook.Call{Run: s.run, Sub: s.thread, Tool: c.name, Args: c.args}
}

// askStart asks the plugins about a start that passed every check, true when it must wait for them.
func (s *State) askStart(b *begin) bool {
	if !s.set.Plugins.Has(hook.PreToolExecute) {
		return false
	}
	s.askPlugins(inquiry{of: b, what: hook.AskCall{At: hook.PreToolExecute, Call: hook.Call{
		Run: s.run, Tool: b.name, Args: b.args, Queue: b.call == "", Action: b.action,
	}}})
	return true
}

// sending says whether a request is a new one.
type sending bool

const (
	anew  sending = false
	again sending = true // the last one, unchanged
)

// askBefore asks the plugins about the next request, true when it must wait for them.
func (s *State) askBefore(wakes []view.Wake, how sending) bool {
	if !s.set.Plugins.Has(hook.PreLLMCall) {
		return false
	}
	req, err := s.book.Preview()
	if err != nil { // every way here has closed its calls
		panic("run: " + err.Error())
	}
	s.turn.round = round{}
	s.askPlugins(inquiry{wakes: wakes, what: hook.Round{Run: s.run, Sub: s.thread, Task: s.task, Wakes: words(wakes), Request: req, Again: how == again}})
	return true
}

// askAfter asks the plugins about the text of a reply that is over, true when it must wait for them.
func (s *State) askAfter(e Replied) bool {
	if !s.set.Plugins.Has(hook.PostLLMCall) || s.turn.round.text() == "" {
		return false
	}
	over := e // e itself stays off the heap when nobody is asked
	s.askPlugins(inquiry{reply: &over, what: hook.Reply{Run: s.run, Sub: s.thread, Text: s.turn.round.text(), Calls: s.book.Calls()}})
	return true
}

// askAnswer asks the plugins about the answer of a call that was carried out, true when it must wait for them. Refusals
// and measured stops stay as they are, and nobody holds up the end of a run.
func (s *State) askAnswer(c call, v any, images []model.ImageBlock) bool {
	if _, is := v.(refused); is || s.turn == nil || !s.set.Plugins.Has(hook.PostToolExecute) || c.name == toolStopAction || c.name == toolFinishTask {
		return false
	}
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("run: answer %T does not encode: %v", v, err))
	}
	s.askPlugins(inquiry{done: &done{call: c, images: images}, what: hook.Result{Call: s.hookCall(c), JSON: raw, Images: len(images)}})
	return true
}

// sayEvent tells the plugins of an event that woke the agent. Nobody waits for them.
func (s *State) sayEvent(m Moment) {
	if w := s.news.fresh; w != "" && s.set.Plugins.Has(hook.OnEvent) {
		s.askPlugins(inquiry{what: hook.Event{Run: s.run, Wake: string(w), Why: s.news.freshWhy, At: m.At}})
	}
	s.news.fresh, s.news.freshWhy = "", ""
}

// sayInterrupt tells the plugins of what breaks into a run. Nobody waits for them.
func (s *State) sayInterrupt(m Moment, kind, why string) {
	if s.phase != idle && s.phase != ended && s.set.Plugins.Has(hook.OnInterrupt) {
		s.askPlugins(inquiry{what: hook.Interrupt{Run: s.run, Kind: kind, Why: why, At: m.At}})
	}
}

// told says that nobody waits for the answer.
func (q *inquiry) told() bool {
	switch q.what.(type) {
	case hook.Event, hook.Interrupt:
		return true
	}
	return false
}

// dropQuestions gives up what the plugins are asked for a turn that ends from outside. What they were to change is closed
// as if they had failed; a start in question is void, and its answer takes it out of the table.
func (s *State) dropQuestions() {
	if len(s.questions) == 0 {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(s.questions)) {
		q := s.questions[id]
		if q.told() {
			continue
		}
		s.do(CancelCall{ID: id})
		if q.of != nil {
			continue
		}
		delete(s.questions, id)
		switch {
		case q.reply != nil:
			s.takeText(s.set.Plugins.Interrupted(q.what))
			s.closeReply(*q.reply)
		case q.done != nil:
			s.giveAnswer(q.done, s.set.Plugins.Interrupted(q.what))
		}
	}
}

// withholdPart is for a reply that is cut off before it was over: no plugin has seen its text.
func (s *State) withholdPart() {
	if r := &s.turn.round; r.text() != "" && s.set.Plugins.Has(hook.PostLLMCall) {
		s.takeText(s.set.Plugins.Interrupted(hook.Reply{Run: s.run, Sub: s.thread, Text: r.text()}))
	}
}

// cutQuestion ends what the plugins are asked about a start that nobody wants any more.
func (s *State) cutQuestion(b *begin) {
	for id, q := range s.questions {
		if q.of == b { // there is one at most
			s.do(CancelCall{ID: id})
		}
	}
}

func words(ws []view.Wake) []string {
	out := make([]string, len(ws))
	for i, w := range ws {
		out[i] = string(w)
	}
	return out
}
