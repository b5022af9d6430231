package robottest

import (
	"context"
	"errors"
	"fmt"
	"image"

	"github.com/rein-robotics/rein/robot"
)

// camera is one camera of the fake. Its pictures show a chequered table and a little noise that changes every period.
type camera struct {
	robot.Camera
	seq    uint64
	frozen *robot.Frame // the picture that is given again and again
}

// Frame takes a picture. While simulated time stands still it is there at once, else after one period.
func (f *Fake) Frame(ctx context.Context, r robot.FrameRequest) (*robot.Frame, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	still := f.clock.Still()
	f.mu.Lock()
	frame, err := f.shoot(r)
	stall := f.dials.stalled[r.Camera]
	next := f.stepped
	f.mu.Unlock()
	switch {
	case err != nil:
		return nil, err
	case stall:
		<-ctx.Done()
		return nil, context.Cause(ctx)
	case still:
		return frame, nil
	}
	select {
	case <-next:
		return frame, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (f *Fake) shoot(r robot.FrameRequest) (*robot.Frame, error) {
	c := f.cameras[r.Camera]
	switch {
	case f.closed:
		return nil, errors.New("fake robot: closed")
	case c == nil:
		return nil, fmt.Errorf("fake robot: no camera %q", r.Camera)
	case f.dials.blind[r.Camera] != nil:
		return nil, f.dials.blind[r.Camera]
	}
	c.seq++
	whole := image.Rect(0, 0, c.Intrinsics.Width, c.Intrinsics.Height)
	if r.Region.Empty() {
		r.Region = whole
	}
	r.Region = r.Region.Intersect(whole)
	if r.Region.Empty() {
		return nil, fmt.Errorf("fake robot: the region lies outside the picture of %s", r.Camera)
	}
	if f.dials.frozen[r.Camera] {
		return c.again(r.Region)
	}
	full := f.draw(c, r.Camera)
	c.frozen = full
	return part(full, r.Region, c.seq), nil
}

// again is the last picture with a new number and an old time, as a camera that hangs gives it.
func (c *camera) again(region image.Rectangle) (*robot.Frame, error) {
	if c.frozen == nil {
		return nil, errors.New("fake robot: the camera froze before its first picture")
	}
	return part(c.frozen, region, c.seq), nil
}

func part(full *robot.Frame, region image.Rectangle, seq uint64) *robot.Frame {
	out := *full
	out.Seq, out.Region = seq, region
	out.Color = image.NewRGBA(region)
	out.Depth = &robot.Depth{Rect: region, Pix: make([]float32, region.Dx()*region.Dy())}
	for y := region.Min.Y; y < region.Max.Y; y++ {
		from := full.Color.PixOffset(region.Min.X, y)
		copy(out.Color.Pix[out.Color.PixOffset(region.Min.X, y):], full.Color.Pix[from:from+4*region.Dx()])
		row := (y - region.Min.Y) * region.Dx()
		at := y*full.Region.Dx() + region.Min.X
		copy(out.Depth.Pix[row:row+region.Dx()], full.Depth.Pix[at:at+region.Dx()])
	}
	return &out
}

// draw is the whole picture: the table is the plane z = 0, chequered by 5 cm.
func (f *Fake) draw(c *camera, name string) *robot.Frame {
	whole := image.Rect(0, 0, c.Intrinsics.Width, c.Intrinsics.Height)
	pose := c.InWorld
	if c.Mount == robot.MountMoving {
		pose = f.arms[c.Arm].tip.Mul(c.InTool)
	}
	out := &robot.Frame{
		Camera: name, At: f.readings.At, Intrinsics: c.Intrinsics, Pose: pose, Mount: c.Mount, Region: whole,
		Color: image.NewRGBA(whole), Depth: &robot.Depth{Rect: whole, Pix: make([]float32, whole.Dx()*whole.Dy())},
	}
	noise := f.readings.Seq*2654435761 + 1
	for i := range out.Depth.Pix {
		x, y := i%whole.Dx(), i/whole.Dx()
		ray := pose.Apply(c.Intrinsics.Unproject(float64(x)+0.5, float64(y)+0.5, 1))
		level := uint8(30)
		if fall := pose.Pos.Z - ray.Z; fall > 0 && pose.Pos.Z > 0 {
			depth := pose.Pos.Z / fall
			out.Depth.Pix[i] = float32(depth)
			at := pose.Apply(c.Intrinsics.Unproject(float64(x)+0.5, float64(y)+0.5, depth))
			level = chequer(at.X, at.Y)
		}
		noise = noise*6364136223846793005 + 1442695040888963407
		level += uint8(noise >> 62)
		p := out.Color.Pix[4*i : 4*i+4]
		p[0], p[1], p[2], p[3] = level, level, level, 255
		if f.dials.black[name] {
			p[0], p[1], p[2] = 0, 0, 0
		}
	}
	return out
}

func chequer(x, y float64) uint8 {
	const side = 0.05
	if (int(x/side+1000)+int(y/side+1000))%2 == 0 {
		return 90
	}
	return 180
}
