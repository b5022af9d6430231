package control_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rein-robotics/rein/clock"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/robot/robottest"
	"github.com/rein-robotics/rein/safety"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/vision"
)

const period = 10 * time.Millisecond

// rig is a controller on a fake robot whose time stands still unless the test lets it go on.
type rig struct {
	*control.Controller
	t       testing.TB
	robot   *robottest.Fake
	log     *memLog
	trap    chan func() // a hold, taken when the time of until has come
	release func()
	run     chan error
	cancel  context.CancelFunc

	mu     sync.Mutex // guards what follows
	events []control.Event
	seeds  int
	blind  bool          // trackers see nothing
	panics bool          // trackers panic
	ponder time.Duration // wall clock, that trackers take for a frame
}

// newRig starts the loop on a robot of two arms: left_arm with left_hand, right_arm, cameras front and wrist.
func newRig(t testing.TB) *rig { return newRigAt(t, clock.Fast, control.Waits{}) }

// newRigAt is newRig at another pace: at clock.Real time never stands still.
func newRigAt(t testing.TB, pace clock.Pace, waits control.Waits) *rig {
	t.Helper()
	f := robottest.NewFake(robottest.Options{Period: period, Pace: pace, Sets: []robottest.Set{
		{Arm: "left_arm", Gripper: "left_hand", Camera: "front"}, {Arm: "right_arm", WristCamera: "wrist"},
	}})
	shield, err := safety.New(f.Description(), safety.Options{Period: period})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, robot: f, log: &memLog{clock: f.Clock().Now}, trap: make(chan func(), 1), run: make(chan error, 1)}
	r.release = f.Clock().Hold("test")
	r.Controller, err = control.New(control.Config{
		Robot: f, Clock: f.Clock(), Shield: shield, Period: period, Log: r.log, Sink: r.sink, Trackers: r.tracker, Waits: waits,
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	go func() { r.run <- r.Run(ctx) }()
	return r
}

// end stops the loop and gives what Run gave.
func (r *rig) end() error {
	r.t.Helper()
	r.cancel()
	r.release()
	return <-r.run
}

func (r *rig) sink(e control.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if f, ok := e.(control.TimerFired); ok && f.ID == "test" {
		r.trap <- r.robot.Clock().Hold("test")
		return
	}
	r.events = append(r.events, e)
}

// until lets time go on to at, and to the end of that tick.
func (r *rig) until(at time.Duration) {
	r.t.Helper()
	r.SetTimer("test", at)
	r.release()
	r.release = <-r.trap
	if err := r.Between(context.Background(), func() {}); err != nil {
		r.t.Fatalf("Between() = %v", err)
	}
}

func (r *rig) ticks(n int) {
	r.t.Helper()
	r.until(r.robot.Clock().Now() + time.Duration(n)*period)
}

func (r *rig) now() time.Duration { return r.robot.Clock().Now() }

// took are the events so far, and forgets them.
func (r *rig) took() []control.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.events
	r.events = nil
	return out
}

// ended is the end of an action that must have ended exactly once.
func (r *rig) ended(action string) control.Ended {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	var got []control.Ended
	for _, e := range r.events {
		if e, ok := e.(control.ActionEnded); ok && e.Action == action {
			got = append(got, e)
		}
	}
	if len(got) != 1 {
		r.t.Fatalf("%s ended %d times, want once; events: %v", action, len(got), r.events)
	}
	return got[0]
}

// untilEnded lets time go on until the action has ended, at most 10 s.
func (r *rig) untilEnded(action string) control.Ended {
	r.t.Helper()
	for range 1000 {
		r.ticks(1)
		if !slices.ContainsFunc(r.Snapshot().Running, func(a control.Running) bool { return a.Action == action }) {
			break
		}
	}
	return r.ended(action)
}

// start is a start of the agent under the current generation.
func (r *rig) start(action string, tool *skill.Tool) error {
	return r.startAs(robot.OwnerAgent, action, tool)
}

func (r *rig) startAs(owner robot.Owner, action string, tool *skill.Tool) error {
	return r.StartAction(context.Background(), control.Start{
		Owner: owner, Generation: r.Generation(), Action: action, Tool: tool, Call: skill.Call{Args: json.RawMessage(`{}`)},
	})
}

func (r *rig) mustStart(action string, tool *skill.Tool) {
	r.t.Helper()
	if err := r.start(action, tool); err != nil {
		r.t.Fatalf("StartAction(%s) = %v", action, err)
	}
}

// motions are the commands that asked for motion, by action.
func (r *rig) motions(action string) (n int) {
	for _, is := range r.robot.Issued() {
		if is.Command.Action == action && !is.Command.Target.Hold {
			n++
		}
	}
	return n
}

func wantCode(t testing.TB, what string, err error, code string) *control.Refused {
	t.Helper()
	r, ok := errors.AsType[*control.Refused](err)
	if !ok || r.Code != code {
		t.Errorf("%s = %v, want a refusal %s", what, err, code)
		return &control.Refused{}
	}
	return r
}

// memLog is a log in memory with a fault dial.
type memLog struct {
	clock func() time.Duration

	mu     sync.Mutex
	lines  []string
	broken error
}

func (l *memLog) Append(e episode.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken != nil {
		return l.broken
	}
	body, err := json.Marshal(e)
	l.lines = append(l.lines, fmt.Sprintf("%.2f %s %s", l.clock().Seconds(), e.Kind(), body))
	return err
}

func (l *memLog) Post(e episode.Event) { _ = l.Append(e) }

func (l *memLog) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.broken
}

func (l *memLog) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broken = err
}

func (l *memLog) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.lines)
}

// kinds are the kinds of the lines, in order.
func (l *memLog) kinds() []string {
	var out []string
	for _, line := range l.all() {
		out = append(out, strings.Fields(line)[1])
	}
	return out
}

// script is a skill of functions; nil ones do nothing. n counts the ticks from 0.
type script struct {
	onStart func(b *skill.Body) error
	onTick  func(b *skill.Body, n int) (bool, error)
	onStop  func()
	n       int
}

func (s *script) Start(b *skill.Body) error {
	if s.onStart == nil {
		return nil
	}
	return s.onStart(b)
}

func (s *script) Tick(b *skill.Body) (bool, error) {
	s.n++
	if s.onTick == nil {
		return false, nil
	}
	return s.onTick(b, s.n-1)
}

func (s *script) Stopped(*skill.Body) {
	if s.onStop != nil {
		s.onStop()
	}
}

// tool is a tool of one script.
func tool(name string, s *script, modules ...string) *skill.Tool {
	return &skill.Tool{
		Name: name, Skill: "script", Spec: skill.Spec{Description: name, Commands: modules},
		New: func(skill.Call) (skill.Skill, error) { c := *s; return &c, nil },
	}
}

func limited(t *skill.Tool, d time.Duration) *skill.Tool {
	t.Spec.MaxDuration = d
	return t
}

// swing turns the first joint of an arm by 1 rad/s, to and fro, for ever.
func swing(arm string) *script {
	return &script{onTick: func(b *skill.Body, n int) (bool, error) {
		q := slices.Clone(b.Readings.Arms[arm].Targets)
		step := 0.01
		if n/50%2 == 1 {
			step = -step
		}
		q[0] += step
		b.Send(robot.Target{Module: arm, Joints: q})
		return false, nil
	}}
}

// after is a skill that swings and ends in its n-th tick.
func after(n int, arm string, end error) *script {
	moving := swing(arm)
	return &script{onTick: func(b *skill.Body, i int) (bool, error) {
		if i == n {
			return end == nil, end
		}
		return moving.onTick(b, i)
	}}
}

// tracker sees its seed's pixel wherever it looks.
type tracker struct {
	r    *rig
	seed skill.Point
}

func (r *rig) tracker(s skill.Service) (control.Tracker, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seeds++
	if s.Seed.Observation == "" {
		return nil, errors.New("nothing to see there")
	}
	return &tracker{r: r, seed: s.Seed}, nil
}

func (k *tracker) Region() image.Rectangle { return image.Rect(4, 4, 20, 20) }

func (k *tracker) Update(f *robot.Frame) vision.Track {
	k.r.mu.Lock()
	ponder := k.r.ponder
	k.r.mu.Unlock()
	if ponder > 0 {
		<-time.After(ponder) // of a bubble
	}
	k.r.mu.Lock()
	defer k.r.mu.Unlock()
	if k.r.panics {
		panic("tracker out of its mind")
	}
	tr := vision.Track{At: f.At, Frame: f, Point: k.seed.Pixel, Visibility: 1}
	if !k.r.blind {
		tr.Mask, tr.Pixels = &vision.Mask{Rect: f.Region}, 20
	}
	return tr
}

func (r *rig) dial(set func(*rig)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	set(r)
}

func point(pixel float64) skill.Point {
	return skill.Point{Observation: "o1.front", Pixel: [2]float64{pixel, pixel}}
}

func (r *rig) services(action string, fields ...skill.Service) control.ServiceStart {
	return control.ServiceStart{Owner: robot.OwnerAgent, Generation: r.Generation(), Action: action, Services: fields}
}

func target(pixel float64) skill.Service {
	return skill.Service{Module: "front", Field: "target", Seed: point(pixel)}
}
