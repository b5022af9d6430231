package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/rein-robotics/rein/geom"
)

// thing is one object of a table, as it is written into the scene.
type thing struct {
	name, kind, text string
	x, y, yaw        float64 // metres, degrees
	side             float64 // radius of a circle around it
	height           float64 // of its middle
	top              float64
	aside            float64 // how far from its middle it is pointed at: the wall of a mug
}

// container is the box that things are dropped into.
type container struct {
	x, y, yaw  float64
	inner      [3]float64
	wall, side float64
}

// setting is one table.
type setting struct {
	things []thing
	box    container
	text   string
	rng    *rand.Rand
}

// kinds are what is picked, in the shares of a table.
func kinds() []string {
	return []string{"aa", "aa", "aa", "aaa", "standing", "thick", "capsule", "light", "cube", "cube", "brick", "flat", "ball", "can", "mug"}
}

func newSetting(seed uint64, n int, o *options) *setting {
	s := &setting{rng: rand.New(rand.NewPCG(seed, 77))}
	s.placeBox()
	all := kinds()
	for len(s.things) < n {
		kind := all[s.rng.IntN(len(all))]
		if o.only != "" {
			kind = o.only
		}
		t := s.make(kind, len(s.things))
		if !s.put(&t) {
			continue
		}
		s.things = append(s.things, t)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "name: lab\nobjects:\n  - {name: box, kind: box, shape: open_box, inner_m: [%.4f, %.4f, %.4f], wall_m: 0.004, color: [1, 1, 1], fixed: true, pose: {xy: [%.4f, %.4f], yaw_deg: %.1f}}\n",
		s.box.inner[0], s.box.inner[1], s.box.inner[2], s.box.x, s.box.y, s.box.yaw)
	for _, t := range s.things {
		fmt.Fprintf(&b, "  - {name: %s, kind: thing, %s, pose: {xy: [%.4f, %.4f], yaw_deg: %.1f}}\n", t.name, t.text, t.x, t.y, t.yaw)
	}
	s.text = b.String()
	return s
}

func (s *setting) between(lo, hi float64) float64 { return lo + (hi-lo)*s.rng.Float64() }

// placeBox puts the container to one side.
func (s *setting) placeBox() {
	bearing := geom.Rad(s.between(25, 60))
	if s.rng.IntN(2) == 0 {
		bearing = -bearing
	}
	r := s.between(0.25, 0.31)
	s.box = container{
		x: r * math.Cos(bearing), y: r * math.Sin(bearing), yaw: s.between(0, 180),
		inner: [3]float64{s.between(0.11, 0.13), s.between(0.14, 0.17), s.between(0.05, 0.07)}, wall: 0.004,
	}
	s.box.side = math.Hypot(s.box.inner[0], s.box.inner[1])/2 + 0.006
}

// put finds a free place for a thing: gaps of 25 mm, inside the annulus that scenes use.
func (s *setting) put(t *thing) bool {
	for range 200 {
		r, bearing := s.between(0.17, 0.36), geom.Rad(s.between(-65, 65))
		t.x, t.y, t.yaw = r*math.Cos(bearing), r*math.Sin(bearing), s.between(0, 360)
		if s.free(t) {
			return true
		}
	}
	return false
}

func (s *setting) free(t *thing) bool {
	const gap = 0.025
	if math.Hypot(t.x-s.box.x, t.y-s.box.y) < t.side+s.box.side+gap {
		return false
	}
	for _, o := range s.things {
		if math.Hypot(t.x-o.x, t.y-o.y) < t.side+o.side+gap {
			return false
		}
	}
	return true
}

// make draws a thing of a kind.
func (s *setting) make(kind string, i int) thing {
	t := thing{name: fmt.Sprintf("thing_%d", i), kind: kind}
	color := fmt.Sprintf("color: [%.2f, %.2f, %.2f]", s.between(0.15, 0.9), s.between(0.15, 0.9), s.between(0.15, 0.9))
	rod := func(shape string, r, l, kg float64, upright bool) {
		if s.rng.IntN(3) == 0 {
			kg = 500 * math.Pi * r * r * l // as light as wood
		}
		t.text = fmt.Sprintf("shape: %s, radius_m: %.4f, length_m: %.4f, mass_kg: %.4f, upright: %v, %s", shape, r, l, kg, upright, color)
		t.side, t.height, t.top = l/2, r, 2*r
		if upright {
			t.side, t.height, t.top = r, l/2, l
		}
	}
	block := func(x, y, z float64) {
		t.text = fmt.Sprintf("shape: box, size_m: [%.4f, %.4f, %.4f], %s", x, y, z, color)
		t.side, t.height, t.top = math.Hypot(x, y)/2, z/2, z
	}
	switch kind {
	case "aa":
		rod("cylinder", 0.007, 0.050, 0.023, false)
	case "aaa":
		rod("cylinder", 0.00525, 0.0445, 0.012, false)
	case "standing":
		r := s.between(0.008, 0.017)
		rod("cylinder", r, s.between(3.2, 4)*r, 2400*math.Pi*r*r*3.6*r, true)
	case "light":
		r := s.between(0.008, 0.012)
		l := s.between(3.2, 4.2) * r
		rod("cylinder", r, l, 500*math.Pi*r*r*l, true)
	case "thick":
		r := s.between(0.013, 0.020)
		rod("cylinder", r, s.between(3.2, 4.6)*r, 0.06, false)
	case "capsule":
		r := s.between(0.008, 0.014)
		rod("capsule", r, s.between(3.6, 5)*r, 0.03, false)
	case "cube":
		a := s.between(0.025, 0.050)
		block(a, a, a)
	case "brick":
		block(s.between(0.05, 0.08), s.between(0.02, 0.045), s.between(0.02, 0.05))
	case "flat":
		block(s.between(0.03, 0.05), s.between(0.03, 0.05), s.between(0.012, 0.018))
	case "ball":
		r := s.between(0.015, 0.025)
		t.text = fmt.Sprintf("shape: sphere, radius_m: %.4f, %s", r, color)
		t.side, t.height, t.top = r, r, 2*r
	case "can":
		r := s.between(0.020, 0.028)
		rod("cylinder", r, s.between(2.4, 3.4)*r, 0.10, true)
	case "mug":
		r, h := s.between(0.034, 0.042), s.between(0.07, 0.09)
		t.text = fmt.Sprintf("shape: mug, radius_m: %.4f, height_m: %.4f, mass_kg: 0.15, %s", r, h, color)
		t.side, t.height, t.top, t.aside = 1.7*r, h/2, h, r-0.002
	}
	return t
}
