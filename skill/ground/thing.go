package ground

import (
	"math"

	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/vision"
	"github.com/rein-robotics/rein/vision/detect"
)

// ThingAt is the thing at the point; the nearest within 5 pixels when the point itself shows none. What lies in a
// container goes before the container. nil = nothing there.
func ThingAt(f *robot.Frame, pixel [2]float64) *detect.Thing {
	var best *detect.Thing
	nearest, size := 5.5, math.MaxInt
	things := detect.Things(f, nil)
	for i := range things {
		d := distance(things[i].Mask, pixel)
		n := count(things[i].Mask)
		if d < nearest-0.5 || d <= nearest && n < size {
			best, nearest, size = &things[i], d, n
		}
	}
	return best
}

func count(m *vision.Mask) int {
	n := 0
	for _, b := range m.Bits {
		if b {
			n++
		}
	}
	return n
}

// distance is how many pixels the mask is from the point; 0 inside.
func distance(m *vision.Mask, at [2]float64) float64 {
	x, y := int(at[0]), int(at[1])
	if m.At(x, y) {
		return 0
	}
	best := math.Inf(1)
	for dy := -6; dy <= 6; dy++ {
		for dx := -6; dx <= 6; dx++ {
			if m.At(x+dx, y+dy) {
				best = math.Min(best, math.Hypot(float64(dx), float64(dy)))
			}
		}
	}
	return best
}
