package liveness

import (
	"image"

	"github.com/rein-robotics/rein/robot"
)

// stripRows is how many rows of the capture a glance takes, over its whole width: enough that sensor noise never repeats,
// and little to draw.
const stripRows = 8

// Judge says by its pictures whether one camera shows the world. It keeps two of them, which nobody may change. One
// goroutine at a time uses it.
type Judge struct {
	before []*robot.Frame // the first picture and the newest
	why    string         // what the newest instant showed
	noise  noiseSign
	motion motionSign // without a camera it says nothing
}

// New makes the judge of a camera, by its module. The body tells where the camera is and what moves before it. first is a
// picture that is taken for live; nil = there is none yet.
func New(body *robot.Description, camera string, first *robot.Frame) *Judge {
	l := &Judge{motion: motionSign{body: body}}
	if first != nil {
		l.before = []*robot.Frame{first}
	}
	if m := body.Module(camera); m != nil {
		l.motion.camera = m.Camera
	}
	return l
}

// Strip is the part of the capture that See wants between two looks, capture pixels; empty = the whole.
func (l *Judge) Strip() image.Rectangle {
	if l.motion.camera == nil {
		return image.Rectangle{}
	}
	in := l.motion.camera.Intrinsics
	top := max(0, in.Height/2-stripRows/2)
	return image.Rect(0, top, in.Width, top+stripRows)
}

// See takes a picture of the camera, of fine quality, and says in a few words why the camera is not to be trusted; "" = it
// is. Of several pictures with one capture time only the first is compared with earlier ones.
func (l *Judge) See(f *robot.Frame) string {
	if reason, ok := Live(nil, f); !ok {
		return reason
	}
	n := len(l.before)
	again := n > 0 && l.before[n-1].At == f.At
	if !again {
		l.why = l.same(f)
	}
	if n < 2 && !again {
		l.before = append(l.before, f)
	} else {
		l.before[n-1] = f
	}
	if l.why == "" {
		return l.motion.why()
	}
	return l.why
}

// same says why f is taken for an earlier picture, "" when it is not.
func (l *Judge) same(f *robot.Frame) string {
	for _, old := range l.before {
		if !whole(old) || !whole(f) {
			continue
		}
		if reason, ok := Live(old, f); !ok {
			return reason
		}
	}
	return l.noise.judge(l.before, f)
}

// whole says whether a picture is the whole capture: no live camera repeats that to the byte.
func whole(f *robot.Frame) bool {
	return f.Color.Rect == image.Rect(0, 0, f.Intrinsics.Width, f.Intrinsics.Height)
}

// Motion is the part of the capture that SeeMotion wants now, of plain quality, capture pixels. It is empty when a picture
// would say nothing: no arm is in view, or none has moved far enough.
func (l *Judge) Motion(now *robot.Readings) image.Rectangle {
	if l.motion.camera == nil || now == nil {
		return image.Rectangle{}
	}
	return l.motion.region(now)
}

// SeeMotion takes a picture of the part that Motion gave for the same readings. See says what it showed.
func (l *Judge) SeeMotion(f *robot.Frame, now *robot.Readings) {
	if l.motion.camera == nil || now == nil || f == nil || f.Color == nil {
		return
	}
	l.motion.judge(f, now)
}
