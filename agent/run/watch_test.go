package run

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/monitor/question"
	"github.com/rein-robotics/rein/monitor/rule"
	"github.com/rein-robotics/rein/skill"
)

// The questions of reach on a watched desk.
const reachQuestions = `[
	{"name":"progress","type":"choice","instructions":"Which phase?","choices":{"going":"","there":"","lost":"","broken":""},"when":[
		{"do":"finish","value":"there","threshold":0.8,"then":"home"},
		{"do":"escalate","value":"lost","threshold":0.8,"consecutive":2},
		{"do":"fail","value":"broken","threshold":0.8,"then":"home"}]},
	{"name":"shown","instructions":"Is there a hand?"}]`

// watchedDesk is a desk with a monitor: reach and home have questions, and home is what follows.
func watchedDesk(t testing.TB, change ...func(*Settings)) *desk {
	t.Helper()
	watched := func(s *Settings) {
		s.Tools[0].Spec.Monitor = json.RawMessage(reachQuestions)
		s.Tools = append(s.Tools, &skill.Tool{Name: "home", Skill: "home", Spec: skill.Spec{
			Description: "Goes home.", Commands: []string{"arm"},
			Monitor: json.RawMessage(`[{"name":"folded","instructions":"Is it folded?","when":{"do":"finish","then":"home"}}]`),
		}})
		s.Monitor = &MonitorRules{Every: time.Second, MaxAge: 10 * time.Second}
	}
	return begun(t, append([]func(*Settings){watched}, change...)...)
}

// starts replies with a call and lets its action start.
func (d *desk) starts(name, args string) string {
	d.t.Helper()
	d.reply(asks(name, args))
	return d.takes().What.Action
}

// tick lets a second pass and gives the tick of an action, which must be due.
func (d *desk) tick(action string) MonitorTick {
	d.t.Helper()
	d.at += time.Second
	d.news(control.TimerFired{At: d.at, ID: monitorTimer + action})
	return pop[MonitorTick](d)
}

// says answers a tick: "progress=there:0.9 shown=0.2", a name alone is a missing answer.
func (d *desk) says(k MonitorTick, words string) {
	d.t.Helper()
	m := Monitored{ID: k.ID, Sighting: &Sighting{At: d.at, Images: []Recorded{{Name: "images/m.jpg", At: d.at}}}}
	for w := range strings.FieldsSeq(words) {
		name, value, _ := strings.Cut(w, "=")
		i := slices.IndexFunc(k.Questions, func(q question.Question) bool { return q.Name == name })
		if i < 0 {
			d.t.Fatalf("%s is not asked", name)
		}
		m.Said.Answers = append(m.Said.Answers, answerIn(d.t, k.Questions[i], value))
	}
	d.give(m)
}

func answerIn(t testing.TB, q question.Question, value string) question.Answer {
	t.Helper()
	option, number, chosen := strings.Cut(value, ":")
	if !chosen {
		number = option
	}
	if value == "" {
		return q.No(question.Refused, "no")
	}
	var p float64
	if err := json.Unmarshal([]byte(number), &p); err != nil {
		t.Fatal(err)
	}
	if chosen {
		return q.Chosen(option, p)
	}
	return q.Is(p)
}

// ends answers a stop the way the loop does: the recorded end, and how the stop went.
func (d *desk) still(e control.End, how control.StopOutcome) {
	d.t.Helper()
	st := pop[Stop](d)
	d.give(Stopped{ID: st.ID, Ended: control.Ended{Action: st.Action, Tool: "reach", End: e, Stop: control.Stop{Outcome: how}}})
}

// halted gives the end that the step asked for.
func (d *desk) halted() control.End {
	d.t.Helper()
	for _, f := range d.pending {
		if s, ok := f.(Stop); ok {
			return s.End
		}
	}
	d.t.Fatalf("no stop is wanted; there are %s", d.kinds())
	return control.End{}
}

// turns is how many turns were opened since: looks that are asked for and rounds that wait.
func (d *desk) asked() bool {
	return slices.ContainsFunc(d.pending, func(f Effect) bool {
		switch f.(type) {
		case Look, CallModel:
			return true
		}
		return false
	})
}

// count is how many events of a kind were logged.
func (d *desk) count(kind string) (n int) {
	for _, e := range d.logged {
		if e.Kind() == kind {
			n++
		}
	}
	return n
}

// last is the newest event of a kind.
func last[E episode.Event](d *desk) (out E) {
	for _, e := range d.logged {
		if e, ok := e.(E); ok {
			out = e
		}
	}
	return out
}

func TestEscalationLeavesItRunningAndWakesOnce(t *testing.T) {
	d := watchedDesk(t)
	a := d.starts("reach", `{}`)
	d.says(d.tick(a), "progress=lost:0.9")
	d.wants("")
	d.says(d.tick(a), "progress=lost:0.9")
	d.wants("look")
	d.lookAround()
	if told := d.told(); !strings.Contains(told, "monitor flag a1") || !strings.Contains(told, "progress is lost (p 0.90), 2 ticks in a row") {
		t.Errorf("got\n%s", told)
	}
	d.reply()
	d.says(d.tick(a), "progress=lost:0.9")
	d.wants("")
	d.says(d.tick(a), "progress=going:0.9")
	d.says(d.tick(a), "progress=going:0.9")
	d.says(d.tick(a), "progress=lost:0.9")
	d.says(d.tick(a), "progress=lost:0.9")
	d.wants("look") // it was armed again
}

func TestLateAnswersChangeNothing(t *testing.T) {
	d := watchedDesk(t)
	a := d.starts("reach", `{}`)
	k := d.tick(a)
	d.ends(a, control.Failed, control.CauseSkill)
	if !slices.Equal(d.unwatched, []string{a}) {
		t.Errorf("watched on: %v", d.unwatched)
	}
	d.says(k, "progress=there:1")
	if d.lates() != 1 || d.count("monitor_rule") != 0 || d.count("monitor_answer") != 0 {
		t.Errorf("got %d late, %d rules", d.lates(), d.count("monitor_rule"))
	}
	d.wants("look")
}

// TestAnswersAboutAnActionThatIsEndingAreDropped: whoever has ended it, also its own skill, a deadline or an operator: from
// the settled end on, not only from the measured stop on.
func TestAnswersAboutAnActionThatIsEndingAreDropped(t *testing.T) {
	d := watchedDesk(t)
	a := d.starts("reach", `{}`)
	d.says(d.tick(a), "progress=lost:0.9")
	k := d.tick(a)
	d.news(control.ActionEnding{At: d.at, Action: a})
	if !slices.Equal(d.unwatched, []string{a}) {
		t.Errorf("watched on: %v", d.unwatched)
	}
	d.says(k, "progress=lost:0.9") // the second in a row: it would wake
	d.wants("")
	d.at += time.Second
	d.news(control.TimerFired{At: d.at, ID: monitorTimer + a})
	d.wants("") // no further tick
	if d.lates() != 1 || d.count("monitor_rule") != 0 || d.count("monitor_answer") != 1 {
		t.Errorf("got %d late, %d rules, %d answers", d.lates(), d.count("monitor_rule"), d.count("monitor_answer"))
	}
	d.ends(a, control.Succeeded, control.CauseSkill)
	d.wants("look")
	d.lookAround()
	if told := d.told(); !strings.Contains(told, "monitor: progress is lost (p 0.90, 2.1 s ago)") { // of the tick before
		t.Errorf("told\n%s", told)
	}
}

func TestMissingAnswersChangeNothingButTheLog(t *testing.T) {
	d := watchedDesk(t)
	a := d.starts("reach", `{}`)
	d.says(d.tick(a), "progress=lost:1")
	for _, err := range []error{ErrMonitorSlow, errors.New("no connection")} {
		d.give(Monitored{ID: d.tick(a).ID, Err: err})
	}
	d.says(d.tick(a), "progress shown")
	d.give(Monitored{ID: d.tick(a).ID, Sighting: &Sighting{At: d.at, NotLive: "the picture is black"}})
	d.wants("")
	var missing []string
	for _, e := range d.logged {
		if e, ok := e.(episode.MonitorAnswer); ok {
			missing = append(missing, e.Answers["progress"].Missing)
		}
	}
	if want := []string{"", "timeout", "failed", "refused", "not_live"}; !slices.Equal(missing, want) {
		t.Errorf("got %q, want %q", missing, want)
	}
	d.says(d.tick(a), "progress=lost:1") // none of them broke the row
	d.wants("look")
}

func TestAnswersOnABlindCameraAreVoid(t *testing.T) {
	d := watchedDesk(t)
	a := d.starts("reach", `{}`)
	k := d.tick(a)
	d.s.blind["cam"] = "the picture is frozen"
	d.says(k, "progress=there:1")
	d.wants("")
	if e := last[episode.MonitorAnswer](d); e.Answers["progress"].Missing != "not_live" {
		t.Errorf("got %+v", e)
	}
}

func TestOldAnswerInformsAndEndsNothing(t *testing.T) {
	d := watchedDesk(t)
	a := d.starts("reach", `{}`)
	k := d.tick(a)
	seen := d.at
	d.at += 11 * time.Second
	q := k.Questions[0]
	d.give(Monitored{ID: k.ID, Sighting: &Sighting{At: seen}, Said: Assessed{Answers: []question.Answer{q.Chosen("there", 1)}}})
	d.wants("")
	if got := d.s.running(Moment{At: d.at}); len(got) != 1 || len(got[0].Answers) != 1 || got[0].Answers[0].Value != "there" || got[0].Answers[0].AgeS < 11 {
		t.Errorf("it is not shown: %+v", got)
	}
}

// An answer is as old as the oldest picture that it calls current, and counts from when the newest was taken.
func TestAnswerIsAsOldAsItsOldestPicture(t *testing.T) {
	d := watchedDesk(t)
	a := d.starts("reach", `{}`)
	k := d.tick(a)
	seen := d.at
	d.at += 9790 * time.Millisecond // of a limit of 10 s; the answer takes 10 ms
	d.give(Monitored{
		ID: k.ID, Said: Assessed{Answers: []question.Answer{k.Questions[0].Chosen("there", 1)}},
		Sighting: &Sighting{At: seen, Behind: 400 * time.Millisecond, Images: []Recorded{{"images/a.jpg", seen}, {"images/b.jpg", seen - 400*time.Millisecond}}},
	})
	d.wants("")
	if got := d.s.running(Moment{At: d.at}); len(got) != 1 || len(got[0].Answers) != 1 || math.Abs(got[0].Answers[0].AgeS-10.2) > 1e-9 {
		t.Errorf("the planner sees %+v", got)
	}
	if e := last[episode.MonitorAnswer](d); math.Abs(e.AgeS-9.8) > 1e-9 || len(e.AgesS) != 2 || math.Abs(e.AgesS[1]-10.2) > 1e-9 {
		t.Errorf("the log has %+v", e)
	}
	d.says(d.tick(a), "progress=there:1")
	if e := d.halted(); e.Outcome != control.Succeeded {
		t.Errorf("a fresh answer ends it as %s", e.Outcome)
	}
}

func TestAnswerOlderThanANewerOneIsLate(t *testing.T) {
	d := watchedDesk(t)
	a := d.starts("reach", `{}`)
	d.says(d.tick(a), "progress=going:1")
	k := d.tick(a)
	d.give(Monitored{ID: k.ID, Sighting: &Sighting{At: d.at - 2*time.Second}, Said: Assessed{Answers: []question.Answer{k.Questions[0].Chosen("there", 1)}}})
	d.wants("")
	if d.lates() != 1 {
		t.Errorf("got %d late", d.lates())
	}
}

func TestTickWaitsForThePreviousCall(t *testing.T) {
	d := watchedDesk(t)
	a := d.starts("reach", `{}`)
	k := d.tick(a)
	d.at += 5 * time.Second
	d.news(control.TimerFired{At: d.at, ID: monitorTimer + a})
	d.wants("")
	d.says(k, "progress=going:1")
	if last := d.timers[len(d.timers)-1]; last.Name != monitorTimer+a || last.At != d.at {
		t.Errorf("the next tick is asked for at %v as %q, want at once, at %v", last.At, last.Name, d.at)
	}
}

func TestFirstLookIsOnlyKept(t *testing.T) {
	d := watchedDesk(t, func(s *Settings) { s.Monitor.KeepsFirst = true })
	a := d.starts("reach", `{}`)
	k := pop[MonitorTick](d)
	if k.Number != 0 {
		t.Fatalf("got look %d", k.Number)
	}
	d.give(Monitored{ID: k.ID, Sighting: &Sighting{At: d.at, Images: []Recorded{{Name: "images/a.jpg", At: d.at - 490*time.Millisecond}}}}) // that takes 10 ms
	if e := last[episode.MonitorFrame](d); e.Action != a || len(e.Images) != 1 || !slices.Equal(e.AgesS, []float64{0.5}) || d.count("monitor_answer") != 0 {
		t.Errorf("got %+v", e)
	}
	if k := d.tick(a); k.Number != 1 {
		t.Errorf("got look %d", k.Number)
	}
}

func TestWatchForIsAskedFromSixSecondsOn(t *testing.T) {
	d := watchedDesk(t)
	d.reply(asks("squeeze", `{"how":"x","watch_for":[{"question":"Is the cup tipping?","do":"fail"}]}`))
	if p := d.pendingOf(t); string(p.Call.Args) != `{"how":"x"}` {
		t.Errorf("the skill is given %s", p.Call.Args)
	}
	d.takes()
	d.says(d.tick("a1"), "")
	if d.count("monitor_frame") != 1 {
		t.Error("a look that no question is due for is not kept as one")
	}
	d.at += 5 * time.Second
	d.says(d.tick("a1"), "watch_1=0.9")
	d.wants("")
	d.says(d.tick("a1"), "watch_1=0.79")
	d.says(d.tick("a1"), "watch_1=0.9")
	d.says(d.tick("a1"), "watch_1=0.9")
	if e := d.halted(); e.Outcome != control.Failed || !strings.Contains(e.Reason, "Is the cup tipping?") {
		t.Errorf("got %+v", e)
	}
}

// pendingOf is the skill that is being made ready.
func (d *desk) pendingOf(t *testing.T) Prepare {
	t.Helper()
	for _, f := range d.pending {
		if p, ok := f.(Prepare); ok {
			return p
		}
	}
	t.Fatalf("nothing is made ready: %s", d.kinds())
	return Prepare{}
}

func TestWatchForIsRefused(t *testing.T) {
	tests := map[string]string{
		"finish":        `{"watch_for":[{"question":"x","do":"finish"}]}`,
		"no_question":   `{"watch_for":[{"name":"a"}]}`,
		"own_name":      `{"watch_for":[{"question":"x","name":"progress"}]}`,
		"unknown_field": `{"watch_for":[{"question":"x","threshold":0.5}]}`,
		"too_long":      `{"watch_for":[{"question":"` + strings.Repeat("x", question.MaxWatchWords+1) + `"}]}`,
	}
	for name, args := range tests {
		t.Run(name, func(t *testing.T) {
			d := watchedDesk(t)
			d.reply(asks("reach", args))
			if got := d.codes(); !slices.Equal(got, []string{"bad_arguments"}) {
				t.Errorf("got %q", got)
			}
		})
	}
	d := begun(t)
	d.reply(asks("reach", `{"watch_for":[]}`))
	if got := d.codes(); !slices.Equal(got, []string{"bad_arguments"}) {
		t.Errorf("without a monitor: got %q", got)
	}
}

func TestTimeoutOfAWatchedAndAnUnwatchedTool(t *testing.T) {
	for tool, want := range map[string]string{"reach": "without the monitor confirming success", "squeeze": "judge from the newest image whether it succeeded"} {
		d := watchedDesk(t)
		a := d.starts(tool, `{}`)
		d.ends(a, control.TimedOut, control.CauseDeadline)
		d.lookAround()
		if told := d.told(); !strings.Contains(told, want) || tool == "squeeze" && strings.Contains(told, "monitor") {
			t.Errorf("%s: got\n%s", tool, told)
		}
	}
}

func TestMonitorsUsageCounts(t *testing.T) {
	d := watchedDesk(t)
	a := d.starts("reach", `{}`)
	k := d.tick(a)
	d.give(Monitored{ID: k.ID, Sighting: &Sighting{At: d.at}, Said: Assessed{Usage: model.Usage{Input: 900, Output: 100, CostUSD: 0.25}}})
	if d.s.pool.Tokens != 1000 || d.s.usage.CostUSD != 0.25 {
		t.Errorf("got %d tokens, %v", d.s.pool.Tokens, d.s.usage)
	}
}

func TestFlagInARunInFlightMakesACallStale(t *testing.T) {
	d := watchedDesk(t)
	a := d.starts("reach", `{}`)
	d.give(Message{Text: "well?"})
	d.lookAround()
	d.says(d.tick(a), "progress=lost:1")
	d.says(d.tick(a), "progress=lost:1")
	d.reply(asks("home", `{}`))
	if got := d.codes(); !slices.Equal(got, []string{"stale_view"}) {
		t.Errorf("got %q", got)
	}
	if told := d.told(); !strings.Contains(told, "monitor flag") {
		t.Errorf("got\n%s", told)
	}
}

func TestRearmIsASetting(t *testing.T) {
	d := watchedDesk(t, func(s *Settings) { s.Monitor.Rearm = rule.Once })
	a := d.starts("reach", `{}`)
	for _, x := range []string{"lost", "lost"} {
		d.says(d.tick(a), "progress="+x+":1")
	}
	d.lookAround()
	d.reply()
	for _, x := range []string{"going", "going", "lost", "lost"} {
		d.says(d.tick(a), "progress="+x+":1")
	}
	d.wants("")
}
