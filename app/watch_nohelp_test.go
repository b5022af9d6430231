package app

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/modeltest"
)

// rest is what of a log is not the monitor's: each event with its time on the robot clock. What agent and control loop say
// of one tick has no order.
func rest(t *testing.T, log []episode.Entry) (out []string) {
	t.Helper()
	at := map[string]time.Duration{}
	for _, e := range log {
		switch x := e.Event.(type) {
		case episode.MonitorAnswer, episode.MonitorFrame:
			continue
		case episode.ProviderError:
			if strings.HasPrefix(x.Component, "monitor (") {
				continue
			}
		case episode.Late:
			if strings.HasPrefix(x.What, "monitor's ") {
				continue
			}
		case episode.RunStarted: // its models and tools say that there is a monitor
			x.Models, x.Tools = nil, nil
			e.Event, e.Sim = x, 0 // it stands beside the first tick
		case episode.UserMessage:
			e.Sim = 0
		case episode.RunEnded: // it counts the monitor's tokens
			x.Usage = model.Usage{}
			e.Event = x
		}
		e.Seq = 0
		line, err := episode.Canonical(e)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(line))
		at[string(line)] = e.Sim
	}
	slices.SortFunc(out, func(a, b string) int {
		if at[a] != at[b] {
			return int(at[a] - at[b])
		}
		return strings.Compare(a, b)
	})
	return out
}

// deaf is a connection that does not hear that a request was given up: its answer comes when it comes.
type deaf struct{ http.RoundTripper }

func (d deaf) RoundTrip(r *http.Request) (*http.Response, error) {
	return d.RoundTripper.RoundTrip(r.WithContext(context.WithoutCancel(r.Context())))
}

// loose is a connection whose server does not hear it, and answers to nobody.
type loose struct{ http.RoundTripper }

func (l loose) RoundTrip(r *http.Request) (*http.Response, error) {
	came := make(chan *http.Response, 1)
	broke := make(chan error, 1)
	go func() {
		resp, err := deaf(l).RoundTrip(r)
		switch {
		case err != nil:
			broke <- err
		case r.Context().Err() != nil:
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		default:
			came <- resp
		}
	}()
	select {
	case resp := <-came:
		return resp, nil
	case err := <-broke:
		return nil, err
	case <-r.Context().Done():
		return nil, context.Cause(r.Context())
	}
}

// noHelp is a server that is no help.
type noHelp struct {
	waitS float64
	long  bool // the arm sways for 50 s instead of the task
	held  bool // it is tried where the robot stands still during a call, too
	over  func(http.RoundTripper) http.RoundTripper
	steps []modeltest.Step

	missing []string // what the log says of the answers, sorted; "" = it was one
	faults  int      // of the model's, at least
	late    int      // answers that came too late, at least
}

// ending are steps that would end the action if anybody heard them, each after a while.
func ending(delays ...time.Duration) (out []modeltest.Step) {
	for _, d := range delays {
		value := "holding"
		if d == 0 {
			value = "approaching"
		}
		out = append(out, modeltest.Step{Delay: d, Answers: []modeltest.Answer{modeltest.Chose("progress", value, 0.99)}})
	}
	return out
}

func noHelps() map[string]noHelp {
	garbage := []modeltest.Step{
		{Answers: []modeltest.Answer{modeltest.Yes("else", 1)}},
		{Answers: []modeltest.Answer{modeltest.Chose("progress", "holding", 99)}},
		{Answers: []modeltest.Answer{modeltest.Chose("progress", "flying", 0.99)}},
		{Body: `{"answers": [`},
		{Body: "holding"},
		{Body: `<html>holding</html>`, Header: map[string]string{"Content-Type": "text/html"}},
		{Fault: modeltest.Malformed, At: 1},
	}
	failing := []modeltest.Step{
		{Status: 529, Body: `{"error":{"type":"overloaded_error"}}`},
		{Status: 429, Header: map[string]string{"Retry-After": "600"}, Body: `{"error":{"code":"rate_limit_exceeded"}}`},
		{Status: 401, Body: `{"error":{"code":"invalid_api_key"}}`},
		{Fault: modeltest.Abort, At: 1},
	}
	refusing := []modeltest.Step{{Answers: []modeltest.Answer{modeltest.RefusedAnswer("progress")}}}
	var crossed []modeltest.Step
	for range 20 {
		crossed = append(crossed, ending(3*time.Second, 0)...)
	}
	return map[string]noHelp{
		"out_of_order":        {waitS: 1, over: func(r http.RoundTripper) http.RoundTripper { return loose{r} }, steps: crossed, missing: []string{"", "timeout"}},
		"on_a_deaf_line":      {waitS: 1, over: func(r http.RoundTripper) http.RoundTripper { return deaf{r} }, steps: ending(4 * time.Second), missing: []string{"timeout"}},
		"after_the_end":       {waitS: 20, over: func(r http.RoundTripper) http.RoundTripper { return deaf{r} }, steps: ending(8 * time.Second), late: 1},
		"after_20_s":          {waitS: 20, steps: ending(20 * time.Second), late: 1},
		"after_20_s_given_up": {waitS: 20, long: true, steps: ending(20 * time.Second), missing: []string{"timeout"}},
		"after_20_s_heard":    {waitS: 30, long: true, steps: ending(20 * time.Second), missing: []string{""}},
		"garbage":             {waitS: 20, steps: garbage, missing: []string{"failed", "invalid"}, faults: 4},
		"failing":             {waitS: 20, steps: failing, missing: []string{"failed"}, faults: 4},
		"refusals":            {waitS: 20, steps: refusing, missing: []string{"refused"}},
		"never":               {held: true, waitS: 2, steps: []modeltest.Step{{Delay: time.Hour}, {Fault: modeltest.Stall}, {Fault: modeltest.Stall, At: 1}}, missing: []string{"timeout"}},
	}
}

// A server that answers after 20 s, out of order, with refusals, with garbage, or never, changes nothing but the log: all
// else is as in the same run without a monitor, to the tick.
func TestAServerThatIsNoHelpChangesNothingButTheLog(t *testing.T) {
	if testing.Short() {
		t.Skip("it is fourteen runs")
	}
	plain := map[bool]map[string][]string{false: {}, true: {}} // by long and pace
	for name, tc := range noHelps() {
		if raced && name != "out_of_order" {
			continue // they run without the race detector
		}
		paces := []string{"real"}
		if tc.held {
			paces = append(paces, "fast")
		}
		for _, pace := range paces {
			if plain[tc.long][pace] == nil {
				plain[tc.long][pace] = rest(t, helpless(t, noHelp{waitS: 20, long: tc.long}, pace))
			}
			want := plain[tc.long][pace]
			t.Run(name+"_"+pace, func(t *testing.T) {
				t.Parallel()
				log := helpless(t, tc, pace)
				if diff := cmp.Diff(want, rest(t, log)); diff != "" {
					t.Errorf("it is not the run without a monitor (-without +with):\n%s", diff)
				}
				tc.checkLog(t, log)
			})
		}
	}
}

// helpless is a run with a monitor whose server is no help; without steps there is no monitor.
func helpless(t *testing.T, tc noHelp, pace string) []episode.Entry {
	t.Helper()
	const settings = "{provider: openai_decisions, model: gpt-6-luna, base_url: \"http://model.test\", period_s: 0.5, image_max_side: 64, history: 1, reference: false}"
	s := stage{o: Options{Conf: watched(t, settings, pickQuestions), Scene: "battery", Time: pace}, task: batteryTask}
	if tc.long {
		s.o.Conf, s.o.Skills = swayConf(t, "image_max_side: 64, period_s: 0.5, history: 1, reference: false"), sway{limit: 50 * time.Second, questions: swayQuestions}.skills()
		s.rounds = [][]model.Part{{call("sway", `{}`)}}
	}
	change(t, filepath.Join(s.o.Conf, "controller.yaml"), "agent:\n", fmt.Sprintf("agent:\n  waits: {monitor_s: %v}\n", tc.waitS))
	if tc.steps != nil {
		s.client = modeltest.New(t, modeltest.Decisions(), modeltest.Rules{NoKey: true}, tc.steps...).Client()
		if tc.over != nil {
			s.client.Transport = tc.over(s.client.Transport)
		}
	}
	_, log := s.run(t)
	return log
}

// checkLog sees to it that the server was asked, and was no help as it is meant to be.
func (tc noHelp) checkLog(t *testing.T, log []episode.Entry) {
	t.Helper()
	var missing []string
	faults, late := 0, 0
	for _, e := range log {
		switch x := e.Event.(type) {
		case episode.MonitorRule:
			t.Errorf("a rule fired: %+v", x)
		case episode.MonitorAnswer:
			missing = append(missing, x.Answers["progress"].Missing)
		case episode.ProviderError:
			faults++
		case episode.Late:
			late++
		}
	}
	slices.Sort(missing)
	if missing = slices.Compact(missing); !slices.Equal(missing, tc.missing) || faults < tc.faults || late < tc.late {
		t.Errorf("got answers %q, %d faults and %d that came late; want %q, %d and %d", missing, faults, late, tc.missing, tc.faults, tc.late)
	}
}
