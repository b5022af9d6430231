package motion_test

import (
	"image"
	"math"
	"testing"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/skill/ground"
	"github.com/rein-robotics/rein/skill/motion"
	"pgregory.net/rapid"
)

// tower is something round and level on the table.
type tower struct{ x, y, radius, height float64 }

// photo is what a camera above the table sees of towers.
func photo(towers []tower) *robot.Frame {
	in := geom.Pinhole(320, 240, geom.Rad(48))
	pose := geom.LookAt(geom.Vec{X: 0.02, Z: 0.80}, geom.Vec{X: 0.25}, geom.Vec{Z: 1})
	rect := image.Rect(0, 0, in.Width, in.Height)
	f := &robot.Frame{Camera: "camera", Intrinsics: in, Pose: pose, Mount: robot.MountFixed, Region: rect, Color: image.NewRGBA(rect)}
	f.Depth = &robot.Depth{Rect: rect, Pix: make([]float32, rect.Dx()*rect.Dy())}
	view := geom.View{Intrinsics: in, Pose: pose}
	for y := range in.Height {
		for x := range in.Width {
			start, dir := view.Ray(float64(x)+0.5, float64(y)+0.5)
			f.Depth.Pix[y*in.Width+x] = float32(shoot(towers, start, dir) * dirZ(in, x, y))
		}
	}
	return f
}

// dirZ turns a distance along a pixel's ray into depth.
func dirZ(in geom.Intrinsics, x, y int) float64 {
	p := in.Unproject(float64(x)+0.5, float64(y)+0.5, 1)
	return 1 / math.Sqrt(p.X*p.X+p.Y*p.Y+1)
}

// shoot is the distance along a ray to the first tower or the table.
func shoot(towers []tower, o, d geom.Vec) float64 {
	best := -o.Z / d.Z
	for _, t := range towers {
		if k := (t.height - o.Z) / d.Z; math.Hypot(o.X+k*d.X-t.x, o.Y+k*d.Y-t.y) <= t.radius {
			best = math.Min(best, k)
			continue
		}
		a, b := d.X*d.X+d.Y*d.Y, (o.X-t.x)*d.X+(o.Y-t.y)*d.Y
		c := (o.X-t.x)*(o.X-t.x) + (o.Y-t.y)*(o.Y-t.y) - t.radius*t.radius
		if det := b*b - a*c; det > 0 && a > 0 {
			if k := (-b - math.Sqrt(det)) / a; k > 0 && o.Z+k*d.Z <= t.height && o.Z+k*d.Z >= 0 {
				best = math.Min(best, k)
			}
		}
	}
	return best
}

func TestTravelKeepsClearOfWhatIsBelow(t *testing.T) {
	s := newStand(t)
	rapid.Check(t, func(t *rapid.T) {
		place := func(name string) geom.Vec {
			r, a := rapid.Float64Range(0.18, 0.33).Draw(t, name+"_r"), geom.Rad(rapid.Float64Range(-60, 60).Draw(t, name+"_a"))
			return geom.Vec{X: r * math.Cos(a), Y: r * math.Sin(a)}
		}
		from, to, mid := place("from"), place("to"), place("mid")
		towers := []tower{{mid.X, mid.Y, rapid.Float64Range(0.01, 0.05).Draw(t, "radius"), rapid.Float64Range(0.01, 0.10).Draw(t, "height")}}
		held := &skill.Held{ApertureM: 0.02, Below: rapid.Float64Range(0, 0.04).Draw(t, "below"), HalfX: 0.03, HalfY: 0.01}
		travel := motion.Travel{Arm: s.arm, Map: ground.New(photo(towers), nil), Open: 0.02, Held: held}
		q := func(p geom.Vec) []float64 {
			p.Z = 0.12
			j, err := s.arm.Down(p, rapid.Float64Range(-1.5, 1.5).Draw(t, "yaw"), s.q())
			if err != nil {
				t.Skip(err)
			}
			return j
		}
		a, b := q(from), q(to)
		p, err := travel.Path(a, b)
		if err != nil {
			t.Skip(err) // it may be refused; it may not be wrong
		}
		for i := range p.Tips {
			tip := p.Tips[i].Pos
			if math.Hypot(tip.X-from.X, tip.Y-from.Y) < 0.013 || math.Hypot(tip.X-to.X, tip.Y-to.Y) < 0.013 {
				continue
			}
			low := tip.Z - held.Below
			for _, w := range towers {
				if math.Hypot(tip.X-w.x, tip.Y-w.y) < w.radius && low < w.height+motion.Clear-0.006 {
					t.Fatalf("the lowest carried point is %.0f mm over the table above a tower of %.0f mm", low*1000, w.height*1000)
				}
			}
		}
	})
}

func TestTravelGoesUpOnlyWhereItMust(t *testing.T) {
	s := newStand(t)
	q := func(x, y, z float64) []float64 {
		j, err := s.arm.Down(geom.Vec{X: x, Y: y, Z: z}, 0, s.q())
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	from, to := q(0.22, -0.12, 0.06), q(0.22, 0.12, 0.06)
	top := func(towers []tower) float64 {
		p, err := motion.Travel{Arm: s.arm, Map: ground.New(photo(towers), nil), Open: 0.03}.Path(from, to)
		if err != nil {
			t.Fatal(err)
		}
		high := 0.0
		for i := range p.Tips {
			high = math.Max(high, p.Tips[i].Pos.Z)
		}
		return high
	}
	if z := top(nil); z > 0.08 {
		t.Errorf("over an empty table it goes up to %.0f mm", z*1000)
	}
	if z := top([]tower{{0.25, 0, 0.03, 0.08}}); z < 0.105 || z > 0.16 {
		t.Errorf("over a tower of 80 mm it goes up to %.0f mm", z*1000)
	}
}
