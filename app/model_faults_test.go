package app

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/conf"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/modeltest"
)

// wired is a whole run of a model that is on a real wire, and in which something is wrong.
type wired struct {
	wires []modeltest.Wire // none = all
	rules modeltest.Rules
	conf  [2]string // what of controller.yaml is replaced, by what; nothing = the flags name the planner
	steps func(a aims) []modeltest.Step

	refused  []string // the codes, in their order
	faults   []string // classes of failed requests, in their order
	segments int      // that were begun after the first
	thought  string   // that must come back in the last request
}

// aims are the arguments that a model which plans well gives.
type aims struct{ pick, place json.RawMessage }

// call is a call with an id of its own.
func call(name, args string) model.Call {
	return model.Call{ID: "call_" + name, Name: name, Args: json.RawMessage(args)}
}

func says(calls ...model.Call) modeltest.Step {
	return modeltest.Step{Reply: modeltest.Reply{Calls: calls}}
}

// plan is the plan of both steps.
func (a aims) plan() model.Call {
	return call("update_plan", fmt.Sprintf(`{"steps":[{"text":"pick","tool":"pick_object","args":%s},{"text":"place","tool":"place_at","args":%s}]}`, a.pick, a.place))
}

func (a aims) pickNow() model.Call  { return call("pick_object", string(a.pick)) }
func (a aims) placeNow() model.Call { return call("place_at", string(a.place)) }

// done is the last reply of a run that went well.
func done() modeltest.Step {
	return says(call("finish_task", `{"success":true,"summary":"It is in the box."}`))
}

// at is arguments that point somewhere.
func at(look string, x, y float64) string {
	return fmt.Sprintf(`{"observation_id":%q,"point":[%v,%v]}`, look, x, y)
}

// run carries the run out on one wire and holds it to what it should be.
func (c wired) run(t *testing.T, w modeltest.Wire, a aims) {
	steps := c.steps(a)
	srv := modeltest.Listen(t, w, c.withKey(), steps...)
	o := Options{Scene: "battery", Record: t.TempDir(), NoFilm: true, PlannerURL: srv.URL, Planner: w.Name + ":any", MaxTurns: 20}
	if c.conf[0] != "" {
		o.Conf = edited(t, c.conf)
		if strings.Contains(c.conf[1], "provider:") {
			o.Planner = ""
		}
	}
	res, err := Run(t.Context(), batteryTask, o)
	if err != nil || res.Status != "succeeded" || is(res.Checked) != "true" {
		t.Errorf("got %+v, %v", res, err)
	}
	got := srv.Requests()
	if len(got) != len(steps) {
		t.Errorf("got %d requests, want %d", len(got), len(steps))
	}
	if c.thought != "" && !w.Echoes(got[len(got)-1].Body, c.thought) {
		t.Errorf("the thought did not come back in the last request: %s", got[len(got)-1].Raw)
	}
	for i, r := range got {
		for _, name := range []string{"thinking", "output_config", "reasoning", "reasoning_effort"} {
			if _, ok := r.Body[name]; ok && strings.HasSuffix(o.Planner, ":any") {
				t.Errorf("request %d: %s must not be sent to a model that nobody knows", i, name)
			}
		}
	}
	c.holds(t, logOf(t, o.Record, res))
	if n := segments(t, w, got); n != c.segments {
		t.Errorf("got %d new segments, want %d", n, c.segments)
	}
}

func (c wired) withKey() modeltest.Rules {
	r := c.rules
	r.NoKey = true
	return r
}

// holds compares the log of a run with what it should tell.
func (c wired) holds(t *testing.T, log []episode.Entry) {
	t.Helper()
	var refused, faults, tools []string
	checkpoints := 0
	for _, e := range log {
		switch e := e.Event.(type) {
		case episode.Refused:
			refused = append(refused, e.Code)
		case episode.ProviderError:
			faults = append(faults, e.Class)
		case episode.ActionStarted:
			tools = append(tools, e.Tool)
		case episode.ContextCheckpoint:
			checkpoints++
		}
	}
	if !slices.Equal(refused, c.refused) {
		t.Errorf("got the refusals %v, want %v", refused, c.refused)
	}
	if !slices.Equal(faults, c.faults) {
		t.Errorf("got the faults %v, want %v", faults, c.faults)
	}
	if want := []string{"pick_object", "place_at"}; !slices.Equal(tools, want) {
		t.Errorf("got the actions %v, want %v", tools, want)
	}
	if checkpoints != c.segments {
		t.Errorf("got %d checkpoints, want %d", checkpoints, c.segments)
	}
}

// segments counts those that were begun after the first. A request extends the one before, or it opens a segment.
func segments(t *testing.T, w modeltest.Wire, got []modeltest.Request) int {
	t.Helper()
	n := 0
	for i := range got {
		if i == 0 && w.Opens(got[0].Body) {
			continue
		}
		why := "it is the first"
		if i > 0 {
			why = w.Extends(got[i-1].Body, got[i].Body)
		}
		if why == "" {
			continue
		}
		n++
		if !w.Opens(got[i].Body) {
			t.Errorf("request %d neither goes on nor opens a segment: %s", i, why)
		}
	}
	return n
}

// edited is the embedded configuration with one change, as a folder.
func edited(t *testing.T, change [2]string) string {
	t.Helper()
	dir := t.TempDir()
	files, err := conf.Open(conf.Default)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, files); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "controller.yaml")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), change[0]) {
		t.Fatalf("controller.yaml has no %q", change[0])
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(data), change[0], change[1], 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// logOf is the log of a run.
func logOf(t *testing.T, root string, res Result) []episode.Entry {
	t.Helper()
	if res.Episode == nil {
		t.Fatal("there is no episode")
	}
	dir, err := episode.Find(root, *res.Episode)
	if err != nil {
		t.Fatal(err)
	}
	var out []episode.Entry
	for e, err := range episode.Read(dir) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

// TestWiredFaults: a model on a wire on which something is wrong does the task all the same, and every request is one that
// its vendor takes. The servers fail the test for a request that their wire would refuse.
func TestWiredFaults(t *testing.T) {
	unraced(t)
	pick, place := pointed(t)
	a := aims{pick, place}
	for name, c := range wiredCases() {
		wires := c.wires
		if wires == nil {
			wires = []modeltest.Wire{modeltest.Anthropic(), modeltest.Chat(), modeltest.Responses()}
		}
		for _, w := range wires {
			t.Run(name+"_"+w.Name, func(t *testing.T) {
				t.Parallel()
				c.run(t, w, a)
			})
		}
	}
}
