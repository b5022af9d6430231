package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/agent/hook"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/robot"
	"pgregory.net/rapid"
)

func with(plugins ...hook.Plugin) option {
	return func(c *agent.Config) { c.Plugins = plugins }
}

// passing is a plugin that looks at everything and changes nothing.
func passing(name string) hook.Plugin {
	return hook.Plugin{
		Name: name, Deadline: patience,
		PreLLMCall:      func(context.Context, hook.Round) (hook.Before, error) { return hook.Before{}, nil },
		PostLLMCall:     func(_ context.Context, r hook.Reply) (string, error) { return r.Text, nil },
		PreToolDispatch: func(context.Context, hook.Call) (hook.Ruling, error) { return hook.Ruling{}, nil },
		PreToolExecute:  func(context.Context, hook.Call) (hook.Ruling, error) { return hook.Ruling{}, nil },
		PostToolExecute: func(context.Context, hook.Result) (json.RawMessage, error) { return nil, nil },
		OnEvent:         func(context.Context, hook.Event) error { return nil },
		OnInterrupt:     func(context.Context, hook.Interrupt) error { return nil },
	}
}

// busyDay is a script that comes by every point.
func busyDay() []round {
	return []round{
		says(model.Text{Text: "I plan."}, call("update_plan", `{"steps":[{"text":"one","tool":"reach","args":{"seconds":0.1}},{"text":"two","tool":"squeeze"}]}`), call("observe", `{}`)),
		says(model.Text{Text: "Go."}, call("reach", `{"how":"fail"}`), call("fly", `{}`)),
		says(call("reach", `{}`)),
		says(finish(true)),
	}
}

// latencies are the only thing in a log that depends on the machine.
var latencies = regexp.MustCompile(`"latency_s":[^,]*,`)

// TestPluginsThatChangeNothingAddNothingToTheLog: it tells the same; a call that waits for its ruling is told later.
func TestPluginsThatChangeNothingAddNothingToTheLog(t *testing.T) {
	var logs [2][]string
	for i, o := range []option{with(), with(passing("a"), passing("b"))} {
		r := newRig(t, busyDay(), o)
		r.run("do it")
		r.stop()
		logs[i] = strings.Split(latencies.ReplaceAllString(r.log.String(), ""), "\n")
		slices.Sort(logs[i])
	}
	if !slices.Equal(logs[0], logs[1]) {
		t.Errorf("the logs differ: %s", cmp.Diff(logs[0], logs[1]))
	}
	if len(logs[0]) < 20 {
		t.Errorf("little happened:\n%s", strings.Join(logs[0], "\n"))
	}
}

func TestTwoPluginsOfOneNameAreAnErrorAtStart(t *testing.T) {
	cfg := agent.Config{}
	newRig(t, nil, func(c *agent.Config) { cfg = *c })
	cfg.Plugins = []hook.Plugin{passing("a"), passing("a")}
	if _, err := agent.New(cfg); err == nil || !strings.Contains(err.Error(), "plugin a: there is another plugin of this name") {
		t.Errorf("got %v", err)
	}
}

// TestAHangingGuard: what it guards does not move, the run goes on, and its late answer is told and dropped.
func TestAHangingGuard(t *testing.T) {
	release := make(chan struct{})
	hangs := hook.Plugin{Name: "guard", Deadline: time.Millisecond, PreToolExecute: func(_ context.Context, c hook.Call) (hook.Ruling, error) {
		if c.Tool == "reach" {
			<-release
		}
		return hook.Ruling{}, nil
	}}
	r := newRig(t, []round{says(call("reach", `{}`)), says(finish(false))}, with(hangs))
	late := make(chan struct{})
	r.log.when = map[string]func(){"late": func() { close(late) }}
	r.run("do it")
	close(release)
	select {
	case <-late:
	case <-time.After(patience):
		t.Error("the late answer is not told")
	}
	if got := lastResults(r.planner.views()[1]); len(got) != 1 || !strings.Contains(got[0], "not_allowed") || !strings.Contains(got[0], "deadline") {
		t.Errorf("got %v", got)
	}
	for _, is := range r.robot.Issued() {
		if is.Command.Owner == robot.OwnerAgent && !is.Command.Target.Hold {
			t.Fatalf("it moved: %+v", is)
		}
	}
	if h := events[episode.Hook](r.log); len(h) != 1 || !strings.HasPrefix(h[0].Effect, "failed, refused") {
		t.Errorf("got hook events %+v", h)
	}
}

// TestAHookThatIsOnlyToldDelaysNothing: the run goes on and ends while it hangs.
func TestAHookThatIsOnlyToldDelaysNothing(t *testing.T) {
	release := make(chan struct{})
	wait := func() error {
		<-release
		return nil
	}
	deaf := hook.Plugin{
		Name: "deaf", Deadline: patience,
		OnEvent:     func(context.Context, hook.Event) error { return wait() },
		OnInterrupt: func(context.Context, hook.Interrupt) error { return wait() },
	}
	r := newRig(t, []round{says(call("reach", `{"how":"forever"}`))}, with(deaf))
	r.log.when = map[string]func(){"action_started": func() { r.loop.AskTakeover("key w", func([]string, error) {}) }}
	if res := r.run("do it"); res.Status != run.StatusStopped {
		t.Errorf("got %+v", res)
	}
	r.atRest()
	close(release)
	r.noHolds()
}

// TestListenersHearInOrder: one thing after the other, also when they are slow.
func TestListenersHearInOrder(t *testing.T) {
	const most = 20
	var heard []string // one goroutine at a time appends, and the last one closes
	all := make(chan struct{})
	slow := hook.Plugin{Name: "slow", Deadline: patience, OnEvent: func(_ context.Context, e hook.Event) error {
		if e.Wake != "injected" {
			return nil
		}
		for range 100 {
			runtime.Gosched()
		}
		if heard = append(heard, e.Why); len(heard) == most {
			close(all)
		}
		return nil
	}}
	asked := make(chan struct{}, 1)
	rounds := []round{func(run.View) []model.Part {
		asked <- struct{}{}
		return []model.Part{call("ask_user", `{"question":"?"}`)}
	}}
	for range most {
		rounds = append(rounds, says(call("ask_user", `{"question":"?"}`)))
	}
	r := newRig(t, rounds, with(slow), interactive)
	r.start()
	r.agent.Send("do it")
	<-asked
	var want []string
	for i := range most {
		want = append(want, fmt.Sprint(i))
		if err := r.agent.Inject(run.Injection{Text: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-all:
	case <-time.After(patience):
		t.Fatal("they did not hear all of it")
	}
	if !slices.Equal(heard, want) {
		t.Errorf("got %v", heard)
	}
}

// deed is what a drawn plugin does when it is asked.
var deeds = []string{"pass", "pass", "pass", "veto", "rewrite", "rename", "nonsense", "error", "panic", "hang", "late"}

var instantDeeds = deeds[:9]

// wild is a plugin that does what was drawn, and a guard behind it that keeps what it let pass.
type wild struct {
	deeds []string

	mu     sync.Mutex
	asked  map[hook.Point]int
	passed map[string]int // calls that the guard let pass: tool and arguments
}

// deed does what is next at the point; change says that the plugin shall change something.
func (w *wild) deed(ctx context.Context, at hook.Point) (change string, err error) {
	w.mu.Lock()
	n := w.asked[at]
	w.asked[at]++
	w.mu.Unlock()
	switch d := w.deeds[n%len(w.deeds)]; d {
	case "error":
		return "", errors.New("out of order")
	case "panic":
		panic("oh")
	case "hang":
		<-ctx.Done()
		return "", ctx.Err()
	case "late":
		<-ctx.Done()
		return "", nil
	default:
		return d, nil
	}
}

func (w *wild) rule(ctx context.Context, at hook.Point) (hook.Ruling, error) {
	change, err := w.deed(ctx, at)
	switch change {
	case "veto":
		return hook.Ruling{Veto: "no"}, err
	case "rewrite":
		return hook.Ruling{Args: json.RawMessage(`{"seconds":0.15}`)}, err
	case "rename":
		return hook.Ruling{Tool: "squeeze"}, err
	case "nonsense":
		return hook.Ruling{Args: json.RawMessage(`[]`)}, err
	}
	return hook.Ruling{}, err
}

func (w *wild) plugins(deadline time.Duration, policy hook.Policy) []hook.Plugin {
	return []hook.Plugin{{
		Name: "wild", Deadline: deadline, OnFault: policy,
		PreLLMCall: func(ctx context.Context, _ hook.Round) (hook.Before, error) {
			switch change, err := w.deed(ctx, hook.PreLLMCall); change {
			case "veto":
				return hook.Before{Veto: "no"}, err
			case "rewrite":
				return hook.Before{Add: "mind the cat"}, err
			default:
				return hook.Before{}, err
			}
		},
		PostLLMCall: func(ctx context.Context, r hook.Reply) (string, error) {
			change, err := w.deed(ctx, hook.PostLLMCall)
			if change == "rewrite" {
				return "other words", err
			}
			return r.Text, err
		},
		PreToolDispatch: func(ctx context.Context, _ hook.Call) (hook.Ruling, error) { return w.rule(ctx, hook.PreToolDispatch) },
		PreToolExecute:  func(ctx context.Context, _ hook.Call) (hook.Ruling, error) { return w.rule(ctx, hook.PreToolExecute) },
		PostToolExecute: func(ctx context.Context, _ hook.Result) (json.RawMessage, error) {
			switch change, err := w.deed(ctx, hook.PostToolExecute); change {
			case "rewrite":
				return json.RawMessage(`{"other":"words"}`), err
			case "nonsense":
				return json.RawMessage(`7`), err
			default:
				return nil, err
			}
		},
		OnEvent: func(ctx context.Context, _ hook.Event) error {
			_, err := w.deed(ctx, hook.OnEvent)
			return err
		},
		OnInterrupt: func(ctx context.Context, _ hook.Interrupt) error {
			_, err := w.deed(ctx, hook.OnInterrupt)
			return err
		},
	}, {
		Name: "guard", Deadline: patience,
		PreToolExecute: func(_ context.Context, c hook.Call) (hook.Ruling, error) {
			if strings.Contains(string(c.Args), "forever") {
				return hook.Ruling{Veto: "nothing lasts forever"}, nil
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			w.passed[c.Tool+" "+string(c.Args)]++
			return hook.Ruling{}, nil
		},
	}}
}

// TestAnythingMayHappenToPlugins: whatever the planner, the operator and the plugins do, and whenever: every call is
// closed once, every action ends once, nothing starts that the guard did not let pass, requests only grow, and the same
// events give the same effects.
func TestAnythingMayHappenToPlugins(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := &wild{asked: map[hook.Point]int{}, passed: map[string]int{}, deeds: rapid.SliceOfN(rapid.SampledFrom(deeds), 1, 8).Draw(rt, "deeds")}
		policy := rapid.SampledFrom([]hook.Policy{hook.Open, hook.Closed}).Draw(rt, "policy")
		x := newTrial(t, draw(rt), with(w.plugins(time.Millisecond, policy)...))
		rec := agent.Record(x.agent)
		x.play(rt)
		if len(x.stale) > 0 {
			rt.Fatalf("commands of an older generation, or under the latch: %+v", x.stale)
		}
		checkCalls(rt, x.rig, x.planner)
		checkActions(rt, x.rig)
		for _, e := range events[episode.ActionStarted](x.log) {
			key := e.Tool + " " + string(e.Args)
			if w.passed[key]--; w.passed[key] < 0 {
				rt.Fatalf("%s was started without having passed the guard; log:\n%s", key, x.log)
			}
		}
		if err := rec.Replay(); err != nil {
			rt.Fatalf("of %d steps: %v", rec.Len(), err)
		}
	})
}

// TestSameRunTwiceWithPlugins: plugins that take no time make no run depend on chance.
func TestSameRunTwiceWithPlugins(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := draw(rt)
		d.Instant, d.Inputs = true, nil
		d.quickMonitor()
		for _, r := range d.Rounds {
			for i := range r {
				r[i] = strings.Replace(r[i], "wait", "cut", 1)
			}
		}
		drawn := rapid.SliceOfN(rapid.SampledFrom(instantDeeds), 1, 8).Draw(rt, "deeds")
		var logs [2]string
		for i := range logs {
			w := &wild{asked: map[hook.Point]int{}, passed: map[string]int{}, deeds: drawn}
			ps := w.plugins(patience, hook.Open)
			ps[0].OnEvent, ps[0].OnInterrupt = nil, nil // nobody waits for their faults
			x := newTrial(t, d, with(ps...), func(c *agent.Config) { c.Waits.Reply, c.Waits.Monitor, c.Waits.Check = patience, patience, patience })
			x.play(rt)
			logs[i] = latencies.ReplaceAllString(x.log.String(), "")
		}
		if logs[0] != logs[1] {
			rt.Fatalf("two runs differ: %s", cmp.Diff(strings.Split(logs[0], "\n"), strings.Split(logs[1], "\n")))
		}
	})
}
