package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/modeltest"
)

// asked are the inputs and questions of requests, without what does not come from the tick.
func asked(t *testing.T, list []modeltest.Request) []string {
	t.Helper()
	var out []string
	for _, r := range list {
		raw, err := json.Marshal([]any{r.Body["input"], r.Body["questions"], r.Body["model"]})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(raw))
	}
	return out
}

// rightTill labels all ticks but the last as approaching and the last as holding: what the model of the run says.
func rightTill(n int) string { return strings.Repeat("1\n", n-1) + "2\n" }

// Of a run that was recorded, each labelled tick is sent as the robot sent it, to the byte, and the rules fire in the replay
// where they fired on the robot. The same files give the same numbers twice.
func TestEvalSendsEachTickAsTheRobotDid(t *testing.T) {
	srv := modeltest.Listen(t, modeltest.Decisions(), modeltest.Rules{NoKey: true}, modeltest.Step{
		Answer: seesHolding(), Reply: modeltest.Reply{Usage: model.Usage{Input: 1000, Output: 10}},
	})
	root := t.TempDir()
	dir := filepath.Join(root, "conf")
	block := fmt.Sprintf("{provider: openai_decisions, model: gpt-6-luna, base_url: %s, period_s: 0.5, image_max_side: 160, mark_target: true, min_labelled_ticks: 3}", srv.URL)
	if err := os.Rename(watched(t, block, pickQuestions), dir); err != nil {
		t.Fatal(err)
	}
	record := filepath.Join(root, "recordings")
	var told []string
	res, err := Run(t.Context(), batteryTask, Options{Conf: dir, Scene: "battery", Record: record, NoFilm: true, Progress: func(l string) { told = append(told, l) }})
	if err != nil || res.Status != "succeeded" {
		t.Fatalf("got %+v, %v", res, err)
	}
	if n := strings.Count(strings.Join(told, "\n"), "with 0 labelled ticks behind it instead of 3"); n != 1 {
		t.Errorf("the run warned %d times of a rule that nobody measured", n)
	}
	robot := asked(t, srv.Requests())
	fired := 0
	for _, e := range events(t, record, *res.Episode) {
		if a, ok := e.(episode.MonitorAnswer); ok && fired == 0 {
			if string(a.Answers["progress"].Value) == `"holding"` {
				fired = a.Tick
			}
		}
	}

	var out bytes.Buffer
	m := Measure{Conf: dir, Record: record, Out: &out}
	if err := Label(t.Context(), Labelling{Measure: m, In: strings.NewReader(rightTill(len(robot)))}); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%d of %d ticks are labelled", len(robot), len(robot)); !strings.Contains(out.String(), want) {
		t.Fatalf("no %q in:\n%s", want, out.String())
	}
	var tables [2]string
	for i := range tables {
		srv := modeltest.Listen(t, modeltest.Decisions(), modeltest.Rules{NoKey: true}, modeltest.Step{Answer: seesHolding()})
		out.Reset()
		if err := Evaluate(t.Context(), Evaluation{Measure: m, URL: srv.URL, Models: []string{"gpt-6-luna"}, Repeats: 1, MostFalse: 0.05}); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(robot, asked(t, srv.Requests())); d != "" {
			t.Errorf("not sent as the robot did: %.2000s", d)
		}
		tables[i] = withoutTimes(out.String())
	}
	if tables[0] != tables[1] {
		t.Errorf("two tables:\n%s\n%s", tables[0], tables[1])
	}
	for _, want := range []string{fmt.Sprintf("100.0 %% (%d of %d;", len(robot), len(robot)), fmt.Sprintf("progress finish holding ≥ 0.8 on tick %d, labelled holding", fired)} {
		if !strings.Contains(tables[0], want) {
			t.Errorf("no %q in:\n%s", want, tables[0])
		}
	}
	warnings, err := Check(Options{Conf: dir})
	if err != nil || strings.Contains(strings.Join(warnings, "\n"), "labelled ticks") {
		t.Errorf("measured, and still: %v, %v", warnings, err)
	}
}

var moment = regexp.MustCompile(`, ([0-9.]+ s (before|after)|at) the moment`)

// withoutTimes leaves out what the wall clock says.
func withoutTimes(table string) string {
	var out []string
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "latency") || strings.HasPrefix(line, "moment") {
			continue
		}
		out = append(out, strings.TrimRight(moment.ReplaceAllString(line, ""), "\n"))
	}
	return strings.Join(out, "\n")
}
