// This file is about memory, and the race detector keeps some of its own.

//go:build !race

package agent_test

import (
	"context"
	"iter"
	"runtime"
	"testing"
	"time"

	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/agent/budget"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/robot/robottest"
)

// The turns of the long run. All are multiples of the pictures of a segment, so that each mark finds the conversation
// equally long.
const (
	steadyTurns  = 10_000
	steadyImages = 20
)

// usage is what the process has used up to a turn.
type usage struct {
	objects, bytes uint64 // allocated so far
	live           uint64 // bytes in use after a collection
	goroutines     int    // the fewest of the hundred turns before
}

// steady is a reasoner that moves the arm a little in every turn, and finishes with the last one.
type steady struct {
	fake  *robottest.Fake
	turn  int
	least int // goroutines
	at    map[int]usage
}

func (*steady) Name() string                                    { return "steady@1" }
func (*steady) Instant() bool                                   { return true }
func (*steady) Begin(context.Context, agent.RunInfo) error      { return nil }
func (*steady) End(context.Context, agent.RunInfo, *bool) error { return nil }
func (s *steady) Deliberate(context.Context, run.View) iter.Seq2[model.Part, error] {
	s.turn++
	s.fake.Forget()
	s.least = min(s.least, runtime.NumGoroutine())
	if _, mark := s.at[s.turn]; mark {
		s.at[s.turn] = s.take()
	}
	return func(yield func(model.Part, error) bool) {
		c := call("reach", `{"seconds":0.03}`)
		if s.turn == steadyTurns {
			c = finish(true)
		}
		_ = yield(model.Text{Text: "a little further"}, nil) && yield(c, nil) && yield(model.End{Reason: model.StopToolUse}, nil)
	}
}

func (s *steady) take() usage {
	runtime.GC()
	runtime.GC() // what the first one freed by finalisers and pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	u := usage{objects: m.Mallocs, bytes: m.TotalAlloc, live: m.HeapAlloc, goroutines: s.least}
	s.least = 1 << 20
	return u
}

// TestTheTenThousandthTurnCostsWhatTheHundredthDid: a run may go on for days, and nothing of it may grow with its turns.
func TestTheTenThousandthTurnCostsWhatTheHundredthDid(t *testing.T) {
	if testing.Short() {
		t.Skip("ten thousand turns")
	}
	s := &steady{least: 1 << 20, at: map[int]usage{100: {}, 200: {}, 1000: {}, 9900: {}, steadyTurns: {}}}
	r := newRig(t, nil, func(c *agent.Config) {
		c.Reasoner = s
		c.Settings.Budgets, c.Settings.MaxImages = budget.Limits{}, steadyImages
		c.Settings.Points.MaxAge = time.Second // some thirty looks
	})
	s.fake, r.log.forgets = r.robot, true
	r.start()
	r.agent.Send("go on")
	if res := <-r.agent.Result(); s.turn != steadyTurns {
		t.Fatalf("the run ended at turn %d: %+v", s.turn, res)
	}
	early, late := [2]usage{s.at[100], s.at[200]}, [2]usage{s.at[9900], s.at[steadyTurns]}
	for name, of := range map[string]func(u usage) uint64{
		"objects": func(u usage) uint64 { return u.objects },
		"bytes":   func(u usage) uint64 { return u.bytes },
	} {
		first, last := of(early[1])-of(early[0]), of(late[1])-of(late[0])
		t.Logf("%s a turn: %d, then %d", name, first/100, last/100)
		if float64(last) > 1.05*float64(first) {
			t.Errorf("%s allocated in 100 turns: %d at turn 10,000, %d at 200, want at most 1.05 times as many", name, last, first)
		}
	}
	first, last := s.at[1000], s.at[steadyTurns]
	t.Logf("live bytes: %d, then %d; goroutines: %d, then %d", first.live, last.live, early[1].goroutines, last.goroutines)
	if float64(last.live) > 1.1*float64(first.live) {
		t.Errorf("%d bytes live at turn 10,000, %d at 1,000, want at most 1.1 times as many", last.live, first.live)
	}
	if last.goroutines != early[1].goroutines {
		t.Errorf("%d goroutines at turn 10,000, %d at 200", last.goroutines, early[1].goroutines)
	}
}
