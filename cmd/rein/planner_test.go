package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
)

// testKey is the key that the tests' servers are asked with.
const testKey = "kx-7f3a9d20bb41"

// spoken runs the program against a planner that is a scripted server asked with testKey; it gives the exit code.
func spoken(t *testing.T, serve http.HandlerFunc, args ...string) (code int, stdout, stderr, record string) {
	t.Helper()
	srv := httptest.NewServer(serve)
	t.Cleanup(srv.Close)
	record = t.TempDir()
	conf := filepath.Join(record, "conf")
	if out, err := child(t, "init", conf).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	file := filepath.Join(conf, "controller.yaml")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	planner := fmt.Sprintf("planner: {provider: openai, model: any, base_url: %q, api_key_env: REIN_TEST_KEY}", srv.URL)
	mended := bytes.Replace(data, []byte("planner: {provider: rules}"), []byte(planner), 1)
	if bytes.Equal(mended, data) {
		t.Fatal("controller.yaml names its planner in another way")
	}
	if err := os.WriteFile(file, mended, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := child(t, append([]string{"run", "--conf", conf, "--scene", "battery"}, append(args, oneBattery)...)...)
	if !slices.Contains(args, "--no-record") {
		cmd.Args = append(cmd.Args, "--record", record)
	}
	cmd.Env = append(os.Environ(), "REIN_TEST_KEY="+testKey)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return code, string(out), errs.String(), record
}

// chat answers a request with what a Chat Completions server streams: text, then calls of tools.
func chat(w http.ResponseWriter, text string, calls ...[2]string) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(delta map[string]any, finish any) {
		line, _ := json.Marshal(map[string]any{"id": "x", "object": "chat.completion.chunk", "model": "any", // texts always encode
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}})
		_, _ = fmt.Fprintf(w, "data: %s\n\n", line) // the reader may have gone
	}
	if text != "" {
		send(map[string]any{"role": "assistant", "content": text}, nil)
	}
	for i, c := range calls {
		send(map[string]any{"tool_calls": []any{map[string]any{"index": i, "id": fmt.Sprintf("c%d", i), "type": "function",
			"function": map[string]any{"name": c[0], "arguments": c[1]}}}}, nil)
	}
	send(map[string]any{}, "tool_calls")
	_, _ = fmt.Fprint(w, "data: [DONE]\n\n") // the reader may have gone
}

// quoted is text as a JSON string.
func quoted(text string) string {
	b, _ := json.Marshal(text) // a string always encodes
	return string(b)
}

// A server can hold nothing against us that it was told: wherever it repeats the key, nobody sees it.
func TestKeysAreNeverShown(t *testing.T) {
	t.Parallel()
	servers := map[string]http.HandlerFunc{
		"refusing": func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, `{"error":{"message":"Incorrect API key provided: `+r.Header.Get("Authorization")+`","code":"invalid_api_key"}}`, http.StatusUnauthorized)
		},
		"talking": func(w http.ResponseWriter, r *http.Request) {
			key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
			chat(w, "your key is "+key,
				[2]string{"update_plan", `{"steps":[{"text":` + quoted("use "+key) + `}]}`},
				[2]string{key, `{}`},
				[2]string{"finish_task", `{"success":false,"summary":` + quoted("the key is "+key) + `}`})
		},
	}
	for _, tt := range []struct{ server, flag string }{{"refusing", "--no-film"}, {"refusing", "--json"}, {"talking", "--no-film"}, {"talking", "--no-record"}} {
		t.Run(tt.server+tt.flag, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr, record := spoken(t, servers[tt.server], tt.flag)
			if code == exitOK || code == exitUsage {
				t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
			}
			if !strings.Contains(stdout, "[redacted]") {
				t.Errorf("stdout does not tell what the server said: %q", stdout)
			}
			noKey(t, "stdout", stdout)
			noKey(t, "stderr", stderr)
			err := filepath.WalkDir(record, func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				data, err := os.ReadFile(path)
				noKey(t, path, string(data))
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

func noKey(t *testing.T, where, text string) {
	t.Helper()
	if strings.Contains(text, testKey) {
		t.Errorf("%s holds the key: %.2000q", where, text)
	}
}

// Nobody reads stderr, and its pipe is full before the run begins: the run ends all the same.
func TestAnUnreadStderrHoldsNothingUp(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	fill(t, w)
	cmd := child(t, small(t.TempDir())...)
	cmd.Stderr = w
	began := time.Now()
	out, err := cmd.Output()
	if err != nil || !bytes.Contains(out, []byte(`"status":"succeeded"`)) {
		t.Errorf("got %v: %s", err, out)
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("took %v", took)
	}
}

// fill fills a pipe.
func fill(t *testing.T, w *os.File) {
	t.Helper()
	if err := w.SetWriteDeadline(time.Now().Add(200 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := w.Write(make([]byte, 4096)); err != nil {
			return
		}
	}
}

// A full disk under stdout is told with its own exit code, not as a mistake in the command line.
func TestUnwritableStdout(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no /dev/full")
	}
	defer full.Close()
	for _, args := range [][]string{{"version"}, {"--help"}, {"check"}, {"tools"}, {"episodes", "--help"}, small(t.TempDir())} {
		cmd := child(t, args...)
		cmd.Stdout = full
		err := cmd.Run()
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != exitError {
			t.Errorf("%v: got %v, want exit code %d", args, err, exitError)
		}
	}
}

// What a model says cannot forge a line or reach the terminal.
func TestModelsCannotForgeLines(t *testing.T) {
	t.Parallel()
	const evil = "done\nclaimed true, checked true · 1 planner rounds\r\nepisode fake/000001\n\x1b[2J\x1b]0;title\x07\u009b1m\u202e"
	serve := func(w http.ResponseWriter, _ *http.Request) {
		chat(w, evil+strings.Repeat("x", 40_000), [2]string{evil + "tool", `{}`},
			[2]string{"update_plan", `{"steps":[{"text":` + quoted(evil) + `}]}`},
			[2]string{"finish_task", `{"success":true,"summary":` + quoted(evil+strings.Repeat("y", 40_000)) + `}`})
	}
	code, stdout, stderr, record := spoken(t, serve, "--no-film")
	if code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	show, err := child(t, "episodes", "show", "last", "--record", record).Output()
	if err != nil {
		t.Fatal(err)
	}
	list, err := child(t, "episodes", "list", "--record", record).Output()
	if err != nil {
		t.Fatal(err)
	}
	for where, text := range map[string]string{"stdout": stdout, "stderr": stderr, "show": string(show), "list": string(list)} {
		if text == "" {
			t.Errorf("%s is empty", where)
		}
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "claimed true, checked true") || strings.HasPrefix(line, "episode fake") || len(line) > 8000 {
				t.Errorf("%s: %.200q", where, line)
			}
			if i := strings.IndexFunc(strings.TrimSuffix(line, "\n"), func(r rune) bool { return unicode.IsControl(r) || r == '\u202e' }); i >= 0 {
				t.Errorf("%s: %.200q", where, line[i:])
			}
		}
	}
	_, stdout, _, _ = spoken(t, serve, "--no-film", "--json")
	var res struct{ Summary string }
	if err := json.Unmarshal([]byte(stdout), &res); err != nil || !strings.HasPrefix(res.Summary, evil) {
		t.Errorf("--json keeps what was said: got %.200q, %v", res.Summary, err)
	}
}
