// Package move is the skill that brings an arm or a gripper to a target and ends when it gets there. It makes three tools:
// named poses, a nudge of the gripper, and an aperture.
//
// Its one invariant: a move ends by arrival, never after a fixed time.
package move

import (
	"fmt"
	"time"

	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/skill/motion"
)

// Name of the skill in the configuration.
const Name = "move"

// ConfigFile holds the named poses.
const ConfigFile = "move.yaml"

const maxDuration = 15 * time.Second

// Tool makes a tool of the skill. Params: arm, gripper (modules), offer (pose, delta or gripper; no offer is pose), pose (a
// named pose: the tool then has no parameters), config (a file beside move.yaml with the poses). An error names what is
// wrong in the configuration.
func Tool(name string, p skill.Params, env *skill.Env) (*skill.Tool, error) {
	if err := p.Only("arm", "gripper", "offer", "pose", "config"); err != nil {
		return nil, err
	}
	offer, err := p.Text("offer")
	if err != nil {
		return nil, err
	}
	arm, gripper, err := env.ArmModules(p)
	if err != nil {
		return nil, err
	}
	t := &skill.Tool{Name: name, Skill: Name}
	switch offer {
	case "", "pose":
		err = offerPose(t, p, env, arm)
	case "delta":
		err = offerDelta(t, env, arm, gripper)
	case "gripper":
		err = offerGripper(t, env, gripper)
	default:
		err = fmt.Errorf("params: offer %q; there are pose, delta and gripper", offer)
	}
	if err != nil {
		return nil, err
	}
	t.Spec.EndsByItself, t.Spec.MaxDuration = true, maxDuration
	return t, nil
}

// run is one move: an optional path, then the wait for arrival.
type run struct {
	env     *skill.Env
	targets []robot.Target
	path    motion.Step // nil = the targets are sent as they are
	moving  bool        // the path is not finished
	begin   func(*skill.Body)

	arrival *skill.Arrival
	report  *skill.ArrivalReport
}

// Start begins to judge arrival.
func (r *run) Start(b *skill.Body) error {
	r.moving = r.path != nil
	r.arrival = skill.NewArrival(b.Description, r.env.Arrival, b.Now, r.targets...)
	if r.begin != nil {
		r.begin(b)
	}
	return nil
}

// Tick moves on and judges arrival.
func (r *run) Tick(b *skill.Body) (bool, error) {
	report, err := r.arrival.Check(b.Readings, b.Now)
	if report != nil && (report.How == skill.Reached || !r.moving) {
		r.report = report
		return err == nil, err
	}
	if r.moving {
		done, err := r.path.Tick(b)
		if err != nil {
			r.report = r.arrival.Residuals(b.Readings, skill.Stalled)
			return false, err
		}
		r.moving = !done
		return false, nil
	}
	for _, t := range r.targets {
		b.Send(t)
	}
	return false, nil
}

// Arrival is how the move ended; nil before.
func (r *run) Arrival() *skill.ArrivalReport { return r.report }

// Doing says what the move is at.
func (r *run) Doing() string { return "moving" }
