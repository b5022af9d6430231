package film_test

import (
	"bytes"
	"image"
	"image/draw"
	"image/gif"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rein-robotics/rein/app/film"
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/sim/render"
)

func camera(w, h int) render.Camera {
	return render.Camera{
		Intrinsics: geom.Pinhole(w, h, geom.Rad(48)),
		Pose:       geom.LookAt(geom.Vec{X: 0.02, Z: 0.80}, geom.Vec{X: 0.25}, geom.Vec{Z: 1}),
	}
}

// table is a red box at (x, y) beside a blue cylinder.
func table(x, y, z float64) *render.Scene {
	at := func(x, y, z float64) geom.Pose {
		return geom.Pose{Pos: geom.Vec{X: x, Y: y, Z: z}, Rot: geom.Rot{Real: 1}}
	}
	return &render.Scene{Geoms: []render.Geom{
		{Shape: render.Plane, Pose: at(0.3, 0, 0), Size: geom.Vec{X: 0.8, Y: 0.8}, Color: [4]float32{0.5, 0.5, 0.49, 1}},
		{Shape: render.Cylinder, Pose: at(0.3, 0.1, 0.03), Size: geom.Vec{X: 0.03, Y: 0.03}, Color: [4]float32{0.1, 0.2, 0.8, 1}},
		{Shape: render.Box, Pose: at(x, y, z), Size: geom.Vec{X: 0.02, Y: 0.03, Z: 0.02}, Color: [4]float32{0.8, 0.1, 0.1, 1}},
	}}
}

// shoot films a box that slides, and gives the film's path.
func shoot(t *testing.T, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "film.gif")
	f, err := film.Start(film.Options{Path: path, Camera: camera(160, 120)})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		at := time.Duration(i) * film.Every
		f.Shoot(film.Shot{At: at, Scene: table(0.2, -0.1+0.03*float64(i), 0.02), Lines: [2]string{at.String(), "sliding"}})
	}
	if err := f.Close("succeeded: the box is at its place"); err != nil {
		t.Fatal(err)
	}
	return path
}

func decode(t *testing.T, path string) *gif.GIF {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	g, err := gif.DecodeAll(file)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// pictures are the film's frames as a viewer shows them.
func pictures(g *gif.GIF) []*image.RGBA {
	var out []*image.RGBA
	canvas := image.NewRGBA(image.Rect(0, 0, g.Config.Width, g.Config.Height))
	for _, frame := range g.Image {
		draw.Draw(canvas, frame.Rect, frame, frame.Rect.Min, draw.Over)
		shown := image.NewRGBA(canvas.Rect)
		copy(shown.Pix, canvas.Pix)
		out = append(out, shown)
	}
	return out
}

func TestFilmHasOnePictureForEachShot(t *testing.T) {
	const shots = 6
	g := decode(t, shoot(t, shots))
	if got := len(g.Image); got != shots+1 {
		t.Fatalf("the film has %d frames, want %d shots and the closing one", got, shots)
	}
	if g.Config.Width != 160 || g.Config.Height <= 120+20 {
		t.Errorf("the film is %d × %d, want 160 pixels and text below 120", g.Config.Width, g.Config.Height)
	}
	for i, d := range g.Delay {
		want := 20
		if i == shots {
			want = 200
		}
		if d != want {
			t.Errorf("frame %d stands %d/100 s, want %d", i, d, want)
		}
	}
	ps := pictures(g)
	for i := 1; i < len(ps); i++ {
		top := 160 * 120 * 4
		same := bytes.Equal(ps[i].Pix[:top], ps[i-1].Pix[:top])
		if want := i == shots; same != want {
			t.Errorf("picture %d equals the one before: %v, want %v", i, same, want)
		}
	}
}

// far is how much two pictures differ at most, in the region.
func far(a, b *image.RGBA, r image.Rectangle) (worst int, mean float64) {
	n := 0
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			p, q := a.Pix[a.PixOffset(x, y):], b.Pix[b.PixOffset(x, y):]
			for k := range 3 {
				d := int(p[k]) - int(q[k])
				d = max(d, -d)
				worst = max(worst, d)
				mean += float64(d)
				n++
			}
		}
	}
	return worst, mean / float64(n)
}

func TestFilmShowsWhatTheCameraSees(t *testing.T) {
	const shots = 6
	ps := pictures(decode(t, shoot(t, shots)))
	var r render.Renderer
	for i := range shots {
		want, _ := r.Render(table(0.2, -0.1+0.03*float64(i), 0.02), camera(160, 120), render.Options{Quality: robot.Fine})
		if worst, mean := far(ps[i], want, want.Rect); worst > 40 || mean > 2 {
			t.Errorf("picture %d differs from the camera's by up to %d, %.1f in the mean", i, worst, mean)
		}
	}
}

func TestSameShotsGiveSameBytes(t *testing.T) {
	a, err := os.ReadFile(shoot(t, 4))
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(shoot(t, 4))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Error("two films of the same shots differ")
	}
}

func TestOutsideOfWhatChangedNothingDiffers(t *testing.T) {
	var r render.Renderer
	c := camera(160, 120)
	a := table(0.2, -0.05, 0.25)
	for _, to := range []geom.Vec{{X: 0.2, Y: 0.02, Z: 0.25}, {X: 0.3, Y: 0.1, Z: 0.30}, {X: 0.15, Y: -0.2, Z: 0.02}, {X: 0.2, Y: -0.05, Z: 0.251}} {
		b := table(to.X, to.Y, to.Z)
		turn := geom.RotZ(0.4)
		b.Geoms[2].Pose.Rot = geom.MulRot(turn, b.Geoms[2].Pose.Rot)
		part := film.Changed(a, b, c)
		before, _ := r.Render(a, c, render.Options{Quality: robot.Fine})
		after, _ := r.Render(b, c, render.Options{Quality: robot.Fine})
		whole := before.Rect
		if part.Empty() || part == whole {
			t.Errorf("to %v: %v changed", to, part)
		}
		for y := range whole.Dy() {
			for x := range whole.Dx() {
				if !(image.Pt(x, y).In(part)) && before.RGBAAt(x, y) != after.RGBAAt(x, y) {
					t.Fatalf("to %v: pixel (%d, %d) changed outside of %v", to, x, y, part)
				}
			}
		}
	}
}

func TestWhatHasNoBoundsIsDrawnWhole(t *testing.T) {
	c := camera(160, 120)
	whole := image.Rect(0, 0, 160, 120)
	near, other := table(0.02, 0, 0.795), table(0.2, 0, 0.02)
	moved := table(0.2, 0, 0.02)
	moved.Geoms[2].Shape = render.Plane
	fewer := table(0.2, 0, 0.02)
	fewer.Geoms = fewer.Geoms[:2]
	for name, b := range map[string]*render.Scene{"around-the-camera": near, "a-plane": moved, "one-geom-less": fewer} {
		t.Run(name, func(t *testing.T) {
			if got := film.Changed(other, b, c); got != whole {
				t.Errorf("changed: %v, want the whole %v", got, whole)
			}
		})
	}
	if got := film.Changed(other, table(0.2, 0, 0.02), c); !got.Empty() {
		t.Errorf("of a scene that stands still %v changed", got)
	}
}

func TestFilmThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	if _, err := film.Start(film.Options{Path: filepath.Join(dir, "none", "film.gif"), Camera: camera(32, 24)}); err == nil {
		t.Error("a film began in a folder that does not exist")
	}
	f, err := film.Start(film.Options{Path: filepath.Join(dir, "film.gif"), Camera: camera(32, 24)})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(""); err == nil {
		t.Error("a film without a picture was made")
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestLinesAreBrokenBetweenWords(t *testing.T) {
	for _, tt := range []struct {
		text string
		n    int
		want [2]string
	}{
		{"", 10, [2]string{}},
		{"short", 10, [2]string{"short", ""}},
		{"one two three four", 9, [2]string{"one two", "three..."}},
		{"one two three four", 10, [2]string{"one two", "three four"}},
		{"unbreakable", 8, [2]string{"unbre...", ""}},
	} {
		if got := film.Wrap(tt.text, tt.n); got != tt.want {
			t.Errorf("wrap(%q, %d) = %q, want %q", tt.text, tt.n, got, tt.want)
		}
	}
}
