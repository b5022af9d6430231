package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Faults of a hook.
var (
	errDeadline = errors.New("it took longer than its deadline")
	errNoObject = errors.New("what it gave is no JSON object")
	errAgain    = errors.New("a request that is sent again cannot be changed")
)

// Host carries the calls of hooks. Its methods may be called from any goroutine.
type Host interface {
	// Go runs f on a goroutine that the host joins.
	Go(f func())
	// Late hears of a hook that came back after it had been given up.
	Late(plugin string, at Point)
}

// Run asks the plugins of a point one after the other, each with its deadline, and gives what they made of it. A ctx
// that ends cuts the one being asked off.
func (s *Set) Run(ctx context.Context, h Host, a Ask) Answer {
	out, point := start(a), PointOf(a)
	for _, p := range s.at[point] {
		change, err := call(ctx, h, p, asked(a, &out))
		if err != nil {
			if s.failed(&out, p, a, err) {
				return out
			}
			continue
		}
		change.apply(&out, p, point)
		if out.Veto != "" {
			return out
		}
	}
	return out
}

// asked is the question to the next plugin: what the ones before it made of it, and its own to write into.
func asked(a Ask, out *Answer) Ask {
	switch a := a.(type) {
	case AskCall:
		a.Call = out.Call
		a.Call.Args = bytes.Clone(a.Call.Args) // what was checked is what is executed, byte for byte
		return a
	case Round:
		a.Request = own(a.Request)
		return a
	case Reply:
		a.Text, a.Calls = out.Text, ownCalls(a.Calls)
		return a
	case Result:
		a.JSON = bytes.Clone(out.JSON)
		if out.Withheld {
			a.Images = 0
		}
		return a
	}
	return a
}

// call asks one plugin. One that is not done in time is cancelled and given up; if it answers all the same, that is late.
func call(ctx context.Context, h Host, p *Plugin, a Ask) (change, error) {
	if ctx.Err() != nil {
		return change{}, context.Cause(ctx)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, p.Deadline, errDeadline)
	type answer struct {
		c   change
		err error
	}
	got := make(chan answer)
	h.Go(func() {
		defer cancel()
		c, err := guarded(func() (change, error) { return p.ask(ctx, a) })
		select {
		case got <- answer{c, err}:
		case <-ctx.Done():
			if err == nil {
				h.Late(p.Name, PointOf(a))
			}
		}
	})
	select {
	case g := <-got:
		if g.err != nil {
			return change{}, g.err
		}
		return g.c, g.c.check(a)
	case <-ctx.Done():
		return change{}, context.Cause(ctx)
	}
}

// guarded turns a panic of f into its error.
func guarded(f func() (change, error)) (c change, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f()
}

// change is what one plugin wants: one field of it counts, by the point.
type change struct {
	before *Before
	text   *string
	ruling *Ruling
	result json.RawMessage
}

func (p *Plugin) ask(ctx context.Context, a Ask) (c change, err error) {
	switch a := a.(type) {
	case Round:
		b, err := p.PreLLMCall(ctx, a)
		return change{before: &b}, err
	case Reply:
		t, err := p.PostLLMCall(ctx, a)
		return change{text: &t}, err
	case AskCall:
		f := p.PreToolDispatch
		if a.At == PreToolExecute {
			f = p.PreToolExecute
		}
		r, err := f(ctx, a.Call)
		return change{ruling: &r}, err
	case Result:
		c.result, err = p.PostToolExecute(ctx, a)
		return c, err
	case Event:
		return c, p.OnEvent(ctx, a)
	case Interrupt:
		return c, p.OnInterrupt(ctx, a)
	}
	panic(fmt.Sprintf("hook: question %T is not known", a))
}

// check finds nonsense.
func (c change) check(a Ask) error {
	if r, is := a.(Round); is && r.Again && c.before.Veto == "" && *c.before != (Before{}) {
		return errAgain
	}
	if c.result != nil && !isObject(c.result) || c.ruling != nil && c.ruling.Args != nil && !isObject(c.ruling.Args) {
		return errNoObject
	}
	return nil
}

func isObject(raw json.RawMessage) bool {
	var o map[string]json.RawMessage
	return json.Unmarshal(raw, &o) == nil && o != nil
}

// apply takes the change over into the answer, and notes it when there is one.
func (c change) apply(out *Answer, p *Plugin, at Point) {
	n := Note{Plugin: p.Name, At: at}
	switch {
	case c.before != nil && c.before.Veto != "":
		out.Veto, n.Effect = c.before.Veto, "vetoed: "+c.before.Veto
	case c.before != nil && *c.before != (Before{}):
		c.before.apply(out, &n)
	case c.text != nil && *c.text != out.Text:
		n.Before, n.After, n.Effect = quote(out.Text), quote(*c.text), "rewrote the text"
		out.Text = *c.text
	case c.ruling != nil && c.ruling.Veto != "":
		out.Veto = c.ruling.Veto
		n.Before, n.Effect = told(out.Call), "vetoed: "+c.ruling.Veto
	case c.ruling != nil:
		next := ruled(out.Call, *c.ruling)
		if next.Tool == out.Call.Tool && bytes.Equal(next.Args, out.Call.Args) {
			return
		}
		n.Before, n.After, n.Effect = told(out.Call), told(next), "rewrote the call"
		out.Call = next
	case c.result != nil && !bytes.Equal(c.result, out.JSON):
		n.Before, n.After, n.Effect = out.JSON, c.result, "rewrote the answer"
		out.JSON = c.result
	default:
		return
	}
	out.Notes = append(out.Notes, n)
}

// apply takes over what is added to a request.
func (b Before) apply(out *Answer, n *Note) {
	if b.Add != "" {
		out.Add = append(out.Add, b.Add)
		n.After, n.Effect = quote(b.Add), "added text"
	}
	if b.System != "" {
		out.System = b.System
		n.After, n.Effect = quote(b.System), strings.TrimPrefix(n.Effect+", changed the system prompt", ", ")
	}
}

func ruled(c Call, r Ruling) Call {
	if r.Tool != "" {
		c.Tool = r.Tool
	}
	if r.Args != nil {
		c.Args = r.Args
	}
	return c
}

// told is a call as the log keeps it. Arguments that are not JSON are quoted.
func told(c Call) json.RawMessage {
	args := c.Args
	switch {
	case len(bytes.TrimSpace(args)) == 0:
		args = json.RawMessage("{}")
	case !json.Valid(args):
		args = quote(string(args))
	}
	raw, err := json.Marshal(struct {
		Tool string          `json:"tool"`
		Args json.RawMessage `json:"args"`
	}{c.Tool, args})
	if err != nil { // it was just made valid
		panic("hook: " + err.Error())
	}
	return raw
}

func quote(s string) json.RawMessage {
	raw, err := json.Marshal(s)
	if err != nil { // a string always encodes
		panic("hook: " + err.Error())
	}
	return raw
}
