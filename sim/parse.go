package sim

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/rein-robotics/rein/config"
	"github.com/rein-robotics/rein/geom"
)

// Parse reads a scene file strictly. The error lists everything that is wrong, each with file:line:column and a hint
// (config.Errors). file is only a name for messages.
func Parse(file string, data []byte) (*Scene, error) {
	s, doc, err := config.DecodeDocument[Scene](file, data)
	if err != nil {
		return nil, err
	}
	for i := range s.Faults {
		s.Faults[i].at = doc.At(fmt.Sprintf("faults[%d].camera", i))
	}
	s.warn(doc)
	s.warnOverlaps(doc)
	return &s, nil
}

// CheckFaults refuses faults of cameras that are not among those of the robot (config.Errors).
func (s *Scene) CheckFaults(cameras []string) error {
	var errs config.Errors
	for _, f := range s.Faults {
		if !slices.Contains(cameras, f.Camera) {
			errs = append(errs, config.Error{
				Pos: f.at, Msg: fmt.Sprintf("the robot has no camera %q%s", f.Camera, config.DidYouMean(f.Camera, cameras)),
				Hint: "its cameras are " + strings.Join(cameras, ", "),
			})
		}
	}
	return errs.Err()
}

// LoadScene reads a scene: a path inside files that ends in .yaml, or the bare name of one in the folder scenes.
func LoadScene(files fs.FS, name string) (*Scene, error) {
	file := name
	if !strings.HasSuffix(name, ".yaml") && !strings.HasSuffix(name, ".yml") {
		file = path.Join("scenes", name+".yaml")
	}
	data, err := config.Read(files, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("loading scene %q: there is no %s; known are %s", name, file, strings.Join(SceneNames(files), ", "))
	}
	if err != nil {
		return nil, fmt.Errorf("loading scene %q: %w", name, err)
	}
	return Parse(file, data)
}

// SceneNames lists the scenes in the folder scenes by name.
func SceneNames(files fs.FS) []string {
	found, err := fs.Glob(files, "scenes/*.yaml")
	if err != nil {
		return nil // only a bad pattern can fail
	}
	for i := range found {
		found[i] = strings.TrimSuffix(path.Base(found[i]), ".yaml")
	}
	return found
}

// minHandle is how near to the foot the handle of an open drawer may come.
const minHandle = 0.15

// warn notes what is allowed but unwise.
func (s *Scene) warn(doc *config.Document) {
	for i := range s.Objects {
		o := &s.Objects[i]
		where := doc.At(fmt.Sprintf("objects[%d].pose", i))
		note := func(format string, args ...any) {
			s.Warnings = append(s.Warnings, fmt.Sprintf("%s: %s: ", where, o.Name)+fmt.Sprintf(format, args...))
		}
		if r := math.Hypot(o.Pose.XY[0], o.Pose.XY[1]); o.Free() && (r < reachInner || r > reachOuter) {
			note("it stands %.2f m from the arm's foot; the arm handles things between %.2f and %.2f m", r, reachInner, reachOuter)
		}
		if o.Shape != ShapeDrawer {
			continue
		}
		if r := o.openHandle(); r < minHandle {
			note("the handle of the open drawer comes within %.2f m of the arm's foot; keep it at %.2f m or more", r, minHandle)
		}
	}
}

// warnOverlaps notes things that are written into each other.
func (s *Scene) warnOverlaps(doc *config.Document) {
	const same = 0.001 // metres in height; what stands in or on another thing has its underside higher
	prints, bottoms := make([]footprint, len(s.Objects)), make([]float64, len(s.Objects))
	for i := range s.Objects {
		b := build(&s.Objects[i])
		prints[i] = footprintOf(b.bodies).placed(written(&s.Objects[i], b.rise()))
		if z := s.Objects[i].Pose.Z; z != nil {
			bottoms[i] = *z
		}
		for j := range i {
			if math.Abs(bottoms[i]-bottoms[j]) < same && prints[i].gap(prints[j]) == 0 {
				s.Warnings = append(s.Warnings, fmt.Sprintf("%s: %s stands in the place of %s; give what lies in or on another thing its height, pose.z",
					doc.At(fmt.Sprintf("objects[%d].pose", i)), s.Objects[i].Name, s.Objects[j].Name))
			}
		}
	}
}

// openHandle is how far from the foot a drawer's handle is when it is pulled out whole.
func (o *Object) openHandle() float64 {
	sin, cos := math.Sincos(geom.Rad(o.Pose.YawDeg))
	d := handleReach(o) + *o.TravelM
	return math.Hypot(o.Pose.XY[0]-d*cos, o.Pose.XY[1]-d*sin)
}
