package rules

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/reason/rules/language"
	"github.com/rein-robotics/rein/vision/detect"
)

// checkStep is the id of the plan's last step, whose arguments are the planner's memory.
const checkStep = "check"

// memory is what the planner found out at its first look and must know at the last one. It stands in the plan.
type memory struct {
	Task  string `json:"task"`
	Goals []goal `json:"goals,omitempty"` // none = nothing was seen yet
}

// goal is one clause tied to things that were seen. Clause -1 is never stored.
type goal struct {
	Clause int    `json:"clause"`
	Items  []mark `json:"items,omitempty"` // the things that are meant
	Rest   []mark `json:"rest,omitempty"`  // things that the words fit as well, but that stay
	Alike  []mark `json:"alike,omitempty"` // things that only look like those that are meant
	Place  *mark  `json:"place,omitempty"`
	Later  bool   `json:"later,omitempty"` // its things could not be seen yet

	Done bool     `json:"done,omitempty"` // the newest image that could tell showed all of it done
	Gone []string `json:"gone,omitempty"` // or why something of it was given up by then, in words
}

// mark is a thing as it was seen.
type mark struct {
	Kind   string     `json:"kind"`
	Colour string     `json:"colour,omitempty"`
	RGB    [3]float64 `json:"rgb"`
	At     [3]float64 `json:"at"`   // metres, the middle of its body
	Size   [3]float64 `json:"size"` // metres: length, width, height
	Base   float64    `json:"base"` // metres: of what it stood on

	Out *[2]float64 `json:"out,omitempty"` // of a drawer: the way it opens
}

func markOf(t *detect.Thing) mark {
	r := func(v float64, n float64) float64 { return math.Round(v*n) / n }
	m := mark{
		Kind: string(t.Kind), Colour: t.Colour,
		RGB:  [3]float64{r(t.RGB[0], 100), r(t.RGB[1], 100), r(t.RGB[2], 100)},
		At:   [3]float64{r(t.World.X, 1e4), r(t.World.Y, 1e4), r(t.World.Z, 1e4)},
		Size: [3]float64{r(t.Length, 1e4), r(t.Width, 1e4), r(t.Height, 1e4)}, Base: r(t.Base, 1e4),
	}
	if t.Kind == detect.Drawer {
		o := opens(t)
		m.Out = &[2]float64{r(o.X, 1e3), r(o.Y, 1e3)}
	}
	return m
}

// same says whether two marks are of one thing.
func (m *mark) same(o *mark) bool { return m.Kind == o.Kind && m.At == o.At && m.Size == o.Size }

func (m *mark) pos() geom.Vec { return geom.Vec{X: m.At[0], Y: m.At[1], Z: m.At[2]} }

func (m *mark) name() string { return named(m.Kind, m.Colour) }

// unlike is how different a thing looks from the mark: 0 the same, above 1 hardly the same thing.
func (m *mark) unlike(t *detect.Thing) float64 {
	d := m.faded(t)
	size := [3]float64{t.Length, t.Width, t.Height}
	slices.Sort(size[:])
	was := m.Size
	slices.Sort(was[:])
	for i := range 3 {
		d = max(d, math.Abs(size[i]-was[i])/(0.012+0.5*was[i]))
	}
	return d
}

// faded is how different its colour is: 0 the same, above 1 another one.
func (m *mark) faded(t *detect.Thing) float64 {
	d := 0.0
	for i := range 3 {
		d = max(d, math.Abs(m.RGB[i]-t.RGB[i])/0.35)
	}
	if m.Colour != "" && t.Is(m.Colour) { // a side in the shade, or half hidden
		return min(d, 0.5)
	}
	return d
}

// recall reads the memory out of the plan; ok is false when there is none for this task.
func recall(plan []view.Step, task string) (m memory, ok bool) {
	for _, st := range plan {
		if st.ID != checkStep || len(st.Args) == 0 {
			continue
		}
		if json.Unmarshal(st.Args, &m) == nil && m.Task == task {
			return m, true
		}
	}
	return memory{Task: task}, false
}

// meant follows a word like "it" to the selector it stands for.
func meant(clauses []language.Clause, s *language.Selector, verb language.Verb) *language.Selector {
	for range clauses {
		if s.Back == nil {
			return s
		}
		if s.Back.Clause < 0 || s.Back.Clause >= len(clauses) {
			return nil
		}
		c := &clauses[s.Back.Clause]
		place := s.Back.Place || verb == language.Open || verb == language.Close
		switch {
		case place && c.Place != nil && !c.Place.Of.Table:
			s = &c.Place.Of
		case len(c.Objects) > 0:
			s = &c.Objects[0]
		default:
			return nil
		}
	}
	return nil
}
