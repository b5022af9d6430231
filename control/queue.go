package control

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// command is something that runs on the loop's goroutine between two ticks.
type command struct {
	do   func(late bool) // late: whoever asked was told that the loop did not take it
	late func(error)     // tells so; nil = nobody is told
	must bool            // carry it out even when it is late: a stop
	free func()          // gives the clock back, for whoever waits for nothing but the loop

	state atomic.Int32
	timer *time.Timer // nil = no limit
}

const (
	cmdWaiting int32 = iota
	cmdTaken
	cmdLate
)

// queue hands commands to the loop in the order in which they were asked. wake has a slot: there is something.
type queue struct {
	wake chan struct{}

	mu     sync.Mutex // guards what follows
	cmds   []*command
	spare  []*command // the loop's batch of the time before, for reuse
	closed bool
	wg     sync.WaitGroup // of goroutines that the controller started
}

func (q *queue) push(c *command) bool {
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return false
	}
	q.cmds = append(q.cmds, c)
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
	return true
}

// spawn starts a goroutine that Run joins; false when the loop has ended.
func (q *queue) spawn(fn func()) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.wg.Go(fn)
	return true
}

// join waits for the goroutines of spawn. One that does not hear that it is over, a tracker that ponders, is left behind
// after limit: it holds nothing any more.
func (q *queue) join(limit time.Duration) {
	done := make(chan struct{})
	go func() {
		q.wg.Wait()
		close(done)
	}()
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
	}
}

// take gives what is queued, for the loop alone; it is valid until the next take.
func (q *queue) take() []*command {
	q.mu.Lock()
	defer q.mu.Unlock()
	batch := q.cmds
	q.cmds, q.spare = q.spare[:0], batch
	return batch
}

// close refuses further commands and gives those that were not taken.
func (q *queue) close() []*command {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	rest := q.cmds
	q.cmds = nil
	return rest
}

// run carries the command out unless it came too late for one that may be left out.
func (c *command) run() {
	if c.timer != nil {
		c.timer.Stop()
	}
	taken := c.state.CompareAndSwap(cmdWaiting, cmdTaken)
	if taken || c.must {
		c.do(!taken)
	}
	c.free()
}

// giveUp tells the asker that the loop did not take the command; false when it has been taken.
func (c *command) giveUp(err error) bool {
	if !c.state.CompareAndSwap(cmdWaiting, cmdLate) {
		return false
	}
	if !c.must {
		c.free()
	}
	if c.late != nil {
		c.late(err)
	}
	return true
}

func (c *Controller) errLate() error {
	return &Refused{
		Code: CodeCannotStart, Message: "the control loop did not take the command within " + c.cfg.Waits.Command.String(),
		Hint: "the robot or its simulation is too slow for the control period; look at the load of the machine",
	}
}

func errOver() error {
	return &Refused{Code: CodeCannotStart, Message: "the control loop has ended", Hint: "start the program again"}
}

// ask queues a command under the limit Waits.Command. Simulated time stands still until it was carried out.
func (c *Controller) ask(what string, cmd *command) {
	cmd.free = c.cfg.Clock.Hold(what)
	if cmd.late != nil {
		cmd.timer = time.AfterFunc(c.cfg.Waits.Command, func() { cmd.giveUp(c.errLate()) })
	}
	if c.queue.push(cmd) {
		return
	}
	if cmd.timer != nil {
		cmd.timer.Stop()
	}
	cmd.giveUp(errOver())
	cmd.free()
}

// Between runs fn on the loop's goroutine between two ticks and waits for it; fn must not block. It waits for the loop
// at most Waits.Command and then gives a *Refused cannot_start: fn will not run any more.
func (c *Controller) Between(ctx context.Context, fn func()) error {
	_, err := between(ctx, c, func() (struct{}, error) { fn(); return struct{}{}, nil })
	return err
}

// between runs fn between two ticks and gives what it gave.
func between[T any](ctx context.Context, c *Controller, fn func() (T, error)) (T, error) {
	var zero T
	if ctx.Err() != nil {
		return zero, context.Cause(ctx)
	}
	var cmd *command
	got := make(chan answer[T], 1)
	cmd = &command{
		do: func(bool) {
			v, err := fn()
			got <- answer[T]{v: v, err: err, free: c.cfg.Clock.Hold("answer of the control loop")}
		},
		late: func(err error) { got <- answer[T]{err: err, free: func() {}} },
	}
	c.ask("command to the control loop", cmd)
	select {
	case a := <-got:
		a.free()
		return a.v, a.err
	case <-ctx.Done():
	}
	if cmd.giveUp(context.Cause(ctx)) {
		return zero, context.Cause(ctx)
	}
	a := <-got
	a.free()
	return a.v, a.err
}

// answer is what a waiting call gets, with a hold of the clock that covers the time until it is awake.
type answer[T any] struct {
	v    T
	err  error
	free func()
}

// await turns an Ask… method into a call that waits. When ctx ends first, what was asked still happens.
func await[T any](ctx context.Context, c *Controller, ask func(then func(T, error))) (T, error) {
	var state atomic.Int32
	got := make(chan answer[T], 1)
	ask(func(v T, err error) {
		free := c.cfg.Clock.Hold("answer of the control loop")
		if !state.CompareAndSwap(cmdWaiting, cmdTaken) {
			free()
			return
		}
		got <- answer[T]{v: v, err: err, free: free}
	})
	select {
	case a := <-got:
		a.free()
		return a.v, a.err
	case <-ctx.Done():
	}
	if state.CompareAndSwap(cmdWaiting, cmdLate) {
		var zero T
		return zero, context.Cause(ctx)
	}
	a := <-got
	a.free()
	return a.v, a.err
}
