package render

import (
	"image"

	"github.com/rein-robotics/rein/robot"
)

// hitPoint is what one ray met.
type hitPoint struct {
	t    float64 // depth along the optical axis; miss = nothing
	body int32   // -1 = nothing
	face int32
}

// margin is how many pixels around it a pixel's look depends on.
const margin = 2

// caster finds what every pixel's centre sees. It looks a margin beyond the region, as far as the picture goes, so
// that a region's edges are those of the whole picture.
type caster struct {
	camera Camera
	region image.Rectangle // asked for
	seen   image.Rectangle // region and margin
	bodies []body
	hits   []hitPoint // row by row over seen
	u, v   []float64  // pixel centres of seen at distance 1
	spans  spanner
	rot    mat // camera to world
}

func (k *caster) run(s *Scene, c Camera, region image.Rectangle) {
	k.camera, k.region = c, region
	k.seen = region.Inset(-margin).Intersect(image.Rect(0, 0, c.Intrinsics.Width, c.Intrinsics.Height))
	k.rot = matOf(c.Pose.Rot)
	k.spans.rows = k.spans.rows[:0]
	k.bodies = k.bodies[:0]
	for i := range s.Geoms {
		b := body{index: i}
		if !s.Geoms[i].finite() || !b.prepare(&s.Geoms[i], c.Pose.Pos, k.rot) {
			continue
		}
		if b.span = k.spans.of(&b, c.Intrinsics, k.seen); len(b.span.row) > 0 {
			k.bodies = append(k.bodies, b)
		}
	}
	k.u, k.v = k.u[:0], k.v[:0]
	for x := k.seen.Min.X; x < k.seen.Max.X; x++ {
		k.u = append(k.u, k.uAt(float64(x)+0.5))
	}
	for y := k.seen.Min.Y; y < k.seen.Max.Y; y++ {
		k.v = append(k.v, k.vAt(float64(y)+0.5))
	}
	k.clear()
	for i := range k.bodies {
		k.draw(i)
	}
}

// uAt and vAt are the image plane's coordinates, at distance 1, of a column and a row in continuous pixels.
func (k *caster) uAt(x float64) float64 { return (x - k.camera.Intrinsics.Cx) / k.camera.Intrinsics.Fx }

func (k *caster) vAt(y float64) float64 { return (y - k.camera.Intrinsics.Cy) / k.camera.Intrinsics.Fy }

func (k *caster) clear() {
	n := k.seen.Dx() * k.seen.Dy()
	if cap(k.hits) < n {
		k.hits = make([]hitPoint, n)
	}
	k.hits = k.hits[:n]
	for i := range k.hits {
		k.hits[i] = hitPoint{t: miss, body: -1}
	}
}

// row is the hits of row y of seen.
func (k *caster) row(y int) []hitPoint {
	w := k.seen.Dx()
	i := (y - k.seen.Min.Y) * w
	return k.hits[i : i+w : i+w]
}

// draw casts the rays that may meet body i.
func (k *caster) draw(i int) {
	b := &k.bodies[i]
	for n, cols := range b.span.row {
		if cols.lo >= cols.hi {
			continue
		}
		y := b.span.y0 + n
		lo, hi := int(cols.lo)-k.seen.Min.X, int(cols.hi)-k.seen.Min.X
		row, us := k.row(y)[lo:hi], k.u[lo:hi]
		base := along(b.cam.z, k.v[y-k.seen.Min.Y], b.cam.y)
		if b.shape == Plane && b.square == 0 && b.size.X <= 0 && b.size.Y <= 0 {
			k.drawPlane(i, row, us, base.Z)
			continue
		}
		for x, u := range us {
			t, face := b.see(along(base, u, b.cam.x))
			if t < row[x].t {
				row[x] = hitPoint{t: t, body: int32(i), face: face}
			}
		}
	}
}

// drawPlane is a row of draw for a plane without end, of which only height counts.
func (k *caster) drawPlane(i int, row []hitPoint, us []float64, base float64) {
	b := &k.bodies[i]
	for x, u := range us {
		down := base + float64(u*b.cam.x.Z)
		if down >= 0 {
			continue
		}
		if t := -b.eye.Z / down; t < row[x].t && t >= Near {
			row[x] = hitPoint{t: t, body: int32(i)}
		}
	}
}

// hit is what the centre of pixel (x, y) of seen meets.
func (k *caster) hit(x, y int) *hitPoint {
	return &k.hits[k.index(x, y)]
}

func (k *caster) index(x, y int) int { return (y-k.seen.Min.Y)*k.seen.Dx() + x - k.seen.Min.X }

// depth writes the depth of the region.
func (k *caster) depth(d *robot.Depth) {
	w := d.Rect.Dx()
	for y := d.Rect.Min.Y; y < d.Rect.Max.Y; y++ {
		row := k.regionRow(y)
		out := d.Pix[(y-d.Rect.Min.Y)*w:][:w]
		for x := range row {
			if row[x].body >= 0 {
				out[x] = float32(row[x].t)
			}
		}
	}
}

// regionRow is the hits of row y of the region.
func (k *caster) regionRow(y int) []hitPoint {
	lo := k.region.Min.X - k.seen.Min.X
	return k.row(y)[lo : lo+k.region.Dx()]
}
