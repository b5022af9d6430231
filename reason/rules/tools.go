package rules

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/rein-robotics/rein/model"
)

// tool is one skill tool as the request describes it.
type tool struct {
	name   string
	camera string // that its points are read from; "" = it takes none
	params map[string]param
}

type param struct {
	Enum    []string `json:"enum"`
	Minimum *float64 `json:"minimum"`
	Maximum *float64 `json:"maximum"`
	Default *float64 `json:"default"`
}

// takes says whether the tool has the parameter.
func (t *tool) takes(name string) bool {
	_, ok := t.params[name]
	return ok
}

// within is v within the limits that the schema states for the parameter.
func (t *tool) within(name string, v float64) float64 {
	p := t.params[name]
	if p.Maximum != nil {
		v = math.Min(v, *p.Maximum)
	}
	if p.Minimum != nil {
		v = math.Max(v, *p.Minimum)
	}
	return v
}

// tools are the tools by what they are for; nil = there is none.
type tools struct {
	pick, place, push, pull, press, pose *tool
}

// camera is the one that points are read from.
func (t *tools) camera() string {
	for _, x := range []*tool{t.pick, t.place, t.push, t.pull, t.press} {
		if x != nil && x.camera != "" {
			return x.camera
		}
	}
	return ""
}

// poseLike is the named pose whose name fits best; "" = there is none.
func (t *tools) poseLike(name string) string {
	if t.pose == nil {
		return ""
	}
	all := t.pose.params["pose"].Enum
	if slices.Contains(all, name) {
		return name
	}
	for _, p := range all {
		if strings.Contains(p, name) {
			return p
		}
	}
	return ""
}

// imageOf finds the camera in a tool's description: the harness writes it on a line of its own.
var imageOf = regexp.MustCompile(`Points are \[x, y\] pixels in an image of ([\w.-]+)`)

// toolsOf reads the tools of a request.
func toolsOf(specs []model.ToolSpec) *tools {
	var all []*tool
	for _, s := range specs {
		t := &tool{name: s.Name}
		var schema struct {
			Properties map[string]json.RawMessage
		}
		_ = json.Unmarshal(s.Parameters, &schema)
		t.params = map[string]param{}
		for k, raw := range schema.Properties {
			var p param
			_ = json.Unmarshal(raw, &p)
			t.params[k] = p
		}
		if m := imageOf.FindStringSubmatch(s.Description); m != nil {
			t.camera = strings.TrimRight(m[1], ".")
		}
		all = append(all, t)
	}
	return &tools{
		pick: find(all, "pick", "point"), place: find(all, "place", "point"), push: find(all, "push", "direction"),
		pull: find(all, "pull", "point"), press: find(all, "press", "point"), pose: find(all, "move_to", "pose"),
	}
}

// find is the first tool named after the verb that has the parameter.
func find(all []*tool, verb, has string) *tool {
	for _, t := range all {
		if (t.name == verb || strings.HasPrefix(t.name, verb+"_")) && t.takes(has) {
			return t
		}
	}
	return nil
}
