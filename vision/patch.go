package vision

import (
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
