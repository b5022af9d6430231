package run

import (
	"fmt"
	"slices"
	"time"

	"github.com/rein-robotics/rein/agent/action"
	"github.com/rein-robotics/rein/agent/point"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/episode"
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

// Blindness is what a glance found out about one camera.
type Blindness struct {
	Camera string
	Why    string // why it is not trusted; "" = it is live
}

// watchCameras asks for the next glance while actions run.
func (s *State) watchCameras(m Moment) {
	running := slices.ContainsFunc(s.acts.All(), func(a action.Action) bool { return a.Phase == action.Running })
	if s.glancing || s.Over() || !running || len(s.set.Cameras) == 0 {
		return
	}
	s.glancing = true
	s.do(SetTimer{Name: glanceTimer, At: m.At + glanceEvery})
}

// glance begins the glance that the timer was set for.
func (s *State) glance() {
	if s.Over() || !s.glancing || s.glanceID != 0 {
		return // of a run that is over, or of an earlier one
	}
	s.glanceID = s.id()
	s.do(Glance{ID: s.glanceID, Cameras: s.set.Cameras})
}

// onGlanced keeps which cameras are to be trusted, and tells what has changed.
func (s *State) onGlanced(m Moment, e Glanced) {
	if e.ID != s.glanceID {
		s.late("glance", e.ID)
		return
	}
	s.glanceID, s.glancing = 0, false
	if s.Over() {
		return
	}
	for _, b := range e.Found {
		s.judgeCamera(m, b)
	}
}

func (s *State) judgeCamera(m Moment, b Blindness) {
	known, was := s.blind[b.Camera]
	switch {
	case b.Why == "" && was:
		delete(s.blind, b.Camera)
		s.tell(m, view.Happening{Kind: "camera_live", Reason: b.Camera + " shows live pictures again"})
	case b.Why != "" && !was:
		s.blind[b.Camera] = b.Why
		why := fmt.Sprintf("%s is not trusted: %s", b.Camera, b.Why)
		s.log(episode.ControllerCheck{Tag: s.Tag(), Do: "escalate", Reason: why})
		s.tell(m, view.Happening{Kind: "camera_not_live", Reason: why})
		s.news.wake(view.WakeCheck, why)
	case b.Why != known:
		s.blind[b.Camera] = b.Why
	}
}

// blinded refuses a call that points through a camera which is not to be trusted.
func (s *State) blinded(spec skill.Spec) *skill.Refusal {
	why := s.blind[spec.Camera]
	if len(spec.ImagePoints) == 0 || why == "" {
		return nil
	}
	return &skill.Refusal{Code: "camera_not_live", Message: fmt.Sprintf("%s is not trusted: %s", spec.Camera, why), Hint: point.NotLiveHint}
}
