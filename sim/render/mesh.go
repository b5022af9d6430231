package render

// TriMesh is a body of triangles. It is made by NewMesh and never changes.
type TriMesh struct {
	tris         []tri
	centre, half vec
}

type tri struct{ a, ab, ac vec }

func (m *TriMesh) hit(o, d vec, tmin float64) (float64, int32) { return miss, 0 }
func (m *TriMesh) normal(p vec, face int32) vec                { return vec{} }
