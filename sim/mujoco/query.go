package mujoco

// Contact is one contact of the last Step or Forward. Bodies that sleep have none.
type Contact struct {
	Geom1, Geom2 int
	Dist         float64    // distance in metres, negative when the geoms overlap
	Pos, Normal  [3]float64 // midpoint, and unit normal from Geom1 to Geom2, in the world
}

// NContact is the number of contacts of the last Step or Forward.
func (s *Sim) NContact() int { return 0 }

// Contacts appends the contacts of the last Step or Forward to dst; it allocates only when dst has no room.
func (s *Sim) Contacts(dst []Contact) []Contact { return dst }

// ContactForce returns the force and torque of contact i (an index into the list of Contacts) in its own frame: the first axis is the normal,
// pointing from Geom1 to Geom2; force on Geom2 in N, torque in N·m.
func (s *Sim) ContactForce(i int) (force, torque [3]float64, err error) { return force, torque, nil }

// Ray follows a ray from pnt along vec (world frame) and returns the nearest geom it meets and the distance in lengths of vec; geom is -1 and
// dist negative when it meets none. Geoms of bodyExclude are ignored; -1 excludes none.
func (s *Sim) Ray(pnt, vec [3]float64, bodyExclude int) (dist float64, geom int) { return -1, -1 }

// JacSite writes the Jacobian of a site's position (jacp) and orientation (jacr), each 3 rows of NV values, for the present state. Either may
// be nil; one that is not must have 3*NV values.
func (s *Sim) JacSite(site int, jacp, jacr []float64) error { return nil }
