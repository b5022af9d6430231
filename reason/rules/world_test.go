package rules_test

import (
	"image"
	"math"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/sim/render"
)

// object is one thing on the test's table.
type object struct {
	shape string // box, lying, mug, open_box, drawer, button, patch
	rgb   [3]float64
	pos   geom.Vec // of its underside
	yaw   float64
	size  [3]float64 // metres: extents; radius and length; radius and height; inner extents
	open  float64    // of a drawer
}

// world is a table that actions change at once, without physics.
type world struct {
	objects []*object
	held    *object
	light   float64
	seq     uint64
	dark    bool
}

var (
	bronze = [3]float64{0.75, 0.55, 0.2}
	white  = [3]float64{1, 1, 1}
	red    = [3]float64{0.85, 0.12, 0.1}
	blue   = [3]float64{0.1, 0.25, 0.8}
	green  = [3]float64{0.1, 0.6, 0.2}
	purple = [3]float64{0.5, 0.25, 0.65}
	brown  = [3]float64{0.55, 0.38, 0.22}
	yellow = [3]float64{0.95, 0.85, 0.1}
	table  = [3]float64{0.58, 0.585, 0.59}
)

func battery(x, y, yaw float64) *object {
	return &object{shape: "lying", rgb: bronze, pos: geom.Vec{X: x, Y: y}, yaw: yaw, size: [3]float64{0.007, 0.05}}
}

func block(rgb [3]float64, x, y float64) *object {
	return &object{shape: "box", rgb: rgb, pos: geom.Vec{X: x, Y: y}, yaw: 0.2, size: [3]float64{0.035, 0.035, 0.035}}
}

func box(rgb [3]float64, x, y float64) *object {
	return &object{shape: "open_box", rgb: rgb, pos: geom.Vec{X: x, Y: y}, yaw: 0.4, size: [3]float64{0.12, 0.16, 0.06}}
}

func mug(x, y float64) *object {
	return &object{shape: "mug", rgb: purple, pos: geom.Vec{X: x, Y: y}, yaw: 1, size: [3]float64{0.027, 0.06}}
}

func drawer(x, y, yaw float64) *object {
	return &object{shape: "drawer", rgb: brown, pos: geom.Vec{X: x, Y: y}, yaw: yaw, size: [3]float64{0.11, 0.13, 0.05}}
}

func button(x, y float64) *object {
	return &object{shape: "button", rgb: yellow, pos: geom.Vec{X: x, Y: y}, size: [3]float64{0.02}}
}

// batteries is the scene of most tests: three batteries and a white box on the left.
func batteries() *world {
	return &world{objects: []*object{battery(0.25, -0.08, 0.5), battery(0.22, 0.02, 1.7), battery(0.31, 0, -0.7), box(white, 0.22, 0.20)}}
}

// mirrored is the world with left and right changed.
func (w *world) mirrored() *world {
	m := *w
	m.objects = nil
	for _, o := range w.objects {
		c := *o
		c.pos.Y, c.yaw = -c.pos.Y, -c.yaw
		m.objects = append(m.objects, &c)
	}
	return &m
}

// extents are an object's size along its own x, y and z.
func (o *object) extents() (x, y, z float64) {
	switch o.shape {
	case "lying":
		return o.size[1], 2 * o.size[0], 2 * o.size[0]
	case "mug":
		return 2 * o.size[0], 2 * o.size[0], o.size[1]
	case "open_box":
		return o.size[0] + 0.008, o.size[1] + 0.008, o.size[2] + 0.004
	case "drawer":
		return o.size[0] + 0.018, o.size[1] + 0.018, o.size[2] + 0.018
	case "button":
		return 2 * o.size[0], 2 * o.size[0], 0.024
	}
	return o.size[0], o.size[1], o.size[2]
}

// local is p in the object's own frame, on the table.
func (o *object) local(p geom.Vec) (x, y float64) {
	sin, cos := math.Sincos(o.yaw)
	dx, dy := p.X-o.pos.X, p.Y-o.pos.Y
	return dx*cos + dy*sin, dy*cos - dx*sin
}

// over says whether p lies over the object.
func (o *object) over(p geom.Vec) bool {
	x, y := o.local(p)
	ex, ey, _ := o.extents()
	return math.Abs(x) < ex/2+0.004 && math.Abs(y) < ey/2+0.004
}

// at is the object that p lies on, the highest one.
func (w *world) at(p geom.Vec) *object {
	var best *object
	for _, o := range w.objects {
		if o.shape != "patch" && o.over(p) && (best == nil || o.pos.Z > best.pos.Z || best.shape == "open_box") {
			best = o
		}
	}
	return best
}

// drop lets the held object go over p.
func (w *world) drop(p geom.Vec) {
	o := w.held
	w.held = nil
	o.pos = geom.Vec{X: p.X, Y: p.Y}
	under := w.at(p)
	for _, d := range w.objects {
		if d.shape == "drawer" && d.open > 0 && under == nil {
			if x, y := d.local(p); x < 0 && x > -d.size[0]/2-d.open && math.Abs(y) < d.size[1]/2 {
				o.pos.Z = 0.006
			}
		}
	}
	if under != nil {
		_, _, h := under.extents()
		o.pos.Z = under.pos.Z + h
		if under.shape == "open_box" {
			o.pos.Z = 0.004
		}
	}
	w.objects = append(w.objects, o)
}

// slide opens a drawer by so much, with what lies in it.
func (w *world) slide(d *object, by float64) {
	sin, cos := math.Sincos(d.yaw)
	for _, o := range w.objects {
		if x, y := d.local(o.pos); o != d && o.pos.Z == 0.006 && x < d.size[0]/2 && x > -d.size[0]/2-d.open && math.Abs(y) < d.size[1]/2 {
			o.pos.X, o.pos.Y = o.pos.X-by*cos, o.pos.Y-by*sin
		}
	}
	d.open += by
}

// painter collects the geoms of one object.
type painter struct {
	out  *[]render.Geom
	base geom.Pose
	rgb  [3]float64
}

func local(x, y, z float64) geom.Pose {
	return geom.Pose{Pos: geom.Vec{X: x, Y: y, Z: z}, Rot: geom.Rot{Real: 1}}
}

func (p painter) put(s render.Shape, at geom.Pose, size geom.Vec) {
	c := [4]float32{float32(p.rgb[0]), float32(p.rgb[1]), float32(p.rgb[2]), 1}
	*p.out = append(*p.out, render.Geom{Shape: s, Pose: p.base.Mul(at), Size: size, Color: c})
}

func (p painter) block(at geom.Pose, x, y, z float64) {
	p.put(render.Box, at, geom.Vec{X: x / 2, Y: y / 2, Z: z / 2})
}

// paint builds the object as the simulator's scenes do.
func (o *object) paint(out *[]render.Geom) {
	p := painter{out: out, base: geom.Pose{Pos: o.pos, Rot: geom.RotZ(o.yaw)}, rgb: o.rgb}
	a, b, c := o.size[0], o.size[1], o.size[2]
	switch o.shape {
	case "box":
		p.block(local(0, 0, c/2), a, b, c)
	case "patch":
		p.block(local(0, 0, 0.0001), a, b, 0.0002)
	case "lying":
		p.put(render.Cylinder, geom.Pose{Pos: geom.Vec{Z: a}, Rot: geom.RotY(math.Pi / 2)}, geom.Vec{X: a, Y: b / 2})
	case "mug":
		p.mug(a, b)
	case "open_box":
		p.tray(local(0, 0, 0), a, b, c)
	case "drawer":
		p.drawer(a, b, c, o.open)
	case "button":
		dark := p
		dark.rgb = [3]float64{0.16, 0.16, 0.17}
		dark.block(local(0, 0, 0.006), 2*a+0.016, 2*a+0.016, 0.012)
		p.put(render.Cylinder, local(0, 0, 0.018), geom.Vec{X: a, Y: 0.006})
	}
}

func (p painter) mug(r, h float64) {
	const staves, wall = 16, 0.004
	p.put(render.Cylinder, local(0, 0, wall/2), geom.Vec{X: r, Y: wall / 2})
	for i := range staves {
		turn := geom.Pose{Rot: geom.RotZ(2 * math.Pi * float64(i) / staves)}
		p.block(turn.Mul(local(r-wall/2, 0, h/2)), wall, 2*r*math.Tan(math.Pi/staves), h)
	}
	p.block(local(r+0.015, 0, h/2), 0.006, 0.012, h*0.55)
}

// tray is an open box with inner extents x, y, z.
func (p painter) tray(at geom.Pose, x, y, z float64) {
	const w = 0.004
	p.block(at.Mul(local(0, 0, w/2)), x+2*w, y+2*w, w)
	for _, s := range []float64{-1, 1} {
		p.block(at.Mul(local(s*(x+w)/2, 0, w+z/2)), w, y+2*w, z)
		p.block(at.Mul(local(0, s*(y+w)/2, w+z/2)), x, w, z)
	}
}

func (p painter) drawer(x, y, z, open float64) {
	const w, play = 0.004, 0.002
	ox, oy, oz := x+4*w+play, y+4*w+play, z+4*w+play
	p.block(local(0, 0, w/2), ox, oy, w)
	p.block(local(0, 0, oz-w/2), ox, oy, w)
	p.block(local(ox/2-w/2, 0, oz/2), w, oy, oz-2*w)
	for _, s := range []float64{-1, 1} {
		p.block(local(-w/2, s*(oy/2-w/2), oz/2), ox-w, w, oz-2*w)
	}
	tray := local(-ox/2+w+x/2-open, 0, w+play/4)
	p.tray(tray, x, y, z)
	bar := tray.Pos.X - x/2 - w - 0.030
	grip := p
	grip.rgb = [3]float64{p.rgb[0] * 0.35, p.rgb[1] * 0.35, p.rgb[2] * 0.35}
	grip.block(local(bar, 0, 0.035), 0.010, 0.06, 0.010)
	for _, s := range []float64{-1, 1} {
		grip.block(local(bar+0.0175, s*0.027, 0.035), 0.025, 0.006, 0.010)
	}
}

// lens is one camera of the rig.
type lens struct {
	name  string
	mount robot.Mount
	pose  geom.Pose
	fovy  float64
}

func front() lens {
	return lens{name: "eye", mount: robot.MountFixed, fovy: 48, pose: geom.LookAt(geom.Vec{X: 0.02, Z: 0.80}, geom.Vec{X: 0.25}, geom.Vec{Z: 1})}
}

// carried is a camera beside a gripper, at the pose from which it sees the table.
func carried() lens {
	return lens{name: "hand_eye", mount: robot.MountMoving, fovy: 70, pose: geom.LookAt(geom.Vec{X: 0.16, Z: 0.48}, geom.Vec{X: 0.18}, geom.Vec{X: 1})}
}

// imageWidth is that of the test's pictures: small, to be quick, and large enough to tell things apart.
const imageWidth = 480

// picture takes a picture of the world; region empty = the whole.
func (w *world) picture(l lens, region image.Rectangle) *robot.Frame {
	w.seq++
	in := geom.Pinhole(imageWidth, imageWidth*3/4, l.fovy*math.Pi/180)
	sc := &render.Scene{Background: render.Background{Zenith: [3]float32{0.8, 0.84, 0.9}, Horizon: [3]float32{0.62, 0.64, 0.67}}}
	if w.light != 0 {
		sc.Light = render.Studio().Scaled(w.light)
	}
	sc.Geoms = append(sc.Geoms, render.Geom{Shape: render.Plane, Pose: geom.Identity(), Color: [4]float32{float32(table[0]), float32(table[1]), float32(table[2]), 1}})
	for _, o := range w.objects {
		o.paint(&sc.Geoms)
	}
	var r render.Renderer
	color, depth := r.Render(sc, render.Camera{Intrinsics: in, Pose: l.pose}, render.Options{Region: region, Noise: render.Sensor(7, w.seq)})
	if w.dark {
		clear(color.Pix)
	}
	return &robot.Frame{Camera: l.name, Seq: w.seq, Intrinsics: in, Pose: l.pose, Mount: l.mount, Region: color.Rect, Color: color, Depth: depth}
}
