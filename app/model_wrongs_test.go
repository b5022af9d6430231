package app

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strings"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/modeltest"
)

func wiredCases() map[string]wired {
	out := map[string]wired{}
	for _, some := range []map[string]wired{wrongStreams(), wrongCalls(), wrongPoints(), wrongTurns(), wrongRequests(), oddReplies()} {
		maps.Copy(out, some)
	}
	return out
}

func only(w ...modeltest.Wire) []modeltest.Wire { return w }

// goesOn are the steps of a run that goes well, behind what went wrong before.
func goesOn(a aims, before ...modeltest.Step) []modeltest.Step {
	return append(before, says(a.plan(), a.pickNow()), done())
}

// wrongStreams are servers and connections that fail.
func wrongStreams() map[string]wired {
	busy := func(status int, kind string, wait [2]string) modeltest.Step {
		return modeltest.Step{Status: status, Header: map[string]string{wait[0]: wait[1]}, Body: `{"type":"error","error":{"type":"` + kind + `","message":"busy"}}`}
	}
	return map[string]wired{
		"busy": {wires: only(modeltest.Anthropic()), faults: []string{"rate_limit", "overloaded"}, steps: func(a aims) []modeltest.Step {
			return goesOn(a, busy(429, "rate_limit_error", [2]string{"Retry-After", "1"}), busy(529, "overloaded_error", [2]string{"retry-after-ms", "20"}))
		}},
		"error_in_stream": {wires: only(modeltest.Responses()), faults: []string{"overloaded"}, steps: func(a aims) []modeltest.Step {
			return goesOn(a, modeltest.Step{Fault: modeltest.ErrorInStream, At: 2, Error: "overloaded_error", Reply: modeltest.Reply{Text: "I pick it up.", Calls: []model.Call{a.pickNow()}}})
		}},
		"cut_before_a_call": {wires: only(modeltest.Chat()), faults: []string{"dead_stream"}, steps: func(a aims) []modeltest.Step {
			return goesOn(a, modeltest.Step{Fault: modeltest.CleanEOF, At: 3, Reply: modeltest.Reply{Calls: []model.Call{a.pickNow()}}})
		}},
		"cut_in_the_second_call": {wires: only(modeltest.Anthropic()), faults: []string{"dead_stream"}, steps: func(a aims) []modeltest.Step {
			cut := modeltest.Step{Fault: modeltest.CleanEOF, At: 7, Reply: says(a.plan(), a.pickNow()).Reply}
			return []modeltest.Step{cut, says(a.pickNow()), done()}
		}},
		"cut_in_the_call_behind_a_motion": {wires: only(modeltest.Responses()), faults: []string{"dead_stream"}, steps: func(a aims) []modeltest.Step {
			cut := modeltest.Step{Fault: modeltest.CleanEOF, At: 7, Reply: says(a.pickNow(), a.plan()).Reply}
			return []modeltest.Step{cut, says(a.placeNow()), done()}
		}},
		"silent": {
			wires: only(modeltest.Anthropic()), faults: []string{"dead_stream"},
			conf: [2]string{"planner: {provider: rules}", "planner: {provider: anthropic, model: any, timeout_s: 1}"},
			steps: func(a aims) []modeltest.Step {
				return goesOn(a, modeltest.Step{Fault: modeltest.OnlyPings, At: 1})
			},
		},
	}
}

// wrongCalls are calls that cannot be carried out, or whose ids are no ids.
func wrongCalls() map[string]wired {
	return map[string]wired{
		"invented_and_of_wrong_types": {refused: []string{"unknown_tool", "bad_arguments", "unknown_tool", "bad_arguments", "bad_arguments"}, steps: func(a aims) []modeltest.Step {
			return goesOn(a,
				says(call("fly", `{"to":"the moon"}`), call("pick_object", `{"observation_id":"o1.front_camera","point":"380,250"}`)),
				says(call("functions.pick_object", `{}`), call("update_plan", `{"steps":"pick"}`), model.Call{ID: "z", Name: "pick_object", Args: json.RawMessage(`{"point":[1`)}))
		}},
		"ids_empty_and_repeated": {wires: only(modeltest.Chat()), steps: func(a aims) []modeltest.Step {
			same := func(id string, c model.Call) model.Call { c.ID = id; return c }
			return []modeltest.Step{
				says(same("", call("observe", `{}`)), same("", call("observe", `{"reason":"again"}`))),
				says(same("x", call("observe", `{}`)), same("x", a.plan()), same("x", a.pickNow())),
				says(same("x", call("finish_task", `{"success":true,"summary":"It is in the box."}`))),
			}
		}},
	}
}

// wrongPoints are points that cannot be meant.
func wrongPoints() map[string]wired {
	return map[string]wired{
		"too_old": old(),
		"points": {
			wires:   only(modeltest.Chat()),
			conf:    [2]string{"cameras: [front_camera/image]", "cameras: [front_camera/image, right_wrist_camera/image]"},
			refused: []string{"point_outside_image", "unknown_observation", "wrong_camera", "view_changed"},
			steps: func(a aims) []modeltest.Step {
				return []modeltest.Step{
					says(call("pick_object", at("o1.front_camera", 5000, 10)), call("place_at", at("o99.front_camera", 10, 10))),
					says(call("pick_object", at("o1.right_wrist_camera", 100, 100))),
					says(a.pickNow()),
					says(a.pickNow()), // where it lay when o1 was taken
					says(a.placeNow()),
					done(),
				}
			},
		},
	}
}

// old is a look from before a motion that took longer than a point is good.
func old() wired {
	return wired{
		wires: only(modeltest.Anthropic()), refused: []string{"point_too_old"},
		conf: [2]string{"image_max_side: 1024", "image_max_side: 1024\n  max_point_age_s: 3"},
		steps: func(a aims) []modeltest.Step {
			return []modeltest.Step{says(a.pickNow()), says(a.placeNow()), says(call("observe", `{}`)), afresh("place_at", a.place), done()}
		},
	}
}

// afresh is a call whose arguments name the newest look in place of theirs: nothing else has moved.
func afresh(tool string, args json.RawMessage) modeltest.Step {
	return modeltest.Step{Say: func(r modeltest.Request) modeltest.Reply {
		looks := regexp.MustCompile(`o\d+\.front_camera`).FindAllString(fmt.Sprint(r.Body["messages"]), -1)
		return says(call(tool, strings.Replace(string(args), "o1.front_camera", looks[len(looks)-1], 1))).Reply
	}}
}

// wrongTurns are replies that are fine, at the wrong time.
func wrongTurns() map[string]wired {
	return map[string]wired{
		"finished_too_early": {wires: only(modeltest.Anthropic()), refused: []string{"action_running"}, steps: func(a aims) []modeltest.Step {
			return []modeltest.Step{
				says(a.pickNow(), done().Reply.Calls[0]), says(a.placeNow()), done(),
			}
		}},
		"plan_rewritten": {wires: only(modeltest.Responses()), steps: func(a aims) []modeltest.Step {
			later := call("update_plan", `{"steps":[{"id":"p","text":"pick","tool":"pick_object"},{"id":"n","text":"place","tool":"place_at","needs_look":true}]}`)
			later.ID = "later"
			return []modeltest.Step{
				says(a.plan(), a.pickNow(), later),
				says(call("update_plan", fmt.Sprintf(`{"done":["p"],"steps":[{"id":"q","text":"place","tool":"place_at","args":%s}]}`, a.place))),
				{Reply: modeltest.Reply{Text: "The queue may go on."}},
				done(),
			}
		}},
	}
}

// wrongRequests are servers that do not take every request.
func wrongRequests() map[string]wired {
	return map[string]wired{
		"several_calls_and_thoughts": {thought: "Hm, <größe> & \"so\" on\n", rules: modeltest.Rules{RefuseChangedPrefix: true}, steps: func(a aims) []modeltest.Step {
			return []modeltest.Step{
				{Chunk: 7, Pings: true, Reply: modeltest.Reply{Thought: "Hm, <größe> & \"so\" on\n", Text: "I look twice.", Calls: []model.Call{
					call("observe", `{}`), call("update_plan", `{"steps":[{"text":"pick"}]}`), {ID: "2", Name: "observe", Args: json.RawMessage(`{"cameras":["front_camera"]}`)},
				}}},
				{Chunk: 11, CRLF: true, Reply: modeltest.Reply{Text: "Now both.", Calls: []model.Call{a.plan(), a.pickNow()}}},
				done(),
			}
		}},
		"refusal": {wires: only(modeltest.Anthropic()), segments: 1, faults: []string{"refusal"}, steps: func(a aims) []modeltest.Step {
			return goesOn(a, modeltest.Step{Reply: modeltest.Reply{Text: "I cannot", Stop: model.StopRefusal}})
		}},
		"too_large": {segments: 1, faults: []string{"too_large", "too_large"}, wires: only(modeltest.Anthropic()), steps: func(a aims) []modeltest.Step {
			return goesOn(a, says(call("observe", `{}`)), modeltest.Step{Status: 413, Body: `{"type":"error","error":{"type":"request_too_large","message":"too large"}}`})
		}},
		"no_enabled_thinking": {
			wires: only(modeltest.Anthropic()), rules: modeltest.Rules{RefuseThinking: "enabled", RefuseChangedPrefix: true}, thought: "first",
			conf: [2]string{"planner: {provider: rules}", "planner: {provider: anthropic, model: claude-opus-4-7, thinking_budget: 4096}"},
			steps: func(a aims) []modeltest.Step {
				look := says(call("observe", `{}`))
				look.Reply.Thought = "first"
				return goesOn(a, look)
			},
		},
		"few_images": {
			wires: only(modeltest.Anthropic(), modeltest.Chat()), rules: modeltest.Rules{Images: 4}, segments: 1,
			conf: [2]string{"image_max_side: 1024", "image_max_side: 1024\n  max_images_in_context: 4"},
			steps: func(a aims) []modeltest.Step {
				var looks []modeltest.Step
				for i := range 5 {
					look := says(call("observe", fmt.Sprintf(`{"reason":"look %d"}`, i)))
					look.Reply.Thought = strings.Repeat("m", i+1)
					looks = append(looks, look)
				}
				return goesOn(a, looks...)
			},
		},
	}
}
