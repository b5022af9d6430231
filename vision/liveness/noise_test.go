package liveness_test

import (
	"image"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/sim/render/rendertest"
	"github.com/rein-robotics/rein/vision/liveness"
)

// sensor makes pictures as some camera does: of a picture with soft stripes, 640 × 8.
type sensor struct {
	r    *rand.Rand
	last *image.RGBA
	n    int
}

func newSensor(seed uint64) *sensor { return &sensor{r: rand.New(rand.NewPCG(seed, 1))} }

// next is a new picture: a share of its pixels is that of the one before, the others have noise of σ.
func (s *sensor) next(level uint8, sigma, repeated float64) *robot.Frame {
	img := image.NewRGBA(image.Rect(0, 236, 640, 244))
	for i := range img.Pix {
		switch {
		case i%4 == 3:
			img.Pix[i] = 255
		default:
			v := float64(level) + float64(i/4%64)/4 + sigma*s.r.NormFloat64()
			img.Pix[i] = uint8(min(max(v+0.5, 0), 255))
		}
	}
	for i := 0; s.last != nil && i < len(img.Pix); i += 4 {
		if s.r.Float64() < repeated {
			copy(img.Pix[i:i+4], s.last.Pix[i:i+4])
		}
	}
	s.last = img
	return s.frame(img)
}

// again is the last picture with something drawn on it that is new.
func (s *sensor) again() *robot.Frame {
	img := *s.last
	img.Pix = append([]uint8(nil), s.last.Pix...)
	for i := range 40 * 4 {
		img.Pix[i] = uint8(s.r.IntN(256))
	}
	return s.frame(&img)
}

func (s *sensor) frame(img *image.RGBA) *robot.Frame {
	s.n++
	return &robot.Frame{
		Camera: "cam", Seq: uint64(s.n), At: time.Duration(s.n) * 250 * time.Millisecond, Region: img.Rect, Color: img,
		Intrinsics: geom.Pinhole(640, 480, 1), Pose: geom.Identity(), Mount: robot.MountFixed,
	}
}

// A picture that is an old one with something new on it has no noise of its own. Cameras that repeat pixels while they are
// live are not held to that.
func TestPictureWithoutNoiseOfItsOwn(t *testing.T) {
	live := func(s *sensor) *robot.Frame { return s.next(90, 2, 0) }
	drawn := (*sensor).again
	soft := func(s *sensor) *robot.Frame { return s.next(90, 0.5, 0) }
	codec := func(s *sensor) *robot.Frame { return s.next(90, 2, 0.9) }
	same := func(s *sensor) *robot.Frame { return s.next(90, 2, 1) }
	half := func(s *sensor) *robot.Frame { return s.next(90, 2, 0.5) }
	white := func(s *sensor) *robot.Frame { return s.next(248, 2, 0) }
	type shots []func(*sensor) *robot.Frame
	cases := map[string]struct {
		shots shots
		want  string // of each picture: L it is trusted, F it is not
	}{
		"live":                       {shots{live, live, live, live, live}, "LLLLL"},
		"clock_on_a_frozen_picture":  {shots{live, live, live, drawn, drawn, live}, "LLLFFL"},
		"little_noise":               {shots{soft, soft, soft, soft, drawn}, "LLLLF"},
		"too_early_to_know":          {shots{live, live, drawn, drawn}, "LLLL"},
		"codec":                      {shots{codec, codec, codec, codec, codec, codec}, "LLLLLL"},
		"codec_after_a_lively_start": {shots{live, live, live, codec, live, codec, codec}, "LLLFLLL"},
		"frozen_to_the_byte":         {shots{live, live, same, same, live, same}, "LLFFLL"},
		"codec_to_the_byte":          {shots{same, same, codec, same, live, same}, "LLLLLL"},
		"half_repeated":              {shots{live, live, live, half, codec, codec}, "LLLLLL"},
		"end_of_the_scale":           {shots{white, white, white, drawn, drawn}, "LLLLL"},
	}
	for name, c := range cases {
		s := newSensor(3)
		l := liveness.New(&robot.Description{}, "cam", nil)
		var got strings.Builder
		for _, shoot := range c.shots {
			switch why := l.See(shoot(s)); {
			case why == "":
				got.WriteString("L")
			case strings.Contains(why, "noise") || strings.Contains(why, "single pixel"):
				got.WriteString("F")
			default:
				got.WriteString("?")
			}
		}
		if got.String() != c.want {
			t.Errorf("%s: got %s, want %s", name, got.String(), c.want)
		}
	}
}

// What a carried camera shows while it moves says nothing about its noise.
func TestNoiseIsLearntAtRest(t *testing.T) {
	s := newSensor(4)
	l := liveness.New(&robot.Description{}, "cam", nil)
	for i := range 6 {
		f := s.next(90, 2, 0)
		f.Pose.Pos.X = 0.01 * float64(i)
		if why := l.See(f); why != "" {
			t.Fatalf("picture %d: %s", i, why)
		}
	}
	f := s.again()
	f.Pose.Pos.X = 0.05
	if why := l.See(f); why != "" {
		t.Errorf("a camera of which no noise is known: %s", why)
	}
}

// A look at the instant of a glance does not know better than the glance.
func TestOneInstantHasOneVerdict(t *testing.T) {
	s := newSensor(5)
	l := liveness.New(&robot.Description{}, "cam", s.next(90, 2, 0))
	for range 3 {
		l.See(s.next(90, 2, 0))
	}
	f := s.again()
	glance := l.See(f)
	look := *f
	look.Color = s.next(90, 2, 0).Color
	if got := l.See(&look); glance == "" || got != glance {
		t.Errorf("the look says %q, the glance %q", got, glance)
	}
}

// However a camera repeats itself, the whole capture is never the same to the byte.
func TestWholePictureIsNeverRepeated(t *testing.T) {
	shot := rendertest.Front(160, 120)
	a := rendertest.Draw(rendertest.Tabletop(), shot)
	l := liveness.New(&robot.Description{}, "camera", a)
	shot.Seq = 1
	b := rendertest.Draw(rendertest.Tabletop(), shot)
	b.At = time.Second
	again := *b
	again.At = 2 * time.Second
	part := shot
	part.Region = image.Rect(0, 56, 160, 64)
	strip := rendertest.Draw(rendertest.Tabletop(), part)
	strip.At = 3 * time.Second
	for i, c := range []struct {
		f  *robot.Frame
		ok bool
	}{{b, true}, {&again, false}, {strip, false}} {
		if why := l.See(c.f); (why == "") != c.ok {
			t.Errorf("picture %d: %q, want trusted %v", i, why, c.ok)
		}
	}
}
