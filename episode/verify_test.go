package episode_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/robot"
)

var update = flag.Bool("update", false, "write the golden files anew")

// recorded is a small episode with an image and a turn, sealed.
func recorded(t *testing.T) (l *episode.Log, dir string) {
	t.Helper()
	var mu sync.Mutex
	var ticks int
	l = open(t, episode.Options{
		Session: "Cup Stacking!",
		Now: func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			ticks++
			return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC).Add(time.Duration(ticks) * time.Millisecond)
		},
		Clock:    func() (time.Duration, bool) { return 1250 * time.Millisecond, true },
		Versions: map[string]string{"rein": "test"},
	})
	seed := int64(3)
	if err := l.Begin(episode.Meta{Task: "stack", Seed: &seed, Scene: "tabletop"}); err != nil {
		t.Fatal(err)
	}
	if err := l.SaveImage("images/o1_cam.image.jpg", []byte("jpeg")); err != nil {
		t.Fatal(err)
	}
	turn := saveTurn(t, l, episode.Turn{
		Request:  model.Request{System: "s", Messages: []model.Message{user(text("task"), picture("o1.cam", "sent"))}},
		Response: []model.Part{model.End{Reason: model.StopEndTurn}},
	})
	yes := true
	tag := episode.Tag{Run: "s/1", Generation: 1}
	for _, e := range []episode.Event{
		episode.RunStarted{Tag: tag, Task: "stack", Models: map[string]string{"planner": "rules"}},
		episode.PlannerTurn{Tag: tag, Turn: turn, Trigger: []string{"user_message"}, Tools: []string{"pick"}},
		episode.TargetRejected{Tag: tag, Tool: "pick", TargetArea: 0.2, Limit: 0.015, Observation: "o1.cam"},
		episode.MonitorFrame{Tag: tag, Action: "a1", Images: []string{"images/o1_cam.image.jpg"}},
		episode.ActionEnded{Tag: tag, Action: "a1", Tool: "pick", Outcome: "succeeded", Cause: "skill", ElapsedS: 2.5, Stop: &episode.Stop{SentS: 1, StillS: 1.5, Outcome: "still"}},
		episode.RunEnded{Tag: tag, Status: "succeeded", Summary: "done", Claimed: &yes, Checked: &yes},
	} {
		if err := l.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	dir = l.EpisodeDir()
	if err := l.Seal(episode.Verdicts{Status: "succeeded", Claimed: &yes, Checked: &yes}); err != nil {
		t.Fatal(err)
	}
	return l, dir
}

func TestGoldenLog(t *testing.T) {
	_, dir := recorded(t)
	var got bytes.Buffer
	for _, name := range []string{"logs/events.jsonl", "logs/turns/0001.json", "episode.json"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		session := filepath.Base(filepath.Dir(filepath.Dir(dir)))
		got.WriteString("-- " + name + " --\n")
		got.Write(bytes.ReplaceAll(data, []byte(session), []byte("SESSION")))
	}
	got.WriteString("-- shown --\n")
	if err := episode.Show(&got, dir); err != nil {
		t.Fatal(err)
	}
	got.WriteString("-- canonical --\n")
	if err := episode.WriteCanonical(&got, dir); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "log.txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the log is not the golden one; run with -update and look at the difference:\n%s", got.String())
	}
}

func add(name, line string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(data, line...), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestVerifyFinds(t *testing.T) {
	tests := []struct {
		name   string
		damage func(t *testing.T, dir string)
		want   string // a problem; "" = none
	}{
		{"nothing", func(*testing.T, string) {}, ""},
		{"image-missing", remove("logs/images/o1_cam.image.jpg"), "logs/images/o1_cam.image.jpg: missing: event 5"},
		{"sent-image-altered", write("logs/images/o1_cam.image.sent.jpg", "else"), "logs/images/o1_cam.image.sent.jpg: altered"},
		{"turn-missing", remove("logs/turns/0001.json"), "logs/turns/0001.json: missing: event 3 (planner_turn) names it"},
		{"turn-damaged", write("logs/turns/0001.json", "{"), "logs/turns/0001.json: damaged"},
		{"events-missing", remove("logs/events.jsonl"), "logs/events.jsonl: missing"},
		{"events-altered", edit("logs/events.jsonl", `"stack"`, `"stuck"`), "logs/events.jsonl: altered"},
		{"line-missing", cutLine("logs/events.jsonl", 3), "logs/events.jsonl: damaged: event 4 follows event 2"},
		{"line-damaged", edit("logs/events.jsonl", `"seq":3,`, `"seq":,`), "logs/events.jsonl: damaged"},
		{"torn-after-sealing", edit("logs/events.jsonl", "\"status\":\"succeeded\"}\n", `"status":"succ`), "logs/events.jsonl: altered"},
		{"verdict-forged", edit("episode.json", `"checked": true`, `"checked": false`), "episode.json: altered: its check is false, and the events say true"},
		{"status-forged", edit("episode.json", `"status": "succeeded"`, `"status": "failed"`), `episode.json: altered: its status is "failed"`},
		{"task-forged", edit("episode.json", `"task": "stack`, `"task": "break`), "episode.json: altered: its task is"},
		{"image-added", write("logs/images/o9_cam.image.jpg", "x"), "logs/images/o9_cam.image.jpg: altered: it was not there"},
		{"second-end-added", add("logs/events.jsonl", `{"t":"2026-01-02T03:04:05.000000Z","seq":9,"kind":"run_ended","run":"r","status":"failed","summary":"","claimed":false,"checked":false,"usage":{}}`+"\n"),
			"episode.json: altered: its claim is true, and the events say false"},
		{"record-missing", remove("episode.json"), "episode.json: missing"},
		{"record-damaged", write("episode.json", "{"), "episode.json: damaged"},
		{"record-names-elsewhere", edit("episode.json", `"logs/turns/0001.json"`, `"../../session.json"`), `episode.json: damaged`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, dir := recorded(t)
			tt.damage(t, dir)
			r, err := episode.Verify(dir)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case tt.want == "" && (!r.OK() || !r.Sealed || r.Events != 8 || r.Torn):
				t.Errorf("got %v, want a sealed and whole episode of 8 events", r)
			case tt.want != "" && r.OK():
				t.Errorf("got %v, want %q", r, tt.want)
			case !strings.Contains(r.String(), tt.want):
				t.Errorf("got %v, want %q", r, tt.want)
			}
		})
	}
	if _, err := episode.Verify(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("an episode that is not there was verified")
	}
}

func remove(name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

func write(name, content string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func edit(name, from, to string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(data), from) {
			t.Fatalf("%s holds no %q", name, from)
		}
		i := strings.LastIndex(string(data), from)
		write(name, string(data[:i])+to+string(data[i+len(from):]))(t, dir)
	}
}

func cutLine(name string, n int) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		all := strings.SplitAfter(string(data), "\n")
		write(name, strings.Join(append(all[:n-1:n-1], all[n:]...), ""))(t, dir)
	}
}

func TestRepairSavesWhatCanBeSaved(t *testing.T) {
	l := open(t, episode.Options{})
	begin(t, l, "x")
	for range 3 {
		if err := l.Append(episode.Late{What: "w"}); err != nil {
			t.Fatal(err)
		}
	}
	dir := l.EpisodeDir()
	f, err := os.OpenFile(filepath.Join(dir, "logs", "events.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"t":"2026`); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	write("logs/images/.x.jpg-1.tmp", "half")(t, dir)
	remove("episode.json")(t, dir)
	lost, err := episode.Repair(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(lost, "; "); !strings.Contains(got, "line 5, damaged or not whole") || !strings.Contains(got, "half written") {
		t.Errorf("lost: got %q", got)
	}
	r, err := episode.Verify(dir)
	if err != nil || !r.OK() || !r.Sealed || r.Events != 4 {
		t.Errorf("got %v %v, want 4 events, sealed", r, err)
	}
	e, err := episode.ReadEpisode(dir)
	if err != nil || e.Task != "x" || e.Status != episode.StatusLost || len(e.Lost) != 2 {
		t.Errorf("got %+v %v", e, err)
	}
	if lost, err = episode.Repair(dir); err != nil || len(lost) != 0 {
		t.Errorf("repairing twice: got %v %v, want nothing", lost, err)
	}
}

// A process killed while it wrote a line after sealing has lost only that line.
func TestTornAfterSealing(t *testing.T) {
	_, dir := recorded(t)
	f, err := os.OpenFile(filepath.Join(dir, "logs", "events.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"t":"2026`); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if r, err := episode.Verify(dir); err != nil || !r.OK() || !r.Torn {
		t.Errorf("got %v %v, want a torn line and no problem", r, err)
	}
	if lost, err := episode.Repair(dir); err != nil || len(lost) != 1 {
		t.Errorf("got %v %v, want the torn line", lost, err)
	}
	if r, err := episode.Verify(dir); err != nil || !r.OK() || r.Torn || r.Events != 8 {
		t.Errorf("got %v %v, want 8 events", r, err)
	}
	if e, err := episode.ReadEpisode(dir); err != nil || e.Checked == nil || !*e.Checked || e.Status != "succeeded" {
		t.Errorf("the verdicts were lost: got %+v %v", e, err)
	}
}

func TestLateLinesAreSealedAtTheEnd(t *testing.T) {
	l, dir := recorded(t)
	if err := l.Append(episode.Late{What: "between episodes"}); err != nil {
		t.Fatal(err)
	}
	if r, err := episode.Verify(dir); err != nil || !r.OK() || r.Events != 9 {
		t.Errorf("after sealing: got %v %v, want 9 events and no problem", r, err)
	}
	if err := l.Append(episode.MonitorAnswer{Images: []string{"images/never.jpg"}}); err == nil {
		t.Error("an event that names an image that is nowhere was taken")
	}
	if err := l.Append(episode.Late{What: "after what could not be written"}); err != nil {
		t.Fatal(err)
	}
	if r, err := episode.Verify(dir); err != nil || !r.OK() || r.Events != 10 {
		t.Errorf("after a refused event: got %v %v, want 10 events and no problem", r, err)
	}
	begin(t, l, "next")
	if err := l.Append(episode.MonitorFrame{Images: []string{"images/o1_cam.image.jpg"}}); err != nil {
		t.Errorf("an image of the episode before: %v", err)
	}
	second := l.EpisodeDir()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	e, err := episode.ReadEpisode(dir)
	if err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(filepath.Join(dir, "logs", "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := e.Files["logs/events.jsonl"].Bytes, st.Size(); got != want {
		t.Errorf("sealed: got %d bytes, want %d", got, want)
	}
	if r, err := episode.Verify(second); err != nil || !r.OK() || r.Sealed {
		t.Errorf("got %v %v, want an unsealed whole episode", r, err)
	}
}

func TestSessionsOfSeveralProcesses(t *testing.T) {
	root := t.TempDir()
	var wg sync.WaitGroup
	var mu sync.Mutex
	numbers := map[string]int{}
	for range 8 {
		wg.Go(func() {
			l, err := episode.Open(root, episode.Options{Session: "Two Words"})
			if err != nil {
				t.Error(err)
				return
			}
			defer l.Close()
			if err := l.Begin(episode.Meta{Task: "x"}); err != nil {
				t.Error(err)
			}
			if err := l.Seal(episode.Verdicts{Status: "succeeded"}); err != nil {
				t.Error(err)
			}
			name := filepath.Base(l.Dir())
			if !strings.HasSuffix(name, "_two_words") || len(name) != len("0001_abcdef_two_words") {
				t.Errorf("session: got %s", name)
			}
			mu.Lock()
			numbers[name]++
			mu.Unlock()
		})
	}
	wg.Wait()
	if len(numbers) != 8 {
		t.Errorf("got %d sessions, want 8", len(numbers))
	}
	all, err := episode.List(root)
	if err != nil || len(all) != 8 {
		t.Fatalf("got %d episodes %v, want 8", len(all), err)
	}
	for _, s := range all {
		dir, err := episode.Find(root, s.ID)
		if err != nil || dir != s.Dir {
			t.Errorf("finding %s: got %q %v, want %q", s.ID, dir, err, s.Dir)
		}
	}
	if _, err := episode.Find(root, episode.Last); err != nil {
		t.Error(err)
	}
	for _, id := range []string{"../x/1", "nothing/000001", "", "x"} {
		if _, err := episode.Find(root, id); err == nil {
			t.Errorf("%q was found", id)
		}
	}
	if all, err := episode.List(filepath.Join(root, "none")); err != nil || len(all) != 0 {
		t.Errorf("no recordings: got %d %v", len(all), err)
	}
}

func TestOpenSaysWhatToDo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := episode.Open(file, episode.Options{}); err == nil || !strings.Contains(err.Error(), "--record") {
		t.Errorf("got %v, want a remedy", err)
	}
}

func TestSlug(t *testing.T) {
	for in, want := range map[string]string{
		"cup stacking": "cup_stacking", "": "session", "../..": "session", "A  B!": "a_b", "Ünïcode": "n_code",
		strings.Repeat("ab ", 40): strings.Repeat("ab_", 13) + "a",
	} {
		if got := episode.Slug(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestDepthRoundTrip(t *testing.T) {
	d := &robot.Depth{Pix: []float32{0, 0.12345, 6.5535, 7, -1, 1}}
	d.Rect.Max.X, d.Rect.Max.Y = 3, 2
	data, err := episode.EncodeDepth(d)
	if err != nil {
		t.Fatal(err)
	}
	got, err := episode.DecodeDepth(data)
	if err != nil {
		t.Fatal(err)
	}
	want := episode.QuantiseDepth(d)
	for i := range want.Pix {
		if got.Pix[i] != want.Pix[i] {
			t.Errorf("pixel %d: got %v, want %v", i, got.Pix[i], want.Pix[i])
		}
	}
	if got, want := want.Pix[1], float32(0.1234); got != want && got != 0.1235 {
		t.Errorf("got %v, want about %v", got, want)
	}
}

func TestSaveImageRefuses(t *testing.T) {
	l, _ := recorded(t)
	for _, name := range []string{"images/o1_cam.image.jpg", "../x.jpg", "images/../x.jpg", "images/x.gif", "images/a/b.jpg", "images/.jpg"} {
		if err := l.SaveImage(name, []byte("x")); err == nil {
			t.Errorf("%q was saved", name)
		}
	}
	if err := l.Err(); err != nil {
		t.Errorf("a refused image broke the log: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"t":"2026-01-02T03:04:05.000006Z","seq":3,"kind":"late","what":"x","id":"y"}` + "\n"))
	f.Add([]byte("{}\n{"))
	f.Add([]byte(`{"t":"2026-01-02T03:04:05Z","seq":1,"sim_s":1e300,"kind":"plan_updated","steps":[null]}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		n := 0
		for e, err := range episode.Parse(bytes.NewReader(data)) {
			if err != nil {
				break
			}
			n++
			line, err := e.MarshalJSON()
			if err != nil {
				t.Fatalf("what was read cannot be written: %v", err)
			}
			var again episode.Entry
			if err := again.UnmarshalJSON(line); err != nil {
				t.Fatalf("what was written cannot be read: %v in %s", err, line)
			}
			if _, err := episode.Canonical(e); err != nil {
				t.Fatal(err)
			}
			_ = episode.Describe(e.Event)
		}
		if lines := bytes.Count(data, []byte("\n")); n > lines {
			t.Fatalf("%d entries of %d lines", n, lines)
		}
	})
}

// One damaged line in the middle costs that line, not what came after it; the repaired episode verifies.
func TestRepairKeepsWhatFollowsADamagedLine(t *testing.T) {
	l := open(t, episode.Options{})
	begin(t, l, "x")
	for _, e := range []episode.Event{episode.Late{What: "one"}, episode.Late{What: "two"}, episode.RunEnded{Status: "failed"}} {
		if err := l.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	dir := l.EpisodeDir()
	edit("logs/events.jsonl", `"one"`, "\x00\x00\x00\x00")(t, dir)
	lost, err := episode.Repair(dir)
	if err != nil || len(lost) == 0 || !strings.Contains(lost[0], "line 2") {
		t.Errorf("lost %q, %v", lost, err)
	}
	r, err := episode.Verify(dir)
	if err != nil || !r.OK() || !r.Sealed || r.Events != 3 {
		t.Errorf("got %v, %v", r, err)
	}
	if e, err := episode.ReadEpisode(dir); err != nil || e.Status != "failed" {
		t.Errorf("got %+v, %v", e, err)
	}
}
