// Command seedtable runs a task with many seeds and prints how often it was done, as a table in Markdown.
//
// It builds cmd/rein (or takes a binary), starts it once for each seed in a process of its own, and believes its result
// only: what the task's check said, never what the planner claimed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// standard are the tasks of the README.
func standard() []string {
	return []string{
		"put all the batteries in the white box", "stack the red block on the blue block", "push the green block to the left",
		"press the button", "open the drawer", "put the mug in the drawer",
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "seedtable:", err)
		os.Exit(1)
	}
}

// options are the command line.
type options struct {
	tasks    []string
	seeds    seeds
	parallel int
	rein     string
	out      string
	limit    time.Duration
	extra    []string // further arguments of every run
}

func parse(args []string) (*options, error) {
	o := &options{seeds: seeds{1, 100}}
	f := flag.NewFlagSet("seedtable", flag.ContinueOnError)
	f.Func("task", "a task, may be given several times (default: the six of the README)", func(s string) error {
		o.tasks = append(o.tasks, s)
		return nil
	})
	f.Func("seeds", "FIRST-LAST (default 1-100)", o.seeds.set)
	f.IntVar(&o.parallel, "parallel", 2, "runs at a time")
	f.StringVar(&o.rein, "rein", "", "binary to run (default: cmd/rein is built)")
	f.StringVar(&o.out, "out", "", "file for the results, one JSON object a line (default: none)")
	f.DurationVar(&o.limit, "limit", 5*time.Minute, "wall time after which a run counts as hung and is killed")
	f.Usage = func() {
		fmt.Fprintln(f.Output(), "usage: go run ./cmd/seedtable [flags] [-- arguments of rein run, for example --conf wrist]")
		f.PrintDefaults()
	}
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	o.extra = f.Args()
	if len(o.tasks) == 0 {
		o.tasks = standard()
	}
	if o.parallel < 1 {
		return nil, errors.New("--parallel wants at least 1")
	}
	return o, nil
}

// seeds is an inclusive range.
type seeds struct{ first, last uint64 }

func (s *seeds) set(text string) error {
	a, b, ranged := strings.Cut(text, "-")
	if !ranged {
		b = a
	}
	first, err := strconv.ParseUint(a, 10, 32)
	if err != nil {
		return fmt.Errorf("%q is no range of seeds; write 1-100", text)
	}
	last, err := strconv.ParseUint(b, 10, 32)
	if err != nil || last < first {
		return fmt.Errorf("%q is no range of seeds; write 1-100", text)
	}
	*s = seeds{first, last}
	return nil
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	if o.rein == "" {
		dir, err := os.MkdirTemp("", "seedtable-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if o.rein, err = build(ctx, dir); err != nil {
			return err
		}
	}
	keep := io.Discard
	if o.out != "" {
		file, err := os.Create(o.out)
		if err != nil {
			return err
		}
		defer file.Close()
		keep = file
	}
	b := &batch{o: o, start: process{o}.run, keep: keep, progress: os.Stderr}
	rows, err := b.run(ctx)
	if werr := printTable(stdout, rows); err == nil {
		err = werr
	}
	return err
}

func build(ctx context.Context, dir string) (string, error) {
	binary := filepath.Join(dir, "rein")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/rein")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("building ./cmd/rein (run this in the repository): %w", err)
	}
	return binary, nil
}
