// Command grasplab measures the skills without any agent: random things in random places are picked and put down, through
// the same robot, shield and control loop as in a run. The true poses are used only to choose the pixel that is pointed
// at and to judge the result.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "grasplab:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	trials  int
	seed    uint64
	workers int
	only    string
	drop    string
	conf    string
	verbose bool
	script  string
	scene   string
}

func run(ctx context.Context) error {
	var o options
	flag.IntVar(&o.trials, "n", 300, "picks and drops")
	flag.Uint64Var(&o.seed, "seed", 1, "of the first table; the next table has the next seed")
	flag.IntVar(&o.workers, "workers", runtime.NumCPU(), "tables at once")
	flag.StringVar(&o.only, "kind", "", "only things of this kind")
	flag.StringVar(&o.drop, "drop", "", "only drops of this sort: box or table")
	flag.StringVar(&o.conf, "conf", "conf/tabletop", "configuration folder")
	flag.StringVar(&o.script, "script", "", "instead of picks and drops, a task of the default scene: stack, push, press, drawer, close, mug")
	flag.StringVar(&o.scene, "scene", "conf/tabletop/scenes/tabletop.yaml", "scene file of the scripts")
	flag.BoolVar(&o.verbose, "v", false, "tell each failure")
	flag.Parse()
	start := time.Now()
	all, err := tables(ctx, &o)
	if err != nil {
		return err
	}
	report(os.Stdout, all, time.Since(start))
	return nil
}

// tables shares the seeds among the workers and gathers the trials in the order of the seeds.
func tables(ctx context.Context, o *options) ([]trial, error) {
	each := 3
	if o.script != "" {
		each = 1
	}
	n := (o.trials + each - 1) / each
	results := make([][]trial, n)
	errs := make([]error, o.workers)
	var wg sync.WaitGroup
	for w := range o.workers {
		wg.Go(func() {
			lab, err := newLab(ctx, o)
			if err != nil {
				errs[w] = err
				return
			}
			defer func() { errs[w] = firstErr(errs[w], lab.close()) }()
			for i := w; i < n; i += o.workers {
				if results[i], err = lab.one(ctx, o.seed+uint64(i), each); err != nil {
					errs[w] = fmt.Errorf("table of seed %d: %w", o.seed+uint64(i), err)
					return
				}
			}
		})
	}
	wg.Wait()
	var all []trial
	for i := range results {
		all = append(all, results[i]...)
	}
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return all[:min(len(all), o.trials)], nil
}

// one is the table of one seed.
func (l *lab) one(ctx context.Context, seed uint64, n int) ([]trial, error) {
	if l.o.script == "" {
		return l.table(ctx, seed, n)
	}
	t, err := l.play(ctx, l.o.script, seed)
	return []trial{t}, err
}

func firstErr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
