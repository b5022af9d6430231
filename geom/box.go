package geom

// Box is an axis-aligned box of the world frame, metres.
type Box struct{ Min, Max Vec }

// Contains says whether p lies in the box, borders included.
func (b Box) Contains(p Vec) bool {
	return p.X >= b.Min.X && p.X <= b.Max.X && p.Y >= b.Min.Y && p.Y <= b.Max.Y && p.Z >= b.Min.Z && p.Z <= b.Max.Z
}
