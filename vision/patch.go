package vision

import (
	"bytes"
	"image"
	"math"

	"github.com/rein-robotics/rein/robot"
)

// patchSide is the side of the square, in capture pixels, by which two looks at one point are compared.
const patchSide = 25

// PatchRegion is the part of the capture that PatchDiff looks at: what to request for the newer frame.
func PatchRegion(at [2]float64) image.Rectangle {
	x, y := int(math.Floor(at[0])), int(math.Floor(at[1]))
	return image.Rect(x-patchSide/2, y-patchSide/2, x+patchSide/2+1, y+patchSide/2+1)
}

// PatchDiff is how much the picture around the capture pixel at has changed from old to new: the mean absolute
// difference in steps of 1/255 over 25 × 25 capture pixels, after taking each patch's mean brightness away. Frames may
// be regions; only pixels that both have are compared. When they share less than a quarter of the patch, or differ in the
// capture's size, nothing can be said and the answer is +Inf.
func PatchDiff(old, new *robot.Frame, at [2]float64) float64 {
	if old == nil || new == nil || old.Color == nil || new.Color == nil ||
		old.Intrinsics.Width != new.Intrinsics.Width || old.Intrinsics.Height != new.Intrinsics.Height {
		return math.Inf(1)
	}
	r := PatchRegion(at).Intersect(old.Color.Rect).Intersect(new.Color.Rect)
	n := r.Dx() * r.Dy()
	if 4*n < patchSide*patchSide {
		return math.Inf(1)
	}
	mo, mn := meanBrightness(old.Color, r), meanBrightness(new.Color, r)
	var sum float64
	for y := r.Min.Y; y < r.Max.Y; y++ {
		a := old.Color.Pix[old.Color.PixOffset(r.Min.X, y):]
		b := new.Color.Pix[new.Color.PixOffset(r.Min.X, y):]
		for i := range r.Dx() {
			for ch := range 3 {
				sum += math.Abs(float64(a[4*i+ch]) - mo - float64(b[4*i+ch]) + mn)
			}
		}
	}
	return sum / float64(3*n)
}

// meanBrightness is the mean of all three channels over r.
func meanBrightness(img *image.RGBA, r image.Rectangle) float64 {
	sum := 0
	for y := r.Min.Y; y < r.Max.Y; y++ {
		p := img.Pix[img.PixOffset(r.Min.X, y):]
		for i := range r.Dx() {
			sum += int(p[4*i]) + int(p[4*i+1]) + int(p[4*i+2])
		}
	}
	return float64(sum) / float64(3*r.Dx()*r.Dy())
}

// Live says whether a camera shows the world: cur is not dark, and its noise differs from that of prev, an earlier frame
// of the same camera (nil = none known). When ok is false, reason says why in a few words.
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
