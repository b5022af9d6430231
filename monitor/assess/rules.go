package assess

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/monitor"
	"github.com/rein-robotics/rein/monitor/question"
	"github.com/rein-robotics/rein/robot"
)

// RulesName is the name in configuration of the assessor that is no model.
const RulesName = "rules"

// Rules is an assessor without a model: it knows some questions by their names and answers them from the gripper's
// feedback, the trackers' masks, depth and readings. It does not read what a question says, and does not look at
// colours. What it cannot tell, in general or on this tick, is missing. Its probabilities are the constants below, and not
// measured. It may be used from several goroutines.
type Rules struct{ body *robot.Description }

var _ monitor.Assessor = (*Rules)(nil)

// NewRules makes the assessor of a robot.
func NewRules(body *robot.Description) *Rules { return &Rules{body: body} }

// How sure it is of a yes and of a no.
const (
	sure   = 0.95
	unsure = 1 - sure
)

// Name is "rules".
func (*Rules) Name() string { return RulesName }

// Assess answers at once.
func (r *Rules) Assess(_ context.Context, t monitor.Tick) (run.Assessed, error) {
	var out run.Assessed
	for _, q := range t.Questions {
		out.Answers = append(out.Answers, r.answer(q, t))
	}
	return out, nil
}

func (r *Rules) answer(q question.Question, t monitor.Tick) question.Answer {
	if q.FromPlanner {
		return q.No(question.Unknown, "rules does not read what a question says")
	}
	if q.Kind == question.Choice {
		return r.phase(q, t)
	}
	yes, why := false, ""
	switch q.Name {
	case "holding", "held":
		yes, why = r.grip(t, held)
	case "released", "let_go":
		yes, why = r.grip(t, open)
	case "empty", "missed":
		yes, why = r.grip(t, empty)
	case "target_lost":
		yes, why = lost(t)
	case "lifted":
		yes, why = lifted(t)
	case "moving":
		yes, why = r.moving(t)
	default:
		return q.No(question.Unknown, fmt.Sprintf("rules has no rule for a question called %s", q.Name))
	}
	switch {
	case why != "":
		return q.No(question.Unknown, why)
	case yes:
		return q.Is(sure)
	}
	return q.Is(unsure)
}

// phase chooses the option that is called like what the gripper is doing.
func (r *Rules) phase(q question.Question, t monitor.Tick) question.Answer {
	s, why := r.gripState(t)
	if why != "" {
		return q.No(question.Unknown, why)
	}
	for _, o := range q.Options {
		if slices.Contains(words(s), o.Value) {
			return q.Chosen(o.Value, sure)
		}
	}
	return q.No(question.Unknown, fmt.Sprintf("the gripper is %s, and no choice is called so", strings.Join(words(s), " or ")))
}

// words are the names that an option for a state can have.
func words(s gripState) []string {
	switch s {
	case open:
		return []string{"open", "approaching", "released"}
	case closing:
		return []string{"closing", "grasping"}
	case opening:
		return []string{"opening", "releasing"}
	case held:
		return []string{"holding", "held"}
	}
	return []string{"empty", "failed", "missed"}
}

// grip says whether a gripper at rest is in a state.
func (r *Rules) grip(t monitor.Tick, want gripState) (yes bool, why string) {
	s, why := r.gripState(t)
	if why == "" && (s == closing || s == opening) {
		why = "the gripper is still moving"
	}
	return s == want, why
}

// gripState is what a gripper is doing, by its own feedback.
type gripState int

const (
	open gripState = iota // at rest where it was told to be, with room between the fingers
	closing
	opening
	held  // at rest wider than it was told to be: something keeps the fingers apart
	empty // closed on nothing
)

// Bounds of a gripper's feedback, metres.
const (
	pressing = 0.001  // wider than told by this much, something is between the fingers
	closed   = 0.0015 // nothing is held that is thinner
)

func (r *Rules) gripState(t monitor.Tick) (s gripState, why string) {
	if t.Look.Readings == nil || len(t.Look.Readings.Grippers) == 0 {
		return 0, "there is no reading of a gripper"
	}
	if len(t.Look.Readings.Grippers) > 1 {
		return 0, "there is more than one gripper, and nothing says which one the action moves"
	}
	for name, g := range t.Look.Readings.Grippers {
		m := r.body.Module(name)
		if m == nil || m.Gripper == nil {
			return 0, "nothing is known of the gripper " + name
		}
		return stateOf(g, m), ""
	}
	return 0, ""
}

func stateOf(g robot.GripperState, m *robot.Module) gripState {
	still := 0.002 // m/s
	for _, f := range m.Fields {
		if f.Name == "aperture_mm" && f.StillSpeed > 0 {
			still = f.StillSpeed / 1000
		}
	}
	switch {
	case g.SpeedMS < -still:
		return closing
	case g.SpeedMS > still:
		return opening
	case g.ApertureM < m.Gripper.MinApertureM+closed:
		return empty
	case g.ApertureM-g.TargetM > pressing:
		return held
	case g.TargetM-g.ApertureM > pressing: // told to open and at rest all the same: it has only just been told
		return opening
	}
	return open
}

// moving says that an arm or a gripper is not at rest.
func (r *Rules) moving(t monitor.Tick) (yes bool, why string) {
	if t.Look.Readings == nil {
		return false, "there are no readings"
	}
	for _, m := range r.body.Modules {
		still := map[string]float64{}
		for _, f := range m.Fields {
			still[f.Name] = f.StillSpeed
		}
		if a, ok := t.Look.Readings.Arms[m.Name]; ok && m.Arm != nil {
			for i, j := range m.Arm.Chain.Joints {
				if i < len(a.Speeds) && math.Abs(a.Speeds[i]) > max(still[j.Name], 0.001) {
					return true, ""
				}
			}
		}
		if g, ok := t.Look.Readings.Grippers[m.Name]; ok && math.Abs(g.SpeedMS)*1000 > max(still["aperture_mm"], 0.1) {
			return true, ""
		}
	}
	return false, ""
}
