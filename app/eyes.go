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
)

// eyes makes the copies that a planner is sent, and remembers the picture before of each camera.
type eyes struct {
	maxSide int
	grid    vision.Grid
	marks   bool                 // pictures show what the trackers marked
	now     func() time.Duration // robot clock

	mu   sync.Mutex
	last map[string][]*robot.Frame // by camera: the first picture and the newest; guarded by mu
	seen map[string]vision.Track   // by the tracker's field, what it marked last; guarded by mu
}

// markFor is how long after its frame a tracker's mark is shown, robot clock: what has not been followed since is not shown.
const markFor = 300 * time.Millisecond

// maxAge is how old the newest picture of a live camera may be, robot clock.
const maxAge = time.Second

func newEyes(a *config.Agent, startup []*robot.Frame, now func() time.Duration) *eyes {
	e := &eyes{
		maxSide: a.ImageMaxSide, marks: a.ImageOverlays, now: now, last: map[string][]*robot.Frame{}, seen: map[string]vision.Track{},
	}
	if a.ImageGrid {
		e.grid = vision.GridOn
	}
	for _, f := range startup {
		e.last[f.Camera] = []*robot.Frame{f}
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

// Live compares the picture with the first and the newest one of its camera.
func (e *eyes) Live(f *robot.Frame) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	before := e.last[f.Camera]
	why := ""
	for _, old := range append(before, nil) {
		if old != nil && old.At == f.At {
			continue // one instant has one picture, however often it is asked for
		}
		if reason, ok := vision.Live(old, f); !ok {
			why = reason
		}
	}
	if age := e.now() - f.At; age > maxAge {
		why = fmt.Sprintf("its newest picture is %.1f s old", age.Seconds())
	}
	if len(before) < 2 {
		e.last[f.Camera] = append(before, f)
	} else {
		before[1] = f
	}
	return why
}
