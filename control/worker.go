package control

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/vision"
)

// worker does the image work of one service on a goroutine of its own. It is closed by its service and joined by Run.
type worker struct {
	label string      // for whoever asks what holds the clock
	jobs  chan func() // one frame each; the function gives the clock back once the frame is taken
	found chan found  // one result a job
	stop  context.CancelFunc

	err error // why the service was lost; owned by the loop
}

type found struct {
	track vision.Track
	err   error
	fatal bool
}

func (c *Controller) newWorker(v skill.Service, t Tracker) *worker {
	ctx, stop := context.WithCancel(context.Background()) // it ends with its service, whoever asked for that
	w := &worker{label: "frame for " + v.Name(), jobs: make(chan func(), 1), found: make(chan found, 1), stop: stop}
	c.queue.spawn(func() {
		for free := range w.jobs {
			w.found <- c.follow(ctx, v, t, free)
		}
	})
	return w
}

// errNoTrack is a tracker that neither finds nor gives up.
var errNoTrack = errors.New("the tracker gives no result")

// wait takes the result of the frame that was asked for; without one in time the tracker is given up, so that no stop
// waits for it.
func (w *worker) wait(limit time.Duration) found {
	select {
	case got := <-w.found:
		return got
	default:
	}
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case got := <-w.found:
		return got
	case <-late.C:
		return found{err: errNoTrack, fatal: true}
	}
}

func (w *worker) close() {
	w.stop()
	close(w.jobs)
}

// follow takes one frame and looks for the region in it.
func (c *Controller) follow(ctx context.Context, v skill.Service, t Tracker, free func()) (got found) {
	defer free()
	defer func() {
		if p := recover(); p != nil {
			got = found{err: fmt.Errorf("the tracker panicked: %v", p), fatal: true}
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Waits.Frame)
	defer cancel()
	f, err := c.cfg.Robot.Frame(ctx, robot.FrameRequest{Camera: v.Module, Region: t.Region(), Quality: robot.Plain})
	free()
	if err != nil {
		return found{err: err, fatal: errors.Is(err, context.DeadlineExceeded)}
	}
	got.track = t.Update(f)
	if c.cfg.Marked != nil {
		c.cfg.Marked(v, got.track)
	}
	return got
}
