package app

import (
	"image"

	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/vision"
)

// overlayOf is what a tracker marked on a frame, for the log.
func overlayOf(s skill.Service, t vision.Track) episode.Overlay {
	o := episode.Overlay{Field: s.Name(), At: t.At, Box: t.Box}
	if t.Frame != nil {
		o.Size = image.Pt(t.Frame.Intrinsics.Width, t.Frame.Intrinsics.Height)
	}
	if t.Mask != nil {
		o.Mask = t.Mask.At
	}
	return o
}
