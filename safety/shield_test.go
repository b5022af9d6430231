package safety_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/safety"
)

const (
	period = 10 * time.Millisecond
	now    = 5 * time.Second
	speed  = 1.5
)

func describe() *robot.Description {
	box := geom.Box{Min: geom.Vec{X: -0.2, Y: -0.45, Z: -0.01}, Max: geom.Vec{X: 0.5, Y: 0.45, Z: 0.6}}
	arm := robot.Arm{
		Chain: geom.DefaultArmShape().Chain(), MaxSpeed: []float64{speed, speed, speed, speed, speed, speed},
		Gripper: "hand", Workspace: box, MinTipZ: 0.001, LinkRadius: 0.02,
	}
	far := robot.Arm{TakesPose: true, Workspace: box, MinTipZ: 0.001}
	return &robot.Description{Name: "test", Modules: []robot.Module{
		{Name: "arm", Kind: robot.KindArm, Arm: &arm},
		{Name: "hand", Kind: robot.KindGripper, Gripper: &robot.Gripper{MaxApertureM: 0.07, MaxForceN: 8, FingerM: geom.Vec{X: 0.016, Y: 0.008, Z: 0.05}}},
		{Name: "posed", Kind: robot.KindArm, Arm: &far},
		{Name: "eye", Kind: robot.KindCamera, Camera: &robot.Camera{}},
	}}
}

func newShield(t interface {
	Helper()
	Fatal(...any)
}) *safety.Shield {
	t.Helper()
	s, err := safety.New(describe(), safety.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// down is the arm's joints for the gripper straight down at (x, 0, z).
func down(t interface {
	Helper()
	Fatal(...any)
}, x, z float64) []float64 {
	t.Helper()
	q, err := geom.DefaultArmShape().ToolDown(geom.Vec{X: x, Z: z}, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func readings(q []float64) *robot.Readings {
	tip := geom.DefaultArmShape().Chain().Tip(q)
	return &robot.Readings{
		At: now,
		Arms: map[string]robot.ArmState{
			"arm":   {Joints: q, Targets: q, Tip: tip},
			"posed": {Tip: tip},
		},
		Grippers: map[string]robot.GripperState{"hand": {ApertureM: 0.04}},
	}
}

func command(t robot.Target) robot.Command {
	return robot.Command{Owner: robot.OwnerAgent, Generation: 3, Action: "a1", IssuedAt: now, Target: t}
}

func moved(q []float64, joint int, by float64) []float64 {
	out := append([]float64(nil), q...)
	out[joint] += by
	return out
}

func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	q := down(t, 0.25, 0.00105)
	pose := geom.Down(geom.Vec{X: 0.25, Z: 0.05}, 0)
	nan := math.NaN()
	for name, tc := range map[string]struct {
		change func(c *robot.Command, r *robot.Readings) *robot.Readings
		want   safety.Code
	}{
		"nan_joint":    {on(func(c *robot.Command) { c.Target.Joints = moved(q, 2, nan) }), safety.NotFinite},
		"infinite":     {on(func(c *robot.Command) { c.Target.Joints = moved(q, 2, math.Inf(-1)) }), safety.NotFinite},
		"nan_aperture": {on(func(c *robot.Command) { c.Target = robot.Target{Module: "hand", ApertureM: &nan} }), safety.NotFinite},
		"nan_force":    {on(func(c *robot.Command) { c.Target = robot.Target{Module: "hand", ApertureM: new(0.01), ForceN: nan} }), safety.NotFinite},
		"nan_pose": {on(func(c *robot.Command) {
			c.Target = robot.Target{Module: "posed", Pose: &geom.Pose{Pos: geom.Vec{X: nan}}}
		}), safety.NotFinite},
		"old":           {on(func(c *robot.Command) { c.IssuedAt = now - 101*time.Millisecond }), safety.Stale},
		"from_tomorrow": {on(func(c *robot.Command) { c.IssuedAt = now + time.Hour }), safety.Stale},
		"unknown":       {on(func(c *robot.Command) { c.Target.Module = "tail" }), safety.NoModule},
		"empty":         {on(func(c *robot.Command) { c.Target = robot.Target{Module: "arm"} }), safety.WrongTarget},
		"two_targets":   {on(func(c *robot.Command) { c.Target.Pose = &pose }), safety.WrongTarget},
		"too_few":       {on(func(c *robot.Command) { c.Target.Joints = q[:5] }), safety.WrongTarget},
		"pose_to_joint": {on(func(c *robot.Command) { c.Target = robot.Target{Module: "arm", Pose: &pose} }), safety.WrongTarget},
		"joint_to_pose": {on(func(c *robot.Command) { c.Target.Module = "posed" }), safety.WrongTarget},
		"arm_aperture":  {on(func(c *robot.Command) { c.Target = robot.Target{Module: "arm", ApertureM: new(0.01)} }), safety.WrongTarget},
		"arm_force":     {on(func(c *robot.Command) { c.Target.ForceN = 1 }), safety.WrongTarget},
		"hand_joints":   {on(func(c *robot.Command) { c.Target.Module = "hand" }), safety.WrongTarget},
		"camera":        {on(func(c *robot.Command) { c.Target.Module = "eye" }), safety.WrongTarget},
		"minus_force":   {on(func(c *robot.Command) { c.Target = robot.Target{Module: "hand", ApertureM: new(0.01), ForceN: -1} }), safety.BadForce},
		"joint_limit":   {on(func(c *robot.Command) { c.Target.Joints = moved(q, 0, 3) }), safety.JointLimit},
		"table":         {on(func(c *robot.Command) { c.Target.Joints = moved(q, 1, 0.002) }), safety.TooLow},
		"tilted_corner": {on(func(c *robot.Command) { c.Target.Joints = moved(q, 3, 0.05) }), safety.TooLow},
		"no_readings":   {func(*robot.Command, *robot.Readings) *robot.Readings { return nil }, safety.Blind},
		"old_readings":  {func(_ *robot.Command, r *robot.Readings) *robot.Readings { r.At = now - time.Second; return r }, safety.Blind},
		"no_arm":        {func(_ *robot.Command, r *robot.Readings) *robot.Readings { delete(r.Arms, "arm"); return r }, safety.Blind},
		"nan_reading": {func(_ *robot.Command, r *robot.Readings) *robot.Readings {
			r.Arms["arm"] = robot.ArmState{Targets: moved(q, 1, nan)}
			return r
		}, safety.Blind},
		"bad_rotation": {on(func(c *robot.Command) {
			c.Target = robot.Target{Module: "posed", Pose: &geom.Pose{Pos: pose.Pos, Rot: geom.Rot{Real: 2}}}
		}), safety.WrongTarget},
		"pose_far":  {on(func(c *robot.Command) { c.Target = posed(geom.Vec{X: 0.6, Z: 0.1}) }), safety.OutOfWorkspace},
		"pose_deep": {on(func(c *robot.Command) { c.Target = posed(geom.Vec{X: 0.3, Z: 0.0009}) }), safety.TooLow},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := command(robot.Target{Module: "arm", Joints: q})
			r := tc.change(&c, readings(q))
			out, _, err := newShield(t).Check(c, r, now)
			var refusal *safety.Refusal
			if !errors.As(err, &refusal) || refusal.Code != tc.want {
				t.Fatalf("error %v, want code %s", err, tc.want)
			}
			if out.Target.Module != "" || out.Target.Joints != nil {
				t.Errorf("a refusal still gives the command %+v", out)
			}
		})
	}
}

func on(change func(*robot.Command)) func(*robot.Command, *robot.Readings) *robot.Readings {
	return func(c *robot.Command, r *robot.Readings) *robot.Readings { change(c); return r }
}

func posed(p geom.Vec) robot.Target { return robot.Target{Module: "posed", Pose: new(geom.Down(p, 0))} }

func TestCheckPasses(t *testing.T) {
	t.Parallel()
	q := down(t, 0.25, 0.05)
	for name, target := range map[string]robot.Target{
		"stay":      {Module: "arm", Joints: q},
		"full_step": {Module: "arm", Joints: moved(q, 0, speed*period.Seconds())},
		"aperture":  {Module: "hand", ApertureM: new(0.07), ForceN: 8},
		"pose":      posed(geom.Vec{X: 0.3, Z: 0.001}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := command(target)
			out, why, err := newShield(t).Check(c, readings(q), now)
			if err != nil || why != "" {
				t.Fatalf("why %q, error %v, want it to pass unchanged", why, err)
			}
			if out.Action != "a1" || out.Target.Module != target.Module || len(out.Target.Joints) != len(target.Joints) {
				t.Errorf("the command became %+v", out)
			}
		})
	}
}

func TestCheckClamps(t *testing.T) {
	t.Parallel()
	q := down(t, 0.25, 0.05)
	edge := append([]float64(nil), q...)
	edge[5] = geom.Rad(160)
	for name, tc := range map[string]struct {
		start  []float64
		target robot.Target
		says   string
		ok     func(robot.Target) bool
	}{
		"speed": {q, robot.Target{Module: "arm", Joints: moved(moved(q, 0, 0.3), 5, -0.15)}, "slowed", func(t robot.Target) bool {
			return math.Abs(t.Joints[0]-q[0]-0.015) < 1e-12 && math.Abs(t.Joints[5]-q[5]+0.0075) < 1e-12
		}},
		"limit":  {edge, robot.Target{Module: "arm", Joints: moved(edge, 5, 0.01)}, "wrist_roll kept", func(t robot.Target) bool { return t.Joints[5] == edge[5] }},
		"wide":   {q, robot.Target{Module: "hand", ApertureM: new(0.2)}, "aperture 70 mm", func(t robot.Target) bool { return *t.ApertureM == 0.07 }},
		"narrow": {q, robot.Target{Module: "hand", ApertureM: new(-0.2)}, "aperture 0 mm", func(t robot.Target) bool { return *t.ApertureM == 0 }},
		"force":  {q, robot.Target{Module: "hand", ApertureM: new(0.0), ForceN: 50}, "force 8.0 N", func(t robot.Target) bool { return t.ForceN == 8 }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given := append([]float64(nil), tc.target.Joints...)
			out, why, err := newShield(t).Check(command(tc.target), readings(tc.start), now)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(why, tc.says) || !tc.ok(out.Target) {
				t.Errorf("why %q, target %+v", why, out.Target)
			}
			for i := range given {
				if tc.target.Joints[i] != given[i] {
					t.Fatal("the sender's own slice was written to")
				}
			}
		})
	}
}

func TestHoldAlwaysPasses(t *testing.T) {
	t.Parallel()
	s := newShield(t)
	for name, target := range map[string]robot.Target{
		"plain": {Module: "arm", Hold: true}, "unknown": {Module: "tail", Hold: true},
		"mixed": {Module: "arm", Hold: true, Joints: []float64{math.NaN()}, ForceN: math.NaN()},
	} {
		out, _, err := s.Check(robot.Command{Target: target}, nil, time.Hour)
		if err != nil || !out.Target.Hold || out.Target.Joints != nil || out.Target.Module != target.Module {
			t.Errorf("%s: %+v, %v", name, out.Target, err)
		}
	}
}

// TestWayBackIsOpen: an arm that was brought below its limits may leave them, not go further.
func TestWayBackIsOpen(t *testing.T) {
	t.Parallel()
	q := down(t, 0.25, -0.004)
	s := newShield(t)
	if _, _, err := s.Check(command(robot.Target{Module: "arm", Joints: moved(q, 1, -0.005)}), readings(q), now); err != nil {
		t.Errorf("going up was refused: %v", err)
	}
	if _, _, err := s.Check(command(robot.Target{Module: "arm", Joints: moved(q, 1, 0.005)}), readings(q), now); err == nil {
		t.Error("going further down was let through")
	}
}

func TestNewListsWhatIsMissing(t *testing.T) {
	t.Parallel()
	d := describe()
	d.Modules[0].Arm.MaxSpeed = d.Modules[0].Arm.MaxSpeed[:3]
	d.Modules[1].Gripper.MaxApertureM = 0
	d.Modules[2].Arm.Workspace = geom.Box{}
	_, err := safety.New(d, safety.Options{})
	if err == nil {
		t.Fatal("no error for a robot without limits")
	}
	for _, want := range []string{"arm: ", "hand: ", "posed: "} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not name %q", err, want)
		}
	}
}

// checkWithin fails when a command that passed leaves the limits though the arm stood within them.
func checkWithin(t interface {
	Helper()
	Fatalf(string, ...any)
}, from []float64, out robot.Command) {
	t.Helper()
	a := describe().Modules[0].Arm
	q := out.Target.Joints
	if !a.Chain.Within(q, 0) {
		t.Fatalf("joints %v leave the limits", q)
	}
	for i := range q {
		if step := math.Abs(q[i] - from[i]); !(step <= speed*period.Seconds()*1.0101) {
			t.Fatalf("joint %d steps by %g rad", i, step)
		}
	}
	if tip := a.Chain.Tip(q).Pos; tip.Z < a.MinTipZ || !a.Workspace.Contains(tip) {
		t.Fatalf("tip at %v", tip)
	}
}

func TestNothingLeavesTheLimits(t *testing.T) {
	t.Parallel()
	s := newShield(t)
	a := describe().Modules[0].Arm
	rapid.Check(t, func(t *rapid.T) {
		from, to := make([]float64, 6), make([]float64, 6)
		wild := rapid.OneOf(rapid.Float64(), rapid.Float64Range(-3, 3), rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), 0}))
		for i, j := range a.Chain.Joints {
			from[i] = rapid.Float64Range(j.Lower, j.Upper).Draw(t, "from")
			to[i] = from[i] + rapid.Float64Range(-0.05, 0.05).Draw(t, "step")
		}
		if rapid.Bool().Draw(t, "wild") {
			to[rapid.IntRange(0, 5).Draw(t, "joint")] = wild.Draw(t, "value")
		}
		if tip := a.Chain.Tip(from).Pos; tip.Z < a.MinTipZ+0.05 || !a.Workspace.Contains(tip) {
			t.Skip("starts outside")
		}
		out, _, err := s.Check(command(robot.Target{Module: "arm", Joints: to}), readings(from), now)
		if err == nil {
			checkWithin(t, from, out)
		}
	})
}

func FuzzCheck(f *testing.F) {
	f.Add(0.0, -1.2, 1.7, 1.1, 0.0, 0.0, 0.0)
	f.Add(math.NaN(), math.Inf(1), -1e300, 5e-324, 0.0, 1.0, 1e9)
	s := newShield(f)
	from := down(f, 0.25, 0.002)
	f.Fuzz(func(t *testing.T, a, b, c, d, e, g, age float64) {
		cmd := command(robot.Target{Module: "arm", Joints: []float64{a, b, c, d, e, g}})
		out, _, err := s.Check(cmd, readings(from), now)
		if err == nil {
			checkWithin(t, from, out)
		}
		out, _, err = s.Check(command(robot.Target{Module: "hand", ApertureM: &a, ForceN: b}), readings(from), now)
		if m := out.Target.ApertureM; err == nil && !(*m >= 0 && *m <= 0.07 && out.Target.ForceN >= 0 && out.Target.ForceN <= 8) {
			t.Fatalf("gripper gets %+v", out.Target)
		}
		old := command(robot.Target{Module: "arm", Joints: from})
		old.IssuedAt = now - time.Duration(geom.Clamp(age, -1e18, 1e18))
		if _, _, err := s.Check(old, readings(from), now); err == nil && math.Abs(age) > 1e8+1 {
			t.Fatalf("a command %g ns old passed", age)
		}
	})
}

func TestPassDoesNotAllocate(t *testing.T) {
	q := down(t, 0.25, 0.05)
	s, r := newShield(t), readings(q)
	arm := command(robot.Target{Module: "arm", Joints: moved(q, 0, 0.01)})
	hand := command(robot.Target{Module: "hand", ApertureM: new(0.03), ForceN: 2})
	if n := testing.AllocsPerRun(100, func() {
		for _, c := range [2]robot.Command{arm, hand} {
			if _, _, err := s.Check(c, r, now); err != nil {
				t.Fatal(err)
			}
		}
	}); n != 0 {
		t.Errorf("%g allocations, want 0", n)
	}
}

func BenchmarkCheckJoints(b *testing.B) {
	q := down(b, 0.25, 0.05)
	s, r := newShield(b), readings(q)
	c := command(robot.Target{Module: "arm", Joints: moved(q, 0, 0.01)})
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := s.Check(c, r, now); err != nil {
			b.Fatal(err)
		}
	}
}

// TestLinksKeepOffTheTable: a wrist that would touch the table is refused though the fingertips are high.
func TestLinksKeepOffTheTable(t *testing.T) {
	t.Parallel()
	q := []float64{0, -0.2, 1.08, -0.88, 0, 0} // forearm down to the table, gripper level
	c := describe().Modules[0].Arm.Chain
	if z := c.Links(q)[geom.WristFlex].Pos.Z; z < 0.02 || z > 0.06 {
		t.Fatalf("the test's wrist is at z %g", z)
	}
	for q[1] < 0 && c.Links(q)[geom.WristFlex].Pos.Z > 0.0205 {
		q[1] += 0.001
		q[3] -= 0.0012
	}
	s := newShield(t)
	_, _, err := s.Check(command(robot.Target{Module: "arm", Joints: moved(q, 1, 0.01)}), readings(q), now)
	var refusal *safety.Refusal
	if !errors.As(err, &refusal) || refusal.Code != safety.TooLow || !strings.Contains(refusal.Message, "wrist") {
		t.Errorf("error %v, want too_low for a wrist joint", err)
	}
	if _, _, err := s.Check(command(robot.Target{Module: "arm", Joints: moved(q, 1, -0.01)}), readings(q), now); err != nil {
		t.Errorf("lifting the wrist was refused: %v", err)
	}
}

// TestLateTickCatchesUpByOnePeriod: readings some periods old allow a step of two periods, not more.
func TestLateTickCatchesUpByOnePeriod(t *testing.T) {
	t.Parallel()
	q := down(t, 0.25, 0.05)
	r := readings(q)
	r.At = now - 80*time.Millisecond
	out, why, err := newShield(t).Check(command(robot.Target{Module: "arm", Joints: moved(q, 0, 0.2)}), r, now)
	if err != nil || why == "" {
		t.Fatalf("why %q, error %v", why, err)
	}
	if step := out.Target.Joints[0] - q[0]; math.Abs(step-2*speed*period.Seconds()) > 1e-12 {
		t.Errorf("step %g rad, want %g", step, 2*speed*period.Seconds())
	}
}
