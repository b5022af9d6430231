package job_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rein-robotics/rein/agent/job"
)

// TestAJobEndsOnce: whatever comes in whatever order, the first end stands and nothing comes after it.
func TestAJobEndsOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var jobs job.Table
		first, began := map[string]job.State{}, 0
		text := map[string]string{}
		for i := range rapid.IntRange(1, 60).Draw(t, "steps") {
			id := fmt.Sprintf("j%d", rapid.IntRange(1, 5).Draw(t, "job"))
			_, known := jobs.Get(id)
			_, over := first[id]
			switch rapid.SampledFrom([]string{"begin", "print", "end"}).Draw(t, "what") {
			case "begin":
				began++
				if got, want := jobs.Begin("tool", nil, 0), fmt.Sprintf("j%d", began); got != want {
					t.Fatalf("got id %s, want %s", got, want)
				}
			case "print":
				if got, want := jobs.Print(id, "x\n"), known && !over; got != want {
					t.Fatalf("%s takes output: got %t, want %t", id, got, want)
				} else if got {
					text[id] += "x"
				}
			case "end":
				state := rapid.SampledFrom([]job.State{job.Done, job.Failed, job.Cancelled, job.Interrupted, job.TimedOut, job.Lost}).Draw(t, "state")
				if got, want := jobs.End(id, job.End{State: state}, time.Duration(i)), known && !over; got != want {
					t.Fatalf("%s takes its end: got %t, want %t", id, got, want)
				} else if got {
					first[id] = state
				}
			}
		}
		running := 0
		for _, j := range jobs.All() {
			want := job.Running
			if s, over := first[j.ID]; over {
				want = s
			} else {
				running++
			}
			lines, _, _ := j.Lines(0, 100)
			if j.State != want || strings.Join(lines, "") != text[j.ID] {
				t.Fatalf("%s: got %s with %v, want %s with %s", j.ID, j.State, lines, want, text[j.ID])
			}
		}
		if got := jobs.Running(); got != running {
			t.Fatalf("got %d running, want %d", got, running)
		}
	})
}

func TestRunningIsNoEnd(t *testing.T) {
	var jobs job.Table
	id := jobs.Begin("tool", json.RawMessage(`{}`), time.Second)
	if jobs.End(id, job.End{State: job.Running}, 2*time.Second) {
		t.Error("a job ended as running")
	}
	if j, _ := jobs.Get(id); j.Elapsed(3*time.Second) != 2*time.Second {
		t.Errorf("got %v", j.Elapsed(3*time.Second))
	}
	jobs.End(id, job.End{State: job.Done, Result: json.RawMessage(`{"n":1}`)}, 4*time.Second)
	if j, _ := jobs.Get(id); j.Elapsed(time.Hour) != 3*time.Second || string(j.Result) != `{"n":1}` {
		t.Errorf("got %+v", j)
	}
}

func TestIdsAreNotUsedAgain(t *testing.T) {
	var jobs job.Table
	jobs.Begin("a", nil, 0)
	next := jobs.Anew()
	if id := next.Begin("b", nil, 0); id != "j2" {
		t.Errorf("got %s", id)
	}
	if _, ok := next.Get("j1"); ok {
		t.Error("the next run knows a job of the run before")
	}
}

func TestLinesOfTheOutput(t *testing.T) {
	tests := map[string]struct {
		prints    []string
		offset, n int
		want      []string
		from      int
		total     int
	}{
		"nothing":               {nil, 0, 10, nil, 0, 0},
		"pieces_make_lines":     {[]string{"on", "e\ntw", "o\n"}, 0, 10, []string{"one", "two"}, 0, 2},
		"the_last_may_be_half":  {[]string{"one\ntw"}, 0, 10, []string{"one", "tw"}, 0, 2},
		"empty_lines_count":     {[]string{"\n\nx\n"}, 0, 10, []string{"", "", "x"}, 0, 3},
		"some":                  {[]string{"a\nb\nc\nd\n"}, 1, 2, []string{"b", "c"}, 1, 4},
		"behind_the_end":        {[]string{"a\n"}, 5, 2, nil, 1, 1},
		"before_the_start":      {[]string{"a\n"}, -5, 2, []string{"a"}, 0, 1},
		"no_lines_wanted":       {[]string{"a\n"}, 0, -1, nil, 0, 1},
		"forgotten":             {[]string{strings.Repeat("x\n", job.MaxLines+3)}, 0, 1, []string{"x"}, 3, job.MaxLines + 3},
		"a_long_line_is_cut":    {[]string{strings.Repeat("ä", job.MaxLineSize)}, 0, 1, []string{strings.Repeat("ä", job.MaxLineSize/2)}, 0, 1},
		"what_is_no_text_is_so": {[]string{"a\xffb\n"}, 0, 1, []string{"a�b"}, 0, 1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var jobs job.Table
			id := jobs.Begin("tool", nil, 0)
			for _, p := range tc.prints {
				jobs.Print(id, p)
			}
			j, _ := jobs.Get(id)
			lines, from, total := j.Lines(tc.offset, tc.n)
			if len(lines) == 0 {
				lines = nil
			}
			if diff := cmp.Diff(tc.want, lines); diff != "" || from != tc.from || total != tc.total {
				t.Errorf("from %d of %d, want %d of %d: %s", from, total, tc.from, tc.total, diff)
			}
		})
	}
}

func TestAnyTextIsKeptAsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var jobs job.Table
		id := jobs.Begin("tool", nil, 0)
		for range rapid.IntRange(1, 4).Draw(t, "prints") {
			jobs.Print(id, string(rapid.SliceOfN(rapid.Byte(), 0, 3*job.MaxLineSize).Draw(t, "text")))
		}
		j, _ := jobs.Get(id)
		lines, _, _ := j.Lines(0, job.MaxLines)
		for _, l := range lines {
			if len(l) > job.MaxLineSize || !utf8.ValidString(l) {
				t.Fatalf("got a line of %d bytes", len(l))
			}
		}
	})
}

func TestOldEndsAreForgotten(t *testing.T) {
	var jobs job.Table
	keep := jobs.Begin("runs_on", nil, 0)
	for range job.MaxEnded + 10 {
		jobs.End(jobs.Begin("short", nil, 0), job.End{State: job.Done}, 0)
	}
	if n := len(jobs.All()); n != job.MaxEnded+1 {
		t.Errorf("got %d jobs, want %d", n, job.MaxEnded+1)
	}
	if _, ok := jobs.Get(keep); !ok {
		t.Error("a running job was forgotten")
	}
	if _, ok := jobs.Get("j2"); ok {
		t.Error("the first end is still there")
	}
}
