package run

import (
	"github.com/rein-robotics/rein/agent/hook"
	"github.com/rein-robotics/rein/agent/plan"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/skill"
)

// onHooked takes the answer of the plugins to whatever waits for it.
func (s *State) onHooked(m Moment, e Hooked) {
	q, ok := s.questions[e.ID]
	delete(s.questions, e.ID)
	if !ok {
		s.late("answer of the plugins", e.ID)
		return
	}
	if q.of != nil && !s.alive(q.of) {
		s.abandon(m, q.of, "answer of the plugins", e.ID)
		return
	}
	switch {
	case q.call != nil:
		s.note(e.Answer)
		s.onRuling(m, *q.call, e.Answer)
	case q.of != nil:
		s.note(e.Answer)
		s.onStartRuling(m, q.of, e.Answer)
	case q.reply != nil:
		s.takeText(e.Answer)
		s.replyOver(m, *q.reply)
	case q.done != nil:
		s.giveAnswer(q.done, e.Answer)
		s.answered(m, q.done.call)
	case q.told():
		s.note(e.Answer)
	default:
		s.note(e.Answer)
		s.onBefore(m, q, e.Answer)
	}
}

// note writes what the plugins did into the log.
func (s *State) note(a hook.Answer) {
	for _, n := range a.Notes {
		s.log(episode.Hook{Tag: s.Tag(), Plugin: n.Plugin, Point: string(n.At), Before: n.Before, After: n.After, Effect: n.Effect})
	}
}

func vetoed(a hook.Answer) skill.Refusal {
	return skill.Refusal{Code: "not_allowed", Message: a.Veto}
}

// onRuling goes on with a call of the planner.
func (s *State) onRuling(m Moment, c call, a hook.Answer) {
	if a.Veto != "" {
		if c.beside {
			s.refuseBeside(c, vetoed(a))
			s.settle(m)
			return
		}
		s.refuse(m, c, vetoed(a))
		return
	}
	c.name, c.args = a.Call.Tool, a.Call.Args
	if c.beside == s.beside(c.name) {
		s.resume(m, c)
		return
	}
	r := &s.turn.round
	if c.beside { // it has become effectful
		c.beside = false
		r.queue = append(r.queue, c)
		s.runQueue(m)
		return
	}
	c.beside, r.busy = true, false
	s.resume(m, c)
	s.runQueue(m)
}

// resume goes on with a call after its ruling.
func (s *State) resume(m Moment, c call) {
	if !c.beside {
		s.carryOut(m, c)
		return
	}
	s.read(m, c)
	s.settle(m)
}

// onStartRuling goes on with a start: all of it is checked again, since it may be another call and time has passed.
func (s *State) onStartRuling(m Moment, b *begin, a hook.Answer) {
	if a.Veto != "" {
		if b.call == "" {
			s.noProgress(b.name + " was refused with not_allowed")
		}
		s.reject(m, b, vetoed(a))
		return
	}
	other := b.call != "" && a.Call.Tool != b.name // a step of the queue's own stays bound, whatever carries it out
	b.name, b.args = a.Call.Tool, a.Call.Args
	was, _ := s.acts.End(b.action)
	if r := s.vet(m, b); r != nil {
		s.reject(m, b, *r)
		return
	}
	s.take(b, was.Began)
	if other {
		s.plan = s.plan.Resolve(b.action, plan.Todo)
		s.bindStep(b)
	}
	s.goOn(m, b)
}

// onBefore sends the request that waited for the plugins, with what they add to it, or ends the turn.
func (s *State) onBefore(m Moment, q *inquiry, a hook.Answer) {
	if a.System != "" && a.System != s.planner.SystemPrompt {
		s.planner.SystemPrompt, s.talk.due = a.System, "a plugin changed the system prompt"
		s.say(m, s.turn.report, s.turn.images)
	}
	for _, text := range a.Add {
		s.book.Say(model.Block{Text: &model.TextBlock{Text: text}})
	}
	if a.Veto == "" {
		s.send(m, q.wakes)
		return
	}
	s.news.notices = append(s.news.notices, "A round was not asked: "+a.Veto)
	s.rest(m, "the planner may not be asked: "+a.Veto)
}

// takeText makes the text of the reply what the plugins say: before any request has it.
func (s *State) takeText(a hook.Answer) {
	s.note(a)
	if r := &s.turn.round; a.Text != r.text() {
		s.book.Rewrite(a.Text)
		r.said = nil
		r.say(a.Text)
	}
}

// giveAnswer closes a call with what the plugins made of its answer.
func (s *State) giveAnswer(d *done, a hook.Answer) {
	s.note(a)
	images := d.images
	if a.Withheld {
		images = nil
	}
	s.closeCall(d.call.id, a.JSON, images)
}
