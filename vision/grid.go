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
			tint(img, x, y, gridTint(img, x, y), 0.22)
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
			tint(img, x, y, gridTint(img, x, y), 0.22)
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

// gridTint is white on dark pixels and black on bright ones, so that a line is seen on both.
func gridTint(img *image.RGBA, x, y int) color.RGBA {
	c := img.RGBAAt(x, y)
	if int(c.R)+int(c.G)+int(c.B) > 3*128 {
		return color.RGBA{0, 0, 0, 255}
	}
	return color.RGBA{255, 255, 255, 255}
}

// tint mixes c into a pixel.
func tint(img *image.RGBA, x, y int, c color.RGBA, share float64) {
	if !(image.Point{X: x, Y: y}).In(img.Rect) {
		return
	}
	o := img.PixOffset(x, y)
	mix := func(old, now uint8) uint8 { return uint8(math.Round(float64(old)*(1-share) + float64(now)*share)) }
	p := img.Pix[o : o+4]
	p[0], p[1], p[2], p[3] = mix(p[0], c.R), mix(p[1], c.G), mix(p[2], c.B), 255
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
	c := m.Color
	if c == (color.RGBA{}) {
		c = color.RGBA{40, 230, 90, 255}
	}
	dst := img.SubImage(v.Content).(*image.RGBA)
	if m.Mask != nil {
		tintMask(dst, v, m.Mask, c)
	}
	at := image.Point{X: -1}
	if m.Point != nil {
		x, y := v.ToSent(m.Point[0], m.Point[1])
		at = image.Pt(int(math.Floor(x)), int(math.Floor(y)))
		cross(dst, at, c)
	}
	if !m.Box.Empty() {
		x0, y0 := v.ToSent(float64(m.Box.Min.X), float64(m.Box.Min.Y))
		x1, y1 := v.ToSent(float64(m.Box.Max.X), float64(m.Box.Max.Y))
		r := image.Rect(int(math.Floor(x0)), int(math.Floor(y0)), int(math.Ceil(x1)), int(math.Ceil(y1)))
		outline(dst, r, c)
		at = image.Pt(r.Min.X, r.Min.Y-10)
	}
	if m.Label != "" && (m.Point != nil || !m.Box.Empty()) {
		tag(dst, v.Content, at, m.Label, c)
	}
}

// tintMask colours the pixels of a mask and makes its border clear.
func tintMask(dst *image.RGBA, v View, m *Mask, c color.RGBA) {
	b := dst.Rect
	in := func(x, y int) bool {
		cx, cy := v.ToCapture(float64(x)+0.5, float64(y)+0.5)
		return m.At(int(math.Floor(cx)), int(math.Floor(cy)))
	}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if !in(x, y) {
				continue
			}
			share := 0.30
			if !in(x-1, y) || !in(x+1, y) || !in(x, y-1) || !in(x, y+1) {
				share = 0.85
			}
			tint(dst, x, y, c, share)
		}
	}
}

// cross draws a small cross with a dark border.
func cross(dst *image.RGBA, p image.Point, c color.RGBA) {
	dark := color.RGBA{0, 0, 0, 255}
	for d := -7; d <= 7; d++ {
		for o := -1; o <= 1; o++ {
			tint(dst, p.X+d, p.Y+o, dark, 0.5)
			tint(dst, p.X+o, p.Y+d, dark, 0.5)
		}
	}
	for d := -6; d <= 6; d++ {
		tint(dst, p.X+d, p.Y, c, 1)
		tint(dst, p.X, p.Y+d, c, 1)
	}
}

// outline draws the border of r.
func outline(dst *image.RGBA, r image.Rectangle, c color.RGBA) {
	for x := r.Min.X; x < r.Max.X; x++ {
		tint(dst, x, r.Min.Y, c, 1)
		tint(dst, x, r.Max.Y-1, c, 1)
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		tint(dst, r.Min.X, y, c, 1)
		tint(dst, r.Max.X-1, y, c, 1)
	}
}

// tag writes a label on a dark ground near p, inside the content.
func tag(dst *image.RGBA, content image.Rectangle, p image.Point, text string, c color.RGBA) {
	w := textWidth(text) + 4
	x := min(max(p.X+3, content.Min.X), max(content.Min.X, content.Max.X-w))
	y := min(max(p.Y-3, content.Min.Y), max(content.Min.Y, content.Max.Y-14))
	for j := y; j < y+14; j++ {
		for i := x; i < x+w; i++ {
			tint(dst, i, j, color.RGBA{0, 0, 0, 255}, 0.6)
		}
	}
	label(dst, image.Pt(x+2, y+11), text, c)
}
