package render_test

import (
	"bytes"
	"image"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/sim/render"
)

// crop is a region's part of a whole picture, as the bytes and depths of a picture of the region.
func crop(img *image.RGBA, d *robot.Depth, region image.Rectangle) (pix []byte, depth []float32) {
	for y := region.Min.Y; y < region.Max.Y; y++ {
		pix = append(pix, img.Pix[img.PixOffset(region.Min.X, y):img.PixOffset(region.Max.X-1, y)+4]...)
		from := (y-d.Rect.Min.Y)*d.Rect.Dx() + region.Min.X - d.Rect.Min.X
		depth = append(depth, d.Pix[from:from+region.Dx()]...)
	}
	return pix, depth
}

func TestRegionIsThatPartOfTheWholePicture(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		s, c := tabletop(), frontCamera(96, 72)
		if r.IntN(2) == 0 {
			s, c = randomScene(r), randomCamera(r, 96, 72)
		}
		o := render.Options{Quality: robot.Quality(r.IntN(2)), Noise: render.Sensor(r.Uint64(), r.Uint64())}
		x, y := r.IntN(90), r.IntN(70)
		region := image.Rect(x, y, x+1+r.IntN(96-x), y+1+r.IntN(72-y))
		var rr render.Renderer
		img, depth := rr.Render(s, c, o)
		wantPix, wantDepth := crop(img, depth, region)
		o.Region = region
		img, depth = rr.Render(s, c, o)
		gotPix, gotDepth := crop(img, depth, region)
		if !bytes.Equal(gotPix, wantPix) {
			t.Fatalf("colour of %v, quality %d, is not that of the whole picture", region, o.Quality)
		}
		if !slices.Equal(gotDepth, wantDepth) {
			t.Fatalf("depth of %v, quality %d, is not that of the whole picture", region, o.Quality)
		}
	})
}

func TestPictureDoesNotDependOnWhatWasDrawnBefore(t *testing.T) {
	for _, q := range []robot.Quality{robot.Plain, robot.Fine} {
		o := render.Options{Quality: q, Noise: render.Sensor(1, 2)}
		var fresh, used render.Renderer
		wantImg, wantDepth := fresh.Render(tabletop(), frontCamera(80, 60), o)
		for seed := range uint64(5) {
			r := rand.New(rand.NewPCG(seed, 1))
			used.Render(randomScene(r), randomCamera(r, 120, 90), render.Options{Quality: robot.Quality(seed % 2)})
		}
		gotImg, gotDepth := used.Render(tabletop(), frontCamera(80, 60), o)
		if !bytes.Equal(gotImg.Pix, wantImg.Pix) || !slices.Equal(gotDepth.Pix, wantDepth.Pix) {
			t.Errorf("quality %d: a used renderer draws another picture than a new one", q)
		}
	}
}

func TestPicturesAreTheCallersOwn(t *testing.T) {
	var r render.Renderer
	img, depth := r.Render(tabletop(), frontCamera(32, 24), render.Options{})
	pix, pts := slices.Clone(img.Pix), slices.Clone(depth.Pix)
	r.Render(&render.Scene{}, frontCamera(32, 24), render.Options{})
	if !bytes.Equal(img.Pix, pix) || !slices.Equal(depth.Pix, pts) {
		t.Error("a later picture changed an earlier one")
	}
}

func TestQualitiesShareDepthAndNoise(t *testing.T) {
	var r render.Renderer
	for _, n := range []*render.Noise{nil, render.Sensor(4, 9)} {
		_, plain := r.Render(tabletop(), frontCamera(96, 72), render.Options{Noise: n})
		_, fine := r.Render(tabletop(), frontCamera(96, 72), render.Options{Quality: robot.Fine, Noise: n})
		if !slices.Equal(plain.Pix, fine.Pix) {
			t.Errorf("noise %v: depth of Fine differs from that of Plain", n)
		}
	}
}
