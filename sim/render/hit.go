package render

import "math"

// miss is the distance of a ray that meets nothing.
const miss = math.MaxFloat64

// hit is where the ray o + t·d, given in the body's frame, first enters the body at t ≥ tmin, and the face it enters:
// 0–5 of a box (axis·2, +1 for the positive side), 0 side, 1 top, 2 bottom of a cylinder, the triangle of a mesh.
// A ray that begins inside a solid does not enter it.
func (b *body) hit(o, d vec, tmin float64) (t float64, face int32) {
	switch b.shape {
	case Plane:
		t = b.hitPlane(o, d)
	case Box:
		t, face = hitBox(b.size, o, d)
	case Sphere:
		t = hitSphere(b.size.X*b.size.X, o, d)
	case Cylinder:
		t, face = hitCylinder(b.size, o, d)
	case Capsule:
		t = hitCapsule(b.size, o, d)
	case Ellipsoid:
		t = hitSphere(1, mulElem(o, b.inv), mulElem(d, b.inv))
	case Mesh:
		return b.geom.Mesh.hit(o, d, tmin)
	}
	if t < tmin {
		return miss, 0
	}
	return t, face
}

func (b *body) hitPlane(o, d vec) float64 {
	if o.Z <= 0 || d.Z >= 0 {
		return miss
	}
	t := -o.Z / d.Z
	if b.size.X > 0 && math.Abs(o.X+float64(t*d.X)) > b.size.X {
		return miss
	}
	if b.size.Y > 0 && math.Abs(o.Y+float64(t*d.Y)) > b.size.Y {
		return miss
	}
	return t
}

func hitSphere(r2 float64, o, d vec) float64 {
	b := dot(o, d)
	c := dot(o, o) - r2
	if b >= 0 {
		return miss
	}
	a := dot(d, d)
	disc := float64(b*b) - float64(a*c)
	if disc < 0 {
		return miss
	}
	return (-b - math.Sqrt(disc)) / a
}

// slab is where the ray is between -h and h on one axis; ok is false when it never is.
func slab(h, o, d float64) (in, out float64, ok bool) {
	if d == 0 {
		return -miss, miss, math.Abs(o) <= h
	}
	inv := 1 / d
	in, out = (-h-o)*inv, (h-o)*inv
	if in > out {
		in, out = out, in
	}
	return in, out, true
}

func hitBox(h, o, d vec) (float64, int32) {
	inX, outX, okX := slab(h.X, o.X, d.X)
	inY, outY, okY := slab(h.Y, o.Y, d.Y)
	inZ, outZ, okZ := slab(h.Z, o.Z, d.Z)
	if !okX || !okY || !okZ {
		return miss, 0
	}
	t, axis, dir := inX, int32(0), d.X
	if inY > t {
		t, axis, dir = inY, 1, d.Y
	}
	if inZ > t {
		t, axis, dir = inZ, 2, d.Z
	}
	if t > outX || t > outY || t > outZ {
		return miss, 0
	}
	face := axis * 2
	if dir < 0 {
		face++
	}
	return t, face
}

func hitCylinder(size, o, d vec) (float64, int32) {
	in, out, ok := slab(size.Y, o.Z, d.Z)
	if !ok {
		return miss, 0
	}
	a := float64(d.X*d.X) + float64(d.Y*d.Y)
	b := float64(o.X*d.X) + float64(o.Y*d.Y)
	c := float64(o.X*o.X) + float64(o.Y*o.Y) - float64(size.X*size.X)
	side, far := -miss, miss
	switch {
	case a > 0:
		disc := float64(b*b) - float64(a*c)
		if disc < 0 {
			return miss, 0
		}
		root := math.Sqrt(disc)
		side, far = (-b-root)/a, (-b+root)/a
	case c > 0:
		return miss, 0
	}
	if side > out || in > far {
		return miss, 0
	}
	switch {
	case side >= in:
		return side, 0
	case d.Z < 0:
		return in, 1
	}
	return in, 2
}

func hitCapsule(size, o, d vec) float64 {
	r2 := float64(size.X * size.X)
	a := float64(d.X*d.X) + float64(d.Y*d.Y)
	b := float64(o.X*d.X) + float64(o.Y*d.Y)
	c := float64(o.X*o.X) + float64(o.Y*o.Y) - r2
	disc := float64(b*b) - float64(a*c)
	if disc < 0 || (a == 0 && c > 0) {
		return miss
	}
	end := -size.Y // of the axis, on the side the ray comes from
	if d.Z < 0 {
		end = size.Y
	}
	if a > 0 {
		t := (-b - math.Sqrt(disc)) / a
		z := o.Z + float64(t*d.Z)
		if math.Abs(z) <= size.Y {
			if t < 0 {
				return miss
			}
			return t
		}
		end = math.Copysign(size.Y, z)
	}
	return hitSphere(r2, vec{X: o.X, Y: o.Y, Z: o.Z - end}, d)
}
