package sim

import (
	"image"
	"image/color"
	"image/draw"
	"time"

	world "github.com/rein-robotics/rein/sim"
	"github.com/rein-robotics/rein/sim/render"
)

// active is the fault of a camera at an instant, nil when it works.
func (c *camera) active(now time.Duration) *world.Fault {
	for i := range c.faults {
		f := &c.faults[i]
		from := seconds(f.FromS)
		if now >= from && (f.ForS == nil || now < from+seconds(*f.ForS)) {
			return f
		}
	}
	return nil
}

// late says whether the camera shows what was some time ago.
func (c *camera) late(now time.Duration) bool {
	f := c.active(now)
	return f != nil && f.Kind == world.FaultDelayed
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// look is what the camera shows now: the present, or what its fault makes of it. It is called under mu; v.scene is the
// scratch's own or one that nobody changes.
func (r *Robot) look(c *camera, s *scratch) (v view, dark bool) {
	f := c.active(r.world.Time())
	switch {
	case f != nil && f.Kind == world.FaultBlack:
		return view{}, true
	case f != nil && len(c.past) > 0:
		return r.renewed(c.past[0], f), false
	}
	r.world.Geometry(&s.scene)
	return view{tick: r.world.Ticks(), at: r.world.Time(), pose: r.poseOf(c), scene: &s.scene}, false
}

// renewed is what a fault adds to an old picture. It is called under mu.
func (r *Robot) renewed(v view, f *world.Fault) view {
	switch f.With {
	case world.WithNoise:
		v.tick = r.world.Ticks()
	case world.WithClock:
		v.clock = r.world.Ticks()
	}
	return v
}

// A drawn clock is the count of periods in binary, light and dark squares across the middle of the picture.
const (
	clockDigits = 16
	clockSide   = 8 // pixels
)

// drawClock draws a count on the part of the whole picture that img is.
func drawClock(img *image.RGBA, whole image.Rectangle, count uint64) {
	left, top := (whole.Dx()-clockDigits*clockSide)/2, (whole.Dy()-clockSide)/2
	for i := range clockDigits {
		level := uint8(60)
		if count>>(clockDigits-1-i)&1 == 1 {
			level = 200
		}
		at := image.Rect(left+i*clockSide, top, left+(i+1)*clockSide, top+clockSide)
		draw.Draw(img, at, image.NewUniform(color.Gray{Y: level}), image.Point{}, draw.Src)
	}
}

// spoil keeps what faulty cameras will show. It is called under mu at the end of every period.
func (r *Robot) spoil() {
	for i := range r.desc.Modules {
		c := r.cameras[r.desc.Modules[i].Name]
		if c == nil || len(c.faults) == 0 {
			continue
		}
		now := r.world.Time()
		f := c.active(now)
		switch {
		case f != nil && f.Kind == world.FaultFrozen:
			if len(c.past) == 0 {
				c.past = append(c.past, r.record(c))
			}
		case c.longestDelay() > 0:
			c.past = append(c.past, r.record(c))
			keep := now - c.longestDelay()
			if f != nil && f.Kind == world.FaultDelayed {
				keep = now - seconds(*f.DelayS)
			}
			for len(c.past) > 1 && c.past[1].at <= keep {
				c.past = c.past[1:]
			}
		case f == nil:
			c.past = nil
		}
	}
}

// longestDelay is how far back a delayed camera may look; 0 when it has no such fault.
func (c *camera) longestDelay() time.Duration {
	var d time.Duration
	for i := range c.faults {
		if c.faults[i].DelayS != nil {
			d = max(d, seconds(*c.faults[i].DelayS))
		}
	}
	return d
}

// record copies what the camera sees now.
func (r *Robot) record(c *camera) view {
	scene := &render.Scene{Light: r.light}
	r.world.Geometry(scene)
	return view{tick: r.world.Ticks(), at: r.world.Time(), pose: r.poseOf(c), scene: scene}
}
