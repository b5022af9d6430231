package render

import "math"

// body is a geom made ready for one camera.
type body struct {
	geom   *Geom
	shape  Shape
	size   vec
	inv    vec // 1/size of an ellipsoid
	rot    mat // body to world
	pos    vec
	eye    vec // camera in the body's frame
	cam    mat // camera to body
	span   span
	index  int     // of the geom in the scene
	square float64 // side of a texture's squares; 0 = none
}

// ray is the direction, in the body's frame, of the ray through (u, v) of the image plane at distance 1.
func (b *body) ray(u, v float64) vec { return along(along(b.cam.z, v, b.cam.y), u, b.cam.x) }

// second marks a face where a texture has its second colour.
const second = 8

// see is the hit of the camera's ray along d.
func (b *body) see(d vec) (t float64, face int32) {
	t, face = b.hit(b.eye, d, Near)
	if b.square > 0 && t < miss && b.odd(along(b.eye, t, d), face) {
		face |= second
	}
	return t, face
}

// odd says whether a point of a flat face lies in a square of the second colour.
func (b *body) odd(p vec, face int32) bool {
	u, v := p.X, p.Y
	if b.shape == Box {
		switch face / 2 {
		case 0:
			u = p.Z
		case 1:
			v = p.Z
		}
	}
	return (int(math.Floor(u/b.square))+int(math.Floor(v/b.square)))&1 != 0
}

// box is the body's bounding box in its own frame; ok is false for a plane without end.
func (b *body) box() (centre, half vec, ok bool) {
	s := b.size
	switch b.shape {
	case Plane:
		return vec{}, vec{X: s.X, Y: s.Y}, s.X > 0 && s.Y > 0
	case Sphere:
		return vec{}, vec{X: s.X, Y: s.X, Z: s.X}, true
	case Cylinder:
		return vec{}, vec{X: s.X, Y: s.X, Z: s.Y}, true
	case Capsule:
		return vec{}, vec{X: s.X, Y: s.X, Z: s.Y + s.X}, true
	case Mesh:
		return b.geom.Mesh.centre, b.geom.Mesh.half, true
	}
	return vec{}, s, true
}

// flat says whether all of a body's surface is made of few plane faces, so that a face code tells the normal.
func (b *body) flat() bool { return b.shape == Plane || b.shape == Box }

// normal is the outward unit normal at p, in the body's frame.
func (b *body) normal(p vec, face int32) vec {
	switch b.shape {
	case Box:
		return boxNormals[face&7]
	case Sphere:
		return unit(p)
	case Cylinder:
		switch face {
		case 1:
			return vec{Z: 1}
		case 2:
			return vec{Z: -1}
		}
		return unit(vec{X: p.X, Y: p.Y})
	case Capsule:
		return unit(vec{X: p.X, Y: p.Y, Z: p.Z - min(max(p.Z, -b.size.Y), b.size.Y)})
	case Ellipsoid:
		return unit(mulElem(mulElem(p, b.inv), b.inv))
	case Mesh:
		return b.geom.Mesh.normal(p, face)
	}
	return vec{Z: 1}
}

// prepare fills the body from its geom; ok is false for what is never seen.
func (b *body) prepare(g *Geom, eye vec, cam mat) (ok bool) {
	if g.Color[3] == 0 || (g.Shape == Mesh && (g.Mesh == nil || len(g.Mesh.tris) == 0)) {
		return false
	}
	b.geom, b.shape, b.size = g, g.Shape, g.Size
	b.rot, b.pos = matOf(g.Pose.Rot), g.Pose.Pos
	b.eye = b.rot.mulT(sub(eye, b.pos))
	b.cam = mat{x: b.rot.mulT(cam.x), y: b.rot.mulT(cam.y), z: b.rot.mulT(cam.z)}
	if g.Texture != nil && g.Texture.SquareM > 0 && b.flat() {
		b.square = g.Texture.SquareM
	}
	if g.Shape == Ellipsoid {
		b.inv = vec{X: 1 / b.size.X, Y: 1 / b.size.Y, Z: 1 / b.size.Z}
	}
	return g.Shape != Plane || b.eye.Z > 0
}

var boxNormals = [8]vec{{X: -1}, {X: 1}, {Y: -1}, {Y: 1}, {Z: -1}, {Z: 1}}

// finite says whether every number of the pose and the size is one.
func (g *Geom) finite() bool {
	for _, f := range [...]float64{
		g.Pose.Pos.X, g.Pose.Pos.Y, g.Pose.Pos.Z, g.Pose.Rot.Real, g.Pose.Rot.Imag, g.Pose.Rot.Jmag, g.Pose.Rot.Kmag,
		g.Size.X, g.Size.Y, g.Size.Z,
	} {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return false
		}
	}
	return true
}
