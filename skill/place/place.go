// Package place is the skill that puts down what the gripper holds: into a container, on top of a thing, or on the table.
//
// Its one invariant: the gripper opens only over the place that was pointed at, and what it held is then at rest there or
// falls no deeper than the container.
package place

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/skill/ground"
	"github.com/rein-robotics/rein/skill/motion"
	"github.com/rein-robotics/rein/skill/move"
)

// Name of the skill in the configuration.
const Name = "place"

const (
	dropOver    = 0.008 // metres of the fingertips over a rim
	openBy      = 0.016 // metres that the gripper opens to let go
	retreatUp   = 0.040 // metres straight up afterwards, at least
	dropSpeed   = 0.10  // m/s down into a container
	nearSpeed   = 0.18  // m/s down to where the slow part begins
	touchSpeed  = 0.030 // m/s until touch-down
	touchAbove  = 0.012 // metres over the expected touch-down where the slow part begins
	touchBeyond = 0.006 // metres below it where touching is given up: what is held softly slides up instead
	carrySpeed  = 0.45  // m/s of the fingertips with something held
	unknownHang = 0.080 // metres that something unknown may hang below the fingertips
	unknownSide = 0.045 // and stand out sideways
	pressing    = 0.001 // metres: jaws that are told to close and stay so far open hold something
	slip        = 0.003 // metres that the aperture may shrink on the way
	maxDuration = 30 * time.Second
)

// Config is the skill's file, place_at.yaml. Every key may be left out.
type Config struct {
	Retreat string           `yaml:"retreat"` // named pose after letting go; default home
	Agent   skill.AgentBlock `yaml:"agent"`
}

const text = `Put down what the gripper holds at a point of the image: inside a container when the point lies in one (box, tray, open drawer, mug), ` +
	`on top of the thing the point lies on, or on the table. Point at the middle of where it should rest: for a container at a free place of its floor, for a stack ` +
	`at the top face of the lower block. The gripper lets go only there, then the arm returns home. Call it only while something is held.`

const schema = `{"type":"object","properties":{"point":{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2,` +
	`"description":"[x, y] pixel where the held object should rest"}},"required":["point"],"additionalProperties":false}`

// Tool makes a tool of the skill. Params: arm, gripper, camera (modules), config (a file with Config).
func Tool(name string, p skill.Params, env *skill.Env) (*skill.Tool, error) {
	if err := p.Only("arm", "gripper", "camera", "config"); err != nil {
		return nil, err
	}
	arm, gripper, err := env.ArmModules(p)
	if err != nil {
		return nil, err
	}
	camera, err := env.CameraModule(p)
	if err != nil {
		return nil, err
	}
	cfg, err := load(p, env)
	if err != nil {
		return nil, err
	}
	a, err := motion.NewArm(arm, gripper)
	if err != nil {
		return nil, err
	}
	home, err := move.Named(env, arm, cfg.Retreat)
	if err != nil {
		return nil, err
	}
	t := &skill.Tool{Name: name, Skill: Name, Spec: spec(camera, arm, gripper)}
	cfg.Agent.Apply(&t.Spec)
	t.New = func(c skill.Call) (skill.Skill, error) { return newRun(env, a, home, c) }
	return t, nil
}

func load(p skill.Params, env *skill.Env) (Config, error) {
	cfg := Config{}
	file, err := p.Text("config")
	if err == nil && file != "" {
		cfg, err = skill.Load[Config](env, file)
	}
	if cfg.Retreat == "" {
		cfg.Retreat = "home"
	}
	return cfg, err
}

func spec(camera, arm, gripper *robot.Module) skill.Spec {
	return skill.Spec{
		Description:  text + " Points are read from the images of " + camera.Name + ".",
		Parameters:   json.RawMessage(schema),
		ImagePoints:  []string{"point"},
		Camera:       camera.Name,
		Examples:     []skill.Example{{Params: json.RawMessage(`{"point":[320,240]}`), When: "something is held and should rest at the thing or place at that pixel"}},
		EndsByItself: true,
		MaxDuration:  maxDuration,
		Commands:     []string{arm.Name, gripper.Name},
		Reads:        skill.FieldsOf(camera, arm, gripper),
	}
}

// run is one putting down.
type run struct {
	env  *skill.Env
	arm  *motion.Arm
	home []float64
	grid *ground.Map
	held skill.Held
	sure bool // the held record is from the pick
	spot spot
	seq  motion.Sequence

	failed error // told after the arm has drawn back
}

func newRun(env *skill.Env, a *motion.Arm, home []float64, c skill.Call) (skill.Skill, error) {
	s, ok := a.State(c.Now)
	if !ok {
		return nil, &skill.Refusal{Code: "cannot_start", Message: a.Name + " reports nothing"}
	}
	r := &run{env: env, arm: a, home: home}
	if err := r.hold(c.Now); err != nil {
		return nil, err
	}
	pt := c.Points["point"]
	p, ok := ground.At(pt.Frame, pt.Pixel)
	if !ok {
		return nil, &skill.Refusal{Code: "cannot_start", Message: "the camera measured no depth at that point", Hint: "point a few pixels beside it"}
	}
	r.grid = ground.New(pt.Frame, a.Hide(&r.held, s.Joints, home))
	var err error
	if r.spot, err = r.choose(p, a.Start(s)); err != nil {
		return nil, err
	}
	if err := r.check(a.Start(s)); err != nil {
		return nil, err
	}
	return r, nil
}

// hold finds out what is held; nothing at all is refused.
func (r *run) hold(now *robot.Readings) error {
	g := now.Grippers[r.arm.Gripper]
	if r.held, r.sure = r.env.Hand.Holds(r.arm.Gripper, g.ApertureM); r.sure {
		return nil
	}
	if g.ApertureM-g.TargetM < pressing || g.ApertureM < r.arm.MinOpen+pressing {
		return &skill.Refusal{Code: "cannot_start", Message: "the gripper holds nothing", Hint: "pick something up first"}
	}
	r.held = skill.Held{ApertureM: g.ApertureM, Below: unknownHang, HalfX: unknownSide, HalfY: unknownSide, Above: retreatUp}
	return nil
}

// carry carries what is held; empty the open gripper.
func (r *run) carry() motion.Travel {
	return motion.Travel{Arm: r.arm, Map: r.grid, Open: r.held.ApertureM, Held: &r.held}
}

func (r *run) empty() motion.Travel {
	return motion.Travel{Arm: r.arm, Map: r.grid, Open: r.held.ApertureM + openBy}
}

// check plans the whole way before the start.
func (r *run) check(from []float64) error {
	over, err := r.over(from)
	if err != nil {
		return err
	}
	path, err := r.carry().Path(from, over)
	if err != nil {
		return err
	}
	end := geom.Down(r.spot.tip, r.spot.yaw)
	down, err := r.arm.LineTo(path.End(), end)
	if err != nil {
		return err
	}
	_, err = r.arm.Swing(down.End(), r.home)
	return err
}

// over is the arm above the spot, as high as the carried thing needs.
func (r *run) over(near []float64) ([]float64, error) {
	at := r.spot.tip
	at.Z = math.Max(at.Z+0.01, r.carry().Need(geom.Down(at, r.spot.yaw)))
	for {
		q, err := r.arm.DownExact(at, r.spot.yaw, near)
		if err == nil || at.Z < r.spot.tip.Z+motion.Clear {
			return q, err
		}
		at.Z -= 0.01 // the farthest places are reached only low down
	}
}

// Start lines the steps up.
func (r *run) Start(b *skill.Body) error {
	s, ok := r.arm.State(b.Readings)
	if !ok {
		return skill.Failf("%s reports nothing", r.arm.Name)
	}
	over, err := r.over(s.Joints)
	if err != nil {
		return err
	}
	r.seq.Then(
		motion.Named{Doing: "carrying it there", Step: &motion.Follow{Arm: r.arm, Plan: r.carry().Planner(over), Speed: carrySpeed, Settle: 0.003, Watch: r.keeps}},
		motion.Named{Doing: "lowering it", Step: r.lower()},
		motion.Named{Doing: "letting go", Step: motion.Do(r.letGo)},
	)
	return nil
}

// lower brings the held thing down: over a rim to a height, else until it touches.
func (r *run) lower() motion.Step {
	tip := r.spot.tip
	if r.spot.inside {
		return &motion.Lower{Arm: r.arm, Z: tip.Z, Speed: dropSpeed}
	}
	start := tip.Z + touchAbove
	if !r.sure {
		start = math.Inf(1)
	}
	var seq motion.Sequence
	seq.Then(motion.Wait(func(b *skill.Body) (bool, error) {
		s, _ := r.arm.State(b.Readings)
		if s.Tip.Pos.Z-start > 0.004 {
			at := geom.Down(geom.Vec{X: tip.X, Y: tip.Y, Z: start}, r.spot.yaw)
			seq.Next(&motion.Follow{Arm: r.arm, Speed: nearSpeed, Settle: 0.002,
				Plan: func(from []float64) (*geom.Path, error) { return r.arm.LineTo(from, at) }})
		}
		return true, nil
	}))
	seq.Then(&motion.Lower{Arm: r.arm, Z: r.lowest(), Speed: touchSpeed})
	return &seq
}

// lowest is how far down touching is looked for.
func (r *run) lowest() float64 {
	if !r.sure {
		return r.spot.surface + 0.002
	}
	return math.Max(r.spot.tip.Z-touchBeyond, r.spot.surface+0.002)
}

// letGo opens by little, goes straight up, and home.
func (r *run) letGo(b *skill.Body) error {
	open := b.Readings.Grippers[r.arm.Gripper].ApertureM + openBy
	s, _ := r.arm.State(b.Readings)
	top := r.spot.surface + r.held.Below + r.held.Above // of what was put down: the way home leads over it
	up := math.Max(retreatUp, top+motion.Clear-s.Tip.Pos.Z)
	r.seq.Then(
		r.arm.Rest(),
		motion.Pause(80*time.Millisecond),
		&motion.Jaw{Arm: r.arm, Open: open},
		motion.Do(func(*skill.Body) error { r.env.Hand.LetGo(r.arm.Gripper); return nil }),
		motion.Named{Doing: "drawing back", Step: &motion.Follow{Arm: r.arm, Plan: r.arm.Rise(up), Speed: 0.2}},
		&motion.Follow{Arm: r.arm, Plan: r.empty().Planner(r.home), Settle: 0.004},
	)
	return nil
}

// keeps draws back when the jaws have closed further: what was held has slipped out.
func (r *run) keeps(b *skill.Body) (bool, error) {
	if r.arm.Aperture(b.Readings) > r.held.ApertureM-slip {
		return false, nil
	}
	r.failed = skill.Failf("lost the object on the way")
	r.env.Hand.LetGo(r.arm.Gripper)
	r.seq = motion.Sequence{}
	r.seq.Then(motion.Named{Doing: "drawing back", Step: &motion.Follow{Arm: r.arm, Plan: r.empty().Planner(r.home), Settle: 0.004}})
	return true, nil
}

// Tick goes on with the steps.
func (r *run) Tick(b *skill.Body) (bool, error) {
	done, err := r.seq.Tick(b)
	if done && err == nil && r.failed != nil {
		return false, r.failed
	}
	return done, err
}

// Doing says what the skill is at.
func (r *run) Doing() string {
	if d := r.seq.Doing(); d != "" {
		return d
	}
	return fmt.Sprintf("placing %s", r.spot.words)
}
