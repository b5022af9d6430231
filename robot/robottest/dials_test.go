package robottest_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/robot/robottest"
)

// play lets the fake's time go on by n periods.
func play(t *testing.T, f *robottest.Fake, n int) {
	t.Helper()
	for range n {
		<-f.Clock().Due()
		if err := f.Clock().Advance(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// reach tells the arm to turn each joint by 0.2 rad, and the gripper to close.
func reach(t *testing.T, f *robottest.Fake) (goal []float64) {
	t.Helper()
	goal = slices.Clone(f.Readings().Arms["arm"].Joints)
	for i := range goal {
		goal[i] += 0.2
	}
	for _, target := range []robot.Target{{Module: "arm", Joints: goal}, {Module: "gripper", ApertureM: new(0.0)}} {
		if err := f.Do(robot.Command{Owner: robot.OwnerAgent, Target: target}); err != nil {
			t.Fatalf("Do(%s) = %v", target.Module, err)
		}
	}
	return goal
}

// far is how far the arm's joint is from its goal.
func far(f *robottest.Fake, goal []float64, joint int) float64 {
	return math.Abs(f.Readings().Arms["arm"].Joints[joint] - goal[joint])
}

func TestMotionDials(t *testing.T) {
	t.Run("stuck_joint", func(t *testing.T) {
		f := robottest.NewFake(robottest.Options{})
		f.Stick("arm", 2)
		goal := reach(t, f)
		play(t, f, 200)
		if far(f, goal, 2) != 0.2 && math.Abs(far(f, goal, 2)-0.2) > 1e-9 {
			t.Errorf("the stuck joint moved: %v from its goal", far(f, goal, 2))
		}
		if far(f, goal, 1) > 1e-6 {
			t.Errorf("another joint is %v from its goal", far(f, goal, 1))
		}
	})
	t.Run("late", func(t *testing.T) {
		f := robottest.NewFake(robottest.Options{})
		f.Delay("arm", 10)
		goal := reach(t, f)
		play(t, f, 10)
		if d := far(f, goal, 0); math.Abs(d-0.2) > 1e-9 {
			t.Errorf("moved before the delay was over: %v from its goal", d)
		}
		play(t, f, 200)
		if d := far(f, goal, 0); d > 1e-6 {
			t.Errorf("never arrived: %v from its goal", d)
		}
	})
	t.Run("runs_on", func(t *testing.T) {
		f := robottest.NewFake(robottest.Options{})
		reach(t, f)
		f.RunOn("arm")
		play(t, f, 10)
		if err := f.Do(robot.Command{Owner: robot.OwnerHarness, Target: robot.Target{Module: "arm", Hold: true}}); err != nil {
			t.Errorf("Do(hold) = %v, want it taken and ignored", err)
		}
		play(t, f, 300)
		if got := f.Moving(); !slices.Equal(got, []string{"arm"}) {
			t.Errorf("moving %v, want the arm", got)
		}
		f.Mend()
		play(t, f, 400)
		if got := f.Moving(); len(got) > 0 {
			t.Errorf("moving %v after mending", got)
		}
	})
	t.Run("grip", func(t *testing.T) {
		f := robottest.NewFake(robottest.Options{})
		f.Grip("gripper", 0.03)
		reach(t, f)
		play(t, f, 100)
		if err := f.Do(robot.Command{Owner: robot.OwnerHarness, Target: robot.Target{Module: "gripper", Hold: true}}); err != nil {
			t.Fatal(err)
		}
		play(t, f, 100)
		if g := f.Readings().Grippers["gripper"]; g.ApertureM != 0.03 || g.ForceN <= 0 {
			t.Errorf("closed on 30 mm and held: %+v", g)
		}
	})
	t.Run("mute", func(t *testing.T) {
		f := robottest.NewFake(robottest.Options{})
		reach(t, f)
		f.Mute()
		before := f.Readings()
		play(t, f, 10)
		if f.Readings() != before || len(f.Moving()) == 0 {
			t.Errorf("new readings %v, moving %v", f.Readings() != before, f.Moving())
		}
	})
}

func TestRefusingDials(t *testing.T) {
	f := robottest.NewFake(robottest.Options{})
	hold := robot.Command{Owner: robot.OwnerHarness, Target: robot.Target{Module: "arm", Hold: true}}
	busy, off := errors.New("busy"), errors.New("cable off")
	f.Refuse("arm", busy)
	if err := f.Do(hold); !errors.Is(err, busy) || f.Err() != nil {
		t.Errorf("refusing: Do() = %v, Err() = %v", err, f.Err())
	}
	f.Break(off)
	if err := f.Do(hold); !errors.Is(err, off) || !errors.Is(f.Err(), off) {
		t.Errorf("broken: Do() = %v, Err() = %v", err, f.Err())
	}
	f.Mend()
	if err := f.Do(hold); err != nil || f.Err() != nil {
		t.Errorf("mended: Do() = %v, Err() = %v", err, f.Err())
	}
	var got []string
	for _, is := range f.Issued() {
		if is.Err != nil {
			got = append(got, is.Err.Error())
		}
	}
	if !slices.Equal(got, []string{"busy", "cable off"}) || len(f.Issued()) != 3 {
		t.Errorf("issued %d commands, errors %v", len(f.Issued()), got)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Do(hold); err == nil {
		t.Error("a closed robot takes commands")
	}
}

func TestCameraDials(t *testing.T) {
	shoot := func(t *testing.T, f *robottest.Fake) (*robot.Frame, error) {
		t.Helper()
		defer f.Clock().Hold("picture")()
		return f.Frame(t.Context(), robot.FrameRequest{Camera: "camera"})
	}
	must := func(t *testing.T, f *robottest.Fake) *robot.Frame {
		t.Helper()
		frame, err := shoot(t, f)
		if err != nil {
			t.Fatalf("Frame() = %v", err)
		}
		return frame
	}
	t.Run("frozen", func(t *testing.T) {
		f := robottest.NewFake(robottest.Options{})
		first := must(t, f)
		f.Freeze("camera")
		play(t, f, 5)
		if again := must(t, f); !bytes.Equal(again.Color.Pix, first.Color.Pix) || again.Seq == first.Seq {
			t.Errorf("frame %d after frame %d, same bytes %v", again.Seq, first.Seq, bytes.Equal(again.Color.Pix, first.Color.Pix))
		}
		f.Mend()
		if live := must(t, f); bytes.Equal(live.Color.Pix, first.Color.Pix) {
			t.Error("still frozen after mending")
		}
	})
	t.Run("black", func(t *testing.T) {
		f := robottest.NewFake(robottest.Options{})
		f.Blacken("camera")
		frame := must(t, f)
		for i := 0; i < len(frame.Color.Pix); i += 4 {
			if p := frame.Color.Pix[i : i+4]; !bytes.Equal(p, []byte{0, 0, 0, 255}) {
				t.Fatalf("pixel %d is %v", i/4, p)
			}
		}
	})
	t.Run("blind", func(t *testing.T) {
		f := robottest.NewFake(robottest.Options{})
		gone := errors.New("usb reset")
		f.Blind("camera", gone)
		if _, err := shoot(t, f); !errors.Is(err, gone) {
			t.Errorf("Frame() = %v, want %v", err, gone)
		}
	})
	t.Run("stalled", func(t *testing.T) {
		f := robottest.NewFake(robottest.Options{})
		f.Stall("camera")
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := f.Frame(ctx, robot.FrameRequest{Camera: "camera"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Frame() = %v, want the end of its context", err)
		}
	})
	t.Run("depth_is_of_the_table", func(t *testing.T) {
		f := robottest.NewFake(robottest.Options{})
		p, ok := must(t, f).World(30, 20)
		if !ok || math.Abs(p.Z) > 1e-5 {
			t.Errorf("pixel (30, 20) shows %v, want a point of the table", p)
		}
	})
}
