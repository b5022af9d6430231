package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/eval/measure"
)

// Picture is one picture of a tick, as it was recorded: cut and scaled as the monitor was shown it, without marks.
type Picture struct {
	Name      string // below the folder logs of the episode: "images/a1m3_front_camera.image.jpg"
	Camera    string
	At        time.Duration // since the action started, robot clock
	Reference bool          // from when the action started, with the planner's point
	Current   bool          // the newest of its camera
}

// Tick is one recorded tick of a watched action. It is immutable.
type Tick struct {
	measure.Key

	Tool     string
	Args     json.RawMessage
	At       time.Duration // capture time of its newest frame since the action started, robot clock
	Behind   time.Duration // how much older the current picture of another camera is, at most
	Pictures []Picture     // in the order in which they were shown
	Earlier  []Picture     // that were taken for earlier ticks of the action, oldest first; some are among Pictures
	Readings []view.Reading
	Dir      string // folder of the episode
}

// Frames are the names of the tick's pictures.
func (t *Tick) Frames() []string {
	var out []string
	for _, p := range t.Pictures {
		out = append(out, p.Name)
	}
	return out
}

// Ticks reads the judged ticks of a tool's actions ("" = of all tools) from the episodes under a root of recordings,
// oldest first. What cannot be read is told in notes, with file and line; the rest of that episode is left out.
func Ticks(root, tool string) (ticks []Tick, notes []string, err error) {
	list, err := episode.List(root)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range list {
		if s.Side != "controller" {
			continue
		}
		got, err := ticksOf(s.Dir, s.ID)
		if err != nil {
			notes = append(notes, err.Error())
		}
		for _, t := range got {
			if tool == "" || t.Tool == tool {
				ticks = append(ticks, t)
			}
		}
	}
	return ticks, notes, nil
}

// ticksOf reads one episode. A torn last line is its end.
func ticksOf(dir, id string) ([]Tick, error) {
	r := reader{dir: dir, id: id, actions: map[string]*running{}}
	line := 0
	for e, err := range episode.Read(dir) {
		line++
		if errors.Is(err, episode.ErrTorn) {
			break
		}
		if err == nil {
			err = r.take(e)
		}
		if err != nil {
			return r.ticks, fmt.Errorf("%s:%d: %w", filepath.Join(dir, "logs", "events.jsonl"), line, err)
		}
	}
	return r.ticks, nil
}

// reader goes through the entries of an episode.
type reader struct {
	dir, id string
	actions map[string]*running
	ticks   []Tick
}

// running is an action whose ticks are read.
type running struct {
	started episode.ActionStarted
	from    time.Duration            // robot clock
	seen    map[string]time.Duration // pictures by name: when they were taken, robot clock
	all     []Picture                // in the order in which they were first shown
	first   time.Duration            // of the first look
	looked  bool
	number  int // of the last tick
}

// clockOf is the robot clock of an entry; a robot that is no simulation runs at the pace of the wall's.
func clockOf(e episode.Entry) time.Duration {
	if e.Simulated {
		return e.Sim
	}
	return time.Duration(e.T.UnixNano())
}

func (r *reader) take(e episode.Entry) error {
	now := clockOf(e)
	switch ev := e.Event.(type) {
	case episode.ActionStarted:
		r.actions[ev.Action] = &running{started: ev, from: now, seen: map[string]time.Duration{}}
	case episode.MonitorFrame:
		if a := r.actions[ev.Action]; a != nil {
			_, err := a.look(ev.Images, moments{newest: now, now: now, agesS: ev.AgesS})
			return err
		}
	case episode.MonitorAnswer:
		a := r.actions[ev.Action]
		if a == nil || len(ev.Images) == 0 { // it began in another episode, or no picture came
			return nil
		}
		if ev.Tick <= a.number {
			return fmt.Errorf("tick %d of %s behind tick %d", ev.Tick, ev.Action, a.number)
		}
		a.number = ev.Tick
		earlier := slices.Clip(a.all) // shared: what is appended later lies behind its end
		pictures, err := a.look(ev.Images, moments{newest: before(now, ev.AgeS), now: now, agesS: ev.AgesS})
		if err != nil {
			return err
		}
		t := Tick{
			Key: measure.Key{Episode: r.id, Action: ev.Action, Tick: ev.Tick}, Tool: a.started.Tool, Args: a.started.Args, Dir: r.dir,
			Pictures: pictures, Earlier: earlier,
		}
		t.At, t.Behind = newest(pictures)
		if err := json.Unmarshal(ev.Readings, &t.Readings); err != nil {
			return fmt.Errorf("the readings of %s tick %d: %w", ev.Action, ev.Tick, err)
		}
		r.ticks = append(r.ticks, t)
	}
	return nil
}

// newest is when the newest of the current pictures was taken, and how far the oldest of them is behind it.
func newest(pictures []Picture) (at, behind time.Duration) {
	var current []time.Duration
	for _, p := range pictures {
		if p.Current {
			current = append(current, p.At)
		}
	}
	if len(current) == 0 {
		return 0, 0
	}
	at = slices.Max(current)
	return at, at - slices.Min(current)
}

var pictureName = regexp.MustCompile(`^images/([A-Za-z0-9_-]+?)(m[0-9]+|r)_([A-Za-z0-9_-]+)\.image\.(?:jpg|png)$`)

// moments is when the pictures of a look were taken, robot clock.
type moments struct {
	newest time.Duration
	now    time.Duration // of the entry
	agesS  []float64     // of each picture then; nil in recordings that do not tell: all new ones are taken for the newest
}

// before is the moment that many seconds before now, to the microsecond.
func before(now time.Duration, seconds float64) time.Duration {
	return now - time.Duration(math.Round(seconds*1e6))*time.Microsecond
}

// of is when picture i was taken; it was not shown before.
func (m *moments) of(i int) time.Duration {
	if i < len(m.agesS) {
		return before(m.now, m.agesS[i])
	}
	return m.newest
}

// look gives the pictures of a look.
func (a *running) look(names []string, at moments) ([]Picture, error) {
	if !a.looked {
		a.first, a.looked = at.newest, true
	}
	last := map[string]int{}
	var out []Picture
	for i, name := range names {
		m := pictureName.FindStringSubmatch(name)
		if m == nil || m[1] != a.started.Action {
			return nil, fmt.Errorf("%q is no picture of the monitor's on %s", name, a.started.Action)
		}
		when, known := a.seen[name]
		switch {
		case known:
		case m[2] == "r" && len(at.agesS) == 0:
			when = a.first
		default:
			when = at.of(i)
		}
		p := Picture{Name: name, Camera: m[3], At: when - a.from, Reference: m[2] == "r"}
		if !known {
			a.seen[name] = when
			a.all = append(a.all, p)
		}
		out = append(out, p)
		last[m[3]] = i
	}
	for _, i := range last {
		out[i].Current = true
	}
	return out, nil
}

// cameras are those of a tick, in the order of its pictures.
func (t *Tick) cameras() []string {
	var out []string
	for _, p := range t.Pictures {
		if !slices.Contains(out, p.Camera) {
			out = append(out, p.Camera)
		}
	}
	return out
}

// Compared are the previous and the current picture of a camera, "" = of the first; a previous that is not there is nil.
func (t *Tick) Compared(camera string) (previous, current *Picture) {
	if all := t.cameras(); camera == "" && len(all) > 0 {
		camera = all[0]
	}
	for i := range t.Pictures {
		p := &t.Pictures[i]
		switch {
		case p.Camera != camera || p.Reference:
		case p.Current:
			current = p
		default:
			previous = p
		}
	}
	return previous, current
}
