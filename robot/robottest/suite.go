package robottest

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/rein-robotics/rein/clock"
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
)

// wait bounds every wait of the suite for the robot, wall clock.
const wait = 30 * time.Second

// rig is one opened robot.
type rig struct {
	robot.Robot
	clock clock.Clock
	desc  *robot.Description
}

// TestRobot runs the contract of robot.Robot against what open gives, a robot at rest and the clock that it lives by,
// newly for each test. Nobody else may advance the clock. TestRobot closes the robots.
func TestRobot(t *testing.T, open func(t *testing.T) (robot.Robot, clock.Clock)) {
	t.Helper()
	for _, c := range []struct {
		name string
		run  func(*testing.T, *rig)
	}{
		{"description_is_whole", testDescription},
		{"readings_grow_and_stay", testReadings},
		{"rests_uncommanded", testRest},
		{"follows_a_target", testFollow},
		{"hold_stops", testHold},
		{"keeps_nothing_of_a_command", testKeepsNothing},
		{"refuses_what_it_cannot_do", testRefuses},
		{"frames_fit_their_request", testFrames},
		{"frames_live_and_stay", testFramesLive},
		{"frames_end_with_their_context", testFrameContext},
		{"beside_the_loop", testBeside},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, clk := open(t)
			t.Cleanup(func() {
				if err := r.Close(); err != nil {
					t.Errorf("Close() = %v", err)
				}
			})
			c.run(t, &rig{Robot: r, clock: clk, desc: r.Description()})
		})
	}
}

// period lets the world go on by one control period.
func (r *rig) period(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	select {
	case <-r.clock.Due():
	case <-ctx.Done():
		t.Fatal("the clock's next period never became due")
	}
	if err := r.clock.Advance(ctx); err != nil {
		t.Fatalf("Advance() = %v", err)
	}
	if r.Readings() == nil {
		t.Fatal("no readings after a period")
	}
}

func (r *rig) run(t *testing.T, d time.Duration) {
	t.Helper()
	for end := r.clock.Now() + d; r.clock.Now() < end; {
		r.period(t)
	}
}

func (r *rig) do(t *testing.T, target robot.Target) {
	t.Helper()
	if err := r.Do(robot.Command{Owner: robot.OwnerAgent, Generation: 1, Action: "a1", IssuedAt: r.clock.Now(), Target: target}); err != nil {
		t.Fatalf("Do(%s) = %v", target.Module, err)
	}
}

// movers are the modules that move.
func (r *rig) movers() []*robot.Module {
	var ms []*robot.Module
	for i := range r.desc.Modules {
		if m := &r.desc.Modules[i]; m.Arm != nil || m.Gripper != nil {
			ms = append(ms, m)
		}
	}
	return ms
}

func testDescription(t *testing.T, r *rig) {
	if r.desc != r.Description() {
		t.Error("Description() gives another one each time")
	}
	seen := map[string]bool{}
	for i := range r.desc.Modules {
		m := &r.desc.Modules[i]
		if m.Name == "" || seen[m.Name] {
			t.Errorf("module %d is called %q, which is empty or taken", i, m.Name)
		}
		seen[m.Name] = true
		switch {
		case m.Arm != nil:
			checkArm(t, r, m)
		case m.Gripper != nil:
			if m.Gripper.MaxApertureM <= m.Gripper.MinApertureM || m.Gripper.MaxSpeed <= 0 {
				t.Errorf("%s: aperture %v to %v m, %v m/s", m.Name, m.Gripper.MinApertureM, m.Gripper.MaxApertureM, m.Gripper.MaxSpeed)
			}
			if still(m) == 0 {
				t.Errorf("%s: no field has a still-speed, so no stop of it can be measured", m.Name)
			}
		case m.Camera != nil:
			if in := m.Camera.Intrinsics; in.Width <= 0 || in.Height <= 0 || in.Fx <= 0 || in.Fy <= 0 {
				t.Errorf("%s: intrinsics %+v", m.Name, in)
			}
			if m.Camera.Mount == robot.MountMoving && r.desc.Module(m.Camera.Arm) == nil {
				t.Errorf("%s: moves with %q, which is no module", m.Name, m.Camera.Arm)
			}
		}
	}
}

func checkArm(t *testing.T, r *rig, m *robot.Module) {
	t.Helper()
	a := m.Arm
	if !a.TakesPose && (len(a.Chain.Joints) == 0 || len(a.MaxSpeed) != len(a.Chain.Joints)) {
		t.Errorf("%s: %d joints, %d speeds", m.Name, len(a.Chain.Joints), len(a.MaxSpeed))
	}
	if still(m) == 0 {
		t.Errorf("%s: no field has a still-speed, so no stop of it can be measured", m.Name)
	}
	if a.Gripper != "" && (r.desc.Module(a.Gripper) == nil || r.desc.Module(a.Gripper).Gripper == nil) {
		t.Errorf("%s: carries %q, which is no gripper", m.Name, a.Gripper)
	}
}

func still(m *robot.Module) float64 {
	most := 0.0
	for _, f := range m.Fields {
		most = max(most, f.StillSpeed)
	}
	return most
}

func testReadings(t *testing.T, r *rig) {
	r.period(t)
	first := r.Readings()
	if first == nil {
		t.Fatal("no readings after the first period")
	}
	kept := copyArms(first)
	for i := range 5 {
		before := r.Readings()
		r.period(t)
		now := r.Readings()
		if now == before || now.Seq != before.Seq+1 {
			t.Fatalf("period %d: Seq %d after %d, want one more and a new snapshot", i, now.Seq, before.Seq)
		}
		if r.clock.Simulated() && now.At != r.clock.Now() {
			t.Errorf("period %d: readings of %v at %v", i, now.At, r.clock.Now())
		}
		r.checkReadings(t, now)
	}
	for name, joints := range kept {
		if !slices.Equal(first.Arms[name].Joints, joints) {
			t.Errorf("%s: an old snapshot changed from %v to %v", name, joints, first.Arms[name].Joints)
		}
	}
}

func copyArms(r *robot.Readings) map[string][]float64 {
	out := map[string][]float64{}
	for name, a := range r.Arms {
		out[name] = slices.Clone(a.Joints)
	}
	return out
}

func (r *rig) checkReadings(t *testing.T, now *robot.Readings) {
	t.Helper()
	for _, m := range r.movers() {
		a, isArm := now.Arms[m.Name]
		_, isGripper := now.Grippers[m.Name]
		if isArm != (m.Arm != nil) || isGripper != (m.Gripper != nil) {
			t.Errorf("%s: read as arm %v, as gripper %v", m.Name, isArm, isGripper)
		}
		if m.Arm == nil || m.Arm.TakesPose {
			continue
		}
		n := len(m.Arm.Chain.Joints)
		if len(a.Joints) != n || len(a.Speeds) != n || len(a.Targets) != n {
			t.Errorf("%s: %d joints, %d speeds, %d targets, want %d each", m.Name, len(a.Joints), len(a.Speeds), len(a.Targets), n)
			continue
		}
		if want := m.Arm.Chain.Tip(a.Joints); apart(want, a.Tip) > 0.002 {
			t.Errorf("%s: tip at %v, its joints say %v", m.Name, a.Tip.Pos, want.Pos)
		}
	}
}

// apart is the distance of the origins of two frames in metres, and their turn in rad, whichever is more.
func apart(a, b geom.Pose) float64 {
	dx, dy, dz := a.Pos.X-b.Pos.X, a.Pos.Y-b.Pos.Y, a.Pos.Z-b.Pos.Z
	return max(math.Sqrt(dx*dx+dy*dy+dz*dz), geom.AngleOf(geom.MulRot(geom.InvRot(a.Rot), b.Rot)))
}
