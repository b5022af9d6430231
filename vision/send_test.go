package vision_test

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	_ "image/jpeg"
	"image/png"
	"math"
	"os"
	"testing"

	"pgregory.net/rapid"

	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/vision"
)

var update = flag.Bool("update", false, "write the golden pictures anew")

func TestPointsMapBackToHalfAPixel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := image.Pt(rapid.IntRange(1, 2000).Draw(t, "w"), rapid.IntRange(1, 2000).Draw(t, "h"))
		crop := image.Rect(rapid.IntRange(0, size.X-1).Draw(t, "x0"), rapid.IntRange(0, size.Y-1).Draw(t, "y0"),
			rapid.IntRange(0, size.X).Draw(t, "x1"), rapid.IntRange(0, size.Y).Draw(t, "y1"))
		margin := image.Pt(rapid.IntRange(0, 40).Draw(t, "left"), rapid.IntRange(0, 40).Draw(t, "top"))
		v := vision.NewView(size, crop, rapid.IntRange(64, 3000).Draw(t, "side"), margin)
		checkView(t, v, rapid.Float64Range(0, 1).Draw(t, "u"), rapid.Float64Range(0, 1).Draw(t, "v"))
	})
}

type failer interface {
	Fatalf(format string, args ...any)
}

// checkView checks one point of the crop, given as shares of its sides, both ways.
func checkView(t failer, v vision.View, u, w float64) {
	cx := float64(v.Crop.Min.X) + u*float64(v.Crop.Dx())
	cy := float64(v.Crop.Min.Y) + w*float64(v.Crop.Dy())
	x, y := v.ToSent(cx, cy)
	bx, by := v.ToCapture(x, y)
	if !(math.Abs(bx-cx) < 0.5 && math.Abs(by-cy) < 0.5) {
		t.Fatalf("(%g, %g) comes back as (%g, %g) through %+v", cx, cy, bx, by, v)
	}
	if u < 1 && w < 1 && !v.Shows(x, y) {
		t.Fatalf("(%g, %g) of the crop lies outside the picture at (%g, %g): %+v", cx, cy, x, y, v)
	}
}

func FuzzViewMapsBothWays(f *testing.F) {
	f.Add(640, 480, 0, 0, 640, 480, 320, 0.5, 0.5)
	f.Add(1, 1, 0, 0, 1, 1, 1, 0.0, 0.0)
	f.Fuzz(func(t *testing.T, w, h, x0, y0, x1, y1, side int, u, v float64) {
		if w < 1 || h < 1 || w > 10000 || h > 10000 || !(u >= 0 && u <= 1 && v >= 0 && v <= 1) {
			t.Skip()
		}
		checkView(t, vision.NewView(image.Pt(w, h), image.Rect(x0, y0, x1, y1), side, image.Pt(30, 16)), u, v)
	})
}

// gradient is a frame whose colour tells its place.
func gradient(w, h int) *robot.Frame {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetRGBA(x, y, color.RGBA{uint8(255 * x / w), uint8(255 * y / h), 90, 255})
		}
	}
	f := &robot.Frame{Region: img.Rect, Color: img}
	f.Intrinsics.Width, f.Intrinsics.Height = w, h
	return f
}

func TestSentPixelShowsTheCapturePixelItMapsTo(t *testing.T) {
	f := gradient(640, 480)
	for _, o := range []vision.SendOptions{
		{}, {MaxSide: 400}, {MaxSide: 333, Grid: vision.GridOn}, {MaxSide: 512, Crop: image.Rect(100, 50, 400, 450)},
	} {
		s, err := vision.Send(f, o)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Image.Rect.Size(); got != s.View.Size || o.MaxSide > 0 && max(got.X, got.Y) > o.MaxSide {
			t.Errorf("%+v: size %v, view %v", o, got, s.View.Size)
		}
		c := s.View.Content
		for _, p := range []image.Point{c.Min.Add(image.Pt(c.Dx()/3, c.Dy()/3)), c.Min.Add(image.Pt(c.Dx()*3/4, c.Dy()/5))} {
			x, y := s.View.ToCapture(float64(p.X)+0.5, float64(p.Y)+0.5)
			got, want := s.Image.RGBAAt(p.X, p.Y), f.Color.RGBAAt(int(x), int(y))
			if o.Grid == vision.GridOff && (absInt(int(got.R)-int(want.R)) > 2 || absInt(int(got.G)-int(want.G)) > 2) {
				t.Errorf("%+v at %v: %v, want %v", o, p, got, want)
			}
		}
	}
}

func absInt(v int) int { return max(v, -v) }

func TestMarksAreOnTheCopyOnly(t *testing.T) {
	f := gradient(320, 240)
	before := bytes.Clone(f.Color.Pix)
	m := &vision.Mask{Rect: image.Rect(100, 100, 140, 120), Bits: make([]bool, 800)}
	for i := range m.Bits {
		m.Bits[i] = true
	}
	p := [2]float64{120.5, 110.5}
	s, err := vision.Send(f, vision.SendOptions{Marks: []vision.Mark{{Mask: m, Box: m.Rect, Point: &p, Label: "1", Color: color.RGBA{255, 0, 255, 255}}}})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, f.Color.Pix) {
		t.Error("the frame's own picture was drawn on")
	}
	if got := s.Image.RGBAAt(120, 110); got != (color.RGBA{255, 0, 255, 255}) {
		t.Errorf("the point's pixel is %v", got)
	}
	if got := s.Image.RGBAAt(100, 110); got != (color.RGBA{255, 0, 255, 255}) {
		t.Errorf("the box's left side is %v", got)
	}
	if s.Image.RGBAAt(50, 50) != f.Color.RGBAAt(50, 50) {
		t.Error("a pixel beside the marks has changed")
	}
}

func TestGridLooksAsItDid(t *testing.T) {
	for name, o := range map[string]vision.SendOptions{
		"grid":      {Grid: vision.GridOn, MaxSide: 320},
		"grid_crop": {Grid: vision.GridOn, Crop: image.Rect(40, 60, 240, 180)},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := vision.Send(gradient(640, 480), o)
			if err != nil {
				t.Fatal(err)
			}
			file := "testdata/" + name + ".png"
			got, err := vision.Encode(s.Image, vision.PNG)
			if err != nil {
				t.Fatal(err)
			}
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want, err := png.Decode(bytes.NewReader(raw))
			if err != nil {
				t.Fatal(err)
			}
			if d := differing(s.Image, want); d > 0 {
				t.Errorf("%d pixels differ from %s", d, file)
			}
		})
	}
}

// differing counts the pixels that differ by more than two steps in a channel.
func differing(a *image.RGBA, b image.Image) int {
	if a.Rect.Size() != b.Bounds().Size() {
		return a.Rect.Dx() * a.Rect.Dy()
	}
	n := 0
	for y := range a.Rect.Dy() {
		for x := range a.Rect.Dx() {
			p := a.RGBAAt(x, y)
			q := color.RGBAModel.Convert(b.At(x, y)).(color.RGBA)
			if absInt(int(p.R)-int(q.R)) > 2 || absInt(int(p.G)-int(q.G)) > 2 || absInt(int(p.B)-int(q.B)) > 2 {
				n++
			}
		}
	}
	return n
}

func TestSendRefusesWhatCannotBe(t *testing.T) {
	f := gradient(64, 48)
	for name, c := range map[string]struct {
		f *robot.Frame
		o vision.SendOptions
	}{
		"no_frame":     {nil, vision.SendOptions{}},
		"no_picture":   {&robot.Frame{}, vision.SendOptions{}},
		"crop_outside": {f, vision.SendOptions{Crop: image.Rect(100, 100, 120, 120)}},
		"too_small":    {f, vision.SendOptions{Grid: vision.GridOn, MaxSide: 20}},
	} {
		if _, err := vision.Send(c.f, c.o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := vision.Encode(f.Color, "image/gif"); err == nil {
		t.Error("unknown format: no error")
	}
}

func TestEncodedPicturesCanBeRead(t *testing.T) {
	for _, format := range []vision.Format{vision.JPEG, vision.PNG} {
		b, err := vision.Encode(gradient(64, 48).Color, format)
		if err != nil {
			t.Fatal(err)
		}
		if img, kind, err := image.Decode(bytes.NewReader(b)); err != nil || "image/"+kind != string(format) || img.Bounds().Dx() != 64 {
			t.Errorf("%s: %s, %v", format, kind, err)
		}
	}
}
