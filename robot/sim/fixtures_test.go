package sim_test

import (
	"math"
	"os"
	"testing"
	"time"

	"gonum.org/v1/gonum/spatial/r3"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot/sim/simtest"
)

func shipped(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile("../../conf/tabletop/scenes/" + name + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestDrawerOpens: a finger hooked behind the handle pulls the drawer out, and the trial says so.
func TestDrawerOpens(t *testing.T) {
	t.Parallel()
	r := simtest.Open(t, simtest.Config(t, simtest.Engine(t), shipped(t, "drawer")))
	if err := r.Begin("Open the drawer."); err != nil {
		t.Fatal(err)
	}
	p := newPilot(t, r)
	drawer := *r.WorldPose("drawer")
	along := geom.Rotate(drawer.Rot, geom.Vec{X: 1})
	at := func(d, z float64) geom.Vec {
		v := r3.Add(drawer.Pos, r3.Scale(-d, along))
		v.Z = z
		return v
	}
	yaw := math.Atan2(along.Y, along.X)
	const closed = 0.064 + 0.0125 // the middle of the gap behind the handle
	p.aperture(0, 4, 100*time.Millisecond)
	p.joints(p.down(at(closed, 0.12), yaw))
	p.line(at(closed, 0.12), at(closed, 0.024), yaw, 0.1)
	p.line(at(closed, 0.024), at(closed+0.08, 0.024), yaw, 0.06)
	p.tick(20)
	p.line(at(closed+0.08, 0.024), at(closed+0.08, 0.12), yaw, 0.1)
	p.joints(p.shape.Home())
	passed, err := r.JudgeAlone(t.Context())
	if err != nil || !passed {
		t.Fatalf("verdict %v, %v; want true", passed, err)
	}
}

// TestButtonIsPressed: a closed gripper presses it, it springs back, and the check remembers.
func TestButtonIsPressed(t *testing.T) {
	t.Parallel()
	r := simtest.Open(t, simtest.Config(t, simtest.Engine(t), shipped(t, "button")))
	if err := r.Begin("press the button"); err != nil {
		t.Fatal(err)
	}
	p := newPilot(t, r)
	b := *r.WorldPose("button")
	over, down := geom.Vec{X: b.Pos.X, Y: b.Pos.Y, Z: 0.08}, geom.Vec{X: b.Pos.X, Y: b.Pos.Y, Z: 0.018}
	p.joints(p.down(over, 0))
	p.line(over, down, 0, 0.05)
	p.tick(10)
	p.line(down, over, 0, 0.05)
	p.joints(p.shape.Home())
	passed, err := r.JudgeAlone(t.Context())
	if err != nil || !passed {
		t.Fatalf("verdict %v, %v; want true", passed, err)
	}
}

// TestMugIsHeld by its body and by its wall.
func TestMugIsHeld(t *testing.T) {
	t.Parallel()
	e := simtest.Engine(t)
	for _, tc := range []struct {
		name         string
		side, z, gap float64 // where the tips go: how far from the axis, and how high
	}{{"by-its-body", 0, 0.03, 0.068}, {"by-its-wall", 0.025, 0.04, 0.03}} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := simtest.Open(t, simtest.Config(t, e, shipped(t, "drawer")))
			p := newPilot(t, r)
			mug := *r.WorldPose("mug")
			side := geom.Rotate(mug.Rot, geom.Vec{Y: 1})
			yaw := math.Atan2(side.Y, side.X) - math.Pi/2
			spot := r3.Add(mug.Pos, r3.Scale(tc.side, side))
			over, low := geom.Vec{X: spot.X, Y: spot.Y, Z: 0.14}, geom.Vec{X: spot.X, Y: spot.Y, Z: tc.z}
			p.aperture(tc.gap, 0, 0)
			p.joints(p.down(over, yaw))
			p.line(over, low, yaw, 0.1)
			p.tick(15)
			p.aperture(0, 4, 900*time.Millisecond)
			p.line(low, over, yaw, 0.1)
			p.tick(100)
			up := r.WorldPose("mug").Pos.Z - mug.Pos.Z
			t.Logf("raised by %.3f m, aperture %.1f mm", up, 1000*p.grip().ApertureM)
			if up < 0.08 {
				t.Errorf("the mug was raised by %.3f m, want 0.1", up)
			}
		})
	}
}

// TestStack: a block put down on another stays there.
func TestStack(t *testing.T) {
	t.Parallel()
	r := simtest.Open(t, simtest.Config(t, simtest.Engine(t), shipped(t, "blocks")))
	if err := r.Begin("stack the red block on the blue block"); err != nil {
		t.Fatal(err)
	}
	p := newPilot(t, r)
	red, blue := *r.WorldPose("red_block"), *r.WorldPose("blue_block")
	yawOf := func(q geom.Rot) float64 { return 2 * math.Atan2(q.Kmag, q.Real) }
	at := func(v geom.Vec, z float64) geom.Vec { return geom.Vec{X: v.X, Y: v.Y, Z: z} }
	p.aperture(0.05, 0, 0)
	p.joints(p.down(at(red.Pos, 0.12), yawOf(red.Rot)))
	p.line(at(red.Pos, 0.12), at(red.Pos, 0.008), yawOf(red.Rot), 0.12)
	p.tick(15)
	p.aperture(0, 2, 700*time.Millisecond)
	p.line(at(red.Pos, 0.008), at(red.Pos, 0.12), yawOf(red.Rot), 0.12)
	p.joints(p.down(at(blue.Pos, 0.12), yawOf(blue.Rot)))
	p.line(at(blue.Pos, 0.12), at(blue.Pos, 0.035+0.009), yawOf(blue.Rot), 0.06)
	p.tick(20)
	p.aperture(0.05, 0, 500*time.Millisecond)
	p.line(at(blue.Pos, 0.044), at(blue.Pos, 0.12), yawOf(blue.Rot), 0.1)
	p.joints(p.shape.Home())
	passed, err := r.JudgeAlone(t.Context())
	if err != nil || !passed {
		t.Fatalf("verdict %v, %v; want true: red is at %v over blue at %v", passed, err, r.WorldPose("red_block").Pos, r.WorldPose("blue_block").Pos)
	}
}
