package render

import (
	"math"

	"github.com/rein-robotics/rein/geom"
)

type vec = geom.Vec

// mat is a 3×3 matrix by columns.
type mat struct{ x, y, z vec }

func dot(a, b vec) float64 { return float64(a.X*b.X) + float64(a.Y*b.Y) + float64(a.Z*b.Z) }

func add(a, b vec) vec { return vec{X: a.X + b.X, Y: a.Y + b.Y, Z: a.Z + b.Z} }

func sub(a, b vec) vec { return vec{X: a.X - b.X, Y: a.Y - b.Y, Z: a.Z - b.Z} }

func scale(s float64, a vec) vec {
	return vec{X: float64(s * a.X), Y: float64(s * a.Y), Z: float64(s * a.Z)}
}

// along is a + s·b.
func along(a vec, s float64, b vec) vec {
	return vec{X: a.X + float64(s*b.X), Y: a.Y + float64(s*b.Y), Z: a.Z + float64(s*b.Z)}
}

func mulElem(a, b vec) vec {
	return vec{X: float64(a.X * b.X), Y: float64(a.Y * b.Y), Z: float64(a.Z * b.Z)}
}

func cross(a, b vec) vec {
	return vec{
		X: float64(a.Y*b.Z) - float64(a.Z*b.Y),
		Y: float64(a.Z*b.X) - float64(a.X*b.Z),
		Z: float64(a.X*b.Y) - float64(a.Y*b.X),
	}
}

func unit(a vec) vec {
	n := math.Sqrt(dot(a, a))
	if n == 0 {
		return a
	}
	return scale(1/n, a)
}

// mul is m·v.
func (m *mat) mul(v vec) vec { return along(along(scale(v.X, m.x), v.Y, m.y), v.Z, m.z) }

// mulT is mᵀ·v.
func (m *mat) mulT(v vec) vec { return vec{X: dot(m.x, v), Y: dot(m.y, v), Z: dot(m.z, v)} }

// matOf is the rotation matrix of q, which need not be of unit length.
func matOf(q geom.Rot) mat {
	w, x, y, z := q.Real, q.Imag, q.Jmag, q.Kmag
	n := float64(w*w) + float64(x*x) + float64(y*y) + float64(z*z)
	if n == 0 {
		return mat{x: vec{X: 1}, y: vec{Y: 1}, z: vec{Z: 1}}
	}
	s := 2 / n
	xx, yy, zz := float64(s*x)*x, float64(s*y)*y, float64(s*z)*z
	xy, xz, yz := float64(s*x)*y, float64(s*x)*z, float64(s*y)*z
	wx, wy, wz := float64(s*w)*x, float64(s*w)*y, float64(s*w)*z
	return mat{
		x: vec{X: 1 - (float64(yy) + float64(zz)), Y: float64(xy) + float64(wz), Z: float64(xz) - float64(wy)},
		y: vec{X: float64(xy) - float64(wz), Y: 1 - (float64(xx) + float64(zz)), Z: float64(yz) + float64(wx)},
		z: vec{X: float64(xz) + float64(wy), Y: float64(yz) - float64(wx), Z: 1 - (float64(xx) + float64(yy))},
	}
}
