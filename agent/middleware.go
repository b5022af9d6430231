package agent

import (
	"context"

	"github.com/rein-robotics/rein/agent/hook"
	"github.com/rein-robotics/rein/agent/inbox"
)

// askPlugins asks the plugins at one point: hooked.
type askPlugins struct {
	id   effectID
	what hook.Ask
}

// hooked is what the plugins of a point made of what they were asked about.
type hooked struct {
	id     effectID
	answer hook.Answer
}

// hookLate says that a hook answered after it had been given up.
type hookLate struct {
	id     effectID
	plugin string
	point  hook.Point
}

func (askPlugins) effect() {}

func (hooked) class() (inbox.Class, stackable)   { return inbox.Result, false }
func (hookLate) class() (inbox.Class, stackable) { return inbox.Result, false }

// delays says that something waits for the answer: nothing waits for those who are only told.
func (e askPlugins) delays() bool {
	q := inquiry{what: e.what}
	return !q.told()
}

// host carries the hooks of one question.
type host struct {
	a  *Agent
	id effectID
}

// Go runs f until it ends; Run joins it.
func (h host) Go(f func()) { h.a.work.Go(f) }

// Late tells of a hook that answered after it had been given up.
func (h host) Late(plugin string, at hook.Point) {
	h.a.post(hookLate{id: h.id, plugin: plugin, point: at})
}

// hooks asks the plugins and posts their answer.
func (a *Agent) hooks(ctx context.Context, e askPlugins) {
	a.post(hooked{id: e.id, answer: a.cfg.Settings.plugins.Run(ctx, host{a: a, id: e.id}, e.what)})
}

// cutAnswer is the answer of an effect that was cancelled before it had begun.
func (a *Agent) cutAnswer(e effect) event {
	if q, is := e.(askPlugins); is {
		return hooked{id: q.id, answer: a.cfg.Settings.plugins.Interrupted(q.what)}
	}
	return broken(e, errInterrupted)
}
