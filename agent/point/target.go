package point

import (
	"fmt"

	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/vision"
)

// The first mask of a tracker must hold the point or lie this near to it, and be at least this large.
const (
	maskNearPx = 5
	maskMinPx  = 12
)

// Target judges the first mask of a tracker that was seeded with p: no mask, a mask elsewhere, or one that covers more
// than limit (a share of the image, 0 to 1) is a refusal.
func Target(t vision.Track, p skill.Point, limit float64) *skill.Refusal {
	hint := "point at the middle of the object itself"
	switch {
	case t.Mask == nil || t.Pixels < maskMinPx:
		return &skill.Refusal{Code: "no_target", Message: fmt.Sprintf("there is no object at [%.0f, %.0f] of %s", p.Pixel[0], p.Pixel[1], p.Observation), Hint: hint}
	case t.Area > limit:
		return &skill.Refusal{Code: "target_rejected", Hint: hint,
			Message: fmt.Sprintf("the point selects %.1f %% of the image, at most %.1f %% are taken: it lies beside the object", 100*t.Area, 100*limit)}
	case !near(t.Mask, p.Pixel):
		return &skill.Refusal{Code: "no_target", Message: fmt.Sprintf("the object found lies more than %d px from [%.0f, %.0f]", maskNearPx, p.Pixel[0], p.Pixel[1]), Hint: hint}
	}
	return nil
}

func near(m *vision.Mask, px [2]float64) bool {
	x, y := int(px[0]), int(px[1])
	for dy := -maskNearPx; dy <= maskNearPx; dy++ {
		for dx := -maskNearPx; dx <= maskNearPx; dx++ {
			if dx*dx+dy*dy <= maskNearPx*maskNearPx && m.At(x+dx, y+dy) {
				return true
			}
		}
	}
	return false
}
