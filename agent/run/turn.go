package run

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/rein-robotics/rein/agent/hook"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
)

// turn is one wake of the planner: rounds until one starts an action, or until nothing is left to say.
type turn struct {
	wakes    []view.Wake
	why      string
	rounds   int
	started  bool // an action was started: the turn ends with this round
	asked    bool // ask_user: the turn ends with this round
	reminded bool
	stuck    string  // why the turn must end: refusals in a row
	finish   *finish // finish_task was accepted: the run ends with this reply

	apart  *news       // of an event that takes a turn of its own, until they are told; nil = there is none
	report view.Report // that the request ends with
	images []model.ImageBlock
	round  round
}

// round is one planner call and what it opened.
type round struct {
	asked   time.Duration // wall clock
	request model.Request
	trigger []view.Wake
	said    *strings.Builder // visible text; nil = none
	why     string           // the reasoner's rationale
	parts   []model.Part
	calls   []string           // tools called, in order
	decided []episode.Decision // of a model, logged when the reply is over
	queue   []call             // effectful calls that wait for the one before
	busy    bool               // the head of the queue is on its way
	open    int                // calls without an answer
	keys    map[string]bool
	end     model.StopReason // "" until the reply was complete
	over    bool             // the stream has ended
	usage   model.Usage
}

func (r *round) say(text string) {
	if r.said == nil {
		r.said = &strings.Builder{}
	}
	r.said.WriteString(text)
}

func (r *round) text() string {
	if r.said == nil {
		return ""
	}
	return r.said.String()
}

// call is one call of the planner.
type call struct {
	id     string // of the ledger
	name   string
	args   json.RawMessage
	beside bool        // it changes nothing, and waits for no other
	stage  calledStage // up to where the plugins were asked about it
}

// openTurn begins a turn with a fresh look.
func (s *State) openTurn() {
	s.turn, s.resting = &turn{wakes: s.news.wakes, why: s.news.why}, false
	s.accepted()
	s.phase = inTurn
	s.news.wakes, s.news.why = nil, ""
	s.startLook(&peek{turn: true}, s.set.Cameras)
}

// startLook asks for a numbered observation.
func (s *State) startLook(p *peek, cameras []string) {
	r := s.root()
	r.counts.looks++
	id := s.id()
	s.peeks[id] = p
	s.do(Look{ID: id, Number: r.counts.looks, Cameras: cameras, Motions: r.motions})
}

// ask sends the conversation to the reasoner, with a report added.
func (s *State) ask(m Moment, wakes []view.Wake, rep view.Report, images []model.ImageBlock) {
	s.say(m, rep, images)
	s.turn.report, s.turn.images = rep, images
	if !s.askBefore(wakes, anew) {
		s.send(m, wakes)
	}
}

// send sends what has been said to the reasoner.
func (s *State) send(m Moment, wakes []view.Wake) {
	if err := s.pool.Turn(); err != nil {
		s.outOfBudget(m, err)
		return
	}
	req, err := s.book.Request()
	if err != nil { // every way here has closed its calls: this is a fault of ours, not of the world
		panic("run: " + err.Error())
	}
	s.turn.rounds++
	s.turn.round = round{asked: m.Wall, request: req, trigger: wakes, keys: map[string]bool{}}
	s.calling, s.changed = s.id(), ""
	s.book.BeginReply()
	s.do(CallModel{ID: s.calling, Task: s.task, View: View{Request: req, Frames: s.looks.Frames(), Left: s.pool.Left()}})
}

// onPart takes one piece of the reply; a complete call is dispatched at once.
func (s *State) onPart(m Moment, e Part) {
	if e.ID != s.calling {
		return // of a call that was given up; its one answer, the end of the reply, is told as late
	}
	r := &s.turn.round
	r.parts = append(r.parts, e.What)
	switch p := e.What.(type) {
	case model.Text:
		r.say(p.Text)
		s.sayOn(Saying{Text: p.Text})
		s.book.Text(p.Text)
	case model.Rationale:
		r.why = p.Text
	case model.Opaque:
		s.book.Echo(p)
	case model.Withdrawn:
		s.withdraw(p)
	case model.Usage:
		r.usage = p
	case model.End:
		r.end = p.Reason
	case model.Call:
		s.dispatch(m, p)
	}
}

// sayOn hands on what the planner says, as it comes. A plugin that may rewrite it has the first word.
func (s *State) sayOn(p Saying) {
	if s.set.says && s.boss == nil && (p.Over || !s.set.Plugins.Has(hook.PostLLMCall)) {
		s.do(Say{p})
	}
}

// withdraw takes back a reply whose stream died before a call was complete: the reasoner asks again.
func (s *State) withdraw(p model.Withdrawn) {
	r := &s.turn.round
	s.book.Withdraw()
	if r.text() != "" && s.boss == nil {
		s.log(episode.AgentMessageWithdrawn{Tag: s.Tag(), What: r.text()})
	}
	s.sayOn(Saying{Withdrawn: true})
	r.said, r.why = nil, ""
}

// onReplied closes the reply: it goes to the log, and the round goes on when all its calls are answered.
func (s *State) onReplied(m Moment, e Replied) {
	if e.ID != s.calling {
		s.late("reply", e.ID)
		return
	}
	s.calling = 0
	if !s.askAfter(e) {
		s.replyOver(m, e)
	}
}

// closeReply puts a reply into the conversation and into the log.
func (s *State) closeReply(e Replied) {
	r := &s.turn.round
	r.over = true
	if r.end == model.StopRefusal { // kept, it would have every later request refused
		s.book.DropReply()
	} else {
		s.book.EndReply()
	}
	s.spend(r.usage)
	s.weigh(r.usage)
	switch {
	case r.text() == "":
	case s.boss != nil:
		s.boss.subSays(s, r.text())
	default:
		s.log(episode.AgentMessage{Tag: s.Tag(), Text: r.text()})
		over := Saying{Over: true}
		if s.set.Plugins.Has(hook.PostLLMCall) {
			over.Text = r.text()
		}
		s.sayOn(over)
	}
	s.logDecisions()
	s.do(SaveTurn{Turn: s.record(r, e)})
}

// replyOver goes on when the reply is over and its text is as it shall be.
func (s *State) replyOver(m Moment, e Replied) {
	s.closeReply(e)
	r := &s.turn.round
	if s.turn.finish != nil {
		s.finish(m, *s.turn.finish)
		return
	}
	if s.cannotGoOn(m, e.Err) {
		return
	}
	switch {
	case e.Err != nil, r.end == "" && len(r.calls) == 0:
		s.onCut(m, e.Err)
		return
	case r.end == "":
		s.news.notices = append(s.news.notices, "Your last reply was cut off. What it called completely was carried out, nothing else.")
	case r.end == model.StopMaxTokens:
		s.news.notices = append(s.news.notices, "Your last reply was too long and was cut off. What it called completely was carried out, nothing else. Be shorter.")
		if len(r.calls) == 0 {
			s.noProgress("the reply was too long and was cut off")
		}
	}
	s.settle(m)
}

func (s *State) spend(u model.Usage) {
	s.usage = s.usage.Add(u)
	if s.boss != nil {
		s.boss.subUsed(u)
	}
	s.pool.Spend(u.Input+u.Output, u.CostUSD)
}

// onCut handles a reply that ended without its end: the conversation stays valid, the run cannot go on by itself.
func (s *State) onCut(m Moment, err error) {
	why := "the reply of the planner was cut off"
	if err != nil {
		why = "the planner failed: " + err.Error()
	}
	s.log(episode.ProviderError{Tag: s.Tag(), Component: s.planner.Component, Class: "reply", Attempt: 1})
	if s.set.Headless {
		s.finish(m, finish{status: StatusError, summary: why, by: "planner"})
		return
	}
	s.sayInterrupt(m, "pause", why)
	s.interrupted(m, view.WakeNotice, why)
}

// settle goes on with the turn when the reply is over and every call of it is answered.
func (s *State) settle(m Moment) {
	if s.turn == nil || s.Over() {
		return
	}
	r := &s.turn.round
	if !r.over || r.open > 0 {
		return
	}
	switch {
	case s.turn.finish != nil: // it waited behind a call that was refused after the reply had ended
		s.finish(m, *s.turn.finish)
	case s.turn.stuck != "":
		s.stuck(m)
	case s.turn.asked: // also when it started something: that goes on
		s.closeTurn(m)
		s.phase = waiting
	case s.turn.started:
		s.closeTurn(m)
	case len(r.calls) > 0:
		s.nextRound(m, []view.Wake{view.WakeResults}, "")
	case r.end == model.StopRefusal, r.end == model.StopContext:
		s.nextRound(m, []view.Wake{view.WakeNotice}, "")
	case r.end == model.StopPause:
		s.askOn(m)
	case r.end == model.StopMaxTokens:
		s.nextRound(m, []view.Wake{view.WakeNotice}, "")
	case s.boss != nil && strings.TrimSpace(r.text()) != "":
		s.finish(m, finish{by: byAnswer, summary: strings.TrimSpace(r.text())})
	case len(s.acts.All()) > 0 || s.queueCanGoOn():
		s.closeTurn(m)
	case s.jobs.Running() > 0:
		s.closeTurn(m)
		s.resting = true
	case !s.turn.reminded:
		s.turn.reminded = true
		s.nextRound(m, []view.Wake{view.WakeReminder}, s.reminder(r.text()))
	default:
		s.nothingMore(m)
	}
}

// nothingMore ends a turn in which the planner called nothing although it was reminded.
func (s *State) nothingMore(m Moment) {
	if s.set.Headless {
		s.finish(m, finish{summary: "the planner called no tool and did not finish the task", by: "planner"})
		return
	}
	s.closeTurn(m)
	s.phase = waiting
}

// stuck ends a turn whose calls were refused again and again.
func (s *State) stuck(m Moment) {
	why := s.turn.stuck
	s.log(episode.ProviderError{Tag: s.Tag(), Component: s.planner.Component, Class: "no progress: " + why, Attempt: 1})
	s.rest(m, why)
}

// rest ends a turn that cannot go on: what runs goes on, else the run waits for the user.
func (s *State) rest(m Moment, why string) {
	if len(s.acts.All()) > 0 {
		s.closeTurn(m)
		return
	}
	if s.set.Headless {
		s.finish(m, finish{summary: why, by: "harness"})
		return
	}
	s.closeTurn(m)
	s.phase = waiting
}

// nextRound asks again within the turn. The results of the calls stand in the ledger already.
func (s *State) nextRound(m Moment, wakes []view.Wake, notice string) {
	wakes = append(wakes, s.news.wakes...)
	if notice != "" {
		s.news.notices = append(s.news.notices, notice)
	}
	rep := s.report(wakes)
	s.ask(m, wakes, rep, nil)
}

func (s *State) closeTurn(m Moment) {
	s.together()
	s.turn = nil
	s.phase = watching
	s.beat(m)
}

// dropTurn ends a turn from outside: the call in flight is cancelled and what is open is answered with code.
func (s *State) dropTurn(m Moment, code, why string) {
	s.dropQuestions()
	if s.turn == nil {
		return
	}
	s.together()
	s.later = nil // their calls are closed below
	if s.calling != 0 {
		s.do(CancelCall{ID: s.calling})
		s.calling = 0
		s.withholdPart()
		s.book.EndReply()
		r := &s.turn.round
		s.spend(r.usage)
		s.logDecisions()
		s.do(SaveTurn{Turn: s.record(r, Replied{Err: errors.New(why), Latency: m.Wall - r.asked})})
	}
	s.dropSubs(m, why, whileThePlannerWaits)
	s.dropRuns(anyRun, func(r *run) {
		if !r.call.beside {
			s.closeCall(r.call.id, refusal(code, why, "it was under way: it may have had its effect"), nil)
		}
	})
	s.dropWaits()
	for _, id := range s.book.OpenCalls() {
		s.closeCall(id, refusal(code, why, ""), nil)
	}
	for id, p := range s.peeks {
		if p.call.id != "" || p.turn {
			delete(s.peeks, id)
		}
	}
	for _, h := range s.halts {
		h.call = ""
	}
	s.onTheirWay(func(b *begin) {
		if b.halt != nil {
			b.halt.call = ""
		}
	})
	s.turn = nil
	s.phase = watching
}

// queueCanGoOn says that the plan has a step that the harness can start by itself.
func (s *State) queueCanGoOn() bool { return s.nextStep() >= 0 }
