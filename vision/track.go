package vision

import (
	"image"
	"time"

	"github.com/rein-robotics/rein/robot"
)

// Mask is a set of pixels inside Rect.
type Mask struct {
	Rect image.Rectangle // capture pixels
	Bits []bool          // row by row, Rect.Dx() a row
}

// At says whether pixel (x, y) of the capture is in the mask.
func (m *Mask) At(x, y int) bool {
	if m == nil || !(image.Point{X: x, Y: y}).In(m.Rect) {
		return false
	}
	return m.Bits[(y-m.Rect.Min.Y)*m.Rect.Dx()+x-m.Rect.Min.X]
}

// Track is one result of a region tracker. It is immutable.
type Track struct {
	At         time.Duration   // capture time of Frame
	Frame      *robot.Frame    // what it was found in
	Mask       *Mask           // nil when the target is out of sight
	Box        image.Rectangle // bounds of the mask, capture pixels
	Point      [2]float64      // centre of the mask, continuous capture pixels
	Visibility float64         // 0 to 1: how sure the tracker is that this is still the seeded region
	Area       float64         // share of the whole capture that the mask covers, 0 to 1
	Pixels     int             // of the mask
}
