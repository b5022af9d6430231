package mujoco

import (
	"fmt"
	"math"
	"strings"
	"unsafe"

	"github.com/rein-robotics/rein/sim/mujoco/layout"
)

// ID returns the id of the element with that name, or -1.
func (s *Sim) ID(kind Kind, name string) int {
	if s.in == nil || name == "" || len(name) >= nameSize || strings.IndexByte(name, 0) >= 0 {
		return -1
	}
	b, ok := s.mem.Read(s.buf.name, nameSize)
	if !ok {
		return -1
	}
	b[copy(b, name)] = 0
	id, err := s.in.call32("mj_name2id", uint64(s.model), uint64(kind), uint64(s.buf.name))
	if err != nil {
		return -1
	}
	return int(int32(id))
}

// Name returns the name of an element, or "" for one without a name or an id out of range.
func (s *Sim) Name(kind Kind, id int) string {
	if s.in == nil || id < 0 || id > math.MaxInt32 {
		return ""
	}
	p, err := s.in.call32("mj_id2name", uint64(s.model), uint64(kind), uint64(id))
	if err != nil || p == 0 {
		return ""
	}
	return s.in.cstring(p, int(s.mem.Size()))
}

// Contact is one contact of the last Step or Forward. Bodies that sleep have none.
type Contact struct {
	Geom1, Geom2 int
	Dist         float64    // distance in metres, negative when the geoms overlap
	Pos, Normal  [3]float64 // midpoint, and unit normal from Geom1 to Geom2, in the world
}

// NContact is the number of contacts of the last Step or Forward.
func (s *Sim) NContact() int {
	if v := view[int32](s, s.data+layout.DataNcon, 1); v != nil {
		return int(v[0])
	}
	return 0
}

// Contacts appends the contacts of the last Step or Forward to dst; it allocates only when dst has no room.
func (s *Sim) Contacts(dst []Contact) []Contact {
	raw := array[uint8](s, s.data+layout.DataContact, layout.SizeofContact*s.NContact())
	for ; len(raw) >= layout.SizeofContact; raw = raw[layout.SizeofContact:] {
		dst = append(dst, Contact{
			Geom1:  int(at[int32](raw, layout.ContactGeom)),
			Geom2:  int(at[int32](raw, layout.ContactGeom+4)),
			Dist:   at[float64](raw, layout.ContactDist),
			Pos:    at[[3]float64](raw, layout.ContactPos),
			Normal: at[[3]float64](raw, layout.ContactFrame),
		})
	}
	return dst
}

// at reads a value inside a struct of engine memory.
func at[T int32 | float64 | [3]float64](raw []uint8, offset int) T {
	var zero T
	b := raw[offset : offset+int(unsafe.Sizeof(zero))]
	return *(*T)(unsafe.Pointer(unsafe.SliceData(b)))
}

// ContactForce returns the force and torque of contact i (an index into the list of Contacts) in its own frame: the first axis is the normal,
// pointing from Geom1 to Geom2; force on Geom2 in N, torque in N·m.
func (s *Sim) ContactForce(i int) (force, torque [3]float64, err error) {
	if i < 0 || i >= s.NContact() {
		return force, torque, fmt.Errorf("reading a contact's force: contact %d of %d", i, s.NContact())
	}
	if _, err := s.call("mj_contactForce", uint64(i), uint64(s.buf.vec)); err != nil {
		return force, torque, fmt.Errorf("reading a contact's force: %w", err)
	}
	v := view[float64](s, s.buf.vec, 6)
	copy(force[:], v[:3])
	copy(torque[:], v[3:])
	return force, torque, nil
}

// Ray follows a ray from pnt along vec (world frame) and returns the nearest geom it meets and the distance in lengths of vec; geom is -1 and
// dist negative when it meets none. Geoms of bodyExclude are ignored; -1 excludes none.
func (s *Sim) Ray(pnt, vec [3]float64, bodyExclude int) (dist float64, geom int) {
	const geomAt = 6 * 8 // behind the two vectors
	v := view[float64](s, s.buf.vec, 6)
	if v == nil {
		return -1, -1
	}
	copy(v, pnt[:])
	copy(v[3:], vec[:])
	const withStatic = 1
	p := uint64(s.buf.vec)
	d, err := s.call("mj_ray", p, p+3*8, 0, withStatic, uint64(uint32(int32(bodyExclude))), p+geomAt, 0)
	if err != nil {
		return -1, -1
	}
	return math.Float64frombits(d), int(view[int32](s, s.buf.vec+geomAt, 1)[0])
}

// JacSite writes the Jacobian of a site's position (jacp) and orientation (jacr), each 3 rows of NV values, for the present state. Either may
// be nil; one that is not must have 3*NV values.
func (s *Sim) JacSite(site int, jacp, jacr []float64) error {
	rows := 3 * s.n.v
	switch {
	case site < 0 || site >= s.n.site:
		return fmt.Errorf("computing a Jacobian: site %d of %d", site, s.n.site)
	case jacp != nil && len(jacp) != rows, jacr != nil && len(jacr) != rows:
		return fmt.Errorf("computing a Jacobian: slices of %d and %d values, wanted %d", len(jacp), len(jacr), rows)
	}
	p := uint64(s.buf.jac)
	if _, err := s.call("mj_jacSite", p, p+uint64(8*rows), uint64(site)); err != nil {
		return fmt.Errorf("computing a Jacobian: %w", err)
	}
	v := view[float64](s, s.buf.jac, 2*rows)
	copy(jacp, v[:rows])
	copy(jacr, v[rows:])
	return nil
}
