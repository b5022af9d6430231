package skill

import (
	"math"
	"sync"

	"github.com/rein-robotics/rein/geom"
)

// heldDrift is how far the aperture may wander before what was held is no longer believed to be held, metres.
const heldDrift = 0.004

// Held is what a skill found out, from pictures and readings, about what it gripped.
type Held struct {
	ApertureM float64  // of the gripper around it
	Below     float64  // metres from the fingertips to its lowest point
	Above     float64  // metres from the fingertips up to its top
	Centre    geom.Vec // of its footprint, in the tool frame (x, y; z unused)
	HalfX     float64  // half its extent along the tool's x, metres
	HalfY     float64  // and along y, the closing axis
}

// Hand is what skills believe each gripper holds: the one thing they tell each other. It holds only what a skill
// measured itself through camera and readings. Safe for use by several goroutines; the zero value is ready.
type Hand struct {
	mu   sync.Mutex
	held map[string]Held // guarded by mu
}

// Took notes what the gripper holds now.
func (h *Hand) Took(gripper string, what Held) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.held == nil {
		h.held = map[string]Held{}
	}
	h.held[gripper] = what
}

// LetGo notes that the gripper was opened.
func (h *Hand) LetGo(gripper string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.held, gripper)
}

// Holds is what the gripper holds, given its aperture now (metres). ok is false when nothing was noted, or when the
// aperture has since changed: then nobody knows.
func (h *Hand) Holds(gripper string, apertureNow float64) (what Held, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	what, ok = h.held[gripper]
	if !ok || math.Abs(apertureNow-what.ApertureM) > heldDrift {
		return Held{}, false
	}
	return what, true
}
