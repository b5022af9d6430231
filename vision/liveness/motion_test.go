package liveness_test

import (
	"bytes"
	"image"
	stddraw "image/draw"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/sim/render"
	"github.com/rein-robotics/rein/sim/render/rendertest"
	"github.com/rein-robotics/rein/vision/liveness"
)

// stage is an arm before a camera, drawn where its joints say.
type stage struct {
	body   *robot.Description
	scene  rendertest.Scene
	shot   rendertest.Shot
	colour [4]float32
	joints []float64
	step   int

	frozen *robot.Frame // the whole picture that is shown again; nil = the camera is live
	redone func(f *robot.Frame, r image.Rectangle, seq uint64) *image.RGBA
}

const swinging = "arm"

func newStage(mount robot.Mount) *stage {
	shape := geom.DefaultArmShape()
	s := &stage{scene: rendertest.Tabletop(), shot: rendertest.Front(640, 480), colour: [4]float32{0.1, 0.11, 0.13, 1}, joints: []float64{-0.6, -0.9, 1.2, 1.27, 0, 0}}
	s.shot.Camera.InWorld = s.shot.Pose
	if mount == robot.MountMoving {
		s.shot = rendertest.Wrist(geom.Vec{}, 0)
		s.shot.Camera.Arm = swinging
		s.shot.Camera.InTool = geom.LookAt(geom.Vec{X: 0.05, Z: -0.085}, geom.Vec{X: 0.01254, Z: 0.00772}, geom.Vec{X: 1})
	}
	s.body = &robot.Description{Modules: []robot.Module{
		{Name: swinging, Kind: robot.KindArm, Arm: &robot.Arm{Chain: shape.Chain(), LinkRadius: 0.022}},
		{Name: "cam", Kind: robot.KindCamera, Camera: &s.shot.Camera},
	}}
	return s
}

func (s *stage) readings() *robot.Readings {
	tip := s.body.Modules[0].Arm.Chain.Tip(s.joints)
	return &robot.Readings{
		Seq: uint64(s.step), At: time.Duration(s.step) * 250 * time.Millisecond,
		Arms: map[string]robot.ArmState{swinging: {Joints: append([]float64(nil), s.joints...), Tip: tip}},
	}
}

// take is what the camera gives of a region: the world, or what is made of its frozen picture.
func (s *stage) take(r image.Rectangle) *robot.Frame {
	if s.frozen != nil {
		f := *s.frozen
		f.At, f.Seq, f.Region, f.Color = s.readings().At, uint64(s.step), r, s.redone(s.frozen, r, uint64(s.step))
		return &f
	}
	return s.live(r)
}

func (s *stage) live(r image.Rectangle) *robot.Frame {
	o, sc := s.shot, s.scene
	o.Seq, o.Region = uint64(s.step)+1, r
	if o.Camera.Mount == robot.MountMoving {
		o.Pose = s.readings().Arms[swinging].Tip.Mul(o.Camera.InTool)
	} else {
		links := s.body.Modules[0].Arm.Chain.Links(s.joints)
		sc.Extra = append([]render.Geom(nil), sc.Extra...)
		for i := 1; i < len(links); i++ {
			sc.Extra = append(sc.Extra, limb(links[i-1].Pos, links[i].Pos, s.colour))
		}
	}
	f := rendertest.Draw(sc, o)
	f.At, f.Camera = s.readings().At, "cam"
	return f
}

// limb is a capsule from a to b.
func limb(a, b geom.Vec, colour [4]float32) render.Geom {
	d := geom.Vec{X: b.X - a.X, Y: b.Y - a.Y, Z: b.Z - a.Z}
	n := math.Sqrt(d.X*d.X + d.Y*d.Y + d.Z*d.Z)
	rot := geom.Identity().Rot
	if side := math.Hypot(d.X, d.Y); side > 1e-9 {
		rot = geom.AxisAngle(geom.Vec{X: -d.Y / side, Y: d.X / side}, math.Atan2(side, d.Z))
	}
	mid := geom.Vec{X: (a.X + b.X) / 2, Y: (a.Y + b.Y) / 2, Z: (a.Z + b.Z) / 2}
	return render.Geom{Shape: render.Capsule, Pose: geom.Pose{Pos: mid, Rot: rot}, Size: geom.Vec{X: 0.02, Y: n / 2}, Color: colour}
}

// glance is what the harness does four times a second.
func (s *stage) glance(l *liveness.Judge) string {
	s.step++
	now := s.readings()
	if r := l.Motion(now); !r.Empty() {
		l.SeeMotion(s.take(r), now)
	}
	return l.See(s.take(l.Strip()))
}

// freeze lets the camera show from now on what it shows now, made over for every picture.
func (s *stage) freeze(redone func(f *robot.Frame, r image.Rectangle, seq uint64) *image.RGBA) {
	s.shot.Clean = true
	s.frozen, s.redone = s.live(image.Rectangle{}), redone
	s.shot.Clean = false
}

// noised is the frozen picture with noise of its own.
func noised(f *robot.Frame, r image.Rectangle, seq uint64) *image.RGBA {
	rng := rand.New(rand.NewPCG(seq, 9))
	out := image.NewRGBA(r)
	stddraw.Draw(out, r, f.Color, r.Min, stddraw.Src)
	for i := range out.Pix {
		if i%4 < 3 {
			out.Pix[i] = uint8(min(max(float64(out.Pix[i])+2*rng.NormFloat64()+0.5, 0), 255))
		}
	}
	return out
}

// encoded is the frozen picture with noise, sent through a lossy codec.
func encoded(f *robot.Frame, r image.Rectangle, seq uint64) *image.RGBA {
	out := noised(f, r, seq)
	var buf bytes.Buffer
	if err := jpeg.Encode(&buf, out, &jpeg.Options{Quality: 50 + int(seq%30)}); err != nil {
		panic(err)
	}
	img, err := jpeg.Decode(&buf)
	if err != nil {
		panic(err)
	}
	stddraw.Draw(out, r, img, img.Bounds().Min, stddraw.Src)
	return out
}

// A picture that stays the same where the arm was and where it is now is an old one, whatever was added to it.
func TestPictureThatDoesNotShowTheArmsMotion(t *testing.T) {
	swing := func(by float64) func(*stage) { return func(s *stage) { s.joints[0] += by } }
	cases := map[string]struct {
		mount  robot.Mount
		set    func(*stage)
		move   func(*stage)
		freeze func(*robot.Frame, image.Rectangle, uint64) *image.RGBA
		want   bool // it is found frozen
	}{
		"live":                  {robot.MountFixed, nil, swing(0.1), nil, false},
		"live_and_slow":         {robot.MountFixed, nil, swing(0.01), nil, false},
		"live_and_at_rest":      {robot.MountFixed, nil, swing(0), nil, false},
		"live_out_of_view":      {robot.MountFixed, func(s *stage) { s.joints = geom.DefaultArmShape().Home() }, swing(0.05), nil, false},
		"live_arm_like_table":   {robot.MountFixed, func(s *stage) { s.colour = [4]float32{0.58, 0.585, 0.59, 1} }, swing(0.1), nil, false},
		"live_like_table_slow":  {robot.MountFixed, func(s *stage) { s.colour = [4]float32{0.58, 0.585, 0.59, 1} }, swing(0.003), nil, false},
		"live_behind_a_board":   {robot.MountFixed, board, swing(0.1), nil, false},
		"live_carried":          {robot.MountMoving, nil, swing(0.1), nil, false},
		"live_carried_all_bare": {robot.MountMoving, func(s *stage) { s.scene = rendertest.Scene{} }, swing(0.1), nil, false},
		"noise":                 {robot.MountFixed, nil, swing(0.1), noised, true},
		"noise_and_slow":        {robot.MountFixed, nil, swing(0.03), noised, true},
		"noise_and_at_rest":     {robot.MountFixed, nil, swing(0), noised, false},
		"encoded":               {robot.MountFixed, nil, swing(0.1), encoded, true},
		"carried_noise":         {robot.MountMoving, nil, swing(0.1), noised, true},
		"carried_encoded":       {robot.MountMoving, nil, swing(0.1), encoded, true},
		"carried_at_rest":       {robot.MountMoving, nil, swing(0), noised, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := newStage(c.mount)
			if c.set != nil {
				c.set(s)
			}
			l := liveness.New(s.body, "cam", nil)
			why := ""
			for i := range 10 {
				if c.freeze != nil && i == 4 {
					s.freeze(c.freeze)
				}
				c.move(s)
				why = s.glance(l)
				if why != "" && (i < 4 || c.freeze == nil) {
					t.Fatalf("glance %d of a live camera: %s", i, why)
				}
			}
			if got := why != ""; got != c.want {
				t.Errorf("found frozen: %v (%s), want %v", got, why, c.want)
			}
		})
	}
}

// board hides the arm from the camera above.
func board(s *stage) {
	s.scene.Extra = append(s.scene.Extra, render.Geom{
		Shape: render.Box, Pose: rendertest.Place(0.2, 0, 0.6), Size: geom.Vec{X: 0.3, Y: 0.3, Z: 0.005}, Color: [4]float32{0.4, 0.4, 0.3, 1},
	})
}

// However the arm moves, a live camera is never taken for frozen, and one that freezes is within three glances that show
// motion; it is trusted again once it shows the arm.
func TestFreezingAtAnyMoment(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 2))
		s := newStage([]robot.Mount{robot.MountFixed, robot.MountMoving}[seed%2])
		l := liveness.New(s.body, "cam", nil)
		at, heal := 3+r.IntN(8), 16
		found := 0
		for i := range 20 {
			switch i {
			case at:
				s.freeze([]func(*robot.Frame, image.Rectangle, uint64) *image.RGBA{noised, encoded}[r.IntN(2)])
			case heal:
				s.frozen = nil
			}
			s.joints[0] += (0.08 + 0.1*r.Float64()) * []float64{1, -1}[i/10]
			lean := 0.1*r.Float64() - 0.95 - s.joints[1]
			s.joints[1], s.joints[3] = s.joints[1]+lean, s.joints[3]-lean
			why := s.glance(l)
			switch {
			case i < at && why != "":
				t.Fatalf("seed %d: glance %d of a live camera: %s", seed, i, why)
			case i == at+3 && why == "":
				t.Errorf("seed %d: frozen at %d, not known at %d", seed, at, i)
			case i == heal+2 && why != "":
				t.Errorf("seed %d: live again at %d, at %d: %s", seed, heal, i, why)
			case i >= at && i < heal && why != "":
				found++
			}
		}
		if found < 2 {
			t.Errorf("seed %d: found %d times", seed, found)
		}
	}
}

// A camera that stutters, and shows now and then what it showed a glance before, is a live one.
func TestPictureThatIsLateOnce(t *testing.T) {
	s := newStage(robot.MountFixed)
	l := liveness.New(s.body, "cam", nil)
	for i := range 9 {
		s.frozen = nil
		if i%3 == 2 {
			s.freeze(noised)
		}
		s.joints[0] += 0.1
		if why := s.glance(l); why != "" {
			t.Fatalf("glance %d: %s", i, why)
		}
	}
}

// A body of which little is known says nothing, and breaks nothing.
func TestMotionOfABodyThatIsNotKnown(t *testing.T) {
	s := newStage(robot.MountFixed)
	now := s.readings()
	for name, l := range map[string]*liveness.Judge{
		"no_camera": liveness.New(&robot.Description{}, "cam", nil),
		"no_chain": liveness.New(&robot.Description{Modules: []robot.Module{
			{Name: swinging, Arm: &robot.Arm{}}, {Name: "cam", Camera: &s.shot.Camera},
		}}, "cam", nil),
	} {
		if r := l.Motion(now); !r.Empty() {
			t.Errorf("%s: it asks for %v", name, r)
		}
		l.SeeMotion(s.take(image.Rect(0, 0, 64, 64)), now)
		l.SeeMotion(nil, now)
		if r := l.Motion(nil); !r.Empty() {
			t.Errorf("%s: without readings it asks for %v", name, r)
		}
	}
}
