package control_test

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/robot/robottest"
	"github.com/rein-robotics/rein/skill"
)

// leg is how long stops took, each of them.
type leg []time.Duration

// at is the value that the share q of them does not exceed.
func (l leg) at(q float64) time.Duration {
	s := slices.Sorted(slices.Values(l))
	return s[min(len(s)-1, int(q*float64(len(s))))]
}

// stops are legs of stops: robot clock from the input to the gate, which no command of before passes any more, to the
// command that holds the arm, and to rest; wall clock from the input to that command.
type stops struct{ gate, command, still, wall leg }

// stopOften moves an arm to and fro and stops it n times: by a takeover, an e-stop or the planner, in turns, at other
// moments of the motion each time, between two control ticks or in the midst of one.
func stopOften(r *rig, n int) stops {
	var s stops
	var holds atomic.Int64 // wall clock of the first hold since the input, unix ns; 0 = none yet
	r.robot.Watch(func(is robottest.Issued) {
		if is.Command.Target.Hold {
			holds.CompareAndSwap(0, time.Now().UnixNano())
		}
	})
	r.ticks(1)
	for i := range n {
		id := fmt.Sprintf("a%d", i)
		sk := swing("left_arm")
		sk.n = i % 2 * 50 // to, then fro
		var at time.Duration
		var wall time.Time
		input := func() {
			r.robot.Forget()
			holds.Store(0)
			at, wall = r.now(), time.Now()
			stopBy(r, id, i%3)
		}
		moment := 5 + i%13
		if i%4 < 2 { // in the midst of a tick, else between two
			when, moving := sk.n+moment, sk.onTick
			sk.onTick = func(b *skill.Body, n int) (bool, error) {
				if n == when {
					input()
				}
				return moving(b, n)
			}
		}
		r.mustStart(id, tool("t", sk, "left_arm"))
		r.ticks(moment)
		if i%4 >= 2 {
			input()
		}
		e := r.untilEnded(id)
		hold, last := time.Duration(-1), at
		for _, is := range r.robot.Issued() {
			switch {
			case is.Command.Target.Hold && hold < 0:
				hold = is.At
			case !is.Command.Target.Hold:
				last = is.At // a motion that passed the gate after the input
			}
		}
		s.gate, s.command = append(s.gate, last-at), append(s.command, hold-at)
		s.still = append(s.still, time.Duration(e.Stop.StillS*float64(time.Second))-at)
		s.wall = append(s.wall, time.Unix(0, holds.Load()).Sub(wall))
		r.ClearEStop("operator")
		r.ticks(1)
		r.took()
	}
	return s
}

// stopBy is one of the ways to stop an action: a takeover, an e-stop, the planner.
func stopBy(r *rig, action string, way int) {
	switch way {
	case 0:
		r.AskTakeover("key", func([]string, error) {})
	case 1:
		r.EStop("operator")
	default:
		r.AskEnd(action, control.End{Outcome: control.Stopped, Cause: control.CausePlanner}, func(control.Ended, error) {})
	}
}

// TestAThousandStops: of a thousand stops at any moment of a motion, 95 in a hundred reach the gate and the arm within
// two control ticks each, and all of them end at rest.
func TestAThousandStops(t *testing.T) {
	r := newRig(t)
	s := stopOften(r, 1000)
	for name, l := range map[string]leg{"input to gate": s.gate, "input to command": s.command} {
		if got := l.at(0.95); got > 2*period || l.at(0) < 0 {
			t.Errorf("%s: p95 is %v, the least %v, want 0 to 2 ticks of %v", name, got, l.at(0), period)
		}
	}
	t.Logf("command p50 %v p95 %v max %v; still p50 %v p95 %v max %v", s.command.at(0.5), s.command.at(0.95), s.command.at(1), s.still.at(0.5), s.still.at(0.95), s.still.at(1))
	if s.still.at(0) < 0 || s.still.at(1) > 2*time.Second {
		t.Errorf("rest after %v to %v", s.still.at(0), s.still.at(1))
	}
	if err := r.end(); err != nil {
		t.Error(err)
	}
}

// BenchmarkStop measures stops, with nothing beside them and with every processor busy: wall clock from the input to the
// hold command, simulated ticks to rest. Use -benchtime 1000x.
func BenchmarkStop(b *testing.B) {
	for name, busy := range map[string]int{"idle": 0, "loaded": 2 * runtime.GOMAXPROCS(0)} {
		b.Run(name, func(b *testing.B) {
			defer load(busy)()
			r := newRig(b)
			s := stopOften(r, b.N)
			for q, name := range map[float64]string{0.5: "p50", 0.95: "p95", 1: "max"} {
				b.ReportMetric(float64(s.wall.at(q).Microseconds()), name+"-µs-to-hold")
				b.ReportMetric(float64(s.still.at(q)/period), name+"-ticks-to-still")
			}
			if err := r.end(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// load keeps processors busy with work that allocates, until the function it gives is called.
func load(workers int) (stop func()) {
	var over atomic.Bool
	var g sync.WaitGroup
	for range workers {
		g.Go(func() {
			for sum := 0; !over.Load(); {
				page := make([]byte, 1<<16)
				for i := range page {
					page[i] = byte(i + sum)
				}
				sum += int(page[len(page)/2])
			}
		})
	}
	return func() {
		over.Store(true)
		g.Wait()
	}
}
