package assess_test

import (
	"image"
	"testing"
	"time"

	"github.com/rein-robotics/rein/monitor/assess"
	"github.com/rein-robotics/rein/monitor/question"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/vision"
)

func predicate(name string) question.Question {
	return question.Question{Name: name, Kind: question.Predicate, Instructions: "?"}
}

// rules answers named questions from the gripper's own feedback, and says so when it cannot.
func TestRulesReadTheGripper(t *testing.T) {
	phases := question.Question{Name: "progress", Kind: question.Choice, Options: []question.Option{
		{Value: "approaching"}, {Value: "grasping"}, {Value: "holding"}, {Value: "failed"},
	}}
	tests := map[string]struct {
		g                         robot.GripperState
		holding, released, missed string // "true", "false", or "" when it cannot tell
		phase                     string
	}{
		"open":               {robot.GripperState{ApertureM: 0.06, TargetM: 0.06}, "false", "true", "false", "approaching"},
		"closing":            {robot.GripperState{ApertureM: 0.04, SpeedMS: -0.05}, "", "", "", "grasping"},
		"opening":            {robot.GripperState{ApertureM: 0.04, SpeedMS: 0.05, TargetM: 0.06}, "", "", "", ""},
		"told_to_open":       {robot.GripperState{ApertureM: 0.02, TargetM: 0.06}, "", "", "", ""},
		"on_something":       {robot.GripperState{ApertureM: 0.023, SpeedMS: -0.0001}, "true", "false", "false", "holding"},
		"on_something_thin":  {robot.GripperState{ApertureM: 0.002}, "true", "false", "false", "holding"},
		"closed_on_nothing":  {robot.GripperState{ApertureM: 0.0004}, "false", "false", "true", "failed"},
		"closed_to_a_width":  {robot.GripperState{ApertureM: 0.02, TargetM: 0.02}, "false", "true", "false", "approaching"},
		"force_says_nothing": {robot.GripperState{ApertureM: 0.06, TargetM: 0.06, ForceN: 4}, "false", "true", "false", "approaching"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			at, body := gripper(tc.g, predicate("holding"), predicate("released"), predicate("missed"), phases)
			got, err := assess.NewRules(body).Assess(t.Context(), at)
			if err != nil || got.Usage.Input != 0 {
				t.Fatal(err)
			}
			for i, want := range []string{tc.holding, tc.released, tc.missed, tc.phase} {
				a := got.Answers[i]
				if a.Value != want || (a.Missing == question.Unknown) != (want == "") || want != "" && a.Certainty() < 0.9 {
					t.Errorf("%s: got %+v, want %q", a.Question, a, want)
				}
			}
		})
	}
}

// What rules has no rule or no reading for is missing, and never a guess.
func TestRulesSayWhatTheyCannotAnswer(t *testing.T) {
	open := robot.GripperState{ApertureM: 0.06, TargetM: 0.06}
	watch := predicate("holding")
	watch.FromPlanner = true
	for name, spoil := range map[string]func() (question.Answer, error){
		"another_name": func() (question.Answer, error) { return first(t, open, predicate("is_it_pretty"), nil) },
		"the_planners": func() (question.Answer, error) { return first(t, open, watch, nil) },
		"two_grippers": func() (question.Answer, error) {
			return first(t, open, predicate("holding"), func(r *robot.Readings) { r.Grippers["left_gripper"] = open })
		},
		"no_gripper": func() (question.Answer, error) {
			return first(t, open, predicate("holding"), func(r *robot.Readings) { r.Grippers = nil })
		},
		"no_tracker":         func() (question.Answer, error) { return first(t, open, predicate("target_lost"), nil) },
		"no_target":          func() (question.Answer, error) { return first(t, open, predicate("lifted"), nil) },
		"a_choice_unlike_it": func() (question.Answer, error) { return first(t, open, progress, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			if a, err := spoil(); err != nil || a.Missing != question.Unknown || a.Why == "" {
				t.Errorf("got %+v, %v", a, err)
			}
		})
	}
}

func first(t *testing.T, g robot.GripperState, q question.Question, change func(*robot.Readings)) (question.Answer, error) {
	t.Helper()
	at, body := gripper(g, q)
	if change != nil {
		change(at.Look.Readings)
	}
	got, err := assess.NewRules(body).Assess(t.Context(), at)
	if err != nil || len(got.Answers) != 1 {
		t.Fatalf("got %+v, %v", got, err)
	}
	return got.Answers[0], nil
}

// Masks and depth say whether the target is in sight and has been lifted.
func TestRulesReadMasksAndDepth(t *testing.T) {
	whole := &vision.Mask{Rect: image.Rect(15, 10, 25, 20), Bits: make([]bool, 100)}
	for i := range whole.Bits {
		whole.Bits[i] = true
	}
	seen := func(rise float64) vision.Track {
		return vision.Track{At: 10 * time.Second, Frame: table(10*time.Second, rise), Mask: whole, Visibility: 1}
	}
	gone := seen(0)
	gone.Mask = nil
	faint := seen(0)
	faint.Visibility = 0.3
	old := seen(0.05)
	old.At -= time.Second
	tests := map[string]struct {
		track        vision.Track
		lost, lifted string
	}{
		"on_the_table": {seen(0), "false", "false"},
		"lifted":       {seen(0.05), "false", "true"},
		"a_little":     {seen(0.01), "false", ""},
		"out_of_sight": {gone, "true", ""},
		"faint":        {faint, "true", "false"},
		"old":          {old, "", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			at := tick(predicate("target_lost"), predicate("lifted"))
			at.Watched.Points = map[string]skill.Point{"point": {Pixel: [2]float64{20, 15}, Frame: table(0, 0)}}
			at.Look.Tracks = map[string]vision.Track{"front/target": tc.track}
			got, err := assess.NewRules(&robot.Description{}).Assess(t.Context(), at)
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range []string{tc.lost, tc.lifted} {
				if a := got.Answers[i]; a.Value != want || (a.Missing != "") != (want == "") {
					t.Errorf("%s: got %+v, want %q", a.Question, a, want)
				}
			}
		})
	}
}
