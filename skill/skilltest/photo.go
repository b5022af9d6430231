package skilltest

import (
	"image"
	"image/color"
	"math"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
)

// Block is a box that a picture shows, turned by Yaw about the vertical.
type Block struct {
	Middle geom.Vec // metres, world
	Size   geom.Vec
	Yaw    float64
	Color  color.RGBA // zero = red
}

// OnTable is a block standing on the table.
func OnTable(x, y, yaw float64, size geom.Vec) Block {
	return Block{Middle: geom.Vec{X: x, Y: y, Z: size.Z / 2}, Size: size, Yaw: yaw}
}

// OpenBox are the floor and the walls of a box that is open at the top, 4 mm thick.
func OpenBox(x, y, yaw float64, inner geom.Vec) []Block {
	const w = 0.004
	s, c := math.Sincos(yaw)
	part := func(u, v, z float64, size geom.Vec) Block {
		return Block{Middle: geom.Vec{X: x + c*u - s*v, Y: y + s*u + c*v, Z: z}, Size: size, Yaw: yaw, Color: color.RGBA{240, 240, 240, 255}}
	}
	mid := w + inner.Z/2
	return []Block{
		part(0, 0, w/2, geom.Vec{X: inner.X + 2*w, Y: inner.Y + 2*w, Z: w}),
		part(inner.X/2+w/2, 0, mid, geom.Vec{X: w, Y: inner.Y + 2*w, Z: inner.Z}),
		part(-inner.X/2-w/2, 0, mid, geom.Vec{X: w, Y: inner.Y + 2*w, Z: inner.Z}),
		part(0, inner.Y/2+w/2, mid, geom.Vec{X: inner.X, Y: w, Z: inner.Z}),
		part(0, -inner.Y/2-w/2, mid, geom.Vec{X: inner.X, Y: w, Z: inner.Z}),
	}
}

// Photo is what the camera above the foot of the arm sees of blocks on a grey table, 640 × 480, without noise.
func Photo(blocks ...Block) *robot.Frame {
	in := geom.Pinhole(640, 480, geom.Rad(48))
	pose := geom.LookAt(geom.Vec{X: 0.02, Z: 0.80}, geom.Vec{X: 0.25}, geom.Vec{Z: 1})
	rect := image.Rect(0, 0, in.Width, in.Height)
	f := &robot.Frame{Camera: "camera", Seq: 1, Intrinsics: in, Pose: pose, Mount: robot.MountFixed, Region: rect, Color: image.NewRGBA(rect)}
	f.Depth = &robot.Depth{Rect: rect, Pix: make([]float32, rect.Dx()*rect.Dy())}
	view := geom.View{Intrinsics: in, Pose: pose}
	seen := make([]target, len(blocks))
	for i := range blocks {
		seen[i] = blocks[i].from(pose.Pos)
	}
	for y := range in.Height {
		for x := range in.Width {
			start, dir := view.Ray(float64(x)+0.5, float64(y)+0.5)
			best, shade := -start.Z/dir.Z, color.RGBA{120, 120, 120, 255}
			for i := range seen {
				if k := seen[i].hit(dir); k < best {
					best, shade = k, blocks[i].shade()
				}
			}
			ray := in.Unproject(float64(x)+0.5, float64(y)+0.5, 1)
			f.Depth.Pix[y*in.Width+x] = float32(best / math.Sqrt(ray.X*ray.X+ray.Y*ray.Y+1))
			f.Color.SetRGBA(x, y, shade)
		}
	}
	return f
}

func (b *Block) shade() color.RGBA {
	if b.Color == (color.RGBA{}) {
		return color.RGBA{200, 30, 30, 255}
	}
	return b.Color
}

// target is a block in its own frame, as rays from one place meet it.
type target struct {
	sin, cos float64
	eye      [3]float64
	half     [3]float64
}

func (b *Block) from(eye geom.Vec) target {
	s, c := math.Sincos(-b.Yaw)
	t := target{sin: s, cos: c, half: [3]float64{b.Size.X / 2, b.Size.Y / 2, b.Size.Z / 2}}
	t.eye = t.turn(geom.Vec{X: eye.X - b.Middle.X, Y: eye.Y - b.Middle.Y, Z: eye.Z - b.Middle.Z})
	return t
}

func (t *target) turn(v geom.Vec) [3]float64 {
	return [3]float64{t.cos*v.X - t.sin*v.Y, t.sin*v.X + t.cos*v.Y, v.Z}
}

// hit is how far along a direction the block is met; +Inf where it is not.
func (t *target) hit(d geom.Vec) float64 {
	v := t.turn(d)
	near, far := 0.0, math.Inf(1)
	for i, half := range t.half {
		if v[i] == 0 {
			if math.Abs(t.eye[i]) > half {
				return math.Inf(1)
			}
			continue
		}
		a, e := (-half-t.eye[i])/v[i], (half-t.eye[i])/v[i]
		near, far = max(near, min(a, e)), min(far, max(a, e))
		if near > far {
			return math.Inf(1)
		}
	}
	return near
}
