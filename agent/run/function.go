package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/rein-robotics/rein/agent/job"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/tool"
)

// run is one call of a function tool that is under way.
type run struct {
	call   call      // of the planner
	job    string    // "" = a call that waits for its result
	cancel job.State // how a job ends that was cancelled; "" = it was not
}

// interrupted is the answer of a call that only read, and whose result nobody needs any more.
type interrupted struct {
	Status string `json:"status"` // interrupted
	Reason string `json:"reason"`
}

// Why the run of a function was given up.
var (
	ErrToolTooLong = errors.New("it took too long and was cancelled")
	ErrToolLost    = errors.New("it did not hear that it was cancelled: what it did is not known")
)

// inTheBackground is said of every tool whose calls are jobs.
const inTheBackground = "A job: answered at once with its id, and you are woken when it has ended."

// compileFunctions checks the function tools and puts them on the planner's list.
func (s *Settings) compileFunctions() error {
	s.functions = map[string]*tool.Tool{}
	for _, t := range s.Functions {
		if t.Name == "" || t.Description == "" {
			return fmt.Errorf("tool %q: a function tool needs a name and a description", t.Name)
		}
		if s.builtin[t.Name] != nil || s.tools[t.Name] != nil || s.functions[t.Name] != nil {
			return fmt.Errorf("tool %s: there is another tool of this name", t.Name)
		}
		s.functions[t.Name] = t
		says := t.Description
		if t.Background {
			says += "\n" + inTheBackground
		}
		s.specs = append(s.specs, model.ToolSpec{Name: t.Name, Description: says, Parameters: t.Schema.JSON()})
	}
	return nil
}

// schema is what the arguments of a built-in tool or a function are checked against; nil for a skill's.
func (s *Settings) schema(name string) *tool.Schema {
	if f := s.functions[name]; f != nil {
		return f.Schema
	}
	return s.builtin[name]
}

// callFunction checks a call of a function and begins it.
func (s *State) callFunction(m Moment, c call, f *tool.Tool) {
	if err := f.Schema.Check(c.args); err != nil {
		s.refuse(m, c, refusalOf(err))
		return
	}
	s.accepted()
	if s.set.DryRun && f.Effect == tool.Acts {
		s.answer(m, c, map[string]any{"status": "dry_run", "would_start": map[string]any{"tool": c.name, "args": c.args}})
		return
	}
	id := s.id()
	r := &run{call: c}
	s.runs[id] = r
	if f.Effect == tool.Acts || f.Background {
		s.root().changed = c.name
	}
	s.do(RunTool{ID: id, Tool: f, Args: c.args, Background: f.Background})
	if f.Background {
		r.job = s.jobs.Begin(c.name, c.args, m.At)
		s.answer(m, c, map[string]any{"job": r.job, "status": job.Running})
	}
}

// onRan closes the call whose function has come back.
func (s *State) onRan(m Moment, e Ran) {
	r, ok := s.runs[e.ID]
	delete(s.runs, e.ID)
	if !ok {
		s.late("result of a tool", e.ID)
		return
	}
	s.answer(m, r.call, s.outcome(r.call.name, e))
}

// outcome is what the planner is told of a function's run.
func (s *State) outcome(name string, e Ran) any {
	if e.Err == nil {
		return e.Result
	}
	if r, is := errors.AsType[*skill.Refusal](e.Err); is {
		s.noteRefusal(name, *r)
		s.countRefusal(name, *r)
		return refusal(r.Code, r.Message, r.Hint)
	}
	if in, is := errors.AsType[*tool.InputError](e.Err); is { // it passes the schema, and does not go into its field
		r := refusalOf(in)
		s.noteRefusal(name, r)
		s.countRefusal(name, r)
		return refusal(r.Code, r.Message, "")
	}
	code := string(endState(e.Err))
	s.noProgress(name + " " + code + ": " + e.Err.Error())
	return refusal(code, e.Err.Error(), "")
}

// endState is how a run that gave an error ended.
func endState(err error) job.State {
	switch {
	case errors.Is(err, ErrToolLost):
		return job.Lost
	case errors.Is(err, ErrToolTooLong):
		return job.TimedOut
	}
	return job.Failed
}

// onlyReads and anyRun say which calls of functions dropRuns gives up.
func onlyReads(r *run) bool { return r.call.beside }
func anyRun(*run) bool      { return true }

// dropRuns gives up calls of functions that are under way; jobs go on. answer closes each of them.
func (s *State) dropRuns(which func(*run) bool, answer func(*run)) {
	for _, id := range slices.Sorted(maps.Keys(s.runs)) {
		r := s.runs[id]
		if r.job != "" || !which(r) {
			continue
		}
		delete(s.runs, id)
		s.do(CancelCall{ID: id})
		answer(r)
	}
}

// interruptReads closes the calls that only read: the run is about to end, and what they bring is of no use.
func (s *State) interruptReads(m Moment, why string) {
	answer := interrupted{Status: "interrupted", Reason: why}
	s.dropRuns(onlyReads, func(r *run) { s.closeCall(r.call.id, answer, nil) })
	s.dropSubs(m, why, whileThePlannerWaits)
	for _, id := range slices.Sorted(maps.Keys(s.peeks)) {
		if p := s.peeks[id]; p.call.id != "" {
			delete(s.peeks, id)
			s.closeCall(p.call.id, answer, nil)
		}
	}
}

// AsObject is the JSON object that answers a call: out itself, or out as its result.
func AsObject(out any) (json.RawMessage, error) {
	raw, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("the result is no JSON: %w", err)
	}
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) == nil && o != nil {
		return cut(raw), nil
	}
	if string(raw) == "null" {
		return json.RawMessage(`{"status":"done"}`), nil
	}
	return cut(append(append([]byte(`{"result":`), raw...), '}')), nil
}

// maxResult is the longest answer of a function, bytes.
const maxResult = 64 << 10

// cut shortens an answer that would fill the conversation.
func cut(raw json.RawMessage) json.RawMessage {
	if len(raw) <= maxResult {
		return raw
	}
	short, err := json.Marshal(map[string]any{
		"cut": true, "bytes": len(raw), "begins": string(raw[:maxResult/4]),
	})
	if err != nil { // a string and numbers always encode
		panic("run: " + err.Error())
	}
	return short
}
