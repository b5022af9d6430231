package control_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/rein-robotics/rein/clock"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/robot/robottest"
	"github.com/rein-robotics/rein/safety"
	"github.com/rein-robotics/rein/skill"
)

// statue is a robot that costs nothing: two snapshots in turn, and commands that it only counts.
type statue struct {
	desc     *robot.Description
	readings [2]robot.Readings
	seq      uint64
	commands int
}

func (s *statue) Description() *robot.Description { return s.desc }

func (s *statue) Readings() *robot.Readings { return &s.readings[s.seq%2] }

func (s *statue) Do(robot.Command) error { s.commands++; return nil }

func (s *statue) Frame(context.Context, robot.FrameRequest) (*robot.Frame, error) { return nil, nil }

func (s *statue) Err() error { return nil }

func (s *statue) Close() error { return nil }

// tick is the end of a period.
func (s *statue) tick(now time.Duration) {
	s.seq++
	r := &s.readings[s.seq%2]
	r.Seq, r.At = s.seq, now
}

type noLog struct{}

func (noLog) Append(episode.Event) error { return nil }

func (noLog) Post(episode.Event) {}

// null is a skill that sends the target where the arm already is, and nothing else.
type null struct{ target []float64 }

func (n *null) Start(b *skill.Body) error {
	n.target = slices.Clone(b.Readings.Arms["arm"].Targets)
	return nil
}

func (n *null) Tick(b *skill.Body) (bool, error) {
	b.Send(robot.Target{Module: "arm", Joints: n.target})
	return false, nil
}

// bench is a loop with the null skill on a statue; step lets it go on by n ticks.
func bench(tb testing.TB) (ctl *control.Controller, step func(n int)) {
	tb.Helper()
	fake := robottest.NewFake(robottest.Options{Period: period})
	s := &statue{desc: fake.Description()}
	s.readings[0], s.readings[1] = *fake.Readings(), *fake.Readings()
	var clk *clock.Simulated
	clk = clock.NewSimulated(0, period, clock.Fast, func(context.Context) error { s.tick(clk.Now()); return nil })
	shield, err := safety.New(s.desc, safety.Options{Period: period})
	if err != nil {
		tb.Fatal(err)
	}
	trap := make(chan func(), 1)
	release := clk.Hold("benchmark")
	ctl, err = control.New(control.Config{
		Robot: s, Clock: clk, Shield: shield, Period: period, Log: noLog{},
		Sink: func(e control.Event) {
			if _, ok := e.(control.TimerFired); ok {
				trap <- clk.Hold("benchmark")
			}
		},
	})
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- ctl.Run(ctx) }()
	tb.Cleanup(func() {
		cancel()
		release()
		<-done
	})
	step = func(n int) {
		ctl.SetTimer("benchmark", clk.Now()+time.Duration(n)*period)
		release()
		release = <-trap
	}
	tl := &skill.Tool{Name: "null", Skill: "null", Spec: skill.Spec{Commands: []string{"arm"}}, New: func(skill.Call) (skill.Skill, error) { return &null{}, nil }}
	if err := ctl.StartAction(context.Background(), control.Start{Owner: robot.OwnerAgent, Generation: 1, Action: "a1", Tool: tl, Call: skill.Call{Args: json.RawMessage(`{}`)}}); err != nil {
		tb.Fatal(err)
	}
	step(1)
	return ctl, step
}

func TestATickDoesNotAllocate(t *testing.T) {
	_, step := bench(t)
	few := testing.AllocsPerRun(10, func() { step(10) })
	many := testing.AllocsPerRun(10, func() { step(1010) })
	if perTick := (many - few) / 1000; perTick >= 0.01 {
		t.Errorf("%.3f allocations a tick", perTick)
	}
}

func BenchmarkTick(b *testing.B) {
	_, step := bench(b)
	b.ReportAllocs()
	b.ResetTimer()
	step(b.N)
}

// BenchmarkCommand is the way of a command to the loop and back while time stands still.
func BenchmarkCommand(b *testing.B) {
	ctl, _ := bench(b)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if err := ctl.Between(ctx, func() {}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestAStopLeavesAtOnce: from the input to the hold command no tick goes by, and none of the agent's commands.
func TestAStopLeavesAtOnce(t *testing.T) {
	for name, stop := range map[string]func(r *rig){
		"takeover": func(r *rig) { r.AskTakeover("key", func([]string, error) {}) },
		"estop":    func(r *rig) { r.EStop("operator") },
		"planner": func(r *rig) {
			r.AskEnd("a1", control.End{Outcome: control.Stopped, Cause: control.CausePlanner}, func(control.Ended, error) {})
		},
	} {
		inBubble(t, name, func(t *testing.T, r *rig) {
			r.ticks(1)
			r.mustStart("a1", tool("t", swing("left_arm"), "left_arm"))
			r.ticks(20)
			sent, at := len(r.robot.Issued()), r.now()
			stop(r)
			r.ticks(1)
			first := r.robot.Issued()[sent]
			if !first.Command.Target.Hold || first.Command.Target.Module != "left_arm" || first.At != at {
				t.Errorf("after the input at %v: %+v at %v, want the hold of left_arm at once", at, first.Command, first.At)
			}
		})
	}
}
