// Package llm is the planner that is a model: an agent.Reasoner on a model.Provider.
//
// Its one invariant: what a model said reaches the agent once. A request is asked again only while nothing of its reply
// was complete, unchanged, and what was shown of a reply that died is withdrawn first.
package llm

import (
	"context"
	_ "embed"
	"errors"
	"iter"
	"math"
	"strings"
	"time"

	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/model"
) // the prompt

//go:embed prompt.md
var prompt string

// SystemPrompt is what a model is told before all else: the harness and its rules, then what is said of this robot.
// form is that in which the model gives points.
func SystemPrompt(robot string, form model.Points) string {
	out := strings.ReplaceAll(strings.TrimSpace(prompt), "{point}", run.PointWords(form))
	if robot = strings.TrimSpace(robot); robot != "" {
		out += "\n\n## This robot\n\n" + robot
	}
	return out + "\n"
}

// Fault is a request that brought no complete reply.
type Fault struct {
	Attempt int           // 1 = the first
	Err     error         // a *model.Error, as a rule
	Wait    time.Duration // until it is asked again; 0 = it is not
	Again   bool
}

// Config is what a Reasoner is made of. Provider and Model are required.
type Config struct {
	Provider model.Provider
	Model    string // "anthropic:claude-opus-5", for the log
	Retry    model.Retry
	Price    model.Price // nothing = a round costs nothing
	// OnFault is told of each failed request, on the goroutine of the call; nil = nobody.
	OnFault func(Fault)
}

// Reasoner is a model as a planner. It is safe for use by several goroutines.
type Reasoner struct{ cfg Config }

var _ agent.Reasoner = (*Reasoner)(nil)

// New makes a planner of a model.
func New(c Config) *Reasoner { return &Reasoner{cfg: c} }

// Name is "provider:model@1".
func (r *Reasoner) Name() string { return r.cfg.Model + "@1" }

// Model is "provider:model", for the log.
func (r *Reasoner) Model() string { return r.cfg.Model }

// Begin has nothing to prepare.
func (r *Reasoner) Begin(context.Context, agent.RunInfo) error { return nil }

// End has nothing to keep.
func (r *Reasoner) End(context.Context, agent.RunInfo, *bool) error { return nil }

// Deliberate asks the model, and again when that may help. If the stream dies when a call was complete already, the
// reply ends without a model.End and without an error: what was called stands, and the agent goes on from there.
func (r *Reasoner) Deliberate(ctx context.Context, v run.View) iter.Seq2[model.Part, error] {
	return func(yield func(model.Part, error) bool) {
		l := &listener{yield: yield, price: r.cfg.Price}
		for attempt := 1; ; attempt++ {
			err := l.hear(r.cfg.Provider.Stream(ctx, v.Request, model.Options{}))
			if err == nil || l.gone {
				return
			}
			if wait, again := r.again(ctx, l, failure{attempt: attempt, err: err, left: v.Left}); !again {
				l.fail(err)
				return
			} else if !l.withdraw(err) || !pause(ctx, wait) {
				l.fail(context.Cause(ctx))
				return
			}
		}
	}
}

// failure is one request that brought no complete reply.
type failure struct {
	attempt int
	err     error
	left    time.Duration // of the run; 0 = no limit
}

// again decides about one fault and tells of it.
func (r *Reasoner) again(ctx context.Context, l *listener, f failure) (time.Duration, bool) {
	wait, again := r.cfg.Retry.Next(f.attempt, f.err, budget(ctx, f.left))
	again = again && !l.called && ctx.Err() == nil
	if !again {
		wait = 0
	}
	if r.cfg.OnFault != nil && ctx.Err() == nil {
		r.cfg.OnFault(Fault{Attempt: f.attempt, Err: f.err, Wait: wait, Again: again})
	}
	return wait, again
}

// budget is how long may be waited at most.
func budget(ctx context.Context, left time.Duration) time.Duration {
	if left <= 0 {
		left = math.MaxInt64
	}
	if end, ok := ctx.Deadline(); ok {
		left = min(left, time.Until(end))
	}
	return left
}

// pause waits; false means that ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// listener hands on the parts of one reply, over all its attempts.
type listener struct {
	yield func(model.Part, error) bool
	price model.Price

	usage  model.Usage // of all attempts
	spent  bool
	shown  bool // something of the present attempt was handed on
	called bool // a call was handed on
	gone   bool // the reader has stopped, or was told the end
}

// hear reads one attempt to its end or its error. The usage waits: it is told once, for all attempts.
func (l *listener) hear(parts iter.Seq2[model.Part, error]) error {
	for p, err := range parts {
		if err != nil {
			return err
		}
		switch p := p.(type) {
		case model.Usage:
			l.usage, l.spent = l.usage.Add(p), true
			continue
		case model.Call:
			l.called = true
		case model.End:
			l.tell()
		}
		l.shown = true
		if !l.put(p) {
			return nil
		}
		if _, end := p.(model.End); end {
			return nil
		}
	}
	return errNoEnd
}

// errNoEnd is a provider that broke its word.
var errNoEnd = errors.New("the provider ended a reply without an end and without an error")

func (l *listener) put(p model.Part) bool {
	if !l.gone {
		l.gone = !l.yield(p, nil)
	}
	return !l.gone
}

// tell gives the usage on.
func (l *listener) tell() {
	if l.spent {
		l.usage.CostUSD = l.price.Cost(l.usage)
		l.put(l.usage)
	}
}

// withdraw takes back what the attempt that failed has shown.
func (l *listener) withdraw(why error) bool {
	if !l.shown {
		return true
	}
	l.shown = false
	return l.put(model.Withdrawn{Why: why.Error()})
}

// fail ends the reply. With a call complete, a stream that died is a cut reply and no error.
func (l *listener) fail(err error) {
	l.tell()
	e, ok := errors.AsType[*model.Error](err)
	if l.gone || l.called && ok && e.Retryable {
		return
	}
	l.gone = true
	l.yield(nil, err)
}
