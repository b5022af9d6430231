package run

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/agent/inbox"
	"github.com/rein-robotics/rein/control"
)

func TestClassesOfEvents(t *testing.T) {
	bad := control.ActionEnded{End: control.End{Outcome: control.Failed}}
	good := control.ActionEnded{End: control.End{Outcome: control.Succeeded}}
	tests := map[string]struct {
		e     Event
		class inbox.Class
		stack Stackable
	}{
		"estop":        {Happened{What: control.EStopped{}}, inbox.Safety, false},
		"estop_clear":  {Happened{What: control.EStopCleared{}}, inbox.Safety, false},
		"robot_fault":  {Happened{What: control.RobotFault{}}, inbox.Safety, false},
		"log_broken":   {Happened{What: control.LogBroken{}}, inbox.Safety, false},
		"takeover":     {Happened{What: control.OperatorTook{}}, inbox.Operator, false},
		"cancel":       {Canceled{}, inbox.Operator, false},
		"message":      {Message{}, inbox.User, true},
		"bad_end":      {Happened{What: bad}, inbox.Bad, true},
		"not_at_rest":  {Happened{What: control.NotAtRest{}}, inbox.Bad, true},
		"good_end":     {Happened{What: good}, inbox.Good, true},
		"timer":        {Happened{What: control.TimerFired{}}, inbox.Result, false},
		"answer":       {Looked{}, inbox.Result, false},
		"piece_of_one": {Part{}, inbox.Result, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if class, stack := tc.e.Class(); class != tc.class || stack != tc.stack {
				t.Errorf("got %d, %t, want %d, %t", class, stack, tc.class, tc.stack)
			}
		})
	}
}

func TestSettingsThatCannotBe(t *testing.T) {
	tests := map[string]func(s *Settings){
		"two_of_one_name":    func(s *Settings) { s.Tools = append(s.Tools, s.Tools[0]) },
		"name_of_a_builtin":  func(s *Settings) { s.Tools[0].Name = "observe" },
		"no_object":          func(s *Settings) { s.Tools[0].Spec.Parameters = []byte(`{"type":"string"}`) },
		"no_json":            func(s *Settings) { s.Tools[0].Spec.Parameters = []byte(`{`) },
		"point_not_declared": func(s *Settings) { s.Tools[0].Spec.ImagePoints = []string{"spot"} },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			set := &Settings{Tools: deskTools()}
			change(set)
			if err := set.compile(); err == nil || !strings.Contains(err.Error(), "tool ") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestToolsWithoutADescriptionAreNotOnTheList(t *testing.T) {
	tools := deskTools()
	tools[1].Spec.Description = ""
	specs, err := ToolSpecs(Settings{Tools: tools})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range specs {
		names = append(names, s.Name)
	}
	if diff := cmp.Diff([]string{"update_plan", "observe", "stop_action", "ask_user", "finish_task", "reach", "pick"}, names); diff != "" {
		t.Error(diff)
	}
	pick := specs[6]
	for _, want := range []string{"observation_id", "an image of cam"} {
		if !strings.Contains(string(pick.Parameters)+pick.Description, want) {
			t.Errorf("%q is missing in %s: %s", want, pick.Description, pick.Parameters)
		}
	}
	if strings.Contains(string(specs[5].Parameters), "observation_id") {
		t.Error("a tool without points takes an observation_id")
	}
}
