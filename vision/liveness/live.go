package liveness

import (
	"bytes"
	"image"

	"github.com/rein-robotics/rein/robot"
)

// Live judges one picture: cur is neither black nor all white, and not to the byte what prev is, an earlier picture of the
// same camera (nil = none is known). When ok is false, reason says why in a few words.
func Live(prev, cur *robot.Frame) (reason string, ok bool) {
	switch {
	case cur == nil || cur.Color == nil || cur.Color.Rect.Empty():
		return "the camera gives no picture", false
	case dark(cur.Color):
		return "the picture is black", false
	case blinded(cur.Color):
		return "the picture is all white", false
	case prev == nil || prev == cur || prev.Color == nil:
		return "", true
	case samePixels(prev, cur):
		return "the picture has not changed by a single pixel, the camera is frozen", false
	}
	return "", true
}

// dark says whether nearly no pixel is brighter than sensor noise.
func dark(img *image.RGBA) bool {
	return shareOf(img, func(r, g, b uint8) bool { return max(r, g, b) > 16 }) < 0.005
}

// blinded says whether nearly every pixel is at the end of the scale.
func blinded(img *image.RGBA) bool {
	return shareOf(img, func(r, g, b uint8) bool { return min(r, g, b) < 248 }) < 0.005
}

// shareOf is the share of pixels, one in nine, for which is holds.
func shareOf(img *image.RGBA, is func(r, g, b uint8) bool) float64 {
	n, all := 0, 0
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y += 3 {
		p := img.Pix[img.PixOffset(img.Rect.Min.X, y):]
		for i := 0; i < img.Rect.Dx(); i += 3 {
			all++
			if is(p[4*i], p[4*i+1], p[4*i+2]) {
				n++
			}
		}
	}
	return float64(n) / float64(max(1, all))
}

// samePixels says whether the part that both frames have is the same to the byte.
func samePixels(a, b *robot.Frame) bool {
	r := a.Color.Rect.Intersect(b.Color.Rect)
	if r.Empty() {
		return false
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		pa := a.Color.Pix[a.Color.PixOffset(r.Min.X, y):][:4*r.Dx()]
		pb := b.Color.Pix[b.Color.PixOffset(r.Min.X, y):][:4*r.Dx()]
		if !bytes.Equal(pa, pb) {
			return false
		}
	}
	return true
}
