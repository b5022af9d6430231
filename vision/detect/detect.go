package detect

import (
	"image"
	"math"
	"slices"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/geom/plane"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/vision"
)

// Kind is what a thing looks like. It comes from shape alone.
type Kind string

// The kinds that are told apart.
const (
	Battery Kind = "battery" // a lying or standing cylinder of diameter 8–36 mm, 1.6–5 times as long
	Can     Kind = "can"     // a wider standing cylinder
	Block   Kind = "block"   // a solid box
	Ball    Kind = "ball"
	Mug     Kind = "mug"    // hollow and round
	Box     Kind = "box"    // open at the top, rectangular
	Drawer  Kind = "drawer" // a case with a bar handle
	Button  Kind = "button" // low, round and level
	Other   Kind = "thing"  // none of these
)

// Names of spots.
const (
	SpotCentre = "centre" // a pixel of the thing near its middle
	SpotHandle = "handle" // of a drawer or a mug
	SpotInside = "inside" // a free place in a container; the roomiest first
	SpotTop    = "top"    // a place on top of a block or a drawer's case
)

// Spot is a place of a thing that is worth pointing at.
type Spot struct {
	Name  string
	Pixel [2]float64 // continuous capture pixels, on a pixel that shows the spot
	World geom.Vec   // the surface there
	Room  float64    // metres of free radius around it, for a place to put something; 0 = unknown
}

// Thing is one object that the detector sees. It is immutable.
type Thing struct {
	Kind       Kind
	Colour     string     // the first word for its colour
	Colours    []string   // every word that is understood for its colour, Colour first
	RGB        [3]float64 // its colour in normal light, sRGB 0–1
	Point      [2]float64 // a good pixel to point at, inside the mask, continuous capture pixels
	Spots      []Spot
	World      geom.Vec // middle of its body, world frame
	Length     float64  // metres along Yaw; the diameter of a round thing
	Width      float64  // metres across; Length ≥ Width
	Height     float64  // metres from what it rests on to its top
	Base       float64  // height of what it rests on above the table, metres
	Yaw        float64  // of its length about z, [-π/2, π/2)
	Round      bool     // seen from above
	Upright    bool     // of a battery or can: it stands
	Opening    float64  // metres that a drawer stands open
	Mask       *vision.Mask
	Confidence float64 // 0 to 1: how well its shape fits its kind
	Inside     int     // index of the container it lies in, -1 = none
	On         int     // index of the thing it stands on, -1 = the table or a container's floor
}

// Is says whether the colour's word is understood for the thing's colour.
func (t *Thing) Is(colour string) bool { return slices.Contains(t.Colours, colour) }

// Spot is the first spot of that name.
func (t *Thing) Spot(name string) (s Spot, ok bool) {
	for _, s := range t.Spots {
		if s.Name == name {
			return s, true
		}
	}
	return Spot{}, false
}

// Things finds the things that stand out over the table in a frame with depth, the largest first and what lies in them
// behind them. exclude, when not nil, says which world points are the robot itself. A frame without depth shows nothing.
func Things(f *robot.Frame, exclude func(geom.Vec) bool) []Thing {
	c := newCloud(f, image.Rectangle{}, exclude)
	if len(c.state) == 0 {
		return nil
	}
	parts := c.parts(math.Inf(1))
	index := make(map[*part]int, len(parts))
	for i, p := range parts {
		index[p] = i
	}
	gain := 1.0
	if f.Color != nil {
		gain = lightGain(c)
	}
	things := make([]Thing, len(parts))
	for i, p := range parts {
		things[i] = c.thing(p, gain)
		if p.in != nil {
			things[i].Inside = index[p.in]
		}
		if p.on != nil {
			things[i].On = index[p.on]
		}
	}
	for i, p := range parts {
		things[i].Spots = append(things[i].Spots, c.insideSpots(p, parts)...)
	}
	return things
}

// thing describes one part.
func (c *cloud) thing(p *part, gain float64) Thing {
	f := p.form
	t := Thing{
		Yaw: f.foot.Yaw, Length: f.foot.Length, Width: f.foot.Width, Height: f.height(), Base: f.base,
		World: vec(f.foot.C, (f.base+f.top)/2), Inside: -1, On: -1, Mask: c.maskOf(p.px),
	}
	var colourPx []int32
	switch {
	case p.drawer != nil:
		c.asDrawer(&t, p)
		colourPx = c.levelPixels(p.px, p.drawer.top)
	case p.hollow != nil:
		c.asHollow(&t, p)
		colourPx = c.facesUp(p)
	case p.cap != nil:
		t.Kind, t.Confidence, t.Round = Button, 0.95, true
		colourPx = c.levelPixels(p.cap, f.top)
	default:
		t.Kind, t.Confidence = classify(&f)
		t.Round = t.Kind == Ball || t.Kind == Can || t.Kind == Button || t.Kind == Battery && f.flatTop()
		t.Upright = t.Kind == Can || t.Kind == Battery && f.flatTop()
		if t.Round {
			d := math.Sqrt(f.foot.Length * f.foot.Width)
			t.Length, t.Width = d, d
		}
		colourPx = c.levelPixels(p.px, f.top)
	}
	if c.f.Color != nil {
		t.RGB = medianColour(c.f.Color, c, colourPx, gain)
		t.Colours = colourNames(t.RGB)
		if len(t.Colours) > 0 {
			t.Colour = t.Colours[0]
		}
	}
	c.centreSpot(&t, p)
	if whole := image.Rect(0, 0, c.f.Intrinsics.Width, c.f.Intrinsics.Height); !t.Mask.Rect.In(whole.Inset(1)) {
		t.Confidence = min(t.Confidence, 0.4) // the picture's border cuts it
	}
	return t
}

// levelPixels are the pixels of the upper part of a thing, which the light falls on alike; all when they are few.
func (c *cloud) levelPixels(ks []int32, top float64) []int32 {
	var out []int32
	for _, k := range ks {
		if float64(c.z[k]) > top-max(0.004, 0.15*top) {
			out = append(out, k)
		}
	}
	if len(out) < 8 {
		return ks
	}
	return out
}

// facesUp are the pixels of a hollow thing's rim, which the light falls on freely; with its floor when they are few.
func (c *cloud) facesUp(p *part) []int32 {
	var rim, both []int32
	for _, k := range p.px {
		z := float64(c.z[k])
		if z > p.hollow.rim-0.003 {
			rim = append(rim, k)
		}
		if z > p.hollow.rim-0.003 || z < p.hollow.floor+0.003 {
			both = append(both, k)
		}
	}
	switch {
	case len(rim) >= 20:
		return rim
	case len(both) >= 8:
		return both
	}
	return p.px
}

// classify names a solid thing by its form and says how sure that is.
func classify(f *form) (Kind, float64) {
	d, h := f.foot.Width, f.height()
	switch {
	case !f.flatTop() && f.slim() >= 1.35:
		k := f.foot.Length / d
		if d >= 0.0065 && d <= 0.038 && k >= 1.45 && k <= 5.5 && h < 1.6*d+0.004 {
			return Battery, 1 - min(0.5, math.Abs(h-d)/d)
		}
		return Other, 0.5
	case !f.flatTop() && f.slim() < 1.35:
		if f.across > f.curved() && f.along > f.curved()/2 && h > 0.6*d {
			return Ball, 1 - min(0.5, math.Abs(h-d)/d)
		}
		return Other, 0.4
	case f.round > 0 && f.round < discLimit && f.slim() < 1.25:
		return standing(f)
	case f.pixels < 4 && f.slim() >= 1.7 && f.slim() <= 5.5 && h > 0.6*d && h < 1.3*d && d < 0.04:
		return Battery, 0.5 // too coarse to tell whether its top is curved
	}
	return Block, min(1, 0.5+f.flat/2)
}

// standing names a standing cylinder.
func standing(f *form) (Kind, float64) {
	d := math.Sqrt(f.foot.Length * f.foot.Width)
	h := f.height()
	sure := 1 - min(0.5, math.Abs(f.round-0.77)*4)
	switch {
	case h < 0.68*d && h < 0.045 && d < 0.09:
		return Button, sure
	case d <= 0.0375 && h >= 1.45*d:
		return Battery, sure
	}
	return Can, sure
}

// asHollow describes a mug or an open box.
func (c *cloud) asHollow(t *Thing, p *part) {
	h := p.hollow
	t.Kind, t.Confidence = Box, 0.9
	t.Yaw, t.Length, t.Width = h.outer.Yaw, h.outer.Length, h.outer.Width
	t.Height = h.rim - p.form.base
	t.World = vec(h.outer.C, (p.form.base+h.rim)/2)
	if !h.round {
		return
	}
	t.Kind, t.Round = Mug, true
	if h.handle != (plane.Pt{}) {
		d := h.handle.Sub(h.outer.C)
		t.Yaw = geom.WrapHalf(math.Atan2(d.Y, d.X))
		if s, ok := c.spotAt(SpotHandle, p.px, h.handle); ok {
			t.Spots = append(t.Spots, s)
		}
	}
}

// asDrawer describes a drawer.
func (c *cloud) asDrawer(t *Thing, p *part) {
	d := p.drawer
	t.Kind, t.Confidence = Drawer, 0.9
	t.Yaw, t.Length, t.Width, t.Height = d.box.Yaw, d.box.Length, d.box.Width, d.top
	t.World, t.Opening = vec(d.box.C, d.top/2), d.opening
	if s, ok := c.spotAt(SpotHandle, d.handlePx, d.handle); ok {
		t.Spots = append(t.Spots, s)
	}
	if s, ok := c.spotAt(SpotTop, c.levelPixels(p.px, d.top), d.box.C); ok {
		t.Spots = append(t.Spots, s)
	}
}

// centreSpot sets the point of a thing: the seen pixel nearest its middle, for a mug one of its wall.
func (c *cloud) centreSpot(t *Thing, p *part) {
	px := c.levelPixels(p.px, p.form.top)
	at := p.form.foot.C
	switch {
	case p.drawer != nil:
		at = p.drawer.box.C
	case p.hollow != nil:
		at, px = p.hollow.outer.C, p.px
	}
	s, ok := c.spotAt(SpotCentre, px, at)
	if !ok {
		return
	}
	t.Point = s.Pixel
	t.Spots = append([]Spot{s}, t.Spots...)
	if t.Kind == Block {
		s.Name = SpotTop
		s.Room = t.Width / 2
		t.Spots = append(t.Spots, s)
	}
}

// spotAt is the spot at the pixel of ks nearest to p in the table plane.
func (c *cloud) spotAt(name string, ks []int32, p plane.Pt) (Spot, bool) {
	best, dist := int32(-1), math.Inf(1)
	for _, k := range ks {
		if d := p.Sub(plane.Pt{X: float64(c.x[k]), Y: float64(c.y[k])}).Norm(); d < dist {
			best, dist = k, d
		}
	}
	if best < 0 {
		return Spot{}, false
	}
	q := c.pixel(int(best))
	return Spot{Name: name, Pixel: [2]float64{float64(q.X) + 0.5, float64(q.Y) + 0.5}, World: c.at(int(best))}, true
}
