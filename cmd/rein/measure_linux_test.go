package main

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
	"golang.org/x/tools/txtar"
)

// recordedRun is a folder with a configuration and a recorded episode of three ticks: that of testdata/script/monitor.txt.
func recordedRun(t *testing.T) string {
	t.Helper()
	script, err := txtar.ParseFile("testdata/script/monitor.txt")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cmd := child(t, "init", "conf")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, f := range script.Files {
		path := map[string]string{"pick.yaml": "conf/skills/pick_object.yaml", "events.jsonl": "recordings/controller/0001_7f3a9c_session/episodes/000001/logs/events.jsonl"}[f.Name]
		if path == "" {
			continue
		}
		path = filepath.Join(dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Join(filepath.Dir(path), "images"), 0o755), os.WriteFile(path, f.Data, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	var picture bytes.Buffer
	if err := jpeg.Encode(&picture, image.NewGray(image.Rect(0, 0, 512, 384)), nil); err != nil {
		t.Fatal(err)
	}
	for i := 1; i <= 3; i++ {
		path := filepath.Join(dir, fmt.Sprintf("recordings/controller/0001_7f3a9c_session/episodes/000001/logs/images/a1m%d_front_camera.image.jpg", i))
		if err := os.WriteFile(path, picture.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// pty is a terminal: what is written to person is typed on tty.
func pty(t *testing.T) (person, tty *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no terminals here: %v", err)
	}
	t.Cleanup(func() { person.Close() })
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err := errors.Join(err, unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0)); err != nil {
		t.Fatal(err)
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tty.Close() })
	return person, tty
}

// readUntil reads until a text comes.
func readUntil(t *testing.T, from *os.File, text string) string {
	t.Helper()
	var seen []byte
	buf := make([]byte, 4096)
	for !bytes.Contains(seen, []byte(text)) {
		n, err := from.Read(buf)
		if seen = append(seen, buf[:n]...); err != nil {
			t.Fatalf("%v before %q: %s", err, text, seen)
		}
	}
	return string(seen)
}

func exitCodeOf(err error) int {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	return -1
}

// On a terminal a key labels without Enter. Ctrl-C says where the labels are, leaves whole lines and the terminal as it was.
func TestLabellingOnATerminal(t *testing.T) {
	t.Parallel()
	dir := recordedRun(t)
	person, tty := pty(t)
	before, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	cmd := child(t, "monitor", "label", "--conf", "conf")
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	readUntil(t, person, "q quit")
	for _, step := range []struct{ typed, want string }{{"2", "2/3 "}, {"\x1b[3~s", "3/3 "}, {"\x03", "2 of 3 ticks are labelled in evals"}} {
		if _, err := person.WriteString(step.typed); err != nil {
			t.Fatal(err)
		}
		readUntil(t, person, step.want)
	}
	if err := cmd.Wait(); exitCodeOf(err) != exitCancelled {
		t.Errorf("got %v, want exit code %d", err, exitCancelled)
	}
	after, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	if err != nil || *after != *before {
		t.Errorf("the terminal is left as %+v, was %+v (%v)", after, before, err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "evals", "pick_object_progress.jsonl"))
	if err != nil || bytes.Count(data, []byte("\n")) != 2 || !bytes.HasSuffix(data, []byte("\n")) ||
		!bytes.Contains(data, []byte(`"label":"holding"`)) || !bytes.Contains(data, []byte(`"label":"unsure"`)) {
		t.Errorf("labels are %s (%v)", data, err)
	}
}

// decider is a server of typed answers: every call is answered with approaching, then holding, and the second one never.
type decider struct {
	*httptest.Server
	calls atomic.Int32
	hangs chan struct{} // closed when the second call has come
}

func hangsOnce(t *testing.T) *decider {
	t.Helper()
	d := &decider{hangs: make(chan struct{})}
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return // the client is gone
		}
		value := "holding"
		switch d.calls.Add(1) {
		case 1:
			value = "approaching"
		case 2:
			close(d.hangs)
			<-r.Context().Done()
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"model":"m","answers":[{"type":"choice","name":"progress","choice":%q,"confidence":0.5,"probabilities":[{"value":%q,"probability":0.9}]}],
			"usage":{"input_tokens":1,"output_tokens":1,"total_tokens":2}}`, value, value)
	}))
	t.Cleanup(d.Close)
	return d
}

// Ctrl-C while a model is asked ends with exit code 3 and says where the answers are; killed outright, what was answered is
// kept, too. Both go on with --resume.
func TestMeasuringIsInterruptedAndGoesOn(t *testing.T) {
	t.Parallel()
	for name, signal := range map[string]os.Signal{"interrupt": os.Interrupt, "kill": os.Kill} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := recordedRun(t)
			label := child(t, "monitor", "label", "--conf", "conf")
			label.Dir, label.Stdin = dir, strings.NewReader("122")
			if out, err := label.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			srv := hangsOnce(t)
			args := []string{"monitor", "eval", "--conf", "conf", "--model", "openai_decisions:m", "--monitor-url", srv.URL}
			eval := child(t, args...)
			var told bytes.Buffer
			eval.Dir, eval.Stderr = dir, &told
			if err := eval.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- eval.Wait() }()
			select {
			case <-srv.hangs:
			case err := <-ended:
				t.Fatalf("%v before the second call: %s", err, told.String())
			}
			if err := eval.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			err := <-ended
			if signal == os.Interrupt && (exitCodeOf(err) != exitCancelled || !strings.Contains(told.String(), "answers: evals/answers/pick_object_progress_")) {
				t.Errorf("%v: %s", err, told.String())
			}
			again := child(t, append(args, "--resume")...)
			again.Dir = dir
			out, err := again.Output()
			if err != nil || srv.calls.Load() != 4 || !strings.Contains(string(out), "100.0 % (3 of 3;") {
				t.Errorf("%v: %d calls, want 1 and 1 that hung, then 2\n%s", err, srv.calls.Load(), out)
			}
		})
	}
}
