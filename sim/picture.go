package sim

import (
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/sim/render"
)

// What render.Geom.ID says of what is not an object: object i of the scene has the ID i + 1.
const (
	idTable = 0
	idArm   = -2
)

var (
	tableColor = [4]float32{0.50, 0.50, 0.49, 1}
	floorColor = [4]float32{0.30, 0.29, 0.28, 1}
)

// The table top reaches this far around a point 0.3 m before the foot.
const tableHalf = 0.8

// Geometry makes dst a copy of what there is to see now: the table, the things, the arms. dst keeps its memory; its light
// and background are left as they are.
func (w *World) Geometry(dst *render.Scene) {
	poses := w.place()
	dst.Geoms = append(dst.Geoms[:0],
		render.Geom{Shape: render.Plane, Pose: at(0.3, 0, 0), Size: geom.Vec{X: tableHalf, Y: tableHalf}, Color: tableColor, ID: idTable},
		render.Geom{Shape: render.Plane, Pose: at(0.3, 0, -0.75), Color: floorColor, ID: idTable},
	)
	for i := range w.m.bodies {
		b := &w.m.bodies[i]
		for j := range b.parts {
			p := &b.parts[j]
			if p.visible {
				dst.Geoms = append(dst.Geoms, render.Geom{Shape: p.shape, Pose: poses[i].Mul(p.at), Size: p.size, Color: p.color, ID: w.seen[i]})
			}
		}
	}
}

// Pose is where an object is (of its frame, whose origin is its centre), nil when the scene has none of that name. It is
// for checks and tests: nothing that decides may see it.
func (w *World) Pose(name string) *geom.Pose {
	for i := range w.m.things {
		if t := &w.m.things[i]; t.name == name {
			p := w.place()[t.root]
			return &p
		}
	}
	return nil
}
