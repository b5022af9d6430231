package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Set is the plugins of an agent, checked. It is immutable; a nil Set has no plugins.
type Set struct {
	at    map[Point][]*Plugin // in the order in which they are asked
	moves map[string]bool     // tools that start motion
}

// New checks the plugins. Tools that start motion are named, because what guards them fails closed. Without plugins the
// Set is nil.
func New(plugins []Plugin, moves []string) (*Set, error) {
	if len(plugins) == 0 {
		return nil, nil
	}
	s := &Set{at: map[Point][]*Plugin{}, moves: map[string]bool{}}
	for _, m := range moves {
		s.moves[m] = true
	}
	names := map[string]bool{}
	for i := range plugins {
		p := plugins[i]
		switch {
		case p.Name == "":
			return nil, fmt.Errorf("plugin %d has no name: give it one, the log tells what it did", i+1)
		case names[p.Name]:
			return nil, fmt.Errorf("plugin %s: there is another plugin of this name", p.Name)
		case slices.Contains(p.Tools, nil):
			return nil, fmt.Errorf("plugin %s: one of its tools is nil", p.Name)
		case p.Deadline < 0:
			return nil, fmt.Errorf("plugin %s: its deadline is negative", p.Name)
		}
		if p.Deadline == 0 {
			p.Deadline = DefaultDeadline
		}
		names[p.Name] = true
		for _, at := range []Point{OnEvent, PreLLMCall, PostLLMCall, PreToolDispatch, PreToolExecute, PostToolExecute, OnInterrupt} {
			if p.has(at) {
				s.at[at] = append(s.at[at], &p)
			}
		}
	}
	slices.Reverse(s.at[PostLLMCall])
	slices.Reverse(s.at[PostToolExecute])
	return s, nil
}

// Has says that somebody is to be asked at the point.
func (s *Set) Has(at Point) bool { return s != nil && len(s.at[at]) > 0 }

// Ask is what plugins are asked about. The set is closed: this file.
type Ask interface{ ask() }

// AskCall asks about a call, at pre_tool_dispatch or pre_tool_execute.
type AskCall struct {
	At   Point
	Call Call
}

func (Round) ask()     {}
func (Reply) ask()     {}
func (AskCall) ask()   {}
func (Result) ask()    {}
func (Event) ask()     {}
func (Interrupt) ask() {}

// Answer is what the plugins of a point made of what they were asked about. Of the fields before Veto those count that
// belong to the point.
type Answer struct {
	Call     Call            // as it shall be carried out
	Add      []string        // to the new user message
	System   string          // prompt from here on; "" = the same
	Text     string          // of the reply
	JSON     json.RawMessage // of the result
	Withheld bool            // the result is withheld, its pictures too

	Veto  string // why it does not happen; "" = it does
	Notes []Note // what was done and what failed, in order
}

// Note is what one plugin did, for the log.
type Note struct {
	Plugin        string
	At            Point
	Before, After json.RawMessage // nil = nothing was changed
	Effect        string
}

// withheld stands for a text that a plugin which fails closed has not let pass.
func withheld(plugin string) string {
	return "[withheld: the plugin " + plugin + " did not let it pass]"
}

// Interrupted is the answer of plugins that were cut off: as if those that had not answered had failed. At the points
// before a thing nothing happens anyway then.
func (s *Set) Interrupted(a Ask) Answer {
	out := start(a)
	point := PointOf(a)
	for _, p := range s.at[point] {
		s.failed(&out, p, a, errInterrupted)
	}
	return out
}

// errInterrupted is why a hook is cut off.
var errInterrupted = errors.New("the agent was interrupted")

// start is the answer of nobody.
func start(a Ask) Answer {
	switch a := a.(type) {
	case AskCall:
		return Answer{Call: a.Call}
	case Reply:
		return Answer{Text: a.Text}
	case Result:
		return Answer{JSON: a.JSON}
	}
	return Answer{}
}

// PointOf is where the question is asked.
func PointOf(a Ask) Point {
	switch a := a.(type) {
	case AskCall:
		return a.At
	case Round:
		return PreLLMCall
	case Reply:
		return PostLLMCall
	case Result:
		return PostToolExecute
	case Event:
		return OnEvent
	}
	return OnInterrupt
}

// closed says that the plugin's fault keeps the thing from happening.
func (s *Set) closed(p *Plugin, out *Answer, a Ask) bool {
	if c, is := a.(AskCall); is && (s.moves[out.Call.Tool] || s.moves[c.Call.Tool]) {
		return true
	}
	return p.OnFault == Closed
}

// failed carries out the policy for a plugin's fault. It gives true when the others need not be asked.
func (s *Set) failed(out *Answer, p *Plugin, a Ask, err error) (over bool) {
	n := Note{Plugin: p.Name, At: PointOf(a)}
	if !s.closed(p, out, a) {
		n.Effect = "failed, passed over: " + err.Error()
		out.Notes = append(out.Notes, n)
		return false
	}
	switch a.(type) {
	case AskCall, Round:
		out.Veto = "the plugin " + p.Name + " failed: " + err.Error()
		n.Effect = "failed, refused: " + err.Error()
	case Reply:
		out.Text = withheld(p.Name)
		n.Effect = "failed, withheld: " + err.Error()
	case Result:
		out.JSON, out.Withheld = withheldResult(p.Name), true
		n.Effect = "failed, withheld: " + err.Error()
	default:
		n.Effect = "failed: " + err.Error()
	}
	out.Notes = append(out.Notes, n)
	return out.Veto != ""
}

func withheldResult(plugin string) json.RawMessage {
	raw, err := json.Marshal(map[string]string{
		"status": "withheld", "message": "the call was carried out; the plugin " + plugin + " did not let its answer pass",
	})
	if err != nil { // two strings
		panic("hook: " + err.Error())
	}
	return raw
}
