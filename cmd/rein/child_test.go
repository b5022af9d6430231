package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/episode"
)

// built is the folder of the program that these tests start; TestMain removes it.
func built() string { return filepath.Join(os.TempDir(), fmt.Sprintf("rein-test-%d", os.Getpid())) }

// binary is the program built once without the race detector: what these tests need is its speed.
var binary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(built(), "rein")
	out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput()
	if err != nil {
		return "", errors.New(string(out))
	}
	return path, nil
})

// child prepares the program with arguments; it is killed when it runs for two minutes.
func child(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return exec.CommandContext(ctx, path, args...)
}

const oneBattery = "put the battery in the white box"

func small(record string, more ...string) []string {
	return append([]string{"run", "--json", "--no-film", "--scene", "battery", "--record", record}, append(more, oneBattery)...)
}

// result runs the program and reads what it printed.
func result(t *testing.T, cmd *exec.Cmd) map[string]any {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var res map[string]any
	if jerr := json.Unmarshal(out, &res); jerr != nil {
		t.Fatalf("stdout %q does not parse: %v (%v)\n%s", out, jerr, err, stderr.String())
	}
	return res
}

// logged are the events of an episode, without what may differ between two runs.
func logged(t *testing.T, record string, res map[string]any) []string {
	t.Helper()
	id, ok := res["episode"].(string)
	if !ok {
		t.Fatalf("no episode in %v", res)
	}
	dir, err := episode.Find(record, id)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for e, err := range episode.Read(dir) {
		if err != nil {
			t.Fatal(err)
		}
		line, err := episode.Canonical(e)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	return lines
}

func TestOneSeedGivesOneLog(t *testing.T) {
	t.Parallel()
	a, b, c := t.TempDir(), t.TempDir(), t.TempDir()
	first := logged(t, a, result(t, child(t, small(a, "--seed", "3")...)))
	second := child(t, small(b, "--seed", "3")...)
	second.Env = append(os.Environ(), "GOMAXPROCS=1")
	if diff := cmp.Diff(first, logged(t, b, result(t, second))); diff != "" {
		t.Errorf("two runs with one seed differ:\n%s", diff)
	}
	if cmp.Equal(first, logged(t, c, result(t, child(t, small(c, "--seed", "4")...)))) {
		t.Error("runs with two seeds are equal: this test cannot fail")
	}
}

func TestSeveralRunsShareOneRecord(t *testing.T) {
	t.Parallel()
	record := t.TempDir()
	var wg sync.WaitGroup
	for range 4 {
		cmd := child(t, small(record, "--seed", "3")...)
		wg.Go(func() {
			if out, err := cmd.Output(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	wg.Wait()
	list, err := episode.List(record)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 4 {
		t.Fatalf("got %d episodes, want 4", len(list))
	}
	for _, s := range list {
		rep, err := episode.Verify(s.Dir)
		if err != nil {
			t.Fatal(err)
		}
		if !rep.OK() || !rep.Sealed {
			t.Error(rep)
		}
	}
}

// Killed at any moment, an episode is whole to the last line that was being written.
func TestFiftyKillsLeaveWholeLogs(t *testing.T) {
	t.Parallel()
	record := t.TempDir()
	told := killAfter(t, record, math.MaxInt)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		killAfter(t, record, rng.IntN(told))
	}
	list, err := episode.List(record)
	if err != nil {
		t.Fatal(err)
	}
	unsealed := 0
	for _, s := range list {
		rep, err := episode.Verify(s.Dir)
		if err != nil {
			t.Errorf("%s: %v", s.Dir, err)
			continue
		}
		if !rep.OK() {
			t.Error(rep)
		}
		if !rep.Sealed {
			unsealed++
		}
	}
	if unsealed < 5 {
		t.Errorf("%d of %d episodes are unsealed: the kills came too late to test anything", unsealed, len(list))
	}
}

// killAfter starts a run and kills it once it has told so many lines of progress, some random moment into what follows
// them; it gives how many it told.
func killAfter(t *testing.T, record string, lines int) (told int) {
	t.Helper()
	cmd := child(t, small(record)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for in := bufio.NewScanner(stderr); told < lines && in.Scan(); {
		told++
	}
	_ = cmd.Process.Kill() // it may have ended by itself
	_ = cmd.Wait()         // killed
	return told
}

func TestSignalStopsAndSeals(t *testing.T) {
	t.Parallel()
	record := t.TempDir()
	cmd := child(t, small(record, "--time", "real")...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var seen []byte
	buf := make([]byte, 4096)
	for !bytes.Contains(seen, []byte("a1 starts")) {
		n, err := stderr.Read(buf)
		if err != nil {
			t.Fatalf("%v before an action started: %s", err, seen)
		}
		seen = append(seen, buf[:n]...)
	}
	from := time.Now()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = stderr.Read(buf)
	}
	err = cmd.Wait()
	if took := time.Since(from); took > 30*time.Second { // a stop is bounded by 5 s of its own; the machine may be busy
		t.Errorf("took %v", took)
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != exitCancelled {
		t.Errorf("got %v, want exit code %d", err, exitCancelled)
	}
	var res struct{ Status, Episode string }
	if err := json.Unmarshal(stdout.Bytes(), &res); err != nil || res.Status != "cancelled" {
		t.Fatalf("got %s (%v)", stdout.Bytes(), err)
	}
	dir, err := episode.Find(record, res.Episode)
	if err != nil {
		t.Fatal(err)
	}
	if rep, err := episode.Verify(dir); err != nil || !rep.Sealed || !rep.OK() {
		t.Errorf("got %v, %v", rep, err)
	}
	for e, err := range episode.Read(dir) {
		if err != nil {
			t.Fatal(err)
		}
		if end, ok := e.Event.(episode.ActionEnded); ok && (end.Cause != "cancel" || end.Stop.Outcome != "still") {
			t.Errorf("got %+v", end)
		}
	}
}
