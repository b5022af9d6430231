package view_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/robot"
)

var update = flag.Bool("update", false, "write the golden files anew")

func raw(s string) json.RawMessage { return json.RawMessage(s) }

var front = view.Image{
	ID: "o1.front_camera", Camera: "front_camera", Fixed: true, AgeS: 0.04, AtS: 0.5, Width: 640, Height: 480,
	Mapping: view.Mapping{Scale: [2]float64{1, 1}}, Lens: geom.Intrinsics{Width: 640, Height: 480, Fx: 500, Fy: 500, Cx: 320, Cy: 240},
}

// reports are the messages that the harness writes.
var reports = map[string]struct {
	report view.Report
	images []model.ImageBlock
}{
	"first_request": {
		view.Report{
			Woke: []view.Wake{view.WakeMessage}, Task: "put all the batteries in the white box", Messages: []string{"put all the batteries in the white box"},
			Readings: []view.Reading{{"right_arm/x", 0.2134567, "m"}, {"right_arm/z", 0.3, "m"}, {"right_gripper/aperture_mm", 70, "mm"}, {"counter/n", 3, ""}},
			Images:   []view.Image{front, {ID: "o1.wrist_camera", Camera: "wrist_camera", AgeS: 1.26, Width: 320, Height: 240, NotLive: "the picture is black"}},
			Budget:   &view.Budget{Turns: new(80), Minutes: new(20.0)}, Why: "the user wrote: put all the batteries in the white box",
		},
		[]model.ImageBlock{{ID: "o1.front_camera", Media: "image/jpeg"}, {ID: "o1.wrist_camera", Media: "image/jpeg"}},
	},
	"first_request_of_a_later_turn": {
		view.Report{
			Woke: []view.Wake{view.WakeEnded, view.WakeMessage}, Task: "tidy up", Messages: []string{"faster, please", "and quietly"},
			Happened: []view.Happening{
				{Kind: "plan_step", Action: "a1", Tool: "pick_object", Args: raw(`{"point":[120,88],"observation_id":"o1.front_camera"}`), Step: "s1", AtS: 2.5},
				{Kind: "action_ended", Action: "a1", Tool: "pick_object", Args: raw(`{"point":[120,88],"observation_id":"o1.front_camera"}`), Step: "s1", Outcome: "failed", Cause: "skill", Reason: "it slipped", AtS: 9.75},
			},
			Plan: []view.Step{
				{ID: "s1", Text: "take the battery", Tool: "pick_object", Args: raw(`{"point":[120,88]}`), State: "failed"},
				{ID: "s2", Text: "put it in the box", Tool: "place_at", State: "todo"},
				{ID: "s3", Text: "check the result", State: "todo"},
			},
			Running: []view.Running{
				{Action: "a2", Tool: "home_holding", Args: raw(`{}`), ElapsedS: 1.25, Doing: "lifting", Phase: "running"},
				{Action: "a3", Tool: "turn", ElapsedS: 0, Phase: "stopping"},
			},
			Images:  []view.Image{front},
			Budget:  &view.Budget{Turns: new(78), Minutes: new(19.4), Motions: new(0), Tokens: new(120000), CostUSD: new(1.5)},
			Notices: []string{"max_turns: 80 % of the budget is used", "pick_object failed 3 times in a row: change the approach."},
			Why:     "a1 (pick_object) failed: it slipped",
		},
		[]model.ImageBlock{{ID: "o1.front_camera", Media: "image/jpeg"}},
	},
	"jobs_that_run": {
		view.Report{
			Woke:     []view.Wake{view.WakeJob},
			Happened: []view.Happening{{Kind: "job_done", Action: "j1", Tool: "survey", Args: raw(`{"of":"x"}`), Outcome: "failed", Reason: "no paper", AtS: 4}},
			Jobs:     []view.Job{{Job: "j2", Tool: "build", Args: raw(`{}`), ElapsedS: 3.25}}, Why: "j1 (survey) ended: failed",
		}, nil,
	},
	"later_round": {
		view.Report{Woke: []view.Wake{view.WakeResults}}, nil,
	},
	"later_round_with_news": {
		view.Report{
			Woke: []view.Wake{view.WakeResults, view.WakeMessage}, Messages: []string{"the left one"},
			Plan: []view.Step{{ID: "s1", Text: "look", State: "done"}}, Why: "the user wrote: the left one",
		}, nil,
	},
	"reminder": {
		view.Report{Woke: []view.Wake{view.WakeReminder}, Notices: []string{"Nothing is running. Call a tool, ask_user or finish_task."}}, nil,
	},
	"happenings": {
		view.Report{
			Woke: []view.Wake{view.WakeSafety},
			Happened: []view.Happening{
				{Kind: "action_started", Action: "a1", Tool: "reach", Args: raw(`{}`), AtS: 1},
				{Kind: "action_ended", Action: "a1", Tool: "reach", Args: raw(`{}`), Outcome: "succeeded", Cause: "skill", AtS: 2},
				{Kind: "action_ended", Action: "a2", Tool: "reach", Outcome: "timed_out", Cause: "deadline", Reason: "ran its limit; judge from the newest image whether it succeeded", AtS: 3},
				{Kind: "action_ended", Action: "a3", Tool: "reach", Outcome: "stopped", Cause: "operator", Reason: "the operator took over: key w", AtS: 4},
				{Kind: "plan_step", Action: "a4", Tool: "place_at", Args: raw(`{"point":[1,2]}`), Step: "s2", AtS: 5},
				{Kind: "refused", Tool: "pick_object", Args: raw(`{"point":[1,2]}`), Outcome: "view_changed", Reason: "the image around [1, 2] changed", AtS: 6},
				{Kind: "dry_run", Tool: "reach", Args: raw(`{}`), AtS: 7},
				{Kind: "operator", Reason: "the operator took over: key w", AtS: 8},
				{Kind: "safety", Reason: "an emergency stop by operator", AtS: 9},
				{Kind: "estop_cleared", Cause: "operator", AtS: 10},
				{Kind: "not_at_rest", Reason: "[arm] did not come to rest: no motion is admitted until they are", AtS: 11},
				{Kind: "service_lost", Reason: "the tracker on cam/target gives no results any more: gone", AtS: 12},
			},
			Why: "an emergency stop by operator",
		}, nil,
	},
}

// words is a message as a person would see it.
func words(blocks []model.Block) string {
	var b strings.Builder
	for _, x := range blocks {
		switch {
		case x.Text != nil:
			fmt.Fprintf(&b, "[text]\n%s\n", x.Text.Text)
		case x.Image != nil:
			fmt.Fprintf(&b, "[image %s]\n", x.Image.ID)
		}
	}
	return b.String()
}

func TestReportsInWords(t *testing.T) {
	for name, tc := range reports {
		t.Run(name, func(t *testing.T) {
			got := words(view.Blocks(tc.report, tc.images))
			file := filepath.Join("testdata", name+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("want (-) got (+); -update writes it anew:\n%s", diff)
			}
		})
	}
}

// TestReportTravelsBesideItsText: a program that reads the Data knows what the text says, and no more blocks carry Data.
func TestReportTravelsBesideItsText(t *testing.T) {
	for name, tc := range reports {
		t.Run(name, func(t *testing.T) {
			blocks := view.Blocks(tc.report, tc.images)
			var back view.Report
			if err := json.Unmarshal(blocks[0].Text.Data, &back); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.report, back); diff != "" {
				t.Error(diff)
			}
			if again := words(view.Blocks(back, tc.images)); again != words(blocks) {
				t.Errorf("the report read back gives other words:\n%s", cmp.Diff(words(blocks), again))
			}
			for _, b := range blocks[1:] {
				if b.Text != nil && b.Text.Data != nil {
					t.Error("another block carries a report")
				}
			}
		})
	}
}

func TestEveryImageStandsBehindItsLabel(t *testing.T) {
	tc := reports["first_request"]
	blocks := view.Blocks(tc.report, tc.images)
	n := 0
	for i, b := range blocks {
		if b.Image == nil {
			continue
		}
		n++
		if l := blocks[i-1].Text; l == nil || !strings.HasPrefix(l.Text, b.Image.ID+" · ") {
			t.Errorf("before %s stands %+v", b.Image.ID, l)
		}
	}
	if n != len(tc.images) {
		t.Errorf("got %d images, want %d", n, len(tc.images))
	}
	if last := blocks[len(blocks)-1].Text; last == nil || !strings.HasPrefix(last.Text, "Woken by: ") {
		t.Errorf("the closing line is %+v", last)
	}
}

func TestLabel(t *testing.T) {
	if got, want := view.Label(front), "o1.front_camera · 0.0 s ago · 640×480 px"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	dark := front
	dark.NotLive = "the picture is black"
	if got := view.Label(dark); !strings.HasSuffix(got, "NOT LIVE: the picture is black") {
		t.Errorf("got %q", got)
	}
}

func TestMappingRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := func(name string, lo, hi float64) float64 { return rapid.Float64Range(lo, hi).Draw(t, name) }
		m := view.Mapping{
			Scale: [2]float64{f("sx", 0.1, 8), f("sy", 0.1, 8)}, Margin: [2]float64{f("mx", 0, 100), f("my", 0, 100)}, Crop: [2]float64{f("cx", 0, 900), f("cy", 0, 900)},
		}
		p := [2]float64{f("x", 0, 2000), f("y", 0, 2000)}
		back := m.ToCapture(m.ToSent(p))
		if math.Abs(back[0]-p[0]) > 1e-6 || math.Abs(back[1]-p[1]) > 1e-6 {
			t.Fatalf("%v came back as %v", p, back)
		}
	})
	m := view.Mapping{Scale: [2]float64{0.5, 2}, Margin: [2]float64{20, 10}, Crop: [2]float64{100, 200}}
	if got := m.ToSent([2]float64{100, 200}); got != [2]float64{20, 10} {
		t.Errorf("the corner of the crop is sent at %v, want the corner of the picture", got)
	}
	if got := m.ToSent([2]float64{110, 210}); got != [2]float64{25, 30} {
		t.Errorf("got %v", got)
	}
}

func TestReadingsOf(t *testing.T) {
	d := &robot.Description{Modules: []robot.Module{{Name: "right_arm"}, {Name: "left_arm"}, {Name: "cam"}, {Name: "hand"}}}
	r := &robot.Readings{
		Arms: map[string]robot.ArmState{
			"left_arm": {Tip: geom.Pose{Pos: geom.Vec{X: 1, Y: 2, Z: 3}}}, "right_arm": {Tip: geom.Pose{Pos: geom.Vec{X: 4, Y: 5, Z: 6}}},
		},
		Grippers: map[string]robot.GripperState{"hand": {ApertureM: 0.035}},
	}
	tests := map[string]struct {
		names []string
		want  []view.Reading
	}{
		"all_in_the_robots_order": {nil, []view.Reading{
			{"right_arm/x", 4, "m"}, {"right_arm/y", 5, "m"}, {"right_arm/z", 6, "m"},
			{"left_arm/x", 1, "m"}, {"left_arm/y", 2, "m"}, {"left_arm/z", 3, "m"}, {"hand/aperture_mm", 35, "mm"},
		}},
		"some":    {[]string{"hand/aperture_mm", "left_arm/z"}, []view.Reading{{"left_arm/z", 3, "m"}, {"hand/aperture_mm", 35, "mm"}}},
		"unknown": {[]string{"tail/x"}, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := view.ReadingsOf(d, r, tc.names)
			near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
			if diff := cmp.Diff(tc.want, got, near); diff != "" {
				t.Error(diff)
			}
		})
	}
}
