package push

import (
	"encoding/json"
	"math"
	"time"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/skill/motion"
)

const (
	pressSpeed = 0.04  // m/s
	pressFrom  = 0.020 // metres over the surface where the slow part begins
	pressDeep  = 0.012 // metres below the surface at most
	pressSnap  = 0.020 // metres that the middle of a small face may be from the point
	pressHold  = 250 * time.Millisecond
)

const pressText = `Press on a place from above, such as a button: the closed fingers go straight down on it until it gives no further, and up again. Point at the middle of the button.`

const pressSchema = `{"type":"object","properties":{"point":{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2,` +
	`"description":"[x, y] pixel on the middle of what is to be pressed"}},"required":["point"],"additionalProperties":false}`

// Press makes the tool that presses a button. Params: arm, gripper, camera (modules), config (a file with Config).
func Press(name string, p skill.Params, env *skill.Env) (*skill.Tool, error) {
	t, b, err := build(name, NamePress, p, env, skill.Spec{
		Description: pressText, Parameters: json.RawMessage(pressSchema),
		Examples: []skill.Example{{Params: json.RawMessage(`{"point":[250,300]}`), When: "the button at that pixel should be pressed"}},
	})
	if err != nil {
		return nil, err
	}
	t.New = func(c skill.Call) (skill.Skill, error) { return b.press(c) }
	return t, nil
}

func (b *base) press(c skill.Call) (skill.Skill, error) {
	s, err := b.see(c)
	if err != nil {
		return nil, err
	}
	at := s.point
	if face, ok := s.grid.Face(at); ok {
		at.Z = face.Height
		if m := face.Rect.C; face.Small && math.Hypot(m.X-at.X, m.Y-at.Y) < pressSnap {
			at.X, at.Y = m.X, m.Y
		}
	}
	start := geom.Vec{X: at.X, Y: at.Y, Z: at.Z + pressFrom}
	end := geom.Vec{X: at.X, Y: at.Y, Z: math.Max(at.Z-pressDeep, s.arm.MinTipZ)}
	var why error
	for _, yaw := range [4]float64{math.Atan2(at.Y, at.X), 0, math.Pi / 4, math.Pi / 2} {
		k := &stroke{start: start, end: end, yaw: yaw, open: s.arm.MinOpen, speed: pressSpeed, doing: "pressing"}
		over, err := s.reach(k)
		if err != nil {
			why = err
			continue
		}
		return s.pressing(k, over), nil
	}
	return nil, why
}

// pressing goes down until the fingers are stopped or deep enough.
func (s *scene) pressing(k *stroke, over []float64) skill.Skill {
	r := &run{scene: s, stroke: k}
	r.seq.Then(
		motion.Named{Doing: "going there", Step: &motion.Beside{
			A: &motion.Jaw{Arm: s.arm, Open: k.open},
			B: &motion.Follow{Arm: s.arm, Plan: s.travel(k.open).Planner(over), Settle: 0.003},
		}},
		motion.Named{Doing: "going down", Step: &motion.Follow{Arm: s.arm, Speed: downSpeed, Settle: 0.002, Plan: func(from []float64) (*geom.Path, error) {
			tip := s.arm.Chain.Tip(over)
			tip.Pos = k.start
			return s.arm.LineTo(from, tip)
		}}},
		motion.Named{Doing: k.doing, Step: &motion.Lower{Arm: s.arm, Z: k.end.Z, Speed: k.speed}},
		motion.Pause(pressHold),
	)
	r.seq.Then(s.away()...)
	return r
}
