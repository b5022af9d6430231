package episode_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rein-robotics/rein/episode"
)

func open(t testing.TB, opt episode.Options) *episode.Log {
	t.Helper()
	l, err := episode.Open(t.TempDir(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func begin(t testing.TB, l *episode.Log, task string) {
	t.Helper()
	if err := l.Begin(episode.Meta{Task: task}); err != nil {
		t.Fatal(err)
	}
}

func lines(t testing.TB, dir string) []episode.Entry {
	t.Helper()
	var out []episode.Entry
	for e, err := range episode.Read(dir) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

func TestAppendIsWrittenBeforeItReturns(t *testing.T) {
	l := open(t, episode.Options{})
	begin(t, l, "x")
	for i := range 50 {
		if err := l.Append(episode.ActionStarted{Action: fmt.Sprintf("a%d", i)}); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(l.EpisodeDir(), "logs", "events.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf(`"action":"a%d"`, i); !strings.Contains(string(data), want) {
			t.Fatalf("Append of a%d returned before it was in the file", i)
		}
	}
}

func TestOrderIsTheSequencersOwn(t *testing.T) {
	l := open(t, episode.Options{})
	begin(t, l, "x")
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 50 {
				e := episode.Late{What: fmt.Sprint(g), ID: fmt.Sprint(i)}
				if i%7 == 0 {
					if err := l.Append(e); err != nil {
						t.Error(err)
					}
					continue
				}
				l.Post(e)
			}
		})
	}
	wg.Wait()
	if err := l.Sync(); err != nil {
		t.Fatal(err)
	}
	got := lines(t, l.EpisodeDir())
	if len(got) != 401 {
		t.Fatalf("got %d lines, want 401", len(got))
	}
	next := map[string]int{}
	for i, e := range got {
		if e.Seq != uint64(i+1) {
			t.Fatalf("line %d: got seq %d", i, e.Seq)
		}
		late, ok := e.Event.(episode.Late)
		if !ok {
			continue
		}
		if want := fmt.Sprint(next[late.What]); late.ID != want {
			t.Fatalf("goroutine %s: got its event %s, want %s", late.What, late.ID, want)
		}
		next[late.What]++
	}
}

func TestFollowersSeeWhatWasAndWhatComes(t *testing.T) {
	for _, tt := range []struct {
		name string
		log  func(t *testing.T) *episode.Log
	}{
		{"recorded", func(t *testing.T) *episode.Log { return open(t, episode.Options{}) }},
		{"off", func(*testing.T) *episode.Log { return episode.Off(episode.Options{}) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := tt.log(t)
			begin(t, l, "x")
			const n = 200
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					want := uint64(1)
					for e, err := range l.From(context.Background(), 0) {
						if err != nil || e.Seq != want {
							t.Errorf("got %d %v, want %d", e.Seq, err, want)
							return
						}
						want++
					}
					if want != n+2 {
						t.Errorf("the follower saw %d events, want %d", want-1, n+1)
					}
				})
			}
			for i := range n {
				l.Post(episode.Late{ID: fmt.Sprint(i)})
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			wg.Wait()
			for e := range l.From(context.Background(), n) {
				if e.Seq != n+1 {
					t.Errorf("after %d: got %d", n, e.Seq)
				}
			}
		})
	}
}

func TestFollowerStops(t *testing.T) {
	l := episode.Off(episode.Options{})
	defer l.Close()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range l.From(ctx, 0) {
			cancel()
		}
	}()
	l.Post(episode.Late{})
	<-done
}

// A reader that begins after thousands of events gets the old ones from the files, or hears that they are gone.
func TestSlowReaderLags(t *testing.T) {
	const n = 25000
	write := func(l *episode.Log) {
		begin(t, l, "x")
		for i := range n {
			l.Post(episode.Late{ID: fmt.Sprint(i)})
			if i == n/2 && l.Dir() != "" {
				begin(t, l, "y")
			}
		}
		if err := l.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	l := open(t, episode.Options{})
	write(l)
	want := uint64(1)
	for e, err := range l.From(context.Background(), 0) {
		if err != nil || e.Seq != want {
			t.Fatalf("recorded: got %d %v, want %d", e.Seq, err, want)
		}
		if want++; want > n+2 {
			break
		}
	}
	off := episode.Off(episode.Options{})
	defer off.Close()
	write(off)
	var lagged *episode.Lagged
	next := uint64(0)
	for e, err := range off.From(context.Background(), 0) {
		if err != nil {
			if !errors.As(err, &lagged) || next != 0 {
				t.Fatal(err)
			}
			next = lagged.To + 1
			continue
		}
		if next == 0 || e.Seq != next {
			t.Fatalf("off: got %d, want %d", e.Seq, next)
		}
		if next++; e.Seq == n+1 {
			break
		}
	}
}

// fault is a writer that fails or hangs once it is told to.
type fault struct {
	w     io.Writer
	mu    sync.Mutex
	err   error
	short int
	hang  chan struct{}
}

func (f *fault) Write(p []byte) (int, error) {
	f.mu.Lock()
	err, hang, short := f.err, f.hang, f.short
	f.mu.Unlock()
	if hang != nil {
		<-hang
	}
	if short > 0 {
		n, _ := f.w.Write(p[:short])
		return n, err
	}
	if err != nil {
		return 0, err
	}
	return f.w.Write(p)
}

func (f *fault) set(change func(*fault)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}

func TestABrokenLogStaysBroken(t *testing.T) {
	for _, tt := range []struct {
		name  string
		short int
	}{{"nothing-written", 0}, {"half-a-line", 20}} {
		t.Run(tt.name, func(t *testing.T) {
			var f fault
			l := open(t, episode.Options{Wrap: func(w io.Writer) io.Writer { f.w = w; return &f }})
			begin(t, l, "x")
			if err := l.Append(episode.ActionStarted{Action: "a1"}); err != nil {
				t.Fatal(err)
			}
			f.set(func(f *fault) { f.err, f.short = errors.New("no space left on device"), tt.short })
			l.Post(episode.Late{})
			<-l.Failed()
			if err := l.Append(episode.ActionStarted{Action: "a2"}); err == nil || !strings.Contains(err.Error(), "no space left") {
				t.Errorf("got %v, want the disk's error", err)
			}
			f.set(func(f *fault) { f.err, f.short = nil, 0 })
			if err := l.Append(episode.SkillStarted{}); err == nil {
				t.Error("the log recovered by itself")
			}
			if err := l.Append(episode.RunEnded{Status: "error"}); err == nil {
				t.Error("Append of what cannot be written succeeded")
			}
			if err := l.Close(); err == nil {
				t.Error("Close said nothing")
			}
			var seen []string
			for e := range l.From(context.Background(), 0) {
				seen = append(seen, e.Event.Kind())
			}
			if got, want := strings.Join(seen, " "), "episode_started action_started late run_ended"; got != want {
				t.Errorf("followers saw %q, want %q", got, want)
			}
			r, err := episode.Verify(l.EpisodeDir())
			if err != nil {
				t.Fatal(err)
			}
			if !r.OK() || r.Sealed || r.Events != 2 || r.Torn != (tt.short > 0) {
				t.Errorf("got %v, want an unsealed episode of 2 events", r)
			}
		})
	}
}

func TestAStuckWriteIsNotWaitedFor(t *testing.T) {
	f := fault{}
	l := open(t, episode.Options{Wrap: func(w io.Writer) io.Writer { f.w = w; return &f }})
	begin(t, l, "x")
	hang := make(chan struct{})
	f.set(func(f *fault) { f.hang = hang })
	start := time.Now()
	err := l.Append(episode.ActionStarted{Action: "a1"})
	if err == nil || !strings.Contains(err.Error(), "not done after 1s") {
		t.Errorf("got %v, want that the write was not done", err)
	}
	if d := time.Since(start); d > 30*time.Second { // the limit is a second; the machine may be busy
		t.Errorf("Append waited %v", d)
	}
	if err := l.Append(episode.RunEnded{Status: "error"}); err == nil {
		t.Error("Append succeeded on a stuck log")
	}
	if err := l.Close(); err == nil {
		t.Error("Close said nothing")
	}
	last := ""
	for e := range l.From(context.Background(), 0) {
		last = e.Event.Kind()
	}
	if want := "run_ended"; last != want {
		t.Errorf("the last event that followers saw: got %q, want %q", last, want)
	}
	close(hang)
}

func TestOffNeverFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := episode.Off(episode.Options{Clock: func() (time.Duration, bool) { return 1500 * time.Millisecond, true }})
		begin(t, l, "x")
		if err := l.SaveImage("images/o1_cam.image.jpg", []byte("x")); err != nil {
			t.Error(err)
		}
		name, err := l.SaveTurn(episode.Turn{})
		if err != nil || name != "turns/0001.json" {
			t.Errorf("got %q %v", name, err)
		}
		if err := l.Append(episode.MonitorFrame{Images: []string{"images/never.jpg"}}); err != nil {
			t.Error(err)
		}
		if err := l.Seal(episode.Verdicts{Status: "succeeded"}); err != nil {
			t.Error(err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if l.Episode() != "" || l.Dir() != "" || l.Err() != nil {
			t.Errorf("got %q %q %v, want nothing", l.Episode(), l.Dir(), l.Err())
		}
		n := 0
		for e := range l.From(t.Context(), 0) {
			if n++; !e.Simulated || e.Sim != 1500*time.Millisecond {
				t.Errorf("got %v %v, want 1.5 s", e.Sim, e.Simulated)
			}
		}
		if n != 3 {
			t.Errorf("got %d events, want 3", n)
		}
	})
}

func TestClosedLogTakesNothing(t *testing.T) {
	l := open(t, episode.Options{})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
	l.Post(episode.Late{})
	if err := l.Append(episode.Late{}); err == nil {
		t.Error("a closed log took an event")
	}
}

func BenchmarkAppend(b *testing.B) {
	l := open(b, episode.Options{})
	begin(b, l, "x")
	e := episode.ActionStarted{Action: "a1", Tool: "pick_object", Args: []byte(`{"point":[312,208],"observation_id":"o12.front_camera"}`)}
	b.ReportAllocs()
	for b.Loop() {
		if err := l.Append(e); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPost(b *testing.B) {
	l := open(b, episode.Options{})
	begin(b, l, "x")
	e := episode.MonitorFrame{Action: "a1", Readings: []byte(`{"right_arm":{"x":0.25}}`)}
	b.ReportAllocs()
	for b.Loop() {
		l.Post(e)
	}
	if err := l.Sync(); err != nil {
		b.Fatal(err)
	}
}
