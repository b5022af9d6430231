package geom

import "math"

// WrapAngle is the same direction as a, in (−π, π].
func WrapAngle(a float64) float64 {
	w := math.Remainder(a, 2*math.Pi)
	if w <= -math.Pi {
		w += 2 * math.Pi
	}
	return w
}

// WrapHalf is the same line as a, in (−π/2, π/2]: directions that differ by π are one, as for a parallel gripper.
func WrapHalf(a float64) float64 {
	w := math.Remainder(a, math.Pi)
	if w <= -math.Pi/2 {
		w += math.Pi
	}
	return w
}

// Rad turns degrees into radians.
func Rad(degrees float64) float64 { return degrees * (math.Pi / 180) }

// Deg turns radians into degrees.
func Deg(radians float64) float64 { return radians * (180 / math.Pi) }

// Clamp is x, or the border of [lo, hi] next to it. NaN stays NaN.
func Clamp(x, lo, hi float64) float64 { return math.Max(lo, math.Min(hi, x)) }
