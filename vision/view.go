package vision

import (
	"image"
	"math"
)

// View says how an image that was sent came from a capture: which part of it, at what scale, behind which margins, so that
// a point in the image as sent can be mapped back. The zero View maps nothing.
//
// Both sides count in continuous pixels: pixel (i, j) covers [i, i+1) × [j, j+1), so a whole pixel is meant by its
// centre (i+0.5, j+0.5).
type View struct {
	Capture image.Point     // size of the whole capture
	Crop    image.Rectangle // the part of the capture that is shown, capture pixels
	Content image.Rectangle // where that part lies in the image as sent; what is left and above are margins
	Size    image.Point     // of the image as sent, margins included
}

// NewView shows crop (empty = everything) of a capture in an image whose longer side is at most maxSide (0 = no limit),
// with a margin of left and top pixels for labels. It never enlarges.
func NewView(capture image.Point, crop image.Rectangle, maxSide int, margin image.Point) View {
	whole := image.Rectangle{Max: capture}
	if crop = crop.Intersect(whole); crop.Empty() {
		crop = whole
	}
	scale := 1.0
	if maxSide > 0 {
		scale = min(scale, float64(maxSide-margin.X)/float64(crop.Dx()), float64(maxSide-margin.Y)/float64(crop.Dy()))
	}
	w := max(1, int(math.Floor(float64(crop.Dx())*scale+1e-9)))
	h := max(1, int(math.Floor(float64(crop.Dy())*scale+1e-9)))
	return View{
		Capture: capture,
		Crop:    crop,
		Content: image.Rect(margin.X, margin.Y, margin.X+w, margin.Y+h),
		Size:    image.Pt(margin.X+w, margin.Y+h),
	}
}

// Scale is how many sent pixels one capture pixel takes along x and y. They differ by rounding only.
func (v View) Scale() (sx, sy float64) {
	if v.Crop.Empty() {
		return 0, 0
	}
	return float64(v.Content.Dx()) / float64(v.Crop.Dx()), float64(v.Content.Dy()) / float64(v.Crop.Dy())
}

// ToCapture maps a point of the image as sent to the capture. The result may lie outside the crop: see Shows.
func (v View) ToCapture(x, y float64) (cx, cy float64) {
	sx, sy := v.Scale()
	if sx == 0 || sy == 0 {
		return math.NaN(), math.NaN()
	}
	return float64(v.Crop.Min.X) + (x-float64(v.Content.Min.X))/sx, float64(v.Crop.Min.Y) + (y-float64(v.Content.Min.Y))/sy
}

// ToSent is the inverse of ToCapture.
func (v View) ToSent(cx, cy float64) (x, y float64) {
	sx, sy := v.Scale()
	return float64(v.Content.Min.X) + (cx-float64(v.Crop.Min.X))*sx, float64(v.Content.Min.Y) + (cy-float64(v.Crop.Min.Y))*sy
}

// Shows says whether a point of the image as sent lies on the picture: not in a margin, not outside the image.
func (v View) Shows(x, y float64) bool {
	return x >= float64(v.Content.Min.X) && x < float64(v.Content.Max.X) &&
		y >= float64(v.Content.Min.Y) && y < float64(v.Content.Max.Y)
}
