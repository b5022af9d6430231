package control

import (
	"errors"
	"image"
	"time"

	"github.com/rein-robotics/rein/clock"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/safety"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/vision"
)

// Config is what a Controller stands on. Robot, Clock, Shield and Log are required; Trackers is when a tool asks for
// services.
type Config struct {
	Robot    robot.Robot
	Clock    clock.Clock
	Shield   *safety.Shield
	Period   time.Duration // of the control loop; 0 = 10 ms
	Log      Recorder
	Trackers TrackerFactory
	// Marked gets each result of a tracker, for the log and for pictures that show it; nil = nobody looks. It is called on
	// the tracker's own goroutine and may take its time.
	Marked func(s skill.Service, t vision.Track)
	Waits  Waits
	// Sink gets everything that happens, on the loop's goroutine, in order. It must not block and must not call the
	// Controller's methods that wait (Ask…, SetTimer, CancelTimer, Snapshot and Generation are fine). nil = nobody listens.
	Sink func(Event)
}

// Recorder takes the events of the loop. When it has a method Err() error, that is asked every period: a log that is
// broken stops all motion of the agent.
type Recorder interface {
	// Append returns once the event is in the log; an error means that what it announces must not happen.
	Append(episode.Event) error
	// Post logs in order and does not wait.
	Post(episode.Event)
}

// Tracker follows one region of one camera. Its methods are called by one goroutine at a time, never by the loop's.
type Tracker interface {
	// Region is what the next frame must cover, in capture pixels; empty = the whole capture.
	Region() image.Rectangle
	// Update looks for the region in f. A Track without a mask says that it is out of sight.
	Update(f *robot.Frame) vision.Track
}

// TrackerFactory makes a tracker seeded with a service's point. It may be called from any goroutine, never the loop's.
type TrackerFactory func(skill.Service) (Tracker, error)

// Waits are limits; zero fields have the contract's values.
type Waits struct {
	FirstTrack time.Duration // robot clock, for a tracker's first result; 5 s
	Stop       time.Duration // robot clock, for a measured stop; 2 s
	Command    time.Duration // wall clock, for the loop to take a command; 1 s
	Frame      time.Duration // wall clock, for a fresh frame; 2 s
	Track      time.Duration // wall clock, for a tracker to look at one frame, where the world waits for it; 10 s
}

func (w Waits) withDefaults() Waits {
	set := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	set(&w.FirstTrack, 5*time.Second)
	set(&w.Stop, 2*time.Second)
	set(&w.Command, time.Second)
	set(&w.Frame, 2*time.Second)
	set(&w.Track, 10*time.Second)
	return w
}

const (
	defaultPeriod = 10 * time.Millisecond
	defaultRateHz = 10.0
	stillFor      = 200 * time.Millisecond // an actuator below its still-speed for so long is at rest
)

func (c *Config) check() error {
	var errs []error
	missing := func(what string, is bool) {
		if is {
			errs = append(errs, errors.New("control: Config."+what+" is missing"))
		}
	}
	missing("Robot", c.Robot == nil)
	missing("Clock", c.Clock == nil)
	missing("Shield", c.Shield == nil)
	missing("Log", c.Log == nil)
	if c.Period < 0 {
		errs = append(errs, errors.New("control: Config.Period is negative"))
	}
	return errors.Join(errs...)
}
