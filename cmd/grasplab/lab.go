package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/rein-robotics/rein/config"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	simrobot "github.com/rein-robotics/rein/robot/sim"
	"github.com/rein-robotics/rein/safety"
	"github.com/rein-robotics/rein/sim"
	"github.com/rein-robotics/rein/sim/mujoco"
	"github.com/rein-robotics/rein/skill"
)

// trial is one pick and drop.
type trial struct {
	seed       uint64
	kind, drop string
	stage      string // "" = good; pick, hold, place, where it failed
	reason     string
	pick, put  time.Duration // robot clock
}

// lab is one worker: an engine and the tools.
type lab struct {
	o      *options
	engine *mujoco.Engine
	folder *config.Folder
	desc   *robot.Description
	home   map[string][]float64
}

func newLab(ctx context.Context, o *options) (*lab, error) {
	folder, desc, home, err := bodyOf(o.conf)
	if err != nil {
		return nil, err
	}
	e, err := mujoco.Open(ctx, mujoco.Options{})
	if err != nil {
		return nil, err
	}
	return &lab{o: o, engine: e, folder: folder, desc: desc, home: home}, nil
}

func (l *lab) close() error { return l.engine.Close(context.Background()) }

// bench is one table with its control loop.
type bench struct {
	*lab
	*setting
	robot *simrobot.Robot
	ctl   *control.Controller
	tools map[string]*skill.Tool
	ends  chan control.ActionEnded
	rung  chan struct{}
	free  func() // gives the hold of the clock back
	n     int

	filled bool // the box holds something
	full   bool // and nothing more
}

// table runs the trials of one table.
func (l *lab) table(ctx context.Context, seed uint64, n int) (trials []trial, err error) {
	b := &bench{lab: l, setting: newSetting(seed, n, l.o)}
	scene, err := sim.Parse("lab.yaml", []byte(b.text))
	if err != nil {
		return nil, err
	}
	err = b.with(ctx, scene, seed, func(ctx context.Context) error {
		trials, err = b.all(ctx, seed)
		return err
	})
	return trials, err
}

// all picks and puts down every thing of the table.
func (b *bench) all(ctx context.Context, seed uint64) (trials []trial, err error) {
	for i := range b.things {
		t, err := b.trial(ctx, i)
		if err != nil {
			return nil, err
		}
		t.seed = seed
		if t.stage != "" && b.o.verbose {
			fmt.Printf("seed %d thing %d (%s → %s): %s: %s\n", seed, i, t.kind, t.drop, t.stage, t.reason)
		}
		trials = append(trials, t)
		if t.stage == "place" {
			break // it is still in the gripper
		}
	}
	return trials, nil
}

// open makes the robot, the tools and the loop.
func (b *bench) open(ctx context.Context, scene *sim.Scene, seed uint64) (err error) {
	b.ends, b.rung = make(chan control.ActionEnded, 1), make(chan struct{}, 1)
	if b.tools, err = toolsOf(b.folder, b.desc); err != nil {
		return err
	}
	if b.robot, err = simrobot.Open(ctx, simrobot.Config{Description: b.desc, Home: b.home, Scene: scene, Seed: seed, Engine: b.engine}); err != nil {
		return err
	}
	shield, err := safety.New(b.desc, safety.Options{})
	if err != nil {
		return err
	}
	b.ctl, err = control.New(control.Config{
		Robot: b.robot, Clock: b.robot.Clock(), Shield: shield, Log: noLog{}, Trackers: newTracker,
		Sink: b.happened,
	})
	return err
}

// noLog takes every event and keeps none.
type noLog struct{}

func (noLog) Append(episode.Event) error { return nil }
func (noLog) Post(episode.Event)         {}

// act runs one tool on a world point, seen in a fresh picture; a carried camera is brought to its look pose before.
// reason says why it did not succeed; "" = it did.
func (b *bench) act(ctx context.Context, tool *skill.Tool, args map[string]any, at geom.Vec) (reason string, took time.Duration, err error) {
	if m := b.desc.Module(tool.Spec.Camera); m.Camera.Mount == robot.MountMoving {
		reason, took, err := b.call(ctx, b.tools["move_to_pose"], map[string]any{"pose": "look"}, nil)
		if err != nil || reason != "" {
			return reason, took, err
		}
	}
	return b.call(ctx, tool, args, &at)
}

// call runs one tool. Robot time stands still but for the waits for the tracker and for the end of the action, so that a
// seed is the same table every time.
func (b *bench) call(ctx context.Context, tool *skill.Tool, args map[string]any, at *geom.Vec) (reason string, took time.Duration, err error) {
	b.n++
	call := skill.Call{Args: arguments(args), Now: b.robot.Readings()}
	id := fmt.Sprintf("a%d", b.n)
	if at != nil {
		pt, ok, err := b.point(ctx, tool.Spec.Camera, *at)
		if err != nil || !ok {
			return "not in view", 0, err
		}
		call.Points = map[string]skill.Point{"point": pt}
	}
	if tool.Services != nil {
		if err := b.seed(control.ServiceStart{Owner: robot.OwnerAgent, Generation: b.ctl.Generation(), Action: id, Services: tool.Services(call)}); err != nil {
			return err.Error(), 0, nil
		}
	}
	if err := b.ctl.StartAction(ctx, control.Start{Owner: robot.OwnerAgent, Generation: b.ctl.Generation(), Action: id, Tool: tool, Call: call}); err != nil {
		return err.Error(), 0, b.ctl.StopServices(ctx, id)
	}
	b.free()
	select {
	case end := <-b.ends:
		if end.Outcome != control.Succeeded {
			return string(end.Outcome) + ": " + end.Reason, end.Elapsed, nil
		}
		return "", end.Elapsed, nil
	case <-ctx.Done():
		return "", 0, context.Cause(ctx)
	}
}

// seed starts the trackers and waits for their first results.
func (b *bench) seed(s control.ServiceStart) error {
	done := make(chan error, 1)
	free := b.free
	b.ctl.AskServices(s, func(_ control.Tracks, err error) {
		b.hold()
		done <- err
	})
	free()
	return <-done
}

// hold makes robot time stand still until free is called.
func (b *bench) hold() { b.free = b.robot.Clock().Hold("lab") }

// happened takes what the loop tells, on the loop's goroutine, before robot time goes on.
func (b *bench) happened(e control.Event) {
	switch e := e.(type) {
	case control.ActionEnded:
		b.hold()
		b.ends <- e
	case control.TimerFired:
		b.hold()
		b.rung <- struct{}{}
	}
}

// point is the pixel of a new picture that shows the world point; ok is false when none does.
func (b *bench) point(ctx context.Context, camera string, at geom.Vec) (p skill.Point, ok bool, err error) {
	f, err := b.robot.Frame(ctx, robot.FrameRequest{Camera: camera})
	if err != nil {
		return p, false, err
	}
	view := geom.View{Intrinsics: f.Intrinsics, Pose: f.Pose}
	u, v, _, _ := view.Pixel(at)
	return skill.Point{Observation: fmt.Sprintf("o%d", b.n), Pixel: [2]float64{u, v}, Frame: f}, view.Sees(at), nil
}

// trial picks one thing and puts it somewhere.
func (b *bench) trial(ctx context.Context, i int) (trial, error) {
	o := &b.things[i]
	t := trial{kind: o.kind, drop: b.dropOf(o)}
	pose := b.robot.WorldPose(o.name)
	at := pose.Pos
	at.Z += o.top - o.height
	if o.aside > 0 { // a mug is pointed at on its wall
		a := b.between(0, 2*math.Pi)
		at.X += o.aside * math.Cos(a)
		at.Y += o.aside * math.Sin(a)
	}
	reason, took, err := b.act(ctx, b.tools["pick_object"], nil, at)
	if err != nil {
		return t, err
	}
	t.pick = took
	lifted := b.robot.WorldPose(o.name).Pos.Z > 0.12
	switch {
	case reason != "":
		t.stage, t.reason = "pick", reason
		return t, nil
	case !lifted:
		t.stage, t.reason = "hold", "the pick succeeded and nothing is held"
		return t, nil
	}
	goal, ok := b.goal(t.drop)
	if !ok {
		return t, fmt.Errorf("no goal for %s", t.drop)
	}
	if reason, t.put, err = b.act(ctx, b.tools["place_at"], nil, goal); err != nil {
		return t, err
	}
	if reason != "" {
		t.stage, t.reason = "place", reason
		return t, nil
	}
	if err := b.settle(ctx); err != nil {
		return t, err
	}
	if why := b.judge(o, t.drop, goal); why != "" {
		t.stage, t.reason = "rest", why
	}
	return t, nil
}

// settle lets one second of robot time go by.
func (b *bench) settle(ctx context.Context) error {
	b.ctl.SetTimer("settled", b.robot.Clock().Now()+time.Second)
	b.free()
	select {
	case <-b.rung:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// dropOf chooses where a thing is put.
func (b *bench) dropOf(o *thing) string {
	if b.o.drop != "" {
		return b.o.drop
	}
	if b.rng.IntN(4) == 0 || b.full || o.kind == "mug" && b.filled {
		return "table"
	}
	b.filled, b.full = true, o.kind == "mug"
	return "box"
}

// goal is the world point that is pointed at.
func (b *bench) goal(drop string) (geom.Vec, bool) {
	if drop == "box" {
		return b.roomiest(), true
	}
	for range 1000 {
		r, bearing := b.between(0.18, 0.34), geom.Rad(b.between(-60, 60))
		p := thing{x: r * math.Cos(bearing), y: r * math.Sin(bearing), side: 0.06}
		if math.Hypot(p.x-b.box.x, p.y-b.box.y) < b.box.side+0.09 {
			continue
		}
		free := true
		for i := range b.things {
			w := b.robot.WorldPose(b.things[i].name)
			free = free && (w.Pos.Z > 0.12 || math.Hypot(p.x-w.Pos.X, p.y-w.Pos.Y) > b.things[i].side+0.07)
		}
		if free {
			return geom.Vec{X: p.x, Y: p.y}, true
		}
	}
	return geom.Vec{}, false
}

// judge says what is wrong with where a thing came to rest; "" = nothing.
func (b *bench) judge(o *thing, drop string, goal geom.Vec) string {
	p := b.robot.WorldPose(o.name).Pos
	if drop == "box" {
		s, c := math.Sincos(geom.Rad(b.box.yaw))
		dx, dy := p.X-b.box.x, p.Y-b.box.y
		u, v := c*dx+s*dy, c*dy-s*dx
		if math.Abs(u) > b.box.inner[0]/2 || math.Abs(v) > b.box.inner[1]/2 {
			return fmt.Sprintf("beside the box, %.0f mm and %.0f mm from its middle", u*1000, v*1000)
		}
		if p.Z > b.box.inner[2]+0.004 && p.Z > o.height+0.012 {
			return fmt.Sprintf("its middle is %.0f mm above the table, over the rim", p.Z*1000)
		}
		return ""
	}
	if d := math.Hypot(p.X-goal.X, p.Y-goal.Y); d > 0.03 {
		return fmt.Sprintf("%.0f mm from the point", d*1000)
	}
	if p.Z > o.height+0.02 {
		return "not down on the table"
	}
	return ""
}

// roomiest is the place on the floor of the box that is farthest from what lies in it, of some that are drawn.
func (b *bench) roomiest() geom.Vec {
	best, room := geom.Vec{}, math.Inf(-1)
	s, c := math.Sincos(geom.Rad(b.box.yaw))
	for range 30 {
		u, v := b.between(-0.3, 0.3)*b.box.inner[0], b.between(-0.3, 0.3)*b.box.inner[1]
		p := geom.Vec{X: b.box.x + c*u - s*v, Y: b.box.y + s*u + c*v, Z: 0.004}
		free := 0.03
		for i := range b.things {
			w := b.robot.WorldPose(b.things[i].name).Pos
			if w.Z < 0.12 {
				free = math.Min(free, math.Hypot(p.X-w.X, p.Y-w.Y)-b.things[i].side)
			}
		}
		if free > room {
			best, room = p, free
		}
	}
	return best
}
