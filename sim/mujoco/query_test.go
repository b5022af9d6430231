package mujoco_test

import (
	"math"
	"testing"

	"github.com/rein-robotics/rein/sim/mujoco"
)

func TestNamesAndIDs(t *testing.T) {
	s := load(t, openEngine(t), "sizes.xml")
	for _, tc := range []struct {
		kind mujoco.Kind
		name string
		id   int
	}{
		{mujoco.KindBody, "world", 0},
		{mujoco.KindBody, "slider", 2},
		{mujoco.KindJoint, "hinge", 1},
		{mujoco.KindGeom, "door", 2},
		{mujoco.KindSite, "knob", 1},
		{mujoco.KindCamera, "front", 0},
		{mujoco.KindLight, "sun", 0},
		{mujoco.KindMesh, "tetra", 0},
		{mujoco.KindMaterial, "checker", 0},
		{mujoco.KindActuator, "hinge", 1},
		{mujoco.KindSensor, "knob", 1},
		{mujoco.KindKey, "down", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := s.ID(tc.kind, tc.name); got != tc.id {
				t.Errorf("id %d, wanted %d", got, tc.id)
			}
			if got := s.Name(tc.kind, tc.id); got != tc.name {
				t.Errorf("name %q, wanted %q", got, tc.name)
			}
		})
	}
	for _, name := range []string{"", "nobody", "slider\x00", string(make([]byte, 5000))} {
		if got := s.ID(mujoco.KindBody, name); got != -1 {
			t.Errorf("%.10q has id %d, wanted -1", name, got)
		}
	}
	for _, id := range []int{-1, 100, math.MaxInt} {
		if got := s.Name(mujoco.KindBody, id); got != "" {
			t.Errorf("body %d has name %q, wanted none", id, got)
		}
	}
}

func TestContactsOfABoxAtRest(t *testing.T) {
	s := load(t, openEngine(t), "box.xml")
	step(t, s, 1500)
	contacts := s.Contacts(nil)
	if len(contacts) != 4 || s.NContact() != 4 {
		t.Fatalf("%d contacts, wanted 4", len(contacts))
	}
	var up float64
	for i, c := range contacts {
		if c.Geom1 != s.ID(mujoco.KindGeom, "floor") || c.Geom2 != s.ID(mujoco.KindGeom, "box") {
			t.Errorf("contact between geoms %d and %d", c.Geom1, c.Geom2)
		}
		if c.Normal != [3]float64{0, 0, 1} {
			t.Errorf("normal %v, wanted up", c.Normal)
		}
		if math.Abs(c.Dist) > 1e-3 || math.Abs(c.Pos[2]) > 1e-3 {
			t.Errorf("contact at distance %v, position %v", c.Dist, c.Pos)
		}
		force, _, err := s.ContactForce(i)
		if err != nil {
			t.Fatal(err)
		}
		up += force[0]
	}
	if want := 0.2 * 9.81; math.Abs(up-want) > 0.01*want {
		t.Errorf("contacts carry %v N, wanted %v", up, want)
	}
	if _, _, err := s.ContactForce(4); err == nil {
		t.Error("the force of a contact that does not exist was given")
	}
}

func TestRays(t *testing.T) {
	s := load(t, openEngine(t), "box.xml")
	body, box, floor := s.ID(mujoco.KindBody, "box"), s.ID(mujoco.KindGeom, "box"), s.ID(mujoco.KindGeom, "floor")
	for _, tc := range []struct {
		name     string
		pnt, vec [3]float64
		exclude  int
		geom     int
		dist     float64
	}{
		{"floor", [3]float64{0.5, 0, 2}, [3]float64{0, 0, -1}, -1, floor, 2},
		{"half-as-long-a-vector", [3]float64{0.5, 0, 2}, [3]float64{0, 0, -0.5}, -1, floor, 4},
		{"box", [3]float64{0, 0, 0.3}, [3]float64{0, 0, 1}, -1, box, -1},
		{"through-the-box", [3]float64{0, 0, 2}, [3]float64{0, 0, -1}, body, floor, 2},
		{"sky", [3]float64{0, 0, 2}, [3]float64{0, 0, 1}, -1, -1, -1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dist, geom := s.Ray(tc.pnt, tc.vec, tc.exclude)
			if geom != tc.geom {
				t.Errorf("geom %d, wanted %d", geom, tc.geom)
			}
			if tc.dist > 0 && math.Abs(dist-tc.dist) > 1e-9 {
				t.Errorf("distance %v, wanted %v", dist, tc.dist)
			}
			if tc.geom < 0 && dist >= 0 {
				t.Errorf("distance %v to nothing", dist)
			}
		})
	}
}

// TestJacobianPredictsTheSitesMotion compares the Jacobian with a finite difference.
func TestJacobianPredictsTheSitesMotion(t *testing.T) {
	s := load(t, openEngine(t), "table.xml")
	site := s.ID(mujoco.KindSite, "tip")
	for i, angle := range []float64{0.3, 0.5, 0.7, -0.4, 0.2, 0.1} {
		s.QPos()[i] = angle
	}
	if err := s.Forward(); err != nil {
		t.Fatal(err)
	}
	jacp, jacr := make([]float64, 3*s.NV()), make([]float64, 3*s.NV())
	if err := s.JacSite(site, jacp, jacr); err != nil {
		t.Fatal(err)
	}
	const h = 1e-6
	for joint := range 6 {
		before := [3]float64(s.SiteXPos()[3*site:])
		s.QPos()[joint] += h
		if err := s.Forward(); err != nil {
			t.Fatal(err)
		}
		for axis := range 3 {
			got := (s.SiteXPos()[3*site+axis] - before[axis]) / h
			if want := jacp[axis*s.NV()+joint]; math.Abs(got-want) > 1e-4 {
				t.Errorf("joint %d moves axis %d by %v, the Jacobian says %v", joint, axis, got, want)
			}
		}
		s.QPos()[joint] -= h
		if err := s.Forward(); err != nil {
			t.Fatal(err)
		}
	}
	if got := jacr[2*s.NV()]; math.Abs(got-1) > 1e-12 {
		t.Errorf("the pan joint turns the site by %v about z, wanted 1", got)
	}
	if err := s.JacSite(99, jacp, jacr); err == nil {
		t.Error("the Jacobian of a site that does not exist was given")
	}
	if err := s.JacSite(site, jacp[:5], nil); err == nil {
		t.Error("a short slice was accepted")
	}
	if err := s.JacSite(site, nil, nil); err != nil {
		t.Error(err)
	}
}

func TestResetAndKeyframes(t *testing.T) {
	s := load(t, openEngine(t), "mesh.xml")
	start := append([]float64(nil), s.QPos()...)
	step(t, s, 300)
	if err := s.Reset(); err != nil {
		t.Fatal(err)
	}
	for i, want := range start {
		if got := s.QPos()[i]; got != want {
			t.Errorf("qpos[%d] is %v after Reset, wanted %v", i, got, want)
		}
	}
	if s.Time() != 0 {
		t.Errorf("time %v after Reset", s.Time())
	}
	if err := s.ResetKey(0); err != nil {
		t.Fatal(err)
	}
	if got := s.XPos()[3*s.ID(mujoco.KindBody, "tetra")+2]; got != 1 {
		t.Errorf("height %v in the keyframe, wanted 1", got)
	}
	if err := s.ResetKey(1); err == nil {
		t.Error("a keyframe that does not exist was set")
	}
}

// TestViewsAreLive fails when a view is a copy.
func TestViewsAreLive(t *testing.T) {
	s := load(t, openEngine(t), "box.xml")
	s.QPos()[2] = 0.7
	if err := s.Forward(); err != nil {
		t.Fatal(err)
	}
	if got := s.XPos()[3+2]; got != 0.7 {
		t.Errorf("the body is at height %v, wanted 0.7", got)
	}
	s.XfrcApplied()[6+2] = 0.2 * 9.81 // body 1, force z: its weight
	step(t, s, 100)
	if got := s.QVel()[2]; math.Abs(got) > 1e-9 {
		t.Errorf("it falls with %v m/s though its weight is carried", got)
	}
}

func TestSteppingAndReadingDoNotAllocate(t *testing.T) {
	s := load(t, openEngine(t), "table.xml")
	step(t, s, 300)
	contacts := make([]mujoco.Contact, 0, 200)
	state := make([]float64, 0, s.StateSize())
	for _, tc := range []struct {
		name string
		f    func()
	}{
		{"step", func() { step(t, s, 2) }},
		{"views", func() {
			s.QPos()[0] += s.QVel()[1] + s.Ctrl()[0] + s.GeomXPos()[3] + s.Sensordata()[0]
			s.QPos()[0] = 0
		}},
		{"contacts", func() { contacts = s.Contacts(contacts[:0]) }},
		{"ray", func() { s.Ray([3]float64{0, 0, 1}, [3]float64{0, 0, -1}, -1) }},
		{"id", func() { s.ID(mujoco.KindJoint, "elbow") }},
		{"state", func() { state, _ = s.State(state[:0]) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := testing.AllocsPerRun(20, tc.f); got != 0 {
				t.Errorf("%v allocations a run", got)
			}
		})
	}
}
