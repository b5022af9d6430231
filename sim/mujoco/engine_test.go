package mujoco_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rein-robotics/rein/sim/mujoco"
	"github.com/rein-robotics/rein/sim/mujoco/fetch"
	"github.com/rein-robotics/rein/sim/mujoco/wasmpatch"
)

// userCache is the folder in which Open keeps the engine by default.
func userCache(t testing.TB) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(cache, "rein", "mujoco-3.12.0")
}

// cachedEngine is the engine file on disk, in whichever form this machine has it.
func cachedEngine(t testing.TB) string {
	t.Helper()
	if _, err := fetch.Wasm(t.Context(), fetch.Source{Dir: userCache(t), Path: os.Getenv("REIN_ENGINE")}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{fetch.ArchiveFile, fetch.WasmFile} {
		file := filepath.Join(userCache(t), name)
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	t.Fatal("the engine file is not in the cache though it was obtained")
	return ""
}

// TestPatchedFileIsTheOneKnown fails when the plan or the patcher changes without the hash that lets a warm start trust the small file.
func TestPatchedFileIsTheOneKnown(t *testing.T) {
	wasm, err := fetch.Wasm(t.Context(), fetch.Source{Dir: userCache(t), Path: os.Getenv("REIN_ENGINE")})
	if err != nil {
		t.Fatal(err)
	}
	patched, err := wasmpatch.Patch(wasm, mujoco.Plan())
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(patched)
	if got := hex.EncodeToString(sum[:]); got != mujoco.PatchedSHA256 {
		t.Errorf("PatchedSHA256 is %s, wanted %s", mujoco.PatchedSHA256, got)
	}
}

func TestWazeroVersionIsThatOfTheModule(t *testing.T) {
	mod, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "github.com/tetratelabs/wazero " + mujoco.WazeroVersion + "\n"; !strings.Contains(string(mod), want) {
		t.Errorf("go.mod has no line with %q", want)
	}
}

func TestProcessorsAndSystems(t *testing.T) {
	for _, tc := range []struct {
		os, arch, feature string
		word              string // of the error, "" for none
	}{
		{"linux", "amd64", "sse4.1", ""},
		{"linux", "arm64", "", ""},
		{"darwin", "arm64", "", ""},
		{"windows", "amd64", "sse4.1", ""},
		{"linux", "amd64", "", "needs a processor with SSE4.1"},
		{"linux", "riscv64", "", "no compiler for riscv64 processors: use a machine with amd64 (x86-64) or arm64"},
		{"linux", "386", "sse4.1", "no compiler for 386 processors"},
		{"plan9", "amd64", "sse4.1", "no compiler for plan9"},
		{"solaris", "arm64", "", "no compiler for solaris on arm64"},
	} {
		t.Run(tc.os+"-"+tc.arch+"-"+tc.feature, func(t *testing.T) {
			err := mujoco.SupportedOn(tc.os, tc.arch, tc.feature)
			if (err == nil) != (tc.word == "") || err != nil && !strings.Contains(err.Error(), tc.word) {
				t.Errorf("error %v, wanted one that says %q", err, tc.word)
			}
		})
	}
}

func TestOpenWithoutAnyEngineSaysWhatToDo(t *testing.T) {
	t.Setenv("PATH", "")
	_, err := mujoco.Open(t.Context(), mujoco.Options{CacheDir: t.TempDir()})
	if err == nil {
		t.Fatal("no error")
	}
	for _, word := range []string{"obtaining the physics engine", "cache: not there yet", "--engine or REIN_ENGINE: not given", "npm is not installed", "remedy: "} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("the error does not say %q:\n%v", word, err)
		}
	}
}

func TestOpenWhereTheCacheCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := mujoco.Open(t.Context(), mujoco.Options{CacheDir: file}); err == nil || !strings.Contains(err.Error(), "cache folder") {
		t.Errorf("error %v, wanted one about the cache folder", err)
	}
}

// TestDamagedCodeIsMadeAgainOnce opens several engines at once on a cache whose compiled code is damaged, then one on what they left.
func TestDamagedCodeIsMadeAgainOnce(t *testing.T) {
	openEngine(t) // so that there is compiled code
	o := mujoco.Options{CacheDir: t.TempDir(), Path: cachedEngine(t)}
	if n := copyDamaged(t, userCache(t), filepath.Join(o.CacheDir, "mujoco-3.12.0")); n == 0 {
		t.Fatal("the cache holds no compiled code")
	}
	lines := make(chan string, 100)
	o.Progress = func(line string) { lines <- line }
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() { openAndStep(t, o) })
	}
	group.Wait()
	openAndStep(t, o)
	close(lines)
	said := map[string]int{}
	for line := range lines {
		said[line]++
	}
	const damaged = "the compiled physics engine is damaged, making it again"
	const compiling = "compiling the physics engine for this machine (a few seconds): once"
	if said[damaged] != 1 || said[compiling] != 1 {
		t.Errorf("progress says %v, wanted each of the two lines once", said)
	}
}

// copyDamaged copies a cache with the first half of each file of compiled code and returns how many there were.
func copyDamaged(t *testing.T, from, to string) (damaged int) {
	t.Helper()
	err := filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if strings.Contains(name, string(filepath.Separator)+"compiled-") {
			damaged++
			content = content[:len(content)/2]
		}
		rest, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		name = filepath.Join(to, rest)
		return errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, content, 0o644))
	})
	if err != nil {
		t.Fatal(err)
	}
	return damaged
}

// openAndStep may run beside the test's goroutine.
func openAndStep(t *testing.T, o mujoco.Options) {
	e, err := mujoco.Open(t.Context(), o)
	if err != nil {
		t.Error(err)
		return
	}
	s, err := e.Load(t.Context(), scenes(t), "box.xml")
	if err == nil {
		err = s.Step(10)
	}
	if err := errors.Join(err, e.Close(t.Context())); err != nil {
		t.Error(err)
	}
}
