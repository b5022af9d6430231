package sim

import (
	"context"
	"errors"
	"time"

	"github.com/rein-robotics/rein/geom"
	world "github.com/rein-robotics/rein/sim"
)

// ErrNoTask says that no task of the scene equals the instruction: the run is unchecked.
var ErrNoTask = errors.New("the scene has no task with this instruction")

// armStill is below what speed of the tips and the fingers the arms count as still, and stillWait how long a verdict
// waits for that before it judges all the same.
const (
	armStill  = 0.005 // m/s
	stillWait = 3 * time.Second
)

// trial is the attempt that is being judged, and who waits for its verdict. It is guarded by the robot's mu.
type trial struct {
	r       *Robot
	of      *world.Trial
	asked   bool
	waited  time.Duration
	judging bool
	verdict bool
	done    chan struct{} // closed when the verdict is there; nil before it was asked for
	then    []func(bool)  // told the verdict
}

// Begin notes how the world is before a run, for the checks of the scene's task that equals the typed instruction. It
// returns ErrNoTask when there is none. A second Begin replaces the first.
func (r *Robot) Begin(instruction string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return errClosed
	}
	r.trial = nil
	task := r.world.Scene().Task(instruction)
	if task == nil {
		return ErrNoTask
	}
	r.trial = &trial{r: r, of: r.world.Begin(task)}
	return nil
}

// Judge is called when the run has ended. While somebody advances the clock it waits until the arms are still and then
// for the verdict, up to two seconds of the robot clock later: whether the task's check holds through the last half
// second. ErrNoTask when Begin found none.
func (r *Robot) Judge(ctx context.Context) (passed bool, err error) {
	t, done, err := r.ask()
	if err != nil {
		return false, err
	}
	select {
	case <-done:
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return t.verdict, nil
}

// AskJudge is Judge without the wait: then is called once, at the end of the period in which the verdict is there and on
// the goroutine that advances the clock, or at once. It must not block, and may take a hold of the clock before simulated
// time goes on.
func (r *Robot) AskJudge(then func(passed bool, err error)) {
	t, done, err := r.ask()
	if err != nil {
		then(false, err)
		return
	}
	if r.decidedOr(t, done, func(passed bool) { then(passed, nil) }) {
		then(t.verdict, nil) // it does not change any more
	}
}

// decidedOr says whether the verdict is there; else later is told it.
func (r *Robot) decidedOr(t *trial, done <-chan struct{}, later func(passed bool)) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-done:
		return true
	default:
		t.then = append(t.then, later)
		return false
	}
}

// JudgeAlone is Judge for a caller that drives the clock itself: it advances it until the verdict is there.
func (r *Robot) JudgeAlone(ctx context.Context) (passed bool, err error) {
	t, done, err := r.ask()
	if err != nil {
		return false, err
	}
	for {
		select {
		case <-done:
			r.mu.Lock()
			defer r.mu.Unlock()
			return t.verdict, nil
		default:
		}
		if err := r.clock.Advance(ctx); err != nil {
			return false, err
		}
	}
}

// ask makes the trial be judged from the next period on.
func (r *Robot) ask() (*trial, <-chan struct{}, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed:
		return nil, nil, errClosed
	case r.trial == nil:
		return nil, nil, ErrNoTask
	}
	if !r.trial.asked {
		r.trial.asked, r.trial.done = true, make(chan struct{})
	}
	return r.trial, r.trial.done, nil
}

// observe is called at the end of every period, under mu. It gives those who are to be told the verdict, once.
func (t *trial) observe() (told []func(passed bool)) {
	if t == nil || !t.asked {
		return nil
	}
	select {
	case <-t.done:
		return nil
	default:
	}
	if !t.judging {
		t.waited += t.r.period
		t.judging = t.r.still() || t.waited >= stillWait
		return nil
	}
	passed, done := t.of.Judge()
	if !done {
		return nil
	}
	t.verdict = passed
	close(t.done)
	return t.then
}

// still says whether arms and grippers are at rest.
func (r *Robot) still() bool {
	s := r.Readings()
	for _, a := range s.Arms {
		if a.TipSpeed > armStill {
			return false
		}
	}
	for _, g := range s.Grippers {
		if max(g.SpeedMS, -g.SpeedMS) > armStill {
			return false
		}
	}
	return true
}

// WorldPose is where an object is, nil when the scene has none of that name. It is for tests: nothing that decides may
// see it.
func (r *Robot) WorldPose(object string) *geom.Pose {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	return r.world.Pose(object)
}

// Disturb puts an object somewhere else, as a person's hand would. It is for tests and for trying skills out.
func (r *Robot) Disturb(object string, to geom.Pose) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return errClosed
	}
	return r.world.Disturb(object, to)
}
