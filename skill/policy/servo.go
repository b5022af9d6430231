package policy

import (
	"math"
	"time"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/skill/ground"
	"github.com/rein-robotics/rein/skill/motion"
	"github.com/rein-robotics/rein/vision"
	"gonum.org/v1/gonum/spatial/r3"
)

const (
	downSpeed   = 0.16   // m/s of the fingertips down to the object
	liftSpeed   = 0.16   // m/s
	carrySpeed  = 0.45   // m/s with something held
	settleTip   = 0.0012 // metres: the fingertips are where they should be before the jaws close
	worthMoving = 0.0025 // metres: a target that moved less is not followed
	mostMoving  = 0.080  // metres: one that moved more is another thing
	sameWall    = 0.012  // metres: of a thing held by its wall
	armNear     = 0.13   // metres on the table: nearer, the gripper hides part of the target from a fixed camera
	samePixels  = 0.88   // of the first mask must be left for a later one to count: else something hides it
	lostAbove   = 0.060  // metres over the object at which a carried camera must still see it
	lookWait    = 350 * time.Millisecond
	bumpLimit   = 0.005 // metres that the tips may stay behind on the way down
	slip        = 0.003 // metres that the aperture may shrink while lifting
)

// servo makes picks.
type servo struct {
	env     *skill.Env
	cfg     *Config
	arm     *motion.Arm
	gripper *robot.Gripper
	camera  *robot.Module
	retreat []float64
}

// pick is one pick.
type pick struct {
	*servo
	field  string
	target target
	grid   *ground.Map
	first  int           // pixels of the first mask
	seen   time.Duration // capture time of the newest track that counted
	failed error         // told after the arm has drawn back
	closed float64       // aperture after closing, metres
	seq    motion.Sequence
}

// begin decides before the start whether the pick can be had.
func (s *servo) begin(c skill.Call) (skill.Skill, error) {
	state, ok := s.arm.State(c.Now)
	if !ok {
		return nil, &skill.Refusal{Code: "cannot_start", Message: s.arm.Name + " reports nothing"}
	}
	if _, holds := s.env.Hand.Holds(s.arm.Gripper, s.arm.Aperture(c.Now)); holds {
		return nil, &skill.Refusal{Code: "cannot_start", Message: "the gripper already holds something", Hint: "place it first, or open the gripper to drop it"}
	}
	pt := c.Points["point"]
	pt.Frame = ground.Without(pt.Frame, s.arm.Hide(nil, state.Joints, s.retreat))
	t, err := s.seed(pt)
	if err != nil {
		return nil, err
	}
	grid := ground.New(pt.Frame, nil)
	t = s.besideTall(t, grid)
	p := &pick{servo: s, target: t, grid: grid, field: s.camera.Name + "/" + s.cfg.Track.Field}
	if _, err = s.reach(t, s.arm.Start(state), p.travel()); err != nil {
		return nil, refusal(err)
	}
	return p, nil
}

// travel carries the open gripper.
func (p *pick) travel() motion.Travel {
	return motion.Travel{Arm: p.arm, Map: p.grid, Open: p.target.grasp.Open}
}

// Start looks at the tracker's first result, newer than the planner's picture, and lines the steps up.
func (p *pick) Start(b *skill.Body) error {
	if t, ok := b.Track(p.field); ok && t.Mask != nil {
		p.first = t.Pixels
		p.seen = t.At
		if newer, err := p.again(b, t); err == nil && p.credible(newer) {
			p.target = p.besideTall(p.target.follow(newer), p.grid)
		}
	}
	s, ok := p.arm.State(b.Readings)
	if !ok {
		return skill.Failf("%s reports nothing", p.arm.Name)
	}
	over, err := p.reach(p.target, p.arm.Start(s), p.travel())
	if err != nil {
		return refusal(err)
	}
	p.seq.Then(
		motion.Named{Doing: "going above it", Step: &motion.Beside{
			A: &motion.Jaw{Arm: p.arm, Open: p.target.grasp.Open},
			B: &motion.Follow{Arm: p.arm, Plan: p.travel().Planner(over), Settle: 0.003, Watch: p.watch},
		}},
		motion.Named{Doing: "looking again", Step: p.refine()},
		motion.Named{Doing: "going down", Step: motion.Do(p.descend)},
	)
	return nil
}

// again estimates the grasp from a track, the arm itself left out of its picture.
func (p *pick) again(b *skill.Body, t vision.Track) (target, error) {
	s, _ := p.arm.State(b.Readings)
	return p.look(ground.Without(t.Frame, p.arm.Hide(nil, s.Joints)), t.Mask)
}

// credible says whether a newer estimate is of the same thing.
func (p *pick) credible(t target) bool {
	most := mostMoving
	if t.grasp.Wall {
		most = sameWall // another part of the wall is no move
	}
	return t.moved(p.target) < most && math.Abs(t.grasp.Top-p.target.grasp.Top) < 0.012 && t.grasp.Wall == p.target.grasp.Wall
}

// newer is the newest track when it shows the target whole and is newer than those that counted.
func (p *pick) newer(b *skill.Body) (vision.Track, bool) {
	t, ok := b.Track(p.field)
	if !ok || t.At <= p.seen || t.Mask == nil {
		return t, false
	}
	if p.camera.Camera.Mount == robot.MountFixed && float64(t.Pixels) < samePixels*float64(p.first) {
		return t, false
	}
	return t, t.Visibility >= 0.5
}

// watch follows the target while the arm is on its way, and fails when a carried camera loses it high up.
func (p *pick) watch(b *skill.Body) (bool, error) {
	if p.camera.Camera.Mount == robot.MountFixed {
		t, ok := p.newer(b)
		if !ok || p.above(b) {
			return false, nil
		}
		p.seen = t.At
		if newer, err := p.again(b, t); err == nil && p.credible(newer) && newer.moved(p.target) > worthMoving {
			p.target = p.besideTall(p.target.follow(newer), p.grid)
		}
	}
	return false, nil
}

// above says that the gripper is so near that a fixed camera sees the target only beside or through it.
func (p *pick) above(b *skill.Body) bool {
	s, _ := p.arm.State(b.Readings)
	return math.Hypot(s.Tip.Pos.X-p.target.tip.X, s.Tip.Pos.Y-p.target.tip.Y) < armNear
}

// refine looks once more from above, where a carried camera sees the target best, and moves over to it.
func (p *pick) refine() motion.Step {
	var since time.Duration
	return motion.Wait(func(b *skill.Body) (bool, error) {
		if since == 0 {
			since = b.Now
		}
		if p.camera.Camera.Mount == robot.MountMoving {
			t, ok := p.newer(b)
			fresh := ok && t.At >= since
			if !fresh && b.Now-since < lookWait {
				return false, nil
			}
			if !ok {
				s, _ := p.arm.State(b.Readings)
				if s.Tip.Pos.Z-p.target.grasp.Top > lostAbove {
					return p.giveUp("lost sight of the object while coming down to it")
				}
				return true, nil
			}
			p.seen = t.At
			if newer, err := p.again(b, t); err == nil && p.credible(newer) {
				p.target = p.besideTall(p.target.follow(newer), p.grid)
			}
		}
		return true, nil
	})
}

// descend goes down, closes and lifts.
func (p *pick) descend(b *skill.Body) error {
	s, _ := p.arm.State(b.Readings)
	above := p.target.tip
	above.Z = s.Tip.Pos.Z
	if math.Hypot(above.X-s.Tip.Pos.X, above.Y-s.Tip.Pos.Y) > worthMoving || math.Abs(geom.WrapHalf(motion.YawOf(s.Tip)-p.target.yaw)) > 0.05 {
		p.seq.Then(
			&motion.Follow{Arm: p.arm, Plan: p.arm.Straight(geom.Down(above, p.target.yaw)), Settle: 0.003},
			&motion.Jaw{Arm: p.arm, Open: p.target.grasp.Open},
		)
	}
	down := &motion.Follow{Arm: p.arm, Plan: p.arm.Straight(geom.Down(p.target.tip, p.target.yaw)), Speed: downSpeed, Settle: settleTip}
	down.Watch = p.bump(down)
	p.seq.Then(
		down,
		motion.Named{Doing: "closing", Step: &motion.Jaw{Arm: p.arm, Open: p.arm.MinOpen, Force: p.force(p.target)}},
		motion.Do(p.afterClosing),
	)
	return nil
}

// bump ends the way down when a finger stands on something.
func (p *pick) bump(f *motion.Follow) func(*skill.Body) (bool, error) {
	return func(b *skill.Body) (bool, error) {
		s, _ := p.arm.State(b.Readings)
		cmd, ok := f.Commanded()
		if !ok || s.Tip.Pos.Z-cmd.Pos.Z < bumpLimit+0.04*downSpeed || s.Tip.Pos.Z-p.target.tip.Z < bumpLimit {
			return false, nil
		}
		return p.giveUp("a finger came down on something beside the object")
	}
}

// giveUp draws back with the gripper as it is and fails then.
func (p *pick) giveUp(reason string) (bool, error) {
	p.failed = skill.Failf("%s", reason)
	p.seq = motion.Sequence{}
	p.seq.Then(
		motion.Named{Doing: "drawing back", Step: &motion.Follow{Arm: p.arm, Plan: p.arm.Rise(0.05), Speed: liftSpeed}},
		&motion.Follow{Arm: p.arm, Plan: p.travel().Planner(p.retreat), Settle: 0.004},
	)
	return true, nil
}

// afterClosing lifts when something is between the fingers.
func (p *pick) afterClosing(b *skill.Body) error {
	p.closed = p.arm.Aperture(b.Readings)
	if p.closed < p.arm.MinOpen+p.cfg.Grip.EmptyBelow/1000 {
		p.failed = skill.Failf("closed on nothing")
		p.seq.Then(
			&motion.Jaw{Arm: p.arm, Open: p.target.grasp.Open},
			motion.Named{Doing: "drawing back", Step: &motion.Follow{Arm: p.arm, Plan: p.arm.Rise(p.cfg.Lift), Speed: liftSpeed}},
			&motion.Follow{Arm: p.arm, Plan: p.travel().Planner(p.retreat), Settle: 0.004},
		)
		return nil
	}
	s, _ := p.arm.State(b.Readings)
	held := p.target.held(s.Tip, p.closed)
	p.seq.Then(
		motion.Named{Doing: "lifting", Step: &motion.Follow{Arm: p.arm, Plan: p.arm.Rise(p.cfg.Lift), Speed: liftSpeed, Watch: p.keeps("lost the object while lifting")}},
		motion.Named{Doing: "carrying it home", Step: &motion.Follow{
			Arm: p.arm, Plan: p.home(held), Speed: carrySpeed, Settle: 0.004, Watch: p.keeps("lost the object on the way home")}},
		motion.Do(func(b *skill.Body) error { return p.confirm(b, held) }),
	)
	return nil
}

// home carries what is held to the retreat pose; what it was lifted from is no obstacle.
func (p *pick) home(held skill.Held) motion.Planner {
	return func(from []float64) (*geom.Path, error) {
		t := motion.Travel{Arm: p.arm, Open: p.closed, Held: &held}
		off := motion.Offset(held.Centre, p.target.yaw)
		t.Map = p.grid.Without(r3.Add(p.target.tip, off), math.Hypot(held.HalfX, held.HalfY)+0.012)
		return t.Path(from, p.retreat)
	}
}

// keeps fails when the jaws close further: the object slipped out.
func (p *pick) keeps(reason string) func(*skill.Body) (bool, error) {
	return func(b *skill.Body) (bool, error) {
		if p.arm.Aperture(b.Readings) < p.closed-slip || p.arm.Aperture(b.Readings) < p.arm.MinOpen+p.cfg.Grip.EmptyBelow/1000 {
			return p.giveUp(reason)
		}
		return false, nil
	}
}

// confirm notes what is held.
func (p *pick) confirm(b *skill.Body, held skill.Held) error {
	held.ApertureM = p.arm.Aperture(b.Readings)
	p.env.Hand.Took(p.arm.Gripper, held)
	return nil
}

// Tick goes on with the steps.
func (p *pick) Tick(b *skill.Body) (bool, error) {
	done, err := p.seq.Tick(b)
	if done && err == nil && p.failed != nil {
		return false, p.failed
	}
	return done, err
}

// Doing says what the pick is at.
func (p *pick) Doing() string { return p.seq.Doing() }
