package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/sim"
)

// script is a task of a scene as a fixed list of calls, to measure the skills that it needs.
type script struct {
	instruction string
	undone      bool // its check must not hold at the end
	steps       []step
}

// step is one call: a tool and the world point to point at.
type step struct {
	tool  string
	args  map[string]any
	point func(b *bench, s *sim.Scene) (geom.Vec, error)
}

// scripts are those of the default scene.
func scripts() map[string]script {
	return map[string]script{
		"stack": {"stack the red block on the blue block", false, []step{
			{tool: "pick_object", point: topOf("red_block")}, {tool: "place_at", point: topOf("blue_block")}}},
		"push":  {"push the green block to the left", false, []step{{tool: "push_object", args: map[string]any{"direction": "left"}, point: topOf("green_block")}}},
		"press": {"press the button", false, []step{{tool: "press_at", point: topOf("button")}}},
		"drawer": {"open the drawer", false, []step{
			{tool: "pull_handle", args: map[string]any{"distance_m": 0.09}, point: handleOf("drawer")}}},
		"close": {"open the drawer", true, []step{
			{tool: "pull_handle", args: map[string]any{"distance_m": 0.09}, point: handleOf("drawer")},
			{tool: "push_object", args: map[string]any{"direction": "right", "distance_m": 0.09}, point: barOf("drawer", 0.09)}}},
		"mug": {"put the mug in the drawer", false, []step{
			{tool: "pull_handle", args: map[string]any{"distance_m": 0.10}, point: handleOf("drawer")},
			{tool: "pick_object", point: rimOf("mug")}, {tool: "place_at", point: trayOf("drawer")}}},
	}
}

// object is a scene's object by name.
func object(s *sim.Scene, name string) (*sim.Object, error) {
	for i := range s.Objects {
		if s.Objects[i].Name == name {
			return &s.Objects[i], nil
		}
	}
	return nil, fmt.Errorf("the scene has no %s", name)
}

// at is the world point at an offset in an object's own frame.
func (b *bench) at(name string, off geom.Vec) (geom.Vec, error) {
	p := b.robot.WorldPose(name)
	if p == nil {
		return geom.Vec{}, fmt.Errorf("the scene has no %s", name)
	}
	return p.Apply(off), nil
}

func topOf(name string) func(*bench, *sim.Scene) (geom.Vec, error) {
	return func(b *bench, s *sim.Scene) (geom.Vec, error) {
		o, err := object(s, name)
		if err != nil {
			return geom.Vec{}, err
		}
		at, err := b.at(name, geom.Vec{})
		if o.SizeM != nil {
			at.Z += o.SizeM[2] / 2
		} else {
			at.Z *= 2
		}
		return at, err
	}
}

func rimOf(name string) func(*bench, *sim.Scene) (geom.Vec, error) {
	return func(b *bench, s *sim.Scene) (geom.Vec, error) {
		o, err := object(s, name)
		if err != nil {
			return geom.Vec{}, err
		}
		return b.at(name, geom.Vec{X: -*o.RadiusM + 0.002, Z: *o.HeightM / 2})
	}
}

// caseHalf is half the length of a drawer's case along its travel.
func caseHalf(o *sim.Object) float64 { return (o.InnerM[0] + 4**o.WallM + 0.002) / 2 }

func handleOf(name string) func(*bench, *sim.Scene) (geom.Vec, error) {
	return func(b *bench, s *sim.Scene) (geom.Vec, error) {
		o, err := object(s, name)
		if err != nil {
			return geom.Vec{}, err
		}
		at, err := b.at(name, geom.Vec{X: -caseHalf(o) - 0.030})
		at.Z = 0.040
		return at, err
	}
}

// barOf is the handle of a drawer that is open by so many metres.
func barOf(name string, open float64) func(*bench, *sim.Scene) (geom.Vec, error) {
	return func(b *bench, s *sim.Scene) (geom.Vec, error) {
		o, err := object(s, name)
		if err != nil {
			return geom.Vec{}, err
		}
		at, err := b.at(name, geom.Vec{X: -caseHalf(o) - 0.030 - open})
		at.Z = 0.040
		return at, err
	}
}

func trayOf(name string) func(*bench, *sim.Scene) (geom.Vec, error) {
	return func(b *bench, s *sim.Scene) (geom.Vec, error) {
		o, err := object(s, name)
		if err != nil {
			return geom.Vec{}, err
		}
		at, err := b.at(name, geom.Vec{X: -caseHalf(o) - *o.TravelM/2 + 0.004})
		at.Z = *o.WallM + 0.001
		return at, err
	}
}

// play runs one script on the default scene of one seed.
func (l *lab) play(ctx context.Context, name string, seed uint64) (t trial, err error) {
	all := scripts()
	sc, ok := all[name]
	if !ok {
		return t, fmt.Errorf("no script %q; there are %s", name, strings.Join(slices.Sorted(maps.Keys(all)), ", "))
	}
	data, err := os.ReadFile(l.o.scene)
	if err != nil {
		return t, err
	}
	scene, err := sim.Parse(l.o.scene, data)
	if err != nil {
		return t, err
	}
	b := &bench{lab: l}
	t = trial{seed: seed, kind: name, drop: "script"}
	err = b.with(ctx, scene, seed, func(ctx context.Context) error {
		if err := b.robot.Begin(sc.instruction); err != nil {
			return err
		}
		for _, s := range sc.steps {
			p, err := s.point(b, scene)
			if err != nil {
				return err
			}
			reason, took, err := b.act(ctx, b.tools[s.tool], s.args, p)
			if err != nil {
				return err
			}
			t.pick += took
			if reason != "" {
				t.stage, t.reason = s.tool, reason
				return nil
			}
		}
		b.free()
		passed, err := b.robot.Judge(ctx)
		if err == nil && passed == sc.undone {
			t.stage, t.reason = "check", "the skills succeeded and the check says otherwise"
		}
		return err
	})
	if t.stage != "" && l.o.verbose {
		fmt.Printf("seed %d %s: %s: %s\n", seed, name, t.stage, t.reason)
	}
	return t, err
}

// with opens the table with its control loop while fn runs.
func (b *bench) with(ctx context.Context, scene *sim.Scene, seed uint64, fn func(context.Context) error) (err error) {
	if err := b.open(ctx, scene, seed); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	b.hold()
	done := make(chan error, 1)
	go func() { done <- b.ctl.Run(ctx) }()
	err = fn(ctx)
	cancel()
	b.free()
	return errors.Join(err, <-done, b.robot.Close())
}

func arguments(args map[string]any) json.RawMessage {
	if args == nil {
		return json.RawMessage("{}")
	}
	raw, err := json.Marshal(args)
	if err != nil {
		panic(err) // a script of this program
	}
	return raw
}
