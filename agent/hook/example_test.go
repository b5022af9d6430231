package hook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/rein-robotics/rein/agent/hook"
)

// slow is a plugin that lets nothing be thrown and everything else move slowly, and that keeps a name to itself.
func slow() hook.Plugin {
	return hook.Plugin{
		Name: "slow", OnFault: hook.Closed,
		PreToolExecute: func(_ context.Context, c hook.Call) (hook.Ruling, error) {
			switch c.Tool {
			case "throw":
				return hook.Ruling{Veto: "nothing is thrown in this room"}, nil
			case "reach":
				var args map[string]any
				if err := json.Unmarshal(c.Args, &args); err != nil {
					return hook.Ruling{}, err
				}
				args["speed"] = "slow"
				changed, err := json.Marshal(args)
				return hook.Ruling{Args: changed}, err
			}
			return hook.Ruling{}, nil
		},
		PostLLMCall: func(_ context.Context, r hook.Reply) (string, error) {
			return strings.ReplaceAll(r.Text, "Ann", "the operator"), nil
		},
	}
}

// A plugin is given to the agent in agent.Config.Plugins, or to a program of one's own in app.Options.Plugins. Here it is
// asked by hand.
func Example() {
	plugins, err := hook.New([]hook.Plugin{slow()}, []string{"throw", "reach"})
	if err != nil {
		panic(err)
	}
	h := &host{}
	defer h.Wait()
	ask := func(a hook.Ask) hook.Answer { return plugins.Run(context.Background(), h, a) }

	thrown := ask(hook.AskCall{At: hook.PreToolExecute, Call: hook.Call{Tool: "throw", Args: json.RawMessage(`{}`)}})
	fmt.Println(thrown.Veto)
	reached := ask(hook.AskCall{At: hook.PreToolExecute, Call: hook.Call{Tool: "reach", Args: json.RawMessage(`{"to":"box"}`)}})
	fmt.Println(string(reached.Call.Args))
	fmt.Println(ask(hook.Reply{Text: "Ann asked for the box."}).Text)
	for _, n := range reached.Notes {
		fmt.Println(n.Plugin, n.At, n.Effect)
	}
	// Output:
	// nothing is thrown in this room
	// {"speed":"slow","to":"box"}
	// the operator asked for the box.
	// slow pre_tool_execute rewrote the call
}
