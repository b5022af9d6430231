package sim

import (
	"fmt"
	"slices"

	"github.com/rein-robotics/rein/config"
)

// sizes lists which sizes each shape takes; a trailing ? marks one that may be left out.
func sizes(shape Shape) []string {
	switch shape {
	case ShapeBox:
		return []string{"size_m"}
	case ShapeCylinder, ShapeCapsule:
		return []string{"radius_m", "length_m", "upright?"}
	case ShapeSphere:
		return []string{"radius_m"}
	case ShapeMug:
		return []string{"radius_m", "height_m", "wall_m?"}
	case ShapeOpenBox:
		return []string{"inner_m", "wall_m"}
	case ShapeDrawer:
		return []string{"inner_m", "wall_m", "travel_m"}
	case ShapeButton:
		return []string{"radius_m", "travel_m"}
	}
	return nil
}

// given lists the sizes that the file states.
func (o *Object) given() []string {
	all := []struct {
		name string
		set  bool
	}{
		{"size_m", o.SizeM != nil}, {"radius_m", o.RadiusM != nil}, {"length_m", o.LengthM != nil}, {"height_m", o.HeightM != nil},
		{"inner_m", o.InnerM != nil}, {"wall_m", o.WallM != nil}, {"travel_m", o.TravelM != nil}, {"upright", o.Upright != nil},
	}
	var names []string
	for _, one := range all {
		if one.set {
			names = append(names, one.name)
		}
	}
	return names
}

// Validate checks the sizes against the shape.
func (o *Object) Validate(c *config.Check) {
	takes := sizes(o.Shape)
	given := o.given()
	complete := true
	for _, name := range takes {
		if name[len(name)-1] != '?' && !slices.Contains(given, name) {
			c.Errorf("", "add "+name+":", "a %s needs %s", o.Shape, name)
			complete = false
		}
	}
	for _, name := range given {
		if !slices.Contains(takes, name) && !slices.Contains(takes, name+"?") {
			c.Errorf(name, "remove it", "a %s has no %s", o.Shape, name)
		}
	}
	if complete {
		o.validateSizes(c)
	}
}

// validateSizes checks sizes against each other.
func (o *Object) validateSizes(c *config.Check) {
	switch o.Shape {
	case ShapeCapsule:
		if *o.LengthM < 2**o.RadiusM {
			c.Errorf("length_m", "the length counts both round ends", "a capsule is at least as long as it is thick, %g m", 2**o.RadiusM)
		}
	case ShapeMug:
		if *o.RadiusM < 0.012 {
			c.Errorf("radius_m", "", "a mug has a radius of at least 0.012 m")
		}
		if o.WallM != nil && *o.WallM > *o.RadiusM/2 {
			c.Errorf("wall_m", "", "the wall is more than half the radius")
		}
	case ShapeDrawer, ShapeButton:
		if o.Fixed != nil && !*o.Fixed {
			c.Errorf("fixed", "remove it", "a %s is always fixed", o.Shape)
		}
	}
	switch {
	case o.Shape == ShapeDrawer && *o.TravelM > o.InnerM[0]+2**o.WallM:
		c.Errorf("travel_m", "", "a tray that slides out by %g m falls out of a drawer %g m deep inside", *o.TravelM, o.InnerM[0])
	case o.Shape == ShapeDrawer && o.InnerM[1] < handleLength:
		c.Errorf("inner_m", "", "a drawer is at least %g m wide inside, as its handle", handleLength)
	case o.Shape == ShapeButton && *o.TravelM > 0.03:
		c.Errorf("travel_m", "", "a button's travel is at most 0.03 m")
	}
}

// Validate checks what a fault needs.
func (f *Fault) Validate(c *config.Check) {
	switch {
	case f.Kind == FaultDelayed && f.DelayS == nil:
		c.Errorf("", "add delay_s:", "a delayed camera needs delay_s")
	case f.Kind != FaultDelayed && f.DelayS != nil:
		c.Errorf("delay_s", "remove it", "only a delayed camera has delay_s")
	}
	if f.Kind != FaultFrozen && f.With != "" {
		c.Errorf("with", "remove it", "only a frozen camera has with")
	}
}

// Validate checks that exactly one thing is asked.
func (k *Check) Validate(c *config.Check) {
	n := 0
	for _, set := range [...]bool{
		k.AllInside != nil, k.OnTopOf != nil, k.Near != nil, k.Moved != nil, k.DrawerOpen != nil, k.Pressed != nil,
		k.Upright != nil, k.Lifted != nil, k.All != nil, k.Any != nil, k.Not != nil,
	} {
		if set {
			n++
		}
	}
	switch {
	case n == 0 && k.All == nil && k.Any == nil:
		c.Errorf("", "", "a check asks one thing: all_inside, on_top_of, near, moved, drawer_open, pressed, upright, lifted, all, any or not")
	case n > 1:
		c.Errorf("", "combine them with all: [ … ]", "a check asks one thing, and here are %d", n)
	case k.All != nil && len(k.All) == 0, k.Any != nil && len(k.Any) == 0:
		c.Errorf("", "", "the list of checks is empty")
	}
}

// Validate checks names and that every selector finds what it needs.
func (s *Scene) Validate(c *config.Check) {
	const most = 200 // the physics would crawl
	if len(s.Objects) > most {
		c.Errorf("objects", "", "%d objects; a scene holds at most %d", len(s.Objects), most)
		return
	}
	names := map[string]bool{}
	for i := range s.Objects {
		if names[s.Objects[i].Name] {
			c.Errorf(fmt.Sprintf("objects[%d].name", i), "", "a second object is called %q", s.Objects[i].Name)
		}
		names[s.Objects[i].Name] = true
	}
	texts := map[string]bool{}
	for i := range s.Tasks {
		t := normal(s.Tasks[i].Instruction)
		if texts[t] {
			c.Errorf(fmt.Sprintf("tasks[%d].instruction", i), "", "a second task has the instruction %q", t)
		}
		texts[t] = true
		v := checkValidator{c: c, objects: s.Objects}
		v.check(&s.Tasks[i].Success, fmt.Sprintf("tasks[%d].success", i))
	}
}

// checkValidator resolves the selectors of checks.
type checkValidator struct {
	c       *config.Check
	objects []Object
}

func (v *checkValidator) check(k *Check, path string) {
	switch {
	case k.AllInside != nil:
		v.some(k.AllInside.Objects, path+".all_inside.objects")
		v.one(k.AllInside.Container, path+".all_inside.container", ShapeOpenBox, ShapeDrawer, ShapeMug)
	case k.OnTopOf != nil:
		v.one(k.OnTopOf.Object, path+".on_top_of.object")
		v.one(k.OnTopOf.Support, path+".on_top_of.support")
	case k.Near != nil:
		v.one(k.Near.Object, path+".near.object")
	case k.Moved != nil:
		v.one(k.Moved.Object, path+".moved.object")
	case k.DrawerOpen != nil:
		v.one(k.DrawerOpen.Object, path+".drawer_open.object", ShapeDrawer)
	case k.Pressed != nil:
		v.one(k.Pressed.Object, path+".pressed.object", ShapeButton)
	case k.Upright != nil:
		v.one(k.Upright.Object, path+".upright.object")
	case k.Lifted != nil:
		v.one(k.Lifted.Object, path+".lifted.object")
	case k.Not != nil:
		v.check(k.Not, path+".not")
	}
	for i := range k.All {
		v.check(&k.All[i], fmt.Sprintf("%s.all[%d]", path, i))
	}
	for i := range k.Any {
		v.check(&k.Any[i], fmt.Sprintf("%s.any[%d]", path, i))
	}
}

// some wants at least one object.
func (v *checkValidator) some(s Selector, path string) []int {
	found, missing := s.find(v.objects)
	for _, name := range missing {
		v.c.Errorf(path, "", "no object is called %q", name)
	}
	if len(found) == 0 && len(missing) == 0 {
		v.c.Errorf(path, "", "no object is of kind %q", s.Kind)
	}
	return found
}

// one wants exactly one object, of one of the shapes if any are named.
func (v *checkValidator) one(s Selector, path string, shapes ...Shape) {
	found := v.some(s, path)
	switch {
	case len(found) == 0:
	case len(found) > 1:
		v.c.Errorf(path, "name one", "one object is meant, and %s matches %d", s, len(found))
	case len(shapes) > 0 && !slices.Contains(shapes, v.objects[found[0]].Shape):
		v.c.Errorf(path, "", "%s has the shape %s; one of %v is needed", s, v.objects[found[0]].Shape, shapes)
	}
}
