package control

import (
	"slices"
	"time"

	"github.com/rein-robotics/rein/robot"
)

// Snapshot is the loop's state as it was last published. It is immutable.
type Snapshot struct {
	At         time.Duration // robot clock, of the asking
	Readings   *robot.Readings
	Owner      robot.Owner // who moves the robot, or moved it last; "" before anything did
	Generation uint64
	Latched    bool
	Fault      error    // the robot's
	NotAtRest  []string // modules whose stop was not confirmed
	Running    []Running
	Services   []string // fields that trackers publish on, "module/field"
}

// Running is one action that has started and has not ended.
type Running struct {
	Action   string
	Tool     string
	Skill    string
	Owner    robot.Owner
	Modules  []string // that it holds
	Started  time.Duration
	Elapsed  time.Duration
	Doing    string // in the skill's words, "" when it has none
	Stopping bool   // the end is decided, the stop is being measured
}

// doingEvery is how often a skill is asked what it is at.
const doingEvery = 100 * time.Millisecond

// Snapshot may be asked from any goroutine and never waits.
func (c *Controller) Snapshot() *Snapshot {
	s := *c.publish.Load()
	s.At = c.cfg.Clock.Now()
	s.Readings = c.cfg.Robot.Readings()
	s.Generation, s.Latched = c.gen.Load(), c.latch.Load()
	s.Running = slices.Clone(s.Running)
	for i := range s.Running {
		s.Running[i].Elapsed = s.At - s.Running[i].Started
	}
	return &s
}

// show publishes the parts that change only now and then.
func (c *Controller) show() {
	s := &Snapshot{Owner: c.owner, Fault: c.fault, NotAtRest: slices.Clone(c.unrest.modules)}
	for _, a := range c.live {
		s.Running = append(s.Running, Running{
			Action: a.id, Tool: a.tool.Name, Skill: a.tool.Skill, Owner: a.owner, Modules: a.modules(),
			Started: a.started, Doing: a.doing, Stopping: a.phase != running,
		})
	}
	for _, v := range c.services {
		s.Services = append(s.Services, v.name)
	}
	c.publish.Store(s)
	c.dirty = false
}

func (c *Controller) refreshDoing() {
	if c.now < c.doingAt {
		return
	}
	c.doingAt = c.now + doingEvery
	for _, a := range c.live {
		if a.phase != running {
			continue
		}
		if d := a.callDoing(); d != a.doing {
			a.doing, c.dirty = d, true
		}
	}
}
