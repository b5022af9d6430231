package agent

import (
	"context"

	"github.com/rein-robotics/rein/agent/hook"
	"github.com/rein-robotics/rein/agent/run"
)

// tellPlugins asks those who are only told: at each point one after the other, in the order of the events.
func (a *Agent) tellPlugins(ctx context.Context, e run.AskPlugins) {
	at := hook.PointOf(e.What)
	a.tellings[at] = append(a.tellings[at], e)
	if len(a.tellings[at]) == 1 {
		a.fly(ctx, e, func() {})
	}
}

// tellOn tells the next thing when those who were told the last one have answered.
func (a *Agent) tellOn(ctx context.Context, id run.EffectID) {
	for at, line := range a.tellings {
		if len(line) == 0 || line[0].ID != id {
			continue
		}
		if a.tellings[at] = line[1:]; len(line) > 1 {
			a.fly(ctx, line[1], func() {})
		}
		return
	}
}

// host carries the hooks of one question.
type host struct {
	a  *Agent
	id run.EffectID
}

// Go runs f until it ends; Run joins it.
func (h host) Go(f func()) { h.a.work.Go(f) }

// Late tells of a hook that answered after it had been given up.
func (h host) Late(plugin string, at hook.Point) {
	h.a.post(run.HookLate{ID: h.id, Plugin: plugin, Point: at})
}

// hooks asks the plugins and posts their answer.
func (a *Agent) hooks(ctx context.Context, e run.AskPlugins) {
	a.post(run.Hooked{ID: e.ID, Answer: a.cfg.Settings.Plugins.Run(ctx, host{a: a, id: e.ID}, e.What)})
}

// cutAnswer is the answer of an effect that was cancelled before it had begun.
func (a *Agent) cutAnswer(e run.Effect) run.Event {
	if q, is := e.(run.AskPlugins); is {
		return run.Hooked{ID: q.ID, Answer: a.cfg.Settings.Plugins.Interrupted(q.What)}
	}
	return broken(e, run.ErrInterrupted)
}
