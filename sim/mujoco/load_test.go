package mujoco_test

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rein-robotics/rein/sim/mujoco"
)

// files makes a file system of names and contents.
func files(pairs ...string) fs.FS {
	m := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return m
}

// failures are scenes that cannot be loaded; line and words are what the error must say.
var failures = []struct {
	name  string
	files fs.FS
	line  int
	words []string
}{
	{"unknown-attribute", files("s.xml", "<mujoco>\n<worldbody>\n<geom typo='1'/>\n</worldbody></mujoco>"), 3, []string{"typo", "geom"}},
	{"unknown-element", files("s.xml", "<mujoco>\n<world/></mujoco>"), 2, []string{"world"}},
	{"broken-xml", files("s.xml", "<mujoco>\n<worldbody"), 2, []string{"XML"}},
	{"bad-number", files("s.xml", "<mujoco><worldbody>\n<geom size='one'/></worldbody></mujoco>"), 2, []string{"size"}},
	{"no-size", files("s.xml", "<mujoco><worldbody>\n\n<geom name='g' type='box' size='1 1'/></worldbody></mujoco>"), 3, []string{"size", "g"}},
	{"no-mass", files("s.xml", "<mujoco><worldbody>\n<body name='b'><freejoint/></body></worldbody></mujoco>"), 2, []string{"mass", "inertia"}},
	{"no-such-joint", files("s.xml", "<mujoco>\n<actuator>\n<motor joint='j'/></actuator></mujoco>"), 3, []string{"j"}},
	{"no-such-mesh-file", files("s.xml", "<mujoco><asset>\n<mesh name='m' file='m.stl'/></asset></mujoco>"), 0, []string{"m.stl"}},
	{"broken-mesh-file", files("s.xml", "<mujoco><asset>\n<mesh name='m' file='m.stl'/></asset><worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>", "m.stl", "short"), 2, []string{"m.stl"}},
	{"broken-picture", files("s.xml", "<mujoco><asset>\n<texture type='2d' file='t.png'/></asset></mujoco>", "t.png", "no picture"), 2, []string{"PNG"}},
	{"no-such-include", files("s.xml", "<mujoco>\n<include file='part.xml'/></mujoco>"), 2, []string{"part.xml"}},
	{"broken-include", files("s.xml", "<mujoco>\n<include file='part.xml'/></mujoco>", "part.xml", "<mujoco>\n\n<oops"), 2, []string{"Line number=3", "include"}},
	{"error-in-include", files("s.xml", "<mujoco>\n<include file='part.xml'/></mujoco>", "part.xml", "<mujoco>\n\n<oops/></mujoco>"), 0, []string{"oops"}},
	{"no-such-scene", files("other.xml", ""), 0, []string{"s.xml"}},
	{"empty-scene", files("s.xml", ""), 0, []string{"empty"}},
	{"out-of-the-files", files("s.xml", "<mujoco>\n<include file='../../../etc/passwd'/></mujoco>"), 2, []string{"etc/passwd"}},
}

func TestFailedLoadsNameFileAndLine(t *testing.T) {
	e := openEngine(t)
	for _, tc := range failures {
		t.Run(tc.name, func(t *testing.T) {
			_, err := e.Load(t.Context(), tc.files, "s.xml")
			model, ok := errors.AsType[*mujoco.ModelError](err)
			if !ok {
				t.Fatalf("error is %T %v, wanted a *ModelError", err, err)
			}
			if model.File != "s.xml" || model.Line != tc.line {
				t.Errorf("at %s:%d, wanted s.xml:%d: %v", model.File, model.Line, tc.line, err)
			}
			for _, word := range tc.words {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("%q does not say %q", err, word)
				}
			}
			for _, noise := range []string{"wazero", "goroutine", "wasm", "\n", "Press Enter"} {
				if strings.Contains(err.Error(), noise) {
					t.Errorf("%q says %q", err, noise)
				}
			}
		})
	}
}

func TestFiftyFailedLoadsLeaveTheEngineUsable(t *testing.T) {
	e := openEngine(t)
	for i := range 50 {
		if _, err := e.Load(t.Context(), failures[i%len(failures)].files, "s.xml"); err == nil {
			t.Fatal("a broken scene was loaded")
		}
	}
	s := load(t, e, "box.xml")
	step(t, s, 500)
	if got := s.QPos()[2]; got < 0.02 || got > 0.06 {
		t.Errorf("the box lies at height %v", got)
	}
}

// TestLoadingAndClosingDoesNotGrowMemory fails when an instance (17 MB of memory) or a part of one is kept.
func TestLoadingAndClosingDoesNotGrowMemory(t *testing.T) {
	e := openEngine(t)
	cycle := func(n int) uint64 {
		for range n {
			s, err := e.Load(t.Context(), scenes(t), "mesh.xml")
			if err != nil {
				t.Fatal(err)
			}
			step(t, s, 10)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	first := cycle(5)
	if last := cycle(40); last > first+4<<20 {
		t.Errorf("heap of %d bytes after 5 cycles, %d after 45", first, last)
	}
}

// TestResettingDoesNotGrowTheInstance fails when the engine takes memory with every Reset.
func TestResettingDoesNotGrowTheInstance(t *testing.T) {
	s := load(t, openEngine(t), "table.xml")
	var size uint32
	for i := range 200 {
		step(t, s, 2)
		if err := s.Reset(); err != nil {
			t.Fatal(err)
		}
		if now := mujoco.MemorySize(s); i == 20 {
			size = now
		} else if i > 20 && now != size {
			t.Fatalf("memory of %d bytes after 20 resets, %d after %d", size, now, i)
		}
	}
}

func TestClosedSimAndEngine(t *testing.T) {
	e := ownEngine(t)
	s := load(t, e, "box.xml")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	checkClosed := func(t *testing.T, s *mujoco.Sim) {
		t.Helper()
		for name, err := range map[string]error{
			"Step": s.Step(1), "Forward": s.Forward(), "Reset": s.Reset(), "SetState": s.SetState(nil),
		} {
			if !errors.Is(err, mujoco.ErrClosed) {
				t.Errorf("%s on a closed Sim: %v, wanted ErrClosed", name, err)
			}
		}
		if s.QPos() != nil || s.NQ() != 0 || s.ID(mujoco.KindBody, "box") != -1 || s.Name(mujoco.KindBody, 1) != "" || len(s.Contacts(nil)) != 0 {
			t.Error("a closed Sim still shows something")
		}
		if _, geom := s.Ray([3]float64{0, 0, 1}, [3]float64{0, 0, -1}, -1); geom != -1 {
			t.Errorf("a ray in a closed Sim met geom %d", geom)
		}
		if err := s.Close(); err != nil {
			t.Errorf("second Close: %v", err)
		}
	}
	t.Run("sim", func(t *testing.T) { checkClosed(t, s) })
	open := load(t, e, "box.xml")
	if err := e.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Run("sim-of-a-closed-engine", func(t *testing.T) { checkClosed(t, open) })
	if _, err := e.Load(t.Context(), scenes(t), "box.xml"); !errors.Is(err, mujoco.ErrClosed) {
		t.Errorf("loading with a closed engine: %v, wanted ErrClosed", err)
	}
}

func TestUnstableSceneIsAnError(t *testing.T) {
	s := load(t, openEngine(t), "box.xml")
	s.QVel()[0] = 1e300
	err := s.Step(5)
	stepped, ok := errors.AsType[*mujoco.StepError](err)
	if !ok {
		t.Fatalf("error is %v, wanted a *StepError", err)
	}
	if !strings.Contains(stepped.Reason, "velocity") {
		t.Errorf("%q does not say what is wrong", stepped.Reason)
	}
	if err := s.Step(5); err != nil {
		t.Errorf("stepping on after the engine's reset: %v", err)
	}
}

func TestScenesStepSideBySide(t *testing.T) {
	e := openEngine(t)
	want := trajectory(t, load(t, e, "table.xml"), 200)
	got := make(chan string, 4)
	for range cap(got) {
		s := load(t, e, "table.xml")
		go func() {
			var b strings.Builder
			for i := range 200 {
				drive(s, i)
				if err := s.Step(1); err != nil {
					fmt.Fprintln(&b, err)
				}
				if (i+1)%every == 0 {
					fmt.Fprintln(&b, hexOf(s.QPos()), hexOf(s.QVel()), s.NContact())
				}
			}
			got <- b.String()
		}()
	}
	for range cap(got) {
		if got := <-got; got != want {
			t.Errorf("beside others the trajectory is\n%s\nalone\n%s", got, want)
		}
	}
}
