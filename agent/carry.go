package agent

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
)

// carryOut does an effect: those without an answer at once, the others on a goroutine of their own.
func (a *Agent) carryOut(ctx context.Context, e run.Effect) {
	switch e := e.(type) {
	case run.LogEvent:
		a.write(e.What)
	case run.SaveTurn:
		a.saveTurn(e.Turn)
	case run.SetTimer:
		a.cfg.Controller.SetTimer(e.Name, e.At)
	case run.CancelCall:
		a.cutOff(e.ID)
	case run.Bump:
		a.bump(ctx, e.Why)
	case run.Unseed:
		a.unseed(ctx, e.Action)
	case run.Say:
		a.cfg.Say(e.What)
	case run.EndRun:
		a.leave(ctx, e)
	case run.TellCaller:
		a.tell(e)
	case run.Unwatch:
		a.unwatch(e.Action)
	default:
		a.launch(ctx, e)
	}
}

// cutOff cancels an effect: one that is in flight hears it, one in line is not begun any more.
func (a *Agent) cutOff(id run.EffectID) {
	if cancel := a.calls[id]; cancel != nil {
		cancel(run.ErrInterrupted)
		return
	}
	for i, e := range a.line {
		if run.IDOf(e) == id {
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
func (a *Agent) leave(ctx context.Context, e run.EndRun) {
	r, begun := e.Result, a.begun
	info := RunInfo{Run: r.Run, Task: e.Task, Tools: e.Tools}
	who := a.cfg.Reasoner
	before, given := a.given, make(chan struct{})
	a.given = given
	a.work.Go(func() {
		defer close(given)
		if begun {
			a.sayEnd(ctx, who, lastWord{info, r.Checked})
		}
		if before != nil { // the next run may be over before the reasoner has heard the end of this one
			<-before
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
func (a *Agent) launch(ctx context.Context, e run.Effect) {
	if q, is := e.(run.AskPlugins); is && !q.Delays() {
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
func (a *Agent) apart(e run.Effect) bool {
	switch e.(type) {
	case run.Stop:
		return true
	case run.MonitorTick:
		i, ok := a.cfg.Watcher.(interface{ Instant() bool })
		return !ok || !i.Instant()
	}
	return false
}

func (a *Agent) write(e episode.Event) {
	if err := a.cfg.Log.Append(e); err != nil && !a.state.Over() {
		a.post(run.LogBroken{Err: err})
	}
}

func (a *Agent) saveTurn(t run.TurnRecord) {
	file, err := a.cfg.Log.SaveTurn(Turn{Thread: t.Thread, Request: t.Request, Reply: t.Reply, Err: t.Err})
	if err != nil {
		a.post(run.LogBroken{Err: err})
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
		a.write(episode.CommandRefused{Tag: a.state.Tag(), Owner: "agent", Current: a.cfg.Controller.Generation(), What: "raising the generation: " + err.Error()})
		return
	}
	a.state.Under(a.state.Tag().Run, gen)
}

func (a *Agent) unseed(ctx context.Context, action string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.cfg.Waits.Command)
	defer cancel()
	if err := a.cfg.Controller.StopServices(ctx, action); err != nil {
		a.write(episode.CommandRefused{Tag: a.state.Tag(), Owner: "agent", Current: a.cfg.Controller.Generation(), What: "stopping the trackers of " + action + ": " + err.Error()})
	}
}

// fly carries out an effect that has an answer. release ends its hold of the clock: what waits for the robot itself lets
// time go on as soon as the control loop has it.
func (a *Agent) fly(ctx context.Context, e run.Effect, release func()) {
	switch e := e.(type) {
	case run.Seed:
		a.cfg.Controller.AskServices(e.What, func(t control.Tracks, err error) { a.post(run.Seeded{ID: e.ID, Tracks: t, Err: err}) })
		release()
	case run.Stop:
		if !a.serial() { // one at a time, a run depends on nothing but its seed: the job's own limit holds there
			a.letTimeGo()
		}
		a.cfg.Controller.AskEnd(e.Action, e.End, func(ended control.Ended, err error) { a.post(run.Stopped{ID: e.ID, Ended: ended, Err: err}) })
		a.inStep(ctx)
		release()
	case run.Judge:
		a.judge(ctx, e, release)
	case run.MonitorTick:
		a.attend(ctx, e, release)
	case run.CallModel:
		call := a.cancellable(ctx, e.ID)
		w := asked{who: a.cfg.Reasoner, first: !a.begun, serial: a.serial()}
		a.begun = true
		a.spawn(release, func() { a.reason(call, e, w) })
	case run.AskPlugins:
		call := a.cancellable(ctx, e.ID)
		a.spawn(release, func() { a.hooks(call, e) })
	case run.RunTool:
		call := a.cancellable(ctx, e.ID)
		a.spawn(a.untilAStop(e.ID, release), func() { a.post(a.runFunction(call, e)) })
	case run.Rest:
		call := a.cancellable(ctx, e.ID)
		a.spawn(a.untilAStop(e.ID, release), func() { a.post(a.rest(call, e)) })
	default:
		a.spawn(release, func() { a.post(a.perform(ctx, e)) })
	}
}

// cancellable is ctx for an effect that cutOff can end.
func (a *Agent) cancellable(ctx context.Context, id run.EffectID) context.Context {
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
func (a *Agent) perform(ctx context.Context, e run.Effect) (answer run.Event) {
	defer func() {
		if p := recover(); p != nil {
			answer = broken(e, fmt.Errorf("panic: %v", p))
		}
	}()
	switch e := e.(type) {
	case run.Look:
		return a.look(ctx, e)
	case run.Prepare:
		return a.prepare(ctx, e)
	case run.Start:
		return a.start(ctx, e)
	case run.Glance:
		return a.glance(ctx, e)
	case run.PollCheck:
		return a.poll(ctx, e)
	}
	panic(fmt.Sprintf("agent: effect %T is not known", e))
}

// broken is the answer of an effect that could not be carried out.
func broken(e run.Effect, err error) run.Event {
	switch e := e.(type) {
	case run.Look:
		return run.Looked{ID: e.ID, Err: err}
	case run.Prepare:
		return run.Prepared{ID: e.ID, Err: err}
	case run.Start:
		return run.Started{ID: e.ID, Err: err}
	case run.Glance:
		return run.Glanced{ID: e.ID}
	case run.PollCheck:
		return run.Polled{ID: e.ID, Err: err}
	case run.CallModel:
		return run.Replied{ID: e.ID, Err: err}
	case run.Rest:
		return run.Rested{ID: e.ID}
	case run.RunTool:
		if e.Background {
			return run.JobDone{ID: e.ID, Err: err}
		}
		return run.Ran{ID: e.ID, Err: err}
	}
	panic(fmt.Sprintf("agent: effect %T is not known", e))
}

func (a *Agent) prepare(ctx context.Context, e run.Prepare) run.Event {
	ctx, cancel := context.WithTimeoutCause(ctx, a.cfg.Waits.Prepare, errNotReady)
	defer cancel()
	got := make(chan run.Prepared, 1)
	a.work.Go(func() {
		p := run.Prepared{ID: e.ID}
		p.Err = guarded(func() (err error) { p.Skill, err = e.Tool.New(e.Call); return err })
		got <- p
	})
	select {
	case p := <-got:
		return p
	case <-ctx.Done():
		return run.Prepared{ID: e.ID, Err: context.Cause(ctx)}
	}
}

// start hands the prepared skill over: the control loop only takes it, it makes nothing.
func (a *Agent) start(ctx context.Context, e run.Start) run.Event {
	ctx, cancel := context.WithTimeout(ctx, a.cfg.Waits.Command)
	defer cancel()
	return run.Started{ID: e.ID, Err: a.cfg.Controller.StartAction(ctx, e.What)}
}

// judge asks for the verdict. It waits for the world to come to rest, so it holds no time; without an answer in time
// there is no verdict.
func (a *Agent) judge(ctx context.Context, e run.Judge, release func()) {
	if a.cfg.Judge == nil {
		a.post(run.Judged{ID: e.ID})
		release()
		return
	}
	var once sync.Once
	done := make(chan struct{})
	answer := func(j run.Judged) {
		once.Do(func() {
			a.post(j)
			close(done)
		})
	}
	err := guarded(func() error {
		a.cfg.Judge(func(ok *bool, err error) { answer(run.Judged{ID: e.ID, Success: ok, Err: err}) })
		return nil
	})
	if err != nil {
		answer(run.Judged{ID: e.ID, Err: err})
	}
	release()
	a.work.Go(func() {
		limit := time.NewTimer(a.cfg.Waits.Verdict)
		defer limit.Stop()
		select {
		case <-done:
		case <-limit.C:
			answer(run.Judged{ID: e.ID, Err: errNoVerdict})
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
func (a *Agent) reason(ctx context.Context, e run.CallModel, w asked) {
	from := time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, a.cfg.Waits.Reply, errReplyTooLong)
	defer cancel()
	var kept []run.Event
	places := make(chan struct{}, backlog)
	emit := func(p run.Part) {
		select {
		case places <- struct{}{}:
			a.postThen(func() { <-places }, p)
		case <-ctx.Done():
		}
	}
	if w.serial { // nothing that answers one of its calls may come between the pieces of a reply
		emit = func(p run.Part) { kept = append(kept, p) }
	}
	heard, err := a.listen(ctx, func() error { return a.stream(ctx, e, w, emit) })
	if !heard {
		kept = nil // it is still being written
	}
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	a.post(append(kept, run.Replied{ID: e.ID, Err: err, Latency: time.Since(from)})...)
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

func (a *Agent) stream(ctx context.Context, e run.CallModel, w asked, emit func(run.Part)) error {
	if w.first {
		if err := w.who.Begin(ctx, RunInfo{Run: a.cfg.Log.Episode(), Task: e.Task, Tools: e.View.Request.Tools}); err != nil {
			return err
		}
	}
	var left room
	for p, err := range w.who.Deliberate(ctx, e.View) {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if !left.takes(p) {
			emit(run.Part{ID: e.ID, What: model.End{Reason: model.StopMaxTokens}})
			return nil
		}
		emit(run.Part{ID: e.ID, What: p})
	}
	return nil
}
