package app

import (
	"fmt"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/modeltest"
)

// A monitor that always says that the task is done looks through two cameras, of which the one on the wrist is late. A
// little late, its pictures are labelled with their age, and the answer on them counts; more than that, nobody is asked about
// them, nothing ends on them, and the action ends when its time is over.
func TestWhatALateCameraShowsIsLabelledOrVoid(t *testing.T) {
	unraced(t)
	for name, tc := range map[string]struct {
		fault   string
		current string  // the label of the wrist's current picture, without its camera; "" = nobody is asked
		behindS float64 // the wrist behind the front camera, at least
		ended   string
	}{
		"in_time":      {"", "current", 0, "succeeded monitor"},
		"a_little":     {"kind: delayed, delay_s: 0.3", "current, 0.3 s old", 0.3, "succeeded monitor"},
		"more":         {"kind: delayed, delay_s: 0.7", "", 0.7, "timed_out deadline"},
		"a_second":     {"kind: delayed, delay_s: 1", "", 1, "timed_out deadline"},
		"three_second": {"kind: delayed, delay_s: 3", "", 1, "timed_out deadline"}, // 3 s ago there was no picture yet
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scene := pickScene
			if tc.fault != "" {
				scene += fault("right_wrist_camera", tc.fault, 0.1)
			}
			srv := modeltest.New(t, modeltest.Decisions(), modeltest.Rules{NoKey: true}, modeltest.Step{
				Answers: []modeltest.Answer{modeltest.Chose("progress", "holding", 0.95)},
			})
			both := [3]string{"controller.yaml", "cameras: [front_camera/image]", "cameras: [front_camera/image, right_wrist_camera/image]"}
			_, log := stage{
				o: Options{
					Conf: swayConf(t, "image_max_side: 64, period_s: 0.5, history: 1, reference: false", both), Scene: sceneFile(t, scene), Time: "real",
					Skills: sway{limit: 3 * time.Second, questions: swayQuestions}.skills(),
				},
				task: intoBox, client: srv.Client(), rounds: [][]model.Part{{call("sway", `{}`)}, {model.Text{Text: "It goes on."}}},
			}.run(t)
			asked := srv.Requests()
			if (len(asked) > 0) != (tc.current != "") {
				t.Fatalf("%d looks were judged", len(asked))
			}
			label := regexp.MustCompile(`right_wrist_camera, (current[^:"\\]*)`)
			for _, r := range asked {
				if m := label.FindSubmatch(r.Raw); m == nil || string(m[1]) != tc.current {
					t.Errorf("got %q of %s, want %q", m, r.Raw, tc.current)
				}
			}
			checkLateLooks(t, log, tc.behindS, tc.ended)
		})
	}
}

// checkLateLooks checks that the log of a run tells how old each picture was, and what the action came to.
func checkLateLooks(t *testing.T, log []episode.Entry, behindS float64, want string) {
	t.Helper()
	ended := ""
	for _, e := range log {
		switch x := e.Event.(type) {
		case episode.ActionEnded:
			ended = fmt.Sprintf("%s %s", x.Outcome, x.Cause)
		case episode.MonitorAnswer:
			if len(x.AgesS) != 2 || len(x.Images) != 2 {
				t.Fatalf("got %+v, want two pictures", x)
			}
			if d := x.AgesS[1] - x.AgesS[0]; d < behindS-0.06 || behindS < 0.5 && d > behindS+0.06 || x.AgeS != slices.Min(x.AgesS) {
				t.Errorf("tick %d: pictures of %v s, want at least %g s between them, the newest %g s old", x.Tick, x.AgesS, behindS, x.AgeS)
			}
		}
	}
	if ended != want {
		t.Errorf("the action ended as %q, want %q", ended, want)
	}
}
