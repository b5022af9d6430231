package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rein-robotics/rein/sim/mujoco/fetch"
)

// The test binary stands in for the npm client when these variables are set: the mode says what it does, the file what it delivers, and it adds a
// line to the log for every run.
const (
	fakeMode = "REIN_FAKE_NPM"
	fakeFile = "REIN_FAKE_NPM_FILE"
	fakeLog  = "REIN_FAKE_NPM_LOG"
)

func TestMain(m *testing.M) {
	if mode := os.Getenv(fakeMode); mode != "" {
		os.Exit(npm(mode, os.Args[1:]))
	}
	os.Exit(m.Run())
}

// npm is the stand-in for the npm client: pack PACKAGE --pack-destination DIR …
func npm(mode string, args []string) int {
	log, err := os.OpenFile(os.Getenv(fakeLog), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		fmt.Fprintln(log, strings.Join(args[:2], " "))
		log.Close()
	}
	dest := args[3]
	switch mode {
	case "deliver":
		content, err := os.ReadFile(os.Getenv(fakeFile))
		if err == nil {
			err = os.WriteFile(filepath.Join(dest, "mujoco-mujoco-3.12.0.tgz"), content, 0o644)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	case "offline":
		fmt.Fprintln(os.Stderr, "npm error code ENOTFOUND\nnpm error network request failed, reason: getaddrinfo ENOTFOUND\nnpm error A complete log of this run can be found in: /x/y-debug-0.log")
		return 1
	case "hang":
		r, _, err := os.Pipe()
		if err == nil {
			_, err = r.Read(make([]byte, 1)) // nobody ever writes
		}
		fmt.Fprintln(os.Stderr, err)
	}
	return 0
}

// fakeNPM lets the test binary be the npm client.
func fakeNPM(t *testing.T, mode, deliver string) (program, log string) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	log = filepath.Join(t.TempDir(), "log")
	t.Setenv(fakeMode, mode)
	t.Setenv(fakeFile, deliver)
	t.Setenv(fakeLog, log)
	return program, log
}

// engine is the true engine file, obtained once as a user's program obtains it: its path in the cache, in whichever form, and its bytes.
type engine struct {
	path string
	wasm []byte
}

var theEngine = sync.OnceValues(func() (engine, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return engine{}, err
	}
	src := fetch.Source{Dir: filepath.Join(cache, "rein", "mujoco-3.12.0"), Path: os.Getenv("REIN_ENGINE")}
	wasm, err := fetch.Wasm(context.Background(), src)
	if err != nil {
		return engine{}, err
	}
	for _, name := range []string{fetch.ArchiveFile, fetch.WasmFile} {
		if file := filepath.Join(src.Dir, name); exists(file) {
			return engine{file, wasm}, nil
		}
	}
	return engine{}, errors.New("the engine file is not in the cache though it was obtained")
})

// engineFile is the true engine file on disk (mostly the archive), bareFile the one without an archive around it, which is quicker to read.
func engineFile(t *testing.T) string {
	t.Helper()
	e, err := theEngine()
	if err != nil {
		t.Fatal(err)
	}
	return e.path
}

func bareFile(t *testing.T) string {
	t.Helper()
	e, err := theEngine()
	if err != nil {
		t.Fatal(err)
	}
	return write(t, fetch.WasmFile, e.wasm)
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// altered copies a file with one byte changed.
func altered(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)/2] ^= 1
	return write(t, filepath.Base(file), content)
}

func write(t *testing.T, name string, content []byte) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, content, 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestMissingEngineNamesAllThreeSourcesAndTheRemedy(t *testing.T) {
	engine := engineFile(t)
	for _, tc := range []struct {
		name     string
		npm      string // mode of the stand-in, "" for no npm at all
		deliver  string
		path     string
		cached   []byte
		words    []string
		unwanted string
	}{
		{name: "no-npm", words: []string{"npm is not installed", "not there yet", "not given"}},
		{name: "no-network", npm: "offline", words: []string{"ENOTFOUND", "network request failed"}, unwanted: "debug-0.log"},
		{name: "npm-hangs", npm: "hang", words: []string{"longer than 300ms"}},
		{name: "npm-leaves-nothing", npm: "nothing", words: []string{"0 archives"}},
		{name: "npm-delivers-altered-archive", npm: "deliver", deliver: altered(t, engine), words: []string{"sha", "wanted"}},
		{name: "given-file-is-missing", npm: "deliver", deliver: engine, path: "nowhere.tgz", words: []string{"nowhere.tgz", "because a file was named"}},
		{name: "given-file-is-altered", npm: "deliver", deliver: engine, path: altered(t, engine), words: []string{"sha", "wanted", "because a file was named"}},
		{name: "given-file-is-another-wasm", path: write(t, "other.wasm", []byte("\x00asm\x01\x00\x00\x00")), words: []string{"other.wasm is not the engine file", "sha256"}},
		{name: "given-file-is-another-archive", path: write(t, "other.tgz", []byte("\x1f\x8bxx")), words: []string{"other.tgz is not the archive", "sha512"}},
		{name: "given-file-is-something-else", path: write(t, "letter.txt", []byte("dear")), words: []string{"neither the archive (.tgz) nor the engine file (.wasm)"}},
		{name: "given-file-is-huge", path: write(t, "huge.wasm", make([]byte, 21<<20)), words: []string{"larger than"}},
		{name: "cache-is-damaged", cached: []byte("\x1f\x8bhalf"), words: []string{"cache: ", "sha512"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			src := fetch.Source{Dir: filepath.Join(t.TempDir(), "cache"), Path: tc.path, NPM: filepath.Join(t.TempDir(), "npm"), Timeout: 300 * time.Millisecond}
			if tc.npm != "" {
				src.NPM, _ = fakeNPM(t, tc.npm, tc.deliver)
			}
			if tc.npm != "hang" {
				src.Timeout = time.Minute
			}
			if tc.cached != nil {
				if err := errors.Join(os.MkdirAll(src.Dir, 0o755), os.WriteFile(filepath.Join(src.Dir, fetch.ArchiveFile), tc.cached, 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			_, err := fetch.Wasm(t.Context(), src)
			if err == nil {
				t.Fatal("no error")
			}
			for _, word := range append(tc.words, "cache:", "--engine or REIN_ENGINE:", "npm client:", "remedy:", fetch.Package) {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("the error does not say %q:\n%v", word, err)
				}
			}
			if tc.unwanted != "" && strings.Contains(err.Error(), tc.unwanted) {
				t.Errorf("the error says %q:\n%v", tc.unwanted, err)
			}
			leftovers(t, src.Dir)
		})
	}
}

// leftovers fails when a failed attempt left more than the lock and what was there.
func leftovers(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "lock" && e.Name() != fetch.ArchiveFile && e.Name() != fetch.WasmFile {
			t.Errorf("left behind: %s", e.Name())
		}
	}
}

func TestSourcesInOrder(t *testing.T) {
	given, bare := engineFile(t), bareFile(t)
	wasm, err := os.ReadFile(bare)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name   string
		path   string
		cached string // file put into the cache first, "" for none
		runs   int    // of npm
	}{
		{"cache-first", given, bare, 0},
		{"given-file", given, "", 0},
		{"given-bare-file", bare, "", 0},
		{"npm-last", "", "", 1},
		{"damaged-cache-is-replaced", "", altered(t, given), 1},
		{"damaged-cache-and-given-file", bare, altered(t, given), 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			program, log := fakeNPM(t, "deliver", bare)
			src := fetch.Source{Dir: t.TempDir(), Path: tc.path, NPM: program}
			if tc.cached != "" {
				content, err := os.ReadFile(tc.cached)
				if err == nil {
					err = os.WriteFile(filepath.Join(src.Dir, filepath.Base(tc.cached)), content, 0o644)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			for range 2 { // the second time everything comes from the cache
				got, err := fetch.Wasm(t.Context(), src)
				if err != nil {
					t.Fatal(err)
				}
				if string(got) != string(wasm) {
					t.Error("not the engine file")
				}
			}
			if got := runs(t, log); got != tc.runs {
				t.Errorf("npm ran %d times, wanted %d", got, tc.runs)
			}
			leftovers(t, src.Dir)
		})
	}
}

func runs(t *testing.T, log string) int {
	t.Helper()
	content, err := os.ReadFile(log)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		if want := "pack " + fetch.Package + "\n"; line != want {
			t.Errorf("npm was called with %q, wanted %q", line, want)
		}
	}
	return strings.Count(string(content), "\n")
}

func TestManyAtOnceRunNPMOnce(t *testing.T) {
	program, log := fakeNPM(t, "deliver", bareFile(t))
	dir := t.TempDir()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if _, err := fetch.Wasm(t.Context(), fetch.Source{Dir: dir, NPM: program}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if got := runs(t, log); got != 1 {
		t.Errorf("npm ran %d times, wanted 1", got)
	}
}

// TestWaitingForTheLockCanBeCancelled lets one caller hang in npm, so that a second one waits.
func TestWaitingForTheLockCanBeCancelled(t *testing.T) {
	program, log := fakeNPM(t, "hang", "")
	dir := t.TempDir()
	first, stopFirst := context.WithCancel(t.Context())
	done := make(chan error)
	downloading := make(chan bool, 1)
	go func() {
		_, err := fetch.Wasm(first, fetch.Source{Dir: dir, NPM: program, Progress: func(string) { downloading <- true }})
		done <- err
	}()
	<-downloading
	cause := errors.New("the user gave up")
	second, stopSecond := context.WithCancelCause(t.Context())
	_, err := fetch.Wasm(second, fetch.Source{Dir: dir, NPM: program, Progress: func(line string) {
		if !strings.Contains(line, "waiting for another process") {
			t.Errorf("progress says %q", line)
		}
		stopSecond(cause)
	}})
	if !errors.Is(err, cause) {
		t.Errorf("waiting ended with %v, wanted %v", err, cause)
	}
	stopFirst()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("the first ended with %v, wanted Canceled", err)
	}
	if got := runs(t, log); got > 1 {
		t.Errorf("npm ran %d times", got)
	}
}
