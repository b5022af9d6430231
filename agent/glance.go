package agent

import (
	"context"

	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/robot"
)

// glance looks at each camera.
func (a *Agent) glance(ctx context.Context, e run.Glance) run.Event {
	ctx, cancel := context.WithTimeout(ctx, a.cfg.Waits.Frame)
	defer cancel()
	out := run.Glanced{ID: e.ID}
	for _, cam := range e.Cameras {
		out.Found = append(out.Found, run.Blindness{Camera: cam, Why: a.blindness(ctx, cam)})
	}
	return out
}

func (a *Agent) blindness(ctx context.Context, cam string) string {
	now := a.cfg.Robot.Readings()
	glance := a.cfg.Eyes.Glance(cam, now)
	if !glance.Moved.Empty() {
		f, err := a.cfg.Robot.Frame(ctx, robot.FrameRequest{Camera: cam, Region: glance.Moved})
		if err != nil {
			return noPicture(err)
		}
		a.cfg.Eyes.SeeMotion(f, now)
	}
	f, err := a.cfg.Robot.Frame(ctx, robot.FrameRequest{Camera: cam, Quality: robot.Fine, Region: glance.Still})
	if err != nil {
		return noPicture(err)
	}
	return a.cfg.Eyes.Live(f)
}

func noPicture(err error) string { return "it gives no picture: " + err.Error() }
