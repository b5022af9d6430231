package control_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/robot/robottest"
	"github.com/rein-robotics/rein/skill"
	"pgregory.net/rapid"
)

// ledger checks every command at the instant it reaches the robot, on the loop's goroutine.
type ledger struct {
	r *rig

	mu      sync.Mutex // guards what follows
	wrong   []string
	stopped bool // the e-stop was told and not cleared
}

func (l *ledger) command(is robottest.Issued) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := is.Command
	switch {
	case c.Target.Hold:
	case l.stopped:
		l.wrong = append(l.wrong, fmt.Sprintf("%v: %s moved after the e-stop", is.At, c.Owner))
	case c.Generation != l.r.Generation():
		l.wrong = append(l.wrong, fmt.Sprintf("%v: generation %d at %d", is.At, c.Generation, l.r.Generation()))
	}
}

func (l *ledger) check(t interface{ Fatalf(string, ...any) }, events []control.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	ends := map[string]int{}
	for _, e := range events {
		if e, ok := e.(control.ActionEnded); ok {
			ends[e.Action]++
		}
	}
	for id, n := range ends {
		if n != 1 {
			l.wrong = append(l.wrong, fmt.Sprintf("%s ended %d times", id, n))
		}
	}
	if len(l.wrong) > 0 {
		t.Fatalf("%s", strings.Join(l.wrong, "\n"))
	}
}

// TestAnyInterleavingKeepsTheRules drives starts of everybody, stops, inputs, e-stops and faults in random order.
func TestAnyInterleavingKeepsTheRules(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := newRig(t)
		l := &ledger{r: r}
		r.robot.Watch(l.command)
		r.ticks(1)
		w := &walk{r: r, l: l, gens: []uint64{1}, moves: map[string]string{}, pending: map[string]int{}}
		w.check = func() { w.stillMeansStill(rt) }
		for range rapid.IntRange(5, 40).Draw(rt, "steps") {
			w.step(rt)
		}
		r.robot.Mend()
		if r.Latched() {
			w.estop(rt, false)
		}
		r.ticks(250)
		if err := r.end(); err != nil {
			rt.Fatalf("Run() = %v", err)
		}
		events := r.took()
		l.check(rt, events)
		w.everyStartEnded(rt, events)
	})
}

// walk is one random interleaving.
type walk struct {
	r       *rig
	l       *ledger
	check   func()
	n       int
	started []string
	moves   map[string]string // module by action
	gens    []uint64
	mu      sync.Mutex
	pending map[string]int // stops and takeovers asked for, less those answered
}

func (w *walk) step(rt *rapid.T) {
	switch rapid.SampledFrom([]string{"tick", "tick", "start", "start", "stop", "takeover", "bump", "estop", "clear", "fault", "serve"}).Draw(rt, "what") {
	case "tick":
		for range rapid.IntRange(1, 60).Draw(rt, "n") {
			w.r.ticks(1)
			w.check()
		}
	case "start":
		w.start(rt)
	case "stop":
		if len(w.started) == 0 {
			return
		}
		cause := rapid.SampledFrom([]control.Cause{control.CausePlanner, control.CauseMonitor, control.CauseOperator}).Draw(rt, "cause")
		w.asked("stop")
		w.r.AskEnd(rapid.SampledFrom(w.started).Draw(rt, "action"), control.End{Outcome: control.Stopped, Cause: cause}, func(_ control.Ended, err error) {
			w.answered("stop")
			if err != nil {
				rt.Errorf("stop: %v", err)
			}
		})
	case "takeover":
		w.asked("takeover")
		w.r.AskTakeover("key", func([]string, error) { w.answered("takeover") })
	case "bump":
		w.gens = append(w.gens, bump(w.r))
	case "estop":
		w.estop(rt, true)
	case "clear":
		w.estop(rt, false)
	case "fault":
		w.fault(rt)
	case "serve":
		w.n++
		w.asked("serve")
		w.r.AskServices(w.r.services(fmt.Sprint("s", w.n), target(10)), func(control.Tracks, error) { w.answered("serve") })
	}
}

func (w *walk) estop(rt *rapid.T, press bool) {
	if press {
		w.r.EStop("operator")
		w.l.mu.Lock()
		w.l.stopped = true
		w.l.mu.Unlock()
		return
	}
	w.r.ClearEStop("operator")
	if err := w.r.Between(context.Background(), func() {
		w.l.mu.Lock()
		w.l.stopped = false
		w.l.mu.Unlock()
	}); err != nil {
		rt.Fatalf("Between() = %v", err)
	}
}

func (w *walk) start(rt *rapid.T) {
	w.n++
	id := fmt.Sprint("a", w.n)
	arm := rapid.SampledFrom([]string{"left_arm", "right_arm"}).Draw(rt, "arm")
	end := rapid.SampledFrom([]error{nil, skill.Failf("slipped")}).Draw(rt, "end")
	s := control.Start{
		Owner:      rapid.SampledFrom([]robot.Owner{robot.OwnerAgent, robot.OwnerAgent, robot.OwnerOperator}).Draw(rt, "owner"),
		Generation: rapid.SampledFrom(append(slices.Clone(w.gens), w.r.Generation())).Draw(rt, "generation"),
		Action:     id, Tool: tool("t", after(rapid.IntRange(0, 80).Draw(rt, "ticks"), arm, end), arm),
	}
	before := w.r.Generation()
	err := w.r.StartAction(context.Background(), s)
	if err == nil {
		w.started = append(w.started, id)
		w.moves[id] = arm
		if s.Owner == robot.OwnerAgent && s.Generation < before {
			rt.Fatalf("%s of generation %d started under %d", id, s.Generation, before)
		}
	} else if _, ok := errors.AsType[*control.Refused](err); !ok {
		rt.Fatalf("StartAction() = %v, which is no refusal", err)
	}
}

func (w *walk) fault(rt *rapid.T) {
	switch rapid.IntRange(0, 3).Draw(rt, "fault") {
	case 0:
		w.r.robot.RunOn("left_arm")
	case 1:
		w.r.robot.Break(errors.New("cable off"))
	case 2:
		w.r.robot.Refuse("right_arm", errors.New("busy"))
	default:
		w.r.robot.Mend()
	}
}

func (w *walk) asked(what string) { w.count(what, 1) }

func (w *walk) answered(what string) { w.count(what, -1) }

func (w *walk) count(what string, by int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending[what] += by
}

// stillMeansStill: when a stop is told as still, what was stopped does not move.
func (w *walk) stillMeansStill(rt *rapid.T) {
	w.r.mu.Lock()
	defer w.r.mu.Unlock()
	for _, e := range w.r.events {
		e, ok := e.(control.ActionEnded)
		if !ok || e.At != w.r.now() || e.Stop.Outcome != control.Still {
			continue
		}
		s := w.r.robot.Readings()
		if e.Stop.StillS < e.Stop.SentS || s.At.Seconds()-e.Stop.StillS < 0.199 {
			rt.Fatalf("%s told still at %v: %+v", e.Action, e.At, e.Stop)
		}
		if slices.Contains(w.r.robot.Moving(), w.moves[e.Action]) {
			rt.Fatalf("%s told still at %v while %s moves", e.Action, e.At, w.moves[e.Action])
		}
	}
}

func (w *walk) everyStartEnded(rt *rapid.T, events []control.Event) {
	ending, ended := map[string]int{}, map[string]bool{}
	for _, e := range events {
		switch e := e.(type) {
		case control.ActionEnding:
			ending[e.Action]++
		case control.ActionEnded:
			ended[e.Action] = true
			if ending[e.Action] != 1 {
				rt.Fatalf("%s was told to be ending %d times before it had ended", e.Action, ending[e.Action])
			}
		}
	}
	for _, id := range w.started {
		if !ended[id] {
			rt.Fatalf("%s never ended", id)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for what, n := range w.pending {
		if n != 0 {
			rt.Fatalf("%d answers to %s are missing", n, what)
		}
	}
}

// TestNothingDependsOnScheduling runs one story several times with other scheduling: log and commands are the same.
func TestNothingDependsOnScheduling(t *testing.T) {
	story := func(procs int) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		r := newRig(t)
		r.ticks(1)
		r.ask(r.services("a1", target(10), skill.Service{Module: "wrist", Field: "target", Seed: point(4), RateHz: 25}))
		r.ticks(2)
		look := after(90, "left_arm", nil)
		moving := look.onTick
		look.onTick = func(b *skill.Body, n int) (bool, error) {
			runtime.Gosched()
			if tr, ok := b.Track("wrist/target"); !ok || tr.Frame.Color.Pix[0] == 255 {
				return false, skill.Failf("no track in tick %d", n)
			}
			return moving(b, n)
		}
		r.mustStart("a1", limited(tool("t", look, "left_arm"), 700_000_000))
		r.mustStart("a2", tool("u", after(30, "right_arm", skill.Failf("slipped")), "right_arm"))
		r.ticks(200)
		if err := r.end(); err != nil {
			t.Errorf("Run() = %v", err)
		}
		var b strings.Builder
		for _, line := range r.log.all() {
			fmt.Fprintln(&b, line)
		}
		for _, e := range r.took() {
			fmt.Fprintf(&b, "%+v\n", e)
		}
		for _, is := range r.robot.Issued() {
			fmt.Fprintf(&b, "%v %s %v\n", is.At, is.Command.Action, is.Command.Target)
		}
		return b.String()
	}
	want := story(1)
	if !strings.Contains(want, "deadline") || !strings.Contains(want, "slipped") {
		t.Fatalf("the story tells too little:\n%s", want)
	}
	for i := range 8 {
		if got := story(1 + i%4); got != want {
			t.Fatalf("run %d differs:\n%s\nfrom\n%s", i, got, want)
		}
	}
}
