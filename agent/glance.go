package agent

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rein-robotics/rein/agent/action"
	"github.com/rein-robotics/rein/agent/point"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
)

// A camera can freeze, fall behind or go dark between two looks. While actions run, a small part of each picture is taken
// every glanceEvery of the robot clock, so that the next look has a recent picture to differ from; and another one where an
// arm moves, which must show it.

// glanceTimer is the name of the timer of the next glance.
const glanceTimer = "glance"

// glanceEvery is a quarter of the second within which a camera that shows no live picture must be known: a picture that
// does not show a motion counts only when the next one does not, either, and the first after the fault may still differ.
const glanceEvery = 250 * time.Millisecond

// blindness is what a glance found out about one camera.
type blindness struct {
	camera string
	why    string // why it is not trusted; "" = it is live
}

// watchCameras asks for the next glance while actions run.
func (s *state) watchCameras(m moment) {
	running := slices.ContainsFunc(s.acts.All(), func(a action.Action) bool { return a.Phase == action.Running })
	if s.glancing || s.over() || !running || len(s.set.Cameras) == 0 {
		return
	}
	s.glancing = true
	s.do(setTimer{name: glanceTimer, at: m.At + glanceEvery})
}

// glance begins the glance that the timer was set for.
func (s *state) glance() {
	if s.over() || !s.glancing || s.glanceID != 0 {
		return // of a run that is over, or of an earlier one
	}
	s.glanceID = s.id()
	s.do(glance{id: s.glanceID, cameras: s.set.Cameras})
}

// onGlanced keeps which cameras are to be trusted, and tells what has changed.
func (s *state) onGlanced(m moment, e glanced) {
	if e.id != s.glanceID {
		s.late("glance", e.id)
		return
	}
	s.glanceID, s.glancing = 0, false
	if s.over() {
		return
	}
	for _, b := range e.found {
		s.judgeCamera(m, b)
	}
}

func (s *state) judgeCamera(m moment, b blindness) {
	known, was := s.blind[b.camera]
	switch {
	case b.why == "" && was:
		delete(s.blind, b.camera)
		s.tell(m, view.Happening{Kind: "camera_live", Reason: b.camera + " shows live pictures again"})
	case b.why != "" && !was:
		s.blind[b.camera] = b.why
		why := fmt.Sprintf("%s is not trusted: %s", b.camera, b.why)
		s.log(episode.ControllerCheck{Tag: s.tag(), Do: "escalate", Reason: why})
		s.tell(m, view.Happening{Kind: "camera_not_live", Reason: why})
		s.news.wake(view.WakeCheck, why)
	case b.why != known:
		s.blind[b.camera] = b.why
	}
}

// blinded refuses a call that points through a camera which is not to be trusted.
func (s *state) blinded(spec skill.Spec) *skill.Refusal {
	why := s.blind[spec.Camera]
	if len(spec.ImagePoints) == 0 || why == "" {
		return nil
	}
	return &skill.Refusal{Code: "camera_not_live", Message: fmt.Sprintf("%s is not trusted: %s", spec.Camera, why), Hint: point.NotLiveHint}
}

// glance looks at each camera.
func (a *Agent) glance(ctx context.Context, e glance) event {
	ctx, cancel := context.WithTimeout(ctx, a.cfg.Waits.Frame)
	defer cancel()
	out := glanced{id: e.id}
	for _, cam := range e.cameras {
		out.found = append(out.found, blindness{camera: cam, why: a.blindness(ctx, cam)})
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
