package app

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/config"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/vision"
	"github.com/rein-robotics/rein/vision/liveness"
)

// eyes makes the copies that a planner is sent, and remembers the picture before of each camera.
type eyes struct {
	maxSide int
	grid    vision.Grid
	marks   bool                 // pictures show what the trackers marked
	now     func() time.Duration // robot clock

	mu   sync.Mutex
	live map[string]*liveness.Judge // by camera; guarded by mu
	seen map[string]vision.Track    // by the tracker's field, what it marked last; guarded by mu
}

// markFor is how long after its frame a tracker's mark is shown, robot clock: what has not been followed since is not shown.
const markFor = 300 * time.Millisecond

// maxAge is how old the newest picture of a live camera may be, robot clock.
const maxAge = time.Second

// newEyes are the eyes of a body. startup are its cameras' first pictures.
func newEyes(a *config.Agent, body *robot.Description, startup []*robot.Frame, now func() time.Duration) *eyes {
	e := &eyes{
		maxSide: a.ImageMaxSide, marks: a.ImageOverlays, now: now, live: map[string]*liveness.Judge{}, seen: map[string]vision.Track{},
	}
	if a.ImageGrid {
		e.grid = vision.GridOn
	}
	for i := range body.Modules {
		if m := &body.Modules[i]; m.Camera != nil {
			e.live[m.Name] = liveness.New(body, m.Name, earliest(startup, m.Name))
		}
	}
	return e
}

// mark keeps what a tracker marked, for the pictures of the next moments.
func (e *eyes) mark(field string, t vision.Track) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.seen[field] = t
}

// tracks are what the trackers marked last, by field.
func (e *eyes) tracks() map[string]vision.Track {
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.Clone(e.seen)
}

// marksOn are the marks that the copy of f shows.
func (e *eyes) marksOn(f *robot.Frame) []vision.Mark {
	if !e.marks {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []vision.Mark
	for _, field := range slices.Sorted(maps.Keys(e.seen)) {
		t := e.seen[field]
		if t.Mask != nil && t.Frame != nil && t.Frame.Camera == f.Camera && f.At-t.At <= markFor {
			out = append(out, vision.Mark{Mask: t.Mask, Box: t.Box})
		}
	}
	return out
}

// Send scales the picture, draws grid and marks and encodes it.
func (e *eyes) Send(f *robot.Frame) (agent.Sent, error) {
	sent, err := vision.Send(f, vision.SendOptions{MaxSide: e.maxSide, Grid: e.grid, Marks: e.marksOn(f)})
	if err != nil {
		return agent.Sent{}, err
	}
	data, err := vision.Encode(sent.Image, vision.JPEG)
	if err != nil {
		return agent.Sent{}, err
	}
	v := sent.View
	sx, sy := v.Scale()
	return agent.Sent{
		Media: "image/jpeg", Data: data, Width: v.Size.X, Height: v.Size.Y,
		Mapping: view.Mapping{
			Scale: [2]float64{sx, sy}, Margin: [2]float64{float64(v.Content.Min.X), float64(v.Content.Min.Y)},
			Crop: [2]float64{float64(v.Crop.Min.X), float64(v.Crop.Min.Y)},
		},
	}, nil
}

// earliest is a camera's first picture, nil when there is none.
func earliest(frames []*robot.Frame, camera string) *robot.Frame {
	for _, f := range frames {
		if f.Camera == camera {
			return f
		}
	}
	return nil
}

// Live compares the picture with earlier ones of its camera.
func (e *eyes) Live(f *robot.Frame) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	why := e.live[f.Camera].See(f)
	if age := e.now() - f.At; age > maxAge {
		why = fmt.Sprintf("its newest picture is %.1f s old", age.Seconds())
	}
	return why
}

// Glance is what to take of a camera's picture between two looks.
func (e *eyes) Glance(camera string, now *robot.Readings) agent.Glance {
	e.mu.Lock()
	defer e.mu.Unlock()
	l := e.live[camera]
	return agent.Glance{Still: l.Strip(), Moved: l.Motion(now)}
}

// SeeMotion takes a picture of what an arm's motion must show in.
func (e *eyes) SeeMotion(f *robot.Frame, now *robot.Readings) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.live[f.Camera].SeeMotion(f, now)
}
