package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/tool"
)

type none struct{}

// goFunction is a function tool without parameters.
func goFunction(t testing.TB, name string, e tool.Effect, f func(ctx context.Context) (any, error)) *tool.Tool {
	t.Helper()
	made, err := tool.New(name, "A function.", e, func(ctx context.Context, _ none) (any, error) { return f(ctx) })
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func withFunctions(fs ...*tool.Tool) option {
	return func(c *agent.Config) { c.Settings.Functions = fs }
}

// streaming makes the rig's planner one that takes wall time, so that effects run beside each other.
func streaming(c *agent.Config) { c.Reasoner = slow{c.Reasoner.(*script)} }

type slow struct{ *script }

func (slow) Instant() bool { return false }

func TestHowAFunctionComesBack(t *testing.T) {
	tests := map[string]struct {
		f    func(ctx context.Context) (any, error)
		want string
	}{
		"well":             {func(context.Context) (any, error) { return map[string]int{"n": 3}, nil }, `{"n":3}`},
		"failure":          {func(context.Context) (any, error) { return nil, errors.New("no paper") }, `"error":"failed","message":"no paper"`},
		"panic":            {func(context.Context) (any, error) { panic("oh") }, `"error":"failed","message":"panic: oh"`},
		"no_json":          {func(context.Context) (any, error) { return func() {}, nil }, `"error":"failed"`},
		"hears_its_limit":  {func(ctx context.Context) (any, error) { <-ctx.Done(); return nil, ctx.Err() }, `"error":"timed_out"`},
		"just_in_time":     {func(ctx context.Context) (any, error) { <-ctx.Done(); return map[string]int{"n": 4}, nil }, `{"n":4}`},
		"output_elsewhere": {func(ctx context.Context) (any, error) { tool.Print(ctx, "x\n"); return "ok", nil }, `{"result":"ok"}`},
	}
	for name, tc := range tests {
		for how, serial := range map[string]bool{"in_line": true, "beside": false} {
			t.Run(name+"_"+how, func(t *testing.T) {
				f := goFunction(t, "f", tool.Acts, tc.f)
				if name == "hears_its_limit" || name == "just_in_time" { // the others are as fast as the machine
					f = f.Within(5 * time.Millisecond)
				}
				opts := []option{withFunctions(f)}
				if !serial {
					opts = append(opts, streaming)
				}
				r := newRig(t, []round{says(call("f", `{}`)), says(finish(true))}, opts...)
				r.run("do it")
				if got := lastResults(r.planner.views()[1]); len(got) != 1 || !strings.Contains(got[0], tc.want) {
					t.Errorf("got %v, want %s", got, tc.want)
				}
				r.noHolds()
			})
		}
	}
}

func TestFunctionThatDoesNotHearItsCancelIsLeft(t *testing.T) {
	back := make(chan struct{})
	r := newRig(t, []round{says(call("f", `{}`)), says(finish(true))},
		withFunctions(goFunction(t, "f", tool.Acts, func(ctx context.Context) (any, error) {
			<-back
			tool.Print(ctx, "nobody reads this")
			return "late", nil
		}).Within(time.Millisecond)), func(c *agent.Config) { c.Waits.Return = time.Millisecond })
	r.run("do it")
	if got := lastResults(r.planner.views()[1]); len(got) != 1 || !strings.Contains(got[0], `"error":"lost"`) {
		t.Errorf("got %v", got)
	}
	r.noHolds()
	close(back)
	r.stop() // joins it
}

// TestJobInRealGoroutines: output, end and wake of a job, in line and beside.
func TestJobInRealGoroutines(t *testing.T) {
	for how, serial := range map[string]bool{"in_line": true, "beside": false} {
		t.Run(how, func(t *testing.T) {
			f := goFunction(t, "f", tool.Reads, func(ctx context.Context) (any, error) {
				tool.Print(ctx, "one\n")
				tool.Print(ctx, "two\n")
				return map[string]int{"n": 2}, nil
			}).InBackground()
			opts := []option{withFunctions(f)}
			if !serial {
				opts = append(opts, streaming)
			}
			r := newRig(t, []round{
				says(call("f", `{}`)), says(call("wait", `{"job":"j1","timeout_s":60}`)), says(call("read_job", `{"job":"j1"}`)), says(finish(true)),
			}, opts...)
			r.run("do it")
			views := r.planner.views()
			if got := lastResults(views[1]); !cmp.Equal(got, []string{`{"job":"j1","status":"running"}`}) {
				t.Errorf("got %v", got)
			}
			if got := lastResults(views[2]); len(got) != 1 || !strings.Contains(got[0], `"status":"done"`) {
				t.Errorf("got %v", got)
			}
			if got := lastResults(views[3]); len(got) != 1 || !strings.Contains(got[0], `"lines":["one","two"]`) || !strings.Contains(got[0], `{"n":2}`) {
				t.Errorf("got %v", got)
			}
			r.noHolds()
		})
	}
}

func TestWaitEndsByTheWallClock(t *testing.T) {
	f := goFunction(t, "f", tool.Reads, func(ctx context.Context) (any, error) { <-ctx.Done(); return nil, ctx.Err() }).InBackground()
	r := newRig(t, []round{says(call("f", `{}`)), says(call("wait", `{"job":"j1","timeout_s":0.001}`)), says(finish(true))}, withFunctions(f), streaming)
	r.run("do it")
	if got := lastResults(r.planner.views()[2]); len(got) != 1 || !strings.Contains(got[0], "its time") {
		t.Errorf("got %v", got)
	}
	if got := events[episode.JobDone](r.log); len(got) != 1 || got[0].What != "f cancelled" {
		t.Errorf("the end of the run: got %+v", got)
	}
	kinds := r.log.kinds("job_done", "run_ended")
	if !slices.Equal(kinds, []string{"job_done", "run_ended"}) {
		t.Errorf("got %v", kinds)
	}
	r.noHolds()
}

func TestDeafJobIsLostAtTheEndOfTheRun(t *testing.T) {
	back := make(chan struct{})
	f := goFunction(t, "f", tool.Acts, func(context.Context) (any, error) { <-back; return nil, nil }).InBackground()
	r := newRig(t, []round{says(call("f", `{}`)), says(finish(true))}, withFunctions(f), streaming, func(c *agent.Config) { c.Waits.Return = time.Millisecond })
	if res := r.run("do it"); res.Claimed == nil {
		t.Errorf("got %+v", res)
	}
	if got := events[episode.JobDone](r.log); len(got) != 1 || got[0].What != "f lost" {
		t.Errorf("got %+v", got)
	}
	close(back)
}

// TestJobHasADeadline: nobody cancels it but its own limit, and its end wakes the planner.
func TestJobHasADeadline(t *testing.T) {
	asked := make(chan struct{})
	f := goFunction(t, "f", tool.Reads, func(ctx context.Context) (any, error) { <-ctx.Done(); <-asked; return nil, ctx.Err() }).InBackground()
	rest := func(run.View) []model.Part { close(asked); return []model.Part{model.Text{Text: "I wait."}} }
	r := newRig(t, []round{says(call("f", `{}`)), rest, says(finish(true))}, withFunctions(f), streaming,
		func(c *agent.Config) { c.Waits.Job = time.Millisecond })
	r.run("do it")
	told := lastReport(r.planner.views()[2])
	if len(told.Happened) != 1 || told.Happened[0].Kind != "job_done" || told.Happened[0].Outcome != "timed_out" {
		t.Errorf("told %+v; log:\n%s", told, r.log)
	}
}

// TestCancelReachesAJobInLine: with effects one at a time a job keeps those behind it back, and the user can end it.
func TestCancelReachesAJobInLine(t *testing.T) {
	began := make(chan struct{})
	f := goFunction(t, "f", tool.Reads, func(ctx context.Context) (any, error) { close(began); <-ctx.Done(); return nil, ctx.Err() }).InBackground()
	r := newRig(t, []round{says(call("f", `{}`))}, withFunctions(f))
	go func() {
		<-began
		r.agent.Cancel("the test")
	}()
	if res := r.run("do it"); res.Status != run.StatusCancelled {
		t.Errorf("got %+v", res)
	}
	r.noHolds()
}

// TestAStopWaitsForNoJob: in fast time a job holds the clock, and lets it go when something is to be stopped.
func TestAStopWaitsForNoJob(t *testing.T) {
	back := make(chan struct{})
	f := goFunction(t, "f", tool.Reads, func(ctx context.Context) (any, error) {
		select {
		case <-back:
		case <-ctx.Done():
		}
		return nil, nil
	}).InBackground()
	r := newRig(t, []round{
		says(call("reach", `{"how":"forever"}`), call("f", `{}`), call("stop_action", `{"action_id":"a1","reason":"enough"}`)), says(finish(true)),
	}, withFunctions(f), streaming)
	r.log.when = map[string]func(){"action_ended": func() { close(back) }}
	r.run("do it")
	if end := events[episode.ActionEnded](r.log); len(end) != 1 || end[0].Stop == nil || end[0].Stop.Outcome != "still" {
		t.Errorf("got %+v", end)
	}
	if got := events[episode.JobDone](r.log); len(got) != 1 || got[0].What != "f done" {
		t.Errorf("got %+v", got)
	}
	r.noHolds()
}
