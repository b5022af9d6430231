package app

import (
	"fmt"
	"testing"

	"github.com/rein-robotics/rein/episode"
)

// sawLate is what a run knew of its camera.
type sawLate struct {
	knownS float64  // robot clock when it was told that the camera is not to be trusted; 0 = never
	after  []string // tools that point, started after that
}

func knew(t *testing.T, a trial) (out sawLate) {
	t.Helper()
	for e, err := range episode.Read(a.dir) {
		if err != nil {
			t.Fatal(err)
		}
		switch x := e.Event.(type) {
		case episode.ControllerCheck:
			if out.knownS == 0 {
				out.knownS = e.Sim.Seconds()
			}
		case episode.ActionStarted:
			if out.knownS > 0 && (x.Tool == "pick_object" || x.Tool == "place_at") {
				out.after = append(out.after, x.Tool)
			}
		}
	}
	return out
}

// A camera that freezes, goes black or falls behind while an action runs is known within a second of the robot clock,
// whenever it happens, and nothing is begun at a point of it from there on; what was not seen is not claimed.
func TestCameraFaultIsKnownWithinASecond(t *testing.T) {
	unraced(t)
	for _, kind := range []string{"kind: frozen", "kind: black", "kind: delayed, delay_s: 3"} {
		for _, from := range []float64{0.9, 3.3, 6.1} {
			t.Run(fmt.Sprintf("%s_%g", kind, from), func(t *testing.T) {
				t.Parallel()
				a := try(t, attempt{task: intoBox, scene: pickScene + fmt.Sprintf("faults:\n  - {camera: front_camera, %s, from_s: %g}\n", kind, from)})
				k := knew(t, a)
				if k.knownS == 0 || k.knownS > from+1 {
					t.Errorf("broken at %g s, known at %g s", from, k.knownS)
				}
				if len(k.after) > 0 {
					t.Errorf("%v were begun after it was known", k.after)
				}
				if is(a.Claimed) == "true" {
					t.Errorf("it claims: %s", a.Summary)
				}
			})
		}
	}
}
