package app

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/conf"
	"github.com/rein-robotics/rein/config"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/modeltest"
	"github.com/rein-robotics/rein/monitor"
	"github.com/rein-robotics/rein/monitor/question"
)

// watched is the tabletop configuration with a monitor and questions of the pick.
func watched(t *testing.T, monitorBlock, questions string) (dir string) {
	t.Helper()
	files, err := conf.Open("tabletop")
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	if err := os.CopyFS(dir, files); err != nil {
		t.Fatal(err)
	}
	change := func(name, old, now string) {
		data, err := fs.ReadFile(files, name)
		if err != nil || strings.Count(string(data), old) != 1 {
			t.Fatalf("%s: %v", name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Replace(string(data), old, now, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	change("controller.yaml", "  planner: {provider: rules}\n", "  planner: {provider: rules}\n  monitor: "+monitorBlock+"\n")
	change("skills/pick_object.yaml", "  max_duration_s: 25\n", "  max_duration_s: 25\n"+questions)
	return dir
}

const pickQuestions = `
  monitor:
    - name: progress
      type: choice
      instructions: Which phase the pick is in.
      choices: {approaching: the fingers are open, holding: the target is pinched between the fingers, failed: nothing is between them}
      when:
        - {do: finish, value: holding, threshold: 0.8, then: home_holding}
        - {do: escalate, value: failed, threshold: 0.8, consecutive: 2, after_s: 6}
`

// events are those of an episode.
func events(t *testing.T, record, id string) []episode.Event {
	t.Helper()
	dir, err := episode.Find(record, id)
	if err != nil {
		t.Fatal(err)
	}
	var out []episode.Event
	for e, err := range episode.Read(dir) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e.Event)
	}
	return out
}

var reads = regexp.MustCompile(`right_arm/z ([0-9.e+-]+) m · right_gripper/aperture_mm ([0-9.e+-]+) mm`)

// seesHolding answers by the readings that stand beside the pictures: a monitor that judges well says the same.
func seesHolding() func(modeltest.Request) []modeltest.Answer {
	low, wide := false, 0.0
	return func(r modeltest.Request) []modeltest.Answer {
		m := reads.FindStringSubmatch(string(r.Raw))
		if m == nil {
			return []modeltest.Answer{modeltest.RefusedAnswer("progress")}
		}
		z, _ := strconv.ParseFloat(m[1], 64)
		aperture, _ := strconv.ParseFloat(m[2], 64)
		wide = max(wide, aperture)
		low = low || z < 0.05
		if low && aperture < wide-2 && z > 0.04 {
			return []modeltest.Answer{modeltest.Chose("progress", "holding", 0.93)}
		}
		return []modeltest.Answer{modeltest.Chose("progress", "approaching", 0.9)}
	}
}

// A pick is finished by its first confident holding, and home_holding runs without a planner round.
func TestAPickIsFinishedByItsFirstConfidentHolding(t *testing.T) {
	srv := modeltest.Listen(t, modeltest.Decisions(), modeltest.Rules{NoKey: true}, modeltest.Step{
		Answer: seesHolding(), Reply: modeltest.Reply{Usage: model.Usage{Input: 1000, Output: 10}},
	})
	t.Setenv("OPENAI_API_KEY", "poison")
	dir := watched(t, fmt.Sprintf("{provider: openai_decisions, model: gpt-6-luna, base_url: %s, period_s: 0.25, image_max_side: 160, mark_target: true}", srv.URL), pickQuestions)
	record := t.TempDir()
	res, err := Run(t.Context(), batteryTask, Options{Conf: dir, Scene: "battery", Record: record, NoFilm: true})
	if err != nil || res.Status != "succeeded" || !*res.Checked || res.Actions != 3 || res.Turns != 3 || res.Usage.InputTokens < 2000 {
		t.Fatalf("got %+v, %v", res, err)
	}
	var story []string
	asked, sure := 0, 0
	for _, e := range events(t, record, *res.Episode) {
		switch e := e.(type) {
		case episode.RunStarted:
			if e.Models["monitor"] != "openai_decisions:gpt-6-luna" {
				t.Errorf("the run says that its models are %v", e.Models)
			}
		case episode.PlannerTurn:
			story = append(story, "round for "+strings.Join(e.Trigger, ", "))
		case episode.MonitorRule:
			story = append(story, fmt.Sprintf("rule %s on %s, then %s", e.Do, e.Value, e.Then))
		case episode.ActionStarted:
			story = append(story, e.Tool+" starts")
		case episode.ActionEnded:
			story = append(story, e.Tool+" "+e.Outcome+" by "+e.Cause)
		case episode.MonitorAnswer:
			asked++
			if string(e.Answers["progress"].Value) == `"holding"` {
				sure++
			}
			if len(e.Images) == 0 || e.Usage.Input != 1000 {
				t.Errorf("got %+v", e)
			}
		}
	}
	want := []string{
		"round for user_message", "pick_object starts", `rule finish on "holding", then home_holding`, "pick_object succeeded by monitor",
		"home_holding starts", "home_holding succeeded by skill", "round for action_ended", // the end of a follow-up always wakes
		"place_at starts", "place_at succeeded by skill", "round for step_has_no_tool",
	}
	if diff := cmp.Diff(want, story); diff != "" {
		t.Error(diff)
	}
	if sure != 1 || len(srv.Requests()) != asked {
		t.Errorf("%d requests, %d answers, %d of them holding", len(srv.Requests()), asked, sure)
	}
	ep, err := episode.Find(record, *res.Episode)
	if err != nil {
		t.Fatal(err)
	}
	rep, err := episode.Verify(ep)
	if err != nil || !rep.OK() {
		t.Errorf("the log: %v, %v", rep, err)
	}
}

// change replaces text in a file.
func change(t *testing.T, file, old, now string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil || strings.Count(string(data), old) != 1 {
		t.Fatalf("%s: %v", file, err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(data), old, now, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The monitor rules needs no network, and the same run comes out twice.
func TestRulesWatchOffline(t *testing.T) {
	dir := watched(t, "{provider: rules, period_s: 0.25, image_max_side: 64, mark_target: true}", pickQuestions)
	var stories [2][]string
	for i := range stories {
		record := t.TempDir()
		res, err := Run(t.Context(), batteryTask, Options{Conf: dir, Scene: "battery", Record: record, NoFilm: true})
		if err != nil || res.Status != "succeeded" {
			t.Fatalf("got %+v, %v", res, err)
		}
		for _, e := range events(t, record, *res.Episode) {
			switch e := e.(type) {
			case episode.MonitorRule:
				stories[i] = append(stories[i], "rule "+e.Do)
			case episode.ActionEnded:
				stories[i] = append(stories[i], fmt.Sprintf("%s %s by %s after %.3f s", e.Tool, e.Outcome, e.Cause, e.ElapsedS))
			case episode.MonitorAnswer:
				stories[i] = append(stories[i], fmt.Sprintf("%d: %s", e.Tick, e.Answers["progress"].Value))
			}
		}
	}
	first := strings.Join(stories[0], "\n")
	if first != strings.Join(stories[1], "\n") {
		t.Errorf("twice the same run:\n%s\n\n%s", first, strings.Join(stories[1], "\n"))
	}
	if !strings.Contains(first, "rule finish\npick_object succeeded by monitor") {
		t.Errorf("got\n%s", first)
	}
}

// Every wire can be the monitor's: each is asked in its own way and means the same.
func TestMonitorSpeaksEachWire(t *testing.T) {
	q := question.Question{Name: "released", Kind: question.Predicate, Instructions: "It is out of the gripper."}
	for _, w := range []modeltest.Wire{modeltest.Anthropic(), modeltest.Chat(), modeltest.Responses(), modeltest.Decisions()} {
		t.Run(w.Name, func(t *testing.T) {
			srv := modeltest.Listen(t, w, modeltest.Rules{NoKey: true}, modeltest.Step{
				Reply:   modeltest.Reply{Text: `{"released": {"p": 0.25}}`, Usage: model.Usage{Input: 1e6, Output: 1e6}},
				Answers: []modeltest.Answer{modeltest.Yes("released", 0.25)},
			})
			a := planner("rules", "")
			a.Monitor = &config.Monitor{}
			a.Monitor.SetDefaults()
			a.Monitor.Provider, a.Monitor.Model, a.Monitor.BaseURL = w.Name, "any", srv.URL
			a.Prices = map[string]config.Price{"any": {Input: 3, Output: 15}}
			j, err := assessor(a, nil, env(map[string]string{"OPENAI_API_KEY": "poison", "ANTHROPIC_API_KEY": "poison"}), nil)
			if err != nil || j.Name() != w.Name+":any" {
				t.Fatal(err)
			}
			pic := modeltest.Picture("a1m1.front", 8, 6)
			got, err := j.Assess(t.Context(), monitor.Tick{Questions: []question.Question{q}, Look: &monitor.Look{
				Pictures: []monitor.Picture{{Label: "front, current", Image: pic}},
			}})
			if err != nil || len(got.Answers) != 1 || got.Answers[0].P != 0.25 || got.Usage.CostUSD != 18 {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}
