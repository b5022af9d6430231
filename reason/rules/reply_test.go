package rules_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/model"
)

// TestSameViewSameReply: every decision of a run with trouble in it is made again from a copy of what it was made from.
func TestSameViewSameReply(t *testing.T) {
	w := batteries()
	r := newRig(t, w, front())
	r.before = func(_ string, n int) (string, string) {
		if n == 2 {
			return "failed", "lost the object while lifting"
		}
		return "", ""
	}
	r.run(putAll)
	if len(r.views) < 3 {
		t.Fatalf("%d rounds, want at least 3", len(r.views))
	}
	for i, v := range r.views {
		if got := ask(t, v); !reflect.DeepEqual(got, r.replies[i]) {
			t.Errorf("round %d: got %v, the first time %v", i+1, got, r.replies[i])
		}
	}
}

// TestPlanIsWhole: the first reply writes all steps with their points and starts the first one.
func TestPlanIsWhole(t *testing.T) {
	r := newRig(t, batteries(), front()).run(putAll)
	var names []string
	for _, p := range r.replies[0] {
		if c, ok := p.(model.Call); ok {
			names = append(names, c.Name)
			if c.Name != "update_plan" {
				continue
			}
			var in struct{ Steps []stepIn }
			if err := json.Unmarshal(c.Args, &in); err != nil {
				t.Fatal(err)
			}
			if len(in.Steps) != 7 {
				t.Errorf("%d steps, want 7", len(in.Steps))
			}
			seen := map[[2]float64]bool{}
			for _, s := range in.Steps[:len(in.Steps)-1] {
				a := decode(t, s.Args)
				if seen[a.Point] || s.NeedsLook || a.Observation != "o1.eye" {
					t.Errorf("step %s: %s", s.ID, s.Args)
				}
				seen[a.Point] = true
			}
			if last := in.Steps[len(in.Steps)-1]; last.Tool != "" {
				t.Errorf("the last step has the tool %s, want none", last.Tool)
			}
		}
	}
	if want := []string{"update_plan", "pick_object"}; !reflect.DeepEqual(names, want) {
		t.Errorf("got calls %v, want %v", names, want)
	}
}

// TestMessages: a new message replaces the task; one that asks to go on does not.
func TestMessages(t *testing.T) {
	w := home()
	r := newRig(t, w, front())
	info := r.look()
	r.say(view.Report{Woke: []view.Wake{view.WakeMessage}, Task: putAll, Messages: []string{putAll}, Images: []view.Image{info}}, []model.ImageBlock{{ID: info.ID}})
	r.say(view.Report{Woke: []view.Wake{view.WakeMessage}, Task: putAll, Messages: []string{"continue"}, Images: []view.Image{info}}, []model.ImageBlock{{ID: info.ID}})
	if got := callsOf(ask(t, r.view())); !strings.Contains(got, "pick_object") {
		t.Errorf("after continue it calls %s, want pick_object", got)
	}
	r.say(view.Report{Woke: []view.Wake{view.WakeMessage}, Task: putAll, Messages: []string{"no, press the button"}, Images: []view.Image{info}}, []model.ImageBlock{{ID: info.ID}})
	if got := callsOf(ask(t, r.view())); !strings.Contains(got, "finish_task") {
		t.Errorf("after a sentence with no it calls %s, want finish_task", got)
	}
	r.say(view.Report{Woke: []view.Wake{view.WakeMessage}, Task: putAll, Messages: []string{"press the button"}, Images: []view.Image{info},
		Running: []view.Running{{Action: "a1", Tool: "pick_object", Phase: "running"}}}, []model.ImageBlock{{ID: info.ID}})
	if got := callsOf(ask(t, r.view())); got != "stop_action" {
		t.Errorf("while something runs it calls %s, want stop_action", got)
	}
	r.say(view.Report{Woke: []view.Wake{view.WakeMessage}, Task: putAll, Messages: []string{"press the button"}, Images: []view.Image{info}}, []model.ImageBlock{{ID: info.ID}})
	if got := callsOf(ask(t, r.view())); got != "update_plan press_at" {
		t.Errorf("with a new task it calls %s, want update_plan press_at", got)
	}
}

func callsOf(parts []model.Part) string {
	var names []string
	for _, p := range parts {
		if c, ok := p.(model.Call); ok {
			names = append(names, c.Name)
		}
	}
	return strings.Join(names, " ")
}
