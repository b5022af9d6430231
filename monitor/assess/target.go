package assess

import (
	"image"
	"maps"
	"slices"

	"github.com/rein-robotics/rein/monitor"
	"github.com/rein-robotics/rein/monitor/frames"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/vision"
)

// Bounds of a target's rise, metres.
const (
	rose   = 0.020
	stayed = 0.005
)

// target is the newest result of the action's tracker. One of another time than the tick's pictures says nothing of now.
func target(t monitor.Tick) (tr vision.Track, why string) {
	fields := slices.Sorted(maps.Keys(t.Look.Tracks))
	switch {
	case len(fields) == 0:
		return tr, "no tracker follows the target"
	case len(fields) > 1:
		return tr, "more than one tracker runs"
	}
	tr = t.Look.Tracks[fields[0]]
	if (t.Look.At - tr.At).Abs() > frames.MarkFor {
		return tr, "the tracker's newest result is of another time"
	}
	return tr, ""
}

// lost says that the tracker does not see its target.
func lost(t monitor.Tick) (yes bool, why string) {
	tr, why := target(t)
	return why == "" && (tr.Mask == nil || tr.Visibility < 0.5), why
}

// lifted compares the height of the tracked target with that of the planner's point when it was chosen.
func lifted(t monitor.Tick) (yes bool, why string) {
	tr, why := target(t)
	if why != "" {
		return false, why
	}
	if tr.Mask == nil || tr.Frame == nil {
		return false, "the target is out of sight"
	}
	if len(t.Watched.Points) != 1 {
		return false, "there is not one point to compare with"
	}
	var before float64
	for _, p := range t.Watched.Points {
		z, ok := height(p.Frame, around(p.Pixel), nil)
		if !ok {
			return false, "there is no depth at the planner's point"
		}
		before = z
	}
	now, ok := height(tr.Frame, tr.Mask.Rect, tr.Mask)
	if !ok {
		return false, "there is no depth on the target"
	}
	switch rise := now - before; {
	case rise >= rose:
		return true, ""
	case rise <= stayed:
		return false, ""
	}
	return false, "the target has risen a little, which decides nothing"
}

// around are the pixels next to a point.
func around(p [2]float64) image.Rectangle {
	x, y := int(p[0]), int(p[1])
	return image.Rect(x-2, y-2, x+3, y+3)
}

// height is the median height in the world of a frame's pixels in r, of the mask's when there is one.
func height(f *robot.Frame, r image.Rectangle, m *vision.Mask) (z float64, ok bool) {
	if f == nil {
		return 0, false
	}
	var zs []float64
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if m != nil && !m.At(x, y) {
				continue
			}
			if p, ok := f.World(x, y); ok {
				zs = append(zs, p.Z)
			}
		}
	}
	if len(zs) == 0 {
		return 0, false
	}
	slices.Sort(zs)
	return zs[len(zs)/2], true
}
