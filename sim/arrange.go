package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/rein-robotics/rein/geom"
)

const (
	minGap       = 0.025 // metres between things that a seed has moved
	reachInner   = 0.17  // metres from the foot
	reachOuter   = 0.36
	seedTries    = 100
	objectTries  = 100
	touchingGap  = 1e-6
	noSuchObject = -1
)

// arranged is an object where a seed put it.
type arranged struct {
	object  int // index in Scene.Objects
	built   *builder
	outline footprint // in the root's frame
	pose    geom.Pose // of its root body
}

// arrange places the objects for a seed, in an order that depends on what they are and where they stand, not on their
// names or on the order of the file.
func (s *Scene) arrange(seed uint64) ([]arranged, error) {
	things := make([]arranged, len(s.Objects))
	for i := range s.Objects {
		b := build(&s.Objects[i])
		things[i] = arranged{object: i, built: b, outline: footprintOf(b.bodies), pose: written(&s.Objects[i], b.rise())}
	}
	slices.SortStableFunc(things, func(a, b arranged) int {
		return strings.Compare(essence(a.built.o), essence(b.built.o))
	})
	if seed == 0 || s.SeedJitter == (Jitter{}) {
		return things, nil
	}
	a := newArranger(s, things)
	rng := rand.New(rand.NewPCG(seed, 0x7265696e))
	for range seedTries {
		if placed, ok := a.try(rng); ok {
			return placed, nil
		}
	}
	return nil, fmt.Errorf("placing the objects of scene %q for seed %d: no arrangement with gaps of %.0f mm was found in %d tries; give the objects more room or lower seed_jitter",
		s.Name, seed, minGap*1000, seedTries)
}

// written is the pose that the file states.
func written(o *Object, rise float64) geom.Pose {
	z := rise
	if o.Pose.Z != nil {
		z += *o.Pose.Z
	}
	return geom.Pose{Pos: geom.Vec{X: o.Pose.XY[0], Y: o.Pose.XY[1], Z: z}, Rot: geom.RotZ(geom.Rad(o.Pose.YawDeg))}
}

// essence is all of an object but its name and kind.
func essence(o *Object) string {
	var b strings.Builder
	b.WriteString(string(o.Shape))
	for _, p := range [...]*float64{o.RadiusM, o.LengthM, o.HeightM, o.WallM, o.TravelM, o.MassKg, o.Friction, o.Pose.Z} {
		b.WriteByte('|')
		if p != nil {
			b.WriteString(num(*p))
		}
	}
	for _, p := range [...]*[3]float64{o.SizeM, o.InnerM, o.Color} {
		b.WriteByte('|')
		if p != nil {
			b.WriteString(nums(p[:]...))
		}
	}
	for _, p := range [...]*bool{o.Upright, o.Fixed} {
		fmt.Fprintf(&b, "|%t", p != nil && *p)
	}
	return b.String() + "|" + nums(o.Pose.XY[0], o.Pose.XY[1], o.Pose.YawDeg)
}

// arranger draws arrangements of one scene.
type arranger struct {
	jitter  Jitter
	things  []arranged
	carrier []int  // the thing that one stands on or in as written; noSuchObject for most
	inside  []bool // began within the reach of the arm
}

func newArranger(s *Scene, things []arranged) *arranger {
	a := &arranger{jitter: s.SeedJitter, things: things, carrier: make([]int, len(things)), inside: make([]bool, len(things))}
	prints := make([]footprint, len(things))
	for i := range things {
		prints[i] = things[i].outline.placed(things[i].pose)
		r := math.Hypot(things[i].pose.Pos.X, things[i].pose.Pos.Y)
		a.inside[i] = r >= reachInner && r <= reachOuter
	}
	for i := range things {
		a.carrier[i] = a.carrierOf(i, prints)
	}
	return a
}

// carrierOf is the thing that i overlaps as written and that begins lower, or is fixed: what i stands on or in.
func (a *arranger) carrierOf(i int, prints []footprint) int {
	best := noSuchObject
	if !a.things[i].built.o.Free() {
		return best
	}
	for j := range a.things {
		if j == i || prints[i].gap(prints[j]) > touchingGap {
			continue
		}
		if a.bottom(j) < a.bottom(i) || !a.things[j].built.o.Free() {
			if best == noSuchObject || a.bottom(j) > a.bottom(best) {
				best = j
			}
		}
	}
	return best
}

func (a *arranger) bottom(i int) float64 { return a.things[i].pose.Pos.Z - a.things[i].built.rise() }

// try draws one arrangement; ok is false when some object found no room.
func (a *arranger) try(rng *rand.Rand) (placed []arranged, ok bool) {
	placed = slices.Clone(a.things)
	var settled []footprint // that others keep away from
	for i := range placed {
		if !placed[i].built.o.Free() {
			settled = append(settled, placed[i].outline.placed(placed[i].pose))
		}
	}
	for i := range placed {
		if !placed[i].built.o.Free() || a.carrier[i] != noSuchObject {
			continue
		}
		pose, ok := a.draw(rng, i, settled)
		if !ok {
			return nil, false
		}
		placed[i].pose = pose
		settled = append(settled, placed[i].outline.placed(pose))
	}
	for i := range placed {
		if a.carrier[i] != noSuchObject {
			placed[i].pose = a.carried(i, placed)
		}
	}
	return placed, true
}

// draw moves object i at random until it keeps its distance from those settled.
func (a *arranger) draw(rng *rand.Rand, i int, settled []footprint) (pose geom.Pose, ok bool) {
	home := a.things[i].pose
	for range objectTries {
		p := home
		p.Pos.X += a.jitter.XYM * (2*rng.Float64() - 1)
		p.Pos.Y += a.jitter.XYM * (2*rng.Float64() - 1)
		p.Rot = geom.MulRot(geom.RotZ(geom.Rad(a.jitter.YawDeg)*(2*rng.Float64()-1)), home.Rot)
		r := math.Hypot(p.Pos.X, p.Pos.Y)
		if a.inside[i] && (r < reachInner || r > reachOuter) {
			continue
		}
		print := a.things[i].outline.placed(p)
		if !slices.ContainsFunc(settled, func(f footprint) bool { return print.gap(f) < minGap }) {
			return p, true
		}
	}
	return geom.Pose{}, false
}

// carried is where object i is when what carries it has moved.
func (a *arranger) carried(i int, placed []arranged) geom.Pose {
	chain := []int{i}
	for j := a.carrier[i]; j != noSuchObject && len(chain) <= len(placed); j = a.carrier[j] {
		chain = append(chain, j)
	}
	last := chain[len(chain)-1]
	shift := placed[last].pose.Mul(a.things[last].pose.Inv())
	return shift.Mul(a.things[i].pose)
}
