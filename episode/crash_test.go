//go:build unix

package episode_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
)

// childEnv makes the test binary a process that only writes a log.
const childEnv = "REIN_EPISODE_TEST_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(childEnv) {
	case "":
		os.Exit(m.Run())
	case "write":
		writeUntilKilled(os.Args[1])
	case "full":
		writeUntilFull(os.Args[1])
	}
}

// writeUntilKilled logs as fast as it can and says on stdout what was acknowledged, before it goes on.
func writeUntilKilled(root string) {
	l, err := episode.Open(root, episode.Options{})
	if err != nil {
		panic(err)
	}
	if err := l.Begin(episode.Meta{Task: "killed"}); err != nil {
		panic(err)
	}
	req := model.Request{System: "s"}
	for n := 1; ; n++ {
		l.Post(episode.Late{What: strings.Repeat("x", n%3000), ID: strconv.Itoa(n)})
		if err := l.Append(episode.ActionStarted{Action: fmt.Sprint("a", n), Args: json.RawMessage(`{}`)}); err != nil {
			panic(err)
		}
		fmt.Println("a" + strconv.Itoa(n))
		if n%25 != 0 {
			continue
		}
		id := fmt.Sprintf("o%d.cam", n)
		if err := l.SaveImage(episode.ImageName(id, "image")+".jpg", []byte(strings.Repeat("i", 20_000))); err != nil {
			panic(err)
		}
		img := model.Block{Image: &model.ImageBlock{ID: id, Media: "image/jpeg", Data: []byte(id)}}
		req.Messages = append(req.Messages, model.Message{Role: model.RoleUser, Blocks: []model.Block{img}})
		turn, err := l.SaveTurn(episode.Turn{Request: req})
		if err != nil {
			panic(err)
		}
		l.Post(episode.MonitorFrame{Images: []string{episode.ImageName(id, "image") + ".jpg"}})
		l.Post(episode.PlannerTurn{Turn: turn})
		if n%100 == 0 {
			if err := l.Seal(episode.Verdicts{Status: "succeeded"}); err != nil {
				panic(err)
			}
			if err := l.Begin(episode.Meta{Task: "killed again"}); err != nil {
				panic(err)
			}
		}
	}
}

func child(mode, root string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], root)
	cmd.Env = append(os.Environ(), childEnv+"="+mode)
	return cmd
}

// A process killed at any moment leaves episodes that can be read to the last whole line, and whatever it was told to be
// written is there.
func TestKilledProcessLosesNothingItWasPromised(t *testing.T) {
	kills := 50
	if testing.Short() {
		kills = 5
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range kills {
		root := t.TempDir()
		promised := killAfter(t, root, 5+rng.IntN(250))
		checkKilled(t, root, promised)
		if t.Failed() {
			t.Fatalf("kill %d", i)
		}
	}
}

// killAfter kills a child after so many acknowledged actions and some random moment more; it returns the last one.
func killAfter(t *testing.T, root string, actions int) string {
	t.Helper()
	cmd := child("write", root)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errOut strings.Builder
	cmd.Stderr = &errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(out)
	last := ""
	for n := 0; ; n++ {
		line, err := r.ReadString('\n')
		if err != nil {
			break
		}
		last = strings.TrimSpace(line)
		if n == actions {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait() // it was killed
	if errOut.Len() > 0 {
		t.Fatal(errOut.String())
	}
	return last
}

func checkKilled(t *testing.T, root, promised string) {
	t.Helper()
	all, err := episode.List(root)
	if err != nil || len(all) == 0 {
		t.Fatalf("got %d episodes, %v", len(all), err)
	}
	newest := ""
	for _, s := range all {
		r, err := episode.Verify(s.Dir)
		if err != nil {
			t.Fatal(err)
		}
		if !r.OK() {
			if r.Events == 0 && s.Dir == all[len(all)-1].Dir {
				continue // killed while the episode was being made: nothing was promised for it
			}
			t.Errorf("%v", r)
		}
		for e, err := range episode.Read(s.Dir) {
			if errors.Is(err, episode.ErrTorn) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if a, ok := e.Event.(episode.ActionStarted); ok {
				newest = a.Action
			}
		}
	}
	if number(newest) < number(promised) {
		t.Errorf("%s was acknowledged, and the log ends at %s", promised, newest)
	}
}

func number(action string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(action, "a"))
	return n
}

// writeUntilFull logs to a disk on which no file may be larger than 100 kB.
func writeUntilFull(root string) {
	signal.Ignore(unix.SIGXFSZ)
	limit := unix.Rlimit{Cur: 100_000, Max: 100_000}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		panic(err)
	}
	l, err := episode.Open(root, episode.Options{})
	if err != nil {
		panic(err)
	}
	if err := l.Begin(episode.Meta{Task: "full"}); err != nil {
		panic(err)
	}
	for n := 1; ; n++ {
		if err := l.Append(episode.ActionStarted{Action: fmt.Sprint("a", n)}); err != nil {
			<-l.Failed()
			fmt.Printf("a%d\n%v\n", n-1, err)
			return
		}
	}
}

func TestFullDisk(t *testing.T) {
	root := t.TempDir()
	out, err := child("full", root).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	promised, rest, _ := strings.Cut(string(out), "\n")
	if !strings.Contains(rest, "file too large") || !strings.Contains(rest, "make room") {
		t.Errorf("got %q, want the disk's error and what to do", rest)
	}
	checkKilled(t, root, promised)
}

// A reader that looks while a line is being written sees the whole lines.
func TestReadWhileWriting(t *testing.T) {
	l := open(t, episode.Options{})
	begin(t, l, "x")
	dir := l.EpisodeDir()
	f, err := os.OpenFile(filepath.Join(dir, "logs", "events.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	line, err := episode.Entry{T: time.Unix(0, 0), Seq: 2, Event: episode.Late{What: "x"}}.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	line = append(line, '\n')
	for i, b := range line {
		if _, err := f.Write([]byte{b}); err != nil {
			t.Fatal(err)
		}
		n, torn := 0, false
		for _, err := range episode.Read(dir) {
			if err != nil {
				if torn = errors.Is(err, episode.ErrTorn); !torn {
					t.Fatal(err)
				}
				break
			}
			n++
		}
		if whole := i == len(line)-1; torn == whole || n != map[bool]int{false: 1, true: 2}[whole] {
			t.Fatalf("after %d of %d bytes: %d events, torn %v", i+1, len(line), n, torn)
		}
	}
}
