package control

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/vision"
)

// lostAfter is how many frames in a row may fail before a service counts as lost.
const lostAfter = 3

// service is one tracker that publishes on one field for the actions that read it. Owned by the loop's goroutine.
type service struct {
	spec  skill.Service
	name  string
	users []user
	work  *worker

	every    time.Duration
	next     time.Duration // robot clock of the next frame
	out      bool          // a frame is being worked on
	last     vision.Track
	has      bool
	failures int
}

type user struct {
	action string
	owner  robot.Owner
}

// firstWait is a StartServices that waits for first results.
type firstWait struct {
	start ServiceStart
	until time.Duration // robot clock
	then  func(Tracks, error)
}

func (c *Controller) lastTrack(field string) (vision.Track, bool) {
	if s := c.service(field); s != nil {
		return s.last, s.has
	}
	return vision.Track{}, false
}

func (c *Controller) service(name string) *service {
	for _, s := range c.services {
		if s.name == name {
			return s
		}
	}
	return nil
}

// seedTrackers makes the trackers of a start. Not on the loop's goroutine: this looks at images.
func (c *Controller) seedTrackers(s ServiceStart) (seeded []Tracker, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &Refused{Code: CodeCannotStart, Message: fmt.Sprintf("a tracker panicked: %v", p)}
		}
	}()
	if c.cfg.Trackers == nil {
		return nil, &Refused{Code: CodeCannotStart, Message: "no tracker is configured", Hint: "this tool needs one"}
	}
	for _, v := range s.Services {
		t, err := c.cfg.Trackers(v)
		if err != nil {
			return nil, &Refused{Code: CodeNoTarget, Message: v.Name() + ": " + err.Error()}
		}
		seeded = append(seeded, t)
	}
	return seeded, nil
}

// beginServices joins or starts every service of a start, all or none, and then waits for their first results.
func (c *Controller) beginServices(s ServiceStart, seeded []Tracker, then func(Tracks, error)) {
	if r := c.judgeServices(s); r != nil {
		then(nil, r)
		return
	}
	for i, v := range s.Services {
		have := c.service(v.Name())
		if have == nil {
			have = c.openService(v, seeded[i], s.Owner)
		}
		u := user{action: s.Action, owner: s.Owner}
		if !slices.Contains(have.users, u) {
			have.users = append(have.users, u)
		}
	}
	c.starting = append(c.starting, &firstWait{start: s, until: c.now + c.cfg.Waits.FirstTrack, then: then})
	c.answerFirst()
	c.requestFrames()
}

func (c *Controller) judgeServices(s ServiceStart) *Refused {
	if r := c.judge(s.Owner, s.Generation); r != nil {
		return r
	}
	points := map[string]skill.Point{}
	for _, v := range s.Services {
		if m := c.desc.Module(v.Module); m == nil || m.Camera == nil {
			return &Refused{Code: CodeCannotStart, Message: "the robot has no camera " + v.Module}
		}
		if p, ok := points[v.Name()]; ok && !samePoint(p, v.Seed) {
			return &Refused{Code: CodeModuleBusy, Message: v.Name() + " is asked for two points at once"}
		}
		points[v.Name()] = v.Seed
		if have := c.service(v.Name()); have != nil && !samePoint(have.spec.Seed, v.Seed) {
			return &Refused{Code: CodeModuleBusy, Message: fmt.Sprintf("%s follows another point for action %s", v.Name(), have.users[0].action)}
		}
	}
	return nil
}

func samePoint(a, b skill.Point) bool { return a.Observation == b.Observation && a.Pixel == b.Pixel }

func (c *Controller) openService(v skill.Service, t Tracker, owner robot.Owner) *service {
	rate := v.RateHz
	if rate <= 0 {
		rate = defaultRateHz
	}
	params, err := json.Marshal(struct {
		Observation string     `json:"observation"`
		Point       [2]float64 `json:"point"`
		RateHz      float64    `json:"rate_hz"`
	}{v.Seed.Observation, v.Seed.Pixel, rate})
	if err != nil {
		params = nil // a pixel that is no number; the tracker will not find it either
	}
	s := &service{spec: v, name: v.Name(), every: time.Duration(float64(time.Second) / rate), next: c.now}
	s.work = c.newWorker(v, t)
	c.services = append(c.services, s)
	c.dirty = true
	c.cfg.Log.Post(episode.ServiceStarted{Tag: c.tag(), Module: v.Module, Field: v.Field, Params: params, By: byOwner(owner)})
	return s
}

// answerFirst answers the starts whose services have all published, or whose time is up.
func (c *Controller) answerFirst() {
	var late []*firstWait
	var done []*firstWait
	c.starting = slices.DeleteFunc(c.starting, func(w *firstWait) bool {
		switch {
		case c.allHave(w.start.Services):
			done = append(done, w)
		case c.now >= w.until:
			late = append(late, w)
		default:
			return false
		}
		return true
	})
	for _, w := range done {
		tracks := Tracks{}
		for _, v := range w.start.Services {
			tracks[v.Name()] = c.service(v.Name()).last
		}
		w.then(tracks, nil)
	}
	for _, w := range late {
		c.leaveServices(w.start.Action, episode.ByHarness)
		w.then(nil, &Refused{Code: CodeNoTarget, Message: "the tracker gave no result within " + c.cfg.Waits.FirstTrack.String(),
			Hint: "look again and point at the object"})
	}
}

func (c *Controller) allHave(services []skill.Service) bool {
	for _, v := range services {
		if s := c.service(v.Name()); s == nil || !s.has {
			return false
		}
	}
	return true
}

// refuseWaiting ends the waits of an owner ("" = of everybody) with r.
func (c *Controller) refuseWaiting(owner robot.Owner, r error) {
	var gone []*firstWait
	c.starting = slices.DeleteFunc(c.starting, func(w *firstWait) bool {
		if owner != "" && w.start.Owner != owner {
			return false
		}
		gone = append(gone, w)
		return true
	})
	for _, w := range gone {
		c.leaveServices(w.start.Action, episode.ByHarness)
		w.then(nil, r)
	}
}

// leaveServices takes an action off its services and gives the names of those that stopped because nobody is left.
func (c *Controller) leaveServices(action string, by episode.By) (stopped []string) {
	c.services = slices.DeleteFunc(c.services, func(s *service) bool {
		s.users = slices.DeleteFunc(s.users, func(u user) bool { return u.action == action })
		if len(s.users) > 0 {
			return false
		}
		stopped = append(stopped, s.name)
		c.closeService(s, by)
		return true
	})
	return stopped
}

// leaveUnstarted drops the services of agent actions that were seeded and have not started.
func (c *Controller) leaveUnstarted(by episode.By) {
	var ids []string
	for _, s := range c.services {
		for _, u := range s.users {
			if u.owner == robot.OwnerAgent && c.find(u.action) == nil {
				ids = append(ids, u.action)
			}
		}
	}
	for _, id := range ids {
		c.leaveServices(id, by)
	}
}

func (c *Controller) closeService(s *service, by episode.By) {
	s.work.close()
	c.dirty = true
	c.cfg.Log.Post(episode.ServiceStopped{Tag: c.tag(), Module: s.spec.Module, Field: s.spec.Field, By: by})
}

// dropServices ends all of them.
func (c *Controller) dropServices() {
	for _, s := range c.services {
		c.closeService(s, episode.ByHarness)
	}
	c.services = nil
}

// requestFrames asks for the frames that are due. In simulated time the world stands still until each is taken, so that
// it shows this tick whatever the scheduling.
func (c *Controller) requestFrames() {
	for _, s := range c.services {
		if s.out || c.now < s.next {
			continue
		}
		s.out, s.next = true, c.now+s.every
		s.work.jobs <- c.cfg.Clock.Hold(s.work.label)
	}
}

// joinTrackers takes the results of the frames asked for in earlier ticks: in lockstep all of them, else those that are
// there.
func (c *Controller) joinTrackers() {
	var lost []*service
	for _, s := range c.services {
		if !s.out {
			continue
		}
		var got found
		if c.lockstep {
			got = s.work.wait(c.cfg.Waits.Frame + c.cfg.Waits.Track)
		} else {
			select {
			case got = <-s.work.found:
			default:
				continue
			}
		}
		s.out = false
		switch {
		case got.err == nil:
			s.last, s.has, s.failures = got.track, true, 0
		case got.fatal || s.failures+1 >= lostAfter:
			s.work.err = got.err
			lost = append(lost, s)
		default:
			s.failures++
		}
	}
	for _, s := range lost {
		c.loseService(s)
	}
	if len(c.starting) > 0 {
		c.answerFirst()
	}
}

func (c *Controller) loseService(s *service) {
	c.services = slices.DeleteFunc(c.services, func(x *service) bool { return x == s })
	c.closeService(s, episode.ByHarness)
	lost := ServiceLost{At: c.now, Module: s.spec.Module, Field: s.spec.Field, Err: s.work.err}
	var waits []*firstWait
	for _, u := range s.users {
		lost.Actions = append(lost.Actions, u.action)
	}
	c.starting = slices.DeleteFunc(c.starting, func(w *firstWait) bool {
		if !slices.Contains(lost.Actions, w.start.Action) {
			return false
		}
		waits = append(waits, w)
		return true
	})
	c.cfg.Sink(lost)
	for _, w := range waits {
		c.leaveServices(w.start.Action, episode.ByHarness)
		w.then(nil, &Refused{Code: CodeNoTarget, Message: s.name + ": " + s.work.err.Error()})
	}
}
