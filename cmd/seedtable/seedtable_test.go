package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/app"
)

func result(claimed, checked bool, summary string) *app.Result {
	r := &app.Result{Status: "failed", Summary: summary, Claimed: &claimed, Checked: &checked, Turns: 2, WallS: 10, SimS: 30}
	if checked {
		r.Status = "succeeded"
	}
	return r
}

// fake runs nothing: each seed ends in its own way.
func fake(_ context.Context, task string, seed uint64) outcome {
	o := outcome{Task: task, Seed: seed}
	switch seed {
	case 3:
		o.Result = result(true, false, "all 3 batteries are in the box")
	case 4, 6:
		o.Result = result(false, false, "no way to reach 0.4"+string(rune('0'+seed))+" m")
	case 5:
		o.Error = "rein: simulating at 1.2s: it broke"
	case 7:
		o.Result = result(true, true, "")
		o.Result.Checked, o.Result.Status = nil, "unchecked"
	case 8:
		o.Result = &app.Result{Status: "error", WallS: 90, SimS: 1, Turns: 9}
		o.Error = "rein: the disk is full"
	case 2:
		o.Result = result(false, true, "I see 2 blocks")
	default:
		o.Result = result(true, true, "done")
	}
	return o
}

func TestTableSaysWhatBecameOfEachRun(t *testing.T) {
	var kept bytes.Buffer
	b := &batch{o: &options{tasks: []string{"a", "b"}, seeds: seeds{1, 8}, parallel: 3}, start: fake, keep: &kept, progress: io.Discard}
	rows, err := b.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := printTable(&out, rows); err != nil {
		t.Fatal(err)
	}
	row := " | 8 | 2 | 1 | 3 | 10.0 / 90.0 | 30.0 / 30.0 | 2 / 9 |"
	what := `, what was not clean:

- 2 × claimed not done: no way to reach N m (seeds 4 6)
- 1 × claimed done: all N batteries are in the box (seeds 3)
- 1 × done, but claimed not done: I see N blocks (seeds 2)
- 1 × error: rein: the disk is full (seeds 8)
- 1 × no result: rein: simulating at Ns: it broke (seeds 5)
- 1 × no verdict, claimed done:  (seeds 7)
`
	_, table, _ := strings.Cut(out.String(), "|---|---|---|---|---|---|---|---|\n")
	if diff := cmp.Diff("| a"+row+"\n| b"+row+"\n\na"+what+"\nb"+what, table); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	lines := strings.Split(strings.TrimSpace(kept.String()), "\n")
	if len(lines) != 16 {
		t.Fatalf("%d results were kept, want 16", len(lines))
	}
	for _, l := range lines {
		var o outcome
		if err := json.Unmarshal([]byte(l), &o); err != nil || o.Task == "" {
			t.Errorf("%s: %v", l, err)
		}
	}
}

func TestNoMoreRunsAtATimeThanAskedFor(t *testing.T) {
	var now, most atomic.Int32
	gate := make(chan struct{}, 2)
	start := func(ctx context.Context, task string, seed uint64) outcome {
		n := now.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		gate <- struct{}{}
		<-gate
		now.Add(-1)
		return fake(ctx, task, 1)
	}
	b := &batch{o: &options{tasks: []string{"a"}, seeds: seeds{1, 50}, parallel: 2}, start: start, keep: io.Discard, progress: io.Discard}
	if rows, err := b.run(t.Context()); err != nil || rows[0].runs != 50 {
		t.Fatalf("%v, %v", rows, err)
	}
	if n := most.Load(); n > 2 {
		t.Errorf("%d runs at a time, want 2", n)
	}
}

func TestCancelledBatchGivesWhatItHas(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	start := func(ctx context.Context, task string, seed uint64) outcome {
		if seed == 5 {
			cancel()
		}
		return fake(ctx, task, 1)
	}
	b := &batch{o: &options{tasks: []string{"a"}, seeds: seeds{1, 1000}, parallel: 1}, start: start, keep: io.Discard, progress: io.Discard}
	rows, err := b.run(ctx)
	if !errors.Is(err, context.Canceled) || rows[0].runs < 3 || rows[0].runs > 5 {
		t.Errorf("%d runs, %v; want about four and the cancellation", rows[0].runs, err)
	}
}

func TestProcessGivesTheResultOfTheBinary(t *testing.T) {
	for _, tt := range []struct {
		name, script string
		want         outcome
	}{
		{"result", `echo '{"status":"succeeded","summary":"'"$*"'"}'; echo progress >&2`,
			outcome{Result: &app.Result{Status: "succeeded", Summary: "run a task --seed 7 --json --no-film --no-record --time fast --conf x"}}},
		{"error", `echo '{"status":"error","error":"x"}'; echo 'rein: no engine' >&2; echo 'hint: get one' >&2; exit 5`,
			outcome{Result: &app.Result{Status: "error"}, Error: "rein: no engine"}},
		{"nothing", `exit 2`, outcome{Error: "it ended: exit status 2"}},
		{"hung", `exec sleep 60`, outcome{Error: "gave no result within 100ms"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			binary := filepath.Join(t.TempDir(), "rein")
			if err := os.WriteFile(binary, []byte("#!/bin/sh\n"+tt.script+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			limit := 20 * time.Second
			if tt.name == "hung" {
				limit = 100 * time.Millisecond
			}
			got := process{&options{rein: binary, limit: limit, extra: []string{"--conf", "x"}}}.run(t.Context(), "a task", 7)
			tt.want.Task, tt.want.Seed = "a task", 7
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestCommandLine(t *testing.T) {
	o, err := parse([]string{"--task", "open the drawer", "--seeds", "5-9", "--", "--conf", "wrist"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{[]string{"open the drawer"}, uint64(5), uint64(9), []string{"--conf", "wrist"}}, []any{o.tasks, o.seeds.first, o.seeds.last, o.extra}); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, bad := range [][]string{{"--seeds", "9-5"}, {"--seeds", "x"}, {"--parallel", "0"}, {"--what"}} {
		if _, err := parse(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}
