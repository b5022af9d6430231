package sim

import (
	"strings"

	"github.com/rein-robotics/rein/config"
)

// Scene is a scene file, checked. It is shared and nobody changes it.
type Scene struct {
	Name       string   `yaml:"name" check:"required,size=1"`
	SeedJitter Jitter   `yaml:"seed_jitter"`
	Objects    []Object `yaml:"objects"`
	Tasks      []Task   `yaml:"tasks"`
	Faults     []Fault  `yaml:"faults"`

	Warnings []string `yaml:"-"` // what is allowed but unwise, each with file:line:column
}

// Jitter is how far a seed other than 0 moves free objects: uniformly within ±XYM metres in x and in y and ±YawDeg.
type Jitter struct {
	XYM    float64 `yaml:"xy_m" check:"min=0,max=0.3"`
	YawDeg float64 `yaml:"yaw_deg" check:"min=0,max=180"`
}

// Shape is what a thing is made like.
type Shape string

// The shapes.
const (
	ShapeBox      Shape = "box"
	ShapeCylinder Shape = "cylinder"
	ShapeCapsule  Shape = "capsule"
	ShapeSphere   Shape = "sphere"
	ShapeMug      Shape = "mug"
	ShapeOpenBox  Shape = "open_box"
	ShapeDrawer   Shape = "drawer"
	ShapeButton   Shape = "button"
)

// Object is one thing on the table, as written. Lengths are metres. Which of the sizes are set depends on the shape; nil
// was not given. Name and Kind are for checks alone.
type Object struct {
	Name     string      `yaml:"name" check:"required,size=1"`
	Kind     string      `yaml:"kind"`
	Shape    Shape       `yaml:"shape" check:"required,oneof=box|cylinder|capsule|sphere|mug|open_box|drawer|button"`
	SizeM    *[3]float64 `yaml:"size_m" check:"min=0.002,max=1"`
	RadiusM  *float64    `yaml:"radius_m" check:"min=0.001,max=0.5"`
	LengthM  *float64    `yaml:"length_m" check:"min=0.002,max=1"`
	HeightM  *float64    `yaml:"height_m" check:"min=0.01,max=0.5"`
	InnerM   *[3]float64 `yaml:"inner_m" check:"min=0.01,max=1"`
	WallM    *float64    `yaml:"wall_m" check:"min=0.001,max=0.05"`
	TravelM  *float64    `yaml:"travel_m" check:"min=0.001,max=0.5"`
	Upright  *bool       `yaml:"upright"`
	MassKg   *float64    `yaml:"mass_kg" check:"min=0.0005,max=20"`
	Color    *[3]float64 `yaml:"color" check:"min=0,max=1"`
	Pose     Stand       `yaml:"pose" check:"required"`
	Fixed    *bool       `yaml:"fixed"`
	Friction *float64    `yaml:"friction" check:"min=0.01,max=5"`
}

// Stand is where an object stands: XY is its centre, Z the height of its underside (nil = on the table).
type Stand struct {
	XY     [2]float64 `yaml:"xy" check:"required,min=-2,max=2"`
	Z      *float64   `yaml:"z" check:"min=0,max=2"`
	YawDeg float64    `yaml:"yaw_deg" check:"min=-360,max=360"`
}

// Task is an instruction and the check that decides it.
type Task struct {
	Instruction string `yaml:"instruction" check:"required,size=1"`
	Success     Check  `yaml:"success" check:"required"`
}

// Fault spoils what a camera shows from FromS on, for ForS seconds (nil = for good). Times are the robot clock's.
type Fault struct {
	Camera string   `yaml:"camera" check:"required,size=1"`
	Kind   string   `yaml:"kind" check:"required,oneof=frozen|black|delayed"`
	FromS  float64  `yaml:"from_s" check:"min=0,max=86400"`
	ForS   *float64 `yaml:"for_s" check:"above=0,max=86400"`
	DelayS *float64 `yaml:"delay_s" check:"above=0,max=60"`  // of a delayed camera
	With   string   `yaml:"with" check:"oneof=|noise|clock"` // what a frozen picture is given that is new each time

	at config.Pos // where its camera is written
}

// The kinds of camera faults.
const (
	FaultFrozen  = "frozen"
	FaultBlack   = "black"
	FaultDelayed = "delayed"
)

// What is new in each picture of a frozen camera, besides nothing: the sensor's noise, or a running clock drawn across the
// middle.
const (
	WithNoise = "noise"
	WithClock = "clock"
)

// Free says whether the object can move as a whole.
func (o *Object) Free() bool {
	return o.Shape != ShapeDrawer && o.Shape != ShapeButton && (o.Fixed == nil || !*o.Fixed)
}

// Task is the task whose instruction is the typed text, but for case, spaces and a final full stop; nil when there is none.
func (s *Scene) Task(typed string) *Task {
	want := normal(typed)
	for i := range s.Tasks {
		if normal(s.Tasks[i].Instruction) == want {
			return &s.Tasks[i]
		}
	}
	return nil
}

func normal(text string) string {
	t := strings.Join(strings.Fields(strings.ToLower(text)), " ")
	return strings.TrimSpace(strings.TrimSuffix(t, "."))
}
