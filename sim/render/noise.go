package render

import (
	"image"

	"github.com/rein-robotics/rein/robot"
)

// Noise is what a sensor adds. The same seed, sequence and pixel give the same noise.
type Noise struct {
	Seed   uint64  // of the run and the camera
	Seq    uint64  // of the frame
	Color  float64 // σ in steps of 1/255
	DepthM float64 // σ in metres
	Flying bool    // at a step in depth, pixels lie somewhere between near and far
}

func (n *Noise) apply(img *image.RGBA, d *robot.Depth, k *caster) {}

// Sensor is the noise of the embedded cameras: colour 2/255, depth 1 mm, one pixel of flying edges.
func Sensor(seed, seq uint64) *Noise {
	return &Noise{Seed: seed, Seq: seq, Color: 2, DepthM: 0.001, Flying: true}
}
