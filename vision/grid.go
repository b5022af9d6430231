package vision

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"strconv"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"
)

// The margins that hold the labels of a grid, in sent pixels.
const (
	marginLeft = 30
	marginTop  = 16
	tickLength = 4
)

// gridStep is the distance of grid lines in sent pixels: about eight on the longer side, always a round number.
func gridStep(longest int) int {
	for _, s := range [...]int{10, 20, 50, 100, 200} {
		if longest <= 10*s {
			return s
		}
	}
	return 500
}

// drawGrid draws faint lines over the content and their labels, the pixels of the image as sent, into the margins.
func drawGrid(img *image.RGBA, v View) {
	margin := color.RGBA{24, 24, 24, 255}
	draw.Draw(img, image.Rect(0, 0, v.Size.X, v.Content.Min.Y), image.NewUniform(margin), image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(0, 0, v.Content.Min.X, v.Size.Y), image.NewUniform(margin), image.Point{}, draw.Src)
	step := gridStep(max(v.Content.Dx(), v.Content.Dy()))
	last := -100
	for x := firstLine(v.Content.Min.X, step); x < v.Size.X; x += step {
		for y := v.Content.Min.Y; y < v.Size.Y; y++ {
			gridPen(img, x, y).tint(x, y, 0.22)
		}
		text := strconv.Itoa(x)
		if at := min(x-textWidth(text)/2, v.Size.X-textWidth(text)); at > last+6 {
			label(img, image.Pt(at, 11), text, color.RGBA{235, 235, 235, 255})
			last = at + textWidth(text)
			for y := v.Content.Min.Y - tickLength; y < v.Content.Min.Y; y++ {
				img.SetRGBA(x, y, color.RGBA{235, 235, 235, 255})
			}
		}
	}
	for y := firstLine(v.Content.Min.Y, step); y < v.Size.Y; y += step {
		for x := v.Content.Min.X; x < v.Size.X; x++ {
			gridPen(img, x, y).tint(x, y, 0.22)
		}
		text := strconv.Itoa(y)
		label(img, image.Pt(v.Content.Min.X-tickLength-1-textWidth(text), min(y+5, v.Size.Y-1)), text, color.RGBA{235, 235, 235, 255})
		for x := v.Content.Min.X - tickLength; x < v.Content.Min.X; x++ {
			img.SetRGBA(x, y, color.RGBA{235, 235, 235, 255})
		}
	}
}

// firstLine is the first multiple of step at or after from.
func firstLine(from, step int) int { return (from + step - 1) / step * step }

// gridPen is white on dark pixels and black on bright ones, so that a line is seen on both.
func gridPen(img *image.RGBA, x, y int) pen {
	p := pen{img: img, c: color.RGBA{255, 255, 255, 255}}
	if c := img.RGBAAt(x, y); int(c.R)+int(c.G)+int(c.B) > 3*128 {
		p.c = color.RGBA{0, 0, 0, 255}
	}
	return p
}

// textWidth is the width of a label in pixels.
func textWidth(s string) int { return font.MeasureString(basicfont.Face7x13, s).Ceil() }

// label writes text with its baseline's left end at p.
func label(img *image.RGBA, p image.Point, text string, c color.RGBA) {
	d := font.Drawer{Dst: img, Src: image.NewUniform(c), Face: basicfont.Face7x13, Dot: fixed.P(p.X, p.Y)}
	d.DrawString(text)
}

// drawMark draws one mark on the content of an image that is sent.
func drawMark(img *image.RGBA, v View, m *Mark) {
	p := pen{img: img.SubImage(v.Content).(*image.RGBA), c: m.Color}
	if p.c == (color.RGBA{}) {
		p.c = color.RGBA{40, 230, 90, 255}
	}
	if m.Mask != nil {
		p.mask(v, m.Mask)
	}
	at := image.Point{X: -1}
	if m.Point != nil {
		x, y := v.ToSent(m.Point[0], m.Point[1])
		at = image.Pt(int(math.Floor(x)), int(math.Floor(y)))
		p.cross(at)
	}
	if !m.Box.Empty() {
		x0, y0 := v.ToSent(float64(m.Box.Min.X), float64(m.Box.Min.Y))
		x1, y1 := v.ToSent(float64(m.Box.Max.X), float64(m.Box.Max.Y))
		r := image.Rect(int(math.Floor(x0)), int(math.Floor(y0)), int(math.Ceil(x1)), int(math.Ceil(y1)))
		p.outline(r)
		at = image.Pt(r.Min.X, r.Min.Y-10)
	}
	if m.Label != "" && (m.Point != nil || !m.Box.Empty()) {
		p.tag(at, m.Label)
	}
}

// pen draws in one colour; what lies outside its picture is left out.
type pen struct {
	img *image.RGBA
	c   color.RGBA
}

// tint mixes the colour into a pixel.
func (p pen) tint(x, y int, share float64) {
	if !(image.Point{X: x, Y: y}).In(p.img.Rect) {
		return
	}
	o := p.img.PixOffset(x, y)
	mix := func(old, now uint8) uint8 { return uint8(math.Round(float64(old)*(1-share) + float64(now)*share)) }
	px := p.img.Pix[o : o+4]
	px[0], px[1], px[2], px[3] = mix(px[0], p.c.R), mix(px[1], p.c.G), mix(px[2], p.c.B), 255
}

// dark is the same pen in black.
func (p pen) dark() pen { return pen{img: p.img, c: color.RGBA{0, 0, 0, 255}} }

// mask colours the pixels of a mask and makes its border clear.
func (p pen) mask(v View, m *Mask) {
	in := func(x, y int) bool {
		cx, cy := v.ToCapture(float64(x)+0.5, float64(y)+0.5)
		return m.At(int(math.Floor(cx)), int(math.Floor(cy)))
	}
	b := p.img.Rect
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if !in(x, y) {
				continue
			}
			share := 0.30
			if !in(x-1, y) || !in(x+1, y) || !in(x, y-1) || !in(x, y+1) {
				share = 0.85
			}
			p.tint(x, y, share)
		}
	}
}

// cross draws a small cross with a dark border.
func (p pen) cross(at image.Point) {
	for d := -7; d <= 7; d++ {
		for o := -1; o <= 1; o++ {
			p.dark().tint(at.X+d, at.Y+o, 0.5)
			p.dark().tint(at.X+o, at.Y+d, 0.5)
		}
	}
	for d := -6; d <= 6; d++ {
		p.tint(at.X+d, at.Y, 1)
		p.tint(at.X, at.Y+d, 1)
	}
}

// outline draws the border of r.
func (p pen) outline(r image.Rectangle) {
	for x := r.Min.X; x < r.Max.X; x++ {
		p.tint(x, r.Min.Y, 1)
		p.tint(x, r.Max.Y-1, 1)
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		p.tint(r.Min.X, y, 1)
		p.tint(r.Max.X-1, y, 1)
	}
}

// tag writes a label on a dark ground near at, inside the picture.
func (p pen) tag(at image.Point, text string) {
	w, b := textWidth(text)+4, p.img.Rect
	x := min(max(at.X+3, b.Min.X), max(b.Min.X, b.Max.X-w))
	y := min(max(at.Y-3, b.Min.Y), max(b.Min.Y, b.Max.Y-14))
	for j := y; j < y+14; j++ {
		for i := x; i < x+w; i++ {
			p.dark().tint(i, j, 0.6)
		}
	}
	label(p.img, image.Pt(x+2, y+11), text, p.c)
}
