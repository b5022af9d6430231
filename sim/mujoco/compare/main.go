// Command compare measures the physics engine in this program, the same package in Node and the native Python build, on the same scenes and in turns,
// and prints the tables of docs/engine.md.
//
//	go run ./sim/mujoco/compare [-rounds 5] [-package PACKAGE] [-python PYTHON]
//
// Its one invariant: every host steps the same scene with the same controls, and no two of them run at the same time. PACKAGE is the unpacked npm
// package, for Node; PYTHON an interpreter with mujoco==3.12.0; a host that is not given is left out. Speeds are by processor time, so that other work
// on the machine counts less; start-up is by the clock.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rein-robotics/rein/sim/mujoco"
)

// testdata is where scenes and the scripts of the other hosts are, seen from the root of the repository.
var testdata = filepath.Join("sim", "mujoco", "testdata")

// scene is one line of the table.
type scene struct {
	file  string
	steps int
}

// host steps a scene and returns the steps per second of processor time.
type host struct {
	name string
	run  func(context.Context, scene) (float64, error)
}

func main() {
	log.SetFlags(0)
	rounds := flag.Int("rounds", 5, "how often each host runs each scene; the table shows medians")
	python := flag.String("python", "", "a Python interpreter with mujoco==3.12.0")
	node := flag.String("package", "", "the unpacked npm package, for Node")
	flag.Parse()
	ctx := context.Background()
	if err := compare(ctx, *rounds, hosts(*node, *python)); err != nil {
		log.Fatal(err)
	}
	if err := starts(ctx, *rounds); err != nil {
		log.Fatal(err)
	}
}

// hosts lists who takes part.
func hosts(node, python string) []host {
	all := []host{{"rein", here}}
	if node != "" {
		all = append(all, host{"Node", func(ctx context.Context, s scene) (float64, error) {
			return script(ctx, "node", filepath.Join(testdata, "golden.mjs"), node, filepath.Join(testdata, "scenes"), "speed", s.file, strconv.Itoa(s.steps), "2000")
		}})
	}
	if python != "" {
		all = append(all, host{"native", func(ctx context.Context, s scene) (float64, error) {
			return script(ctx, python, filepath.Join(testdata, "speed.py"), filepath.Join(testdata, "scenes", s.file), strconv.Itoa(s.steps))
		}})
	}
	return all
}

// compare prints the table of speeds.
func compare(ctx context.Context, rounds int, hosts []host) error {
	fmt.Printf("%s/%s, %d processors, %s, medians of %d rounds, steps per second of processor time\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), rounds)
	for _, s := range []scene{{"box.xml", 40000}, {"table.xml", 8000}, {"table_sleep.xml", 20000}} {
		results := make([][]float64, len(hosts))
		for range rounds {
			for i, h := range hosts {
				v, err := h.run(ctx, s)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", h.name, s.file, err)
				}
				results[i] = append(results[i], v)
			}
		}
		fmt.Printf("%-16s", s.file)
		for i, h := range hosts {
			m := median(results[i])
			fmt.Printf("  %s %.0f (%.2f; %.0f to %.0f)", h.name, m, m/median(results[0]), slices.Min(results[i]), slices.Max(results[i]))
		}
		fmt.Println()
	}
	return nil
}

// here steps a scene in this program, ten steps between two changes of the controls, as the scripts do.
func here(ctx context.Context, sc scene) (float64, error) {
	e, err := mujoco.Open(ctx, mujoco.Options{})
	if err != nil {
		return 0, err
	}
	defer e.Close(ctx)
	s, err := e.Load(ctx, os.DirFS(filepath.Join(testdata, "scenes")), sc.file)
	if err != nil {
		return 0, err
	}
	if err := run(s, 1000); err != nil {
		return 0, err
	}
	if err := s.Reset(); err != nil {
		return 0, err
	}
	start := processorTime()
	if err := run(s, sc.steps); err != nil {
		return 0, err
	}
	return float64(sc.steps) / (processorTime() - start).Seconds(), nil
}

func run(s *mujoco.Sim, n int) error {
	for i := 0; i < n; i += 10 {
		ctrl, limits := s.Ctrl(), s.ActuatorCtrlRange()
		for a := range ctrl {
			ctrl[a] = [3]float64{limits[2*a] * 0.25, limits[2*a+1] * 0.25, 0}[(i/250+a)%3]
		}
		if err := s.Step(10); err != nil {
			return err
		}
	}
	return nil
}

// script runs another host, which prints one number.
func script(ctx context.Context, program string, args ...string) (float64, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("%w: %s", err, said.Bytes())
	}
	return strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
}

// starts prints the time from nothing to a stepped scene: with an empty cache but for the engine file, and with a full one.
func starts(ctx context.Context, rounds int) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	var cold, warm []float64
	for range rounds {
		dir, err := os.MkdirTemp("", "rein-cold-*")
		if err != nil {
			return err
		}
		for _, times := range []*[]float64{&cold, &warm} {
			start := time.Now()
			err := openAndStep(ctx, dir, filepath.Join(cache, "rein", "mujoco-3.12.0", "mujoco-mujoco-3.12.0.tgz"))
			if err != nil {
				return err
			}
			*times = append(*times, time.Since(start).Seconds()*1e3)
		}
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	fmt.Printf("open, load table.xml and step once: cold %.0f ms (%.0f to %.0f), warm %.0f ms (%.0f to %.0f)\n",
		median(cold), slices.Min(cold), slices.Max(cold), median(warm), slices.Min(warm), slices.Max(warm))
	return nil
}

func openAndStep(ctx context.Context, dir, engine string) error {
	e, err := mujoco.Open(ctx, mujoco.Options{CacheDir: dir, Path: engine})
	if err != nil {
		return err
	}
	defer e.Close(ctx)
	s, err := e.Load(ctx, os.DirFS(filepath.Join(testdata, "scenes")), "table.xml")
	if err != nil {
		return err
	}
	return s.Step(1)
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}
