package sim

import (
	"context"
	"fmt"
	"hash/fnv"
	"image"
	"time"

	"github.com/rein-robotics/rein/clock"
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	world "github.com/rein-robotics/rein/sim"
	"github.com/rein-robotics/rein/sim/render"
)

// camera is one camera of the robot. It is guarded by the robot's mu.
type camera struct {
	name   string
	info   *robot.Camera
	arm    int    // of a moving camera
	salt   uint64 // of its noise
	seq    uint64
	faults []world.Fault
	past   []view // what a faulty camera may show, oldest first
}

// view is what a camera saw at one instant.
type view struct {
	tick  uint64 // of its noise
	at    time.Duration
	pose  geom.Pose
	scene *render.Scene
	clock uint64 // the count of periods that is drawn on it; 0 = none
}

// scratch is what one picture needs while it is drawn.
type scratch struct {
	renderer render.Renderer
	scene    render.Scene
}

func (r *Robot) addCameras(c *Config) error {
	for i := range c.Description.Modules {
		m := &c.Description.Modules[i]
		if m.Camera == nil {
			continue
		}
		cam := &camera{name: m.Name, info: m.Camera, salt: saltOf(i)}
		for j := range r.arms {
			if r.arms[j].name == m.Camera.Arm {
				cam.arm = j
			}
		}
		for _, f := range c.Scene.Faults {
			if f.Camera == m.Name {
				cam.faults = append(cam.faults, f)
			}
		}
		if in := m.Camera.Intrinsics; in.Width <= 0 || in.Height <= 0 || !(in.Fx > 0) || !(in.Fy > 0) {
			return fmt.Errorf("opening the simulated robot: camera %s has no picture size or focal length", m.Name)
		}
		r.cameras[m.Name] = cam
	}
	return nil
}

// saltOf keeps the noise of cameras apart, whatever they are called.
func saltOf(index int) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "camera %d", index)
	return h.Sum64()
}

// Frame takes a picture of the world as it stands at the call, and draws it on the caller's goroutine.
//
// At clock.Fast it is delivered at once: whoever needs a certain tick holds the clock until Frame has returned (the
// geometry is copied at the call, so after that the world may go on while the caller works on the picture). At clock.Real
// it is delivered at the end of the control period that was running or about to begin.
func (r *Robot) Frame(ctx context.Context, q robot.FrameRequest) (*robot.Frame, error) {
	r.mu.Lock()
	next := r.ticked
	r.mu.Unlock()
	f, err := r.take(ctx, q)
	if err != nil || r.pace == clock.Fast {
		return f, err
	}
	select {
	case <-next:
		return f, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for a picture of %s: %w", q.Camera, context.Cause(ctx))
	}
}

// take makes a picture of the present.
func (r *Robot) take(ctx context.Context, q robot.FrameRequest) (*robot.Frame, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("taking a picture of %s: %w", q.Camera, context.Cause(ctx))
	}
	r.mu.Lock()
	cam := r.cameras[q.Camera]
	if cam == nil || r.closed {
		closed := r.closed
		r.mu.Unlock()
		if closed {
			return nil, errClosed
		}
		return nil, fmt.Errorf("taking a picture: the robot has no camera %q", q.Camera)
	}
	whole := image.Rect(0, 0, cam.info.Intrinsics.Width, cam.info.Intrinsics.Height)
	region := whole
	if !q.Region.Empty() {
		region = q.Region.Intersect(whole)
	}
	if region.Empty() {
		r.mu.Unlock()
		return nil, fmt.Errorf("taking a picture of %s: the region %v lies outside its %d × %d pixels", q.Camera, q.Region, whole.Dx(), whole.Dy())
	}
	s := r.borrow()
	v, dark := r.look(cam, s)
	cam.seq++
	f := &robot.Frame{
		Camera: cam.name, Seq: cam.seq, At: r.world.Time(), Intrinsics: cam.info.Intrinsics, Pose: r.poseOf(cam),
		Mount: cam.info.Mount, Region: region,
	}
	if !dark && cam.late(f.At) { // it knows when its picture was taken; a frozen one believes that it is new
		f.At, f.Pose = v.at, v.pose
	}
	r.mu.Unlock()
	if dark {
		f.Color, f.Depth = black(region), &robot.Depth{Rect: region, Pix: make([]float32, region.Dx()*region.Dy())}
	} else {
		o := render.Options{Region: region, Quality: q.Quality}
		if r.noise {
			o.Noise = render.Sensor(r.seed^cam.salt, v.tick)
		}
		f.Color, f.Depth = s.renderer.Render(v.scene, render.Camera{Intrinsics: cam.info.Intrinsics, Pose: v.pose}, o)
		if v.clock > 0 {
			drawClock(f.Color, whole, v.clock)
		}
	}
	if !cam.info.Depth {
		f.Depth = nil
	}
	r.giveBack(s)
	return f, nil
}

func black(region image.Rectangle) *image.RGBA {
	img := image.NewRGBA(region)
	for i := 3; i < len(img.Pix); i += 4 {
		img.Pix[i] = 255
	}
	return img
}

// borrow takes scratch memory. It is called under mu.
func (r *Robot) borrow() *scratch {
	n := len(r.scratch)
	if n == 0 {
		return &scratch{scene: render.Scene{Light: r.light}}
	}
	s := r.scratch[n-1]
	r.scratch = r.scratch[:n-1]
	return s
}

func (r *Robot) giveBack(s *scratch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.scratch = append(r.scratch, s)
}

// poseOf is where a camera is now. It is called under mu.
func (r *Robot) poseOf(c *camera) geom.Pose {
	if c.info.Mount != robot.MountMoving {
		return c.info.InWorld
	}
	q := r.world.Joints(c.arm).Angles
	return r.arms[c.arm].arm.Chain.Tip(q).Mul(c.info.InTool)
}
