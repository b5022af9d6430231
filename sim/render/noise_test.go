package render_test

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/sim/render"
)

// stats is mean and standard deviation.
func stats(v []float64) (mean, sigma float64) {
	for _, x := range v {
		mean += x
	}
	mean /= float64(len(v))
	for _, x := range v {
		sigma += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(sigma / float64(len(v)))
}

func correlation(a, b []float64) float64 {
	ma, sa := stats(a)
	mb, sb := stats(b)
	sum := 0.0
	for i := range a {
		sum += (a[i] - ma) * (b[i] - mb)
	}
	return sum / float64(len(a)) / sa / sb
}

// errorsOf is what noise added to an empty table: red, green, blue in steps of 1/255 and depth in metres.
func errorsOf(n *render.Noise) (out [4][]float64) {
	s, c := one(render.Geom{Shape: render.Plane}), above(160, 120, 0.5)
	var r render.Renderer
	clean, flat := r.Render(s, c, render.Options{})
	img, depth := r.Render(s, c, render.Options{Noise: n})
	for i := range flat.Pix {
		for ch := range 3 {
			out[ch] = append(out[ch], float64(img.Pix[4*i+ch])-float64(clean.Pix[4*i+ch]))
		}
		out[3] = append(out[3], float64(depth.Pix[i])-float64(flat.Pix[i]))
	}
	return out
}

func TestNoiseIsAsWideAsItSays(t *testing.T) {
	e := errorsOf(render.Sensor(1, 1))
	for ch, want := range []float64{2, 2, 2, 0.001} {
		mean, sigma := stats(e[ch])
		// Rounding to whole steps of colour adds 1/12 to the variance.
		if ch < 3 {
			sigma = math.Sqrt(sigma*sigma - 1.0/12)
		}
		if math.Abs(mean) > 0.05*want || math.Abs(sigma-want) > 0.03*want {
			t.Errorf("channel %d: mean %.5f, σ %.5f, want 0 and %v", ch, mean, sigma, want)
		}
		if most := slices.Max(e[ch]); most < 3*want || most > 5*want {
			t.Errorf("channel %d: largest error %v, want between 3σ and 5σ of %v", ch, most, want)
		}
	}
}

func TestNoiseRepeatsNothing(t *testing.T) {
	a, b, c := errorsOf(render.Sensor(1, 1)), errorsOf(render.Sensor(1, 2)), errorsOf(render.Sensor(2, 1))
	for name, r := range map[string]float64{
		"red-and-green":         correlation(a[0], a[1]),
		"green-and-blue":        correlation(a[1], a[2]),
		"blue-and-depth":        correlation(a[2], a[3]),
		"next-pixel":            correlation(a[0][1:], a[0][:len(a[0])-1]),
		"next-row":              correlation(a[0][160:], a[0][:len(a[0])-160]),
		"next-frame":            correlation(a[0], b[0]),
		"next-frame-depth":      correlation(a[3], b[3]),
		"next-frame-a-pixel-on": correlation(a[0][1:], b[0][:len(b[0])-1]),
		"other-seed":            correlation(a[0], c[0]),
	} {
		if math.Abs(r) > 0.03 {
			t.Errorf("%s: correlation %.3f, want none", name, r)
		}
	}
	if again := errorsOf(render.Sensor(1, 1)); !slices.Equal(again[0], a[0]) || !slices.Equal(again[3], a[3]) {
		t.Error("the same seed and frame gave other noise")
	}
}

func TestLiveCameraNeverRepeatsAFrame(t *testing.T) {
	var r render.Renderer
	seen := map[string]bool{}
	for seq := range uint64(50) {
		img, _ := r.Render(tabletop(), frontCamera(32, 24), render.Options{Noise: render.Sensor(1, seq)})
		seen[string(img.Pix)] = true
	}
	if len(seen) != 50 {
		t.Errorf("50 frames of a still scene had %d different pictures, want 50", len(seen))
	}
	a, _ := r.Render(tabletop(), frontCamera(32, 24), render.Options{})
	b, _ := r.Render(tabletop(), frontCamera(32, 24), render.Options{})
	if !bytes.Equal(a.Pix, b.Pix) {
		t.Error("frames without noise differ")
	}
}

func TestFlyingPixelsLieBetweenNearAndFarAtEdgesOnly(t *testing.T) {
	s := one(render.Geom{Shape: render.Plane})
	s.Geoms = append(s.Geoms, render.Geom{Shape: render.Box, Pose: at(0, 0, 0.05), Size: size(0.08, 0.08, 0.05), Color: rgba(1, 0, 0)})
	c := above(160, 120, 0.5)
	var r render.Renderer
	_, clean := r.Render(s, c, render.Options{})
	_, noisy := r.Render(s, c, render.Options{Noise: &render.Noise{Seed: 3, Flying: true}})
	changed, edges := 0, 0
	for y := 1; y < 119; y++ {
		for x := 1; x < 159; x++ {
			edge := edgeOf(clean, x, y)
			if edge {
				edges++
			}
			z := noisy.At(x, y)
			if z == clean.At(x, y) {
				continue
			}
			changed++
			if !edge || z < 0.4-1e-6 || z > 0.5+1e-6 {
				t.Fatalf("pixel (%d, %d) flies to %v (clean %v, edge %v), want only edges, between 0.4 and 0.5", x, y, z, clean.At(x, y), edge)
			}
		}
	}
	if share := float64(changed) / float64(edges); edges < 200 || share < 0.4 || share > 0.6 {
		t.Errorf("%d of %d edge pixels fly, want half of some hundreds", changed, edges)
	}
}

// edgeOf says whether one of the four neighbours is more than a centimetre nearer or farther.
func edgeOf(d *robot.Depth, x, y int) bool {
	z := d.At(x, y)
	for _, n := range [4]float64{d.At(x-1, y), d.At(x+1, y), d.At(x, y-1), d.At(x, y+1)} {
		if math.Abs(n-z) > 0.01 {
			return true
		}
	}
	return false
}

func TestPixelsWithoutDepthStayWithoutIt(t *testing.T) {
	var r render.Renderer
	_, d := r.Render(&render.Scene{}, above(32, 24, 0.5), render.Options{Noise: render.Sensor(1, 1)})
	if i := slices.IndexFunc(d.Pix, func(z float32) bool { return z != 0 }); i >= 0 {
		t.Errorf("depth of pixel %d of nothing = %v, want 0", i, d.Pix[i])
	}
}
