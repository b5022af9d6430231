package rules

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/reason/rules/language"
)

// outcome is how one call or action came out.
type outcome struct {
	step   string // of the plan; "" = unknown
	tool   string
	args   json.RawMessage
	code   string // succeeded, failed, stopped, timed_out; or the code of a refusal
	reason string
	start  bool // it was refused before it began
	turn   int  // number of the turn in which it was told
	looks  int  // images that had been shown by then
}

func (o outcome) ok() bool { return o.code == "succeeded" }

// story is the conversation so far, as far as it matters for the next decision.
type story struct {
	task     string // what is asked for now
	messages int
	plan     []view.Step
	events   []outcome
	looks    []view.Image
	turn     int // looks before this turn
	turns    int // of the run so far
	first    view.Report
	readings map[string]float64
	observed int // observe calls answered in this turn
	stopped  int // stop_action calls answered in this turn
}

// read goes through the messages of a request.
func read(v run.View) *story {
	s := &story{readings: map[string]float64{}}
	calls := map[string]model.CallBlock{}
	for _, m := range v.Request.Messages {
		var refused []outcome
		for _, b := range m.Blocks {
			switch {
			case b.Call != nil:
				calls[b.Call.ID] = *b.Call
			case b.Result != nil:
				refused = append(refused, s.result(calls[b.Result.CallID], b.Result)...)
			case b.Text != nil && len(b.Text.Data) > 0:
				var r view.Report
				if json.Unmarshal(b.Text.Data, &r) == nil {
					s.report(r, refused)
					refused = nil
				}
			}
		}
		s.note(refused...)
	}
	return s
}

// result takes in the answer of one call; a refusal waits for the report that tells the plan.
func (s *story) result(c model.CallBlock, r *model.ResultBlock) []outcome {
	var e struct{ Error, Message, Status string }
	_ = json.Unmarshal(r.JSON, &e)
	switch c.Name {
	case toolObserve:
		s.observed++
		var o view.Observed
		if json.Unmarshal(r.JSON, &o) == nil && e.Error == "" {
			s.looks = append(s.looks, o.Images...)
			s.sense(o.Readings)
		}
		return nil
	case toolStop:
		s.stopped++
		return nil
	}
	if e.Status == "dry_run" {
		return []outcome{{tool: c.Name, args: c.Args, code: e.Status, start: true}}
	}
	if e.Error == "" {
		return nil
	}
	return []outcome{{tool: c.Name, args: c.Args, code: e.Error, reason: e.Message, start: true}}
}

// report takes in one message of the harness.
func (s *story) report(r view.Report, refused []outcome) {
	s.plan = r.Plan
	for _, m := range r.Said { // the conversation before this message is gone
		s.hear(m)
	}
	for _, x := range r.Results {
		refused = append(refused, s.result(model.CallBlock{Name: x.Tool, Args: x.Args}, &model.ResultBlock{JSON: x.Answer})...)
	}
	for _, o := range refused {
		o.step = s.stepFor(o.tool)
		s.note(o)
	}
	if r.Task != "" { // the first view of a turn
		s.turn, s.observed, s.stopped, s.first = len(s.looks), 0, 0, r
		s.turns++
		if s.task == "" {
			s.task = r.Task
		}
	}
	for _, h := range r.Happened {
		s.happened(h)
	}
	for _, m := range r.Messages {
		s.hear(m)
	}
	s.looks = append(s.looks, r.Images...)
	s.sense(r.Readings)
}

// hear takes in a message of the user: a later one is another task, unless it only asks to go on.
func (s *story) hear(m string) {
	s.messages++
	if s.messages > 1 && !goesOn(m) {
		s.task = m
	}
}

func (s *story) sense(rs []view.Reading) {
	for _, r := range rs {
		_, field, _ := strings.Cut(r.Field, "/")
		s.readings[field] = r.Value
	}
}

// goesOn says whether a message only asks to go on.
func goesOn(m string) bool {
	return slices.Contains([]string{"continue", "go on", "resume", "carry on", "go ahead", "proceed", "ok", "okay", "yes", "try again", "again"},
		strings.Trim(strings.ToLower(strings.TrimSpace(m)), ".! "))
}

func (s *story) happened(h view.Happening) {
	switch h.Kind {
	case "action_ended":
		s.note(outcome{step: h.Step, tool: h.Tool, args: h.Args, code: h.Outcome, reason: h.Reason})
	case string(view.WakeOperator), string(view.WakeSafety):
		s.note(outcome{tool: h.Kind, code: h.Kind, reason: h.Reason})
	case "refused":
		o := outcome{step: h.Step, tool: h.Tool, args: h.Args, code: h.Outcome, reason: h.Reason, start: true}
		if o.step == "" {
			o.step = s.stepFor(h.Tool)
		}
		s.note(o)
	}
}

// note keeps outcomes with the turn that they belong to.
func (s *story) note(os ...outcome) {
	for _, o := range os {
		o.turn, o.looks = s.turns, len(s.looks)
		s.events = append(s.events, o)
	}
}

// stepFor is the first unfinished step that names the tool: what a call of it is bound to.
func (s *story) stepFor(tool string) string {
	for _, st := range s.plan {
		if st.Tool == tool && unfinished(st) {
			return st.ID
		}
	}
	return ""
}

func unfinished(st view.Step) bool { return st.State != "done" && st.State != "skipped" }

// left are the unfinished steps of the plan.
func (s *story) left() []view.Step {
	var out []view.Step
	for _, st := range s.plan {
		if unfinished(st) {
			out = append(out, st)
		}
	}
	return out
}

// running are the actions that are under way.
func (s *story) running() []view.Running {
	if s.stopped > 0 {
		return nil
	}
	return s.first.Running
}

// newest is the newest image of a camera in this turn.
func (s *story) newest(camera string) (view.Image, bool) {
	for i := len(s.looks) - 1; i >= s.turn; i-- {
		if s.looks[i].Camera == camera {
			return s.looks[i], true
		}
	}
	return view.Image{}, false
}

// overtaken says whether a point of the newest image was refused because of what is there now: the image is no longer true.
func (s *story) overtaken() bool {
	for _, o := range s.events {
		if !o.start || o.turn != s.turns || o.looks < len(s.looks) {
			continue
		}
		switch o.code {
		case "no_target", "target_rejected", "view_changed", "point_too_old":
			return true
		}
	}
	return false
}

// of are the outcomes of steps whose id begins with prefix, refusals that say nothing about the step left out.
func (s *story) of(prefix string) []outcome {
	var out []outcome
	for _, o := range s.events {
		if strings.HasPrefix(o.step, prefix) {
			out = append(out, o)
		}
	}
	return out
}

// lastAction is the newest action that ran.
func (s *story) lastAction() (outcome, bool) {
	for i := len(s.events) - 1; i >= 0; i-- {
		if !s.events[i].start {
			return s.events[i], true
		}
	}
	return outcome{}, false
}

// clauses reads the task.
func (s *story) clauses() ([]language.Clause, error) { return language.Parse(s.task) }
