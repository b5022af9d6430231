package assess_test

import (
	"context"
	"encoding/json"
	"iter"
	"testing"
	"time"

	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/modeltest"
	"github.com/rein-robotics/rein/monitor"
	"github.com/rein-robotics/rein/monitor/assess"
	"github.com/rein-robotics/rein/monitor/frames"
	"github.com/rein-robotics/rein/monitor/question"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/robot/robottest"
	"github.com/rein-robotics/rein/skill"
)

var (
	released = question.Question{Name: "released", Kind: question.Predicate, Instructions: "The object has left the gripper."}
	progress = question.Question{Name: "progress", Kind: question.Choice, Instructions: "Which phase the pick is in.", Options: []question.Option{
		{Value: "holding", Looks: "The target is pinched between the fingers."}, {Value: "failed", Looks: "Nothing is between them."},
	}}
)

// tick is one with two pictures, of an action with a point and a condition of the planner.
func tick(list ...question.Question) monitor.Tick {
	fake := robottest.NewFake(robottest.Options{})
	return monitor.Tick{
		Watched: run.Watched{
			Action: "a1", Tool: "push_object", Description: "Slides an object.",
			Args:   json.RawMessage(`{"point":[1,2],"observation_id":"o1","direction":"left","distance_m":0.10,"watch_for":[]}`),
			Points: map[string]skill.Point{"point": {}},
		},
		Elapsed: 8200 * time.Millisecond, Questions: list,
		Look: &monitor.Look{At: 10 * time.Second, Readings: fake.Readings(), Pictures: []monitor.Picture{
			{Label: "wrist close-up, previous, 1.6 s ago", Image: modeltest.Picture("a1m2.wrist", 8, 6)},
			{Label: "wrist close-up, current", Image: modeltest.Picture("a1m3.wrist", 8, 6)},
		}},
	}
}

func config() assess.Config {
	return assess.Config{
		Name: "fake:any", System: frames.Settings{}.System("It has one arm."), Body: robottest.NewFake(robottest.Options{}).Description(),
		Price: model.Price{Input: 2, Output: 10},
	}
}

// said is what a model replies to one request.
type said struct {
	text string
	end  model.StopReason // "" = end_turn
	err  error
}

// script is a provider that says one thing after the other.
type script struct {
	replies []said
	asked   []model.Request
	options []model.Options
}

func (s *script) Stream(_ context.Context, r model.Request, o model.Options) iter.Seq2[model.Part, error] {
	return func(yield func(model.Part, error) bool) {
		reply := s.replies[min(len(s.asked), len(s.replies)-1)]
		s.asked, s.options = append(s.asked, r), append(s.options, o)
		for i := 0; i < len(reply.text); i += 7 {
			if !yield(model.Text{Text: reply.text[i:min(i+7, len(reply.text))]}, nil) {
				return
			}
		}
		if !yield(model.Usage{Input: 1000, Output: 100}, nil) {
			return
		}
		if reply.err != nil {
			yield(nil, reply.err)
			return
		}
		if reply.end == "" {
			reply.end = model.StopEndTurn
		}
		yield(model.End{Reason: reply.end}, nil)
	}
}

func assessJSON(t *testing.T, s *script, kind assess.Structured, list ...question.Question) (run.Assessed, error) {
	t.Helper()
	return assess.NewJSON(s, kind, config()).Assess(t.Context(), tick(list...))
}

// gripper is a tick whose gripper reads so.
func gripper(g robot.GripperState, list ...question.Question) (monitor.Tick, *robot.Description) {
	body := &robot.Description{Modules: []robot.Module{{
		Name: "right_gripper", Kind: robot.KindGripper, Fields: []robot.Field{{Name: "aperture_mm", StillSpeed: 2}},
		Gripper: &robot.Gripper{MaxApertureM: 0.07},
	}}}
	t := tick(list...)
	t.Look.Readings = &robot.Readings{At: t.Look.At, Grippers: map[string]robot.GripperState{"right_gripper": g}}
	return t, body
}

// table is a frame of a camera 0.5 m above a table whose middle has risen by rise, metres.
func table(at time.Duration, rise float64) *robot.Frame {
	const w, h = 40, 30
	d := &robot.Depth{Pix: make([]float32, w*h)}
	d.Rect.Max.X, d.Rect.Max.Y = w, h
	for y := range h {
		for x := range w {
			z := 0.5
			if x >= 15 && x < 25 && y >= 10 && y < 20 {
				z -= rise
			}
			d.Pix[y*w+x] = float32(z)
		}
	}
	return &robot.Frame{
		Camera: "front", At: at, Depth: d, Intrinsics: geom.Pinhole(w, h, 1),
		Pose: geom.LookAt(geom.Vec{Z: 0.5}, geom.Vec{}, geom.Vec{X: 1}),
	}
}
