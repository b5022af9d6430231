// Package hook is the middleware of the agent: plugins that look at, change or refuse what it is about to do, at seven
// points.
//
// Its one invariant: a plugin can slow the agent down by its deadline at most, and cannot bring it down. A hook that
// fails, panics or hangs is told, and where it guards motion the motion does not happen.
package hook

import (
	"context"
	"encoding/json"
	"time"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/tool"
)

// Point is where the agent asks its plugins.
type Point string

// The points, in the order in which one round comes by them. What stands before a thing asks the plugins in the order of
// their list, what stands after it the other way round, so that the first plugin is the outermost.
const (
	OnEvent         Point = "on_event"          // something woke the agent; nothing waits for the answer
	PreLLMCall      Point = "pre_llm_call"      // before a request is sent
	PostLLMCall     Point = "post_llm_call"     // a reply is over; it has not been in a request yet
	PreToolDispatch Point = "pre_tool_dispatch" // a call of the planner, before its arguments are checked
	PreToolExecute  Point = "pre_tool_execute"  // a checked call, the plan queue's own too, before anything of it begins
	PostToolExecute Point = "post_tool_execute" // the answer of a call that was carried out, before the planner has it
	OnInterrupt     Point = "on_interrupt"      // pause, takeover, emergency stop, fault, cancel, reset; nothing waits for the answer
)

// DefaultDeadline is what one hook may take.
const DefaultDeadline = time.Second

// Policy is what follows when a hook fails, panics, gives nonsense or is not done in time.
type Policy int

// The policies. A hook at pre_tool_dispatch or pre_tool_execute guards motion when the call is a skill's: there it fails
// closed, whatever is declared.
const (
	Open   Policy = iota // as if the plugin were not there
	Closed               // what it would have looked at is refused or withheld
)

// Plugin is one piece of middleware. Hooks that are nil are not asked. A hook may be called from several goroutines; it
// must end when its context does. What it is given is its own, but for the bytes of images.
type Plugin struct {
	Name     string        // unique among the plugins of an agent
	Deadline time.Duration // of each call of a hook, wall clock; 0 = DefaultDeadline
	OnFault  Policy
	// Tools are functions that the planner may call beside its other tools: commands of the plugin's own. They do not move
	// the robot. A name that another tool has is an error when the agent is made.
	Tools []*tool.Tool

	PreLLMCall      func(context.Context, Round) (Before, error)
	PostLLMCall     func(context.Context, Reply) (text string, err error) // the text as it shall be; r.Text = unchanged
	PreToolDispatch func(context.Context, Call) (Ruling, error)
	PreToolExecute  func(context.Context, Call) (Ruling, error)
	PostToolExecute func(context.Context, Result) (json.RawMessage, error) // the answer as it shall be; nil = unchanged
	OnEvent         func(context.Context, Event) error
	OnInterrupt     func(context.Context, Interrupt) error
}

// Round is a request that is about to be sent.
type Round struct {
	Run     string
	Sub     string // call or job of the sub-agent whose it is; "" = the planner's
	Task    string
	Wakes   []string // why it is sent
	Request model.Request
	Again   bool // the last request is sent once more, unchanged: it can be vetoed only
}

// Before is what a hook makes of a round. The zero Before lets it pass.
type Before struct {
	Add    string // text that is added at the end of the new user message: what was sent before is never changed
	System string // another system prompt, from here on: the conversation goes on in a new segment; "" = the same
	Veto   string // why the request is not sent; "" = it is
}

// Reply is a reply that is over, whole or cut.
type Reply struct {
	Run   string
	Sub   string            // as in Round
	Text  string            // visible
	Calls []model.CallBlock // already dispatched
}

// Call is a call of a tool. Args are as they came, which may be no JSON at all before they were checked.
type Call struct {
	Run    string
	Sub    string // as in Round
	Tool   string
	Args   json.RawMessage
	Queue  bool   // the plan queue decided on it, not the planner
	Action string // id of the action that it is to become; "" = of none, or not known yet
}

// Ruling is what a hook makes of a call. The zero Ruling lets it pass. A changed call passes every check again.
type Ruling struct {
	Veto string          // why the call is refused; "" = it is not
	Tool string          // another tool; "" = the same
	Args json.RawMessage // other arguments, a JSON object; nil = the same
}

// Result is the answer of a call that was carried out. Refusals and measured stops are not shown: nobody changes them.
type Result struct {
	Call   Call
	JSON   json.RawMessage // one object
	Images int             // how many pictures go with it
}

// Event is something that woke the agent.
type Event struct {
	Run  string
	Wake string // the kind: user_message, action_ended, monitor_flag, …
	Why  string // in words
	At   time.Duration
}

// Interrupt is something that broke into the run.
type Interrupt struct {
	Run  string
	Kind string // pause, takeover, estop, fault, cancel or reset
	Why  string // in words
	At   time.Duration
}

// Tools are the functions that the plugins bring, in their order.
func Tools(plugins []Plugin) []*tool.Tool {
	var out []*tool.Tool
	for _, p := range plugins {
		out = append(out, p.Tools...)
	}
	return out
}

// has says whether the plugin has a hook at the point.
func (p *Plugin) has(at Point) bool {
	switch at {
	case OnEvent:
		return p.OnEvent != nil
	case PreLLMCall:
		return p.PreLLMCall != nil
	case PostLLMCall:
		return p.PostLLMCall != nil
	case PreToolDispatch:
		return p.PreToolDispatch != nil
	case PreToolExecute:
		return p.PreToolExecute != nil
	case PostToolExecute:
		return p.PostToolExecute != nil
	case OnInterrupt:
		return p.OnInterrupt != nil
	}
	return false
}
