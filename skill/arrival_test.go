package skill_test

import (
	"testing"
	"time"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
)

// body is an arm of one joint between -1 and 1 rad (2 units are 0.02 rad) with a tool 0.5 m out, and a gripper.
func body() *robot.Description {
	chain := geom.Chain{
		Joints: []geom.Joint{{Name: "pan", Origin: geom.Identity(), Axis: geom.Vec{Z: 1}, Lower: -1, Upper: 1}},
		Tool:   geom.Pose{Pos: geom.Vec{X: 0.5}, Rot: geom.Rot{Real: 1}},
	}
	return &robot.Description{Modules: []robot.Module{
		{Name: "arm", Kind: robot.KindArm, Arm: &robot.Arm{Chain: chain}, Fields: []robot.Field{
			{Name: "pan", Unit: "rad", NoiseFloor: 0.001, StillSpeed: 0.05}, {Name: "x", Unit: "m", NoiseFloor: 0.0005, StillSpeed: 0.01},
		}},
		{Name: "gripper", Kind: robot.KindGripper, Gripper: &robot.Gripper{MaxApertureM: 0.07}, Fields: []robot.Field{
			{Name: "aperture_mm", Unit: "mm", NoiseFloor: 0.1, StillSpeed: 2},
		}},
	}}
}

// moment is one reading.
type moment struct {
	at    float64 // seconds
	value float64
	speed float64
}

// until repeats the last value every 10 ms up to an instant.
func until(ms []moment, end float64) []moment {
	last := ms[len(ms)-1]
	for t := last.at + 0.01; t <= end+1e-9; t += 0.01 {
		ms = append(ms, moment{t, last.value, 0})
	}
	return ms
}

// ramp goes evenly from one value to another.
func ramp(from, to, t0, t1 float64) []moment {
	var ms []moment
	for t := t0; t < t1-1e-9; t += 0.01 {
		ms = append(ms, moment{t, from + (to-from)*(t-t0)/(t1-t0), (to - from) / (t1 - t0)})
	}
	return append(ms, moment{t1, to, 0})
}

type verdict struct {
	how    string
	at     float64 // seconds, to 15 ms
	failed string
}

func TestArrivalOfJoint(t *testing.T) {
	target := robot.Target{Module: "arm", Joints: []float64{0.5}}
	tests := []struct {
		name    string
		course  []moment
		careful verdict
		letter  verdict
	}{
		{"already_there", []moment{{0, 0.49, 0}}, verdict{how: skill.Reached}, verdict{how: skill.Reached}},
		{"gets_there", until(ramp(0, 0.5, 0, 1), 3), verdict{how: skill.Reached, at: 1}, verdict{how: skill.Reached, at: 0.97}},
		{"passes_through", until(ramp(0, 0.9, 0, 0.72), 3),
			verdict{skill.Stalled, 1.02, "blocked, 199 mm short"}, verdict{how: skill.Reached, at: 0.39}},
		{"just_out_of_reach", until(ramp(0, 0.43, 0, 1), 3), verdict{how: skill.Stalled, at: 1.3}, verdict{how: skill.Stalled, at: 1.3}},
		{"blocked_on_the_way", until(ramp(0, 0.2, 0, 1), 3),
			verdict{skill.Stalled, 1.3, "blocked, 149 mm short"}, verdict{how: skill.Stalled, at: 1.3}},
		{"never_begins", until([]moment{{0, 0, 0}}, 3),
			verdict{skill.Stalled, 1.0, "blocked, 247 mm short"}, verdict{how: skill.Stalled, at: 0.8}},
		{"begins_late", until(append(until([]moment{{0, 0, 0}}, 0.88), ramp(0, 0.5, 0.9, 1.9)...), 3),
			verdict{how: skill.Reached, at: 1.9}, verdict{how: skill.Stalled, at: 0.8}},
		{"stops_before_counting_begins", until(ramp(0, 0.43, 0, 0.2), 3), verdict{how: skill.Stalled, at: 0.8}, verdict{how: skill.Stalled, at: 0.8}},
		{"still_on_its_way_at_the_cap", ramp(0, 0.4, 0, 5), verdict{how: skill.Capped, at: 4}, verdict{how: skill.Capped, at: 4}},
		{"noise_is_no_motion", jitter(0.43, 0.0004, 3), verdict{how: skill.Stalled, at: 1.0}, verdict{how: skill.Stalled, at: 0.8}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for form, want := range map[string]verdict{"careful": test.careful, "letter": test.letter} {
				rules := skill.ArrivalRules{Letter: form == "letter", Timeout: 4 * time.Second}
				got := judge(t, rules, target, test.course, func(m moment) *robot.Readings {
					return &robot.Readings{Arms: map[string]robot.ArmState{"arm": {Joints: []float64{m.value}, Speeds: []float64{m.speed}, Tip: tipAt(m.value)}}}
				})
				compare(t, form, got, want)
			}
		})
	}
}

func TestArrivalOfPoseAndAperture(t *testing.T) {
	goal := geom.Pose{Pos: geom.Vec{X: 0.3, Z: 0.1}, Rot: geom.Rot{Real: 1}}
	pose := robot.Target{Module: "arm", Pose: &goal}
	atX := func(m moment) *robot.Readings {
		tip := geom.Pose{Pos: geom.Vec{X: m.value, Z: 0.1}, Rot: geom.Rot{Real: 1}}
		return &robot.Readings{Arms: map[string]robot.ArmState{"arm": {Tip: tip, TipSpeed: m.speed}}}
	}
	turned := func(m moment) *robot.Readings {
		tip := geom.Pose{Pos: goal.Pos, Rot: geom.RotZ(m.value)}
		return &robot.Readings{Arms: map[string]robot.ArmState{"arm": {Tip: tip}}}
	}
	closing := robot.Target{Module: "gripper", ApertureM: new(0.0)}
	grip := func(m moment) *robot.Readings {
		return &robot.Readings{Grippers: map[string]robot.GripperState{"gripper": {ApertureM: m.value, SpeedMS: m.speed}}}
	}
	tests := []struct {
		name    string
		target  robot.Target
		read    func(moment) *robot.Readings
		course  []moment
		careful verdict
		letter  verdict
	}{
		{"within_5_mm", pose, atX, []moment{{0, 0.2955, 0}}, verdict{how: skill.Reached}, verdict{how: skill.Reached}},
		{"6_mm_off", pose, atX, until(ramp(0.2, 0.294, 0, 1), 3), verdict{how: skill.Stalled, at: 1.3}, verdict{how: skill.Stalled, at: 1.3}},
		{"84_mm_short", pose, atX, until(ramp(0.1, 0.216, 0, 1), 3), verdict{skill.Stalled, 1.3, "blocked, 84 mm short"}, verdict{how: skill.Stalled, at: 1.3}},
		{"turn_within_0.05", pose, turned, []moment{{0, 0.049, 0}}, verdict{how: skill.Reached}, verdict{how: skill.Reached}},
		{"turn_off", pose, turned, until([]moment{{0, 0.06, 0}}, 3), verdict{how: skill.Stalled, at: 1}, verdict{how: skill.Stalled, at: 0.8}},
		{"closed_on_an_object", closing, grip, until(ramp(0.07, 0.03, 0, 0.6), 3), verdict{how: skill.Stalled, at: 0.9}, verdict{how: skill.Stalled, at: 0.9}},
		{"closed_on_nothing", closing, grip, until(ramp(0.07, 0.001, 0, 0.6), 3), verdict{how: skill.Reached, at: 0.6}, verdict{how: skill.Reached, at: 0.59}},
		{"object_already_between", closing, grip, until([]moment{{0, 0.04, 0}}, 3), verdict{how: skill.Stalled, at: 1}, verdict{how: skill.Stalled, at: 0.8}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			compare(t, "careful", judge(t, skill.ArrivalRules{}, test.target, test.course, test.read), test.careful)
			compare(t, "letter", judge(t, skill.ArrivalRules{Letter: true}, test.target, test.course, test.read), test.letter)
		})
	}
}

func TestArrivalTellsResiduals(t *testing.T) {
	a := skill.NewArrival(body(), skill.ArrivalRules{}, 0, robot.Target{Module: "arm", Joints: []float64{0.5}}, robot.Target{Module: "gripper", ApertureM: new(0.02)})
	r := &robot.Readings{
		Arms:     map[string]robot.ArmState{"arm": {Joints: []float64{0.495}, Speeds: []float64{0}}},
		Grippers: map[string]robot.GripperState{"gripper": {ApertureM: 0.021}},
	}
	report, err := a.Check(r, 0)
	if err != nil || report == nil {
		t.Fatalf("got %v, %v; want a report", report, err)
	}
	for field, want := range map[string]float64{"arm/pan": 0.005, "gripper/aperture_mm": -1} {
		if got := report.Residual[field]; got < want-1e-9 || got > want+1e-9 {
			t.Errorf("residual of %s: got %g, want %g", field, got, want)
		}
	}
}

func TestArrivalWithoutReadingsGoesOn(t *testing.T) {
	a := skill.NewArrival(body(), skill.ArrivalRules{Timeout: time.Second}, 0, robot.Target{Module: "arm", Joints: []float64{0.5}})
	if report, err := a.Check(&robot.Readings{}, 0); report != nil || err != nil {
		t.Errorf("got %v, %v; want nothing yet", report, err)
	}
	if report, _ := a.Check(&robot.Readings{}, 2*time.Second); report == nil || report.How == skill.Reached {
		t.Errorf("got %v, want an end that is not reached", report)
	}
}

func tipAt(q float64) geom.Pose { return body().Modules[0].Arm.Chain.Tip([]float64{q}) }

func jitter(value, by, end float64) []moment {
	var ms []moment
	for i := 0; float64(i)*0.01 <= end; i++ {
		ms = append(ms, moment{float64(i) * 0.01, value + by*float64(i%2), 0})
	}
	return ms
}

func judge(t *testing.T, rules skill.ArrivalRules, target robot.Target, course []moment, read func(moment) *robot.Readings) verdict {
	t.Helper()
	const sent = 7 * time.Second
	a := skill.NewArrival(body(), rules, sent, target)
	for _, m := range course {
		report, err := a.Check(read(m), sent+time.Duration(m.at*float64(time.Second)))
		if report == nil {
			continue
		}
		v := verdict{how: report.How, at: m.at}
		if err != nil {
			v.failed = err.Error()
		}
		return v
	}
	return verdict{}
}

func compare(t *testing.T, form string, got, want verdict) {
	t.Helper()
	if got.how != want.how || got.failed != want.failed || got.at < want.at-0.015 || got.at > want.at+0.015 {
		t.Errorf("%s: got %+v, want %+v", form, got, want)
	}
}

func TestFailedKeepsItsReason(t *testing.T) {
	if got, want := skill.Failf("short by %d mm", 3).Error(), "short by 3 mm"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
