package episode

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Overlay is what one tracker marked on one camera frame, in the pixels of the whole capture.
type Overlay struct {
	Field string        // that the tracker publishes on, "front_camera/target"
	At    time.Duration // capture time, robot clock
	Size  image.Point   // width and height of the capture

	// The first that is set is written: the mask, else the box, else the point.
	Mask  func(x, y int) bool // nil = none
	Box   image.Rectangle     // with a mask, its bounds
	Point *[3]float64         // x, y, visibility in %
}

// PostOverlay adds a line to overlays/<module>.<field>.jsonl of the current episode, in its place in the order, and does
// not wait. Without an episode, or with nothing to mark, it does nothing.
func (l *Log) PostOverlay(o Overlay) {
	line, err := o.line(l.opt.Now())
	if line == nil && err == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.cur == nil {
		return
	}
	dir := l.cur.dir
	l.queue = append(l.queue, item{do: func() error {
		if err == nil {
			err = l.within("writing an overlay", func() error { return appendLine(overlayFile(dir, o.Field), line) })
		}
		return err
	}})
	l.wake()
}

// overlayFile is the file of a field's overlays.
func overlayFile(dir, field string) string {
	return filepath.Join(dir, "logs", "overlays", strings.ReplaceAll(field, "/", ".")+".jsonl")
}

func appendLine(path string, line []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	if err := writeAll(f, line); err != nil {
		_ = f.Close() // the write's error says more
		return err
	}
	return f.Close()
}

// line is the overlay as it is written, nil when nothing is marked.
func (o Overlay) line(now time.Time) ([]byte, error) {
	marks := map[string]any{}
	switch {
	case o.Mask != nil:
		data, err := o.maskPNG()
		if err != nil {
			return nil, fmt.Errorf("overlay of %s: %w", o.Field, err)
		}
		marks["mask"] = base64.StdEncoding.EncodeToString(data)
	case !o.Box.Empty():
		marks["box"] = [4]int{o.Box.Min.X, o.Box.Min.Y, o.Box.Max.X, o.Box.Max.Y}
	case o.Point != nil:
		marks["point"] = *o.Point
	default:
		return nil, nil
	}
	line, err := marshal(map[string]any{
		"ts": now.UTC().Format(timeLayout), "sim_s": o.At.Seconds(), "size": [2]int{o.Size.Y, o.Size.X}, o.Field: marks,
	})
	return append(line, '\n'), err
}

// maskPNG is the mask as a picture of the capture's size, white where it is.
func (o Overlay) maskPNG() ([]byte, error) {
	img := image.NewPaletted(image.Rectangle{Max: o.Size}, color.Palette{color.Black, color.White})
	for y := o.Box.Min.Y; y < o.Box.Max.Y; y++ {
		for x := o.Box.Min.X; x < o.Box.Max.X; x++ {
			if o.Mask(x, y) {
				img.SetColorIndex(x, y, 1)
			}
		}
	}
	var b bytes.Buffer
	err := png.Encode(&b, img)
	return b.Bytes(), err
}
