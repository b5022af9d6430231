package agent

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
)

// carryOut does an effect: those without an answer at once, the others on a goroutine of their own.
func (a *Agent) carryOut(ctx context.Context, e effect) {
	switch e := e.(type) {
	case logEvent:
		a.write(e.what)
	case saveTurn:
		a.saveTurn(e.turn)
	case setTimer:
		a.cfg.Controller.SetTimer(e.name, e.at)
	case cancelCall:
		a.cutOff(e.id)
	case bump:
		a.bump(ctx, e.why)
	case unseed:
		a.unseed(ctx, e.action)
	case say:
		a.cfg.Say(e.what)
	case endRun:
		a.leave(ctx, e)
	case tellCaller:
		a.tell(e)
	case unwatch:
		a.unwatch(e.action)
	default:
		a.launch(ctx, e)
	}
}

// cutOff cancels an effect: one that is in flight hears it, one in line is not begun any more.
func (a *Agent) cutOff(id effectID) {
	if cancel := a.calls[id]; cancel != nil {
		cancel(errInterrupted)
		return
	}
	for i, e := range a.line {
		if idOf(e) == id {
			a.post(a.cutAnswer(e))
			a.outOfLine(i)
			return
		}
	}
}

// outOfLine gives up an effect that waits in line. Its answer has been posted.
func (a *Agent) outOfLine(i int) {
	a.held[i]()
	a.line, a.held = slices.Delete(a.line, i, i+1), slices.Delete(a.held, i, i+1)
}

// leave tells the reasoner that the run is over and hands the result to whoever waits for it.
func (a *Agent) leave(ctx context.Context, e endRun) {
	r, begun := e.result, a.begun
	info := RunInfo{Run: r.Run, Task: e.task, Tools: e.tools}
	who := a.cfg.Reasoner
	a.work.Go(func() {
		if begun {
			a.sayEnd(ctx, who, lastWord{info, r.Checked})
		}
		select {
		case a.results <- r:
		case <-a.quit:
		case <-ctx.Done():
		}
	})
}

// lastWord is what a reasoner is told at the end of a run.
type lastWord struct {
	run     RunInfo
	success *bool
}

// sayEnd calls the reasoner's End. What goes wrong there changes nothing about the run, but it is in the log.
func (a *Agent) sayEnd(ctx context.Context, who Reasoner, e lastWord) {
	ctx, cancel := context.WithTimeout(ctx, a.cfg.Waits.Prepare)
	defer cancel()
	_, err := a.listen(ctx, func() error { return who.End(ctx, e.run, e.success) })
	if err != nil { // the run is over: a log that cannot take this has nothing to stop any more
		_ = a.cfg.Log.Append(episode.ProviderError{Tag: episode.Tag{Run: e.run.Run}, Component: who.Name(), Class: "end: " + err.Error(), Attempt: 1})
	}
}

// guarded turns a panic of f into its error.
func guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f()
}

// launch begins an effect that has an answer, or puts it in line behind the one in flight.
func (a *Agent) launch(ctx context.Context, e effect) {
	if q, is := e.(askPlugins); is && !q.delays() {
		a.tellPlugins(ctx, q)
		return
	}
	release := a.cfg.Clock.Hold(fmt.Sprintf("%T", e))
	if !a.serial() || a.apart(e) {
		a.fly(ctx, e, release)
		return
	}
	a.line, a.held = append(a.line, e), append(a.held, release)
}

// apart says that the effect waits for nobody and that nobody waits for it: a stop, and a monitor that takes its time.
func (a *Agent) apart(e effect) bool {
	switch e.(type) {
	case stop:
		return true
	case monitorTick:
		i, ok := a.cfg.Watcher.(interface{ Instant() bool })
		return !ok || !i.Instant()
	}
	return false
}

func (a *Agent) write(e episode.Event) {
	if err := a.cfg.Log.Append(e); err != nil && !a.state.over() {
		a.post(logBroken{err: err})
	}
}

func (a *Agent) saveTurn(t turnRecord) {
	file, err := a.cfg.Log.SaveTurn(Turn{Thread: t.Thread, Request: t.Request, Reply: t.Reply, Err: t.Err})
	if err != nil {
		a.post(logBroken{err: err})
		return
	}
	t.Event.Turn = file
	a.write(t.Event)
}

func (a *Agent) bump(ctx context.Context, why string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.cfg.Waits.Command)
	defer cancel()
	gen, err := a.cfg.Controller.Bump(ctx, why)
	if err != nil {
		a.write(episode.CommandRefused{Tag: a.state.tag(), Owner: "agent", Current: a.cfg.Controller.Generation(), What: "raising the generation: " + err.Error()})
		return
	}
	a.state.under(a.state.tag().Run, gen)
}

func (a *Agent) unseed(ctx context.Context, action string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.cfg.Waits.Command)
	defer cancel()
	if err := a.cfg.Controller.StopServices(ctx, action); err != nil {
		a.write(episode.CommandRefused{Tag: a.state.tag(), Owner: "agent", Current: a.cfg.Controller.Generation(), What: "stopping the trackers of " + action + ": " + err.Error()})
	}
}

// fly carries out an effect that has an answer. release ends its hold of the clock: what waits for the robot itself lets
// time go on as soon as the control loop has it.
func (a *Agent) fly(ctx context.Context, e effect, release func()) {
	switch e := e.(type) {
	case seed:
		a.cfg.Controller.AskServices(e.what, func(t control.Tracks, err error) { a.post(seeded{id: e.id, tracks: t, err: err}) })
		release()
	case stop:
		if !a.serial() { // one at a time, a run depends on nothing but its seed: the job's own limit holds there
			a.letTimeGo()
		}
		a.cfg.Controller.AskEnd(e.action, e.end, func(ended control.Ended, err error) { a.post(stopped{id: e.id, ended: ended, err: err}) })
		a.inStep(ctx)
		release()
	case judge:
		a.judge(ctx, e, release)
	case monitorTick:
		a.attend(ctx, e, release)
	case callModel:
		call := a.cancellable(ctx, e.id)
		w := asked{who: a.cfg.Reasoner, first: !a.begun, serial: a.serial()}
		a.begun = true
		a.spawn(release, func() { a.reason(call, e, w) })
	case askPlugins:
		call := a.cancellable(ctx, e.id)
		a.spawn(release, func() { a.hooks(call, e) })
	case runTool:
		call := a.cancellable(ctx, e.id)
		a.spawn(a.untilAStop(e.id, release), func() { a.post(a.runFunction(call, e)) })
	case rest:
		call := a.cancellable(ctx, e.id)
		a.spawn(a.untilAStop(e.id, release), func() { a.post(a.rest(call, e)) })
	default:
		a.spawn(release, func() { a.post(a.perform(ctx, e)) })
	}
}

// cancellable is ctx for an effect that cutOff can end.
func (a *Agent) cancellable(ctx context.Context, id effectID) context.Context {
	one, cancel := context.WithCancelCause(ctx)
	a.calls[id] = cancel
	return one
}

// spawn runs f on a goroutine that Run joins.
func (a *Agent) spawn(release, f func()) {
	a.work.Go(func() {
		defer release()
		f()
	})
}

// perform carries out an effect that needs no robot time and gives its answer, also when it panics.
func (a *Agent) perform(ctx context.Context, e effect) (answer event) {
	defer func() {
		if p := recover(); p != nil {
			answer = broken(e, fmt.Errorf("panic: %v", p))
		}
	}()
	switch e := e.(type) {
	case look:
		return a.look(ctx, e)
	case prepare:
		return a.prepare(ctx, e)
	case start:
		return a.start(ctx, e)
	case glance:
		return a.glance(ctx, e)
	case pollCheck:
		return a.poll(ctx, e)
	}
	panic(fmt.Sprintf("agent: effect %T is not known", e))
}

// broken is the answer of an effect that could not be carried out.
func broken(e effect, err error) event {
	switch e := e.(type) {
	case look:
		return looked{id: e.id, err: err}
	case prepare:
		return prepared{id: e.id, err: err}
	case start:
		return started{id: e.id, err: err}
	case glance:
		return glanced{id: e.id}
	case pollCheck:
		return polled{id: e.id, err: err}
	case callModel:
		return replied{id: e.id, err: err}
	case rest:
		return rested{id: e.id}
	case runTool:
		if e.background {
			return jobDone{id: e.id, err: err}
		}
		return ran{id: e.id, err: err}
	}
	panic(fmt.Sprintf("agent: effect %T is not known", e))
}

func (a *Agent) prepare(ctx context.Context, e prepare) event {
	ctx, cancel := context.WithTimeoutCause(ctx, a.cfg.Waits.Prepare, errNotReady)
	defer cancel()
	got := make(chan prepared, 1)
	a.work.Go(func() {
		p := prepared{id: e.id}
		p.err = guarded(func() (err error) { p.skill, err = e.tool.New(e.call); return err })
		got <- p
	})
	select {
	case p := <-got:
		return p
	case <-ctx.Done():
		return prepared{id: e.id, err: context.Cause(ctx)}
	}
}

// start hands the prepared skill over: the control loop only takes it, it makes nothing.
func (a *Agent) start(ctx context.Context, e start) event {
	ctx, cancel := context.WithTimeout(ctx, a.cfg.Waits.Command)
	defer cancel()
	return started{id: e.id, err: a.cfg.Controller.StartAction(ctx, e.what)}
}

// judge asks for the verdict. It waits for the world to come to rest, so it holds no time; without an answer in time
// there is no verdict.
func (a *Agent) judge(ctx context.Context, e judge, release func()) {
	if a.cfg.Judge == nil {
		a.post(judged{id: e.id})
		release()
		return
	}
	var once sync.Once
	done := make(chan struct{})
	answer := func(j judged) {
		once.Do(func() {
			a.post(j)
			close(done)
		})
	}
	err := guarded(func() error {
		a.cfg.Judge(func(ok *bool, err error) { answer(judged{id: e.id, success: ok, err: err}) })
		return nil
	})
	if err != nil {
		answer(judged{id: e.id, err: err})
	}
	release()
	a.work.Go(func() {
		limit := time.NewTimer(a.cfg.Waits.Verdict)
		defer limit.Stop()
		select {
		case <-done:
		case <-limit.C:
			answer(judged{id: e.id, err: errNoVerdict})
		case <-ctx.Done():
		}
	})
}

// asked is who is asked for a reply.
type asked struct {
	who    Reasoner
	first  bool // of the run
	serial bool // effects run one at a time
}

// A reply of a planner is no longer than this; what follows is cut off, as at the limit of tokens.
const (
	mostText  = 256 << 10 // bytes
	mostCalls = 64
)

// room counts what may still come of a reply.
type room struct{ text, calls int }

// takes says whether p is still taken.
func (r *room) takes(p model.Part) bool {
	switch p := p.(type) {
	case model.Text:
		r.text += len(p.Text)
	case model.Call:
		r.calls++
	}
	return r.text <= mostText && r.calls <= mostCalls
}

// backlog is how many pieces of a reply may wait for the agent.
const backlog = 256

// reason asks the reasoner and posts its reply piece by piece.
func (a *Agent) reason(ctx context.Context, e callModel, w asked) {
	from := time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, a.cfg.Waits.Reply, errReplyTooLong)
	defer cancel()
	var kept []event
	places := make(chan struct{}, backlog)
	emit := func(p part) {
		select {
		case places <- struct{}{}:
			a.postThen(func() { <-places }, p)
		case <-ctx.Done():
		}
	}
	if w.serial { // nothing that answers one of its calls may come between the pieces of a reply
		emit = func(p part) { kept = append(kept, p) }
	}
	heard, err := a.listen(ctx, func() error { return a.stream(ctx, e, w, emit) })
	if !heard {
		kept = nil // it is still being written
	}
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	a.post(append(kept, replied{id: e.id, err: err, latency: time.Since(from)})...)
}

// listen waits for what a reasoner does; one that does not hear its cancel is left to itself until Run joins it.
func (a *Agent) listen(ctx context.Context, stream func() error) (heard bool, err error) {
	done := make(chan error, 1)
	a.work.Go(func() { done <- guarded(stream) })
	select {
	case err := <-done:
		return true, err
	case <-ctx.Done():
	}
	late := time.NewTimer(a.cfg.Waits.Cancel)
	defer late.Stop()
	select {
	case err := <-done:
		return true, err
	case <-late.C:
		return false, context.Cause(ctx)
	}
}

func (a *Agent) stream(ctx context.Context, e callModel, w asked, emit func(part)) error {
	if w.first {
		if err := w.who.Begin(ctx, RunInfo{Run: a.cfg.Log.Episode(), Task: e.task, Tools: e.view.Request.Tools}); err != nil {
			return err
		}
	}
	var left room
	for p, err := range w.who.Deliberate(ctx, e.view) {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if !left.takes(p) {
			emit(part{id: e.id, what: model.End{Reason: model.StopMaxTokens}})
			return nil
		}
		emit(part{id: e.id, what: p})
	}
	return nil
}
