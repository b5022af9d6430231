package vision

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/draw"

	"github.com/rein-robotics/rein/robot"
)

// Grid says whether an image that is sent carries a labelled pixel grid.
type Grid int

// Without and with a grid.
const (
	GridOff Grid = iota
	GridOn
)

// Format is a file format of images.
type Format string

// The formats that images are sent and kept in.
const (
	JPEG Format = "image/jpeg"
	PNG  Format = "image/png"
)

// Mark is something drawn on the copy of a picture that is sent. All its places are capture pixels.
type Mark struct {
	Mask  *Mask           // tinted
	Box   image.Rectangle // outlined; empty = none
	Point *[2]float64     // a cross
	Label string          // beside the box, else the point
	Color color.RGBA      // the zero value is a clear green
}

// SendOptions say how a picture is made ready for a model.
type SendOptions struct {
	MaxSide int // longest side of the image as sent, margins included; 0 = no limit
	Grid    Grid
	Crop    image.Rectangle // capture pixels; empty = all that the frame has
	Marks   []Mark
}

// Sent is a picture as a model sees it, with the way back to the capture.
type Sent struct {
	Image *image.RGBA
	View  View
}

// Send makes the copy of a frame that a model sees. The frame's own picture stays as it was.
func Send(f *robot.Frame, o SendOptions) (Sent, error) {
	if f == nil || f.Color == nil || f.Color.Rect.Empty() {
		return Sent{}, fmt.Errorf("send picture: the frame has none")
	}
	crop := f.Color.Rect
	if !o.Crop.Empty() {
		if crop = o.Crop.Intersect(crop); crop.Empty() {
			return Sent{}, fmt.Errorf("send picture: the part %v lies outside the frame %v", o.Crop, f.Color.Rect)
		}
	}
	margin := image.Point{}
	if o.Grid == GridOn {
		margin = image.Pt(marginLeft, marginTop)
	}
	if o.MaxSide > 0 && (o.MaxSide <= margin.X || o.MaxSide <= margin.Y) {
		return Sent{}, fmt.Errorf("send picture: %d pixels leave no room beside the grid's labels, which take %d", o.MaxSide, margin.X)
	}
	size := image.Pt(max(f.Intrinsics.Width, f.Color.Rect.Max.X), max(f.Intrinsics.Height, f.Color.Rect.Max.Y))
	v := NewView(size, crop, o.MaxSide, margin)
	img := image.NewRGBA(image.Rectangle{Max: v.Size})
	if v.Content.Size() == crop.Size() {
		draw.Copy(img, v.Content.Min, f.Color, crop, draw.Src, nil)
	} else {
		draw.CatmullRom.Scale(img, v.Content, f.Color, crop, draw.Src, nil)
	}
	for i := range o.Marks {
		drawMark(img, v, &o.Marks[i])
	}
	if o.Grid == GridOn {
		drawGrid(img, v)
	}
	return Sent{Image: img, View: v}, nil
}

// Encode writes an image as a file: JPEG at quality 90, PNG at the quickest compression.
func Encode(img image.Image, f Format) ([]byte, error) {
	var b bytes.Buffer
	var err error
	switch f {
	case JPEG:
		err = jpeg.Encode(&b, img, &jpeg.Options{Quality: 90})
	case PNG:
		err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img)
	default:
		return nil, fmt.Errorf("encode image: unknown format %q; known are %s and %s", f, JPEG, PNG)
	}
	if err != nil {
		return nil, fmt.Errorf("encode image: %v", err)
	}
	return b.Bytes(), nil
}
