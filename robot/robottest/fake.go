package robottest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/rein-robotics/rein/clock"
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
)

// Set is one arm with what it carries, and a camera that looks at its table. A name left out is a module left out.
type Set struct {
	Arm, Gripper, Camera, WristCamera string
}

// Options are what a fake is made of. The zero value works.
type Options struct {
	Sets   []Set         // nil = one set: arm, gripper, camera
	Period time.Duration // 0 = 10 ms
	Pace   clock.Pace
	Image  [2]int // width and height of the cameras; 0 = 64 × 48
}

// Fake is a robot in plain Go: its joints follow their targets with limited speed and acceleration, nothing has weight
// and nothing collides. Its fault dials are in dials.go. All methods may be called from any goroutine.
type Fake struct {
	desc   *robot.Description
	clock  *clock.Simulated
	period time.Duration

	mu       sync.Mutex // guards what follows
	arms     map[string]*armServo
	grips    map[string]*gripServo
	readings *robot.Readings
	pending  []pending // commands that take effect later
	issued   []Issued
	watch    func(Issued)
	cameras  map[string]*camera
	dials    dials
	stepped  chan struct{} // closed at the end of a period
	closed   bool
}

// Issued is a command that Do was given, accepted or not.
type Issued struct {
	At      time.Duration // robot clock
	Command robot.Command
	Err     error
}

type pending struct {
	seq uint64 // of the readings that show its first effect
	t   robot.Target
}

// NewFake makes a robot at rest in its home pose at time 0.
func NewFake(opt Options) *Fake {
	if opt.Sets == nil {
		opt.Sets = []Set{{Arm: "arm", Gripper: "gripper", Camera: "camera"}}
	}
	if opt.Period == 0 {
		opt.Period = 10 * time.Millisecond
	}
	if opt.Image == [2]int{} {
		opt.Image = [2]int{64, 48}
	}
	f := &Fake{
		desc: &robot.Description{Name: "fake"}, period: opt.Period,
		arms: map[string]*armServo{}, grips: map[string]*gripServo{}, cameras: map[string]*camera{},
		stepped: make(chan struct{}),
	}
	for i, s := range opt.Sets {
		f.addSet(s, geom.Pose{Pos: geom.Vec{Y: float64(i)}, Rot: geom.Rot{Real: 1}}, opt.Image)
	}
	f.mend()
	f.readings = f.read(0, 0)
	f.clock = clock.NewSimulated(0, opt.Period, opt.Pace, func(context.Context) error { f.step(); return nil })
	return f
}

// Clock is the clock that the fake lives by: its world goes on in Advance.
func (f *Fake) Clock() *clock.Simulated { return f.clock }

// Description is what the robot is.
func (f *Fake) Description() *robot.Description { return f.desc }

// Readings is the newest snapshot.
func (f *Fake) Readings() *robot.Readings {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.readings
}

// Err is the fault that Break set.
func (f *Fake) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.dials.fault
}

// Close ends the robot: it takes no commands and no pictures any more.
func (f *Fake) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	return nil
}

// Do takes one command.
func (f *Fake) Do(c robot.Command) error {
	is := Issued{At: f.clock.Now(), Command: c}
	is.Command.Target.Joints = slices.Clone(c.Target.Joints)
	is.Err = f.accept(is.Command.Target)
	f.mu.Lock()
	f.issued = append(f.issued, is)
	watch := f.watch
	f.mu.Unlock()
	if watch != nil {
		watch(is)
	}
	return is.Err
}

func (f *Fake) accept(t robot.Target) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return errors.New("fake robot: closed")
	}
	if f.dials.fault != nil {
		return f.dials.fault
	}
	if err := f.suits(t); err != nil {
		return err
	}
	if err := f.dials.refuse[t.Module]; err != nil {
		return err
	}
	if late := f.dials.late[t.Module]; late > 0 {
		f.pending = append(f.pending, pending{seq: f.readings.Seq + uint64(late) + 1, t: t})
		return nil
	}
	f.apply(t)
	return nil
}

func (f *Fake) suits(t robot.Target) error {
	a, g := f.arms[t.Module], f.grips[t.Module]
	switch {
	case a == nil && g == nil:
		return fmt.Errorf("fake robot: no module %q that moves", t.Module)
	case t.Hold:
		return nil
	case a != nil && len(t.Joints) == len(a.pos), g != nil && t.ApertureM != nil:
		return nil
	}
	return fmt.Errorf("fake robot: %s does not take such a target", t.Module)
}

func (f *Fake) apply(t robot.Target) {
	if t.Hold && f.dials.runOn[t.Module] {
		return
	}
	if a := f.arms[t.Module]; a != nil {
		a.aim(t)
		return
	}
	f.grips[t.Module].aim(t)
}

// step is one period of the world.
func (f *Fake) step() {
	f.mu.Lock()
	defer f.mu.Unlock()
	seq := f.readings.Seq + 1
	f.pending = slices.DeleteFunc(f.pending, func(p pending) bool {
		if p.seq <= seq {
			f.apply(p.t)
		}
		return p.seq <= seq
	})
	dt := f.period.Seconds()
	for name, a := range f.arms {
		a.step(dt, f.dials.stuck[name], f.dials.runOn[name])
	}
	for name, g := range f.grips {
		g.step(dt, f.dials.stuck[name], f.dials.runOn[name])
	}
	if !f.dials.mute {
		f.readings = f.read(seq, f.clock.Now()) // the end of this period
	}
	close(f.stepped)
	f.stepped = make(chan struct{})
}

func (f *Fake) read(seq uint64, at time.Duration) *robot.Readings {
	r := &robot.Readings{Seq: seq, At: at, Arms: make(map[string]robot.ArmState, len(f.arms)), Grippers: make(map[string]robot.GripperState, len(f.grips))}
	for name, a := range f.arms {
		r.Arms[name] = a.read()
	}
	for name, g := range f.grips {
		r.Grippers[name] = g.read()
	}
	return r
}

// Issued are all commands so far, in order.
func (f *Fake) Issued() []Issued {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.issued)
}

// Forget drops what Issued has kept so far: a long run is not to grow by it.
func (f *Fake) Forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.issued = nil
}

// Watch calls fn with every further command, on the goroutine that gave it.
func (f *Fake) Watch(fn func(Issued)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.watch = fn
}

// Moving are the modules that are not at rest, sorted. It looks at the servos, not at what the robot reports.
func (f *Fake) Moving() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	moving := map[string]bool{}
	for name, a := range f.arms {
		if a.fastest() > stillRad {
			moving[name] = true
		}
	}
	for name, g := range f.grips {
		if g.fastest() > stillM {
			moving[name] = true
		}
	}
	return slices.Sorted(maps.Keys(moving))
}
