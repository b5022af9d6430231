package run

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/skill"
)

// plannerSchema is a skill's schema as the planner sees it: with observation_id when it points, and watch_for when somebody
// watches.
func plannerSchema(spec skill.Spec, m *MonitorRules) (json.RawMessage, error) {
	raw := spec.Parameters
	if len(raw) == 0 {
		raw = json.RawMessage(`{"type":"object"}`)
	}
	var o map[string]any
	if err := json.Unmarshal(raw, &o); err != nil {
		return nil, fmt.Errorf("reading the parameters: %w", err)
	}
	if o["type"] != "object" {
		return nil, fmt.Errorf("the parameters must be a JSON Schema of an object")
	}
	if _, set := o["additionalProperties"]; !set {
		o["additionalProperties"] = false
	}
	props, _ := o["properties"].(map[string]any)
	if props == nil {
		props = map[string]any{}
	}
	if len(spec.ImagePoints) > 0 {
		for _, p := range spec.ImagePoints {
			if _, ok := props[p]; !ok {
				return nil, fmt.Errorf("image point %q is not a parameter", p)
			}
		}
		props["observation_id"] = map[string]any{
			"type": "string", "description": "the id on the label of the image of " + spec.Camera + " that the point was read from",
		}
		required, _ := o["required"].([]any)
		o["required"] = append(required, "observation_id")
	}
	if m != nil {
		if _, taken := props[watchForParam]; taken {
			return nil, fmt.Errorf("the parameter %s has another meaning here", watchForParam)
		}
		props[watchForParam] = watchForSchema()
	}
	o["properties"] = props
	return json.Marshal(o)
}

// PointWords says how a point is given, for the prompts.
func PointWords(form model.Points) string {
	if form == model.PointsYX1000 {
		return "`[y, x]`, each from 0 to 1000 over the height and the width of that image"
	}
	return "`[x, y]` in pixels of that image, as the grid on it shows"
}

// describe is the description as the planner sees it: what the skill says, its camera, its examples.
func describe(spec skill.Spec, form model.Points) string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(spec.Description))
	if len(spec.ImagePoints) > 0 {
		how := "[x, y] pixels in"
		if form == model.PointsYX1000 {
			how = "[y, x], each from 0 to 1000 over the height and the width of"
		}
		fmt.Fprintf(&b, "\nPoints are %s an image of %s, with that image's observation_id.", how, spec.Camera)
	}
	for _, e := range spec.Examples {
		fmt.Fprintf(&b, "\nExample: %s", e.Params)
		if e.When != "" {
			fmt.Fprintf(&b, " — %s", e.When)
		}
	}
	return b.String()
}
