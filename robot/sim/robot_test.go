package sim_test

import (
	"bytes"
	"context"
	"image"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/spatial/r3"

	"github.com/rein-robotics/rein/clock"
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	simrobot "github.com/rein-robotics/rein/robot/sim"
	"github.com/rein-robotics/rein/robot/sim/simtest"
)

var _ robot.Robot = (*simrobot.Robot)(nil)

func frame(t *testing.T, r *simrobot.Robot, q robot.FrameRequest) *robot.Frame {
	t.Helper()
	f, err := r.Frame(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	e := simtest.Engine(t)
	for _, tc := range []struct {
		name, want string
		change     func(c *simrobot.Config)
	}{
		{"no-scene", "scene", func(c *simrobot.Config) { c.Scene = nil }},
		{"no-home", "home pose", func(c *simrobot.Config) { c.Home = nil }},
		{"home-beyond-limits", "limits", func(c *simrobot.Config) { c.Home = map[string][]float64{simtest.Arm: {9, 0, 0, 0, 0, 0}} }},
		{"gripper-of-nobody", "no arm carries", func(c *simrobot.Config) { c.Description.Module(simtest.Arm).Arm.Gripper = "" }},
		{"camera-on-nothing", "no arm", func(c *simrobot.Config) { c.Description.Module(simtest.Wrist).Camera.Arm = "left_arm" }},
		{"fault-of-no-camera", "side_camera", func(c *simrobot.Config) {
			c.Scene = simtest.Config(t, e, "name: s\nfaults: [{camera: side_camera, kind: black, from_s: 0}]\n").Scene
		}},
		{"odd-period", "multiple of 2ms", func(c *simrobot.Config) { c.Period = 3 * time.Millisecond }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := simtest.Config(t, e, "name: s\n")
			tc.change(&c)
			r, err := simrobot.Open(t.Context(), c)
			if err == nil {
				t.Error(r.Close())
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one with %q", err, tc.want)
			}
		})
	}
}

func TestReadingsFollowCommands(t *testing.T) {
	t.Parallel()
	r := simtest.Open(t, simtest.Config(t, simtest.Engine(t), "name: s\n"))
	before := r.Readings()
	if before.At != 500*time.Millisecond || before.At != r.Clock().Now() || before.Seq != 50 {
		t.Errorf("after settling: %v, %v, seq %d; want half a second and 50", before.At, r.Clock().Now(), before.Seq)
	}
	p := newPilot(t, r)
	q := p.shape.Home()
	q[geom.ShoulderPan] = 0.6
	p.send(q)
	p.tick(10)
	if v := p.arm().Speeds[geom.ShoulderPan]; v < 1 || v > 1.6 {
		t.Errorf("speed of the pan %.2f rad/s, want that of the servo, 1.5", v)
	}
	p.tick(90)
	after := p.arm()
	if d := math.Abs(after.Joints[geom.ShoulderPan] - 0.6); d > 0.002 {
		t.Errorf("the pan is %.4f rad from its target", d)
	}
	if !slices.Equal(after.Targets, q) {
		t.Errorf("targets %v, want %v", after.Targets, q)
	}
	if d := r3.Norm(r3.Sub(after.Tip.Pos, p.shape.Chain().Tip(after.Joints).Pos)); d > 1e-12 {
		t.Errorf("the tip is %g m from where the joints say", d)
	}
	if before.Arms[simtest.Arm].Joints[0] != 0 || before.Seq != 50 {
		t.Error("an old snapshot has changed")
	}
	p.aperture(0.05, 0, 800*time.Millisecond)
	if g := p.grip(); math.Abs(g.ApertureM-0.05) > 0.0005 || g.TargetM != 0.05 {
		t.Errorf("aperture %.4f with target %.4f, want 0.05", g.ApertureM, g.TargetM)
	}
}

func TestHoldStops(t *testing.T) {
	t.Parallel()
	r := simtest.Open(t, simtest.Config(t, simtest.Engine(t), "name: s\n"))
	p := newPilot(t, r)
	q := p.shape.Home()
	q[geom.ShoulderPan] = 1.5
	p.send(q)
	p.tick(40)
	at := p.arm().Joints[geom.ShoulderPan]
	for _, m := range []string{simtest.Arm, simtest.Gripper} {
		if err := r.Do(robot.Command{Target: robot.Target{Module: m, Hold: true}}); err != nil {
			t.Fatal(err)
		}
	}
	p.tick(30)
	if v := p.arm(); math.Abs(v.Speeds[geom.ShoulderPan]) > 0.01 || math.Abs(v.Joints[geom.ShoulderPan]-at) > 0.05 {
		t.Errorf("0.3 s after a hold: %.3f rad further, %.3f rad/s", v.Joints[geom.ShoulderPan]-at, v.Speeds[geom.ShoulderPan])
	}
}

func TestDoRefuses(t *testing.T) {
	t.Parallel()
	r := simtest.Open(t, simtest.Config(t, simtest.Engine(t), "name: s\n"))
	nan := math.NaN()
	for _, tc := range []struct {
		name   string
		target robot.Target
	}{
		{"nobody", robot.Target{Module: "left_arm", Hold: true}},
		{"camera", robot.Target{Module: simtest.Front, Hold: true}},
		{"too-few-joints", robot.Target{Module: simtest.Arm, Joints: []float64{0}}},
		{"no-number", robot.Target{Module: simtest.Arm, Joints: []float64{0, 0, 0, 0, 0, nan}}},
		{"pose", robot.Target{Module: simtest.Arm, Pose: &geom.Pose{}}},
		{"nothing", robot.Target{Module: simtest.Gripper}},
		{"aperture-no-number", robot.Target{Module: simtest.Gripper, ApertureM: &nan}},
	} {
		if err := r.Do(robot.Command{Target: tc.target}); err == nil {
			t.Errorf("%s: no error", tc.name)
		}
	}
}

func TestFramesAreOfTheirTick(t *testing.T) {
	t.Parallel()
	r := simtest.Open(t, simtest.Config(t, simtest.Engine(t), simtest.Batteries(1)))
	whole := frame(t, r, robot.FrameRequest{Camera: simtest.Front})
	again := frame(t, r, robot.FrameRequest{Camera: simtest.Front})
	if !bytes.Equal(whole.Color.Pix, again.Color.Pix) || again.Seq != whole.Seq+1 {
		t.Errorf("two frames of one instant differ, or their numbers %d and %d do not follow", whole.Seq, again.Seq)
	}
	region := image.Rect(40, 30, 90, 70)
	part := frame(t, r, robot.FrameRequest{Camera: simtest.Front, Region: region})
	if part.Color.Rect != region || part.Depth.Rect != region || part.Intrinsics != whole.Intrinsics {
		t.Fatalf("a region's frame has bounds %v and %v", part.Color.Rect, part.Depth.Rect)
	}
	for y := region.Min.Y; y < region.Max.Y; y++ {
		for x := region.Min.X; x < region.Max.X; x++ {
			if part.Color.RGBAAt(x, y) != whole.Color.RGBAAt(x, y) || part.Depth.At(x, y) != whole.Depth.At(x, y) {
				t.Fatalf("pixel (%d, %d) of a region differs from the whole picture", x, y)
			}
		}
	}
	newPilot(t, r).tick(1)
	later := frame(t, r, robot.FrameRequest{Camera: simtest.Front})
	if bytes.Equal(later.Color.Pix, whole.Color.Pix) || later.At != whole.At+10*time.Millisecond {
		t.Error("a later frame has the same noise, or the wrong time")
	}
	for _, q := range []robot.FrameRequest{{Camera: "none"}, {Camera: simtest.Arm}, {Camera: simtest.Front, Region: image.Rect(500, 0, 510, 9)}} {
		if _, err := r.Frame(t.Context(), q); err == nil {
			t.Errorf("no error for %+v", q)
		}
	}
}

// TestFramesShowWhereThingsAre: the pixel of a thing's top, taken back through depth and pose, is the thing.
func TestFramesShowWhereThingsAre(t *testing.T) {
	t.Parallel()
	c := simtest.Config(t, simtest.Engine(t), "name: s\nobjects:\n  - {name: ball, shape: sphere, radius_m: 0.02, color: [1, 0, 0], pose: {xy: [0.26, 0.08]}}\n")
	c.NoNoise = true
	r := simtest.Open(t, c)
	p := newPilot(t, r)
	p.joints(p.down(geom.Vec{X: 0.18, Y: -0.02, Z: 0.2}, 0))
	p.tick(30)
	ball := r.WorldPose("ball").Pos
	for _, camera := range []string{simtest.Front, simtest.Wrist} {
		f := frame(t, r, robot.FrameRequest{Camera: camera})
		u, v, ok := f.Intrinsics.Project(f.Pose.Inv().Apply(ball))
		if !ok || !image.Pt(int(u), int(v)).In(f.Region) {
			t.Fatalf("%s does not see the ball: (%.1f, %.1f)", camera, u, v)
		}
		hit, ok := f.World(int(u), int(v))
		if d := r3.Norm(r3.Sub(hit, ball)); !ok || math.Abs(d-0.02) > 0.002 {
			t.Errorf("%s: the point is %.4f m from the ball's centre, want its radius 0.02", camera, d)
		}
		if px := f.Color.RGBAAt(int(u), int(v)); px.R < 100 || px.G > 80 {
			t.Errorf("%s: the ball is %v, want red", camera, px)
		}
	}
}

func TestCameraFaults(t *testing.T) {
	t.Parallel()
	e := simtest.Engine(t)
	open := func(fault string) (*simrobot.Robot, *pilot) {
		r := simtest.Open(t, simtest.Config(t, e, simtest.Batteries(1)+"faults: ["+fault+"]\n"))
		return r, newPilot(t, r)
	}
	pix := func(r *simrobot.Robot, camera string) []byte {
		return frame(t, r, robot.FrameRequest{Camera: camera}).Color.Pix
	}
	t.Run("black", func(t *testing.T) {
		r, p := open("{camera: front_camera, kind: black, from_s: 0.6, for_s: 0.1}")
		if slices.Max(rgb(pix(r, simtest.Front))) == 0 {
			t.Error("black before its time")
		}
		p.tick(15)
		if slices.Max(rgb(pix(r, simtest.Front))) != 0 || slices.Max(rgb(pix(r, simtest.Wrist))) == 0 {
			t.Error("the front camera is not black, or the other one is")
		}
		p.tick(10)
		if slices.Max(rgb(pix(r, simtest.Front))) == 0 {
			t.Error("black after its time")
		}
	})
	t.Run("frozen-from-the-start", func(t *testing.T) {
		r, p := open("{camera: front_camera, kind: frozen, from_s: 0}")
		first := r.Startup()[0].Color.Pix
		p.tick(20)
		f, err := r.Frame(t.Context(), robot.FrameRequest{Camera: simtest.Front, Quality: robot.Fine}) // as a look is
		if err != nil || !bytes.Equal(f.Color.Pix, first) {
			t.Errorf("a frozen camera shows something new (%v)", err)
		}
	})
	for with, same := range map[string]bool{"noise": false, "clock": true} {
		t.Run("frozen-with-"+with, func(t *testing.T) {
			r, p := open("{camera: front_camera, kind: frozen, with: " + with + ", from_s: 0.6}")
			p.tick(15)
			first := frame(t, r, robot.FrameRequest{Camera: simtest.Front}).Color
			p.tick(10)
			then := frame(t, r, robot.FrameRequest{Camera: simtest.Front}).Color
			if bytes.Equal(first.Pix, then.Pix) {
				t.Error("the picture has nothing new")
			}
			if got := bytes.Equal(first.Pix[:len(first.Pix)/4], then.Pix[:len(then.Pix)/4]); got != same {
				t.Errorf("its upper quarter is the same: %v, want %v", got, same)
			}
		})
	}
	t.Run("delayed", func(t *testing.T) {
		r, p := open("{camera: front_camera, kind: delayed, from_s: 0.7, delay_s: 0.1}")
		p.tick(15)
		old := pix(r, simtest.Front)
		p.tick(10)
		if !bytes.Equal(pix(r, simtest.Front), old) {
			t.Error("0.1 s later the delayed camera does not show what was there")
		}
		f, err := r.Frame(t.Context(), robot.FrameRequest{Camera: simtest.Front})
		if err != nil || f.At != r.Clock().Now()-100*time.Millisecond {
			t.Errorf("the picture says that it was taken at %v, now is %v; want 0.1 s before (%v)", f.At, r.Clock().Now(), err)
		}
		p.tick(1)
		if bytes.Equal(pix(r, simtest.Front), old) {
			t.Error("the delayed camera is frozen")
		}
	})
}

// rgb drops the alpha bytes.
func rgb(pix []byte) []byte {
	var out []byte
	for i := range pix {
		if i%4 != 3 {
			out = append(out, pix[i])
		}
	}
	return out
}

func TestStartupFrames(t *testing.T) {
	t.Parallel()
	r := simtest.Open(t, simtest.Config(t, simtest.Engine(t), "name: s\n"))
	got := r.Startup()
	if len(got) != 2 || got[0].Camera != simtest.Front || got[1].Camera != simtest.Wrist || got[0].At >= r.Clock().Now() {
		t.Errorf("startup frames %v, want one of each camera from before now", got)
	}
}

func TestRealPaceDeliversOnePeriodLater(t *testing.T) {
	t.Parallel()
	c := simtest.Config(t, simtest.Engine(t), "name: s\n")
	c.Pace = clock.Real
	r := simtest.Open(t, c)
	got := make(chan *robot.Frame)
	go func() {
		f, err := r.Frame(t.Context(), robot.FrameRequest{Camera: simtest.Front})
		if err != nil {
			t.Error(err)
		}
		got <- f
	}()
	var f *robot.Frame
	for f == nil {
		select {
		case f = <-got:
		case <-r.Clock().Due():
			if err := r.Clock().Advance(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if r.Clock().Now() <= f.At {
		t.Errorf("a frame of %v arrived at %v, want later", f.At, r.Clock().Now())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Frame(ctx, robot.FrameRequest{Camera: simtest.Front}); err == nil {
		t.Error("a cancelled wait for a frame has no error")
	}
}

// TestRunsAreBitIdentical: two robots with the same seed and commands agree on every reading and every pixel.
func TestRunsAreBitIdentical(t *testing.T) {
	t.Parallel()
	e := simtest.Engine(t)
	var runs [2]struct {
		joints []float64
		pix    []byte
		depth  []float32
	}
	for i := range runs {
		c := simtest.Config(t, e, simtest.Batteries(2))
		c.Seed = 5
		r := simtest.Open(t, c)
		p := newPilot(t, r)
		at := r.WorldPose("battery_1").Pos
		p.aperture(0.03, 0, 0)
		p.joints(p.down(geom.Vec{X: at.X, Y: at.Y, Z: 0.1}, 0))
		p.line(geom.Vec{X: at.X, Y: at.Y, Z: 0.1}, geom.Vec{X: at.X, Y: at.Y, Z: 0.004}, 0, 0.2)
		p.aperture(0, 2, 300*time.Millisecond)
		f := frame(t, r, robot.FrameRequest{Camera: simtest.Wrist})
		runs[i].joints, runs[i].pix, runs[i].depth = p.arm().Joints, f.Color.Pix, f.Depth.Pix
	}
	if !slices.Equal(runs[0].joints, runs[1].joints) || !bytes.Equal(runs[0].pix, runs[1].pix) || !slices.Equal(runs[0].depth, runs[1].depth) {
		t.Error("two runs with the same seed differ")
	}
}

func TestCloseEndsIt(t *testing.T) {
	t.Parallel()
	r := simtest.Open(t, simtest.Config(t, simtest.Engine(t), "name: s\n"))
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := r.Clock().Advance(t.Context()); err == nil {
		t.Error("a closed robot's clock goes on")
	}
	if _, err := r.Frame(t.Context(), robot.FrameRequest{Camera: simtest.Front}); err == nil {
		t.Error("a closed robot takes pictures")
	}
	if err := r.Do(robot.Command{Target: robot.Target{Module: simtest.Arm, Hold: true}}); err == nil {
		t.Error("a closed robot takes commands")
	}
}
