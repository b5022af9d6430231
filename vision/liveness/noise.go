package liveness

import (
	"image"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
)

// A sensor's noise changes nearly every pixel from one picture to the next: of two pictures with σ = 2/255 in each channel
// only 0.3 % of the pixels are equal. A frozen picture with something drawn on it is equal nearly everywhere. But many
// cameras repeat what does not change, because they smooth or compress, a small part of the picture even to the byte; so
// only a camera whose pictures have always differed in most of their pixels is held to it.
const (
	noisyShare = 2.0 / 3 // of the pixels differ at least, in the pictures of a camera that shows its noise
	stillShare = 1.0 / 3 // of the pixels differ at most, in a picture that is taken for an old one
	noisyTimes = 2       // pictures that showed noise, before one without is held against the camera
	exactTimes = 1       // the same, of a picture that is an old one to the byte
	fewPixels  = 256     // with fewer to compare nothing is said
	brightest  = 250     // from here on, and below darkest, noise is cut off at the end of the scale
	darkest    = 5
)

// noiseSign watches whether a camera's pictures show its noise.
type noiseSign struct {
	shown   int  // pictures that did, while the camera stood still
	repeats bool // its pictures have repeated pixels while it was live: it is not held to its noise
	frozen  bool
	exact   bool // it repeated an old picture to the byte
}

// judge compares a picture with earlier ones. It returns why the camera is not to be trusted, "" when it is.
func (n *noiseSign) judge(before []*robot.Frame, f *robot.Frame) string {
	least, known, stood := 1.0, false, false
	for _, old := range before {
		share, ok := changedShare(old.Color, f.Color)
		if !ok {
			continue
		}
		known, least = true, min(least, share)
		stood = stood || sameView(old.Pose, f.Pose)
	}
	if known {
		n.learn(least, stood)
	}
	switch {
	case !n.frozen:
		return ""
	case n.exact:
		return "the picture has not changed by a single pixel, the camera is frozen"
	}
	return "its newest picture has no noise of its own, the camera is frozen"
}

// learn takes the share of pixels that have changed since the earlier picture that is most like the new one. Stood says
// that the camera has not moved since one of them.
func (n *noiseSign) learn(changed float64, stood bool) {
	n.exact = changed == 0
	needed := noisyTimes
	if n.exact {
		needed = exactTimes
	}
	switch {
	case changed >= noisyShare:
		n.repeats = n.repeats || n.frozen // it was live after all, or is again: it is not held to its noise any more
		n.frozen = false
		if stood {
			n.shown++
		}
	case changed <= stillShare && n.shown >= needed && !n.repeats:
		n.frozen = true
	default:
		n.frozen, n.repeats = false, true
	}
}

// changedShare is the share of pixels that differ between two pictures where both have them, of those that are at
// neither end of the scale; ok is false when there are too few of them.
func changedShare(a, b *image.RGBA) (share float64, ok bool) {
	r := a.Rect.Intersect(b.Rect)
	all, changed := 0, 0
	for y := r.Min.Y; y < r.Max.Y; y++ {
		pa, pb := a.Pix[a.PixOffset(r.Min.X, y):], b.Pix[b.PixOffset(r.Min.X, y):]
		for i := 0; i < 4*r.Dx(); i += 4 {
			if cutOff(pa[i:i+3]) || cutOff(pb[i:i+3]) {
				continue
			}
			all++
			if pa[i] != pb[i] || pa[i+1] != pb[i+1] || pa[i+2] != pb[i+2] {
				changed++
			}
		}
	}
	return float64(changed) / float64(max(all, 1)), all >= fewPixels
}

// cutOff says whether a channel of the pixel is at the end of the scale, where noise shows only half.
func cutOff(px []uint8) bool {
	return min(px[0], px[1], px[2]) < darkest || max(px[0], px[1], px[2]) > brightest
}

// sameView says whether a camera stood still between two pictures.
func sameView(a, b geom.Pose) bool {
	d := a.Inv().Mul(b)
	return d.Pos.X*d.Pos.X+d.Pos.Y*d.Pos.Y+d.Pos.Z*d.Pos.Z < 1e-8 && d.Rot.Real*d.Rot.Real > 1-1e-7
}
