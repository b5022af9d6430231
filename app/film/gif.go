package film

import (
	"bufio"
	"bytes"
	"compress/lzw"
	"encoding/binary"
	"image"
	"io"
	"time"
)

// untouched is the palette entry that leaves a pixel as it was.
const untouched = 255

// gifWriter writes an animated GIF frame by frame, and of each frame only what has changed. The standard library's
// encoder wants all frames in memory.
type gifWriter struct {
	w      *bufio.Writer
	size   image.Point
	before []uint8 // the picture that stands; nil before the first frame
	diff   []uint8
	data   bytes.Buffer
	err    error // of the underlying writer; it stays
}

// newGIF writes the header. colors are 256 × RGB; the last one is never seen.
func newGIF(w io.Writer, size image.Point, colors *[768]byte) *gifWriter {
	g := &gifWriter{w: bufio.NewWriterSize(w, 1<<16), size: size}
	g.put([]byte("GIF89a"))
	g.words(size.X, size.Y)
	g.put([]byte{0xf7, 0, 0}) // a table of 256 colours for all frames
	g.put(colors[:])
	g.put([]byte{0x21, 0xff, 11})
	g.put([]byte("NETSCAPE2.0"))
	g.put([]byte{3, 1, 0, 0, 0}) // for ever
	return g
}

// frame writes a picture that stands for the given time. pix is read only.
func (g *gifWriter) frame(pix []uint8, stands time.Duration) {
	r := g.changes(pix)
	cs := min(max((stands+5*time.Millisecond)/(10*time.Millisecond), 2), 65535)
	g.put([]byte{0x21, 0xf9, 4, 1<<2 | 1}) // leave it in place; one colour is clear
	g.words(int(cs))
	g.put([]byte{untouched, 0, 0x2c})
	g.words(r.Min.X, r.Min.Y, r.Dx(), r.Dy())
	g.put([]byte{0})
	g.pack()
	g.before = append(g.before[:0], pix...)
}

// changes fills diff with what differs from the picture before, within the returned rectangle.
func (g *gifWriter) changes(pix []uint8) image.Rectangle {
	g.diff = g.diff[:0]
	whole := image.Rectangle{Max: g.size}
	if g.before == nil {
		g.diff = append(g.diff, pix...)
		return whole
	}
	var r image.Rectangle
	for y := range g.size.Y {
		row, old := pix[y*g.size.X:][:g.size.X], g.before[y*g.size.X:][:g.size.X]
		if bytes.Equal(row, old) {
			continue
		}
		lo, hi := 0, g.size.X
		for row[lo] == old[lo] {
			lo++
		}
		for row[hi-1] == old[hi-1] {
			hi--
		}
		r = r.Union(image.Rect(lo, y, hi, y+1))
	}
	if r.Empty() {
		r = image.Rect(0, 0, 1, 1)
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for i := y*g.size.X + r.Min.X; i < y*g.size.X+r.Max.X; i++ {
			if pix[i] == g.before[i] {
				g.diff = append(g.diff, untouched)
			} else {
				g.diff = append(g.diff, pix[i])
			}
		}
	}
	return r
}

// pack compresses diff into blocks of at most 255 bytes.
func (g *gifWriter) pack() {
	g.data.Reset()
	z := lzw.NewWriter(&g.data, lzw.LSB, 8)
	_, err := z.Write(g.diff)
	if cerr := z.Close(); err == nil {
		err = cerr
	}
	if err != nil && g.err == nil {
		g.err = err
	}
	g.put([]byte{8})
	for b := g.data.Bytes(); len(b) > 0; {
		n := min(len(b), 255)
		g.put([]byte{byte(n)})
		g.put(b[:n])
		b = b[n:]
	}
	g.put([]byte{0})
}

// end writes the trailer and says whether everything was written.
func (g *gifWriter) end() error {
	g.put([]byte{0x3b})
	if err := g.w.Flush(); g.err == nil {
		g.err = err
	}
	return g.err
}

func (g *gifWriter) words(ns ...int) {
	for _, n := range ns {
		g.put(binary.LittleEndian.AppendUint16(nil, uint16(n)))
	}
}

func (g *gifWriter) put(b []byte) {
	if g.err == nil {
		_, g.err = g.w.Write(b)
	}
}
