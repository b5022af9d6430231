package run

import (
	"encoding/json"
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rein-robotics/rein/agent/budget"
	"github.com/rein-robotics/rein/agent/point"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
)

// desk is the pure step with nobody behind it: the test gives the events, and answers the effects when it likes. So it
// can put an answer at a moment that goroutines hit once in a thousand runs.
type desk struct {
	t         testing.TB
	s         *State
	at        time.Duration
	seq       uint64
	latched   bool
	pending   []Effect        // with an answer that has not been given
	logged    []episode.Event // everything, in order
	cuts      []EffectID      // cancelled calls
	timers    []SetTimer
	unseeds   []string
	unwatched []string
	callers   []TellCaller // answered, in order
	result    *Result
}

func newDesk(t testing.TB, change ...func(*Settings)) *desk {
	t.Helper()
	set := &Settings{
		Body: &robot.Description{Modules: []robot.Module{
			{Name: "arm", Kind: robot.KindArm}, {Name: "grip", Kind: robot.KindGripper},
			{Name: "cam", Kind: robot.KindCamera, Camera: &robot.Camera{Mount: robot.MountFixed}},
		}},
		Tools: deskTools(), Cameras: []string{"cam"}, Budgets: budget.Limits{Turns: 100, Active: time.Hour},
		Points: point.Rules{MaxAge: time.Minute}, RetriesPerStep: 3, Component: "desk@1",
	}
	for _, f := range change {
		f(set)
	}
	if err := set.compile(); err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, s: NewState(set)}
	d.s.generation = 1
	return d
}

func deskTools() []*skill.Tool {
	params := json.RawMessage(`{"type":"object","properties":{"how":{"type":"string"}}}`)
	return []*skill.Tool{
		{Name: "reach", Skill: "reach", Spec: skill.Spec{Description: "Moves the arm.", Commands: []string{"arm"}, Parameters: params}},
		{Name: "squeeze", Skill: "squeeze", Spec: skill.Spec{Description: "Moves the gripper.", Commands: []string{"grip"}, Parameters: params}},
		{Name: "pick", Skill: "pick", Spec: skill.Spec{
			Description: "Picks.", Commands: []string{"arm", "grip"}, Camera: "cam", ImagePoints: []string{"point"},
			Parameters: json.RawMessage(`{"type":"object","properties":{"point":{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2}},"required":["point"]}`),
		}, Services: func(c skill.Call) []skill.Service {
			return []skill.Service{{Module: "cam", Field: "target", Seed: c.Points["point"]}}
		}},
	}
}

func headless(s *Settings) { s.Headless = true }

// give steps one event and keeps what follows.
func (d *desk) give(e Event) {
	d.t.Helper()
	d.at += 10 * time.Millisecond
	d.seq++
	for _, f := range d.s.Step(Moment{At: d.at, World: &control.Snapshot{Generation: d.s.generation, Latched: d.latched}}, Stamp(e, d.seq)) {
		switch f := f.(type) {
		case LogEvent:
			d.logged = append(d.logged, f.What)
		case SaveTurn:
			d.logged = append(d.logged, f.Turn.Event)
		case CancelCall:
			d.cuts = append(d.cuts, f.ID)
		case Bump:
			d.s.generation++
		case Unseed:
			d.unseeds = append(d.unseeds, f.Action)
		case Unwatch:
			d.unwatched = append(d.unwatched, f.Action)
		case SetTimer:
			d.timers = append(d.timers, f)
		case EndRun:
			d.result = &f.Result
		case TellCaller:
			d.callers = append(d.callers, f)
		default:
			d.pending = append(d.pending, f)
		}
	}
}

// news gives something of the control loop.
func (d *desk) news(e control.Event) {
	d.t.Helper()
	d.give(Happened{What: e})
}

// pop is the oldest effect of a kind that nobody has answered.
func pop[E Effect](d *desk) E {
	d.t.Helper()
	for i, f := range d.pending {
		if e, ok := f.(E); ok {
			d.pending = slices.Delete(d.pending, i, i+1)
			return e
		}
	}
	var none E
	d.t.Fatalf("no %T is wanted; there are %s; the run is in phase %s", none, d.kinds(), d.s.phase)
	return none
}

func (d *desk) kinds() string {
	var out []string
	for _, f := range d.pending {
		name := strings.TrimPrefix(fmt.Sprintf("%T", f), "run.")
		out = append(out, strings.ToLower(name[:1])+name[1:])
	}
	return strings.Join(out, " ")
}

// wants checks which effects wait for an answer, "look callModel".
func (d *desk) wants(kinds string) {
	d.t.Helper()
	if got := d.kinds(); got != kinds {
		d.t.Fatalf("got effects [%s], want [%s]; phase %s", got, kinds, d.s.phase)
	}
}

// lookAround answers a look with one picture of each camera.
func (d *desk) lookAround() {
	d.t.Helper()
	l := pop[Look](d)
	a := Looked{ID: l.ID}
	for _, c := range l.Cameras {
		f := &robot.Frame{
			Camera: c, At: d.at, Mount: robot.MountFixed, Region: image.Rect(0, 0, 64, 48), Color: image.NewRGBA(image.Rect(0, 0, 64, 48)),
			Intrinsics: geom.Intrinsics{Width: 64, Height: 48, Fx: 60, Fy: 60, Cx: 32, Cy: 24}, Pose: geom.Pose{Rot: geom.Rot{Real: 1}},
		}
		k := point.Look{
			ID: fmt.Sprintf("o%d.%s", l.Number, c), Frame: f, Mapping: view.Mapping{Scale: [2]float64{1, 1}}, Width: 64, Height: 48, Motions: l.Motions,
		}
		a.Shots = append(a.Shots, Shot{Look: k, Sent: model.ImageBlock{ID: k.ID, Media: "image/png"}})
	}
	a.Readings = &robot.Readings{}
	d.give(a)
}

// reply answers the planner's call: parts one by one, then the end.
func (d *desk) reply(parts ...model.Part) {
	d.t.Helper()
	c := pop[CallModel](d)
	for _, p := range parts {
		d.give(Part{ID: c.ID, What: p})
	}
	d.give(Part{ID: c.ID, What: model.End{Reason: model.StopEndTurn}})
	d.give(Replied{ID: c.ID})
}

// takes answers the start of an action all the way: prepared, and taken by the loop.
func (d *desk) takes() Start {
	d.t.Helper()
	d.give(Prepared{ID: pop[Prepare](d).ID})
	st := pop[Start](d)
	d.give(Started{ID: st.ID})
	return st
}

// begun is a desk with a task whose first round is being asked.
func begun(t testing.TB, change ...func(*Settings)) *desk {
	t.Helper()
	d := newDesk(t, change...)
	d.give(Message{Text: "do it"})
	d.lookAround()
	d.wants("callModel")
	return d
}

func (d *desk) ends(action string, o control.Outcome, c control.Cause) {
	d.t.Helper()
	d.news(control.ActionEnded{Action: action, Tool: "reach", End: control.End{Outcome: o, Cause: c, Reason: "so it was"}})
}

// answers stops a measured stop the way the loop does.
func (d *desk) stopped(o control.Outcome, c control.Cause) {
	d.t.Helper()
	st := pop[Stop](d)
	d.give(Stopped{ID: st.ID, Ended: control.Ended{Action: st.Action, Tool: "reach", End: control.End{Outcome: o, Cause: c}, Stop: control.Stop{Outcome: control.Still}}})
}

func asks(name, args string) model.Call { return model.Call{Name: name, Args: json.RawMessage(args)} }

// codes are the codes of the refusals in the log.
func (d *desk) codes() []string {
	var out []string
	for _, e := range d.logged {
		if r, ok := e.(episode.Refused); ok {
			out = append(out, r.Code)
		}
	}
	return out
}

func (d *desk) lates() (n int) {
	for _, e := range d.logged {
		if _, ok := e.(episode.Late); ok {
			n++
		}
	}
	return n
}

// answer is the result of a call as the newest request has it.
func (d *desk) answer(n int) string {
	d.t.Helper()
	for _, f := range d.pending {
		if c, ok := f.(CallModel); ok {
			for _, m := range c.View.Request.Messages {
				for _, b := range m.Blocks {
					if b.Result != nil && b.Result.CallID == fmt.Sprintf("call_%d", n) {
						return string(b.Result.JSON)
					}
				}
			}
		}
	}
	d.t.Fatalf("no request answers call_%d", n)
	return ""
}

// told is the text of the newest message of the request that waits.
func (d *desk) told() string {
	d.t.Helper()
	for _, f := range d.pending {
		if c, ok := f.(CallModel); ok {
			msgs := c.View.Request.Messages
			var b strings.Builder
			for _, x := range msgs[len(msgs)-1].Blocks {
				if x.Text != nil {
					b.WriteString(x.Text.Text + "\n")
				}
			}
			return b.String()
		}
	}
	d.t.Fatal("no request waits")
	return ""
}

func (d *desk) steps() string {
	var out []string
	for _, s := range d.s.plan.Steps() {
		out = append(out, string(s.State()))
	}
	return strings.Join(out, " ")
}
