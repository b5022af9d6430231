package push

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/skill/ground"
	"github.com/rein-robotics/rein/vision/detect"
)

const (
	pushSpeed  = 0.06  // m/s
	usualPush  = 0.10  // m
	pushGap    = 0.014 // metres between the blade and the thing before the push; less where there is no room
	leastGap   = 0.005
	pushLow    = 0.25  // of the thing's height: where the fingertips are, so that the blade presses at half of it
	compact    = 0.12  // metres: a thing up to this size is pushed at its middle
	alongSlide = 1.1   // rad that a direction may differ from a drawer's slide
	pushBeyond = 0.003 // metres added for what the gap was estimated wrong
	barLong    = 0.060 // metres along a drawer's bar, about
	barDeep    = 0.012 // and across it
)

const pushText = `Slide one object over the table without gripping it: the closed fingers go down behind it and push it straight by distance_m. ` +
	`Directions are the arm's: left, right, away (from the arm) and closer (to the arm). Use it for what is to be moved aside, or is too wide to grip; an open drawer is pushed shut along its slide in the direction nearest to it. Round things may roll on.`

const pushSchema = `{"type":"object","properties":{"point":{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2,` +
	`"description":"[x, y] pixel on the object to push"},"direction":{"type":"string","enum":["left","right","away","closer"],` +
	`"description":"where the object should go, seen from the arm"},"distance_m":{"type":"number","minimum":0.01,"maximum":0.25,"default":0.1,` +
	`"description":"metres that the object should move"}},"required":["point","direction"],"additionalProperties":false}`

// Push makes the tool that slides a thing. Params: arm, gripper, camera (modules), config (a file with Config).
func Push(name string, p skill.Params, env *skill.Env) (*skill.Tool, error) {
	t, b, err := build(name, NamePush, p, env, skill.Spec{
		Description: pushText, Parameters: json.RawMessage(pushSchema),
		Examples: []skill.Example{{Params: json.RawMessage(`{"point":[300,220],"direction":"left","distance_m":0.1}`), When: "the object at that pixel should move to the left"}},
	})
	if err != nil {
		return nil, err
	}
	t.New = func(c skill.Call) (skill.Skill, error) { return b.push(c) }
	return t, nil
}

// directions are angles on the table.
var directions = map[string]float64{"away": 0, "left": math.Pi / 2, "closer": math.Pi, "right": -math.Pi / 2}

func (b *base) push(c skill.Call) (skill.Skill, error) {
	args, err := arguments[struct {
		Direction string   `json:"direction"`
		Distance  *float64 `json:"distance_m"`
	}](c)
	if err != nil {
		return nil, err
	}
	angle, ok := directions[args.Direction]
	if !ok {
		return nil, &skill.Refusal{Code: "bad_arguments", Message: fmt.Sprintf("direction %q; there are left, right, away and closer", args.Direction)}
	}
	distance := usualPush
	if args.Distance != nil {
		distance = *args.Distance
	}
	s, err := b.see(c)
	if err != nil {
		return nil, err
	}
	t := ground.ThingAt(s.frame, s.pixel)
	if t == nil {
		return nil, &skill.Refusal{Code: "cannot_start", Message: "nothing stands out over the table at that point", Hint: "point at the middle of the object"}
	}
	angle, origin := s.along(t, angle)
	if t.Kind == detect.Drawer {
		if t = barOf(t); t == nil {
			return nil, &skill.Refusal{Code: "cannot_start", Message: "the handle of the drawer is not seen", Hint: "look again"}
		}
	}
	var why error
	for _, gap := range [3]float64{pushGap, pushGap / 2, leastGap} {
		k := s.behind(t, angle, origin, gap)
		if err := s.roomFor(&k); err != nil {
			why = err
			continue
		}
		dir := geom.Vec{X: math.Cos(angle), Y: math.Sin(angle)}
		way := gap + distance + pushBeyond
		k.end = geom.Vec{X: k.start.X + way*dir.X, Y: k.start.Y + way*dir.Y, Z: k.start.Z}
		run, err := s.begin(&k)
		if err == nil {
			return run, nil
		}
		why = err
	}
	return nil, why
}

// along is the direction of the push and the place that is pushed: the middle of a compact thing, the point itself on a
// large one. A drawer goes along its slide only, and is pushed shut by its handle.
func (s *scene) along(t *detect.Thing, angle float64) (float64, geom.Vec) {
	if h, ok := t.Spot(detect.SpotHandle); ok && t.Kind == detect.Drawer {
		in := math.Atan2(t.World.Y-h.World.Y, t.World.X-h.World.X)
		in = t.Yaw + math.Round((in-t.Yaw)/(math.Pi/2))*(math.Pi/2) // the case is square to its slide
		if math.Abs(geom.WrapAngle(in-angle)) < alongSlide {
			return in, h.World
		}
	}
	if math.Max(t.Length, t.Width) > compact {
		return angle, s.point
	}
	return angle, t.World
}

// barOf is the handle of a drawer as a thing of its own: a drawer is pushed at its bar. nil = it is not seen.
func barOf(d *detect.Thing) *detect.Thing {
	h, ok := d.Spot(detect.SpotHandle)
	if !ok {
		return nil
	}
	yaw := d.Yaw // of the side that the bar runs along: the one across the way from the middle to the bar
	sin, cos := math.Sincos(d.Yaw)
	if x, y := h.World.X-d.World.X, h.World.Y-d.World.Y; math.Abs(x*cos+y*sin) > math.Abs(y*cos-x*sin) {
		yaw += math.Pi / 2
	}
	return &detect.Thing{World: h.World, Yaw: yaw, Length: barLong, Width: barDeep, Height: barDeep, Base: h.World.Z - barDeep}
}

// behind is the place from which the thing is pushed at an angle.
func (s *scene) behind(t *detect.Thing, angle float64, origin geom.Vec, gap float64) stroke {
	k := stroke{
		start: geom.Vec{Z: math.Max(t.Base+pushLow*t.Height, s.arm.MinTipZ+0.002)},
		yaw:   angle, open: s.arm.MinOpen, speed: pushSpeed, doing: "pushing",
	}
	dir := geom.Vec{X: math.Cos(angle), Y: math.Sin(angle)}
	back := gap
	switch {
	case origin != t.World:
		back += s.free(origin, &k)
	case t.Round:
		back += t.Width/2 + s.arm.Finger.X/2
	default:
		back += math.Abs(math.Cos(angle-t.Yaw))*t.Length/2 + math.Abs(math.Sin(angle-t.Yaw))*t.Width/2 + s.arm.Finger.X/2
	}
	k.start.X, k.start.Y = origin.X-back*dir.X, origin.Y-back*dir.Y
	return k
}

// free is how far behind a place of a thing the fingers first find room, metres.
func (s *scene) free(from geom.Vec, k *stroke) float64 {
	const step, most = 0.002, 0.20
	dir := geom.Vec{X: math.Cos(k.yaw), Y: math.Sin(k.yaw)}
	try := *k
	for back := 0.0; back < most; back += step {
		try.start.X, try.start.Y = from.X-back*dir.X, from.Y-back*dir.Y
		if s.roomFor(&try) == nil {
			return back
		}
	}
	return most
}

// roomFor refuses a start where something stands.
func (s *scene) roomFor(k *stroke) error {
	b := ground.Box{Centre: k.start, Yaw: k.yaw, HalfX: s.arm.Finger.X/2 + 0.001, HalfY: s.arm.Finger.Y + 0.002}
	if top := ground.Quantile(s.grid.Under(b), 0.9); top > k.start.Z+0.004 {
		return &skill.Refusal{Code: "cannot_start", Message: "there is no room for the fingers behind the object",
			Hint: "push it another way, or move what stands behind it first"}
	}
	return nil
}
