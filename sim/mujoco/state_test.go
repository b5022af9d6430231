package mujoco_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rein-robotics/rein/sim/mujoco"
)

// TestRestoredStateReplaysExactly covers sleeping bodies too: at 260 and 450 steps of table_sleep.xml some sleep and some do not.
func TestRestoredStateReplaysExactly(t *testing.T) {
	e := openEngine(t)
	for _, tc := range []struct {
		name, scene string
		before      int
	}{
		{"box", "box.xml", 150},
		{"meshes", "mesh.xml", 150},
		{"table", "table.xml", 150},
		{"table-part-asleep", "table_sleep.xml", 260},
		{"table-most-asleep", "table_sleep.xml", 450},
	} {
		t.Run(tc.name, func(t *testing.T) {
			first, second := load(t, e, tc.scene), load(t, e, tc.scene)
			for i := range tc.before {
				drive(first, i)
				step(t, first, 1)
			}
			state, err := first.State(nil)
			if err != nil {
				t.Fatal(err)
			}
			step(t, second, 77) // so that there is something to overwrite
			if err := second.SetState(state); err != nil {
				t.Fatal(err)
			}
			got, err := second.State(nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(got, state); diff != "" {
				t.Error("state read back differs:\n", diff)
			}
			for i := range 500 {
				drive(first, tc.before+i)
				drive(second, tc.before+i)
				step(t, first, 1)
				step(t, second, 1)
				if diff := cmp.Diff(second.QPos(), first.QPos()); diff != "" {
					t.Fatalf("step %d after restoring:\n%s", i, diff)
				}
			}
		})
	}
}

func TestSleepingBodies(t *testing.T) {
	s := load(t, openEngine(t), "table_sleep.xml")
	for i := range 800 {
		drive(s, i)
		step(t, s, 1)
	}
	awake := load(t, openEngine(t), "table.xml")
	for i := range 800 {
		drive(awake, i)
		step(t, awake, 1)
	}
	joint := s.ID(mujoco.KindJoint, "object1")
	tree, dof, q := s.DofTreeID()[s.JntDofAdr()[joint]], s.JntDofAdr()[joint], s.JntQposAdr()[joint]
	if s.TreeAsleep()[tree] < 0 {
		t.Fatalf("object1 does not sleep: %v", s.TreeAsleep())
	}
	if got, all := s.NContact(), awake.NContact(); got >= all/2 {
		t.Errorf("%d contacts with sleeping bodies, %d without: sleeping bodies have none", got, all)
	}
	before := s.QPos()[q+2]
	s.QVel()[dof+2] = 1
	step(t, s, 25)
	if got := s.QPos()[q+2] - before; got < 0.02 {
		t.Errorf("a velocity written to a sleeping body moved it by %v m, wanted 0.04", got)
	}
	if s.TreeAsleep()[tree] >= 0 {
		t.Error("it still sleeps")
	}
}

func TestStateOfAnotherScene(t *testing.T) {
	e := openEngine(t)
	state, err := load(t, e, "box.xml").State(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := load(t, e, "table.xml").SetState(state); err == nil {
		t.Error("a state of the wrong size was accepted")
	}
}
