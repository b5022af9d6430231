package sim

import (
	"fmt"

	"github.com/rein-robotics/rein/config"
)

// Check is what must be true of the world, as written in a scene file: exactly one of its fields is set.
type Check struct {
	AllInside  *AllInside  `yaml:"all_inside"`
	OnTopOf    *OnTopOf    `yaml:"on_top_of"`
	Near       *Near       `yaml:"near"`
	Moved      *Moved      `yaml:"moved"`
	DrawerOpen *DrawerOpen `yaml:"drawer_open"`
	Pressed    *Pressed    `yaml:"pressed"`
	Upright    *Upright    `yaml:"upright"`
	Lifted     *Lifted     `yaml:"lifted"`
	All        []Check     `yaml:"all"`
	Any        []Check     `yaml:"any"`
	Not        *Check      `yaml:"not"`
}

// AllInside: the centre of each object is within the container's inner walls, above its floor and below its rim.
type AllInside struct {
	Objects   Selector `yaml:"objects" check:"required"`
	Container Selector `yaml:"container" check:"required"`
}

// OnTopOf: the two touch, the object's lowest point is within 5 mm of the support's top and its centre over it.
type OnTopOf struct {
	Object  Selector `yaml:"object" check:"required"`
	Support Selector `yaml:"support" check:"required"`
}

// Near: the object's centre is within WithinM of XY, seen from above.
type Near struct {
	Object  Selector   `yaml:"object" check:"required"`
	XY      [2]float64 `yaml:"xy" check:"required,min=-2,max=2"`
	WithinM float64    `yaml:"within_m" check:"required,above=0,max=2"`
}

// Moved: the object's centre went at least AtLeastM in the direction since the trial began.
type Moved struct {
	Object    Selector `yaml:"object" check:"required"`
	Direction string   `yaml:"direction" check:"required,oneof=left|right|away|closer"`
	AtLeastM  float64  `yaml:"at_least_m" check:"required,above=0,max=2"`
}

// DrawerOpen: the drawer is pulled out by at least AtLeastM.
type DrawerOpen struct {
	Object   Selector `yaml:"object" check:"required"`
	AtLeastM float64  `yaml:"at_least_m" check:"required,above=0,max=2"`
}

// Pressed: the button was down at some time since the trial began.
type Pressed struct {
	Object Selector `yaml:"object" check:"required"`
}

// Upright: the object's axis is within 15° of the vertical; a hollow body must have its opening up.
type Upright struct {
	Object Selector `yaml:"object" check:"required"`
}

// Lifted: the object's centre is at least AtLeastM higher than when the trial began; it may be held.
type Lifted struct {
	Object   Selector `yaml:"object" check:"required"`
	AtLeastM float64  `yaml:"at_least_m" check:"required,above=0,max=2"`
}

// Selector names objects: all of a kind, one by its name, or several by their names. In a file it is {kind: K},
// {name: N}, {name: [N, …]} or a bare name.
type Selector struct {
	Kind  string
	Names []string
}

// UnmarshalConfig reads the forms of a selector.
func (s *Selector) UnmarshalConfig(r config.Raw) error {
	if r.Kind() == config.KindText {
		name, err := config.DecodeRaw[string](r)
		*s = Selector{Names: []string{name}}
		return err
	}
	form, err := config.DecodeRaw[struct {
		Kind string     `yaml:"kind" check:"size=1"`
		Name config.Raw `yaml:"name"`
	}](r)
	if err != nil {
		return err
	}
	*s = Selector{Kind: form.Kind}
	if (form.Kind == "") == form.Name.IsZero() {
		return r.Errorf("write {kind: K}, {name: N}, {name: [N, …]} or a name", "a selector has either kind or name")
	}
	switch form.Name.Kind() {
	case config.KindNone:
	case config.KindList:
		s.Names, err = config.DecodeRaw[[]string](form.Name)
		if err == nil && len(s.Names) == 0 {
			err = form.Name.Errorf("", "the list of names is empty")
		}
	default:
		s.Names = make([]string, 1)
		s.Names[0], err = config.DecodeRaw[string](form.Name)
	}
	return err
}

func (s Selector) String() string {
	switch {
	case s.Kind != "":
		return fmt.Sprintf("{kind: %s}", s.Kind)
	case len(s.Names) == 1:
		return s.Names[0]
	}
	return fmt.Sprintf("{name: %v}", s.Names)
}

// find is the objects that the selector matches, in the order of the file; missing are names that match none.
func (s Selector) find(objects []Object) (found []int, missing []string) {
	if s.Kind != "" {
		for i := range objects {
			if objects[i].Kind == s.Kind {
				found = append(found, i)
			}
		}
		return found, nil
	}
	for _, name := range s.Names {
		at := -1
		for i := range objects {
			if objects[i].Name == name {
				at = i
			}
		}
		if at < 0 {
			missing = append(missing, name)
			continue
		}
		found = append(found, at)
	}
	return found, missing
}
