package sim

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rein-robotics/rein/clock"
	"github.com/rein-robotics/rein/robot"
	world "github.com/rein-robotics/rein/sim"
	"github.com/rein-robotics/rein/sim/render"
)

// settleFor is how long things settle before the robot is handed out.
const settleFor = 500 * time.Millisecond

// Robot is the simulated robot. Its world goes on when its clock is advanced, by one control period at a time.
type Robot struct {
	desc    *robot.Description
	arms    []armRef
	clock   *clock.Simulated
	seed    uint64
	noise   bool
	pace    clock.Pace
	period  time.Duration
	light   render.Light
	startup []*robot.Frame

	readings atomic.Pointer[robot.Readings]
	fault    atomic.Pointer[error]

	mu      sync.Mutex
	world   *world.World       // guarded by mu
	cameras map[string]*camera // guarded by mu
	scratch []*scratch         // free ones, guarded by mu
	ticked  chan struct{}      // closed at the end of every period and made anew; guarded by mu
	trial   *trial             // guarded by mu; nil = none
	film    *filming           // guarded by mu; nil = none
	closed  bool               // guarded by mu
}

// armRef is an arm by its names; its index is that of the world's arm.
type armRef struct {
	name, gripper string
	arm           *robot.Arm
}

// Open builds the world and lets it settle for half a second, in which every camera takes a first picture (Startup). The
// robot clock then stands at half a second. The caller closes the robot.
func Open(ctx context.Context, c Config) (*Robot, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.Period == 0 {
		c.Period = 10 * time.Millisecond
	}
	r := &Robot{
		desc: c.Description, seed: c.Seed, noise: !c.NoNoise, pace: c.Pace, period: c.Period, light: c.Light,
		cameras: map[string]*camera{}, ticked: make(chan struct{}),
	}
	var arms []world.Arm
	for i := range c.Description.Modules {
		if m := &c.Description.Modules[i]; m.Arm != nil {
			arms = append(arms, c.physical(m))
			r.arms = append(r.arms, armRef{name: m.Name, gripper: m.Arm.Gripper, arm: m.Arm})
		}
	}
	if err := r.addCameras(&c); err != nil {
		return nil, err
	}
	w, err := world.NewWorld(ctx, c.Engine, world.Options{Scene: c.Scene, Seed: c.Seed, Arms: arms, Period: c.Period})
	if err != nil {
		return nil, err
	}
	r.world = w
	if err := r.settle(ctx); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	r.clock = clock.NewSimulated(w.Time(), c.Period, c.Pace, r.advance)
	return r, nil
}

// settle runs the world until things lie still, with one picture of every camera half way.
func (r *Robot) settle(ctx context.Context) error {
	ticks := int(settleFor / r.period)
	for i := range ticks {
		if err := r.advance(ctx); err != nil {
			return fmt.Errorf("settling: %w", err)
		}
		if i != ticks/2 {
			continue
		}
		for j := range r.desc.Modules {
			if r.desc.Modules[j].Camera == nil {
				continue
			}
			f, err := r.take(ctx, robot.FrameRequest{Camera: r.desc.Modules[j].Name, Quality: robot.Fine})
			if err != nil {
				return fmt.Errorf("settling: %w", err)
			}
			r.startup = append(r.startup, f)
		}
	}
	return nil
}

// Startup is one picture of each camera, taken while the world settled and drawn as the first look will be: what a frozen
// camera shows again then.
func (r *Robot) Startup() []*robot.Frame { return r.startup }

// Clock is the robot's clock; the control loop advances it.
func (r *Robot) Clock() *clock.Simulated { return r.clock }

// Description is what the robot is.
func (r *Robot) Description() *robot.Description { return r.desc }

// Readings is the snapshot made at the end of the last period.
func (r *Robot) Readings() *robot.Readings { return r.readings.Load() }

// Err is why the physics could not go on, nil while it does.
func (r *Robot) Err() error {
	if p := r.fault.Load(); p != nil {
		return *p
	}
	return nil
}

// Close frees the physics.
func (r *Robot) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	r.closed = true
	close(r.ticked)
	return r.world.Close()
}

var errClosed = errors.New("the simulated robot is closed")

// advance lets the world go on by one control period. The clock calls it.
func (r *Robot) advance(context.Context) error {
	tell, err := r.tick()
	for _, say := range tell {
		say()
	}
	return err // a period that was lived counts, whatever was cancelled meanwhile
}

// tick is one period of the world. tell is what must be told of it, without mu.
func (r *Robot) tick() (tell []func(), err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, errClosed
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	if err := r.world.Tick(); err != nil {
		err = fmt.Errorf("simulating at %v: %w", r.world.Time(), err)
		r.fault.Store(&err)
		return nil, err
	}
	r.readings.Store(r.snapshot())
	r.spoil()
	if show := r.film.look(r.world, r.light); show != nil {
		tell = append(tell, show)
	}
	for _, then := range r.trial.observe() {
		verdict := r.trial.verdict
		tell = append(tell, func() { then(verdict) })
	}
	close(r.ticked)
	r.ticked = make(chan struct{})
	return tell, nil
}

// snapshot reads everything but images. It is called under mu.
func (r *Robot) snapshot() *robot.Readings {
	s := &robot.Readings{
		Seq: r.world.Ticks(), At: r.world.Time(),
		Arms: make(map[string]robot.ArmState, len(r.arms)), Grippers: make(map[string]robot.GripperState, len(r.arms)),
	}
	for i := range r.arms {
		a := &r.arms[i]
		j := r.world.Joints(i)
		s.Arms[a.name] = robot.ArmState{
			Joints: j.Angles, Speeds: j.Speeds, Targets: j.Targets, Efforts: j.Efforts,
			Tip: a.arm.Chain.Tip(j.Angles), TipSpeed: tipSpeed(a.arm, j.Angles, j.Speeds),
		}
		if a.gripper != "" {
			g := r.world.Grip(i)
			s.Grippers[a.gripper] = robot.GripperState{ApertureM: g.ApertureM, SpeedMS: g.SpeedMS, TargetM: g.TargetM, ForceN: g.ForceN}
		}
	}
	return s
}
