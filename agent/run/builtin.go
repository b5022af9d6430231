package run

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/rein-robotics/rein/agent/plan"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/tool"
)

// Names of the built-in tools.
const (
	toolUpdatePlan = "update_plan"
	toolObserve    = "observe"
	toolStopAction = "stop_action"
	toolAskUser    = "ask_user"
	toolFinishTask = "finish_task"
)

// stepInput is one step of update_plan.
type stepInput struct {
	ID        string         `json:"id,omitempty" jsonschema:"the step's id; leave it out for a new step"`
	Text      string         `json:"text" jsonschema:"the step in a few words"`
	Tool      string         `json:"tool,omitempty" jsonschema:"the tool that carries the step out; leave it out when checking or thinking is yours"`
	Args      map[string]any `json:"args,omitempty" jsonschema:"the tool's arguments, as far as they are known now"`
	NeedsLook bool           `json:"needs_look,omitempty" jsonschema:"true when you want a fresh image before this step"`
}

type updatePlanInput struct {
	Steps []stepInput `json:"steps" jsonschema:"the whole remaining plan, in order, at most 100 steps"`
	Done  []string    `json:"done,omitempty" jsonschema:"ids of earlier steps that you judge finished"`
}

type observeInput struct {
	Cameras []string `json:"cameras,omitempty" jsonschema:"names of the cameras to look through; leave it out for all"`
	Reason  string   `json:"reason,omitempty" jsonschema:"what you want to see"`
}

type stopActionInput struct {
	ActionID string `json:"action_id" jsonschema:"the id of the action to stop"`
	Reason   string `json:"reason" jsonschema:"why it must stop"`
}

type askUserInput struct {
	Question string   `json:"question" jsonschema:"one question that the user can answer"`
	Choices  []string `json:"choices,omitempty" jsonschema:"answers to choose from"`
}

// words are the question as the user sees it.
func (in askUserInput) words() string {
	if len(in.Choices) == 0 {
		return in.Question
	}
	return in.Question + " (" + strings.Join(in.Choices, " / ") + ")"
}

type finishTaskInput struct {
	Success bool   `json:"success" jsonschema:"true only when a fresh image shows the task done"`
	Summary string `json:"summary" jsonschema:"one or two plain sentences on what was done and what was not"`
}

// builtin is a tool that every planner has.
type builtin struct {
	name, description string
	schema            func() (*tool.Schema, error)
}

// builtins are in the order of the list that the planner sees.
func builtins() []builtin {
	return []builtin{
		{toolUpdatePlan, "Write down or change the plan. steps is the whole remaining plan; a step with a tool and complete args is started by the harness as soon as the step before has succeeded. Starts nothing by itself.", tool.SchemaFor[updatePlanInput]},
		{toolObserve, "Take fresh images and readings. Answered at once.", tool.SchemaFor[observeInput]},
		{toolStopAction, "Stop a running action. Answered when the robot stands still.", tool.SchemaFor[stopActionInput]},
		{toolAskUser, "Ask the user a question and wait for the answer. Running actions go on.", tool.SchemaFor[askUserInput]},
		{toolFinishTask, "End the run. Only when nothing is running.", tool.SchemaFor[finishTaskInput]},
	}
}

// input checks and decodes the arguments of a built-in call, or refuses it.
func input[In any](s *State, m Moment, c call) (In, bool) {
	in, err := tool.Decode[In](s.set.builtin[c.name], c.args)
	if err != nil {
		s.refuse(m, c, refusalOf(err))
		return in, false
	}
	return in, true
}

func (s *State) updatePlan(m Moment, c call) {
	in, ok := input[updatePlanInput](s, m, c)
	if !ok {
		return
	}
	change := plan.Change{Done: in.Done}
	raw := stepArgs(c.args)
	for i, st := range in.Steps {
		if st.Tool != "" && s.set.tools[st.Tool] == nil {
			s.refuse(m, c, skill.Refusal{Code: "bad_arguments", Message: fmt.Sprintf("steps[%d]: there is no tool %q", i, st.Tool),
				Hint: "a step may name " + strings.Join(s.set.skillNames(), ", ")})
			return
		}
		change.Steps = append(change.Steps, plan.Step{ID: st.ID, Text: st.Text, Tool: st.Tool, Args: raw[i], NeedsLook: st.NeedsLook})
	}
	next, err := s.plan.Update(change)
	if err != nil {
		s.refuse(m, c, skill.Refusal{Code: "bad_arguments", Message: err.Error()})
		return
	}
	if before := planItems(s.plan); !reflect.DeepEqual(before, planItems(next)) {
		s.repeats.same, s.repeats.sames = "", 0 // another plan is another approach
	}
	s.plan = next
	s.accepted()
	s.log(episode.PlanUpdated{Tag: s.Tag(), Steps: planItems(s.plan)})
	s.answer(m, c, map[string]any{"status": "accepted", "plan": planView(s.plan)})
}

// stepArgs are the arguments of the steps as they came, byte for byte; nil where there are none.
func stepArgs(call json.RawMessage) []json.RawMessage {
	var in struct {
		Steps []struct {
			Args *json.RawMessage `json:"args"`
		} `json:"steps"`
	}
	if err := json.Unmarshal(call, &in); err != nil { // it was decoded before
		panic("run: " + err.Error())
	}
	out := make([]json.RawMessage, len(in.Steps))
	for i, st := range in.Steps {
		if st.Args != nil {
			out[i] = *st.Args
		}
	}
	return out
}

func (s *State) observe(c call) {
	in, err := tool.Decode[observeInput](s.set.builtin[c.name], c.args)
	if err == nil && s.turn.finish != nil {
		err = &skill.Refusal{Code: "run_ended", Message: "the run has ended"}
	}
	if err == nil {
		for _, cam := range in.Cameras {
			if !slices.Contains(s.set.Cameras, cam) {
				err = &tool.InputError{Msg: fmt.Sprintf("cameras: there is no camera %q; there are %s", cam, strings.Join(s.set.Cameras, ", "))}
			}
		}
	}
	if err != nil {
		s.refuseBeside(c, refusalOf(err))
		return
	}
	s.accepted()
	if len(in.Cameras) == 0 {
		in.Cameras = s.set.Cameras
	}
	s.startLook(&peek{call: c}, in.Cameras)
}

func (s *State) stopAction(m Moment, c call) {
	in, ok := input[stopActionInput](s, m, c)
	if !ok {
		return
	}
	if !s.acts.Used(in.ActionID) {
		s.refuse(m, c, skill.Refusal{Code: "unknown_action", Message: fmt.Sprintf("there is no action %q", in.ActionID)})
		return
	}
	s.accepted()
	if b := s.startOf(in.ActionID); b != nil { // it has not started yet, and shall not
		b.void, b.halt = true, &halt{action: in.ActionID, call: c.id}
		s.cutQuestion(b)
		return
	}
	s.halt(&halt{action: in.ActionID, call: c.id}, control.End{Outcome: control.Stopped, Cause: control.CausePlanner, Reason: in.Reason})
}

// startOf is the call on its way that is to become the action, nil when there is none.
func (s *State) startOf(action string) (found *begin) {
	s.onTheirWay(func(b *begin) {
		if b.action == action {
			found = b
		}
	})
	return found
}

func (s *State) askUser(m Moment, c call) {
	in, ok := input[askUserInput](s, m, c)
	if !ok {
		return
	}
	s.accepted()
	question := in.words()
	s.log(episode.AgentMessage{Tag: s.Tag(), Text: question})
	s.turn.asked = true
	s.answer(m, c, map[string]any{"status": "asked"})
	if s.set.Headless {
		s.finish(m, finish{summary: "the planner asked: " + question, by: "planner"})
	}
}

func (s *State) finishTask(m Moment, c call) {
	in, ok := input[finishTaskInput](s, m, c)
	if !ok {
		return
	}
	if all := s.acts.All(); len(all) > 0 {
		s.refuse(m, c, skill.Refusal{Code: "action_running", Message: fmt.Sprintf("%s (%s) is %s", all[0].ID, all[0].Tool, all[0].Phase),
			Hint: "wait until it has ended, or stop it"})
		return
	}
	s.accepted()
	s.turn.finish = &finish{claimed: &in.Success, summary: in.Summary, by: "planner"}
	s.interruptReads(m, "the run has ended")
	s.answer(m, c, map[string]any{"status": "ended"})
}

func planItems(p plan.Plan) []episode.PlanItem {
	var out []episode.PlanItem
	for _, st := range p.Steps() {
		out = append(out, episode.PlanItem{ID: st.ID, Text: st.Text, Tool: st.Tool, Args: st.Args, NeedsLook: st.NeedsLook, State: string(st.State())})
	}
	return out
}

func planView(p plan.Plan) []view.Step {
	var out []view.Step
	for _, st := range p.Steps() {
		out = append(out, view.Step{ID: st.ID, Text: st.Text, Tool: st.Tool, Args: st.Args, State: string(st.State())})
	}
	return out
}
