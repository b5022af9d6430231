package episode

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/rein-robotics/rein/robot"
)

// ImageName is the file, without its ending, of an observation's image: of "o12.front_camera" on the field image it is
// "images/o12_front_camera.image". Endings: .jpg or .png as captured, .depth.png its depth, .sent.jpg as a model saw it.
func ImageName(id, field string) string {
	observation, module, _ := strings.Cut(id, ".")
	return "images/" + observation + "_" + module + "." + field
}

var imagePattern = regexp.MustCompile(`^images/[A-Za-z0-9_-][A-Za-z0-9._-]*\.(jpg|png)$`)

// SaveImage puts an image into the current episode before an event or a turn names it. name is "images/….jpg" or
// ".png"; saving the same name again is an error, since what was logged stays. Without an episode it does nothing.
func (l *Log) SaveImage(name string, data []byte) error {
	if !imagePattern.MatchString(name) {
		return fmt.Errorf("saving image: %q is no name of an image", name)
	}
	l.mu.Lock()
	f, err := l.cur, l.err
	l.mu.Unlock()
	if f == nil || err != nil {
		return err
	}
	path := filepath.Join(f.dir, "logs", filepath.FromSlash(name))
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("saving image: %s is there already", name)
	}
	if err := l.guard("saving an image", func() error { return writeFile(path, data) }); err != nil {
		return err
	}
	l.mu.Lock()
	l.images[name] = f.dir
	l.mu.Unlock()
	return nil
}

// guard is within for the files that their callers write.
func (l *Log) guard(what string, write func() error) error {
	done := make(chan error, 1)
	go func() { done <- write() }() // ends with the write; when that is stuck for ever, so is the disk
	t := time.NewTimer(fileLimit)
	defer t.Stop()
	var err error
	select {
	case err = <-done:
	case <-t.C:
		err = fmt.Errorf("not done after %v; is the disk still there?", fileLimit)
	}
	if err == nil {
		return nil
	}
	l.fail(fmt.Errorf("%s: %w; make room on the disk or choose another --record folder", what, err))
	return l.Err()
}

// fileLimit is how long writing a whole file may take.
const fileLimit = 10 * time.Second

// settle makes sure that every image that e names lies in the current episode: one of an earlier episode is copied.
func (l *Log) settle(e Event) error {
	for _, name := range imagesOf(e) {
		if err := l.settleImage(name); err != nil {
			return err
		}
	}
	return nil
}

func (l *Log) settleImage(name string) error {
	l.mu.Lock()
	f, dir := l.cur, l.images[name]
	l.mu.Unlock()
	switch {
	case f == nil || dir == f.dir:
		return nil
	case dir == "":
		return fmt.Errorf("episode log: image %s is named and was never saved", name)
	}
	data, err := os.ReadFile(filepath.Join(dir, "logs", filepath.FromSlash(name)))
	if err != nil {
		return fmt.Errorf("episode log: %w", err)
	}
	return l.SaveImage(name, data)
}

// imagesOf are the image files that an event names.
func imagesOf(e Event) []string {
	switch e := e.(type) {
	case MonitorFrame:
		return e.Images
	case MonitorAnswer:
		return e.Images
	}
	return nil
}

// depthUnit is one step of a depth image, metres.
const depthUnit = 0.0001

// EncodeDepth is d as a 16-bit PNG of steps of 0.1 mm; 0 is no return, and so is what is farther than 6.5535 m. Where the
// picture is only a part of the capture, the PNG begins at that part's corner all the same.
func EncodeDepth(d *robot.Depth) ([]byte, error) {
	if d == nil || d.Rect.Empty() {
		return nil, errors.New("encoding depth: there is none")
	}
	img := image.NewGray16(image.Rect(0, 0, d.Rect.Dx(), d.Rect.Dy()))
	for i, m := range d.Pix {
		v := math.Round(float64(m) / depthUnit)
		if !(v >= 0 && v <= math.MaxUint16) {
			v = 0
		}
		img.SetGray16(i%d.Rect.Dx(), i/d.Rect.Dx(), color.Gray16{Y: uint16(v)})
	}
	var b bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := enc.Encode(&b, img); err != nil {
		return nil, fmt.Errorf("encoding depth: %w", err)
	}
	return b.Bytes(), nil
}

// DecodeDepth reads what EncodeDepth wrote; its corner is at 0, 0.
func DecodeDepth(data []byte) (*robot.Depth, error) {
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("decoding depth: %w", err)
	}
	gray, ok := img.(*image.Gray16)
	if !ok {
		return nil, errors.New("decoding depth: the PNG is not 16-bit grey")
	}
	r := gray.Bounds()
	d := &robot.Depth{Rect: r, Pix: make([]float32, r.Dx()*r.Dy())}
	for i := range d.Pix {
		d.Pix[i] = float32(float64(gray.Gray16At(r.Min.X+i%r.Dx(), r.Min.Y+i/r.Dx()).Y) * depthUnit)
	}
	return d, nil
}

// QuantiseDepth is d as it will be read from the log: a reasoner that is given it decides the same in a replay.
func QuantiseDepth(d *robot.Depth) *robot.Depth {
	if d == nil {
		return nil
	}
	out := &robot.Depth{Rect: d.Rect, Pix: make([]float32, len(d.Pix))}
	for i, m := range d.Pix {
		if v := math.Round(float64(m) / depthUnit); v >= 0 && v <= math.MaxUint16 {
			out.Pix[i] = float32(v * depthUnit)
		}
	}
	return out
}

// mediaEnding is the file ending of an image.
func mediaEnding(media string) string {
	if path.Base(media) == "png" {
		return ".png"
	}
	return ".jpg"
}
