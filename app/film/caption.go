package film

import (
	"image"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/inconsolata"
	"golang.org/x/image/math/fixed"
)

// Layout of the caption, in pixels.
const (
	glyphWide   = 8
	lineHigh    = 17
	marginX     = 2
	captionHigh = 2*lineHigh + 6
)

// caption draws two lines below the picture. Both are cut to the width.
type caption struct {
	mask *image.Alpha
}

func newCaption(width int) *caption {
	return &caption{mask: image.NewAlpha(image.Rect(0, 0, width, captionHigh))}
}

// columns is how many letters fit.
func columns(width int) int { return (width - 2*marginX) / glyphWide }

// draw fills pix, which begins where the caption does.
func (c *caption) draw(pix []uint8, lines [2]string) {
	w := c.mask.Rect.Dx()
	for i := range c.mask.Pix {
		c.mask.Pix[i] = 0
	}
	d := font.Drawer{Dst: c.mask, Src: image.Opaque, Face: inconsolata.Regular8x16}
	for i, line := range lines {
		d.Dot = fixed.P(marginX, 14+i*lineHigh)
		d.DrawString(shorten(line, columns(w)))
	}
	for i, a := range c.mask.Pix {
		pix[i] = uint8(firstInk + (int(a)*(inks-1)+127)/255)
	}
}

// shorten cuts a line at n letters and says so.
func shorten(line string, n int) string {
	letters := []rune(strings.Join(strings.Fields(line), " "))
	if len(letters) <= n {
		return string(letters)
	}
	return strings.TrimRight(string(letters[:n-3]), " ") + "..."
}

// wrap breaks a text between words into two lines of at most n letters; what does not fit is cut.
func wrap(text string, n int) [2]string {
	words := strings.Fields(text)
	first := ""
	for len(words) > 0 {
		next := strings.TrimLeft(first+" "+words[0], " ")
		if len([]rune(next)) > n && first != "" {
			break
		}
		first, words = next, words[1:]
	}
	return [2]string{shorten(first, n), shorten(strings.Join(words, " "), n)}
}
