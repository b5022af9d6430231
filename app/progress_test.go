package app

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/config"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/modeltest"
)

// silentLook is a look whose one question has no answer.
func silentLook(action, missing, why string) episode.MonitorAnswer {
	return episode.MonitorAnswer{Action: action, Answers: map[string]episode.Answer{"progress": {Missing: missing, Why: why}}}
}

func TestWhatIsToldOfTheMonitor(t *testing.T) {
	t.Parallel()
	begins := episode.RunStarted{Task: "it", Models: map[string]string{"planner": "openai:mine", "monitor": "openai:mine"}}
	ends := episode.ActionEnded{Action: "a1", Tool: "reach", Outcome: "succeeded", Cause: "skill"}
	const ended = "a1 ends: reach succeeded after 0.0 s (skill)"
	for name, tc := range map[string]struct {
		events []episode.Event
		want   []string
	}{
		"once_a_cause_and_action": {
			events: []episode.Event{
				episode.ProviderError{Component: "monitor (openai:mine)", Class: "server_fault", Attempt: 1},
				silentLook("a1", "failed", "server fault (500): boom, request 17"), silentLook("a1", "failed", "server fault (500): boom, request 18"),
				silentLook("a2", "failed", "server fault (500): boom"), silentLook("a1", "refused", "the model\nrefuses"), ends,
				silentLook("a1", "failed", "server fault (500): boom"),
			},
			want: []string{
				"monitor (openai:mine): server fault (500): boom, request 17; a1 goes on unwatched",
				"monitor (openai:mine): server fault (500): boom; a2 goes on unwatched",
				"monitor (openai:mine): the model refuses; a1 goes on unwatched",
				"monitor (openai:mine): server fault (500), 2 times on a1", ended,
				"monitor (openai:mine): server fault (500): boom; a1 goes on unwatched",
			},
		},
		"answered": {
			events: []episode.Event{episode.MonitorAnswer{Action: "a1", Answers: map[string]episode.Answer{"a": {P: 1}, "b": {Missing: "refused", Why: "no"}}}, ends},
			want:   []string{ended},
		},
		"planner_fault": {
			events: []episode.Event{episode.ProviderError{Component: "openai:mine", Class: "auth", Attempt: 1}},
			want:   []string{"openai:mine: auth"},
		},
		"last_attempt": {
			events: []episode.Event{episode.ProviderError{Component: "openai:mine", Class: "overloaded", Attempt: 3}},
			want:   []string{"openai:mine: overloaded, attempt 3"},
		},
		"rules": {
			events: []episode.Event{
				episode.MonitorRule{Action: "a1", Question: "progress", Do: "escalate", Value: []byte(`"failed"`)},
				episode.MonitorRule{Action: "a1", Question: "progress", Do: "finish", Value: []byte(`"holding"`)},
			},
			want: []string{`monitor on a1: progress is "failed": escalate`},
		},
		"checks": {
			events: []episode.Event{episode.ControllerCheck{Action: "a1", Do: "escalate", Reason: "squeezed: 8 N"}},
			want:   []string{"check on a1: escalate: squeezed: 8 N"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := narrator{}
			var got []string
			for _, e := range append([]episode.Event{begins}, tc.events...) {
				got = append(got, n.hear(episode.Entry{Event: e})...)
			}
			want := append([]string{"run begins: it (planner openai:mine, monitor openai:mine, 0 tools)"}, tc.want...)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLineAboutTheLooksOfARun(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		looks run.Looks
		want  string
	}{
		"no_monitor":   {},
		"all_answered": {looks: run.Looks{Asked: 24}},
		"none": {
			looks: run.Looks{Asked: 24, Unanswered: map[string]int{"timeout": 4, "refused": 20}, Why: "the model\nrefuses"},
			want:  "monitor: 24 of 24 looks without an answer (refused 20, timeout 4): the model refuses",
		},
		"a_remedy_stays_whole": {
			looks: run.Looks{Asked: 1, Unanswered: map[string]int{"failed": 1}, Why: strings.Repeat("x", 300) + "; do this"},
			want:  "monitor: 1 of 1 looks without an answer (failed 1): " + strings.Repeat("x", 300) + "; do this",
		},
		"partly": {looks: run.Looks{Asked: 5, Partly: 2, Why: "hand: no"}, want: "monitor: 2 of 5 looks answered only in part: hand: no"},
		"both": {
			looks: run.Looks{Asked: 9, Partly: 2, Unanswered: map[string]int{"not_live": 3}, Why: "cam is frozen"},
			want:  "monitor: 3 of 9 looks without an answer (not_live 3, 2 more in part): cam is frozen",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := monitorLine(tc.looks); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// heard are the lines of a run with a monitor whose server gives these answers.
func heard(t *testing.T, settings string, steps ...modeltest.Step) (lines []string, res Result) {
	t.Helper()
	srv := modeltest.Listen(t, modeltest.Decisions(), modeltest.Rules{NoKey: true}, steps...)
	t.Setenv("OPENAI_API_KEY", "poison")
	block := fmt.Sprintf("{provider: openai_decisions, model: gpt-6-luna, base_url: %s, period_s: 1, image_max_side: 64, %s}", srv.URL, settings)
	return heardWith(t, Options{Conf: watched(t, block, pickQuestions)})
}

func heardWith(t *testing.T, o Options) (lines []string, res Result) {
	t.Helper()
	var mu sync.Mutex
	o.Scene, o.NoRecord, o.NoFilm = "battery", true, true
	o.Progress = func(line string) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, line)
	}
	res, err := Run(t.Context(), batteryTask, o)
	if err != nil {
		t.Fatal(err)
	}
	return lines, res
}

// with are the lines that hold a text.
func with(lines []string, text string) (out []string) {
	for _, l := range lines {
		if strings.Contains(l, text) {
			out = append(out, l)
		}
	}
	return out
}

// A person who runs with a monitor that is of no use is told so while it runs and at its end, once for each cause.
func TestAMonitorThatIsOfNoUseIsTold(t *testing.T) {
	boom := modeltest.Step{Status: 500, Body: `{"error":{"type":"server_error","message":"boom"}}`}
	lines, res := heard(t, "history: 1, reference: false", boom)
	if got := with(lines, "goes on unwatched"); len(got) != 1 || !strings.Contains(got[0], "monitor (openai_decisions:gpt-6-luna): server fault (500): boom; a1 goes on unwatched") {
		t.Errorf("got %q", got)
	}
	n := res.Monitor.Asked
	if want := fmt.Sprintf("monitor: %d of %d looks without an answer (failed %d): server fault (500): boom", n, n, n); n < 2 || lines[len(lines)-1] != want {
		t.Errorf("got %q, want %q", lines[len(lines)-1], want)
	}
	if got := with(lines, "attempt"); len(got) > 0 {
		t.Errorf("got %q", got)
	}
}

func TestABudgetThatNobodyCountsIsTold(t *testing.T) {
	tokens, rules, other := 1000, config.Planner{}, config.Planner{}
	rules.Provider, other.Provider = config.ProviderRules, "openai"
	watching := &config.Monitor{}
	watching.Provider = "openai_decisions"
	limit := config.Budgets{MaxTokens: &tokens}
	silent := Result{Turns: 2, Monitor: run.Looks{Asked: 3}}
	for name, tc := range map[string]struct {
		agent config.Agent
		o     Options
		res   Result
		told  bool
	}{
		"silent_planner": {config.Agent{Planner: other, Budgets: limit}, Options{}, silent, true},
		"money":          {config.Agent{Planner: other}, Options{MaxCost: 1}, silent, true},
		"silent_monitor": {config.Agent{Planner: rules, Monitor: watching, Budgets: limit}, Options{}, silent, true},
		"not_asked":      {config.Agent{Planner: rules, Monitor: watching, Budgets: limit}, Options{}, Result{Turns: 2}, false},
		"no_model":       {config.Agent{Planner: rules, Budgets: limit}, Options{}, silent, false},
		"no_limit":       {config.Agent{Planner: other}, Options{}, silent, false},
		"counted":        {config.Agent{Planner: other, Budgets: limit}, Options{}, Result{Turns: 2, Usage: Usage{OutputTokens: 1}}, false},
	} {
		if got := uncountedLine(&tc.agent, &tc.o, tc.res); (got != "") != tc.told {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

func TestAMonitorThatAnswersIsNotSpokenOf(t *testing.T) {
	lines, res := heard(t, "history: 2", modeltest.Step{Answers: []modeltest.Answer{modeltest.Chose("progress", "approaching", 0.9)}})
	if got := with(lines, "looks"); res.Monitor.Asked < 2 || len(got) > 0 {
		t.Errorf("got %q after %+v", got, res.Monitor)
	}
}

// At the pace of the real clock a monitor that is slower than the actions is told as late.
func TestAMonitorThatIsTooSlowIsTold(t *testing.T) {
	o := Options{Conf: swayConf(t, "image_max_side: 64, period_s: 0.5, history: 1, reference: false"), Scene: "battery", Time: "real"}
	o.Skills = sway{limit: 5 * time.Second, questions: swayQuestions}.skills()
	s := stage{
		o: o, task: batteryTask, client: always(t, "going", 8*time.Second).Client(),
		rounds: [][]model.Part{{call("sway", `{}`)}, {call("sway", `{}`)}},
	}
	res, log := s.run(t)
	if got, want := monitorLine(res.Monitor), "monitor: 2 of 2 looks without an answer (late 2): the action ended before the answer came"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	var late []string
	for _, e := range log {
		if l, is := e.Event.(episode.Late); is {
			late = append(late, l.What)
		}
	}
	if want := []string{"monitor's answer on a1, tick 1", "monitor's answer on a2, tick 1"}; !slices.Equal(late, want) {
		t.Errorf("got %q, want %q", late, want)
	}
}

// A call that is given up for its time is one event of the monitor's, as any other fault is.
func TestAMonitorCallWithoutAnEndIsAFault(t *testing.T) {
	s := stage{
		o:      Options{Conf: swayConf(t, "image_max_side: 64, period_s: 0.5, history: 1, reference: false"), Scene: "battery", Time: "real"},
		task:   batteryTask,
		client: always(t, "going", time.Hour).Client(),
		rounds: [][]model.Part{{call("sway", `{}`)}},
	}
	s.o.Skills = sway{limit: 20 * time.Second, questions: swayQuestions}.skills()
	change(t, filepath.Join(s.o.Conf, "controller.yaml"), "agent:\n", "agent:\n  waits: {monitor_s: 3}\n")
	res, log := s.run(t)
	timeouts, faults := 0, 0
	for _, e := range log {
		switch x := e.Event.(type) {
		case episode.MonitorAnswer:
			if x.Answers["progress"].Missing == "timeout" {
				timeouts++
			}
		case episode.ProviderError:
			if x.Component == "monitor (openai_decisions:gpt-6-luna)" && x.Class == "timeout" && x.WaitS == 0 {
				faults++
			}
		}
	}
	if timeouts < 4 || faults != timeouts || res.Monitor.Unanswered["timeout"] != timeouts {
		t.Errorf("got %d timeouts, %d events, %+v", timeouts, faults, res.Monitor)
	}
}

// A monitor whom no tool asks anything is told of before the run, and only then.
func TestAMonitorWithoutAQuestionIsTold(t *testing.T) {
	const want = "monitor: no tool asks a question"
	lines, _ := heardWith(t, Options{Monitor: "rules"})
	if got := with(lines, want); len(got) != 1 || !strings.Contains(got[0], "docs/writing-monitor-questions.md") {
		t.Errorf("got %q", got)
	}
	if got := with(lines, "run begins"); len(got) != 1 || !strings.Contains(got[0], "(planner rules") || !strings.Contains(got[0], ", monitor rules") {
		t.Errorf("got %q", got)
	}
	dir := watched(t, "{provider: rules}", pickQuestions)
	told, err := Check(Options{Conf: dir})
	bare, err2 := Check(Options{Monitor: "rules"})
	if err := errors.Join(err, err2); err != nil || len(with(told, want)) != 0 || len(with(bare, want)) != 1 {
		t.Errorf("got %q and %q, %v", told, bare, err)
	}
}
