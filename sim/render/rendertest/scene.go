package rendertest

import (
	"image"
	"math"
	"math/rand/v2"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/sim/render"
	"github.com/rein-robotics/rein/vision/detect"
)

// Object is one thing of a test scene: what it is and where.
type Object struct {
	Kind   detect.Kind
	Shape  string     // box, lying, capsule, standing, sphere, mug, open_box, drawer, button
	Colour string     // the word that a person would use; "" = not checked
	RGB    [3]float64 // 0 to 1
	Pos    geom.Vec   // of its underside, world frame
	Yaw    float64    // about z, radians
	Size   [3]float64 // metres, by shape: extents; radius and length; inner extents
	Open   float64    // of a drawer, metres
}

// Scene is what a test puts on the table.
type Scene struct {
	Objects []Object
	Light   float64       // times the light of a studio; 0 = 1
	Extra   []render.Geom // drawn as they are
}

// Place is the pose at (x, y, z), not turned.
func Place(x, y, z float64) geom.Pose {
	return geom.Pose{Pos: geom.Vec{X: x, Y: y, Z: z}, Rot: geom.Rot{Real: 1}}
}

// painter collects the geoms of one object.
type painter struct {
	out  *[]render.Geom
	base geom.Pose
	rgb  [3]float64
}

func (p painter) put(s render.Shape, at geom.Pose, size geom.Vec) {
	p.shade(s, at, size, 1)
}

func (p painter) shade(s render.Shape, at geom.Pose, size geom.Vec, f float64) {
	c := [4]float32{float32(p.rgb[0] * f), float32(p.rgb[1] * f), float32(p.rgb[2] * f), 1}
	*p.out = append(*p.out, render.Geom{Shape: s, Pose: p.base.Mul(at), Size: size, Color: c})
}

// block is a box with the given full extents.
func (p painter) block(at geom.Pose, x, y, z float64) {
	p.put(render.Box, at, geom.Vec{X: x / 2, Y: y / 2, Z: z / 2})
}

// geoms builds the object as the simulator's scenes do.
func (o Object) geoms(out *[]render.Geom) {
	p := painter{out: out, base: geom.Pose{Pos: o.Pos, Rot: geom.RotZ(o.Yaw)}, rgb: o.RGB}
	a, b, c := o.Size[0], o.Size[1], o.Size[2]
	switch o.Shape {
	case "box":
		p.block(Place(0, 0, c/2), a, b, c)
	case "lying":
		p.put(render.Cylinder, geom.Pose{Pos: geom.Vec{Z: a}, Rot: geom.RotY(math.Pi / 2)}, geom.Vec{X: a, Y: b / 2})
	case "capsule":
		p.put(render.Capsule, geom.Pose{Pos: geom.Vec{Z: a}, Rot: geom.RotY(math.Pi / 2)}, geom.Vec{X: a, Y: b/2 - a})
	case "standing":
		p.put(render.Cylinder, Place(0, 0, b/2), geom.Vec{X: a, Y: b / 2})
	case "sphere":
		p.put(render.Sphere, Place(0, 0, a), geom.Vec{X: a})
	case "mug":
		p.mug(a, b)
	case "open_box":
		p.tray(Place(0, 0, 0), a, b, c, 0.004)
	case "drawer":
		p.drawer(a, b, c, o.Open)
	case "button":
		dark := p
		dark.rgb = [3]float64{0.16, 0.16, 0.17}
		dark.block(Place(0, 0, 0.006), 2*a+0.016, 2*a+0.016, 0.012)
		p.put(render.Cylinder, Place(0, 0, 0.012+0.006), geom.Vec{X: a, Y: 0.006})
	}
}

func (p painter) mug(r, h float64) {
	const staves, floor, wall, bar = 16, 0.004, 0.004, 0.006
	p.put(render.Cylinder, Place(0, 0, floor/2), geom.Vec{X: r, Y: floor / 2})
	for i := range staves {
		turn := geom.Pose{Rot: geom.RotZ(2 * math.Pi * float64(i) / staves)}
		p.block(turn.Mul(Place(r-wall/2, 0, h/2)), wall, 2*r*math.Tan(math.Pi/staves), h)
	}
	reach, tall := max(0.018, 0.6*r), h*0.55
	p.block(Place(r+reach-bar/2, 0, h/2), bar, 2*bar, tall)
	p.block(Place(r+reach/2-bar/2, 0, h/2+tall/2-bar/2), reach-bar, 2*bar, bar)
	p.block(Place(r+reach/2-bar/2, 0, h/2-tall/2+bar/2), reach-bar, 2*bar, bar)
}

// tray is an open box with inner extents x, y, z whose underside is at at.
func (p painter) tray(at geom.Pose, x, y, z, w float64) {
	p.block(at.Mul(Place(0, 0, w/2)), x+2*w, y+2*w, w)
	for _, s := range []float64{-1, 1} {
		p.block(at.Mul(Place(s*(x+w)/2, 0, w+z/2)), w, y+2*w, z)
		p.block(at.Mul(Place(0, s*(y+w)/2, w+z/2)), x, w, z)
	}
}

func (p painter) drawer(x, y, z, open float64) {
	const w, play = 0.004, 0.002
	ox, oy, oz := x+4*w+play, y+4*w+play, z+4*w+play
	p.block(Place(0, 0, w/2), ox, oy, w)
	p.block(Place(0, 0, oz-w/2), ox, oy, w)
	p.block(Place(ox/2-w/2, 0, oz/2), w, oy, oz-2*w)
	for _, s := range []float64{-1, 1} {
		p.block(Place(-w/2, s*(oy/2-w/2), oz/2), ox-w, w, oz-2*w)
	}
	tray := Place(-ox/2+w+x/2-open, 0, w+play/4)
	p.tray(tray, x, y, z, w)
	hz := min(0.035, tray.Pos.Z+z+w-0.005)
	bar := tray.Pos.X - x/2 - w - 0.030
	p.shade(render.Box, Place(bar, 0, hz), geom.Vec{X: 0.005, Y: 0.03, Z: 0.005}, 0.35)
	for _, s := range []float64{-1, 1} {
		p.shade(render.Box, Place(bar+0.0175, s*0.027, hz), geom.Vec{X: 0.0125, Y: 0.003, Z: 0.005}, 0.35)
	}
}

// Mirrored is the scene with left and right changed.
func (s Scene) Mirrored() Scene {
	out := s
	out.Objects = append([]Object(nil), s.Objects...)
	for i := range out.Objects {
		o := &out.Objects[i]
		o.Pos.Y, o.Yaw = -o.Pos.Y, -o.Yaw
	}
	return out
}

// Shot is how a picture of a scene is taken.
type Shot struct {
	Camera robot.Camera
	Pose   geom.Pose       // of the camera in the world
	Region image.Rectangle // capture pixels; empty = the whole capture
	Seq    uint64          // number of the frame: another number is other noise
	Fine   bool            // drawn in fine quality
	Clean  bool            // without sensor noise
}

// Front is the fixed camera of the embedded arm, with captures of w × h pixels.
func Front(w, h int) Shot {
	return Shot{
		Camera: robot.Camera{Intrinsics: geom.Pinhole(w, h, 48*math.Pi/180), Mount: robot.MountFixed},
		Pose:   geom.LookAt(geom.Vec{X: 0.02, Z: 0.80}, geom.Vec{X: 0.25}, geom.Vec{Z: 1}),
	}
}

// Wrist is a camera beside a gripper that looks down at target from the given height, metres above the table.
func Wrist(target geom.Vec, height float64) Shot {
	eye := geom.Vec{X: target.X - 0.12, Y: target.Y, Z: height}
	return Shot{
		Camera: robot.Camera{Intrinsics: geom.Pinhole(640, 480, 70*math.Pi/180), Mount: robot.MountMoving},
		Pose:   geom.LookAt(eye, target, geom.Vec{X: 1}),
	}
}

// Draw takes the picture.
func Draw(s Scene, o Shot) *robot.Frame {
	sc := &render.Scene{Background: render.Background{Zenith: [3]float32{0.8, 0.84, 0.9}, Horizon: [3]float32{0.62, 0.64, 0.67}}}
	if s.Light != 0 {
		sc.Light = render.Studio().Scaled(s.Light)
	}
	sc.Geoms = append(sc.Geoms, render.Geom{Shape: render.Plane, Pose: geom.Identity(), Color: [4]float32{0.58, 0.585, 0.59, 1}})
	for _, ob := range s.Objects {
		ob.geoms(&sc.Geoms)
	}
	sc.Geoms = append(sc.Geoms, s.Extra...)
	opt := render.Options{Region: o.Region}
	if o.Fine {
		opt.Quality = robot.Fine
	}
	if !o.Clean {
		opt.Noise = render.Sensor(7, o.Seq)
	}
	var r render.Renderer
	color, depth := r.Render(sc, render.Camera{Intrinsics: o.Camera.Intrinsics, Pose: o.Pose}, opt)
	return &robot.Frame{
		Camera: "camera", Seq: o.Seq, Intrinsics: o.Camera.Intrinsics, Pose: o.Pose, Mount: o.Camera.Mount,
		Region: color.Rect, Color: color, Depth: depth,
	}
}

// Palette is shades by the word that people use for them, RGB from 0 to 1. Nobody changes it.
var Palette = map[string][][3]float64{
	"red":    {{0.85, 0.16, 0.14}, {0.7, 0.1, 0.1}, {0.9, 0.25, 0.22}},
	"orange": {{0.95, 0.5, 0.1}, {0.9, 0.45, 0.15}},
	"yellow": {{0.95, 0.85, 0.15}, {0.9, 0.8, 0.3}},
	"green":  {{0.18, 0.62, 0.25}, {0.2, 0.75, 0.3}, {0.4, 0.7, 0.2}},
	"blue":   {{0.15, 0.32, 0.8}, {0.2, 0.5, 0.85}, {0.1, 0.2, 0.6}},
	"purple": {{0.5, 0.2, 0.7}, {0.45, 0.15, 0.55}},
	"pink":   {{0.95, 0.6, 0.75}, {0.9, 0.4, 0.65}},
	"brown":  {{0.45, 0.28, 0.15}, {0.5, 0.33, 0.2}},
	"black":  {{0.1, 0.1, 0.1}, {0.15, 0.15, 0.16}},
	"white":  {{1, 1, 1}, {0.93, 0.93, 0.92}},
	"grey":   {{0.45, 0.45, 0.46}, {0.65, 0.65, 0.65}},
}

// PaletteNames are the words of Palette, in a fixed order.
var PaletteNames = []string{"red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "white", "grey"}

// RandomScene puts up to n random things where scenes put them, at least 25 mm apart; fewer when there is no room.
func RandomScene(r *rand.Rand, n int) Scene {
	var s Scene
	type disc struct{ x, y, r float64 }
	var taken []disc
	for len(s.Objects) < n {
		o := randomObject(r)
		rad := o.radius()
		ok := false
		for range 60 {
			d, a := 0.17+0.19*r.Float64(), (r.Float64()*2-1)*65*math.Pi/180
			o.Pos = geom.Vec{X: d * math.Cos(a), Y: d * math.Sin(a)}
			ok = true
			for _, t := range taken {
				ok = ok && math.Hypot(t.x-o.Pos.X, t.y-o.Pos.Y) > t.r+rad+0.025
			}
			if ok {
				break
			}
		}
		if !ok {
			break
		}
		taken = append(taken, disc{o.Pos.X, o.Pos.Y, rad})
		s.Objects = append(s.Objects, o)
	}
	return s
}

// radius is the radius of the disc that the object covers.
func (o Object) radius() float64 {
	switch o.Shape {
	case "box":
		return math.Hypot(o.Size[0], o.Size[1]) / 2
	case "lying", "capsule":
		return math.Hypot(o.Size[0]*2, o.Size[1]) / 2
	case "mug":
		return o.Size[0]*1.6 + 0.005
	case "open_box":
		return math.Hypot(o.Size[0]+0.008, o.Size[1]+0.008) / 2
	case "drawer":
		return math.Hypot(o.Size[0], o.Size[1])/2 + 0.06 + o.Open
	case "button":
		return o.Size[0]*1.42 + 0.012
	}
	return o.Size[0]
}

func randomObject(r *rand.Rand) Object {
	u := func(a, b float64) float64 { return a + (b-a)*r.Float64() }
	o := Object{Yaw: u(-math.Pi, math.Pi)}
	o.Colour = PaletteNames[r.IntN(len(PaletteNames))]
	shades := Palette[o.Colour]
	o.RGB = shades[r.IntN(len(shades))]
	switch r.IntN(12) {
	case 0, 1, 2:
		rad := u(0.005, 0.015)
		o.Kind, o.Shape, o.Size = detect.Battery, "lying", [3]float64{rad, 2 * rad * u(1.9, 4.5)}
		if r.IntN(3) == 0 {
			o.Shape = "capsule"
		}
	case 3:
		rad := u(0.006, 0.015)
		o.Kind, o.Shape, o.Size = detect.Battery, "standing", [3]float64{rad, 2 * rad * u(1.8, 3.5)}
	case 4, 5, 6:
		o.Kind, o.Shape, o.Size = detect.Block, "box", [3]float64{u(0.018, 0.055), u(0.018, 0.055), u(0.015, 0.05)}
	case 7:
		o.Kind, o.Shape, o.Size = detect.Ball, "sphere", [3]float64{u(0.012, 0.028)}
	case 8:
		rad := u(0.022, 0.03)
		o.Kind, o.Shape, o.Size = detect.Can, "standing", [3]float64{rad, 2 * rad * u(1, 2)}
	case 9:
		o.Kind, o.Shape, o.Size = detect.Mug, "mug", [3]float64{u(0.03, 0.042), u(0.06, 0.1)}
	case 10:
		o.Kind, o.Shape, o.Size = detect.Box, "open_box", [3]float64{u(0.09, 0.14), u(0.1, 0.18), u(0.035, 0.07)}
		o.Yaw = u(-0.5, 0.5)
	case 11:
		o.Kind, o.Shape, o.Size = detect.Button, "button", [3]float64{u(0.012, 0.022)}
	}
	return o
}

// At is a place on the table.
func At(x, y float64) geom.Vec { return geom.Vec{X: x, Y: y} }

// Colours of the things below, RGB from 0 to 1.
var (
	White = [3]float64{1, 1, 1}
	Gold  = [3]float64{0.75, 0.55, 0.2}
	Grey  = [3]float64{0.58, 0.585, 0.59}
	Red   = [3]float64{0.85, 0.16, 0.14}
	Blue  = [3]float64{0.15, 0.32, 0.8}
	Green = [3]float64{0.18, 0.62, 0.25}
	wood  = [3]float64{0.62, 0.47, 0.33}
)

// Battery is one that lies at (x, y), 50 mm long.
func Battery(x, y, yaw float64, rgb [3]float64) Object {
	return Object{Kind: detect.Battery, Shape: "lying", RGB: rgb, Pos: At(x, y), Yaw: yaw, Size: [3]float64{0.007, 0.05}}
}

// Block is a cube of 40 mm.
func Block(x, y, yaw float64, rgb [3]float64) Object {
	return Object{Kind: detect.Block, Shape: "box", RGB: rgb, Pos: At(x, y), Yaw: yaw, Size: [3]float64{0.04, 0.04, 0.04}}
}

// WhiteBox is an open box of 120 × 160 × 60 mm inside.
func WhiteBox(x, y float64) Object {
	return Object{Kind: detect.Box, Shape: "open_box", RGB: White, Pos: At(x, y), Size: [3]float64{0.12, 0.16, 0.06}}
}

// Drawer is one of 100 × 100 × 60 mm inside that stands open by the given metres.
func Drawer(x, y, open float64) Object {
	return Object{Kind: detect.Drawer, Shape: "drawer", RGB: wood, Pos: At(x, y), Size: [3]float64{0.1, 0.1, 0.06}, Open: open}
}

// Tabletop is a scene with everything in it.
func Tabletop() Scene {
	return Scene{Objects: []Object{
		Battery(0.25, -0.08, 0.5, Gold), Battery(0.19, -0.09, -0.4, Gold), Battery(0.30, -0.03, 1.2, Gold),
		WhiteBox(0.27, 0.17), Block(0.19, 0.02, 0.3, Red), Block(0.25, 0.03, 0, Blue), Block(0.17, 0.09, 0.8, Green),
		{Kind: detect.Mug, Shape: "mug", RGB: [3]float64{0.93, 0.75, 0.25}, Pos: At(0.36, 0.03), Yaw: 1, Size: [3]float64{0.035, 0.08}},
		Drawer(0.31, -0.17, 0),
		{Kind: detect.Button, Shape: "button", RGB: Red, Pos: At(0.16, -0.22), Size: [3]float64{0.018}},
	}}
}

// PixelOf is where the frame shows a world point, continuous capture pixels.
func PixelOf(f *robot.Frame, p geom.Vec) [2]float64 {
	u, v, _ := f.Intrinsics.Project(f.Pose.Inv().Apply(p))
	return [2]float64{u, v}
}
