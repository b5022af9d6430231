package control

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/rein-robotics/rein/clock"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/vision"
)

// Controller is the control loop. All its methods may be called from any goroutine.
type Controller struct {
	// fixed at creation
	cfg      Config
	desc     *robot.Description
	lockstep bool             // simulated time waits for whoever holds it
	gauges   map[string]gauge // by module that can move
	movers   []string         // those modules, in the order of the description
	track    func(field string) (vision.Track, bool)
	logErr   func() error // nil = the log does not say
	ran      atomic.Bool
	queue    queue
	timers   timers
	gen      atomic.Uint64 // written by the loop only
	latch    atomic.Bool
	estops   atomic.Int32 // asked for and not yet carried out
	publish  atomic.Pointer[Snapshot]

	// owned by the loop's goroutine
	now       time.Duration
	readings  *robot.Readings
	live      []*action // started and not ended, in start order
	ended     history
	services  []*service
	starting  []*firstWait
	takeovers []*takeover
	unrest    unrest
	owner     robot.Owner
	stopped   bool // the e-stop was carried out and not cleared
	fault     error
	broken    error // of the log
	over      bool  // the loop is ending: nothing starts
	dirty     bool
	doingAt   time.Duration
}

// New makes a controller; Run brings it to life. An error names what Config lacks.
func New(cfg Config) (*Controller, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	cfg.Waits = cfg.Waits.withDefaults()
	if cfg.Period == 0 {
		cfg.Period = defaultPeriod
	}
	if cfg.Sink == nil {
		cfg.Sink = func(Event) {}
	}
	c := &Controller{cfg: cfg, desc: cfg.Robot.Description(), gauges: map[string]gauge{}, lockstep: inLockstep(cfg.Clock)}
	c.queue.wake = make(chan struct{}, 1)
	c.timers.at = map[string]time.Duration{}
	c.ended.byID = map[string]*ActionEnded{}
	c.track = c.lastTrack
	if l, ok := cfg.Log.(interface{ Err() error }); ok {
		c.logErr = l.Err
	}
	for i := range c.desc.Modules {
		if m := &c.desc.Modules[i]; m.Arm != nil || m.Gripper != nil || m.Kind == robot.KindBase {
			c.gauges[m.Name] = gaugeOf(m)
			c.movers = append(c.movers, m.Name)
		}
	}
	c.gen.Store(1)
	c.readings = cfg.Robot.Readings()
	c.now = cfg.Clock.Now()
	c.show()
	return c, nil
}

// inLockstep says that a hold keeps the clock where it is: then trackers are waited for, and nothing depends on
// scheduling.
func inLockstep(clk clock.Clock) bool {
	if !clk.Simulated() {
		return false
	}
	s, ok := clk.(interface{ Still() bool })
	if !ok {
		return true
	}
	defer clk.Hold("question whether holds count")()
	return s.Still()
}

// Run is the loop. It ends with ctx (nil) or with a clock that fails (its error); on return everything was stopped,
// every module is held, and every goroutine joined. It runs once.
func (c *Controller) Run(ctx context.Context) error {
	if !c.ran.CompareAndSwap(false, true) {
		return errors.New("control: Run was called twice")
	}
	err := c.loop(ctx)
	c.wind(ctx, err)
	return err
}

func (c *Controller) loop(ctx context.Context) error {
	for {
		if ctx.Err() != nil {
			return nil
		}
		select {
		case <-ctx.Done():
		case <-c.queue.wake:
			c.drain()
		case <-c.cfg.Clock.Due():
			// Whom a command woke may hold simulated time, so the period is asked for anew.
			if c.drain() && c.lockstep {
				continue
			}
			if err := c.tick(ctx); err != nil && ctx.Err() == nil {
				return err
			}
		}
	}
}

// drain carries out what is queued, in order, and says whether there was anything.
func (c *Controller) drain() bool {
	batch := c.queue.take()
	for _, cmd := range batch {
		c.now = c.cfg.Clock.Now()
		cmd.run()
	}
	clear(batch)
	if c.dirty {
		c.show()
	}
	return len(batch) > 0
}

// wind stops everything, measured as far as the clock still runs, and leaves nothing behind.
func (c *Controller) wind(ctx context.Context, why error) {
	c.over = true
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.cfg.Waits.Stop+time.Second)
	defer cancel()
	c.now = c.cfg.Clock.Now()
	e := End{Outcome: Stopped, Cause: CauseCancel, Reason: "the control loop ends"}
	if why != nil {
		e = End{Outcome: Stopped, Cause: CauseRobot, Reason: why.Error()}
	}
	for _, a := range c.live {
		c.decide(a, e)
	}
	for _, m := range c.movers {
		c.hold(m)
	}
	c.drain()
	for why == nil && len(c.live) > 0 {
		select {
		case <-ctx.Done():
			why = context.Cause(ctx)
		case <-c.queue.wake:
			c.drain()
		case <-c.cfg.Clock.Due():
			why = c.tick(ctx)
		}
	}
	for len(c.live) > 0 {
		a := c.live[0]
		c.settleEnds(a)
		c.finish(a, Unconfirmed)
	}
	c.refuseWaiting("", errOver())
	c.dropServices()
	for _, cmd := range c.queue.close() {
		cmd.giveUp(errOver())
		cmd.free()
	}
	c.queue.join(c.cfg.Waits.Track)
	c.show()
}

// tick is one control period.
func (c *Controller) tick(ctx context.Context) error {
	if err := c.cfg.Clock.Advance(ctx); err != nil {
		return fmt.Errorf("control loop: advancing the clock: %w", err)
	}
	c.now = c.cfg.Clock.Now()
	c.readings = c.cfg.Robot.Readings()
	c.checkRobot()
	c.checkLog()
	c.joinTrackers()
	c.checkDeadlines()
	c.fireTimers()
	c.measure()
	c.tickSkills()
	c.requestFrames()
	c.refreshDoing()
	if c.dirty {
		c.show()
	}
	return nil
}

func (c *Controller) checkRobot() {
	err := c.cfg.Robot.Err()
	switch {
	case err != nil && c.fault == nil:
		c.fault, c.dirty = err, true
		c.cfg.Sink(RobotFault{At: c.now, Err: err})
		for _, a := range c.live {
			c.decide(a, End{Outcome: Stopped, Cause: CauseRobot, Reason: "the robot reports a fault: " + err.Error()})
		}
	case err == nil && c.fault != nil:
		c.fault, c.dirty = nil, true
		c.cfg.Sink(RobotWell{At: c.now})
	}
}

func (c *Controller) checkLog() {
	if c.broken != nil || c.logErr == nil {
		return
	}
	if err := c.logErr(); err != nil {
		c.logFailed(err)
	}
}

// logFailed stops the motion of the agent: what it does could not be told.
func (c *Controller) logFailed(err error) {
	c.broken = err
	c.cfg.Sink(LogBroken{At: c.now, Err: err})
	for _, a := range c.live {
		if a.owner == robot.OwnerAgent {
			c.decide(a, End{Outcome: Stopped, Cause: CauseSafety, Reason: "the log cannot be written: " + err.Error()})
		}
	}
}
