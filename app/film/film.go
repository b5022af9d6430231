package film

import (
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"time"

	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/sim/render"
)

// Every is how much of the robot clock lies between two pictures.
const Every = 200 * time.Millisecond

// lastStands is how long the last picture stands.
const lastStands = 2 * time.Second

// ahead is how many pictures may wait to be drawn.
const ahead = 64

// Busy says what Shoot does while too many pictures wait.
type Busy int

// Wait holds the caller up, for a world that waits; Skip leaves the picture out, for a world that does not.
const (
	Wait Busy = iota
	Skip
)

// Options say what is filmed.
type Options struct {
	Path   string // of the file; it appears when the film is closed
	Camera render.Camera
	Busy   Busy
}

// Shot is one picture to be drawn. The scene belongs to the film from the call on.
type Shot struct {
	At    time.Duration // robot clock
	Scene *render.Scene
	Lines [2]string // below the picture
}

// Film draws and writes pictures on its own goroutine. Whoever started it closes it.
type Film struct {
	o     Options
	shots chan Shot
	done  chan struct{} // closed when everything is written; then err is set
	err   error

	// owned by the goroutine
	file   *os.File
	gif    *gifWriter
	render render.Renderer
	size   image.Point // of the picture without the caption
	colors *palette
	below  *caption
	pix    []uint8
	stands Shot // the shot that pix shows; Scene nil before the first
	last   [2]string
}

// Start begins a film. It fails when the folder cannot be written.
func Start(o Options) (*Film, error) {
	file, err := os.CreateTemp(filepath.Dir(o.Path), ".film-*.tmp")
	if err != nil {
		return nil, fmt.Errorf("making the film: %w", err)
	}
	in := o.Camera.Intrinsics
	f := &Film{
		o: o, shots: make(chan Shot, ahead), done: make(chan struct{}), file: file, below: newCaption(in.Width),
		size: image.Pt(in.Width, in.Height), pix: make([]uint8, in.Width*(in.Height+captionHigh)),
	}
	go f.run()
	return f, nil
}

// Shoot hands over the next picture. Only one goroutine at a time may call it, and not after Close.
func (f *Film) Shoot(s Shot) {
	if f.o.Busy == Wait {
		f.shots <- s
		return
	}
	select {
	case f.shots <- s:
	default:
	}
}

// Close shows the last picture once more with a closing text below, waits until everything is drawn, and puts the file
// in its place. Without any shot there is no file, and an error.
func (f *Film) Close(text string) error {
	f.last = wrap(text, columns(f.o.Camera.Intrinsics.Width))
	close(f.shots)
	<-f.done
	return f.err
}

func (f *Film) run() {
	defer close(f.done)
	for s := range f.shots {
		f.next(s)
	}
	f.err = f.finish()
}

// next draws a picture. How long the one before stands is only known now.
func (f *Film) next(s Shot) {
	if f.stands.Scene != nil {
		f.gif.frame(f.pix, s.At-f.stands.At)
	}
	f.paint(s)
	f.stands = s
}

// paint brings pix up to date, drawing only what may have changed.
func (f *Film) paint(s Shot) {
	w := f.size.X
	if r := changed(f.stands.Scene, s.Scene, f.o.Camera); !r.Empty() {
		img, _ := f.render.Render(s.Scene, f.o.Camera, render.Options{Region: r, Quality: robot.Fine})
		if f.colors == nil {
			f.colors = newPalette(img, s.Scene)
			f.gif = newGIF(f.file, image.Pt(w, f.size.Y+captionHigh), &f.colors.colors)
		}
		for y := r.Min.Y; y < r.Max.Y; y++ {
			row := img.Pix[img.PixOffset(r.Min.X, y):][:4*r.Dx()]
			out := f.pix[y*w+r.Min.X:][:r.Dx()]
			for x := range out {
				out[x] = f.colors.index(row[4*x], row[4*x+1], row[4*x+2])
			}
		}
	}
	f.below.draw(f.pix[w*f.size.Y:], s.Lines)
}

func (f *Film) finish() error {
	err := errors.Join(f.end(), f.file.Chmod(0o644))
	if cerr := f.file.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.file.Name(), f.o.Path)
	}
	if err == nil {
		return nil
	}
	return errors.Join(fmt.Errorf("making the film: %w", err), os.Remove(f.file.Name()))
}

var errNoShot = errors.New("there was nothing to see")

// end writes the last two frames: the picture as it stands, and the same with the closing text.
func (f *Film) end() error {
	if f.stands.Scene == nil {
		return errNoShot
	}
	f.gif.frame(f.pix, Every)
	f.below.draw(f.pix[f.size.X*f.size.Y:], f.last)
	f.gif.frame(f.pix, lastStands)
	return f.gif.end()
}
