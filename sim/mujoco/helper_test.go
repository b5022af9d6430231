package mujoco_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rein-robotics/rein/sim/mujoco"
	"github.com/rein-robotics/rein/sim/mujoco/fetch"
)

// shared is the engine of all tests that do not close it, opened as a user's program opens it, obtaining the file when this machine has none.
var shared = sync.OnceValues(func() (*mujoco.Engine, error) {
	return mujoco.Open(context.Background(), mujoco.Options{
		Path:     os.Getenv("REIN_ENGINE"),
		Progress: func(line string) { fmt.Fprintln(os.Stderr, line) },
	})
})

// openEngine returns the shared engine.
func openEngine(t testing.TB) *mujoco.Engine {
	t.Helper()
	e, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// ownEngine opens an engine that the test may close.
func ownEngine(t testing.TB) *mujoco.Engine {
	t.Helper()
	e, err := mujoco.Open(t.Context(), mujoco.Options{Path: os.Getenv("REIN_ENGINE")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return e
}

// scenes is the folder of test scenes.
func scenes(t testing.TB) fs.FS {
	t.Helper()
	return os.DirFS(filepath.Join("testdata", "scenes"))
}

// load loads one of the test scenes.
func load(t testing.TB, e *mujoco.Engine, name string) *mujoco.Sim {
	t.Helper()
	s, err := e.Load(t.Context(), scenes(t), name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// step advances and fails the test on an error.
func step(t testing.TB, s *mujoco.Sim, n int) {
	t.Helper()
	if err := s.Step(n); err != nil {
		t.Fatal(err)
	}
}

// drive writes the controls of step i: the same rule as in golden.mjs, by comparisons only, so that both languages agree.
func drive(s *mujoco.Sim, i int) {
	ctrl, limits := s.Ctrl(), s.ActuatorCtrlRange()
	for a := range ctrl {
		switch (i/250 + a) % 3 {
		case 0:
			ctrl[a] = limits[2*a] * 0.25
		case 1:
			ctrl[a] = limits[2*a+1] * 0.25
		default:
			ctrl[a] = 0
		}
	}
}

// node runs the vendor's package in Node with the arguments of golden.mjs behind the package. ok is false where there is no Node, or where the
// engine was given as a bare file, without the JavaScript around it.
func node(t testing.TB, args ...string) (out []byte, ok bool) {
	t.Helper()
	program, err := exec.LookPath("node")
	if err != nil {
		t.Log("no Node on this machine: comparing with the committed file only")
		return nil, false
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	archive, err := os.ReadFile(filepath.Join(cache, "rein", "mujoco-3.12.0", fetch.ArchiveFile))
	if err != nil {
		t.Log("no archive of the engine in the cache: comparing with the committed file only")
		return nil, false
	}
	dir := t.TempDir()
	unpack(t, archive, dir)
	args = append([]string{filepath.Join("testdata", "golden.mjs"), filepath.Join(dir, "package"), filepath.Join("testdata", "scenes")}, args...)
	cmd := exec.CommandContext(t.Context(), program, args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err = cmd.Output()
	if err != nil {
		t.Fatalf("node: %v\n%s", err, said.Bytes())
	}
	return out, true
}

// unpack writes the files of the single-threaded build.
func unpack(t testing.TB, archive []byte, dir string) {
	t.Helper()
	unzipped, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "package"), 0o755); err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(unzipped); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Dir(h.Name) != "package" {
			continue
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, h.Name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
