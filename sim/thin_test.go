package sim_test

import (
	"fmt"
	"testing"
)

// TestLightThingsStayOnThinFloors: what is let go at the rim of a box lies on its floor afterwards, not in it and not
// under it.
func TestLightThingsStayOnThinFloors(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, thing  string
		wall, radius float64
	}{
		{"aaa_battery", "shape: cylinder, radius_m: 0.00525, length_m: 0.0445, mass_kg: 0.012", 0.005, 0.00525},
		{"thin_floor", "shape: cylinder, radius_m: 0.00525, length_m: 0.0445, mass_kg: 0.012", 0.003, 0.00525},
		{"marble", "shape: sphere, radius_m: 0.005, mass_kg: 0.003", 0.003, 0.005},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			text := fmt.Sprintf(`name: s
objects:
  - {name: box, shape: open_box, inner_m: [0.10, 0.14, 0.05], wall_m: %g, fixed: true, pose: {xy: [0.25, 0]}}
  - {name: thing, %s, pose: {xy: [0.25, 0.01], z: 0.12}}
`, tc.wall, tc.thing)
			w := newWorld(t, openEngine(t), text, 0)
			run(t, w, 200)
			if z := w.Pose("thing").Pos.Z; z < tc.wall+tc.radius-0.001 {
				t.Errorf("its middle is %.1f mm above the table, want %.1f: the floor is %.1f mm thick", z*1000, (tc.wall+tc.radius)*1000, tc.wall*1000)
			}
		})
	}
}
