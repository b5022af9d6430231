package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rein-robotics/rein/app"
)

// outcome is one run: a line of the results' file.
type outcome struct {
	Task   string      `json:"task"`
	Seed   uint64      `json:"seed"`
	Result *app.Result `json:"result"` // nil = the run gave none
	Error  string      `json:"error,omitempty"`
}

// process runs the binary.
type process struct{ o *options }

func (p process) run(ctx context.Context, task string, seed uint64) outcome {
	ctx, cancel := context.WithTimeout(ctx, p.o.limit)
	defer cancel()
	args := append([]string{"run", task, "--seed", strconv.FormatUint(seed, 10), "--json", "--no-film", "--no-record", "--time", "fast"}, p.o.extra...)
	cmd := exec.CommandContext(ctx, p.o.rein, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		return outcome{Task: task, Seed: seed, Error: fmt.Sprintf("gave no result within %v", p.o.limit)}
	}
	return read(outcome{Task: task, Seed: seed}, stdout.Bytes(), stderr.String(), err)
}

// read takes the result from a run's output. The exit code says nothing that the result does not.
func read(o outcome, stdout []byte, stderr string, err error) outcome {
	var res app.Result
	if jerr := json.Unmarshal(stdout, &res); jerr == nil && res.Status != "" {
		o.Result = &res
		if res.Status == "error" {
			o.Error = lastLine(stderr)
		}
		return o
	}
	o.Error = lastLine(stderr)
	if o.Error == "" {
		o.Error = fmt.Sprintf("it ended: %v", err)
	}
	return o
}

// lastLine is the last line that says something and is no hint.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if l := strings.TrimSpace(lines[i]); l != "" && !strings.HasPrefix(l, "hint: ") {
			return l
		}
	}
	return ""
}

// batch runs all tasks with all seeds.
type batch struct {
	o        *options
	start    func(ctx context.Context, task string, seed uint64) outcome
	keep     io.Writer // results as they come
	progress io.Writer
}

type job struct {
	task int
	seed uint64
}

// run gives the outcomes by task, in the order of the seeds. Cancelled, it gives those that there are, and an error.
func (b *batch) run(ctx context.Context) ([]row, error) {
	rows := make([]row, len(b.o.tasks))
	jobs := make(chan job)
	results := make(chan outcome)
	var workers sync.WaitGroup
	for range b.o.parallel {
		workers.Go(func() {
			for j := range jobs {
				results <- b.start(ctx, b.o.tasks[j.task], j.seed)
			}
		})
	}
	go func() {
		defer close(results)
		b.deal(ctx, jobs)
		workers.Wait()
	}()
	for i, t := range b.o.tasks {
		rows[i].task = t
	}
	var err error
	for o := range results {
		if ctx.Err() != nil {
			continue // killed on the way
		}
		for i := range rows {
			if rows[i].task == o.Task {
				rows[i].add(o)
				break
			}
		}
		if kerr := json.NewEncoder(b.keep).Encode(o); kerr != nil && err == nil {
			err = fmt.Errorf("keeping the results: %w", kerr)
		}
		fmt.Fprintf(b.progress, "%s, seed %d: %s\n", o.Task, o.Seed, kind(o))
	}
	return rows, errors.Join(err, ctx.Err())
}

// deal hands out all jobs, or those until ctx is done.
func (b *batch) deal(ctx context.Context, jobs chan<- job) {
	defer close(jobs)
	for t := range b.o.tasks {
		for seed := b.o.seeds.first; seed <= b.o.seeds.last; seed++ {
			select {
			case jobs <- job{t, seed}:
			case <-ctx.Done():
				return
			}
		}
	}
}
