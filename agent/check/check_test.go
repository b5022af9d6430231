package check_test

import (
	"strings"
	"testing"
	"time"

	"github.com/rein-robotics/rein/agent/check"
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
)

// at is readings of one moment.
type at struct {
	ms             int
	x, turn        float64 // of the arm's tip
	grip, target   float64 // aperture
	force, torque  float64
	noArm, noHands bool
}

func (a at) readings() *robot.Readings {
	r := &robot.Readings{At: time.Duration(a.ms) * time.Millisecond}
	if !a.noArm {
		r.Arms = map[string]robot.ArmState{"arm": {Tip: geom.Pose{Pos: geom.Vec{X: a.x}, Rot: geom.RotZ(a.turn)}, Efforts: []float64{0, a.torque}}}
	}
	if !a.noHands {
		r.Grippers = map[string]robot.GripperState{"grip": {ApertureM: a.grip, TargetM: a.target, ForceN: a.force}}
	}
	return r
}

func TestChecks(t *testing.T) {
	stall := check.Spec{Kind: check.Stalled, For: 5 * time.Second, Within: 0.003}
	empty := check.Spec{Kind: check.Empty, For: 300 * time.Millisecond, Below: 0.001}
	force := check.Spec{Kind: check.Overload, Module: "grip", Above: 10}
	torque := check.Spec{Kind: check.Overload, Module: "arm", Above: 2, For: 100 * time.Millisecond}
	tests := map[string]struct {
		spec  check.Spec
		seen  []at
		fires int    // index of the readings that it fires on, -1 = never
		why   string // what it says
	}{
		"nothing_has_moved_for_five_seconds":  {stall, []at{{ms: 0}, {ms: 4990}, {ms: 5000}}, 2, "nothing of arm and grip has moved by more than 3 mm for 5 s"},
		"a_few_millimetres_are_no_motion":     {stall, []at{{ms: 0}, {ms: 2000, x: 0.002}, {ms: 5000, x: 0.001}}, 2, ""},
		"a_motion_begins_anew":                {stall, []at{{ms: 0}, {ms: 4000, x: 0.004}, {ms: 5000, x: 0.004}, {ms: 9000, x: 0.004}}, 3, ""},
		"slow_motion_is_motion":               {stall, []at{{ms: 0}, {ms: 2000, x: 0.002}, {ms: 4000, x: 0.004}, {ms: 6000, x: 0.006}, {ms: 8000, x: 0.008}}, -1, ""},
		"a_turn_is_motion":                    {stall, []at{{ms: 0}, {ms: 4000, turn: 0.05}, {ms: 5000, turn: 0.05}}, -1, ""},
		"a_gripper_that_moves_is_motion":      {stall, []at{{ms: 0}, {ms: 4000, grip: 0.01}, {ms: 5000, grip: 0.01}}, -1, ""},
		"readings_that_stand_still_prove_nil": {stall, []at{{ms: 10}, {ms: 10}, {ms: 10}}, -1, ""},
		"no_readings_prove_nothing":           {stall, []at{{ms: 0, noArm: true, noHands: true}, {ms: 9000, noArm: true, noHands: true}}, -1, ""},
		"closed_on_nothing":                   {empty, []at{{ms: 0, grip: 0.05}, {ms: 1000, grip: 0.0005}, {ms: 1300, grip: 0.0005}}, 2, "nothing between its fingers"},
		"closed_on_something":                 {empty, []at{{ms: 0, grip: 0.05}, {ms: 1000, grip: 0.012}, {ms: 3000, grip: 0.012}}, -1, ""},
		"closed_from_the_start":               {empty, []at{{ms: 0}, {ms: 1000}, {ms: 3000}}, -1, ""},
		"on_its_way_through_zero_to_open":     {empty, []at{{ms: 0, grip: 0.05}, {ms: 1000, target: 0.05}, {ms: 3000, target: 0.05}}, -1, ""},
		"opened_again_in_time":                {empty, []at{{ms: 0, grip: 0.05}, {ms: 1000}, {ms: 1200, grip: 0.02}, {ms: 1300}, {ms: 1500}}, -1, ""},
		"a_force_over_its_limit":              {force, []at{{ms: 0, force: 9}, {ms: 10, force: -11}}, 1, "11 N"},
		"a_torque_over_its_limit_for_a_while": {torque, []at{{ms: 0, torque: 3}, {ms: 50, torque: 1}, {ms: 60, torque: 3}, {ms: 160, torque: 3}}, 3, "joint 2 of arm"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			w := check.New(tc.spec, []string{"arm", "grip"})
			got, why := -1, ""
			for i, a := range tc.seen {
				if reason, fires := w.See(a.readings()); fires {
					if got >= 0 {
						t.Errorf("it fires again on %d", i)
					}
					got, why = i, reason
				}
			}
			if _, again := w.See(tc.seen[len(tc.seen)-1].readings()); again {
				t.Error("it fires once more")
			}
			if got != tc.fires || !strings.Contains(why, tc.why) {
				t.Errorf("fires on %d (%q), want %d (%q)", got, why, tc.fires, tc.why)
			}
		})
	}
}
