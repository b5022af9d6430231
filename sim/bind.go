package sim

import "github.com/rein-robotics/rein/geom"

// direction is the way a word of a check points.
func direction(word string) (d geom.Vec, ok bool) {
	switch word {
	case "left":
		return geom.Vec{Y: 1}, true
	case "right":
		return geom.Vec{Y: -1}, true
	case "away":
		return geom.Vec{X: 1}, true
	case "closer":
		return geom.Vec{X: -1}, true
	}
	return geom.Vec{}, false
}

// bindCheck turns a check of a file that has passed validation into what can be asked of a world.
func bindCheck(c *Check, objects []Object) checker {
	one := func(s Selector) int {
		found, _ := s.find(objects)
		return found[0]
	}
	switch {
	case c.AllInside != nil:
		found, _ := c.AllInside.Objects.find(objects)
		return &insideCheck{objects: found, container: one(c.AllInside.Container)}
	case c.OnTopOf != nil:
		return &topCheck{object: one(c.OnTopOf.Object), support: one(c.OnTopOf.Support)}
	case c.Near != nil:
		return &nearCheck{object: one(c.Near.Object), x: c.Near.XY[0], y: c.Near.XY[1], r: c.Near.WithinM}
	case c.Moved != nil:
		d, _ := direction(c.Moved.Direction)
		return &movedCheck{object: one(c.Moved.Object), dir: d, atLeast: c.Moved.AtLeastM}
	case c.DrawerOpen != nil:
		return &openCheck{object: one(c.DrawerOpen.Object), atLeast: c.DrawerOpen.AtLeastM}
	case c.Pressed != nil:
		return &pressedCheck{object: one(c.Pressed.Object)}
	case c.Upright != nil:
		return &uprightCheck{object: one(c.Upright.Object)}
	case c.Lifted != nil:
		return &liftedCheck{object: one(c.Lifted.Object), atLeast: c.Lifted.AtLeastM}
	case c.Not != nil:
		return &notCheck{of: bindCheck(c.Not, objects)}
	case c.All != nil:
		return allCheck(bindAll(c.All, objects))
	}
	return anyCheck(bindAll(c.Any, objects))
}

func bindAll(checks []Check, objects []Object) []checker {
	bound := make([]checker, len(checks))
	for i := range checks {
		bound[i] = bindCheck(&checks[i], objects)
	}
	return bound
}
