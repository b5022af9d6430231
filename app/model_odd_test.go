package app

import (
	"encoding/json"
	"strings"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/modeltest"
)

// oddReplies are complete, and not what was asked for.
func oddReplies() map[string]wired {
	picks := func(args ...string) modeltest.Step {
		s := says(call("fly", `{}`))
		for i, a := range args {
			s.Reply.Calls = append(s.Reply.Calls, model.Call{ID: "p" + string(rune('a'+i)), Name: "pick_object", Args: json.RawMessage(a)})
		}
		return s
	}
	var codes []string
	for range 4 {
		codes = append(codes, "unknown_tool", "bad_arguments", "bad_arguments")
	}
	return map[string]wired{
		"odd_arguments": {refused: codes, steps: func(a aims) []modeltest.Step {
			steps := goesOn(a,
				picks(`null`, `[1]`),
				picks(`"x"`, `{"observation_id":"o1.front_camera","observation_id":"o1.front_camera","point":[380,250]}`),
				picks(`{"observation_id":"o1.front_camera","Point":[1,2],"point":[380,250]}`, `{"observation_id":1,"point":[1e999,-1]}`),
				picks(`{"observation_id":"o1.front_camera","point":[1,2,3]}`, `{"observation_id":"`+strings.Repeat("größe 🤖 ", 9000)+`","point":[]}`))
			steps[3].Chunk = 1021
			return steps
		}},
		"only_a_thought":      {wires: only(modeltest.Anthropic()), steps: behind(modeltest.Reply{Thought: "hm"})},
		"nothing":             {wires: only(modeltest.Responses()), steps: behind(modeltest.Reply{})},
		"blank":               {wires: only(modeltest.Chat()), steps: behind(modeltest.Reply{Text: " \n"})},
		"a_call_as_text":      {wires: only(modeltest.Chat()), steps: behind(modeltest.Reply{Text: `<tool_call>{"name":"pick_object","arguments":{}}</tool_call>`})},
		"token_limit":         {wires: only(modeltest.Anthropic()), steps: behind(modeltest.Reply{Thought: "long", Stop: model.StopMaxTokens, Calls: []model.Call{call("pick_object", `{"point":[38`)}})},
		"token_limit_thought": {wires: only(modeltest.Responses()), steps: behind(modeltest.Reply{Thought: "long", Stop: model.StopMaxTokens})},
		"refusal_behind_a_call": {wires: only(modeltest.Chat()), segments: 1, faults: []string{"refusal"}, steps: func(a aims) []modeltest.Step {
			return []modeltest.Step{{Reply: modeltest.Reply{Calls: []model.Call{a.pickNow()}, Stop: model.StopRefusal}}, says(a.placeNow()), done()}
		}},
		"refusal_behind_a_look": {wires: only(modeltest.Responses()), segments: 1, faults: []string{"refusal"}, steps: behind(modeltest.Reply{Thought: "no", Calls: []model.Call{call("observe", `{}`)}, Stop: model.StopRefusal})},
		"twice_the_same": {wires: only(modeltest.Anthropic()), refused: []string{"duplicate_call"}, steps: func(a aims) []modeltest.Step {
			again := a.pickNow()
			again.ID = "again"
			return []modeltest.Step{says(a.plan(), a.pickNow(), again), done()}
		}},
		"two_at_once": {wires: only(modeltest.Chat()), refused: []string{"module_busy"}, steps: func(a aims) []modeltest.Step {
			return []modeltest.Step{says(a.plan(), a.pickNow(), a.placeNow()), done()}
		}},
		"finished_in_wrong_words": {wires: only(modeltest.Responses()), refused: []string{"bad_arguments"}, steps: func(a aims) []modeltest.Step {
			return []modeltest.Step{says(a.plan(), a.pickNow()), says(call("finish_task", `{"success":"yes","summary":3}`)), done()}
		}},
	}
}

// behind are the steps of a run that goes well after one reply.
func behind(r modeltest.Reply) func(aims) []modeltest.Step {
	return func(a aims) []modeltest.Step { return goesOn(a, modeltest.Step{Reply: r}) }
}
