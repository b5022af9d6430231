package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/tool"
)

// refusalsInARow of one code end a turn.
const refusalsInARow = 3

// badEndsTold and badEndsMost: the same tool with the same bad outcome is told so often, and ends the turn so often.
const (
	badEndsTold = 3
	badEndsMost = 8
)

// dispatch takes a complete call of the reply. Reads are carried out beside the others, everything else in order.
func (s *State) dispatch(m Moment, c model.Call) {
	r := &s.turn.round
	id := s.book.Open(c.Name, c.Args)
	r.calls = append(r.calls, c.Name)
	r.open++
	one := call{id: id, name: c.Name, args: c.Args}
	if len(bytes.TrimSpace(one.args)) == 0 {
		one.args = json.RawMessage("{}")
	}
	s.decision(m, one)
	if s.beside(one.name) {
		one.beside = true
		s.read(m, one)
		return
	}
	r.queue = append(r.queue, one)
	s.runQueue(m)
}

// beside says that calls of the tool are carried out beside the others: they change nothing.
func (s *State) beside(name string) bool {
	if f := s.set.functions[name]; f != nil {
		return f.Effect == tool.Reads
	}
	switch name {
	case toolObserve, toolJobs, toolReadJob, toolInfo, toolSkill, toolDelegate:
		return s.set.builtin[name] != nil
	}
	return false
}

// read carries out a call beside the others.
func (s *State) read(m Moment, c call) {
	switch {
	case s.askFirst(c):
	case c.name == toolObserve:
		s.observe(c)
	case s.turn.finish != nil:
		s.refuseBeside(c, skill.Refusal{Code: "run_ended", Message: "the run has ended"})
	case s.set.functions[c.name] != nil:
		s.callFunction(m, c, s.set.functions[c.name])
	case c.name == toolDelegate:
		s.delegate(m, c)
	default:
		s.command(m, c)
	}
}

// refuseBeside refuses a call that is carried out beside the others.
func (s *State) refuseBeside(c call, r skill.Refusal) {
	s.noteRefusal(c.name, r)
	s.countRefusal(c.name, r)
	s.closeCall(c.id, refusal(r.Code, r.Message, r.Hint), nil)
}

// runQueue carries out effectful calls one after the other.
func (s *State) runQueue(m Moment) {
	for s.turn != nil && !s.turn.round.busy && len(s.turn.round.queue) > 0 {
		r := &s.turn.round
		c := r.queue[0]
		r.queue, r.busy = r.queue[1:], true
		s.carryOut(m, c)
	}
}

// carryOut begins one effectful call. It is answered by answer, at once or when its effect has come back.
func (s *State) carryOut(m Moment, c call) {
	switch {
	case s.turn.finish != nil, s.Over():
		s.refuse(m, c, skill.Refusal{Code: "run_ended", Message: "the run has ended"})
		return
	case s.phase == paused:
		s.refuse(m, c, skill.Refusal{Code: "run_paused", Message: "the run is paused", Hint: "wait for the user"})
		return
	}
	if s.askFirst(c) {
		return
	}
	if s.set.functions[c.name] != nil || s.set.builtin[c.name] != nil && c.name != toolWait || s.set.tools[c.name] != nil {
		key := c.name + " " + canonical(c.args)
		if s.turn.round.keys[key] {
			s.refuse(m, c, skill.Refusal{Code: "duplicate_call", Message: "the same call stands in this reply already"})
			return
		}
		s.turn.round.keys[key] = true
	}
	s.carryOutBy(m, c)
}

// carryOutBy gives a call to whoever carries it out.
func (s *State) carryOutBy(m Moment, c call) {
	if f := s.set.functions[c.name]; f != nil {
		s.callFunction(m, c, f)
		return
	}
	if s.set.builtin[c.name] == nil {
		s.callSkill(m, c)
		return
	}
	switch c.name {
	case toolUpdatePlan:
		s.updatePlan(m, c)
	case toolStopAction:
		s.stopAction(m, c)
	case toolAskUser:
		s.askUser(m, c)
	case toolFinishTask:
		s.finishTask(m, c)
	case toolWait:
		s.waitFor(m, c)
	}
}

// answer closes an effectful call of the planner and goes on with the next one.
func (s *State) answer(m Moment, c call, v any) {
	s.noteChange(c, v)
	if s.askAnswer(c, v, nil) {
		return
	}
	s.closeCall(c.id, v, nil)
	s.answered(m, c)
}

// answered goes on after a call was closed.
func (s *State) answered(m Moment, c call) {
	if s.turn == nil {
		return
	}
	if c.beside {
		s.settle(m)
		return
	}
	s.turn.round.busy = false
	s.runQueue(m)
	s.settle(m)
}

// closeCall puts an answer into the ledger. v is a refused or any value that encodes to a JSON object.
func (s *State) closeCall(id string, v any, images []model.ImageBlock) {
	_, bad := v.(refused)
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("run: answer %T does not encode: %v", v, err))
	}
	if err := s.book.Close(model.ResultBlock{CallID: id, IsError: bad, JSON: raw, Images: images}); err != nil {
		panic("run: " + err.Error())
	}
	if s.turn != nil {
		s.turn.round.open--
	}
}

// refused is the answer of a call that was not carried out.
type refused struct {
	Error   string `json:"error"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

func refusal(code, message, hint string) refused {
	return refused{Error: code, Message: message, Hint: hint}
}

// refuse answers a call with a refusal: an event, and the planner may retry within the turn.
func (s *State) refuse(m Moment, c call, r skill.Refusal) {
	s.noteRefusal(c.name, r)
	s.countRefusal(c.name, r)
	s.answer(m, c, refusal(r.Code, r.Message, r.Hint))
}

// noteRefusal logs a refusal. A rejected target has an event of its own, written where its area is known.
func (s *State) noteRefusal(name string, r skill.Refusal) {
	s.root().counts.refused++
	if r.Code != "target_rejected" {
		s.log(episode.Refused{Tag: s.Tag(), Tool: name, Code: r.Code, Message: r.Message})
	}
}

// countRefusal ends the turn after three refusals of one code in a row.
func (s *State) countRefusal(name string, r skill.Refusal) {
	s.noProgress(name + " was refused with " + r.Code)
	if s.repeats.code != r.Code {
		s.repeats.code, s.repeats.codes = r.Code, 0
	}
	s.repeats.codes++
	if s.repeats.codes >= refusalsInARow && s.turn != nil {
		s.turn.stuck = fmt.Sprintf("%d calls in a row were refused with %s: %s", s.repeats.codes, r.Code, r.Message)
	}
}

// accepted forgets the refusals before.
func (s *State) accepted() { s.repeats.code, s.repeats.codes = "", 0 }

// refusalOf turns an error of a start into a refusal.
func refusalOf(err error) skill.Refusal {
	if r, ok := errors.AsType[*skill.Refusal](err); ok {
		return *r
	}
	if r, ok := errors.AsType[*control.Refused](err); ok {
		return skill.Refusal{Code: r.Code, Message: r.Message, Hint: r.Hint}
	}
	if e, ok := errors.AsType[*tool.InputError](err); ok {
		return skill.Refusal{Code: "bad_arguments", Message: e.Msg}
	}
	return skill.Refusal{Code: "cannot_start", Message: err.Error()}
}

// decision logs what the planner decided when it differs from the decision before.
func (s *State) decision(m Moment, c call) {
	if s.boss != nil { // it changes nothing
		return
	}
	kind := "skill"
	if s.set.functions[c.name] != nil {
		kind = "instruction"
	}
	switch c.name {
	case toolUpdatePlan:
		kind = "subgoal"
	case toolAskUser:
		kind = "ask_human"
	case toolObserve, toolWait, toolJobs, toolReadJob, toolInfo, toolSkill, toolDelegate:
		kind = "instruction"
	case toolStopAction:
		kind = "abort"
	case toolFinishTask:
		kind = "subgoal" // the task itself, judged done
		if in, err := tool.Decode[finishTaskInput](s.set.builtin[c.name], c.args); err != nil || !in.Success {
			kind = "abort"
		}
	}
	output, err := json.Marshal(map[string]any{"tool": c.name, "args": json.RawMessage(objectOr(c.args))})
	if err != nil || string(output) == s.lastDecision {
		return
	}
	s.lastDecision = string(output)
	inputs, _ := json.Marshal(map[string]any{"look": s.counts.looks}) // a map of one number always encodes
	e := episode.Decision{
		Tag: s.Tag(), KindOf: kind, Output: output, Rationale: s.turn.round.why, Trigger: first(s.turn.round.trigger),
		Component: s.planner.Component, Inputs: inputs,
	}
	if s.planner.Model == "" {
		s.log(e)
		return
	}
	r := &s.turn.round
	e.Model, e.PromptHash, e.LatencyS = s.planner.Model, s.book.PromptHash(), (m.Wall - r.asked).Seconds()
	r.decided = append(r.decided, e)
}

// logDecisions logs what a model decided in a reply that is over: what the reply has cost is known by then.
func (s *State) logDecisions() {
	r := &s.turn.round
	for _, e := range r.decided {
		e.TokensIn, e.TokensOut = r.usage.Input, r.usage.Output
		s.log(e)
	}
	r.decided = nil
}

func first(ws []view.Wake) string {
	if len(ws) == 0 {
		return ""
	}
	return string(ws[0])
}

// canonical words equal arguments equally, however they were spaced and ordered.
func canonical(args json.RawMessage) string {
	var v any
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return string(args)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return string(args)
	}
	return string(raw)
}

// objectOr is raw when it is a JSON object, else {}.
func objectOr(raw json.RawMessage) json.RawMessage {
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) != nil || o == nil {
		return json.RawMessage("{}")
	}
	return raw
}
