package frames

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// History is the pictures of one action that are shown on its next tick. The zero History holds none.
type History struct {
	reference []Shot
	shots     []Shot // of all cameras, oldest first
	cameras   []string
}

// Refer keeps the pictures from when the action started.
func (h *History) Refer(shots ...Shot) {
	h.reference = append(h.reference, shots...)
	h.know(shots)
}

// Add puts new pictures behind those that are kept, and forgets what a history of n pictures of each camera does not show.
func (h *History) Add(n int, shots ...Shot) {
	h.know(shots)
	h.shots = append(h.shots, shots...)
	for _, camera := range h.cameras {
		extra := -max(n, 1)
		for _, s := range h.shots {
			if s.Camera == camera {
				extra++
			}
		}
		h.shots = slices.DeleteFunc(h.shots, func(s Shot) bool {
			if s.Camera != camera || extra <= 0 {
				return false
			}
			extra--
			return true
		})
	}
}

// know notes the cameras in the order in which they were first seen: that of the pictures.
func (h *History) know(shots []Shot) {
	for _, s := range shots {
		if !slices.Contains(h.cameras, s.Camera) {
			h.cameras = append(h.cameras, s.Camera)
		}
	}
}

// Picture is a shot as one tick shows it.
type Picture struct {
	Shot
	Label string // "right_wrist_camera, previous, 1.6 s ago", "front_camera, current, 0.4 s old"
}

// lags is how far behind the newest picture of a tick the current one of a camera says how old it is. Cameras that run
// beside each other are nearer.
const lags = 200 * time.Millisecond

// Pictures is what a tick shows: camera by camera, the pictures from when the action started first, then the kept ones,
// oldest first. Ages are against the camera's current picture, or against the newest of all where that one lags.
func (h *History) Pictures() []Picture {
	var out []Picture
	newest := time.Duration(math.MinInt64)
	for _, s := range h.shots {
		newest = max(newest, s.At)
	}
	for _, camera := range h.cameras {
		mine := func(s Shot) bool { return s.Camera == camera }
		kept := filter(h.shots, mine)
		if len(kept) == 0 {
			continue
		}
		current, when := kept[len(kept)-1], "current"
		now := current.At
		if d := newest - now; d >= lags {
			now, when = newest, fmt.Sprintf("current, %.1f s old", d.Seconds())
		}
		for _, s := range filter(h.reference, mine) {
			start := "when the action started, " + ago(now-s.At)
			if s.Pointed {
				start += ", with the planner's point on the target"
			}
			out = append(out, Picture{Shot: s, Label: label(s, start)})
		}
		for _, s := range kept[:len(kept)-1] {
			out = append(out, Picture{Shot: s, Label: label(s, "previous, "+ago(now-s.At))})
		}
		out = append(out, Picture{Shot: current, Label: label(current, when)})
	}
	return out
}

func filter(shots []Shot, is func(Shot) bool) []Shot {
	return slices.DeleteFunc(slices.Clone(shots), func(s Shot) bool { return !is(s) })
}

func label(s Shot, when string) string {
	if s.CloseUp {
		return s.Camera + " close-up, " + when
	}
	return s.Camera + ", " + when
}

func ago(d time.Duration) string { return fmt.Sprintf("%.1f s ago", d.Seconds()) }
