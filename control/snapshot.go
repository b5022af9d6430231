package control

import (
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

// Snapshot may be asked from any goroutine and never waits.
func (c *Controller) Snapshot() *Snapshot { panic("being written") }
