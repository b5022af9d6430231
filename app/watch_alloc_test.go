package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model/modeltest"
	"github.com/rein-robotics/rein/robot"
)

// spent is what a place of the program allocated.
type spent struct{ Objects, Bytes int64 }

// loopSpent is what the control loop's goroutine allocated in a run.
type loopSpent struct {
	ByStack map[string]spent // of the calls within the loop, innermost first
	Ticks   int
	Looks   int // of the monitor
}

// allocEnv names the file that a process of its own writes what it allocated to.
const allocEnv = "REIN_TEST_ALLOC"

// The control goroutine does no image work: the same task costs it the same allocations, place by place, with a monitor
// that looks, crops, marks, encodes and asks, and without one. What a look does cost it is the news that it is due: a timer
// of the robot clock is the loop's. The simulated robot lives on this goroutine, too, and is counted with it.
func TestTheControlGoroutineAllocatesTheSameWithAMonitor(t *testing.T) {
	if file := os.Getenv(allocEnv); file != "" {
		spendOnTheLoop(t, file)
		return
	}
	unraced(t)
	if testing.Short() {
		t.Skip("two runs in processes of their own, with every allocation noted")
	}
	var off, on loopSpent
	var g errgroup.Group
	g.Go(func() error { return inAProcess(t, "off", &off) })
	g.Go(func() error { return inAProcess(t, "on", &on) })
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	if off.Ticks != on.Ticks || off.Looks != 0 || on.Looks < 5 {
		t.Fatalf("%d ticks and %d looks without a monitor, %d and %d with one", off.Ticks, off.Looks, on.Ticks, on.Looks)
	}
	const newsObjects, newsBytes = 8, 256 // of a look
	without, with := off.sum(isNews), on.sum(isNews)
	if o, b := with.Objects-without.Objects, with.Bytes-without.Bytes; o > int64(newsObjects*on.Looks) || b > int64(newsBytes*on.Looks) {
		t.Errorf("the news that %d looks are due cost %d allocations, %d bytes", on.Looks, o, b)
	}
	own := func(calls string) bool { return !isNews(calls) && !isChance(calls) }
	a, b := off.sum(own), on.sum(own)
	if d := max(a.Objects-b.Objects, b.Objects-a.Objects); d >= int64(on.Looks) {
		t.Errorf("%+v without a monitor, %+v with one: they differ by one a look", a, b)
	}
	if diff := differing(off.ByStack, on.ByStack, on.Looks); diff != "" {
		t.Errorf("without a monitor, with one, where:\n%s", diff)
	}
	t.Logf("%d ticks, %d looks; without a monitor %+v, with one %+v, of it the simulated robot %+v; news of the looks %+v beside %+v",
		on.Ticks, on.Looks, a, b, on.sum(func(calls string) bool { return strings.Contains(calls, "clock.(*Simulated).Advance") }), with, without)
}

// inAProcess runs this test in a process of its own, in which every allocation of the run is noted.
func inAProcess(t *testing.T, mode string, into *loopSpent) error {
	file := filepath.Join(t.TempDir(), mode)
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.timeout=5m")
	// One processor and no collection leave little to chance: pools stay filled.
	cmd.Env = append(os.Environ(), allocEnv+"="+file, "GOMAXPROCS=1", "GOGC=off", "GOMEMLIMIT=1GiB")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", mode, err, out)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

// spendOnTheLoop carries the task out, without a monitor when the file is called off, and writes what it cost.
func spendOnTheLoop(t *testing.T, file string) {
	srv := modeltest.Listen(t, modeltest.Decisions(), modeltest.Rules{NoKey: true}, modeltest.Step{
		Answers: []modeltest.Answer{modeltest.Chose("progress", "approaching", 0.95)},
	})
	const settings = "{provider: openai_decisions, model: gpt-6-luna, period_s: 0.25, mark_target: true, close_ups: {front_camera/image: [0.2, 0.2, 0.8, 0.8]}}"
	o := Options{Conf: watched(t, settings, pickQuestions), Scene: "battery", Record: t.TempDir(), NoFilm: true, Monitor: "none"}
	if filepath.Base(file) == "on" {
		o.Monitor, o.MonitorURL = "", srv.URL
	}
	r := made(t, &o, batteryTask)
	r.body = func(b robot.Robot) robot.Robot {
		runtime.MemProfileRate = 1 // the world is there, and nothing runs yet
		return b
	}
	res, err := r.run(t.Context())
	if err := errors.Join(err, r.log.Close()); err != nil || res.Actions != 2 {
		t.Fatalf("got %+v, %v", res, err)
	}
	out := loopSpent{ByStack: onTheLoop(), Ticks: int(res.SimS * 100)}
	for _, e := range events(t, o.Record, *res.Episode) {
		switch e.(type) {
		case episode.MonitorAnswer, episode.MonitorFrame:
			out.Looks++
		}
	}
	data, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// onTheLoop is what the goroutine of the control loop has allocated.
func onTheLoop() map[string]spent {
	runtime.GC()
	runtime.GC() // the profile is as of the collection before the last one
	records := make([]runtime.MemProfileRecord, 1<<16)
	n, ok := runtime.MemProfile(records, true)
	if !ok {
		panic(fmt.Sprintf("the program allocates at %d places", n))
	}
	out := map[string]spent{}
	for _, r := range records[:n] {
		if calls, on := withinTheLoop(r.Stack()); on && r.AllocObjects > 0 {
			calls = fmt.Sprintf("%d bytes at %s", r.AllocBytes/r.AllocObjects, calls)
			s := out[calls]
			out[calls] = spent{s.Objects + r.AllocObjects, s.Bytes + r.AllocBytes}
		}
	}
	return out
}

// withinTheLoop is a stack up to the control loop; on says that it is one of its goroutine.
func withinTheLoop(stack []uintptr) (calls string, on bool) {
	var names []string
	frames := runtime.CallersFrames(stack)
	for {
		f, more := frames.Next()
		name := f.Function[strings.LastIndex(f.Function, "/")+1:]
		if name == "control.(*Controller).loop" {
			return strings.Join(names, " < "), true
		}
		names = append(names, fmt.Sprintf("%s:%d", name, f.Line))
		if !more {
			return "", false
		}
	}
}

// isSmall says that a place gets blocks that small things share, those of other goroutines too: whose thing takes a new
// block is chance.
func isSmall(calls string) bool { return strings.HasPrefix(calls, "16 bytes at ") }

// isChance says that a place waits for somebody who may have finished already.
func isChance(calls string) bool {
	return strings.Contains(calls, "control.(*worker).wait") || strings.Contains(calls, "runtime.acquireSudog")
}

// isNews says that a place tells the agent that a timer is due, or waits for it to have heard.
func isNews(calls string) bool {
	return strings.Contains(calls, "control.(*Controller).fireTimers") || strings.Contains(calls, "control.between")
}

// sum is what some places allocated.
func (l loopSpent) sum(of func(calls string) bool) (out spent) {
	for calls, s := range l.ByStack {
		if of(calls) {
			out.Objects, out.Bytes = out.Objects+s.Objects, out.Bytes+s.Bytes
		}
	}
	return out
}

// differing are the places that cost another time, news and chance apart. What a look cost would be there with every look:
// a table that has grown a little earlier is no difference.
func differing(a, b map[string]spent, looks int) string {
	var out []string
	for _, m := range []map[string]spent{a, b} {
		for calls := range m {
			x, y := a[calls], b[calls]
			few := max(x.Objects-y.Objects, y.Objects-x.Objects) < int64(looks/2) && max(x.Bytes-y.Bytes, y.Bytes-x.Bytes) < 4096
			if !few && !isSmall(calls) && !isChance(calls) && !isNews(calls) {
				out = append(out, fmt.Sprintf("%+v  %+v  %s", x, y, calls))
			}
		}
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), "\n")
}
