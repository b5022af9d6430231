package frames_test

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/monitor/frames"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/vision"
)

var update = flag.Bool("update", false, "write the golden files anew")

// frame is a picture with fine stripes, so that any scaling shows, and a plain red thing.
func frame(camera string, at time.Duration, w, h int) *robot.Frame {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.RGBA{200, 200, 190, 255}
			switch {
			case image.Pt(x, y).In(thing):
				c = color.RGBA{190, 40, 30, 255}
			case x%2 == 0:
				c = color.RGBA{60, 70, 80, 255}
			}
			img.SetRGBA(x, y, c)
		}
	}
	return &robot.Frame{Camera: camera, At: at, Region: img.Rect, Color: img, Intrinsics: geom.Intrinsics{Width: w, Height: h}}
}

// thing is where the target lies, capture pixels; its mask is one pixel smaller than the rectangle that holds it.
var thing = image.Rect(300, 250, 340, 290)

func track(f *robot.Frame) vision.Track {
	m := &vision.Mask{Rect: thing.Inset(-5), Bits: make([]bool, 50*50)}
	for y := 5; y < 45; y++ {
		for x := 5; x < 45; x++ {
			m.Bits[y*50+x] = true
		}
	}
	return vision.Track{At: f.At, Frame: f, Mask: m, Box: m.Rect}
}

func decoded(t *testing.T, data []byte) image.Image {
	t.Helper()
	img, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func shot(t *testing.T, s frames.Settings, f *robot.Frame, tracks ...vision.Track) frames.Shot {
	t.Helper()
	out, err := s.Shot("a1.m1."+f.Camera, f, tracks)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A camera listed in close_ups is seen only as that region, at capture resolution; other cameras are seen whole at
// image_max_side.
func TestCloseUpsAreAtCaptureResolution(t *testing.T) {
	s := frames.Settings{History: 2, MaxSide: 320, CloseUps: map[string][4]float64{"wrist": {0.25, 0.5, 0.75, 0.9}}}
	f := frame("wrist", 0, 640, 480)
	close := shot(t, s, f)
	img := decoded(t, close.Data)
	if got, want := img.Bounds().Size(), image.Pt(320, 192); got != want || close.View.Crop != image.Rect(160, 240, 480, 432) {
		t.Fatalf("got %v of %v", got, close.View.Crop)
	}
	if sx, sy := close.View.Scale(); sx != 1 || sy != 1 {
		t.Errorf("it was scaled by %v, %v", sx, sy)
	}
	if a, b := luma(img, 100, 20), luma(img, 101, 20); a-b > -60 {
		t.Errorf("the stripes of a pixel are gone: %d, %d", a, b)
	}
	whole := shot(t, s, frame("front", 0, 640, 480))
	if got := decoded(t, whole.Data).Bounds().Size(); got != image.Pt(320, 240) || whole.CloseUp {
		t.Errorf("got %v", got)
	}
	small := shot(t, s, frame("front", 0, 200, 100))
	if got := decoded(t, small.Data).Bounds().Size(); got != image.Pt(200, 100) {
		t.Errorf("a small picture was made %v", got)
	}
	region := s.Region("wrist", f.Intrinsics)
	part := *f
	part.Color, part.Region = f.Color.SubImage(region).(*image.RGBA), region
	if got := shot(t, s, &part); !bytes.Equal(got.Data, close.Data) {
		t.Error("the region alone gives another picture than the whole capture")
	}
	if s.Region("front", f.Intrinsics) != (image.Rectangle{}) {
		t.Error("a camera without a close-up has a region")
	}
}

// A close-up holds every pixel that its fractions touch, up to the borders, and is never empty.
func TestCloseUpsOfOddFractions(t *testing.T) {
	tests := map[string]struct {
		part [4]float64
		want image.Rectangle
	}{
		"all_of_it":        {[4]float64{0, 0, 1, 1}, image.Rect(0, 0, 641, 479)},
		"between_pixels":   {[4]float64{0.201, 0.301, 0.799, 0.899}, image.Rect(128, 144, 513, 431)},
		"one_pixel":        {[4]float64{0.5, 0.5, 0.5001, 0.5001}, image.Rect(320, 239, 321, 240)},
		"the_last_corner":  {[4]float64{0.9999, 0.9999, 1, 1}, image.Rect(640, 478, 641, 479)},
		"the_first_corner": {[4]float64{0, 0, 0.0001, 0.0001}, image.Rect(0, 0, 1, 1)},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := frames.Settings{History: 1, MaxSide: 8, CloseUps: map[string][4]float64{"wrist": tc.part}}
			f := frame("wrist", 0, 641, 479)
			if got := s.Region("wrist", f.Intrinsics); got != tc.want {
				t.Fatalf("region %v, want %v", got, tc.want)
			}
			if got := decoded(t, shot(t, s, f).Data).Bounds().Size(); got != tc.want.Size() {
				t.Errorf("sent at %v, want %v", got, tc.want.Size())
			}
		})
	}
}

func luma(img image.Image, x, y int) int {
	return int(color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y)
}

// Monitor frames never carry the tracker's overlay.
func TestMonitorFramesNeverCarryTheOverlay(t *testing.T) {
	f := frame("front", time.Second, 640, 480)
	before := bytes.Clone(f.Color.Pix)
	s := frames.Settings{History: 1, MaxSide: 640}
	if got, want := shot(t, s, f, track(f)), shot(t, s, f); !bytes.Equal(got.Data, want.Data) || got.Marked {
		t.Error("a tracker's result changed the picture")
	}
	s.MarkTarget = true
	marked := shot(t, s, f, track(f))
	plain, err := marked.Plain()
	if err != nil || !bytes.Equal(plain, shot(t, s, f).Data) || !marked.Marked {
		t.Errorf("the picture for the log is not the one without a mark: %v", err)
	}
	if !bytes.Equal(before, f.Color.Pix) {
		t.Error("the capture was drawn on")
	}
}

// With mark_target, a 1 px cyan box 3 px outside the bounds of the tracker's mask, else around its box, shows which object
// the action is on, without covering any of it.
func TestMarkStandsOutsideTheTarget(t *testing.T) {
	f := frame("front", time.Second, 640, 480)
	masked := track(f)
	boxed := masked
	boxed.Mask, boxed.Box = nil, thing
	lost := masked
	lost.Mask, lost.Box = nil, image.Rectangle{}
	late := masked
	late.At -= frames.MarkFor + 1
	other := masked
	other.Frame = frame("wrist", time.Second, 640, 480)
	empty := masked
	empty.Mask = &vision.Mask{Rect: f.Color.Rect, Bits: make([]bool, 640*480)}
	everything := boxed
	everything.Box = image.Rect(0, 0, 640, 480)
	edge := boxed
	edge.Box = image.Rect(-20, -30, 100, 60)
	closeUp := map[string][4]float64{"front": {0.25, 0.25, 0.75, 0.75}}
	elsewhere := map[string][4]float64{"front": {0, 0, 0.2, 0.2}}
	cut := map[string][4]float64{"front": {0.5, 0.25, 0.75, 0.75}}
	tests := map[string]struct {
		closeUps map[string][4]float64
		maxSide  int
		track    vision.Track
		want     image.Rectangle // the outermost pixels of the box, in the picture as sent; empty = no box
	}{
		"around_the_mask":       {nil, 640, masked, image.Rect(297, 247, 343, 293)},
		"else_around_the_box":   {nil, 640, boxed, image.Rect(297, 247, 343, 293)},
		"in_sent_pixels":        {nil, 320, masked, image.Rect(147, 122, 173, 148)},
		"in_a_close_up":         {closeUp, 64, masked, image.Rect(137, 127, 183, 173)},
		"outside_of_a_close_up": {elsewhere, 64, masked, image.Rectangle{}},
		"cut_by_a_close_up":     {cut, 64, masked, image.Rect(-23, 127, 23, 173)},
		"out_of_sight":          {nil, 640, lost, image.Rectangle{}},
		"of_another_time":       {nil, 640, late, image.Rectangle{}},
		"of_another_camera":     {nil, 640, other, image.Rectangle{}},
		"an_empty_mask":         {nil, 640, empty, image.Rectangle{}},
		"it_fills_the_picture":  {nil, 640, everything, image.Rectangle{}},
		"partly_outside":        {nil, 640, edge, image.Rect(-23, -33, 103, 63)},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := frames.Settings{History: 1, MaxSide: tc.maxSide, CloseUps: tc.closeUps, MarkTarget: true}
			got := shot(t, s, f, tc.track)
			if got.Marked != !tc.want.Empty() {
				t.Fatalf("marked: %v", got.Marked)
			}
			s.MarkTarget = false
			box := differ(t, got.Data, shot(t, s, f).Data)
			if !got.Marked {
				if !box.Empty() {
					t.Errorf("%v differs", box)
				}
				return
			}
			img := decoded(t, got.Data)
			want := tc.want.Intersect(img.Bounds())
			if !box.In(want.Inset(-8)) || !want.In(box) { // JPEG writes blocks of 16 pixels
				t.Errorf("the mark is at %v, want %v", box, want)
			}
		})
	}
}

// differ is where two pictures differ by more than JPEG does within a block.
func differ(t *testing.T, a, b []byte) image.Rectangle {
	t.Helper()
	p, q := decoded(t, a), decoded(t, b)
	out := image.Rectangle{}
	for y := p.Bounds().Min.Y; y < p.Bounds().Max.Y; y++ {
		for x := p.Bounds().Min.X; x < p.Bounds().Max.X; x++ {
			if d := luma(p, x, y) - luma(q, x, y); max(d, -d) > 24 {
				out = out.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return out
}

// The mark leaves every pixel of the target as it was, and two beside it.
func TestMarkCoversNothing(t *testing.T) {
	f := frame("front", time.Second, 640, 480)
	s := frames.Settings{History: 1, MaxSide: 640, MarkTarget: true}
	picture(t, "marked", decoded(t, shot(t, s, f, track(f)).Data), thing.Inset(-24))
	s.CloseUps = map[string][4]float64{"front": {0.4, 0.4, 0.6, 0.7}}
	picture(t, "close_up_marked", decoded(t, shot(t, s, f, track(f)).Data), image.Rectangle{})
}

// picture holds a part of an image to a golden file.
func picture(t *testing.T, name string, img image.Image, part image.Rectangle) {
	t.Helper()
	if part.Empty() {
		part = img.Bounds()
	}
	got := image.NewRGBA(image.Rectangle{Max: part.Size()})
	for y := range part.Dy() {
		for x := range part.Dx() {
			got.Set(x, y, img.At(part.Min.X+x, part.Min.Y+y))
		}
	}
	file := filepath.Join("testdata", name+".png")
	var b bytes.Buffer
	if err := png.Encode(&b, got); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if want.Bounds().Size() != got.Rect.Size() {
		t.Fatalf("%s: size %v, want %v", name, got.Rect.Size(), want.Bounds().Size())
	}
	for y := range part.Dy() {
		for x := range part.Dx() {
			r, g, b, _ := want.At(x, y).RGBA()
			if c := got.RGBAAt(x, y); c.R != uint8(r>>8) || c.G != uint8(g>>8) || c.B != uint8(b>>8) {
				t.Fatalf("%s: pixel %d, %d is %v", name, x, y, c)
			}
		}
	}
}

// With monitor.reference on, each tick also gets the frames from when the action started, with the planner's point on the
// target.
func TestReferenceCarriesThePlannersPoint(t *testing.T) {
	f := frame("front", time.Second, 640, 480)
	s := frames.Settings{History: 1, MaxSide: 640, Reference: true, CloseUps: map[string][4]float64{"wrist": {0, 0, 0.5, 0.5}}}
	for name, tc := range map[string]struct {
		camera  string
		points  [][2]float64
		pointed bool
	}{
		"on_it":             {"front", [][2]float64{{320.5, 270.5}}, true},
		"no_point":          {"front", nil, false},
		"beside_a_close_up": {"wrist", [][2]float64{{600, 400}}, false},
		"two":               {"front", [][2]float64{{320.5, 270.5}, {10, 10}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			g := *f
			g.Camera = tc.camera
			got, err := s.ReferenceShot("a1.m0."+tc.camera, &g, tc.points)
			if err != nil || got.Pointed != tc.pointed {
				t.Fatalf("got %v, %v", got.Pointed, err)
			}
			plain, err := got.Plain()
			if err != nil || bytes.Equal(plain, got.Data) == tc.pointed {
				t.Errorf("the picture for the log: %v", err)
			}
			if tc.pointed {
				if d := differ(t, got.Data, plain); !image.Pt(320, 270).In(d) {
					t.Errorf("the point is at %v", d)
				}
			}
		})
	}
}

func labels(h *frames.History) []string {
	var out []string
	for _, p := range h.Pictures() {
		out = append(out, p.Label)
	}
	return out
}

// Each tick the monitor sees each camera's last history frames, oldest first, labelled previous with their age, and
// current.
func TestEachTickShowsTheLastFrames(t *testing.T) {
	at := func(camera string, s float64) frames.Shot {
		return frames.Shot{Camera: camera, At: time.Duration(s * float64(time.Second)), CloseUp: camera == "wrist"}
	}
	pointed := at("front", 0)
	pointed.Pointed = true
	tests := map[string]struct {
		n         int
		reference []frames.Shot
		looks     [][]frames.Shot
		want      []string
	}{
		"nothing": {n: 2},
		"first":   {n: 2, looks: [][]frames.Shot{{at("front", 0)}}, want: []string{"front, current"}},
		"two": {n: 2, looks: [][]frames.Shot{{at("front", 0)}, {at("front", 1.6)}, {at("front", 3.25)}},
			want: []string{"front, previous, 1.6 s ago", "front, current"}},
		"three": {n: 3, looks: [][]frames.Shot{{at("front", 0)}, {at("front", 1.6)}, {at("front", 3.2)}},
			want: []string{"front, previous, 3.2 s ago", "front, previous, 1.6 s ago", "front, current"}},
		"one": {n: 1, looks: [][]frames.Shot{{at("front", 0)}, {at("front", 1.6)}}, want: []string{"front, current"}},
		"cameras": {n: 2, looks: [][]frames.Shot{{at("wrist", 0), at("front", 0.1)}, {at("wrist", 1.5), at("front", 1.6)}},
			want: []string{"wrist close-up, previous, 1.5 s ago", "wrist close-up, current", "front, previous, 1.5 s ago", "front, current"}},
		"a_lagging_camera": {n: 2, reference: []frames.Shot{at("wrist", 0)}, looks: [][]frames.Shot{{at("wrist", 0), at("front", 0.4)}, {at("wrist", 1.6), at("front", 2)}},
			want: []string{"wrist close-up, when the action started, 2.0 s ago", "wrist close-up, previous, 2.0 s ago", "wrist close-up, current, 0.4 s old",
				"front, previous, 1.6 s ago", "front, current"}},
		"reference": {n: 2, reference: []frames.Shot{at("wrist", 0), pointed}, looks: [][]frames.Shot{{at("wrist", 8), at("front", 8)}},
			want: []string{"wrist close-up, when the action started, 8.0 s ago", "wrist close-up, current",
				"front, when the action started, 8.0 s ago, with the planner's point on the target", "front, current"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var h frames.History
			h.Refer(tc.reference...)
			for _, l := range tc.looks {
				h.Add(tc.n, l...)
			}
			if diff := cmp.Diff(labels(&h), tc.want); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The monitor is told to trust the frame over the mark; what it is not shown it is not told of.
func TestPrompt(t *testing.T) {
	for name, s := range map[string]frames.Settings{"prompt": {}, "prompt_all": {Reference: true, MarkTarget: true}} {
		robot := ""
		if s.MarkTarget {
			robot = "The fingers are orange and always in view.\n"
		}
		got := s.System(robot)
		file := filepath.Join("testdata", name+".md")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got, string(want)); diff != "" {
			t.Error(diff)
		}
	}
}
