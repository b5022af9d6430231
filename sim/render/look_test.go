package render_test

import (
	"image"
	"image/color"
	"math"
	"testing"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/sim/render"
)

func apart(a, b color.RGBA) int {
	d := func(x, y uint8) int { return max(int(x)-int(y), int(y)-int(x)) }
	return max(d(a.R, b.R), d(a.G, b.G), d(a.B, b.B))
}

func picture(s *render.Scene, c render.Camera, q robot.Quality) *image.RGBA {
	var r render.Renderer
	img, _ := r.Render(s, c, render.Options{Quality: q})
	return img
}

func TestSurfaceThatFacesUpShowsItsColour(t *testing.T) {
	for _, want := range []color.RGBA{{128, 128, 128, 255}, {200, 40, 30, 255}, {20, 90, 220, 255}, {250, 250, 250, 255}} {
		s := one(render.Geom{Shape: render.Plane, Color: rgba(float32(want.R)/255, float32(want.G)/255, float32(want.B)/255)})
		for _, q := range []robot.Quality{robot.Plain, robot.Fine} {
			if got := picture(s, above(16, 12, 0.5), q).RGBAAt(8, 6); apart(got, want) > 6 {
				t.Errorf("quality %d: %v is shown as %v, want within 6", q, want, got)
			}
		}
	}
}

// farFromAnything is whether all ids within n pixels are the same.
func farFromAnything(ids []int32, w, h, x, y, n int) bool {
	for dy := -n; dy <= n; dy++ {
		for dx := -n; dx <= n; dx++ {
			if x+dx < 0 || y+dy < 0 || x+dx >= w || y+dy >= h || ids[(y+dy)*w+x+dx] != ids[y*w+x] {
				return false
			}
		}
	}
	return true
}

func TestIDsAgreeWithColour(t *testing.T) {
	s := one(render.Geom{Shape: render.Plane, Color: rgba(0.5, 0.5, 0.5), ID: 100})
	hues := [][4]float32{rgba(0.9, 0.1, 0.1), rgba(0.1, 0.8, 0.1), rgba(0.1, 0.1, 0.9), rgba(0.9, 0.9, 0.1), rgba(0.1, 0.8, 0.9)}
	for i, shape := range []render.Shape{render.Box, render.Sphere, render.Cylinder, render.Capsule, render.Ellipsoid} {
		s.Geoms = append(s.Geoms, render.Geom{
			Shape: shape, Pose: at(0.1*float64(i%3)-0.1, 0.12*float64(i%2)-0.06, 0.03), Size: size(0.02, 0.03, 0.025), Color: hues[i], ID: i,
		})
	}
	const w, h = 160, 120
	c := above(w, h, 0.5)
	ids := render.IDs(s, c, image.Rectangle{})
	seen := map[int32]int{}
	for _, q := range []robot.Quality{robot.Plain, robot.Fine} {
		img := picture(s, c, q)
		for i, id := range ids {
			x, y := i%w, i/w
			seen[id]++
			if !farFromAnything(ids, w, h, x, y, 1) {
				continue
			}
			got, want := img.RGBAAt(x, y), rgba(0.5, 0.5, 0.5)
			if id != 100 {
				want = hues[id]
			}
			if !sameOrder(got, want) {
				t.Fatalf("quality %d: pixel (%d, %d) of geom %d is %v, want the hue of %v", q, x, y, id, got, want)
			}
		}
	}
	for _, id := range []int32{0, 1, 2, 3, 4, 100} {
		if seen[id] < 100 {
			t.Errorf("geom %d covers %d pixels, want more", id, seen[id])
		}
	}
}

// sameOrder says whether the channels that are strong in want are stronger in got than those that are weak.
func sameOrder(got color.RGBA, want [4]float32) bool {
	g := [3]float64{float64(got.R), float64(got.G), float64(got.B)}
	for i := range 3 {
		for j := range 3 {
			if want[i] > want[j]+0.3 && g[i] < g[j]+15 {
				return false
			}
			if want[i] == want[j] && math.Abs(g[i]-g[j]) > 25 {
				return false
			}
		}
	}
	return true
}

func TestQualitiesAgreeInTheOpen(t *testing.T) {
	s := &render.Scene{Geoms: tabletop().Geoms}
	const w, h = 160, 120
	c := frontCamera(w, h)
	plain, fine := picture(s, c, robot.Plain), picture(s, c, robot.Fine)
	ids := render.IDs(s, c, image.Rectangle{})
	same, all := 0, 0
	for i := range ids {
		x, y := i%w, i/w
		if !farFromAnything(ids, w, h, x, y, 1) {
			continue
		}
		all++
		p, f := plain.RGBAAt(x, y), fine.RGBAAt(x, y)
		if apart(p, f) <= 1 {
			same++
		}
		if ids[i] == 0 && (f.R > p.R+1 || f.G > p.G+1 || f.B > p.B+1) {
			t.Fatalf("pixel (%d, %d) is %v in Fine and %v in Plain: shadows do not brighten", x, y, f, p)
		}
	}
	if share := float64(same) / float64(all); share < 0.5 {
		t.Errorf("%.0f %% of the pixels away from edges agree, want at least half", 100*share)
	}
}

func TestEdgesOfFineAreMixed(t *testing.T) {
	s := one(render.Geom{Shape: render.Plane, Color: rgba(0, 0, 0)})
	s.Geoms = append(s.Geoms, render.Geom{
		Shape: render.Box, Pose: turned(at(0, 0, 0.001), geom.RotZ(0.3)), Size: size(0.1, 0.1, 0.001), Color: rgba(1, 1, 1),
	})
	c := above(80, 60, 0.5)
	for _, tt := range []struct {
		q        robot.Quality
		min, max int
	}{{robot.Plain, 0, 0}, {robot.Fine, 30, 90}} {
		img := picture(s, c, tt.q)
		between := 0
		for i := 0; i < len(img.Pix); i += 4 {
			if v := img.Pix[i]; v > 60 && v < 200 {
				between++
			}
		}
		if between < tt.min || between > tt.max {
			t.Errorf("quality %d: %d grey pixels between white and black, want %d to %d", tt.q, between, tt.min, tt.max)
		}
	}
}

// underLamp is a floating plate that the camera does not see, above an empty table; its shadow is straight below.
func underLamp(pose geom.Pose) *render.Scene {
	l := render.Studio()
	l.Dir = [3]float64{0, 0, 1}
	s := one(render.Geom{Shape: render.Plane, Color: rgba(0.5, 0.5, 0.5)})
	s.Light = l
	s.Geoms = append(s.Geoms, render.Geom{Shape: render.Box, Pose: pose, Size: size(0.05, 0.05, 0.002), Color: rgba(1, 1, 1)})
	return s
}

func TestShadowsLieWhereTheLampIsHidden(t *testing.T) {
	s := underLamp(at(0, 0, 0.60)) // above the camera
	c := above(200, 200, 0.5)
	plain, fine := picture(s, c, robot.Plain), picture(s, c, robot.Fine)
	perMetre := c.Intrinsics.Fx / 0.5
	soft := s.Light.Spread * 0.598
	for _, tt := range []struct {
		name     string
		x        float64 // metres from the middle
		min, max float64 // share of the lamp
	}{
		{"umbra", 0.05 - soft - 0.01 + 0.003, 0, 0.1},
		{"edge", 0.05, 0.3, 0.7},
		{"outside", 0.05 + soft + 0.004, 1, 1},
	} {
		px := 100 + int(tt.x*perMetre)
		got := lampShare(s.Light, plain.RGBAAt(px, 100), fine.RGBAAt(px, 100))
		if got < tt.min-0.02 || got > tt.max+0.02 {
			t.Errorf("%s: %.2f of the lamp reaches the table %.3f m from the middle, want %.2f to %.2f", tt.name, got, tt.x, tt.min, tt.max)
		}
	}
}

// lampShare is how much of the lamp a grey table gets, from its colour with and without shadow.
func lampShare(l render.Light, open, shaded color.RGBA) float64 {
	lin := func(v uint8) float64 { return math.Pow((float64(v)/255+0.055)/1.055, 2.4) }
	all := l.Lamp[1] + l.Sky[1]
	return (lin(shaded.G)/lin(open.G)*all - l.Sky[1]) / l.Lamp[1]
}

func TestContactDarkensTheTable(t *testing.T) {
	s := underLamp(at(0, 0, 0))
	s.Geoms[1] = render.Geom{Shape: render.Box, Pose: at(0, 0, 0.03), Size: size(0.03, 0.03, 0.03), Color: rgba(1, 0, 0)}
	c := above(200, 200, 0.5)
	fine := picture(s, c, robot.Fine)
	perMetre := c.Intrinsics.Fx / 0.5
	// The block's top hides the table beside it up to 34 mm on this side.
	near, far := fine.RGBAAt(100+int(0.038*perMetre), 100), fine.RGBAAt(100+int(0.12*perMetre), 100)
	if near.G+8 > far.G {
		t.Errorf("table beside the block %v, far from it %v: want it darker at the block", near, far)
	}
}

func TestTextureAlternates(t *testing.T) {
	for name, g := range map[string]render.Geom{
		"plane": {Shape: render.Plane},
		"box":   {Shape: render.Box, Size: size(0.3, 0.3, 0.05), Pose: at(0, 0, -0.05)},
	} {
		g.Color, g.Texture = rgba(1, 1, 1), &render.Texture{Color: [4]float32{0, 0, 0, 1}, SquareM: 0.05}
		c := above(100, 100, 0.5)
		for _, q := range []robot.Quality{robot.Plain, robot.Fine} {
			img := picture(one(g), c, q)
			for _, p := range []geom.Vec{{X: 0.025, Y: 0.025}, {X: 0.075, Y: 0.025}, {X: 0.075, Y: 0.075}, {X: -0.025, Y: 0.025}, {X: -0.025, Y: -0.075}} {
				u, v, _ := c.Intrinsics.Project(c.Pose.Inv().Apply(p))
				white := (int(math.Floor(p.X/0.05))+int(math.Floor(p.Y/0.05)))%2 == 0
				if got := img.RGBAAt(int(u), int(v)).R; (got > 128) != white {
					t.Errorf("%s, quality %d: square at %v has brightness %d, white is %v", name, q, p, got, white)
				}
			}
		}
	}
}

func TestScaledLightScalesThePicture(t *testing.T) {
	s := one(render.Geom{Shape: render.Plane, Color: rgba(0.5, 0.5, 0.5)})
	before := picture(s, above(8, 8, 0.5), robot.Plain).RGBAAt(4, 4).R
	for _, f := range []float64{0.75, 1.25} {
		s.Light = render.Studio().Scaled(f)
		want := 255 * (1.055*math.Pow(f*math.Pow((float64(before)/255+0.055)/1.055, 2.4), 1/2.4) - 0.055)
		if got := picture(s, above(8, 8, 0.5), robot.Plain).RGBAAt(4, 4).R; math.Abs(float64(got)-want) > 1.5 {
			t.Errorf("light %v: brightness %d, want %.1f", f, got, want)
		}
	}
}
